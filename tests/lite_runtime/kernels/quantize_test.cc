// 8-bit quantization: AVX2 against portable, portable against exact arithmetic in double.
#include "kernels/quantize/quantize.h"

#include <cmath>

#include "check.h"

namespace sampan::test {
namespace {

void test_quantize() {
  Random random(1);
  for (int round = 0; round < 600; ++round) {
    const bool is_signed = round % 2 != 0;
    const int low = is_signed ? -128 : 0, high = low + 255;
    const int32_t zero = static_cast<int32_t>(random.integer(low, high));
    const float scale = round % 3 ? random.uniform(0.001f, 0.5f) : 0.5f;
    const int64_t n = random.integer(0, 100);
    Guarded<float> x(n), back(n), back2(n);
    Guarded<uint8_t> want(n), got(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = round % 5 == 0 ? random.any_float()
                            : static_cast<float>(random.integer(-600, 600)) * 0.25f;
    const QuantizeKernels& p = quantize_kernels(Isa::kPortable);
    p.quantize(x.data(), want.data(), n, scale, zero, is_signed);
    p.dequantize(want.data(), back.data(), n, scale, zero, is_signed);
    for (int64_t i = 0; i < n; ++i) {
      double e = std::nearbyint(static_cast<double>(x[i] / scale)) + zero;
      if (x[i] != x[i]) e = zero;
      e = e < low ? low : e > high ? high : e;
      const int q = is_signed ? static_cast<int8_t>(want[i]) : want[i];
      CHECK(q == static_cast<int>(e), "%a / %a + %d: %d, expected %g", x[i], scale, zero, q, e);
      CHECK(back[i] == static_cast<float>(q - zero) * scale, "back to %g", back[i]);
    }
    if (!can_run(Isa::kAvx2)) continue;
    const QuantizeKernels& k = quantize_kernels(Isa::kAvx2);
    k.quantize(x.data(), got.data(), n, scale, zero, is_signed);
    k.dequantize(want.data(), back2.data(), n, scale, zero, is_signed);
    CHECK(std::memcmp(want.data(), got.data(), static_cast<size_t>(n)) == 0, "quantize, round %d",
          round);
    CHECK(first_difference(back.data(), back2.data(), n) < 0, "dequantize, round %d", round);
  }
}

void test_axis_and_dynamic() {
  const float x[] = {1, 2, 3, 4, -1, -2, -3, -4};
  const float scales[] = {1.0f, 2.0f};
  const int32_t zeros[] = {10, 0};
  int8_t q[8];
  float y[8];
  QuantizeAxis p;
  p.n = 2;
  p.inner = 2;
  p.scales = scales;
  p.zero_points = zeros;
  quantize_axis(Isa::kPortable, p, x, q, 0, 4);
  const int8_t want[] = {11, 12, 2, 2, 9, 8, -2, -2};  // 1.5 rounds to 2
  CHECK(std::memcmp(q, want, 8) == 0, "%d %d %d %d", q[0], q[1], q[2], q[3]);
  dequantize_axis(Isa::kPortable, p, q, y, 0, 4);
  CHECK(y[0] == 1 && y[2] == 4 && y[6] == -4, "%g %g %g", y[0], y[2], y[6]);
  const DynamicScale d = dynamic_scale(-1.0f, 4.1f);
  CHECK(d.scale == 5.1f / 255.0f && d.zero_point == 50, "%g %d", d.scale, d.zero_point);
  CHECK(dynamic_scale(0.0f, 0.0f).scale == 1.0f, "an array of zeros");
  CHECK(dynamic_scale(2.0f, 3.0f).zero_point == 0, "0 is always in the range");
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  test_quantize();
  test_axis_and_dynamic();
  return finish("quantize_test");
}
