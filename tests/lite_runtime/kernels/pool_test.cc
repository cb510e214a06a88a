// Pooling: every instruction set against the portable loop that looks at every tap.
#include "kernels/pool/pool.h"

#include <cmath>

#include "check.h"

namespace sampan::test {
namespace {

void test_pool() {
  Random random(1);
  for (int round = 0; round < 1500; ++round) {
    Pool2dF32 p;
    p.height = random.integer(1, 9);
    p.width = random.integer(1, 9);
    p.channels = random.integer(1, 70);
    p.x_stride = p.channels + random.integer(0, 3);
    p.kernel_h = random.integer(1, 4);
    p.kernel_w = random.integer(1, 4);
    p.stride_h = random.integer(1, 3);
    p.stride_w = random.integer(1, 3);
    p.dilation_h = random.integer(1, 2);
    p.dilation_w = random.integer(1, 2);
    p.pad_top = random.integer(0, 2);
    p.pad_left = random.integer(0, 2);
    p.pad_bottom = random.integer(0, 2);
    p.pad_right = random.integer(0, 2);
    p.include_pad = random.integer(0, 1) != 0;
    // One more than the floor: windows that ceil_mode lets hang over.
    p.out_height = random.integer(1, (p.height + p.pad_top + p.pad_bottom) / p.stride_h + 1);
    p.out_width = random.integer(1, (p.width + p.pad_left + p.pad_right) / p.stride_w + 1);
    p.y_stride = p.channels + random.integer(0, 3);
    const int64_t images = random.integer(1, 2), rows = images * p.out_height;
    const int64_t pixels = images * p.height * p.width, out_pixels = rows * p.out_width;
    Guarded<float> x((pixels - 1) * p.x_stride + p.channels);
    const int64_t out_size = (out_pixels - 1) * p.y_stride + p.channels;
    Guarded<float> want(out_size), got(out_size);
    random.fill<float>(x.data(), x.size(), -2, 2);
    if (round % 9 == 0)
      for (int64_t i = 0; i < x.size(); ++i) x[i] = random.any_float();
    const bool max = round % 2 != 0;
    const PoolKernels& o = pool_kernels(Isa::kPortable);
    (max ? o.max : o.average)(p, x.data(), want.data(), 0, rows);
    for (Isa isa : kFastIsas) {
      if (!can_run(isa)) continue;
      const PoolKernels& k = pool_kernels(isa);
      std::memset(got.data(), 0xA5, static_cast<size_t>(out_size) * 4);
      const int64_t cut = random.integer(0, rows);
      (max ? k.max : k.average)(p, x.data(), got.data(), 0, cut);
      (max ? k.max : k.average)(p, x.data(), got.data(), cut, rows);
      CHECK(first_difference(want.data(), got.data(), out_size) < 0, "%s, round %d",
            max ? k.max_name : k.average_name, round);
    }
    if (p.out_height == 1) {
      Guarded<float> a(p.channels), b(p.channels);
      o.global_average(x.data(), pixels, p.channels, p.x_stride, a.data());
      for (Isa isa : kFastIsas) {
        if (!can_run(isa)) continue;
        pool_kernels(isa).global_average(x.data(), pixels, p.channels, p.x_stride, b.data());
        CHECK(first_difference(a.data(), b.data(), p.channels) < 0, "global average");
      }
    }
  }
}

// By hand: 3 x 3 image, 2 x 2 windows, padding 1.
void test_values() {
  const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  Pool2dF32 p;
  p.height = p.width = 3;
  p.channels = p.x_stride = p.y_stride = 1;
  p.kernel_h = p.kernel_w = p.stride_h = p.stride_w = 2;
  p.pad_top = p.pad_left = p.pad_bottom = p.pad_right = 1;
  p.out_height = p.out_width = 2;
  float y[4];
  const PoolKernels& k = pool_kernels(Isa::kPortable);
  k.max(p, x, y, 0, 2);
  CHECK(y[0] == 1 && y[1] == 3 && y[2] == 7 && y[3] == 9, "max %g %g %g %g", y[0], y[1], y[2],
        y[3]);
  k.average(p, x, y, 0, 2);
  CHECK(y[0] == 1 && y[1] == 2.5f && y[2] == 5.5f && y[3] == 7, "average");
  p.include_pad = true;
  k.average(p, x, y, 0, 2);
  CHECK(y[0] == 0.25f && y[1] == 1.25f && y[2] == 2.75f && y[3] == 7, "average with padding");
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_pool();
  test_values();
  return finish("pool_test");
}
