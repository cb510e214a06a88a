#include "kernels/gemm/gemm_impl.h"

namespace sampan {
namespace {

using simd::F32x16;
using simd::F32x8;

template <int MR, int NV, bool HALF = false>
constexpr TileFnF32 tile() {
  return &Tile<F32x16, F32x8, MR, NV, HALF>::run;
}

}  // namespace

// 7x32 is the main tile: two panels at a time, 14 sums. A last panel of 8 columns is a ymm vector
// beside a zmm one, so 24 columns cost no more than they hold.
const TileSetF32& tiles_f32_avx512() {
  static constexpr TileSetF32 set = {
      {{},
       {nullptr, tile<1, 0, true>(), tile<2, 0, true>(), tile<3, 0, true>(), tile<4, 0, true>(),
        tile<5, 0, true>(), tile<6, 0, true>(), tile<7, 0, true>(), tile<8, 0, true>(),
        tile<9, 0, true>(), tile<10, 0, true>(), tile<11, 0, true>(), tile<12, 0, true>()},
       {nullptr, tile<1, 1>(), tile<2, 1>(), tile<3, 1>(), tile<4, 1>(), tile<5, 1>(), tile<6, 1>(),
        tile<7, 1>(), tile<8, 1>(), tile<9, 1>(), tile<10, 1>(), tile<11, 1>(), tile<12, 1>()},
       {nullptr, tile<1, 1, true>(), tile<2, 1, true>(), tile<3, 1, true>(), tile<4, 1, true>(),
        tile<5, 1, true>(), tile<6, 1, true>(), tile<7, 1, true>()},
       {nullptr, tile<1, 2>(), tile<2, 2>(), tile<3, 2>(), tile<4, 2>(), tile<5, 2>(), tile<6, 2>(),
        tile<7, 2>()},
       {},
       {},
       {},
       {nullptr, tile<1, 4>(), tile<2, 4>(), tile<3, 4>()}},
      {0, 12, 12, 7, 7, 0, 0, 0, 3},
      4,
      16};
  return set;
}

}  // namespace sampan
