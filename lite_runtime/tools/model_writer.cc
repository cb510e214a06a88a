#include "tools/model_writer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/file_format.h"
#include "core/hash64.h"
#include "model_generated.h"

namespace sampan {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

uint64_t align_up(uint64_t n) { return (n + kDataAlignment - 1) / kDataAlignment * kDataAlignment; }

struct Piece {
  const void* data;
  size_t size;
  uint64_t offset;
};

// Gives every constant its place in the data section; equal contents share one.
class DataLayout {
 public:
  uint64_t place(const void* data, size_t size) {
    const auto range = by_hash_.equal_range(hash64(data, size));
    for (auto it = range.first; it != range.second; ++it) {
      const Piece& p = pieces_[it->second];
      if (p.size == size && (size == 0 || std::memcmp(p.data, data, size) == 0)) return p.offset;
    }
    const uint64_t offset = align_up(end_);
    by_hash_.emplace(hash64(data, size), pieces_.size());
    pieces_.push_back({data, size, offset});
    end_ = offset + size;
    return offset;
  }
  uint64_t size() const { return end_; }
  const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::unordered_multimap<uint64_t, size_t> by_hash_;
  std::vector<Piece> pieces_;
  uint64_t end_ = 0;
};

using OperatorKey = std::pair<std::string, uint16_t>;
using OperatorIndex = std::map<OperatorKey, uint32_t>;

OperatorIndex index_operators(const ModelSpec& spec) {
  OperatorIndex ops;
  for (const GraphSpec& g : spec.graphs)
    for (const NodeSpec& n : g.nodes) ops.emplace(OperatorKey(n.op, n.version), 0);
  uint32_t i = 0;
  for (auto& entry : ops) entry.second = i++;
  return ops;
}

// Optional text: absent when empty.
Offset<flatbuffers::String> text(FlatBufferBuilder& b, const std::string& s) {
  return s.empty() ? Offset<flatbuffers::String>() : b.CreateString(s);
}

Offset<flatbuffers::Vector<Offset<flatbuffers::String>>> texts(
    FlatBufferBuilder& b, const std::vector<std::string>& list) {
  if (list.empty()) return 0;
  return b.CreateVectorOfStrings(list);
}

Offset<fb::Quantization> build_quantization(FlatBufferBuilder& b, const QuantizationSpec& q) {
  if (q.scale.empty()) return 0;
  const auto scale = b.CreateVector(q.scale);
  const auto zero = b.CreateVector(q.zero_point);
  return fb::CreateQuantization(b, scale, zero, q.axis);
}

Offset<fb::Tensor> build_tensor(FlatBufferBuilder& b, const TensorSpec& t, DataLayout* layout) {
  const auto name = b.CreateString(t.name);
  Offset<flatbuffers::Vector<int64_t>> dims;
  if (t.has_rank) dims = b.CreateVector(t.dims);
  const auto symbols = texts(b, t.symbols);
  const auto quantization = build_quantization(b, t.quantization);
  const auto source = text(b, t.source);
  Offset<flatbuffers::Vector<int8_t>> permutation;
  if (!t.source_permutation.empty()) permutation = b.CreateVector(t.source_permutation);
  const bool constant = t.kind == TensorKind::kConstant;
  const uint64_t offset = constant ? layout->place(t.data, t.size) : 0;
  return fb::CreateTensor(b, name, static_cast<uint8_t>(t.dtype), dims, symbols,
                          static_cast<uint8_t>(t.kind), offset, constant ? t.size : 0,
                          static_cast<uint8_t>(t.packing), t.pack_groups, t.pack_k, t.pack_n,
                          quantization, source, permutation);
}

Offset<fb::Attr> build_attr(FlatBufferBuilder& b, const AttrSpec& a) {
  Offset<flatbuffers::Vector<int64_t>> ints;
  Offset<flatbuffers::Vector<float>> floats;
  if (!a.ints.empty()) ints = b.CreateVector(a.ints);
  if (!a.floats.empty()) floats = b.CreateVector(a.floats);
  return fb::CreateAttr(b, a.i, a.f, ints, floats);
}

Offset<fb::Node> build_node(FlatBufferBuilder& b, const NodeSpec& n, const OperatorIndex& ops) {
  const auto inputs = b.CreateVector(n.inputs);
  const auto outputs = b.CreateVector(n.outputs);
  std::vector<Offset<fb::Attr>> attrs;
  for (const AttrSpec& a : n.attrs) attrs.push_back(build_attr(b, a));
  const auto attr_list = b.CreateVector(attrs);
  const auto name = text(b, n.name);
  const auto sources = texts(b, n.sources);
  return fb::CreateNode(b, ops.at(OperatorKey(n.op, n.version)), inputs, outputs, attr_list, name,
                        sources);
}

Offset<fb::Graph> build_graph(FlatBufferBuilder& b, const GraphSpec& g, const OperatorIndex& ops,
                              DataLayout* layout) {
  std::vector<Offset<fb::Tensor>> tensors;
  for (const TensorSpec& t : g.tensors) tensors.push_back(build_tensor(b, t, layout));
  std::vector<Offset<fb::Node>> nodes;
  for (const NodeSpec& n : g.nodes) nodes.push_back(build_node(b, n, ops));
  const auto name = text(b, g.name);
  const auto tensor_list = b.CreateVector(tensors);
  const auto node_list = b.CreateVector(nodes);
  const auto inputs = b.CreateVector(g.inputs);
  const auto outputs = b.CreateVector(g.outputs);
  return fb::CreateGraph(b, name, tensor_list, node_list, inputs, outputs);
}

Offset<fb::Provenance> build_provenance(FlatBufferBuilder& b, const ProvenanceSpec& p) {
  const auto tool = text(b, p.tool_version);
  const auto format = text(b, p.source_format);
  const auto hash = text(b, p.source_hash);
  const auto passes = texts(b, p.passes);
  return fb::CreateProvenance(b, tool, format, hash, passes);
}

void build_structure(FlatBufferBuilder& b, const ModelSpec& spec, DataLayout* layout) {
  const OperatorIndex ops = index_operators(spec);
  std::vector<Offset<fb::OperatorUse>> uses;
  for (const auto& entry : ops) {
    const auto name = b.CreateString(entry.first.first);
    uses.push_back(fb::CreateOperatorUse(b, name, entry.first.second));
  }
  std::vector<Offset<fb::Graph>> graphs;
  for (const GraphSpec& g : spec.graphs) graphs.push_back(build_graph(b, g, ops, layout));
  std::vector<Offset<fb::Signature>> signatures;
  for (const SignatureSpec& s : spec.signatures) {
    const auto name = b.CreateString(s.name);
    const auto in = texts(b, s.input_names);
    const auto out = texts(b, s.output_names);
    signatures.push_back(fb::CreateSignature(b, name, s.graph, in, out));
  }
  std::vector<Offset<fb::KeyValue>> metadata;
  for (const KeyValueSpec& kv : spec.metadata) {
    const auto key = b.CreateString(kv.key);
    const auto value = b.CreateString(kv.value);
    metadata.push_back(fb::CreateKeyValue(b, key, value));
  }
  const auto use_list = b.CreateVector(uses);
  const auto graph_list = b.CreateVector(graphs);
  const auto signature_list = b.CreateVector(signatures);
  const auto provenance = build_provenance(b, spec.provenance);
  const auto metadata_list = b.CreateVector(metadata);
  const uint32_t version = spec.format_version ? spec.format_version : kFormatVersion;
  fb::FinishModelBuffer(b, fb::CreateModel(b, version, spec.minimum_runtime, use_list, graph_list,
                                           signature_list, provenance, metadata_list));
}

// Sends zero-padded pieces of the data section to `sink`; false when the sink refuses.
template <class Sink>
bool emit_data(const DataLayout& layout, Sink&& sink) {
  static const uint8_t zeros[kDataAlignment] = {};
  uint64_t at = 0;
  for (const Piece& p : layout.pieces()) {
    if (p.offset > at && !sink(zeros, static_cast<size_t>(p.offset - at))) return false;
    if (p.size > 0 && !sink(p.data, p.size)) return false;
    at = p.offset + p.size;
  }
  return true;
}

FileHeader make_header(const FlatBufferBuilder& b, const DataLayout& layout) {
  FileHeader h = {};
  std::memcpy(h.magic, kFileMagic, sizeof(kFileMagic));
  h.header_version = 1;
  h.structure_size = b.GetSize();
  h.data_offset = align_up(sizeof(FileHeader) + b.GetSize());
  h.data_size = layout.size();
  h.structure_checksum = hash64(b.GetBufferPointer(), b.GetSize());
  Hash64 data;
  emit_data(layout, [&](const void* p, size_t n) {
    data.update(p, n);
    return true;
  });
  h.data_checksum = data.finish();
  h.header_checksum = hash64(&h, offsetof(FileHeader, header_checksum));
  return h;
}

template <class Sink>
bool emit_file(const ModelSpec& spec, Sink&& sink) {
  FlatBufferBuilder b;
  DataLayout layout;
  build_structure(b, spec, &layout);
  const FileHeader h = make_header(b, layout);
  const std::vector<uint8_t> gap(static_cast<size_t>(h.data_offset - sizeof(h) - h.structure_size));
  if (!sink(&h, sizeof(h)) || !sink(b.GetBufferPointer(), static_cast<size_t>(b.GetSize())))
    return false;
  if (!gap.empty() && !sink(gap.data(), gap.size())) return false;
  return emit_data(layout, sink);
}

}  // namespace

Status write_model(const ModelSpec& spec, std::vector<uint8_t>* out) {
  out->clear();
  emit_file(spec, [&](const void* p, size_t n) {
    const uint8_t* bytes = static_cast<const uint8_t*>(p);
    out->insert(out->end(), bytes, bytes + n);
    return true;
  });
  return Status();
}

Status write_model_file(const ModelSpec& spec, const std::string& path) {
  const std::string part = path + ".part";
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (!file)
    return Status::error(Code::kIo, "cannot write %s: %s", part.c_str(), std::strerror(errno));
  bool ok =
      emit_file(spec, [&](const void* p, size_t n) { return std::fwrite(p, 1, n, file) == n; });
  const int write_errno = errno;
  ok = std::fclose(file) == 0 && ok;
#if defined(_WIN32)
  if (ok) std::remove(path.c_str());
#endif
  ok = ok && std::rename(part.c_str(), path.c_str()) == 0;
  if (ok) return Status();
  std::remove(part.c_str());
  return Status::error(Code::kIo, "cannot write %s: %s", path.c_str(), std::strerror(write_errno));
}

}  // namespace sampan
