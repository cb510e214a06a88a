// Convolution as a matrix product whose A rows are found through pointers ("taps"), block of output
// pixels by block. No im2col of the whole image is ever made.
#include "kernels/conv/conv.h"

#include <cstring>

#include "kernels/conv/conv_impl.h"

namespace sampan {
namespace {

enum class Path {
  kPointwise,  // 1x1: the image is the matrix
  kPacked,     // few channels: the patches of a block are copied together
  kRows,       // a tap is a whole kernel row, contiguous in the image; edge pixels are copied
  kPixels,     // a tap is one kernel position
};

struct Plan {
  Path path;
  int64_t block;  // output pixels at a time
  int64_t n_taps, tap_len;
  // Workspace: patches [block][K], pointers [n_taps][block], one zero tap.
  int64_t patch_bytes, pointer_bytes, zero_bytes;
};

// Below this many floats per kernel row, the copy costs less than starting short runs.
constexpr int64_t kPackedRun = 24;
constexpr int64_t kMaxPointers = 4096;

// A kernel row's taps lie side by side in the image.
bool is_dense(const ConvF32& c) {
  return c.dilation_w == 1 && c.groups == 1 && c.pixel_stride == c.channels;
}

Plan make_plan(const TileSetF32& set, const ConvF32& c) {
  Plan p = {};
  const int64_t mr = set.max_rows[set.units];
  const int64_t k = c.kernel_h * c.kernel_w * c.channels;
  if (c.kernel_h == 1 && c.kernel_w == 1 && c.stride_h == 1 && c.stride_w == 1 && c.pad_top == 0 &&
      c.pad_left == 0 && c.out_h == c.in_h && c.out_w == c.in_w) {
    p.path = Path::kPointwise;
    return p;
  }
  const bool dense = is_dense(c);
  const int64_t run = dense ? c.kernel_w * c.channels : c.channels;
  p.path = run < kPackedRun ? Path::kPacked : dense && c.kernel_w > 1 ? Path::kRows : Path::kPixels;
  p.n_taps = p.path == Path::kPacked ? 1 : k / run;
  p.tap_len = p.path == Path::kPacked ? k : run;
  // An input pixel belongs to several patches, so a block needs about one pixel per stride step.
  const int64_t fresh = p.path == Path::kPacked ? k : c.channels * c.stride_h * c.stride_w;
  p.block = block_rows_f32(fresh, c.out_channels, mr);
  const int64_t cap = (kMaxPointers / p.n_taps + mr) / mr * mr;
  if (p.block > cap) p.block = cap;
  if (p.path != Path::kPixels) p.patch_bytes = round_up_64(p.block * k * 4);
  if (p.path != Path::kPacked) {
    p.pointer_bytes = round_up_64(p.block * p.n_taps * 8);
    p.zero_bytes = round_up_64(run * 4);
  }
  return p;
}

// Copies n floats, in steps that compile to plain vector moves.
inline void copy_floats(float* to, const float* from, int64_t n) {
  if (n < 4) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) std::memcpy(to + i, from + i, 16);
  if (i < n) std::memcpy(to + n - 4, from + n - 4, 16);
}

// One kernel row of one patch of a dense image: kernel_w * channels floats, zeros outside.
void copy_kernel_row(const ConvF32& c, const float* row, int64_t ix, float* to) {
  const int64_t ch = c.channels;
  int64_t first = ix < 0 ? -ix : 0, last = c.in_w - ix < c.kernel_w ? c.in_w - ix : c.kernel_w;
  if (first > c.kernel_w) first = c.kernel_w;
  if (last < first) last = first;
  if (first > 0) std::memset(to, 0, static_cast<size_t>(first * ch) * 4);
  copy_floats(to + first * ch, row + (ix + first) * ch, (last - first) * ch);
  if (last < c.kernel_w) {
    std::memset(to + last * ch, 0, static_cast<size_t>((c.kernel_w - last) * ch) * 4);
  }
}

// Some consecutive output pixels of one output row.
struct Segment {
  const float* image;  // first channel of the group
  int64_t oy, ox, n;
  int64_t at;  // index of the first pixel in the block
};

template <class F>
void for_segments(const ConvF32& c, int64_t group, int64_t m0, int64_t rows, const F& f) {
  for (int64_t i = 0; i < rows;) {
    const int64_t m = m0 + i, ox = m % c.out_w, line = m / c.out_w;
    const int64_t n = c.out_w - ox < rows - i ? c.out_w - ox : rows - i;
    f(Segment{c.x + line / c.out_h * c.image_stride + group * c.channels, line % c.out_h, ox, n,
              i});
    i += n;
  }
}

// Outputs of a row whose input column (for a kernel column at offset `shift`) lies within
// 0..in_w - span: [*lo, *hi).
void valid_columns(const ConvF32& c, int64_t shift, int64_t span, int64_t* lo, int64_t* hi) {
  // ox * stride_w + shift >= 0 and ox * stride_w + shift + span <= in_w
  *lo = shift >= 0 ? 0 : (-shift + c.stride_w - 1) / c.stride_w;
  const int64_t room = c.in_w - span - shift;
  *hi = room < 0 ? 0 : room / c.stride_w + 1;
}

// n runs of kRun floats (or `run` ones, if kRun is 0), one for each output pixel.
template <int kRun>
void copy_runs(const float* from, int64_t step, float* to, int64_t to_step, int64_t n,
               int64_t run) {
  for (int64_t i = 0; i < n; ++i, from += step, to += to_step) {
    if (kRun > 0) {
      std::memcpy(to, from, kRun * 4);
    } else {
      copy_floats(to, from, run);
    }
  }
}

void copy_runs(const float* from, int64_t step, float* to, int64_t to_step, int64_t n,
               int64_t run) {
  switch (run) {
    case 3:
      return copy_runs<3>(from, step, to, to_step, n, run);
    case 4:
      return copy_runs<4>(from, step, to, to_step, n, run);
    case 8:
      return copy_runs<8>(from, step, to, to_step, n, run);
    case 9:
      return copy_runs<9>(from, step, to, to_step, n, run);
    case 12:
      return copy_runs<12>(from, step, to, to_step, n, run);
    case 15:
      return copy_runs<15>(from, step, to, to_step, n, run);
    case 16:
      return copy_runs<16>(from, step, to, to_step, n, run);
    case 21:
      return copy_runs<21>(from, step, to, to_step, n, run);
    default:
      return copy_runs<0>(from, step, to, to_step, n, run);
  }
}

void pack_patches(const ConvF32& c, const Segment& s, float* patches) {
  const bool dense = is_dense(c);
  const int64_t runs = dense ? 1 : c.kernel_w, span = dense ? c.kernel_w : 1;
  const int64_t run = span * c.channels, k = c.kernel_h * c.kernel_w * c.channels;
  for (int64_t t = 0; t < c.kernel_h * runs; ++t) {
    float* to = patches + s.at * k + t * run;
    const int64_t iy = s.oy * c.stride_h - c.pad_top + t / runs * c.dilation_h;
    const int64_t shift = t % runs * c.dilation_w - c.pad_left;
    const bool in = iy >= 0 && iy < c.in_h;
    const float* row = s.image + (in ? iy * c.in_w * c.pixel_stride : 0);
    int64_t lo = 0, hi = 0;
    if (in) valid_columns(c, shift, span, &lo, &hi);
    lo = lo < s.ox ? 0 : lo - s.ox;
    hi = hi - s.ox < s.n ? hi - s.ox : s.n;
    if (hi < lo) lo = hi = 0;
    for (int64_t i = 0; i < s.n; ++i) {
      if (i >= lo && i < hi) {
        i = hi - 1;  // these are whole
      } else if (in && dense) {
        copy_kernel_row(c, row, (s.ox + i) * c.stride_w + shift, to + i * k);
      } else {
        std::memset(to + i * k, 0, static_cast<size_t>(run) * 4);
      }
    }
    copy_runs(row + ((s.ox + lo) * c.stride_w + shift) * c.pixel_stride,
              c.stride_w * c.pixel_stride, to + lo * k, k, hi - lo, run);
  }
}

void row_taps(const ConvF32& c, const Segment& s, const Plan& p, float* patches,
              const float** pointers, const float* zero) {
  int64_t lo, hi;
  valid_columns(c, -c.pad_left, c.kernel_w, &lo, &hi);
  for (int64_t ky = 0; ky < c.kernel_h; ++ky) {
    const float** to = pointers + ky * p.block + s.at;
    const int64_t iy = s.oy * c.stride_h - c.pad_top + ky * c.dilation_h;
    if (iy < 0 || iy >= c.in_h) {
      for (int64_t i = 0; i < s.n; ++i) to[i] = zero;
      continue;
    }
    const float* row = s.image + iy * c.in_w * c.pixel_stride;
    for (int64_t i = 0; i < s.n; ++i) {
      const int64_t ox = s.ox + i, ix = ox * c.stride_w - c.pad_left;
      if (ox >= lo && ox < hi) {
        to[i] = row + ix * c.pixel_stride;
      } else {
        float* patch = patches + ((s.at + i) * c.kernel_h + ky) * p.tap_len;
        copy_kernel_row(c, row, ix, patch);
        to[i] = patch;
      }
    }
  }
}

void pixel_taps(const ConvF32& c, const Segment& s, const Plan& p, const float** pointers,
                const float* zero) {
  for (int64_t t = 0; t < p.n_taps; ++t) {
    const float** to = pointers + t * p.block + s.at;
    const int64_t iy = s.oy * c.stride_h - c.pad_top + t / c.kernel_w * c.dilation_h;
    const int64_t shift = t % c.kernel_w * c.dilation_w - c.pad_left;
    const float* row = s.image + iy * c.in_w * c.pixel_stride;
    int64_t lo = 0, hi = 0;
    if (iy >= 0 && iy < c.in_h) valid_columns(c, shift, 1, &lo, &hi);
    for (int64_t i = 0; i < s.n; ++i) {
      const int64_t ox = s.ox + i;
      to[i] = ox >= lo && ox < hi ? row + (ox * c.stride_w + shift) * c.pixel_stride : zero;
    }
  }
}

// 1x1 convolution: each image's pixels m0..m1 are the rows of one matrix.
void pointwise(const TileSetF32& set, const ConvF32& c, int64_t group, int64_t m0, int64_t m1,
               int64_t p0, int64_t p1) {
  const int64_t pixels = c.out_h * c.out_w;
  GemmF32 g;
  g.lda = c.pixel_stride;
  g.panels = c.panels + group * panels_f32_size(c.channels, c.out_channels);
  g.ldc = c.y_stride;
  g.n = c.out_channels;
  g.k = c.channels;
  g.ep = c.ep;
  if (c.ep.bias != nullptr) g.ep.bias = c.ep.bias + group * c.out_channels;
  const bool joined = c.image_stride == pixels * c.pixel_stride;
  while (m0 < m1) {
    const int64_t image = m0 / pixels;
    const int64_t end = joined || m1 < (image + 1) * pixels ? m1 : (image + 1) * pixels;
    g.a =
        c.x + image * c.image_stride + (m0 - image * pixels) * c.pixel_stride + group * c.channels;
    g.c = c.y + m0 * c.y_stride + group * c.out_channels;
    if (c.ep.residual != nullptr) {
      g.ep.residual = c.ep.residual + m0 * c.ep.residual_stride + group * c.out_channels;
    }
    gemm_f32_tiles(set, g, 0, end - m0, p0, p1);
    m0 = end;
  }
}

// Panels p0..p1 of one group.
void run_group(const TileSetF32& set, const ConvF32& c, const Plan& p, int64_t group, int64_t m0,
               int64_t m1, int64_t p0, int64_t p1, void* workspace) {
  char* ws = static_cast<char*>(workspace);
  float* patches = reinterpret_cast<float*>(ws);
  const float** pointers = reinterpret_cast<const float**>(ws + p.patch_bytes);
  float* zero = reinterpret_cast<float*>(ws + p.patch_bytes + p.pointer_bytes);
  if (p.zero_bytes > 0) std::memset(zero, 0, static_cast<size_t>(p.zero_bytes));
  const int64_t k = c.kernel_h * c.kernel_w * c.channels;
  const int64_t n0 = p0 * kPanelWidth;
  const int64_t n1 = c.out_channels < p1 * kPanelWidth ? c.out_channels : p1 * kPanelWidth;
  const int64_t oc0 = group * c.out_channels;
  for (int64_t m = m0; m < m1; m += p.block) {
    TileF32 t = {};
    t.rows = m1 - m < p.block ? m1 - m : p.block;
    for_segments(c, group, m, t.rows, [&](const Segment& s) {
      if (p.path == Path::kPacked) pack_patches(c, s, patches);
      if (p.path == Path::kRows) row_taps(c, s, p, patches, pointers, zero);
      if (p.path == Path::kPixels) pixel_taps(c, s, p, pointers, zero);
    });
    set_epilogue_f32(c.ep, &t);
    if (t.bias != nullptr) t.bias += oc0;
    if (t.residual != nullptr) t.residual += m * t.residual_stride + oc0;
    t.n_taps = p.n_taps;
    t.tap_len = p.tap_len;
    t.tap_stride = p.block;
    if (p.path == Path::kPacked) {
      t.a = patches;
      t.lda = k;
    } else {
      t.taps = pointers;
    }
    t.b = c.panels + group * panels_f32_size(k, c.out_channels);
    t.panel_stride = k * kPanelWidth;
    t.c = c.y + m * c.y_stride + oc0;
    t.ldc = c.y_stride;
    run_columns_f32(set, t, c.out_channels, p0, p1);
    apply_act_rows_f32(c.ep, c.y + m * c.y_stride, c.y_stride, t.rows, oc0 + n0, oc0 + n1);
  }
}

int64_t conv_workspace(const TileSetF32& set, const ConvF32& c) {
  const Plan p = make_plan(set, c);
  return p.patch_bytes + p.pointer_bytes + p.zero_bytes;
}

void conv_tiles(const TileSetF32& set, const ConvF32& c, int64_t m0, int64_t m1, int64_t u0,
                int64_t u1, void* workspace) {
  const Plan p = make_plan(set, c);
  const int64_t per_group = panels_f32_count(c.out_channels);
  while (u0 < u1 && m0 < m1) {
    const int64_t group = u0 / per_group, p0 = u0 % per_group;
    const int64_t p1 = per_group < p0 + u1 - u0 ? per_group : p0 + u1 - u0;
    if (p.path == Path::kPointwise) {
      pointwise(set, c, group, m0, m1, p0, p1);
    } else {
      run_group(set, c, p, group, m0, m1, p0, p1, workspace);
    }
    u0 += p1 - p0;
  }
}

// The functions of a kernel table, for one tile set.
template <const TileSetF32& (*kSet)()>
struct Table {
  static int64_t workspace(const ConvF32& c) { return conv_workspace(kSet(), c); }
  static void run(const ConvF32& c, int64_t m0, int64_t m1, int64_t u0, int64_t u1, void* ws) {
    conv_tiles(kSet(), c, m0, m1, u0, u1, ws);
  }
  static int64_t workspace_transpose(const ConvF32& c) {
    return conv_transpose_f32_workspace(kSet(), c);
  }
  static void run_transpose(const ConvF32& c, int64_t r0, int64_t r1, int64_t u0, int64_t u1,
                            void* ws) {
    conv_transpose_f32_tiles(kSet(), c, r0, r1, u0, u1, ws);
  }
  static constexpr ConvF32Kernels make(const char* name, Isa isa, int mr, int nr) {
    return {name, isa, mr, nr, workspace, run, workspace_transpose, run_transpose};
  }
};

int64_t no_workspace(const ConvF32&) { return 0; }

}  // namespace

const ConvF32Kernels& conv_f32_kernels(Isa isa) {
#if SAMPAN_X86
  static constexpr auto avx512 =
      Table<tiles_f32_avx512>::make("conv_f32_7x32_avx512", Isa::kAvx512, 7, 32);
  static constexpr auto avx2 = Table<tiles_f32_avx2>::make("conv_f32_6x16_avx2", Isa::kAvx2, 6, 16);
  if (isa >= Isa::kAvx512) return avx512;
  if (isa >= Isa::kAvx2) return avx2;
#endif
  static constexpr ConvF32Kernels portable = {"conv_f32_1x1_portable",
                                              Isa::kPortable,
                                              1,
                                              16,
                                              no_workspace,
                                              conv_f32_portable,
                                              no_workspace,
                                              conv_transpose_f32_portable};
  (void)isa;
  return portable;
}

}  // namespace sampan
