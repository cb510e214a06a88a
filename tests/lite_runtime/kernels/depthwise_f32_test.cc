// Every float32 depthwise kernel gives the bits of the plain loops, within guard pages, for any
// split of the output; the plain loops agree with float64.
#include "check.h"
#include "epilogues.h"
#include "kernels/depthwise/depthwise.h"

using namespace sampan;
using namespace sampan::test;

namespace {

DepthwiseF32 random_case(Random& r) {
  for (;;) {
    DepthwiseF32 d;
    d.multiplier = r.integer(0, 5) == 0 ? r.integer(2, 3) : 1;
    d.channels = r.integer(1, 40) * d.multiplier;
    d.kernel_h = d.kernel_w = coin(r) ? 3 : r.integer(1, 7);
    d.stride_h = d.stride_w = r.integer(1, 2);
    if (r.integer(0, 4) == 0) {
      d.kernel_w = r.integer(1, 7);
      d.stride_w = r.integer(1, 3);
      d.dilation_h = r.integer(1, 3);
      d.dilation_w = r.integer(1, 3);
    }
    d.in_h = r.integer(1, 20);
    d.in_w = r.integer(1, 40);
    d.pad_top = r.integer(0, 4);
    d.pad_left = r.integer(0, 4);
    const int64_t h = d.in_h + d.pad_top + r.integer(0, 4) - (d.kernel_h - 1) * d.dilation_h - 1;
    const int64_t w = d.in_w + d.pad_left + r.integer(0, 4) - (d.kernel_w - 1) * d.dilation_w - 1;
    if (h < 0 || w < 0) continue;
    d.out_h = h / d.stride_h + 1;
    d.out_w = w / d.stride_w + 1;
    d.pixel_stride = d.channels / d.multiplier + (coin(r) ? r.integer(1, 9) : 0);
    d.y_stride = d.channels + (coin(r) ? r.integer(1, 9) : 0);
    return d;
  }
}

void check_exact(Random& r, const DepthwiseF32& d) {
  for (int i = 0; i < 20; ++i) {
    const int64_t oy = r.integer(0, d.out_h - 1), ox = r.integer(0, d.out_w - 1),
                  c = r.integer(0, d.channels - 1);
    double sum = 0, size = 0;
    for (int64_t ky = 0; ky < d.kernel_h; ++ky) {
      for (int64_t kx = 0; kx < d.kernel_w; ++kx) {
        const int64_t iy = oy * d.stride_h - d.pad_top + ky * d.dilation_h;
        const int64_t ix = ox * d.stride_w - d.pad_left + kx * d.dilation_w;
        if (iy < 0 || iy >= d.in_h || ix < 0 || ix >= d.in_w) continue;
        const double p = double(d.x[(iy * d.in_w + ix) * d.pixel_stride + c / d.multiplier]) *
                         d.w[(ky * d.kernel_w + kx) * d.channels + c];
        sum += p;
        size += std::fabs(p);
      }
    }
    const float y = d.y[(oy * d.out_w + ox) * d.y_stride + c];
    CHECK(std::fabs(y - sum) <= 50 * size * 0x1p-24, "float64: %.9g for %.17g", y, sum);
  }
}

void one_case(Random& r, int round) {
  DepthwiseF32 d = random_case(r);
  const auto end = side(r);
  const int64_t pixels = d.out_h * d.out_w, ldr = d.channels + r.integer(0, 3);
  const int64_t y_size = (pixels - 1) * d.y_stride + d.channels;
  Guarded<float> x((d.in_h * d.in_w - 1) * d.pixel_stride + d.channels / d.multiplier, end);
  Guarded<float> w(d.kernel_h * d.kernel_w * d.channels, end), bias(d.channels, end);
  Guarded<float> residual((pixels - 1) * ldr + d.channels, end);
  Guarded<float> want(y_size, end), got(y_size, end);
  r.fill(x.data(), x.size(), -1.0f, 1.0f);
  r.fill(w.data(), w.size(), -1.0f, 1.0f);
  r.fill(bias.data(), bias.size(), -1.0f, 1.0f);
  r.fill(residual.data(), residual.size(), -1.0f, 1.0f);
  d.x = x.data();
  d.w = w.data();
  d.y = want.data();
  depthwise_f32_kernels(Isa::kPortable).run(d, 0, d.out_h, 0, d.channels);
  check_exact(r, d);
  sprinkle(r, x);
  sprinkle(r, w);  // in the padding an infinite weight makes a NaN, on every path
  d.ep = random_epilogue(r, bias.data(), residual.data(), ldr);
  depthwise_f32_kernels(Isa::kPortable).run(d, 0, d.out_h, 0, d.channels);

  for (Isa isa : kFastIsas) {
    if (!can_run(isa)) continue;
    const DepthwiseF32Kernels& kernels = depthwise_f32_kernels(isa);
    CHECK(kernels.isa == isa, "%s", kernels.name);
    d.y = got.data();
    const auto report = [&](const char* how) {
      const int64_t at = first_difference(want.data(), got.data(), y_size);
      CHECK(at < 0,
            "%s %s round %d in %lldx%lld channels %lld multiplier %lld kernel %lldx%lld stride "
            "%lldx%lld dilation %lldx%lld pads %lld %lld out %lldx%lld: pixel %lld channel %lld: "
            "%.9g and not %.9g",
            kernels.name, how, round, (long long)d.in_h, (long long)d.in_w, (long long)d.channels,
            (long long)d.multiplier, (long long)d.kernel_h, (long long)d.kernel_w,
            (long long)d.stride_h, (long long)d.stride_w, (long long)d.dilation_h,
            (long long)d.dilation_w, (long long)d.pad_top, (long long)d.pad_left,
            (long long)d.out_h, (long long)d.out_w, (long long)(at / d.y_stride),
            (long long)(at % d.y_stride), got[at], want[at]);
      spoil(got);
    };
    kernels.run(d, 0, d.out_h, 0, d.channels);
    report("whole");
    const int64_t ys = r.integer(0, d.out_h), cs = r.integer(0, d.channels);
    kernels.run(d, ys, d.out_h, cs, d.channels);
    kernels.run(d, 0, ys, cs, d.channels);
    kernels.run(d, 0, d.out_h, 0, cs);
    report("split");
  }
}

}  // namespace

int main() {
  Random r(3);
  for (int i = 0; i < 1000; ++i) one_case(r, i);
  return finish("depthwise_f32");
}
