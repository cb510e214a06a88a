// XXH64 over a stream, seed 0. See hash64() in file_format.h for the one-call form.
#pragma once
#include <cstddef>
#include <cstdint>

namespace sampan {

class Hash64 {
 public:
  void update(const void* data, size_t size);
  uint64_t finish() const;

 private:
  static constexpr size_t kStripe = 32;
  uint64_t lanes_[4] = {0x60EA27EEADC0B5D6u, 0xC2B2AE3D27D4EB4Fu, 0, 0x61C8864E7A143579u};
  uint64_t total_ = 0;
  uint8_t tail_[kStripe] = {};
  size_t tail_size_ = 0;
};

}  // namespace sampan
