// Speed of the matrix kernels as a share of the multiply-add peak that a register-only loop reaches
// in the same run.
//
//   bench_kernels [--isa portable|avx2|avx512] [--filter WORD] [--json]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "kernels/conv/conv.h"
#include "kernels/depthwise/depthwise.h"
#include "kernels/gemm/gemm.h"
#if SAMPAN_X86
  #include <immintrin.h>
#endif

namespace sampan {
namespace {

double now() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

// Best time in seconds of one call, over rounds of at least 2 ms each.
template <class F>
double best_time(const F& f) {
  f();
  int reps = 1;
  double best = 1e30;
  for (int round = 0; round < 25;) {
    const double start = now();
    for (int i = 0; i < reps; ++i) f();
    const double t = now() - start;
    if (t < 2e-3) {
      reps *= 2;
      continue;
    }
    if (t / reps < best) best = t / reps;
    ++round;
  }
  return best;
}

#if SAMPAN_X86
__attribute__((target("avx2,fma"))) double peak_avx2() {
  const int64_t n = 20000;
  const double t = best_time([]() __attribute__((target("avx2,fma"))) {
    __m256 a[12];
    for (auto& x : a) x = _mm256_setzero_ps();
    const __m256 b = _mm256_set1_ps(0.5f);
    for (int64_t i = 0; i < n; ++i) {
  #pragma GCC unroll 12
      for (int j = 0; j < 12; ++j) {
        a[j] = _mm256_fmadd_ps(a[j], b, b);
      }
    }
    for (auto& x : a) asm volatile("" : : "x"(x));
  });
  return 2.0 * 8 * 12 * n / t;
}

__attribute__((target("avx512f"))) double peak_avx512() {
  const int64_t n = 20000;
  const double t = best_time([]() __attribute__((target("avx512f"))) {
    __m512 a[12];
    for (auto& x : a) x = _mm512_setzero_ps();
    const __m512 b = _mm512_set1_ps(0.5f);
    for (int64_t i = 0; i < n; ++i) {
  #pragma GCC unroll 12
      for (int j = 0; j < 12; ++j) {
        a[j] = _mm512_fmadd_ps(a[j], b, b);
      }
    }
    for (auto& x : a) asm volatile("" : : "v"(x));
  });
  return 2.0 * 16 * 12 * n / t;
}
#endif

double peak(Isa isa) {
#if SAMPAN_X86
  if (isa == Isa::kAvx512) return peak_avx512();
  if (isa == Isa::kAvx2) return peak_avx2();
#endif
  (void)isa;
  return 1e9;
}

struct Bench {
  Isa isa = Isa::kPortable;
  const char* filter = "";
  bool json = false;
  bool first = true;
  double peak = 1;
  double sum_flops = 0, sum_time = 0;

