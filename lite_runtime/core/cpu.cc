#include "core/cpu.h"

#include <cstdlib>
#include <cstring>

#if SAMPAN_X86
  #include <cpuid.h>
  #include <xmmintrin.h>
#endif

namespace sampan {
namespace {

constexpr Isa kAll[] = {Isa::kPortable, Isa::kAvx2, Isa::kAvx512};

bool built(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return true;
#if defined(SAMPAN_HAVE_AVX2)
    case Isa::kAvx2:
      return true;
#endif
#if defined(SAMPAN_HAVE_AVX512)
    case Isa::kAvx512:
      return true;
#endif
    default:
      return false;
  }
}

#if SAMPAN_X86
// XCR0: the registers the operating system saves on a switch.
uint64_t saved_registers() {
  uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (static_cast<uint64_t>(high) << 32) | low;
}

Isa detect() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return Isa::kPortable;
  constexpr unsigned kFma = 1u << 12, kOsxsave = 1u << 27, kAvx = 1u << 28, kF16c = 1u << 29;
  constexpr unsigned kNeeded = kFma | kOsxsave | kAvx | kF16c;
  if ((c & kNeeded) != kNeeded) return Isa::kPortable;
  const uint64_t saved = saved_registers();
  if ((saved & 0x6) != 0x6) return Isa::kPortable;  // xmm and ymm
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return Isa::kPortable;
  constexpr unsigned kAvx2 = 1u << 5;
  if ((b & kAvx2) == 0) return Isa::kPortable;
  // F, DQ, BW, VL, and the operating system saves mask registers and all of zmm.
  constexpr unsigned kAvx512 = (1u << 16) | (1u << 17) | (1u << 30) | (1u << 31);
  const bool zmm = (b & kAvx512) == kAvx512 && (saved & 0xE6) == 0xE6;
  return zmm ? Isa::kAvx512 : Isa::kAvx2;
}
#else
Isa detect() { return Isa::kPortable; }
#endif

// " portable avx2"
void list_usable(char* out, size_t capacity) {
  out[0] = 0;
  for (Isa isa : kAll) {
    if (isa > best_isa() || !built(isa)) continue;
    const char* name = isa_name(isa);
    if (std::strlen(out) + std::strlen(name) + 2 > capacity) return;
    std::strcat(out, " ");
    std::strcat(out, name);
  }
}

}  // namespace

Isa best_isa() {
  static const Isa cpu = detect();
  Isa best = Isa::kPortable;
  for (Isa isa : kAll)
    if (isa <= cpu && built(isa)) best = isa;
  return best;
}

Result<Isa> choose_isa(const char* name) {
  if (name == nullptr) name = std::getenv("SAMPAN_ISA");
  if (name == nullptr || name[0] == 0) return best_isa();
  for (Isa isa : kAll)
    if (std::strcmp(name, isa_name(isa)) == 0 && isa <= best_isa() && built(isa)) return isa;
  char usable[64];
  list_usable(usable, sizeof(usable));
  return Status::error(
      Code::kInvalidArgument,
      "instruction set \"%.32s\" is not known or not usable here; choose one of:%s", name, usable);
}

#if SAMPAN_X86
// MXCSR: flush-to-zero is bit 15, denormals-are-zero bit 6.
FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) {
  _mm_setcsr(static_cast<unsigned>(saved_) | 0x8040u);
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(static_cast<unsigned>(saved_)); }
#elif defined(__aarch64__)
// FPCR.FZ is bit 24; it covers both inputs and results.
FlushDenormals::FlushDenormals() : saved_(0) {
  __asm__ volatile("mrs %0, fpcr" : "=r"(saved_));
  __asm__ volatile("msr fpcr, %0" : : "r"(saved_ | (uint64_t{1} << 24)));
}
FlushDenormals::~FlushDenormals() { __asm__ volatile("msr fpcr, %0" : : "r"(saved_)); }
#elif defined(__arm__) && defined(__ARM_FP)
FlushDenormals::FlushDenormals() : saved_(0) {
  uint32_t mode = 0;
  __asm__ volatile("vmrs %0, fpscr" : "=r"(mode));
  saved_ = mode;
  __asm__ volatile("vmsr fpscr, %0" : : "r"(mode | (1u << 24)));
}
FlushDenormals::~FlushDenormals() {
  __asm__ volatile("vmsr fpscr, %0" : : "r"(static_cast<uint32_t>(saved_)));
}
#else
FlushDenormals::FlushDenormals() : saved_(0) {}
FlushDenormals::~FlushDenormals() { (void)saved_; }
#endif

}  // namespace sampan
