// What a FlatBuffer verifier cannot know: whether indices, shapes, sizes, orders and attributes
// make sense. Nothing of the file is trusted; this check cannot be switched off.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/dim_table.h"
#include "core/model_impl.h"
#include "model_generated.h"

namespace sampan {
namespace {

constexpr size_t kMaxName = 1024;
constexpr uint64_t kSmallConstant = 4096;

template <class T>
size_t count_of(const flatbuffers::Vector<T>* v) {
  return v ? v->size() : 0;
}

// FlatBuffers' verifier checks where a vector begins, which for 8-byte elements is not where the
// elements do. An empty list has no elements that could lie anywhere.
template <class T>
Status check_aligned(const flatbuffers::Vector<T>* v, const char* what) {
  SAMPAN_CHECK(count_of(v) == 0 || reinterpret_cast<uintptr_t>(v->Data()) % alignof(T) == 0,
               Code::kBadModel, "%s: a list is not aligned", what);
  return Status();
}

// A text without zero bytes inside, or "" when absent.
Status read_text(const flatbuffers::String* s, const char* what, size_t limit, const char** out) {
  *out = "";
  if (!s) return Status();
  SAMPAN_CHECK(s->size() <= limit, Code::kBadModel, "%s has %u bytes; at most %zu are possible",
               what, static_cast<unsigned>(s->size()), limit);
  SAMPAN_CHECK(std::strlen(s->c_str()) == s->size(), Code::kBadModel, "%s contains a zero byte",
               what);
  *out = s->c_str();
  return Status();
}

bool is_integer_or_bool(DType t) { return in_set(kInts | kBool, t); }

// Sees the definition and attributes as shape rules do, without shapes.
class LoadedNode : public NodeView {
 public:
  explicit LoadedNode(const ModelNode& n) {
    def_ = n.def;
    attrs_ = n.attrs;
    num_inputs_ = n.num_inputs;
    num_outputs_ = n.num_outputs;
  }
};

class ModelReader {
 public:
  ModelReader(const fb::Model& source, const FileHeader& header, const uint8_t* data,
              size_t structure_size, const LoadOptions& options, bool stable, ModelImpl* out)
      : source_(source),
        header_(header),
        data_(data),
        structure_size_(structure_size),
        options_(options),
        stable_(stable),
        out_(out) {}

  Status read() {
    SAMPAN_TRY(check_versions());
    SAMPAN_CHECK(count_of(source_.graphs()) >= 1, Code::kBadModel, "the file has no graph");
    SAMPAN_CHECK(count_of(source_.graphs()) == 1, Code::kUnsupported,
                 "the file has %zu graphs; this runtime runs models of one graph",
                 count_of(source_.graphs()));
    graph_ = source_.graphs()->Get(0);
    SAMPAN_TRY(find_operators());
    SAMPAN_TRY(read_tensors());
    SAMPAN_TRY(read_ends());
    SAMPAN_TRY(read_nodes());
    SAMPAN_TRY(check_outputs_exist());
    SAMPAN_TRY(check_packed_uses());
    SAMPAN_TRY(copy_small_constants());
    SAMPAN_TRY(intern_symbols());
    SAMPAN_TRY(check_signatures_and_blobs());
    return read_metadata();
  }

 private:
  Status check_versions() {
    SAMPAN_CHECK(source_.minimum_runtime() <= kFormatVersion, Code::kNewerVersion,
                 "the file needs a runtime of format version %u, this one has %u; use a newer "
                 "sampan, or convert the model again with this version",
                 source_.minimum_runtime(), kFormatVersion);
    SAMPAN_CHECK(source_.format_version() > 0, Code::kBadModel, "format version 0 does not exist");
    return Status();
  }

