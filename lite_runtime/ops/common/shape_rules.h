// What shape rules share: axes, broadcasting, and the elements of small integer tensors.
#pragma once
#include <cstdint>

#include "core/op.h"

// An error of the node itself (attributes, ranks, dimensions): expected, got, what to do.
#define SAMPAN_RULE(cond, ...) SAMPAN_CHECK(cond, ::sampan::Code::kInvalidArgument, __VA_ARGS__)

namespace sampan {

// ---- whole rules ---------------------------------------------------------------------------

Status same_as_first(InferContext& ctx);    // output 0: type and shape of input 0
Status bool_like_first(InferContext& ctx);  // output 0: bool, shape of input 0

// ---- axes ----------------------------------------------------------------------------------

// axis in [-rank, rank) -> [0, rank).
Status normalize_axis(int64_t axis, int rank, int* out);

struct AxisSet {
  bool has[kMaxRank] = {};
  int count = 0;
};
// Axes given as a list attribute or as a known input; repeated ones are refused.
Status add_axis(int64_t axis, int rank, AxisSet* set);
Status axes_of(const AttrValue& list, int rank, AxisSet* set);
// From input `i` (1-D integers), whose elements the caller has checked to be known.
Status axes_of_input(InferContext& ctx, int i, int rank, AxisSet* set);

// ---- broadcasting --------------------------------------------------------------------------

// numpy's rule. Unknown dimensions are taken to fit: max(a, b).
Status broadcast_shapes(InferContext& ctx, const DimShape& a, const DimShape& b, DimShape* out);

// ---- elements ------------------------------------------------------------------------------

// The elements of an integer input, known wholly or not at all. An empty tensor is always known.
struct Values {
  bool known = false;
  const Dim* v = nullptr;
  int n = 0;
  const Dim& operator[](int i) const { return v[i]; }
};
Values values_of(const InferContext& ctx, int i);

// What a rule returns that cannot go on without the elements of input i. The runtime computes them
// first. The host cannot, but where the rank is known it goes on with sizes nobody knows: output 0
// gets `rank` of them.
Status unknown_sizes(InferContext& ctx, int i, DType dtype, int rank);
// The length of a list operand (rank 1) as far as it is known, else -1.
int list_length(const InferContext& ctx, int i);

// A value rule may only run when this holds: the host asked, the output is of a type that shape
// arithmetic uses, its shape is known and it is small. n is its number of elements.
bool can_set_values(InferContext& ctx, DType dtype, const DimShape& shape, int* n);

// Output 0 has input 0's elements in order (Reshape, Identity, Cast ...).
void copy_values(InferContext& ctx, DType dtype, const DimShape& shape);

// Number i of an int32 or int64 tensor with data.
inline int64_t index_at(const Tensor& t, int64_t i) {
  return t.dtype == DType::kInt32 ? t.as<int32_t>()[i] : t.as<int64_t>()[i];
}

// "[1, 3, h]" for error messages; symbols print as "?". Returns its buffer.
struct ShapeText {
  char text[120];
  explicit ShapeText(const DimShape& shape);
  explicit ShapeText(const Shape& shape) : ShapeText(DimShape(shape)) {}
  const char* c_str() const { return text; }
};

}  // namespace sampan
