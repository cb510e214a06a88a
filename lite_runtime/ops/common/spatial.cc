#include "ops/common/spatial.h"

#include <cinttypes>

#include "core/checked.h"
#include "ops/common/shape_rules.h"

namespace sampan {

Status check_image(const DimShape& x, const char* name) {
  SAMPAN_RULE(
      x.rank >= 3,
      "%s has shape %s: an image needs a batch axis, a channel axis and one spatial axis or "
      "more",
      name, ShapeText(x).c_str());
  return Status();
}

// ---- windows -------------------------------------------------------------------------------

Status check_window_attrs(const WindowAttrs& attrs, int spatial) {
  const AttrValue* lists[] = {attrs.strides, attrs.dilations};
  const char* names[] = {"strides", "dilations"};
  for (int i = 0; i < 2; ++i) {
    SAMPAN_RULE(!lists[i] || lists[i]->size == 0 || lists[i]->size == spatial,
                "%s has %d entries, the input has %d spatial axes: give one entry for each",
                names[i], static_cast<int>(lists[i]->size), spatial);
  }
  SAMPAN_RULE(!attrs.pads || attrs.pads->size == 0 || attrs.pads->size == 2 * spatial,
              "pads has %d entries, the input has %d spatial axes: give begin and end of each (%d)",
              static_cast<int>(attrs.pads->size), spatial, 2 * spatial);
  return Status();
}

Status infer_window(InferContext& ctx, const WindowAttrs& attrs, const DimShape& x,
                    const Dim* kernel, Dim* out) {
  DimMath& m = ctx.math();
  const int spatial = x.rank - 2;
  SAMPAN_TRY(check_window_attrs(attrs, spatial));
  for (int i = 0; i < spatial; ++i) {
    const Dim h = x[spatial_axis(attrs.layout, i)];
    const Dim s = attrs.stride(i);
    SAMPAN_RULE(m.less(kernel[i], 1) != Tri::kYes, "the kernel's extent in spatial axis %d is 0",
                i);
    if (attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower) {
      out[i] = m.ceil_div(h, s);
      continue;
    }
    const Dim extent = m.add(m.mul(m.sub(kernel[i], 1), attrs.dilation(i)), 1);
    const Dim begin = m.add(h, attrs.pad(i));
    const Dim padded = m.add(begin, attrs.pad(spatial + i));
    const Dim room = m.sub(padded, extent);
    SAMPAN_RULE(!room.known() || room.value >= 0,
                "in spatial axis %d the window covers %" PRId64
                " elements, the input with padding "
                "has only %" PRId64 ": enlarge pads or use a smaller kernel or dilation",
                i, extent.value, padded.value);
    if (attrs.ceil_mode) {
      // A window that would begin in the end padding is left out.
      out[i] = m.min(m.add(m.ceil_div(room, s), 1), m.ceil_div(begin, s));
    } else {
      out[i] = m.add(m.floor_div(room, s), 1);
    }
  }
  return Status();
}

Window resolve_window(const WindowAttrs& attrs, const Shape& x, const Shape& y,
                      const int64_t* kernel) {
  Window w;
  w.rank = x.rank - 2;
  for (int i = 0; i < w.rank; ++i) {
    const int axis = spatial_axis(attrs.layout, i);
    w.in[i] = x[axis];
    w.out[i] = y[axis];
    w.kernel[i] = kernel[i];
    w.stride[i] = attrs.stride(i);
    w.dilation[i] = attrs.dilation(i);
    w.pad[i] = attrs.pad(i);
    w.pad_end[i] = attrs.pad(w.rank + i);
    if (attrs.auto_pad == AutoPad::kSameUpper || attrs.auto_pad == AutoPad::kSameLower) {
      const int64_t extent = (kernel[i] - 1) * w.dilation[i] + 1;
      int64_t total = (w.out[i] - 1) * w.stride[i] + extent - w.in[i];
      if (total < 0) total = 0;
      w.pad[i] = attrs.auto_pad == AutoPad::kSameUpper ? total / 2 : total - total / 2;
      w.pad_end[i] = total - w.pad[i];
    }
    w.in_pixels *= w.in[i];
    w.out_pixels *= w.out[i];
    w.taps *= w.kernel[i];
  }
  return w;
}

TapWalk::TapWalk(const Window& w, int64_t out_pixel) : w_(w) {
  for (int i = w.rank - 1; i >= 0; --i) {
    start_[i] = out_pixel % w.out[i] * w.stride[i] - w.pad[i];
    out_pixel /= w.out[i];
  }
}

int64_t TapWalk::pixel() const {
  int64_t index = 0;
  for (int i = 0; i < w_.rank; ++i) {
    const int64_t at = start_[i] + tap_[i] * w_.dilation[i];
    if (at < 0 || at >= w_.in[i]) return -1;
    index = index * w_.in[i] + at;
  }
  return index;
}

bool TapWalk::in_padding() const {
  for (int i = 0; i < w_.rank; ++i)
    if (start_[i] + tap_[i] * w_.dilation[i] >= w_.in[i] + w_.pad_end[i]) return false;
  return true;
}

void TapWalk::next() {
  for (int i = w_.rank - 1; i >= 0; --i) {
    if (++tap_[i] < w_.kernel[i]) return;
    tap_[i] = 0;
  }
}

// ---- workspace -----------------------------------------------------------------------------

int64_t WorkspacePlan::add(int64_t count, int64_t element_size) {
  const int64_t offset = total_;
  int64_t bytes = 0, aligned = 0, sum = 0;
  if (count < 0 || !checked_mul(count, element_size, &bytes) ||
      !checked_align(bytes, 64, &aligned) || !checked_add(total_, aligned, &sum) ||
      sum > kMaxTensorBytes) {
    failed_ = true;
    return 0;
  }
  total_ = sum;
  return offset;
}

Status WorkspacePlan::request(PrepareContext& ctx) const {
  SAMPAN_CHECK(!failed_, Code::kLimit,
               "the operator would need more scratch memory than %" PRId64
               " bytes: use smaller inputs",
               kMaxTensorBytes);
  return total_ ? ctx.workspace(total_) : Status();
}

// ---- images --------------------------------------------------------------------------------

Staged plan_staged(const Tensor& t, Layout layout, WorkspacePlan* plan) {
  Staged s;
  const Shape& shape = t.shape;
  if (shape.rank >= 3) {
    const int axis = channel_axis(layout, shape.rank);
    s.images = shape[0];
    s.channels = shape[axis];
    s.pixels = 1;
    for (int i = 1; i < shape.rank; ++i)
      if (i != axis) s.pixels *= shape[i];
    s.moves_axes = layout == Layout::kNchw && s.channels != 1 && s.pixels != 1;
  } else {
    s.images = 1;
    s.channels = 1;
    s.pixels = shape.elements();
  }
  s.copied = s.moves_axes || compute_type(t.dtype) != t.dtype;
  if (s.copied)
    s.offset = plan->add(shape.elements(), static_cast<int64_t>(dtype_size(compute_type(t.dtype))));
  return s;
}

namespace {

struct Move {
  int64_t images, pixels, channels;
  bool moves_axes;
};

// dst [N, P, C] from src [N, C, P] (to_last), or the other way round.
template <class S, class D, class F>
void move_elements(const RunContext& ctx, const Move& m, const S* src, D* dst, bool to_last,
                   F&& convert) {
  if (!m.moves_axes) {
    const int64_t n = m.images * m.pixels * m.channels;
    ctx.parallel_for(n, 1 << 13, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) convert(src[i], dst + i);
    });
    return;
  }
  // Blocks of 16 columns, so that neither side strides through memory for long.
  const int64_t rows = to_last ? m.pixels : m.channels, cols = to_last ? m.channels : m.pixels;
  ctx.parallel_for(m.images * rows, grain_for_work(cols), [&](int64_t begin, int64_t end, int) {
    constexpr int64_t kBlock = 16;
    for (int64_t r0 = begin; r0 < end;) {
      const int64_t image = r0 / rows, first = r0 % rows;
      int64_t n = rows - first < kBlock ? rows - first : kBlock;
      if (n > end - r0) n = end - r0;
      const int64_t base = image * rows * cols;
      for (int64_t c = 0; c < cols; ++c)
        for (int64_t r = first; r < first + n; ++r)
          convert(src[base + c * rows + r], dst + base + r * cols + c);
      r0 += n;
    }
  });
}