  // All that are missing are named at once.
  Status find_operators() {
    const size_t n = count_of(source_.operators());
    SAMPAN_TRY(ops_.resize(n));
    SAMPAN_TRY(versions_.resize(n));
    char missing[300];
    size_t used = 0, count = 0;
    for (size_t i = 0; i < n; ++i) {
      const fb::OperatorUse* use = source_.operators()->Get(static_cast<unsigned>(i));
      const char* name = "";
      SAMPAN_TRY(read_text(use ? use->name() : nullptr, "an operator's name", kMaxName, &name));
      versions_[i] = use->version();
      ops_[i] = find_operator(name);
      if (ops_[i] && versions_[i] <= ops_[i]->version) continue;
      ++count;
      char text[96];
      if (ops_[i])
        std::snprintf(text, sizeof(text), "%s version %d (this build has %d)", name,
                      static_cast<int>(versions_[i]), static_cast<int>(ops_[i]->version));
      else
        std::snprintf(text, sizeof(text), "\"%.60s\"", name);
      if (used + std::strlen(text) + 3 < sizeof(missing))
        used += static_cast<size_t>(
            std::snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "", text));
    }
    SAMPAN_CHECK(count == 0, Code::kUnsupported, "this build lacks %zu operator%s of the file: %s",
                 count, count == 1 ? "" : "s", missing);
    return Status();
  }

  // ---- tensors -----------------------------------------------------------------------------

  Status read_tensors() {
    const size_t n = count_of(graph_->tensors());
    SAMPAN_CHECK(n <= options_.max_tensors, Code::kLimit,
                 "the file has %zu tensors; the limit is %u", n, options_.max_tensors);
    SAMPAN_TRY(out_->tensors.resize(n));
    for (size_t i = 0; i < n; ++i) {
      const fb::Tensor* t = graph_->tensors()->Get(static_cast<unsigned>(i));
      char what[64];
      std::snprintf(what, sizeof(what), "tensor %zu", i);
      SAMPAN_TRY(read_tensor(*t, what, &out_->tensors[i]));
    }
    return Status();
  }

  Status read_tensor(const fb::Tensor& t, const char* what, ModelTensor* out) {
    SAMPAN_TRY(read_text(t.name(), what, kMaxName, &out->name));
    SAMPAN_CHECK(t.dtype() > 0 && t.dtype() < kDTypeCount, Code::kBadModel,
                 "%s has the unknown element type %d", what, static_cast<int>(t.dtype()));
    out->dtype = static_cast<DType>(t.dtype());
    SAMPAN_CHECK(t.kind() <= static_cast<int>(TensorRole::kState), Code::kBadModel,
                 "%s is of unknown kind %d", what, static_cast<int>(t.kind()));
    out->role = static_cast<TensorRole>(t.kind());
    SAMPAN_CHECK(out->role != TensorRole::kState, Code::kUnsupported,
                 "%s is a state tensor; this runtime does not keep state", what);
    SAMPAN_TRY(read_dims(t, what, out));
    SAMPAN_TRY(check_quantization(t, what, *out));
    if (out->role == TensorRole::kConstant) return read_constant(t, what, out);
    SAMPAN_CHECK(t.packing() == 0, Code::kBadModel, "%s is packed, but not a constant", what);
    return Status();
  }

  Status read_dims(const fb::Tensor& t, const char* what, ModelTensor* out) {
    const bool must_have = out->role != TensorRole::kComputed;
    if (!t.dims()) {
      SAMPAN_CHECK(!must_have, Code::kBadModel, "%s is an input or constant without a shape", what);
      return Status();
    }
    SAMPAN_CHECK(t.dims()->size() <= static_cast<unsigned>(kMaxRank), Code::kBadModel,
                 "%s has rank %u; at most %d is supported", what, t.dims()->size(), kMaxRank);
    SAMPAN_TRY(check_aligned(t.dims(), what));
    out->rank = static_cast<int8_t>(t.dims()->size());
    const size_t num_symbols = count_of(t.symbols());
    SAMPAN_CHECK(num_symbols == 0 || num_symbols == t.dims()->size(), Code::kBadModel,
                 "%s has rank %d but %zu symbols", what, out->rank, num_symbols);
    for (int i = 0; i < out->rank; ++i) {
      const unsigned k = static_cast<unsigned>(i);
      const char* symbol = "";
      if (num_symbols > 0) SAMPAN_TRY(read_text(t.symbols()->Get(k), what, kMaxName, &symbol));
      const int64_t d = t.dims()->Get(k);
      out->dims[i] = d;
      if (symbol[0] != 0) {
        out->symbols[i] = symbol;
        SAMPAN_CHECK(d == -1, Code::kBadModel,
                     "%s: dimension %d has both the symbol \"%.40s\" and the value %lld", what, i,
                     symbol, static_cast<long long>(d));
        SAMPAN_CHECK(out->role != TensorRole::kInput || valid_symbol(symbol), Code::kBadModel,
                     "%s: \"%.40s\" is no name for a symbol", what, symbol);
      }
      SAMPAN_CHECK(d >= -1 && d <= kMaxTensorBytes, Code::kBadModel, "%s: dimension %d is %lld",
                   what, i, static_cast<long long>(d));
      SAMPAN_CHECK(d >= 0 || out->role != TensorRole::kConstant, Code::kBadModel,
                   "%s is a constant; its dimension %d is not a number", what, i);
    }
    return Status();
  }