  bool wants(const char* group) const { return std::strstr(group, filter) != nullptr; }
  void row(const char* group, const char* kernel, const char* shape, double flops, double time) {
    const double share = 100 * flops / time / peak;
    sum_flops += flops;
    sum_time += time;
    if (json) {
      std::printf(
          "%s\n  {\"group\": \"%s\", \"kernel\": \"%s\", \"shape\": \"%s\", \"seconds\": %.9f, "
          "\"gflops\": %.3f, \"percent_of_peak\": %.2f}",
          first ? "[" : ",", group, kernel, shape, time, flops / time * 1e-9, share);
      first = false;
    } else {
      std::printf("%-14s %-24s %-28s %9.4f ms %8.2f GFLOP/s %6.1f %%\n", group, kernel, shape,
                  time * 1e3, flops / time * 1e-9, share);
    }
  }
  void total(const char* group) {
    if (!json && sum_time > 0) {
      std::printf("%-14s together, weighted by time %39.4f ms %8.2f GFLOP/s %6.1f %%\n", group,
                  sum_time * 1e3, sum_flops / sum_time * 1e-9, 100 * sum_flops / sum_time / peak);
    }
    sum_flops = sum_time = 0;
  }
};

// Aligned as the arena and the weights of a model file are.
class Buffer {
 public:
  explicit Buffer(int64_t n) {
    const size_t bytes = (static_cast<size_t>(n) * 4 + 63) / 64 * 64;
    data_ = static_cast<float*>(std::aligned_alloc(64, bytes + 64));
    uint32_t s = 12345;
    for (int64_t i = 0; i < n; ++i) {
      s = s * 1664525u + 1013904223u;
      data_[i] = static_cast<float>(static_cast<int32_t>(s) >> 8) * 1e-7f;
    }
  }
  ~Buffer() { std::free(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  float* data() { return data_; }

 private:
  float* data_;
};

struct GemmShape {
  int64_t m, k, n;
};

void bench_gemm(Bench& bench, const char* group, const GemmShape* shapes, size_t count) {
  if (!bench.wants(group)) return;
  const GemmF32Kernels& kernels = gemm_f32_kernels(bench.isa);
  for (size_t i = 0; i < count; ++i) {
    const GemmShape& s = shapes[i];
    Buffer a(s.m * s.k), b(s.k * s.n), bias(s.n), panels(panels_f32_size(s.k, s.n)), c(s.m * s.n);
    kernels.pack(b.data(), s.k, s.n, s.n, 1, 0, panels_f32_count(s.n), panels.data());
    GemmF32 g;
    g.a = a.data();
    g.lda = s.k;
    g.panels = panels.data();
    g.c = c.data();
    g.ldc = g.n = s.n;
    g.k = s.k;
    g.ep.bias = bias.data();
    g.ep.act = Activation::kClip;
    g.ep.p1 = 6.0f;
    const double t = best_time([&] { kernels.run(g, 0, s.m, 0, panels_f32_count(s.n)); });
    char shape[64];
    std::snprintf(shape, sizeof shape, "%lldx%lldx%lld", static_cast<long long>(s.m),
                  static_cast<long long>(s.k), static_cast<long long>(s.n));
    bench.row(group, kernels.name, shape, 2.0 * s.m * s.k * s.n, t);
  }
  bench.total(group);
}

const GemmShape kGemmShapes[] = {{128, 128, 128},   {256, 256, 256}, {512, 512, 512},
                                 {196, 1024, 512},  {197, 768, 768}, {128, 3072, 768},
                                 {1024, 1024, 1024}};
const GemmShape kGemvShapes[] = {
    {1, 1280, 1000}, {1, 1024, 4096}, {2, 1024, 4096}, {4, 1024, 4096}};
// The pointwise layers of MobileNetV2 1.0 at 224x224, with repetitions.
const GemmShape kMobileNetV2[] = {
    {12544, 32, 16}, {12544, 16, 96}, {3136, 96, 24}, {3136, 24, 144}, {3136, 144, 24},
    {3136, 24, 144}, {784, 144, 32},  {784, 32, 192}, {784, 192, 32},  {784, 32, 192},
    {784, 192, 32},  {784, 32, 192},  {196, 192, 64}, {196, 64, 384},  {196, 384, 64},
    {196, 64, 384},  {196, 384, 64},  {196, 64, 384}, {196, 384, 64},  {196, 64, 384},
    {196, 384, 96},  {196, 96, 576},  {196, 576, 96}, {196, 96, 576},  {196, 576, 96},
    {196, 96, 576},  {49, 576, 160},  {49, 160, 960}, {49, 960, 160},  {49, 160, 960},
    {49, 960, 160},  {49, 160, 960},  {49, 960, 320}, {49, 320, 1280}};

template <size_t N>
void gemm_group(Bench& bench, const char* group, const GemmShape (&shapes)[N]) {
  bench_gemm(bench, group, shapes, N);
}

struct ConvShape {
  int64_t in_h, in_w, channels, out_channels, kernel, stride, groups;
};

const ConvShape kFirstLayers[] = {
    {224, 224, 3, 32, 3, 2, 1}, {224, 224, 3, 16, 3, 2, 1}, {224, 224, 3, 64, 7, 2, 1}};
const ConvShape kResNet18[] = {{56, 56, 64, 64, 3, 1, 1},   {56, 56, 64, 128, 3, 2, 1},
                               {56, 56, 64, 128, 1, 2, 1},  {28, 28, 128, 128, 3, 1, 1},
                               {28, 28, 128, 256, 3, 2, 1}, {14, 14, 256, 256, 3, 1, 1},
                               {14, 14, 256, 512, 3, 2, 1}, {7, 7, 512, 512, 3, 1, 1}};
const ConvShape kOtherConvs[] = {{80, 80, 24, 24, 3, 1, 1},    {160, 160, 16, 16, 3, 1, 1},
                                 {56, 56, 128, 128, 3, 1, 32}, {40, 40, 96, 24, 3, 1, 1},
                                 {112, 112, 8, 8, 3, 1, 1},    {28, 28, 64, 64, 5, 1, 1}};
// in size, channels, out channels; kernel = stride = 2
const ConvShape kTransposed[] = {
    {80, 80, 24, 24, 2, 2, 1}, {160, 160, 24, 1, 2, 2, 1}, {40, 40, 64, 64, 3, 2, 1}};

void bench_conv(Bench& bench, const char* group, const ConvShape* shapes, size_t count,
                bool transposed) {
  if (!bench.wants(group)) return;
  const ConvF32Kernels& kernels = conv_f32_kernels(bench.isa);
  for (size_t i = 0; i < count; ++i) {
    const ConvShape& s = shapes[i];
    ConvF32 c;
    c.in_h = s.in_h;
    c.in_w = s.in_w;
    c.groups = s.groups;
    c.channels = s.channels / s.groups;
    c.out_channels = s.out_channels / s.groups;
    c.kernel_h = c.kernel_w = s.kernel;
    c.stride_h = c.stride_w = s.stride;
    c.pad_top = c.pad_left = transposed ? 0 : (s.kernel - 1) / 2;
    c.out_h = transposed ? s.in_h * s.stride : (s.in_h - 1) / s.stride + 1;
    c.out_w = transposed ? s.in_w * s.stride : (s.in_w - 1) / s.stride + 1;
    c.pixel_stride = s.channels;
    c.image_stride = s.in_h * s.in_w * s.channels;
    c.y_stride = s.out_channels;
    const int64_t k = c.kernel_h * c.kernel_w * c.channels, pixels = c.out_h * c.out_w;
    Buffer x(c.image_stride), w(s.groups * panels_f32_size(k, c.out_channels)),
        y(pixels * s.out_channels);
    Buffer bias(s.out_channels);
    c.x = x.data();
    c.panels = w.data();
    c.y = y.data();
    c.ep.bias = bias.data();
    c.ep.act = Activation::kClip;
    c.ep.p1 = 6.0f;
    Buffer ws((transposed ? kernels.workspace_transpose : kernels.workspace)(c) / 4 + 1);
    const int64_t lines = transposed ? c.out_h : pixels;
    const auto run = transposed ? kernels.run_transpose : kernels.run;
    const double t =
        best_time([&] { run(c, 0, lines, 0, conv_units(c.groups, c.out_channels), ws.data()); });
    char shape[64];
    std::snprintf(shape, sizeof shape, "%lldx%lldx%lld>%lld k%lld s%lld g%lld",
                  static_cast<long long>(s.in_h), static_cast<long long>(s.in_w),
                  static_cast<long long>(s.channels), static_cast<long long>(s.out_channels),
                  static_cast<long long>(s.kernel), static_cast<long long>(s.stride),
                  static_cast<long long>(s.groups));
    const double muls =
        static_cast<double>(transposed ? s.in_h * s.in_w : pixels) * k * s.out_channels;
    bench.row(group, kernels.name, shape, 2 * muls, t);
  }
  bench.total(group);
}

struct DepthwiseShape {
  int64_t size, channels, kernel, stride;
};
// The depthwise layers of MobileNetV2 1.0 at 224x224, with repetitions.
const DepthwiseShape kMobileNetV2Dw[] = {
    {112, 32, 3, 1}, {112, 96, 3, 2}, {56, 144, 3, 1}, {56, 144, 3, 2}, {28, 192, 3, 1},
    {28, 192, 3, 1}, {28, 192, 3, 2}, {14, 384, 3, 1}, {14, 384, 3, 1}, {14, 384, 3, 1},
    {14, 384, 3, 1}, {14, 576, 3, 1}, {14, 576, 3, 1}, {14, 576, 3, 2}, {7, 960, 3, 1},
    {7, 960, 3, 1},  {7, 960, 3, 1}};
const DepthwiseShape kOtherDw[] = {{56, 72, 5, 2}, {28, 120, 5, 1}, {14, 672, 5, 2},
                                   {7, 960, 5, 1}, {56, 64, 7, 1},  {14, 200, 3, 1}};

void bench_depthwise(Bench& bench, const char* group, const DepthwiseShape* shapes, size_t count) {
  if (!bench.wants(group)) return;
  const DepthwiseF32Kernels& kernels = depthwise_f32_kernels(bench.isa);
  for (size_t i = 0; i < count; ++i) {
    const DepthwiseShape& s = shapes[i];
    DepthwiseF32 d;
    d.in_h = d.in_w = s.size;
    d.out_h = d.out_w = (s.size - 1) / s.stride + 1;
    d.channels = d.pixel_stride = d.y_stride = s.channels;
    d.kernel_h = d.kernel_w = s.kernel;
    d.stride_h = d.stride_w = s.stride;
    d.pad_top = d.pad_left = (s.kernel - 1) / 2;
    Buffer x(s.size * s.size * s.channels), w(s.kernel * s.kernel * s.channels), bias(s.channels);
    Buffer y(d.out_h * d.out_w * s.channels);
    d.x = x.data();
    d.w = w.data();
    d.y = y.data();
    d.ep.bias = bias.data();
    d.ep.act = Activation::kClip;
    d.ep.p1 = 6.0f;
    const double t = best_time([&] { kernels.run(d, 0, d.out_h, 0, d.channels); });
    char shape[64];
    std::snprintf(shape, sizeof shape, "%lldx%lldx%lld k%lld s%lld", static_cast<long long>(s.size),
                  static_cast<long long>(s.size), static_cast<long long>(s.channels),
                  static_cast<long long>(s.kernel), static_cast<long long>(s.stride));
    bench.row(group, kernels.name, shape,
              2.0 * static_cast<double>(d.out_h * d.out_w * s.channels) *
                  static_cast<double>(s.kernel * s.kernel),
              t);
  }
  bench.total(group);
}

template <size_t N>
void conv_group(Bench& bench, const char* group, const ConvShape (&shapes)[N],
                bool transposed = false) {
  bench_conv(bench, group, shapes, N, transposed);
}
template <size_t N>
void depthwise_group(Bench& bench, const char* group, const DepthwiseShape (&shapes)[N]) {
  bench_depthwise(bench, group, shapes, N);
}

Isa best_isa() {
#if SAMPAN_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
    return Isa::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Isa::kAvx2;
#endif
  return Isa::kPortable;
}

int main_(int argc, char** argv) {
  Bench bench;
  bench.isa = best_isa();
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      bench.json = true;
    } else if (std::strcmp(argv[i], "--filter") == 0 && i + 1 < argc) {
      bench.filter = argv[++i];
    } else if (std::strcmp(argv[i], "--isa") == 0 && i + 1 < argc) {
      const char* name = argv[++i];
      for (Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
        if (std::strcmp(name, isa_name(isa)) == 0) bench.isa = isa;
      }
    } else {
      std::fprintf(stderr, "usage: %s [--isa portable|avx2|avx512] [--filter WORD] [--json]\n",
                   argv[0]);
      return 2;
    }
  }
  bench.peak = peak(bench.isa);
  if (!bench.json) std::printf("peak %.1f GFLOP/s (%s)\n", bench.peak * 1e-9, isa_name(bench.isa));
  gemm_group(bench, "gemm", kGemmShapes);
  gemm_group(bench, "gemv", kGemvShapes);
  gemm_group(bench, "mbv2-1x1", kMobileNetV2);
  conv_group(bench, "conv-first", kFirstLayers);
  conv_group(bench, "conv-resnet18", kResNet18);
  conv_group(bench, "conv-other", kOtherConvs);
  conv_group(bench, "conv-transpose", kTransposed, true);
  depthwise_group(bench, "mbv2-dw", kMobileNetV2Dw);
  depthwise_group(bench, "dw-other", kOtherDw);
  if (bench.json) std::printf("%s\n]\n", bench.first ? "[" : "");
  return 0;
}

}  // namespace
}  // namespace sampan

int main(int argc, char** argv) { return sampan::main_(argc, argv); }
