#include "ops/resize/resize_table.h"

#include <cmath>

namespace sampan {
namespace {

// Where output element `o` lies in the input. docs/numerics.md has the formulas.
double source_position(const ResizeAxis& a, double o) {
  const double in = static_cast<double>(a.in), width = a.scale * in;
  switch (a.coordinates) {
    case ResizeCoordinates::kHalfPixel:
      return (o + 0.5) / a.scale - 0.5;
    case ResizeCoordinates::kHalfPixelSymmetric: {
      const double adjustment = static_cast<double>(a.out) / width;
      return in / 2 * (1 - adjustment) + (o + 0.5) / a.scale - 0.5;
    }
    case ResizeCoordinates::kPytorchHalfPixel:
      return width == 1 ? -0.5 : (o + 0.5) / a.scale - 0.5;
    case ResizeCoordinates::kAlignCorners:
      return width == 1 ? 0 : o * (in - 1) / (width - 1);
    case ResizeCoordinates::kAsymmetric:
      return o / a.scale;
    case ResizeCoordinates::kTfCropAndResize: {
      const double part = a.roi_end - a.roi_begin;
      return (width == 1 ? part * (in - 1) / 2 : o * part * (in - 1) / (width - 1)) +
             a.roi_begin * (in - 1);
    }
    case ResizeCoordinates::kTfHalfPixelForNn:
      return (o + 0.5) / a.scale;
  }
  return 0;
}

double linear_weight(double distance) {
  const double w = 1 - std::fabs(distance);
  return w > 0 ? w : 0;
}

double cubic_weight(double distance, double a) {
  const double x = std::fabs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

// Index of the first tap relative to the element left of the position.
int64_t first_tap(const ResizeAxis& a) {
  if (a.mode == ResizeMode::kNearest) return 0;
  const double reach = a.mode == ResizeMode::kCubic ? 2 : 1;
  const double scale = a.shrinks_with_antialias() ? a.scale : 1;
  return static_cast<int64_t>(std::floor(-reach / scale)) + 1;
}

// Which of the two neighbours is the nearest one; ratio, in (0, 1], is the way to the right one.
int64_t nearest_offset(const ResizeAxis& a, double ratio) {
  if (ratio == 1) return 1;
  switch (a.nearest) {
    case ResizeNearest::kRoundPreferFloor:
      return ratio > 0.5;
    case ResizeNearest::kRoundPreferCeil:
      return ratio >= 0.5;
    case ResizeNearest::kFloor:
      return 0;
    case ResizeNearest::kCeil:
      return 1;
  }
  return 0;
}

int32_t clamp_index(double at, int64_t in) {
  if (!(at > 0)) return 0;
  const double last = static_cast<double>(in - 1);
  return static_cast<int32_t>(at < last ? at : last);
}

// The position's integer part is the element left of it, so the ratio lies in (0, 1].
void split(double at, double* left, double* ratio) {
  *left = std::ceil(at) - 1;
  *ratio = at - *left;
}

double tap_weight(const ResizeAxis& a, int64_t tap, double ratio) {
  double distance = static_cast<double>(tap) - ratio;
  if (a.shrinks_with_antialias()) distance *= a.scale;
  return a.mode == ResizeMode::kLinear ? linear_weight(distance)
                                       : cubic_weight(distance, a.cubic_a);
}

// Indices and weights of one output element.
template <class T>
void fill_element(const ResizeAxis& a, double left, double ratio, int64_t first, int64_t taps,
                  int32_t* index, T* weight) {
  const double in = static_cast<double>(a.in);
  const auto counts = [&](int64_t tap) {
    const double at = left + static_cast<double>(tap);
    return !a.exclude_outside || (at >= 0 && at < in);
  };
  double sum = 0;
  for (int64_t t = 0; t < taps; ++t)
    if (counts(first + t)) sum += tap_weight(a, first + t, ratio);
  const bool normalise = (a.shrinks_with_antialias() || a.exclude_outside) && sum != 0;
  for (int64_t t = 0; t < taps; ++t) {
    double w = counts(first + t) ? tap_weight(a, first + t, ratio) : 0;
    if (normalise) w /= sum;
    index[t] = clamp_index(left + static_cast<double>(first + t), a.in);
    weight[t] = static_cast<T>(w);
  }
}

}  // namespace

int64_t resize_taps(const ResizeAxis& axis) {
  return axis.mode == ResizeMode::kNearest ? 1 : 2 - 2 * first_tap(axis);
}

template <class T>
void fill_resize_table(const ResizeAxis& a, int32_t* index, T* weight, uint8_t* outside) {
  const int64_t first = first_tap(a), taps = resize_taps(a);
  for (int64_t o = 0; o < a.out; ++o) {
    const double at = source_position(a, static_cast<double>(o));
    outside[o] = a.coordinates == ResizeCoordinates::kTfCropAndResize &&
                 !(at >= 0 && at <= static_cast<double>(a.in - 1));
    double left = 0, ratio = 1;
    split(at, &left, &ratio);
    if (a.mode == ResizeMode::kNearest) {
      const double offset = static_cast<double>(nearest_offset(a, ratio));
      index[o] = clamp_index(left + offset, a.in);
      weight[o] = 1;
    } else {
      fill_element(a, left, ratio, first, taps, index + o * taps, weight + o * taps);
    }
  }
}

template void fill_resize_table<float>(const ResizeAxis&, int32_t*, float*, uint8_t*);
template void fill_resize_table<double>(const ResizeAxis&, int32_t*, double*, uint8_t*);

}  // namespace sampan