  Status check_quantization(const fb::Tensor& t, const char* what, const ModelTensor& out) {
    const fb::Quantization* q = t.quantization();
    if (!q) return Status();
    const size_t n = count_of(q->scale());
    SAMPAN_CHECK(n >= 1 && (q->axis() >= 0 || n == 1), Code::kBadModel,
                 "%s has %zu scales and quantization axis %d", what, n, q->axis());
    SAMPAN_CHECK(count_of(q->zero_point()) == n || count_of(q->zero_point()) == 0, Code::kBadModel,
                 "%s has %zu scales but %zu zero points", what, n, count_of(q->zero_point()));
    SAMPAN_CHECK(q->axis() >= -1 && q->axis() < kMaxRank, Code::kBadModel,
                 "%s has quantization axis %d", what, q->axis());
    if (q->axis() >= 0 && out.rank >= 0) {
      SAMPAN_CHECK(q->axis() < out.rank, Code::kBadModel, "%s has rank %d but quantization axis %d",
                   what, out.rank, q->axis());
      const int64_t d = out.dims[q->axis()];
      SAMPAN_CHECK(d < 0 || d == static_cast<int64_t>(n), Code::kBadModel,
                   "%s has %zu scales along an axis of length %lld", what, n,
                   static_cast<long long>(d));
    }
    for (size_t i = 0; i < n; ++i) {
      const float s = q->scale()->Get(static_cast<unsigned>(i));
      SAMPAN_CHECK(std::isfinite(s) && s > 0, Code::kBadModel,
                   "%s: scale %zu is not a positive number", what, i);
    }
    return Status();
  }

  Status read_constant(const fb::Tensor& t, const char* what, ModelTensor* out) {
    const Shape shape = out->shape();
    SAMPAN_TRY(check_shape(shape, out->dtype, what));
    SAMPAN_CHECK(t.packing() <= static_cast<int>(Packing::kPanelsF32), Code::kUnsupported,
                 "%s is packed in the unknown way %d", what, static_cast<int>(t.packing()));
    out->packing = static_cast<Packing>(t.packing());
    int64_t bytes = shape.elements() * static_cast<int64_t>(dtype_size(out->dtype));
    if (out->packing == Packing::kPanelsF32) SAMPAN_TRY(packed_size(t, what, out, &bytes));
    SAMPAN_CHECK(t.size() == static_cast<uint64_t>(bytes), Code::kBadModel,
                 "%s has %llu bytes of data; its shape and type need %lld", what,
                 static_cast<unsigned long long>(t.size()), static_cast<long long>(bytes));
    SAMPAN_TRY(check_range(t.offset(), t.size(), what));
    out->data = data_ + t.offset();
    out->size = t.size();
    return out->dtype == DType::kBool ? check_bools(*out, what) : Status();
  }

