// What kernel tests share: CHECK, a reproducible random generator, buffers between guard pages, and
// the comparison of float results that the numerics contract means.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "kernels/isa.h"

namespace sampan::test {

inline int& failures() {
  static int count = 0;
  return count;
}

// Prints at most a few failures; the count decides.
#define CHECK(condition, ...)                                            \
  do {                                                                   \
    if (!(condition) && ::sampan::test::failures()++ < 20) {             \
      std::printf("%s:%d: %s failed: ", __FILE__, __LINE__, #condition); \
      std::printf(" " __VA_ARGS__);                                      \
      std::printf("\n");                                                 \
    }                                                                    \
  } while (0)

// For the end of main().
inline int finish(const char* name) {
  if (failures())
    std::printf("%s: %d checks failed\n", name, failures());
  else
    std::printf("%s: ok\n", name);
  return failures() ? 1 : 0;
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ull + 1) {}
  uint64_t next() {  // splitmix64
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  // Uniform in [low, high], both included.
  int64_t integer(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  float uniform(float low = -1.0f, float high = 1.0f) {
    return low + (high - low) * static_cast<float>(next() >> 40) * 0x1p-24f;
  }
  // Any bit pattern: NaNs, infinities and subnormals come up.
  float any_float() {
    uint32_t b = static_cast<uint32_t>(next() >> 32);
    float f;
    std::memcpy(&f, &b, 4);
    return f;
  }
  template <class T>
  void fill(T* p, int64_t n, T low, T high) {
    for (int64_t i = 0; i < n; ++i) {
      if constexpr (std::is_floating_point_v<T>)
        p[i] = static_cast<T>(uniform(static_cast<float>(low), static_cast<float>(high)));
      else
        p[i] = static_cast<T>(integer(static_cast<int64_t>(low), static_cast<int64_t>(high)));
    }
  }

 private:
  uint64_t state_;
};

// n elements of T with an unreadable page directly behind the last (or before the first) one.
template <class T>
class Guarded {
 public:
  enum Where { kAtEnd, kAtStart };
  explicit Guarded(int64_t n, Where where = kAtEnd) : size_(n) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t bytes = static_cast<size_t>(n) * sizeof(T);
    const size_t body = (bytes + page - 1) / page * page + page;
    mapped_ = body + 2 * page;
    base_ =
        static_cast<char*>(mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (base_ == MAP_FAILED || mprotect(base_ + page, body, PROT_READ | PROT_WRITE) != 0) {
      std::printf("no memory for a guarded buffer of %zu bytes\n", bytes);
      std::abort();
    }
    data_ = reinterpret_cast<T*>(where == kAtEnd ? base_ + page + body - bytes : base_ + page);
    std::memset(base_ + page, 0xA5, body);
  }
  ~Guarded() { munmap(base_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](int64_t i) { return data_[i]; }
  const T& operator[](int64_t i) const { return data_[i]; }
  int64_t size() const { return size_; }
  void read_only() {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    mprotect(base_ + page, mapped_ - 2 * page, PROT_READ);
  }

 private:
  char* base_;
  T* data_;
  int64_t size_;
  size_t mapped_;
};

// Whether the thread flushes subnormals (see Flushed): then they and both zeros are one value.
inline bool& flushing() {
  static bool on = false;
  return on;
}

// Same bits, all NaNs being one value.
inline bool same(float a, float b) {
  return std::memcmp(&a, &b, 4) == 0 || (a != a && b != b) || (flushing() && a == b);
}
inline bool same(double a, double b) { return std::memcmp(&a, &b, 8) == 0 || (a != a && b != b); }
template <class T>
inline bool same(T a, T b) {
  return a == b;
}

// Index of the first element that differs, -1 if none.
template <class T>
int64_t first_difference(const T* a, const T* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    if (!same(a[i], b[i])) return i;
  return -1;
}

// |got - expected| in units in the last place of the float nearest to `expected`.
inline double ulps(float got, double expected) {
  const float nearest = static_cast<float>(expected);
  if (got != got || nearest != nearest) return (got != got) == (nearest != nearest) ? 0.0 : 1e9;
  if (std::isinf(got) || std::isinf(nearest)) return got == nearest ? 0.0 : 1e9;
  int e = 0;
  std::frexp(nearest, &e);
  if (e < -125 || nearest == 0.0f) e = -125;
  return std::fabs(static_cast<double>(got) - expected) / std::ldexp(1.0, e - 24);
}

// The instruction sets to compare with the portable one on this machine. With SAMPAN_SIMDE the
// AVX-512 kernels are built on emulated intrinsics and always run.
inline bool can_run(Isa isa) {
  if (isa == Isa::kPortable) return true;
#if SAMPAN_X86
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (isa == Isa::kAvx2) return avx2;
  #if defined(SAMPAN_SIMDE) || defined(SAMPAN_TEST_SIMDE)
  return avx2;
  #else
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  #endif
#else
  return false;
#endif
}
constexpr Isa kFastIsas[] = {Isa::kAvx2, Isa::kAvx512};

// Flush-to-zero and denormals-are-zero while it lives, as in a session. x86 only; elsewhere
// nothing.
class Flushed {
 public:
#if SAMPAN_X86
  Flushed() : saved_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr(saved_ | 0x8040u);
    flushing() = true;
  }
  ~Flushed() {
    __builtin_ia32_ldmxcsr(saved_);
    flushing() = false;
  }

 private:
  unsigned saved_;
#endif
};

}  // namespace sampan::test
