// A model as sessions see it: everything checked, everything in plain arrays. The texts and lists
// point into the private copy of the structure.
#pragma once
#include <atomic>
#include <cstdint>

#include "core/file_format.h"
#include "core/memory.h"
#include "core/op.h"
#include "core/platform.h"
#include "sampan/model.h"

namespace sampan {

namespace fb {
struct Model;
}

enum class TensorRole : uint8_t { kComputed = 0, kInput = 1, kConstant = 2, kState = 3 };

struct ModelTensor {
  const char* name = "";
  DType dtype = DType::kInvalid;
  Packing packing = Packing::kPlain;
  TensorRole role = TensorRole::kComputed;
  int8_t rank = -1;                    // -1: not known
  int32_t producer = -1;               // the node that writes it
  int64_t dims[kMaxRank] = {};         // -1: not known
  const char* symbols[kMaxRank] = {};  // null where there is none
  const void* data = nullptr;          // constants
  uint64_t size = 0;                   // constants, bytes
  int64_t pack_groups = 0, pack_k = 0, pack_n = 0;

  Shape shape() const {  // only of constants
    Shape s;
    s.rank = rank;
    for (int i = 0; i < rank; ++i) s.dims[i] = dims[i];
    return s;
  }
};

struct ModelNode {
  const OperatorDef* def = nullptr;
  const char* name = "";
  const char* sources = "";
  const AttrValue* attrs = nullptr;
  int32_t first_input = 0, num_inputs = 0;    // in ModelImpl::edges
  int32_t first_output = 0, num_outputs = 0;  // in ModelImpl::edges
};

struct KeyValueText {
  const char* key;
  const char* value;
};

class ModelImpl {
 public:
  ModelImpl() = default;
  ~ModelImpl() { unmap_file(mapping); }
  ModelImpl(const ModelImpl&) = delete;
  ModelImpl& operator=(const ModelImpl&) = delete;

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) Box<ModelImpl> owner(this);
  }
  static ModelImpl* of(const Model& m) { return m.impl_; }
  static Model wrap(ModelImpl* impl) { return Model(impl); }

  // Reads and checks a whole file. `stable`: the bytes stay as they are while the model lives.
  Status open(const void* bytes, size_t size, const LoadOptions& options, bool stable);

  const int32_t* inputs_of(const ModelNode& n) const { return edges.data() + n.first_input; }
  const int32_t* outputs_of(const ModelNode& n) const { return edges.data() + n.first_output; }
  // "name" or "#12" for messages.
  const char* node_label(size_t index, char* scratch, size_t capacity) const;

  Mapping mapping;         // when mapped
  Buffer file;             // when not
  Buffer structure;        // private copy of the FlatBuffer
  Buffer small_constants;  // private copies: integers that shapes and indices depend on
  Buffer texts;            // joined source names

  Array<ModelTensor> tensors;
  Array<ModelNode> nodes;
  Array<int32_t> edges;
  Array<AttrValue> attrs;
  Array<int32_t> inputs, outputs;  // tensor indices
  // Symbols of graph inputs: input_symbols[i * kMaxRank + k] is an index, -1: none.
  Array<const char*> symbols;
  Array<int32_t> input_symbols;
  Array<KeyValueText> metadata;

 private:
  std::atomic<int32_t> references_{1};
};

// model_verify.cc: from a FlatBuffer whose offsets are checked to the arrays above.
Status read_model(const fb::Model& source, const FileHeader& header, const uint8_t* data,
                  size_t structure_size, const LoadOptions& options, bool stable, ModelImpl* out);

}  // namespace sampan
