// What the CPU can do, and floating-point modes.
#pragma once
#include "kernels/isa.h"
#include "sampan/status.h"

namespace sampan {

// The best instruction set that CPU, operating system and build have in common.
Isa best_isa();
// `name` as in SessionOptions::isa; null means the environment variable SAMPAN_ISA, else the best.
// An unknown name, or one this CPU lacks, is an error that lists those there are.
Result<Isa> choose_isa(const char* name);

// Flush-to-zero and denormals-are-zero on the calling thread while it lives.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  uint64_t saved_;
};

}  // namespace sampan
