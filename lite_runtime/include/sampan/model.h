// A loaded model: immutable, verified, shared by any number of sessions.
#pragma once
#include <cstddef>
#include <cstdint>

#include "sampan/status.h"
#include "sampan/tensor.h"

namespace sampan {

enum class CheckLevel : uint8_t {
  kStructure = 0,  // header, structure and its checksum: always done
  kFull = 1,       // also the checksum of the weights
};

struct LoadOptions {
  CheckLevel check = CheckLevel::kStructure;
  bool mapped = true;  // false: read the weights into private memory
  uint64_t max_file_bytes = uint64_t{1} << 40;
  uint32_t max_nodes = 1u << 20;
  uint32_t max_tensors = 1u << 21;
};

// A graph input or output as the model declares it.
struct ValueInfo {
  const char* name = "";
  DType dtype = DType::kInvalid;
  int32_t rank = 0;                    // -1: not known (an output whose rank depends on data)
  int64_t dims[kMaxRank] = {};         // -1 where symbols[i] is not null
  const char* symbols[kMaxRank] = {};  // "batch", "h", or an expression on outputs
};

class ModelImpl;

// A counted reference; copying shares the model.
class Model {
 public:
  Model() = default;
  Model(const Model& o);
  Model& operator=(const Model& o);
  Model(Model&& o) noexcept : impl_(o.impl_) { o.impl_ = nullptr; }
  Model& operator=(Model&& o) noexcept;
  ~Model();

  static Result<Model> load(const char* path, const LoadOptions& options = LoadOptions());
  // `data` must be 64-byte aligned and outlive the model when options.mapped, else it is copied.
  static Result<Model> from_memory(const void* data, size_t size,
                                   const LoadOptions& options = LoadOptions());

  bool valid() const { return impl_ != nullptr; }
  int num_inputs() const;
  int num_outputs() const;
  ValueInfo input(int i) const;
  ValueInfo output(int i) const;
  int num_metadata() const;
  const char* metadata_key(int i) const;
  const char* metadata_value(int i) const;
  const ModelImpl* impl() const { return impl_; }

 private:
  explicit Model(ModelImpl* impl) : impl_(impl) {}
  friend class ModelImpl;
  ModelImpl* impl_ = nullptr;
};

}  // namespace sampan
