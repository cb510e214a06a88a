// The instruction sets a kernel can be written for, in ascending order of preference per family.
#pragma once
#include <cstdint>

namespace sampan {

// x86 and ARM never meet in one build; the order only matters within a family.
enum class Isa : uint8_t { kPortable = 0, kAvx2 = 1, kAvx512 = 2 };

inline const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return "portable";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "unknown";
}

// Whether this build contains kernels of an instruction set (the CPU may still lack it).
#if defined(__x86_64__) || defined(_M_X64)
  #define SAMPAN_X86 1
#else
  #define SAMPAN_X86 0
#endif

}  // namespace sampan
