// Strided copies and permutations against index arithmetic.
#include "kernels/transpose/transpose.h"

#include "check.h"

namespace sampan::test {
namespace {

template <class T>
void test_permutations() {
  Random random(sizeof(T));
  for (int round = 0; round < 500; ++round) {
    const int rank = static_cast<int>(random.integer(1, 5));
    int64_t dims[8], total = 1;
    int perm[8];
    for (int i = 0; i < rank; ++i) {
      dims[i] = random.integer(1, rank < 3 ? 40 : 12);
      total *= dims[i];
      perm[i] = i;
    }
    for (int i = rank - 1; i > 0; --i) {
      const int j = static_cast<int>(random.integer(0, i)), t = perm[i];
      perm[i] = perm[j];
      perm[j] = t;
    }
    Guarded<T> x(total), y(total);
    for (int64_t i = 0; i < total; ++i) x[i] = static_cast<T>(random.next());
    const StridedView v = permutation_view(rank, dims, perm);
    const CopyPlan plan = make_copy_plan(v);
    const Isa isa = can_run(Isa::kAvx2) && round % 2 ? Isa::kAvx2 : Isa::kPortable;
    const int64_t cut = random.integer(0, plan.rows);
    run_copy_plan(isa, plan, sizeof(T), x.data(), y.data(), 0, cut);
    run_copy_plan(isa, plan, sizeof(T), x.data(), y.data(), cut, plan.rows);
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i, from = 0;
      for (int d = rank - 1; d >= 0; --d) {
        from += rest % v.dims[d] * v.src_strides[d];
        rest /= v.dims[d];
      }
      CHECK(y[i] == x[from], "round %d, element %d of %d", round, (int)i, (int)total);
    }
  }
}

// Slices with steps of both signs into a window of a larger destination.
void test_slices() {
  Random random(9);
  for (int round = 0; round < 500; ++round) {
    const int64_t h = random.integer(1, 20), w = random.integer(1, 20);
    const int64_t H = h * 2 + 3, W = w * 2 + 3, ph = random.integer(0, 4),
                  pw = random.integer(0, 4);
    Guarded<uint16_t> x(H * W), y((h + ph) * (w + pw));
    random.fill<uint16_t>(x.data(), x.size(), 0, 65535);
    std::memset(y.data(), 0, static_cast<size_t>(y.size()) * 2);
    const int64_t sh = random.integer(0, 1) ? 2 : -2, sw = random.integer(-2, 2);
    StridedView v;
    v.rank = 2;
    v.dims[0] = h;
    v.dims[1] = w;
    v.dst_strides[0] = w + pw;
    v.dst_strides[1] = 1;
    v.src_strides[0] = sh * W;
    v.src_strides[1] = sw;
    const int64_t start = (sh < 0 ? H - 1 : 0) * W + (sw < 0 ? W - 1 : 0);
    const CopyPlan plan = make_copy_plan(v);
    uint16_t* to = y.data() + ph * (w + pw) + pw;
    run_copy_plan(Isa::kPortable, plan, 2, x.data() + start, to, 0, plan.rows);
    for (int64_t i = 0; i < h; ++i)
      for (int64_t j = 0; j < w; ++j)
        CHECK(to[i * (w + pw) + j] == x[start + i * sh * W + j * sw], "round %d", round);
  }
  StridedView nothing;
  nothing.rank = 2;
  nothing.dims[0] = 3;
  CHECK(make_copy_plan(nothing).empty && make_copy_plan(nothing).rows == 0, "empty view");
  StridedView scalar;
  uint64_t a = 7, b = 0;
  const CopyPlan plan = make_copy_plan(scalar);
  run_copy_plan(Isa::kPortable, plan, 8, &a, &b, 0, plan.rows);
  CHECK(b == 7, "rank 0 copies one element");
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_permutations<uint8_t>();
  test_permutations<uint16_t>();
  test_permutations<uint32_t>();
  test_permutations<uint64_t>();
  test_slices();
  return finish("transpose_test");
}