  Status check_bools(const ModelTensor& t, const char* what) {
    if (t.data == last_bools_ && t.size == last_bools_size_) return Status();
    last_bools_ = t.data;
    last_bools_size_ = t.size;
    // Ever so many tensors over the same bytes must not turn into endless work.
    bools_seen_ += t.size;
    SAMPAN_CHECK(bools_seen_ / 16 <= header_.data_size, Code::kBadModel,
                 "the boolean constants of the file overlap");
    const uint8_t* b = static_cast<const uint8_t*>(t.data);
    for (uint64_t i = 0; i < t.size; ++i)
      SAMPAN_CHECK(b[i] <= 1, Code::kBadModel, "%s is boolean, but element %llu is %d", what,
                   static_cast<unsigned long long>(i), static_cast<int>(b[i]));
    return Status();
  }

  Status packed_size(const fb::Tensor& t, const char* what, ModelTensor* out, int64_t* bytes) {
    SAMPAN_CHECK(out->dtype == DType::kFloat32, Code::kBadModel,
                 "%s is packed in float32 panels but has type %s", what, dtype_name(out->dtype));
    const uint64_t limit = static_cast<uint64_t>(kMaxTensorBytes);
    SAMPAN_CHECK(t.pack_groups() <= limit && t.pack_k() <= limit && t.pack_n() <= limit,
                 Code::kBadModel, "%s: the packed sizes are too large", what);
    out->pack_groups = static_cast<int64_t>(t.pack_groups());
    out->pack_k = static_cast<int64_t>(t.pack_k());
    out->pack_n = static_cast<int64_t>(t.pack_n());
    int64_t size = 0;
    constexpr int64_t kPanel = 16;
    const bool fits = checked_mul((out->pack_n + kPanel - 1) / kPanel * kPanel, 4, &size) &&
                      checked_mul(size, out->pack_k, &size) &&
                      checked_mul(size, out->pack_groups, &size);
    SAMPAN_CHECK(fits && size <= kMaxTensorBytes, Code::kBadModel,
                 "%s: the packed size is too large", what);
    *bytes = size;
    return Status();
  }

  Status check_range(uint64_t offset, uint64_t size, const char* what) {
    SAMPAN_CHECK(offset % kDataAlignment == 0, Code::kBadModel,
                 "%s: the data offset %llu is not a multiple of %zu", what,
                 static_cast<unsigned long long>(offset), kDataAlignment);
    SAMPAN_CHECK(offset <= header_.data_size && size <= header_.data_size - offset, Code::kBadModel,
                 "%s: %llu bytes at %llu lie outside the data section of %llu", what,
                 static_cast<unsigned long long>(size), static_cast<unsigned long long>(offset),
                 static_cast<unsigned long long>(header_.data_size));
    return Status();
  }

  // ---- inputs and outputs --------------------------------------------------------------------

  Status read_ends() {
    SAMPAN_TRY(read_end_list(graph_->inputs(), "graph input", &out_->inputs));
    SAMPAN_TRY(read_end_list(graph_->outputs(), "graph output", &out_->outputs));
    SAMPAN_CHECK(!out_->outputs.empty(), Code::kBadModel, "the graph has no output");
    size_t declared = 0;
    for (const ModelTensor& t : out_->tensors) declared += t.role == TensorRole::kInput;
    for (int32_t i : out_->inputs) {
      const ModelTensor& t = out_->tensors[static_cast<size_t>(i)];
      SAMPAN_CHECK(t.role == TensorRole::kInput, Code::kBadModel,
                   "graph input \"%.100s\" is not of the kind of an input", t.name);
    }
    SAMPAN_CHECK(declared == out_->inputs.size(), Code::kBadModel,
                 "%zu tensors are inputs, but the graph lists %zu", declared, out_->inputs.size());
    return Status();
  }

  Status read_end_list(const flatbuffers::Vector<int32_t>* list, const char* what,
                       Array<int32_t>* out) {
    const size_t n = count_of(list);
    SAMPAN_CHECK(n <= out_->tensors.size(), Code::kBadModel, "%zu %ss, but only %zu tensors", n,
                 what, out_->tensors.size());
    SAMPAN_TRY(out->resize(n));
    Array<const char*> names;
    SAMPAN_TRY(names.resize(n));
    for (size_t i = 0; i < n; ++i) {
      const int32_t t = list->Get(static_cast<unsigned>(i));
      SAMPAN_CHECK(valid_tensor(t), Code::kBadModel, "%s %zu is tensor %d, which does not exist",
                   what, i, static_cast<int>(t));
      (*out)[i] = t;
      names[i] = out_->tensors[static_cast<size_t>(t)].name;
      SAMPAN_CHECK(names[i][0] != 0, Code::kBadModel, "%s %zu has no name", what, i);
    }
    std::sort(names.begin(), names.end(),
              [](const char* a, const char* b) { return std::strcmp(a, b) < 0; });
    for (size_t i = 1; i < n; ++i)
      SAMPAN_CHECK(std::strcmp(names[i - 1], names[i]) != 0, Code::kBadModel,
                   "two %ss have the name \"%.100s\"", what, names[i]);
    return Status();
  }

