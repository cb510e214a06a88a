#include "kernels/elementwise/broadcast.h"

#include <cstring>

namespace sampan {
namespace {

int64_t dim_from_back(const int64_t* shape, int rank, int back) {
  return back < rank ? shape[rank - 1 - back] : 1;
}

// Whether dimension d (outer) and the one behind it are walked through as one by all operands.
bool mergeable(const BroadcastPlan& p, int d) {
  for (int i = 0; i < p.operands; ++i)
    if (p.strides[i][d] != p.strides[i][d + 1] * p.dims[d + 1]) return false;
  return true;
}

void remove_dim(BroadcastPlan* p, int d) {
  for (int k = d; k + 1 < p->rank; ++k) {
    p->dims[k] = p->dims[k + 1];
    for (int i = 0; i < p->operands; ++i) p->strides[i][k] = p->strides[i][k + 1];
  }
  --p->rank;
}

void collapse(BroadcastPlan* p) {
  for (int d = p->rank - 1; d >= 0 && p->rank > 1; --d)
    if (p->dims[d] == 1) remove_dim(p, d);
  for (int d = p->rank - 2; d >= 0; --d) {
    if (!mergeable(*p, d)) continue;
    p->dims[d + 1] *= p->dims[d];
    remove_dim(p, d);
  }
}

}  // namespace

bool make_broadcast_plan(int operands, const int64_t* const* shapes, const int* ranks,
                         BroadcastPlan* plan) {
  *plan = BroadcastPlan();
  plan->operands = operands;
  int rank = 1;
  for (int i = 0; i < operands; ++i) {
    if (ranks[i] > BroadcastPlan::kMaxDims) return false;
    if (ranks[i] > rank) rank = ranks[i];
  }
  plan->rank = rank;
  int64_t stride[BroadcastPlan::kMaxOperands] = {1, 1, 1};
  for (int back = 0; back < rank; ++back) {
    int64_t out = 1;
    for (int i = 0; i < operands; ++i) {
      const int64_t dim = dim_from_back(shapes[i], ranks[i], back);
      if (dim == 1) continue;
      if (out != 1 && out != dim) return false;
      out = dim;
    }
    const int d = rank - 1 - back;
    plan->dims[d] = out;
    plan->total *= out;
    for (int i = 0; i < operands; ++i) {
      const int64_t dim = dim_from_back(shapes[i], ranks[i], back);
      plan->strides[i][d] = dim == 1 ? 0 : stride[i];
      stride[i] *= dim;
    }
  }
  collapse(plan);
  return true;
}

void run_binary(const BinaryKernel& kernel, const BroadcastPlan& plan, const void* a, const void* b,
                void* y, int64_t begin, int64_t end) {
  const int last = plan.rank - 1;
  const int64_t in = static_cast<int64_t>(dtype_size(kernel.dtype));
  const int64_t out = static_cast<int64_t>(dtype_size(kernel.output));
  const int64_t sa = plan.strides[0][last], sb = plan.strides[1][last];
  for_each_piece(plan, begin, end, [&](const int64_t* offsets, int64_t at, int64_t n) {
    kernel.run(static_cast<const char*>(a) + offsets[0] * in, sa,
               static_cast<const char*>(b) + offsets[1] * in, sb, static_cast<char*>(y) + at * out,
               n);
  });
}

void run_select(const BroadcastPlan& plan, size_t element_size, const uint8_t* condition,
                const void* a, const void* b, void* y, int64_t begin, int64_t end) {
  const int last = plan.rank - 1;
  const int64_t size = static_cast<int64_t>(element_size);
  for_each_piece(plan, begin, end, [&](const int64_t* offsets, int64_t at, int64_t n) {
    select_elements(element_size, condition + offsets[0], plan.strides[0][last],
                    static_cast<const char*>(a) + offsets[1] * size, plan.strides[1][last],
                    static_cast<const char*>(b) + offsets[2] * size, plan.strides[2][last],
                    static_cast<char*>(y) + at * size, n);
  });
}

void run_expand(const BroadcastPlan& plan, size_t element_size, const void* x, void* y,
                int64_t begin, int64_t end) {
  const int last = plan.rank - 1;
  const int64_t size = static_cast<int64_t>(element_size);
  const bool repeat = plan.strides[0][last] == 0;
  for_each_piece(plan, begin, end, [&](const int64_t* offsets, int64_t at, int64_t n) {
    const char* from = static_cast<const char*>(x) + offsets[0] * size;
    char* to = static_cast<char*>(y) + at * size;
    if (!repeat) {
      std::memcpy(to, from, static_cast<size_t>(n * size));
    } else if (size == 1) {
      std::memset(to, *from, static_cast<size_t>(n));
    } else {
      for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * size, from, element_size);
    }
  });
}

}  // namespace sampan
