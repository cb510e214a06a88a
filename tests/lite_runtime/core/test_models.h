// Small models for the tests of the core, built without a converter.
#pragma once
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "check.h"
#include "core/file_format.h"
#include "core/memory.h"
#include "core/op.h"
#include "sampan/session.h"
#include "tools/model_writer.h"

namespace sampan::test {

// Builds one graph, tensor by tensor. Constants stay alive in the builder.
class ModelBuilder {
 public:
  ModelBuilder() { spec.graphs.emplace_back(); }
  GraphSpec& graph() { return spec.graphs[0]; }

  int input(const char* name, std::vector<std::string> dims, DType type = DType::kFloat32) {
    const int t = tensor(name, TensorKind::kInput, type, dims);
    graph().inputs.push_back(t);
    return t;
  }
  template <class T>
  int constant(const char* name, std::vector<int64_t> dims, std::vector<T> values, DType type) {
    const int t = tensor(name, TensorKind::kConstant, type, {});
    TensorSpec& s = graph().tensors.back();
    s.dims = dims;
    s.symbols.clear();
    data_.emplace_back(values.size() * sizeof(T) + 1);
    if (!values.empty()) std::memcpy(data_.back().data(), values.data(), values.size() * sizeof(T));
    s.data = data_.back().data();
    s.size = values.size() * sizeof(T);
    return t;
  }
  int floats(const char* name, std::vector<int64_t> dims, std::vector<float> v) {
    return constant<float>(name, dims, v, DType::kFloat32);
  }
  int ints(const char* name, std::vector<int64_t> v) {
    return constant<int64_t>(name, {static_cast<int64_t>(v.size())}, v, DType::kInt64);
  }
  // A node with one output of unknown shape. Attributes are the operator's defaults unless given.
  int node(const char* op, std::vector<int32_t> inputs, const char* output,
           DType type = DType::kFloat32, std::vector<AttrSpec> attrs = {}) {
    const int t = tensor(output, TensorKind::kComputed, type, {});
    graph().tensors.back().has_rank = false;
    NodeSpec n;
    n.op = op;
    n.inputs = inputs;
    n.outputs = {t};
    n.name = std::string(output) + "_node";
    n.sources = {std::string("source_of_") + output};
    n.attrs = attrs.empty() ? defaults(op) : attrs;
    if (const OperatorDef* def = find_operator(op)) n.version = def->version;
    graph().nodes.push_back(n);
    return t;
  }
  void output(int t) { graph().outputs.push_back(t); }

  static std::vector<AttrSpec> defaults(const char* op) {
    std::vector<AttrSpec> list;
    const OperatorDef* def = find_operator(op);
    for (int i = 0; def && i < def->num_attrs; ++i) {
      AttrSpec a;
      a.i = def->attrs[i].default_int;
      a.f = def->attrs[i].default_float;
      list.push_back(a);
    }
    return list;
  }

  std::vector<uint8_t> bytes() const {
    std::vector<uint8_t> out;
    CHECK(write_model(spec, &out).ok());
    return out;
  }
  Model load() const {
    const std::vector<uint8_t> b = bytes();
    LoadOptions options;
    options.mapped = false;
    Result<Model> m = Model::from_memory(b.data(), b.size(), options);
    CHECK(m.ok(), "%s: %s", m.status().node(), m.status().message());
    return m.take();
  }

  ModelSpec spec;

 private:
  int tensor(const char* name, TensorKind kind, DType type, const std::vector<std::string>& dims) {
    TensorSpec t;
    t.name = name;
    t.kind = kind;
    t.dtype = type;
    for (const std::string& d : dims) {
      const bool number = !d.empty() && d[0] >= '0' && d[0] <= '9';
      t.dims.push_back(number ? std::atoll(d.c_str()) : -1);
      t.symbols.push_back(number ? "" : d);
    }
    graph().tensors.push_back(t);
    return static_cast<int>(graph().tensors.size()) - 1;
  }

  std::deque<std::vector<uint8_t>> data_;
};

inline Tensor view(void* data, std::vector<int64_t> dims, DType type = DType::kFloat32) {
  Tensor t;
  t.dtype = type;
  t.data = data;
  t.shape.rank = static_cast<int32_t>(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) t.shape[static_cast<int>(i)] = dims[i];
  return t;
}

// Counts what is allocated through the runtime's hook, and can refuse the n-th request.
class CountingAllocator {
 public:
  CountingAllocator() {
    const Allocator hook = {allocate_hook, release_hook, this};
    set_allocator(&hook);
  }
  ~CountingAllocator() { set_allocator(nullptr); }
  void fail_at(int64_t n) {
    fail_at_ = n;
    requests = 0;
  }
  int64_t outstanding = 0;  // bytes
  int64_t requests = 0;
  bool failed = false;

 private:
  static void* allocate_hook(void* c, size_t bytes, size_t alignment) {
    CountingAllocator* self = static_cast<CountingAllocator*>(c);
    if (++self->requests == self->fail_at_) {
      self->failed = true;
      return nullptr;
    }
    void* p = nullptr;
    if (posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) != 0)
      return nullptr;
    std::memset(p, 0xA5, bytes);  // nothing may rely on fresh memory being zero
    self->outstanding += static_cast<int64_t>(bytes);
    return p;
  }
  static void release_hook(void* c, void* p, size_t bytes) {
    static_cast<CountingAllocator*>(c)->outstanding -= static_cast<int64_t>(bytes);
    std::free(p);
  }
  int64_t fail_at_ = 0;
};

}  // namespace sampan::test