  bool valid_tensor(int32_t t) const {
    return t >= 0 && static_cast<size_t>(t) < out_->tensors.size();
  }

  // ---- nodes ---------------------------------------------------------------------------------

  Status read_nodes() {
    const size_t n = count_of(graph_->nodes());
    SAMPAN_CHECK(n <= options_.max_nodes, Code::kLimit, "the file has %zu nodes; the limit is %u",
                 n, options_.max_nodes);
    SAMPAN_TRY(out_->nodes.resize(n));
    SAMPAN_TRY(size_lists(n));
    for (size_t i = 0; i < n; ++i) {
      const fb::Node& node = *graph_->nodes()->Get(static_cast<unsigned>(i));
      char scratch[24];
      ModelNode* out = &out_->nodes[i];
      Status s = read_text(node.name(), "a node's name", kMaxName, &out->name);
      if (s.ok()) s = read_node(node, static_cast<int32_t>(i), out);
      if (!s.ok())
        return std::move(s).at_node(out_->node_label(i, scratch, sizeof(scratch)), out->def->name);
    }
    return Status();
  }

  // Sizes the arrays of edges and attributes at once: pointers into them must stay. Lists that
  // several nodes share could blow a small file up without bound, hence the limits.
  Status size_lists(size_t n) {
    uint64_t edges = 0, attrs = 0, chars = 0;
    for (size_t i = 0; i < n; ++i) {
      const fb::Node& node = *graph_->nodes()->Get(static_cast<unsigned>(i));
      SAMPAN_CHECK(node.op() < ops_.size(), Code::kBadModel,
                   "node %zu names operator %u; the file lists %zu", i, node.op(), ops_.size());
      out_->nodes[i].def = ops_[node.op()];
      edges += count_of(node.inputs()) + count_of(node.outputs());
      attrs += out_->nodes[i].def->num_attrs;
      for (size_t k = 0; k < count_of(node.sources()); ++k)
        chars += node.sources()->Get(static_cast<unsigned>(k))->size() + 1;
    }
    SAMPAN_CHECK(edges <= structure_size_ / sizeof(int32_t), Code::kBadModel,
                 "the nodes have %llu inputs and outputs, more than fit the file",
                 static_cast<unsigned long long>(edges));
    SAMPAN_TRY(out_->edges.reserve(static_cast<size_t>(edges)));
    SAMPAN_TRY(out_->attrs.resize(static_cast<size_t>(attrs)));
    keep_sources_ = chars > 0 && chars <= structure_size_;
    if (keep_sources_) SAMPAN_TRY(out_->texts.reserve(static_cast<size_t>(chars), "node sources"));
    return Status();
  }

  Status read_node(const fb::Node& node, int32_t index, ModelNode* out) {
    const OperatorDef& def = *out->def;
    out->num_inputs = static_cast<int32_t>(count_of(node.inputs()));
    out->num_outputs = static_cast<int32_t>(count_of(node.outputs()));
    SAMPAN_TRY(check_counts(def, out->num_inputs, out->num_outputs));
    out->first_input = static_cast<int32_t>(out_->edges.size());
    for (int32_t k = 0; k < out->num_inputs; ++k)
      SAMPAN_TRY(read_input(node.inputs()->Get(static_cast<unsigned>(k)), k, index));
    out->first_output = static_cast<int32_t>(out_->edges.size());
    bool any = false;
    for (int32_t k = 0; k < out->num_outputs; ++k) {
      const int32_t t = node.outputs()->Get(static_cast<unsigned>(k));
      SAMPAN_TRY(read_output(t, k, index));
      any = any || t >= 0;
    }
    SAMPAN_CHECK(any, Code::kBadModel, "the node has no output");
    SAMPAN_TRY(read_attrs(node, def, versions_[node.op()], out));
    return join_sources(node, out);
  }

