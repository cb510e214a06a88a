// The fixed part of a .spn file.
//
//   0   header (64 bytes, below, little-endian)
//   64  structure: a FlatBuffer (schema/model.fbs)
//   ..  zero bytes up to a multiple of 64
//   ..  data: constants, each at a multiple of 64
#pragma once
#include <cstddef>
#include <cstdint>

namespace sampan {

constexpr uint32_t kFormatVersion = 1;
constexpr size_t kDataAlignment = 64;

struct FileHeader {
  uint8_t magic[4];         // "SPN" and 0x1A
  uint32_t header_version;  // 1
  uint64_t structure_size;  // bytes from offset 64
  uint64_t data_offset;     // multiple of 64
  uint64_t data_size;
  uint64_t structure_checksum;  // hash64 of the structure
  uint64_t data_checksum;       // hash64 of the data section
  uint64_t reserved;            // 0
  uint64_t header_checksum;     // hash64 of the 56 bytes before
};
static_assert(sizeof(FileHeader) == 64, "the header is 64 bytes in the file");
constexpr uint8_t kFileMagic[4] = {'S', 'P', 'N', 0x1A};

// XXH64 with seed 0 (a public, fixed function: files stay comparable across versions).
uint64_t hash64(const void* data, size_t size);

}  // namespace sampan
