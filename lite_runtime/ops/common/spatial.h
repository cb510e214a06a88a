// What spatial operators share: where the axes lie, windows that slide over them (convolution and
// pooling), and images brought into the form the kernels run (channels last, float32).
#pragma once
#include <cstdint>

#include "core/op.h"
#include "ops/common/half.h"

namespace sampan {

// ---- axes ----------------------------------------------------------------------------------

enum class Layout : int { kNchw = 0, kNhwc = 1 };
constexpr const char* kLayoutChoices = "NCHW|NHWC";
constexpr const char* kLayoutDoc =
    "where the channels lie: axis 1 (NCHW) or the last axis (NHWC, which the kernels run)";
constexpr int kMaxSpatial = kMaxRank - 2;

inline int channel_axis(Layout layout, int rank) { return layout == Layout::kNhwc ? rank - 1 : 1; }
inline int spatial_axis(Layout layout, int i) { return layout == Layout::kNhwc ? i + 1 : i + 2; }

// An error unless x can be an image: [N, C, spatial...] or [N, spatial..., C].
Status check_image(const DimShape& x, const char* name);

// ---- windows -------------------------------------------------------------------------------

enum class AutoPad : int { kNotSet = 0, kSameUpper = 1, kSameLower = 2, kValid = 3 };
constexpr const char* kAutoPadChoices = "NOTSET|SAME_UPPER|SAME_LOWER|VALID";
constexpr const char* kAutoPadDoc = "how pads are chosen; NOTSET takes the attribute pads";
constexpr const char* kPadsDoc = "[begin of each spatial axis..., end of each...]; empty: none";
// Limits that keep sums of them far from overflow.
constexpr int64_t kMaxWindowAttr = int64_t{1} << 30;

struct WindowAttrs {
  Layout layout = Layout::kNchw;
  AutoPad auto_pad = AutoPad::kNotSet;
  bool ceil_mode = false;
  const AttrValue* strides = nullptr;    // empty: 1
  const AttrValue* dilations = nullptr;  // empty: 1
  const AttrValue* pads = nullptr;       // empty: 0
  int64_t stride(int i) const { return strides && strides->size ? strides->ints[i] : 1; }
  int64_t dilation(int i) const { return dilations && dilations->size ? dilations->ints[i] : 1; }
  int64_t pad(int i) const {
    return auto_pad == AutoPad::kNotSet && pads && pads->size ? pads->ints[i] : 0;
  }
};

// Lists are empty or have an entry per spatial axis.
Status check_window_attrs(const WindowAttrs& attrs, int spatial);

// Output extent of each spatial axis for windows of `kernel`.
Status infer_window(InferContext& ctx, const WindowAttrs& attrs, const DimShape& x,
                    const Dim* kernel, Dim* out);

// All numbers of a sliding window, shapes being known.
struct Window {
  int rank = 0;  // spatial axes
  int64_t in[kMaxSpatial], out[kMaxSpatial], kernel[kMaxSpatial], stride[kMaxSpatial],
      dilation[kMaxSpatial], pad[kMaxSpatial], pad_end[kMaxSpatial];
  int64_t in_pixels = 1, out_pixels = 1, taps = 1;
};
Window resolve_window(const WindowAttrs& attrs, const Shape& x, const Shape& y,
                      const int64_t* kernel);

// The taps of one output pixel: walks them in row-major order and tells where each one reads.
class TapWalk {
 public:
  TapWalk(const Window& w, int64_t out_pixel);
  // Input pixel of the current tap, -1 in the padding.
  int64_t pixel() const;
  // Whether the tap lies in the image or its declared padding (ceil_mode can go beyond).
  bool in_padding() const;
  void next();

 private:
  const Window& w_;
  int64_t start_[kMaxSpatial];
  int64_t tap_[kMaxSpatial] = {};
};

// ---- workspace -----------------------------------------------------------------------------

// Adds up the parts of one run's scratch memory.
class WorkspacePlan {
 public:
  int64_t add(int64_t count, int64_t element_size = 1);  // offset of a 64-byte aligned part
  Status request(PrepareContext& ctx) const;
  int64_t total() const { return total_; }

 private:
  int64_t total_ = 0;
  bool failed_ = false;
};

template <class T>
T* workspace_at(const RunContext& ctx, int64_t offset) {
  return reinterpret_cast<T*>(static_cast<char*>(ctx.workspace()) + offset);
}

// ---- images as the kernels want them -------------------------------------------------------

// What an element is computed as: halves as float32, all others as they are.
constexpr DType compute_type(DType t) {
  return t == DType::kFloat16 || t == DType::kBFloat16 ? DType::kFloat32 : t;
}

// An image input or output, copied through the workspace where its form is not the kernels'.
struct Staged {
  bool copied = false;
  bool moves_axes = false;
  int64_t offset = 0;
  int64_t images = 0, pixels = 0, channels = 0;
};
// Any tensor: `layout` only matters for rank 3 and up.
Staged plan_staged(const Tensor& t, Layout layout, WorkspacePlan* plan);
// The data of an input in the kernels' form.
const void* stage_in(const RunContext& ctx, const Tensor& t, const Staged& s);
// Where to compute an output; stage_out then moves it to its place.
void* stage_target(const RunContext& ctx, const Tensor& t, const Staged& s);
void stage_out(const RunContext& ctx, const Tensor& t, const Staged& s);

// Elements of a half tensor widened, or narrowed, on all threads.
void widen(const RunContext& ctx, DType from, const void* src, float* dst, int64_t n);
void narrow(const RunContext& ctx, DType to, const float* src, void* dst, int64_t n);

// dst [count][cols][rows] from src [count][rows][cols]; must not overlap.
void swap_axes(const RunContext& ctx, DType type, int64_t count, int64_t rows, int64_t cols,
               const void* src, void* dst);

// Items per part so that a part is worth a thread, given the multiply-adds (or the like) of an
// item.
inline int64_t grain_for_work(int64_t work_per_item) {
  const int64_t grain = work_per_item > 0 ? (int64_t{1} << 16) / work_per_item : 1 << 16;
  return grain > 0 ? grain : 1;
}

}  // namespace sampan