  Status read_input(int32_t t, int32_t k, int32_t node) {
    if (t != -1) {
      SAMPAN_CHECK(valid_tensor(t), Code::kBadModel, "input %d is tensor %d, which does not exist",
                   static_cast<int>(k), static_cast<int>(t));
      const ModelTensor& tensor = out_->tensors[static_cast<size_t>(t)];
      SAMPAN_CHECK(tensor.role != TensorRole::kComputed || tensor.producer >= 0, Code::kBadModel,
                   "input %d, tensor \"%.100s\", is not computed by any node before (node %d)",
                   static_cast<int>(k), tensor.name, static_cast<int>(node));
    }
    return out_->edges.push_back(t);
  }

  Status read_output(int32_t t, int32_t k, int32_t node) {
    if (t != -1) {
      SAMPAN_CHECK(valid_tensor(t), Code::kBadModel, "output %d is tensor %d, which does not exist",
                   static_cast<int>(k), static_cast<int>(t));
      ModelTensor& tensor = out_->tensors[static_cast<size_t>(t)];
      SAMPAN_CHECK(tensor.role == TensorRole::kComputed, Code::kBadModel,
                   "output %d, tensor \"%.100s\", is an input or constant; nothing may write it",
                   static_cast<int>(k), tensor.name);
      SAMPAN_CHECK(tensor.producer < 0, Code::kBadModel,
                   "output %d, tensor \"%.100s\", is already written by node %d",
                   static_cast<int>(k), tensor.name, static_cast<int>(tensor.producer));
      tensor.producer = node;
    }
    return out_->edges.push_back(t);
  }

  Status read_attrs(const fb::Node& node, const OperatorDef& def, uint16_t version,
                    ModelNode* out) {
    const size_t given = count_of(node.attrs());
    // Attributes are only ever appended, with a new version.
    SAMPAN_CHECK(given == def.num_attrs || (version < def.version && given < def.num_attrs),
                 Code::kBadModel, "the node has %zu attributes; the operator has %d", given,
                 static_cast<int>(def.num_attrs));
    AttrValue* values = out_->attrs.data() + next_attr_;
    next_attr_ += def.num_attrs;
    for (size_t i = 0; i < def.num_attrs; ++i) {
      fill_attr_default(def.attrs[i], &values[i]);
      if (i >= given) continue;
      const fb::Attr* a = node.attrs()->Get(static_cast<unsigned>(i));
      AttrValue& v = values[i];
      v.i = a->i();
      v.f = a->f();
      SAMPAN_TRY(check_aligned(a->ints(), "an attribute"));
      if (def.attrs[i].type == AttrType::kInts && a->ints()) {
        v.ints = a->ints()->data();
        v.size = static_cast<int32_t>(std::min<size_t>(a->ints()->size(), INT32_MAX));
      } else if (def.attrs[i].type == AttrType::kFloats && a->floats()) {
        v.floats = a->floats()->data();
        v.size = static_cast<int32_t>(std::min<size_t>(a->floats()->size(), INT32_MAX));
      }
    }
    out->attrs = values;
    return check_attrs(def, values);
  }

  Status join_sources(const fb::Node& node, ModelNode* out) {
    if (!keep_sources_ || count_of(node.sources()) == 0) return Status();
    char* at = static_cast<char*>(out_->texts.data()) + next_char_;
    out->sources = at;
    for (size_t k = 0; k < count_of(node.sources()); ++k) {
      const flatbuffers::String* s = node.sources()->Get(static_cast<unsigned>(k));
      std::memcpy(at, s->c_str(), s->size());
      for (size_t c = 0; c < s->size(); ++c)
        if (at[c] == 0) at[c] = '?';
      at += s->size();
      *at++ = ',';
    }
    at[-1] = 0;
    next_char_ = static_cast<size_t>(at - static_cast<char*>(out_->texts.data()));
    return Status();
  }

