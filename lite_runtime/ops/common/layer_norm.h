// What LayerNormalization and RMSNormalization share: x, scale and (one of them) bias, normalised
// over the axes from attribute `axis` on.
#pragma once
#include "ops/common/lanes.h"
#include "ops/common/rows.h"

namespace sampan {

// scale (input 1) and bias (input 2), where given, have the shape of the normalised axes.
Status infer_layer_norm(InferContext& ctx, int64_t axis, float epsilon, int* first);

struct LayerNormState {
  Rows rows;  // inner is 1
  WideTensors wide;
  int64_t at_scale = 0, at_bias = 0;
};
Status prepare_layer_norm(PrepareContext& ctx, int64_t axis, const char* name);

// Input `i` as T, null when absent.
template <class T>
const T* layer_norm_parameter(const RunContext& ctx, int i, int64_t offset);

}  // namespace sampan
