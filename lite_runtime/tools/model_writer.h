// Writes .spn files. Host only: std types are used freely here.
//
// The same ModelSpec gives the same bytes on every machine. The writer lays out; it doesn't judge:
// what it writes is checked by whoever loads it (core/model_verify.cc), so that tests can also
// write wrong models.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sampan/status.h"
#include "sampan/tensor.h"

namespace sampan {

enum class TensorKind : uint8_t { kComputed = 0, kInput = 1, kConstant = 2, kState = 3 };

struct QuantizationSpec {
  std::vector<float> scale;
  std::vector<int32_t> zero_point;
  int32_t axis = -1;
};

struct TensorSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  TensorKind kind = TensorKind::kComputed;
  bool has_rank = true;              // false: the rank is not known (computed tensors only)
  std::vector<int64_t> dims;         // -1 where symbols has text
  std::vector<std::string> symbols;  // empty, or as long as dims
  // Constants: the bytes, which stay the caller's until write_model has returned.
  const void* data = nullptr;
  size_t size = 0;
  Packing packing = Packing::kPlain;
  uint64_t pack_groups = 0, pack_k = 0, pack_n = 0;  // when packed: as in PanelSpec
  QuantizationSpec quantization;                     // absent when scale is empty
  std::string source;                                // as in the schema; empty: none
  std::vector<int8_t> source_permutation;            // empty: none
};

struct AttrSpec {
  int64_t i = 0;
  float f = 0;
  std::vector<int64_t> ints;
  std::vector<float> floats;
};

struct NodeSpec {
  std::string op;
  uint16_t version = 1;
  std::vector<int32_t> inputs, outputs;  // tensor indices; -1: absent
  std::vector<AttrSpec> attrs;           // in the order of the operator's definition
  std::string name;
  std::vector<std::string> sources;
};

struct GraphSpec {
  std::string name;
  std::vector<TensorSpec> tensors;
  std::vector<NodeSpec> nodes;
  std::vector<int32_t> inputs, outputs;
};

struct SignatureSpec {
  std::string name;
  uint32_t graph = 0;
  std::vector<std::string> input_names, output_names;
};

struct KeyValueSpec {
  std::string key, value;
};

struct ProvenanceSpec {
  std::string tool_version, source_format, source_hash;
  std::vector<std::string> passes;
};

struct ModelSpec {
  uint32_t format_version = 0;  // 0: the version of this build
  uint32_t minimum_runtime = 1;
  std::vector<GraphSpec> graphs;  // 0 is the main graph
  std::vector<SignatureSpec> signatures;
  ProvenanceSpec provenance;
  std::vector<KeyValueSpec> metadata;
};

// The whole file in memory.
Status write_model(const ModelSpec& spec, std::vector<uint8_t>* out);
// Straight to a file, without a second copy of the weights. An existing file is replaced only when
// the new one is complete.
Status write_model_file(const ModelSpec& spec, const std::string& path);

}  // namespace sampan
