// Normalisation of groups of channels over the spatial axes: GroupNormalization, and
// InstanceNormalization, where each channel is a group.
//
// Order of the sums: one chain per channel over the pixels in ascending order, then the sums of the
// group's channels in ascending order.
#pragma once
#include "ops/common/spatial.h"

namespace sampan {

// Inputs x, scale, bias; scale and bias have one value for each channel.
Status infer_group_norm(InferContext& ctx, Layout layout, int64_t groups, float epsilon);

struct GroupNormState {
  int64_t groups = 1;
  float epsilon = 0;
  Staged x, y;
  int64_t at_scale = 0, at_bias = 0, at_sums = 0;
};
// groups 0: one for each channel.
Status prepare_group_norm(PrepareContext& ctx, Layout layout, int64_t groups, float epsilon,
                          const char* name);
Status run_group_norm(RunContext& ctx);

}  // namespace sampan
