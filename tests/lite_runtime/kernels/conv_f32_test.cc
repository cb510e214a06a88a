// Every float32 convolution kernel gives the bits of the plain loops, within guard pages, for any
// split of the output; the plain loops agree with float64.
#include "check.h"
#include "epilogues.h"
#include "kernels/conv/conv.h"

using namespace sampan;
using namespace sampan::test;

namespace {

struct Case {
  ConvF32 c;
  int64_t batch;
  bool transposed;
  int64_t k() const { return c.kernel_h * c.kernel_w * c.channels; }
  int64_t out_pixels() const { return batch * c.out_h * c.out_w; }
};

int64_t conv_size(int64_t in, int64_t k, int64_t s, int64_t d, int64_t pad) {
  return (in + pad - (k - 1) * d - 1) / s + 1;
}

Case random_case(Random& r, bool transposed) {
  for (;;) {
    Case t;
    ConvF32& c = t.c;
    t.transposed = transposed;
    t.batch = r.integer(1, 3);
    c.groups = r.integer(0, 3) == 0 ? r.integer(2, 4) : 1;
    c.channels = r.integer(1, r.integer(0, 3) == 0 ? 150 : 40);
    c.out_channels = r.integer(1, 50);
    c.kernel_h = r.integer(1, 5);
    c.kernel_w = coin(r) ? c.kernel_h : r.integer(1, 5);
    c.stride_h = r.integer(1, 3);
    c.stride_w = coin(r) ? c.stride_h : r.integer(1, 3);
    c.dilation_h = r.integer(0, 3) == 0 ? r.integer(1, 3) : 1;
    c.dilation_w = r.integer(0, 3) == 0 ? r.integer(1, 3) : 1;
    c.in_h = r.integer(1, 12);
    c.in_w = r.integer(1, 14);
    c.pad_top = r.integer(0, 3);
    c.pad_left = r.integer(0, 3);
    if (r.integer(0, 3) == 0) {  // plain 1x1
      c.kernel_h = c.kernel_w = c.stride_h = c.stride_w = 1;
      c.pad_top = c.pad_left = 0;
    }
    const int64_t pad_h = c.pad_top + r.integer(0, c.pad_top),
                  pad_w = c.pad_left + r.integer(0, c.pad_left);
    if (transposed) {
      c.out_h = (c.in_h - 1) * c.stride_h + (c.kernel_h - 1) * c.dilation_h + 1 - pad_h +
                r.integer(0, c.stride_h - 1);
      c.out_w = (c.in_w - 1) * c.stride_w + (c.kernel_w - 1) * c.dilation_w + 1 - pad_w +
                r.integer(0, c.stride_w - 1);
    } else {
      if (c.in_h + pad_h < (c.kernel_h - 1) * c.dilation_h + 1) continue;
      if (c.in_w + pad_w < (c.kernel_w - 1) * c.dilation_w + 1) continue;
      c.out_h = conv_size(c.in_h, c.kernel_h, c.stride_h, c.dilation_h, pad_h);
      c.out_w = conv_size(c.in_w, c.kernel_w, c.stride_w, c.dilation_w, pad_w);
    }
    if (c.out_h < 1 || c.out_w < 1) continue;
    if (t.out_pixels() * t.k() * c.out_channels * c.groups > 3000000) continue;
    c.pixel_stride = c.channels * c.groups + (coin(r) ? r.integer(1, 9) : 0);
    c.image_stride = c.in_h * c.in_w * c.pixel_stride + (coin(r) ? r.integer(1, 50) : 0);
    c.y_stride = c.out_channels * c.groups + (coin(r) ? r.integer(1, 9) : 0);
    return t;
  }
}

// One output in float64, with the sum of the sizes of its terms.
double exact(const Case& t, const float* w, int64_t m, int64_t group, int64_t oc, double* size) {
  const ConvF32& c = t.c;
  const int64_t ox = m % c.out_w, oy = m / c.out_w % c.out_h, b = m / c.out_w / c.out_h;
  double sum = 0;
  *size = 0;
  for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
    for (int64_t kx = 0; kx < c.kernel_w; ++kx) {
      int64_t iy = oy * c.stride_h - c.pad_top + ky * c.dilation_h;
      int64_t ix = ox * c.stride_w - c.pad_left + kx * c.dilation_w;
      if (t.transposed) {
        iy = oy + c.pad_top - ky * c.dilation_h;
        ix = ox + c.pad_left - kx * c.dilation_w;
        if (iy % c.stride_h != 0 || ix % c.stride_w != 0) continue;
        iy /= c.stride_h;
        ix /= c.stride_w;
      }
      if (iy < 0 || iy >= c.in_h || ix < 0 || ix >= c.in_w) continue;
      for (int64_t ic = 0; ic < c.channels; ++ic) {
        const double x =
            c.x[b * c.image_stride + (iy * c.in_w + ix) * c.pixel_stride + group * c.channels + ic];
        const double p =
            x * w[((group * c.out_channels + oc) * c.kernel_h * c.kernel_w + ky * c.kernel_w + kx) *
                      c.channels +
                  ic];
        sum += p;
        *size += std::fabs(p);
      }
    }
  }
  return sum;
}

