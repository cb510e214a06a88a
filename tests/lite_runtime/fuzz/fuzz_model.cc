// Any bytes as a .spn file: loading, planning and running end in a result or a Status.
//
// Checksums are made right first; otherwise the fuzzer would never get past them.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/file_format.h"
#include "core/memory.h"
#include "sampan/session.h"

namespace sampan {
namespace {

// Memory of one input must stay small whatever sizes the file claims.
constexpr uint64_t kMaxMemory = 32u << 20;
constexpr int64_t kMaxInputBytes = 1 << 20;

void repair_checksums(uint8_t* bytes, size_t size) {
  if (size < sizeof(FileHeader)) return;
  FileHeader header;
  std::memcpy(&header, bytes, sizeof header);
  const uint64_t room = size - sizeof header;
  // Sizes are made right, too, so that inserted and deleted bytes still reach the checks inside.
  if (header.structure_size > 0 && header.structure_size <= room) {
    header.data_offset = (sizeof header + header.structure_size + 63) / 64 * 64;
    if (header.data_offset <= size) header.data_size = size - header.data_offset;
  }
  if (header.structure_size <= room)
    header.structure_checksum = hash64(bytes + sizeof header, header.structure_size);
  if (header.data_offset <= size && header.data_size <= size - header.data_offset)
    header.data_checksum = hash64(bytes + header.data_offset, header.data_size);
  header.header_checksum = hash64(&header, sizeof header - sizeof header.header_checksum);
  std::memcpy(bytes, &header, sizeof header);
}

// A tensor of the declared type and rank, open dimensions small; false when it would be large.
bool make_input(const ValueInfo& info, uint8_t seed, Tensor* tensor, Buffer* memory) {
  tensor->dtype = info.dtype;
  tensor->shape.rank = info.rank;
  int64_t elements = 1;
  for (int d = 0; d < info.rank; ++d) {
    // Equal symbols must get equal sizes.
    const char* symbol = info.symbols[d];
    tensor->shape.dims[d] = symbol ? 1 + (symbol[0] + seed) % 4 : info.dims[d];
    if (tensor->shape.dims[d] < 0 || tensor->shape.dims[d] > kMaxInputBytes) return false;
    elements *= tensor->shape.dims[d];
    if (elements > kMaxInputBytes / 8) return false;
  }
  const size_t bytes = static_cast<size_t>(elements) * dtype_size(info.dtype);
  if (!memory->reserve(bytes + 1, "input").ok()) return false;
  std::memset(memory->data(), info.dtype == DType::kBool ? seed & 1 : seed, bytes);
  tensor->data = memory->data();
  return true;
}

void run(const Model& model, uint8_t seed) {
  SessionOptions options;
  options.max_memory = kMaxMemory;
  options.max_work = 1u << 24;
  options.deadline_seconds = 0.5;
  options.threads = 1 + (seed & 1);
  options.keep_intermediates = (seed & 2) != 0;
  options.nan_watch = (seed & 4) != 0;
  Result<Session> created = Session::create(model, options);
  if (!created.ok()) return;
  Session& session = created.value();
  Array<Buffer> memory;
  if (!memory.resize(static_cast<size_t>(model.num_inputs())).ok()) return;
  for (int i = 0; i < model.num_inputs(); ++i) {
    Tensor tensor;
    if (!make_input(model.input(i), seed, &tensor, &memory[static_cast<size_t>(i)])) return;
    if (!session.set_input(i, tensor).ok()) return;
  }
  for (int round = 0; round < 2; ++round) {
    const Status status = session.run();
    // These two mean that the runtime itself is wrong, not the file.
    if (status.code() == Code::kInternal || status.code() == Code::kNeedsValues) std::abort();
    if (!status.ok()) return;
    for (int i = 0; i < model.num_outputs(); ++i) {
      Result<Tensor> output = session.output(i);
      if (!output.ok()) continue;
      // Every byte must be readable.
      const Tensor& t = output.value();
      uint64_t sum = hash64(t.data, t.bytes());
      if (sum == 0x5A4D50414E) std::abort();  // keeps the compiler from dropping the read
    }
  }
}

}  // namespace
}  // namespace sampan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sampan;
  if (size < 2) return 0;
  const uint8_t seed = data[0];
  Buffer file;
  if (!file.reserve(size, "file").ok()) return 0;
  uint8_t* bytes = static_cast<uint8_t*>(file.data());
  std::memcpy(bytes, data + 1, size - 1);
  if (seed != 0xFF) repair_checksums(bytes, size - 1);
  LoadOptions options;
  options.check = CheckLevel::kFull;
  options.mapped = (seed & 8) != 0;
  Result<Model> model = Model::from_memory(bytes, size - 1, options);
  if (model.ok()) run(model.value(), seed);
  return 0;
}
