// Which input elements make each output element along one resized axis, and with what weights.
#pragma once
#include <cstdint>

namespace sampan {

enum class ResizeMode : int { kNearest = 0, kLinear = 1, kCubic = 2 };
enum class ResizeCoordinates : int {
  kHalfPixel = 0,
  kHalfPixelSymmetric = 1,
  kPytorchHalfPixel = 2,
  kAlignCorners = 3,
  kAsymmetric = 4,
  kTfCropAndResize = 5,
  kTfHalfPixelForNn = 6,
};
enum class ResizeNearest : int {
  kRoundPreferFloor = 0,
  kRoundPreferCeil = 1,
  kFloor = 2,
  kCeil = 3
};

struct ResizeAxis {
  ResizeMode mode = ResizeMode::kNearest;
  ResizeCoordinates coordinates = ResizeCoordinates::kHalfPixel;
  ResizeNearest nearest = ResizeNearest::kRoundPreferFloor;
  bool antialias = false, exclude_outside = false;
  double cubic_a = -0.75;
  int64_t in = 0, out = 0;
  double scale = 1;
  double roi_begin = 0, roi_end = 1;  // as parts of the input's extent

  bool shrinks_with_antialias() const { return antialias && scale < 1; }
};

// Input elements per output element.
int64_t resize_taps(const ResizeAxis& axis);

// Fills index[out * taps] (clamped into the input), weight[out * taps] (of type float or double,
// computed in double) and outside[out] (1 where the output takes the extrapolation value).
template <class T>
void fill_resize_table(const ResizeAxis& axis, int32_t* index, T* weight, uint8_t* outside);

}  // namespace sampan