void check_exact(Random& r, const Case& t, const float* w, const float* got) {
  const ConvF32& c = t.c;
  for (int i = 0; i < 20; ++i) {
    const int64_t m = r.integer(0, t.out_pixels() - 1), group = r.integer(0, c.groups - 1);
    const int64_t oc = r.integer(0, c.out_channels - 1);
    double size;
    const double want = exact(t, w, m, group, oc, &size);
    const float y = got[m * c.y_stride + group * c.out_channels + oc];
    CHECK(std::fabs(y - want) <= (1030 * size) * 0x1p-24, "float64: %.9g for %.17g", y, want);
  }
}

void one_case(Random& r, int round, bool transposed) {
  Case t = random_case(r, transposed);
  ConvF32& c = t.c;
  const auto end = side(r);
  const int64_t oc = c.groups * c.out_channels, pixels = t.out_pixels();
  const int64_t ldr = oc + r.integer(0, 3), y_size = (pixels - 1) * c.y_stride + oc;
  Guarded<float> x((t.batch - 1) * c.image_stride + (c.in_h * c.in_w - 1) * c.pixel_stride +
                       c.channels * c.groups,
                   end);
  Guarded<float> w(oc * t.k(), end), bias(oc, end), residual((pixels - 1) * ldr + oc, end);
  Guarded<float> panels(c.groups * panels_f32_size(t.k(), c.out_channels), end);
  Guarded<float> want(y_size, end), got(y_size, end);
  r.fill(x.data(), x.size(), -1.0f, 1.0f);
  r.fill(w.data(), w.size(), -1.0f, 1.0f);
  r.fill(bias.data(), bias.size(), -1.0f, 1.0f);
  r.fill(residual.data(), residual.size(), -1.0f, 1.0f);
  const int64_t taps = c.kernel_h * c.kernel_w;
  const ConvWeightStrides strides = {c.out_channels * taps * c.channels, c.kernel_w * c.channels,
                                     c.channels, 1, taps * c.channels};
  (transposed ? pack_conv_transpose_f32 : pack_conv_f32)(c, w.data(), strides, panels.data());
  c.x = x.data();
  c.panels = panels.data();
  const int64_t units = conv_units(c.groups, c.out_channels);
  const int64_t lines = transposed ? t.batch * c.out_h : pixels;
  const ConvF32Kernels& portable = conv_f32_kernels(Isa::kPortable);
  c.y = want.data();
  (transposed ? portable.run_transpose : portable.run)(c, 0, lines, 0, units, nullptr);
  check_exact(r, t, w.data(), want.data());
  sprinkle(r, x);
  sprinkle(r, panels);
  c.ep = random_epilogue(r, bias.data(), residual.data(), ldr);
  (transposed ? portable.run_transpose : portable.run)(c, 0, lines, 0, units, nullptr);

  for (Isa isa : kFastIsas) {
    if (!can_run(isa)) continue;
    const ConvF32Kernels& kernels = conv_f32_kernels(isa);
    CHECK(kernels.isa == isa, "%s", kernels.name);
    const auto run = transposed ? kernels.run_transpose : kernels.run;
    Guarded<char> workspace((transposed ? kernels.workspace_transpose : kernels.workspace)(c));
    c.y = got.data();
    const auto report = [&](const char* how) {
      const int64_t at = first_difference(want.data(), got.data(), y_size);
      CHECK(at < 0,
            "%s %s round %d transposed %d in %lldx%lldx%lld groups %lld kernel %lldx%lld stride "
            "%lldx%lld dilation %lldx%lld pads %lld %lld out %lldx%lldx%lld dense %d: pixel %lld "
            "channel %lld: %.9g and not %.9g",
            kernels.name, how, round, transposed, (long long)c.in_h, (long long)c.in_w,
            (long long)c.channels, (long long)c.groups, (long long)c.kernel_h,
            (long long)c.kernel_w, (long long)c.stride_h, (long long)c.stride_w,
            (long long)c.dilation_h, (long long)c.dilation_w, (long long)c.pad_top,
            (long long)c.pad_left, (long long)c.out_h, (long long)c.out_w,
            (long long)c.out_channels, c.pixel_stride == c.channels * c.groups,
            (long long)(at / c.y_stride), (long long)(at % c.y_stride), got[at], want[at]);
      spoil(got);
    };
    run(c, 0, lines, 0, units, workspace.data());
    report("whole");
    const int64_t ls = r.integer(0, lines), us = r.integer(0, units);
    run(c, ls, lines, us, units, workspace.data());
    run(c, 0, ls, us, units, workspace.data());
    run(c, 0, lines, 0, us, workspace.data());
    report("split");
  }
}

}  // namespace

int main() {
  Random r(2);
  for (int i = 0; i < 500; ++i) one_case(r, i, false);
  for (int i = 0; i < 300; ++i) one_case(r, i, true);
  return finish("conv_f32");
}
