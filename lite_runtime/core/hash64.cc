#include "core/hash64.h"

#include <cstring>

#include "core/file_format.h"

namespace sampan {
namespace {

// The five primes of the XXH64 specification.
constexpr uint64_t kPrime1 = 0x9E3779B185EBCA87u;
constexpr uint64_t kPrime2 = 0xC2B2AE3D27D4EB4Fu;
constexpr uint64_t kPrime3 = 0x165667B19E3779F9u;
constexpr uint64_t kPrime4 = 0x85EBCA77C2B2AE63u;
constexpr uint64_t kPrime5 = 0x27D4EB2F165667C5u;

uint64_t rotate(uint64_t x, int r) { return (x << r) | (x >> (64 - r)); }

// Bytes are put together one by one, so that the result is the same on big-endian machines;
// compilers turn this into one load where they can.
uint64_t load64(const uint8_t* p) {
  uint64_t v = 0;
  for (int i = 0; i < 8; ++i) v |= static_cast<uint64_t>(p[i]) << (8 * i);
  return v;
}
uint64_t load32(const uint8_t* p) {
  uint64_t v = 0;
  for (int i = 0; i < 4; ++i) v |= static_cast<uint64_t>(p[i]) << (8 * i);
  return v;
}

uint64_t round64(uint64_t lane, uint64_t input) {
  return rotate(lane + input * kPrime2, 31) * kPrime1;
}
uint64_t merge(uint64_t hash, uint64_t lane) {
  return (hash ^ round64(0, lane)) * kPrime1 + kPrime4;
}

void stripe(uint64_t lanes[4], const uint8_t* p) {
  for (int i = 0; i < 4; ++i) lanes[i] = round64(lanes[i], load64(p + 8 * i));
}

}  // namespace

void Hash64::update(const void* data, size_t size) {
  if (size == 0) return;
  const uint8_t* p = static_cast<const uint8_t*>(data);
  total_ += size;
  if (tail_size_ > 0) {
    const size_t take = size < kStripe - tail_size_ ? size : kStripe - tail_size_;
    std::memcpy(tail_ + tail_size_, p, take);
    tail_size_ += take;
    p += take;
    size -= take;
    if (tail_size_ < kStripe) return;
    stripe(lanes_, tail_);
    tail_size_ = 0;
  }
  for (; size >= kStripe; p += kStripe, size -= kStripe) stripe(lanes_, p);
  if (size > 0) std::memcpy(tail_, p, size);
  tail_size_ = size;
}

uint64_t Hash64::finish() const {
  uint64_t h = kPrime5;
  if (total_ >= kStripe) {
    h = rotate(lanes_[0], 1) + rotate(lanes_[1], 7) + rotate(lanes_[2], 12) + rotate(lanes_[3], 18);
    for (uint64_t lane : lanes_) h = merge(h, lane);
  }
  h += total_;
  const uint8_t* p = tail_;
  size_t left = tail_size_;
  for (; left >= 8; p += 8, left -= 8)
    h = rotate(h ^ round64(0, load64(p)), 27) * kPrime1 + kPrime4;
  if (left >= 4) {
    h = rotate(h ^ (load32(p) * kPrime1), 23) * kPrime2 + kPrime3;
    p += 4;
    left -= 4;
  }
  for (; left > 0; ++p, --left) h = rotate(h ^ (*p * kPrime5), 11) * kPrime1;
  h ^= h >> 33;
  h *= kPrime2;
  h ^= h >> 29;
  h *= kPrime3;
  return h ^ (h >> 32);
}

uint64_t hash64(const void* data, size_t size) {
  Hash64 h;
  h.update(data, size);
  return h.finish();
}

}  // namespace sampan