  // ---- checks over the whole graph -----------------------------------------------------------

  Status check_outputs_exist() {
    for (int32_t i : out_->outputs) {
      const ModelTensor& t = out_->tensors[static_cast<size_t>(i)];
      SAMPAN_CHECK(t.role != TensorRole::kComputed || t.producer >= 0, Code::kBadModel,
                   "graph output \"%.100s\" is not computed by any node", t.name);
      SAMPAN_CHECK(t.packing == Packing::kPlain, Code::kBadModel,
                   "graph output \"%.100s\" is a packed constant", t.name);
    }
    return Status();
  }

  // A packed constant is meaningful only to an operator that names the very same panels.
  Status check_packed_uses() {
    for (size_t i = 0; i < out_->nodes.size(); ++i) {
      const ModelNode& n = out_->nodes[i];
      for (int k = 0; k < n.num_inputs; ++k) {
        const int32_t t = out_->inputs_of(n)[k];
        if (t < 0 || out_->tensors[static_cast<size_t>(t)].packing == Packing::kPlain) continue;
        Status s = check_packed_use(n, k, out_->tensors[static_cast<size_t>(t)]);
        char scratch[24];
        if (!s.ok())
          return std::move(s).at_node(out_->node_label(i, scratch, sizeof(scratch)), n.def->name);
      }
    }
    return Status();
  }

  Status check_packed_use(const ModelNode& n, int k, const ModelTensor& t) {
    const OperatorDef& def = *n.def;
    const InputDef& in = def.inputs[k < def.num_inputs ? k : def.num_inputs - 1];
    PanelSpec spec;
    SAMPAN_CHECK((in.flags & kPackable) && def.panels_fn &&
                     def.panels_fn(LoadedNode(n), k, t.shape(), &spec),
                 Code::kBadModel, "input %d, \"%.100s\", is packed, which the operator cannot read",
                 k, t.name);
    SAMPAN_CHECK(spec.groups == t.pack_groups && spec.k == t.pack_k && spec.n == t.pack_n,
                 Code::kBadModel, "input %d, \"%.100s\", is packed for other sizes", k, t.name);
    return Status();
  }

  // Integers that shapes and indices may depend on must not change under us with a mapped file.
  Status copy_small_constants() {
    if (stable_) return Status();
    Array<int32_t> order;
    for (size_t i = 0; i < out_->tensors.size(); ++i) {
      const ModelTensor& t = out_->tensors[i];
      if (t.role == TensorRole::kConstant && is_integer_or_bool(t.dtype) &&
          t.size <= kSmallConstant)
        SAMPAN_TRY(order.push_back(static_cast<int32_t>(i)));
    }
    const Array<ModelTensor>& all = out_->tensors;
    std::sort(order.begin(), order.end(), [&all](int32_t a, int32_t b) {
      const ModelTensor& x = all[static_cast<size_t>(a)];
      const ModelTensor& y = all[static_cast<size_t>(b)];
      return x.data != y.data ? x.data < y.data : x.size < y.size;
    });
    const auto same = [&](size_t i) {
      return i > 0 && tensor_at(order, i).data == tensor_at(order, i - 1).data &&
             tensor_at(order, i).size == tensor_at(order, i - 1).size;
    };
    uint64_t total = 0;
    for (size_t i = 0; i < order.size(); ++i)
      if (!same(i)) total += (tensor_at(order, i).size + 63) / 64 * 64;
    SAMPAN_CHECK(total / 64 <= header_.data_size + 64, Code::kBadModel,
                 "the constants of the file overlap");
    SAMPAN_TRY(out_->small_constants.reserve(static_cast<size_t>(total), "small constants"));
    uint8_t* at = static_cast<uint8_t*>(out_->small_constants.data());
    Array<const void*> copies;
    SAMPAN_TRY(copies.resize(order.size()));
    for (size_t i = 0; i < order.size(); ++i) {
      const ModelTensor& t = tensor_at(order, i);
      copies[i] = same(i) ? copies[i - 1] : at;
      if (same(i)) continue;
      if (t.size > 0) std::memcpy(at, t.data, static_cast<size_t>(t.size));
      at += (t.size + 63) / 64 * 64;
    }
    for (size_t i = 0; i < order.size(); ++i)
      out_->tensors[static_cast<size_t>(order[i])].data = copies[i];
    return Status();
  }