template <class T>
void move_same(const RunContext& ctx, const Move& m, const void* src, void* dst, bool to_last) {
  move_elements(ctx, m, static_cast<const T*>(src), static_cast<T*>(dst), to_last,
                [](T x, T* out) { *out = x; });
}

template <class H>
void move_half(const RunContext& ctx, const Move& m, const void* src, void* dst, bool to_last) {
  if (to_last) {
    move_elements(ctx, m, static_cast<const H*>(src), static_cast<float*>(dst), true,
                  [](H x, float* out) { *out = x; });
  } else {
    move_elements(ctx, m, static_cast<const float*>(src), static_cast<H*>(dst), false,
                  [](float x, H* out) { *out = H::from(x); });
  }
}

void move(const RunContext& ctx, const Move& m, DType type, const void* src, void* dst,
          bool to_last) {
  if (type == DType::kFloat16) return move_half<Half>(ctx, m, src, dst, to_last);
  if (type == DType::kBFloat16) return move_half<BFloat16>(ctx, m, src, dst, to_last);
  switch (dtype_size(type)) {
    case 1:
      return move_same<uint8_t>(ctx, m, src, dst, to_last);
    case 2:
      return move_same<uint16_t>(ctx, m, src, dst, to_last);
    case 4:
      return move_same<uint32_t>(ctx, m, src, dst, to_last);
    default:
      return move_same<uint64_t>(ctx, m, src, dst, to_last);
  }
}

}  // namespace

const void* stage_in(const RunContext& ctx, const Tensor& t, const Staged& s) {
  if (!s.copied) return t.data;
  void* to = workspace_at<char>(ctx, s.offset);
  move(ctx, {s.images, s.pixels, s.channels, s.moves_axes}, t.dtype, t.data, to, true);
  return to;
}

void* stage_target(const RunContext& ctx, const Tensor& t, const Staged& s) {
  return s.copied ? workspace_at<char>(ctx, s.offset) : t.data;
}

void stage_out(const RunContext& ctx, const Tensor& t, const Staged& s) {
  if (!s.copied) return;
  move(ctx, {s.images, s.pixels, s.channels, s.moves_axes}, t.dtype,
       workspace_at<char>(ctx, s.offset), t.data, false);
}

void widen(const RunContext& ctx, DType from, const void* src, float* dst, int64_t n) {
  move(ctx, {1, n, 1, false}, from, src, dst, true);
}

void narrow(const RunContext& ctx, DType to, const float* src, void* dst, int64_t n) {
  move(ctx, {1, n, 1, false}, to, src, dst, false);
}

void swap_axes(const RunContext& ctx, DType type, int64_t count, int64_t rows, int64_t cols,
               const void* src, void* dst) {
  // Channels are the rows: images of `cols` pixels. Halves move as plain bits.
  const DType bits = dtype_size(type) == 2 ? DType::kUInt16 : type;
  move(ctx, {count, cols, rows, true}, bits, src, dst, true);
}

}  // namespace sampan