  const ModelTensor& tensor_at(const Array<int32_t>& order, size_t i) const {
    return out_->tensors[static_cast<size_t>(order[i])];
  }

  Status intern_symbols() {
    const size_t n = out_->inputs.size();
    SAMPAN_TRY(out_->input_symbols.resize(n * kMaxRank));
    for (size_t i = 0; i < n; ++i) {
      const ModelTensor& t = out_->tensors[static_cast<size_t>(out_->inputs[i])];
      for (int k = 0; k < t.rank; ++k)
        if (t.symbols[k]) SAMPAN_TRY(out_->symbols.push_back(t.symbols[k]));
    }
    const auto less = [](const char* a, const char* b) { return std::strcmp(a, b) < 0; };
    Array<const char*>& s = out_->symbols;
    std::sort(s.begin(), s.end(), less);
    const char** end = std::unique(
        s.begin(), s.end(), [](const char* a, const char* b) { return std::strcmp(a, b) == 0; });
    SAMPAN_TRY(s.resize(static_cast<size_t>(end - s.begin())));
    for (size_t i = 0; i < n; ++i) {
      const ModelTensor& t = out_->tensors[static_cast<size_t>(out_->inputs[i])];
      for (int k = 0; k < kMaxRank; ++k) {
        const char* name = k < t.rank ? t.symbols[k] : nullptr;
        out_->input_symbols[i * kMaxRank + static_cast<size_t>(k)] =
            name
                ? static_cast<int32_t>(std::lower_bound(s.begin(), s.end(), name, less) - s.begin())
                : -1;
      }
    }
    return Status();
  }

  Status check_signatures_and_blobs() {
    for (size_t i = 0; i < count_of(source_.signatures()); ++i) {
      const fb::Signature* s = source_.signatures()->Get(static_cast<unsigned>(i));
      SAMPAN_CHECK(s->graph() < count_of(source_.graphs()), Code::kBadModel,
                   "signature %zu names graph %u, which does not exist", i, s->graph());
    }
    for (size_t i = 0; i < count_of(source_.blobs()); ++i) {
      const fb::DelegateBlob* b = source_.blobs()->Get(static_cast<unsigned>(i));
      SAMPAN_TRY(check_range(b->offset(), b->size(), "a delegate's code"));
    }
    return Status();
  }

  Status read_metadata() {
    const size_t n = count_of(source_.metadata());
    SAMPAN_TRY(out_->metadata.resize(n));
    for (size_t i = 0; i < n; ++i) {
      const fb::KeyValue* kv = source_.metadata()->Get(static_cast<unsigned>(i));
      KeyValueText* out = &out_->metadata[i];
      SAMPAN_TRY(read_text(kv->key(), "a metadata key", kMaxName, &out->key));
      SAMPAN_TRY(read_text(kv->value(), "a metadata value", SIZE_MAX, &out->value));
    }
    return Status();
  }

  const fb::Model& source_;
  const FileHeader& header_;
  const uint8_t* data_;
  size_t structure_size_;
  const LoadOptions& options_;
  bool stable_;
  ModelImpl* out_;
  const fb::Graph* graph_ = nullptr;
  Array<const OperatorDef*> ops_;
  Array<uint16_t> versions_;
  const void* last_bools_ = nullptr;
  uint64_t last_bools_size_ = 0;
  uint64_t bools_seen_ = 0;
  size_t next_attr_ = 0;
  size_t next_char_ = 0;
  bool keep_sources_ = false;
};

}  // namespace

Status read_model(const fb::Model& source, const FileHeader& header, const uint8_t* data,
                  size_t structure_size, const LoadOptions& options, bool stable, ModelImpl* out) {
  ModelReader reader(source, header, data, structure_size, options, stable, out);
  return reader.read();
}

}  // namespace sampan
