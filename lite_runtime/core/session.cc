// The public face of sessions, and the checks of what callers hand in.
#include "sampan/session.h"

#include <cstdio>
#include <cstring>

#include "core/cpu.h"
#include "core/session_impl.h"

#ifndef SAMPAN_VERSION
  #define SAMPAN_VERSION "0.1.0"
#endif

namespace sampan {
namespace {

bool in_range(int index, size_t n) { return index >= 0 && static_cast<size_t>(index) < n; }

// "[2, 3, 224]"
struct ShapeText {
  char text[160];
  explicit ShapeText(const Shape& s) {
    size_t used = static_cast<size_t>(std::snprintf(text, sizeof(text), "["));
    for (int i = 0; i < s.rank; ++i)
      used += static_cast<size_t>(std::snprintf(text + used, sizeof(text) - used, "%s%lld",
                                                i ? ", " : "", static_cast<long long>(s.dims[i])));
    std::snprintf(text + used, sizeof(text) - used, "]");
  }
};

}  // namespace

// ---- creation ----------------------------------------------------------------------------------

Result<Session> SessionImpl::create(const Model& model, const SessionOptions& options) {
  SAMPAN_CHECK(model.valid(), Code::kInvalidArgument, "the model is empty; load one first");
  Box<SessionImpl> impl;
  SAMPAN_ASSIGN(impl, make_box<SessionImpl>());
  SAMPAN_TRY(impl->start(model, options));
  return Session(impl.detach());
}

Status SessionImpl::start(const Model& model, const SessionOptions& options) {
  model_ = model;
  m_ = model.impl();
  options_ = options;
  options_.isa = nullptr;  // the caller's text need not live on
  SAMPAN_ASSIGN(isa_, choose_isa(options.isa));
  SAMPAN_ASSIGN(pool_, ThreadPool::create(options.threads));
  SAMPAN_TRY(inputs_.resize(m_->inputs.size()));
  SAMPAN_TRY(outputs_.resize(m_->outputs.size()));
  SAMPAN_TRY(symbol_values_.resize(m_->symbols.size()));
  SAMPAN_TRY(symbol_inputs_.resize(m_->symbols.size()));
  SAMPAN_TRY(start_tensors());
  size_t most_inputs = 1, most_outputs = 1;
  for (const ModelNode& n : m_->nodes) {
    if (static_cast<size_t>(n.num_inputs) > most_inputs) most_inputs = n.num_inputs;
    if (static_cast<size_t>(n.num_outputs) > most_outputs) most_outputs = n.num_outputs;
  }
  SAMPAN_TRY(infer_in_.resize(most_inputs));
  SAMPAN_TRY(infer_values_.resize(most_inputs));
  SAMPAN_TRY(infer_out_.resize(most_outputs));
  SAMPAN_TRY(prepare_tensors_.resize(most_inputs + most_outputs));
  SAMPAN_TRY(prepare_pointers_.resize(most_inputs + most_outputs));
  SAMPAN_TRY(first_constant_.resize(m_->nodes.size()));
  for (int32_t& i : first_constant_) i = -1;
  return Status();
}

Status SessionImpl::start_tensors() {
  const size_t n = m_->tensors.size();
  SAMPAN_TRY(tensors_.resize(n));
  SAMPAN_TRY(shaped_.resize(n));
  for (size_t i = 0; i < n; ++i) {
    const ModelTensor& t = m_->tensors[i];
    TensorState& s = tensors_[i];
    s.root = static_cast<int32_t>(i);
    s.view.dtype = t.dtype;
    s.view.packing = t.packing;
    if (t.role != TensorRole::kConstant) continue;
    s.place = Place::kConstant;
    s.view.shape = t.shape();
    // Kernels never write to inputs; the type of Tensor serves outputs, too.
    s.data = s.view.data = const_cast<void*>(t.data);
  }
  for (size_t i = 0; i < m_->inputs.size(); ++i) {
    TensorState& s = state(m_->inputs[i]);
    s.place = Place::kInput;
    s.slot = static_cast<int32_t>(i);
  }
  SAMPAN_TRY(edges_.resize(m_->edges.size()));
  for (size_t i = 0; i < edges_.size(); ++i)
    edges_[i] = m_->edges[i] < 0 ? nullptr : &state(m_->edges[i]).view;
  for (size_t i = 0; i < m_->nodes.size(); ++i) {
    const ModelNode& node = m_->nodes[i];
    for (int k = 0; k < node.num_inputs; ++k) {
      const int32_t t = m_->inputs_of(node)[k];
      const OperatorDef& d = *node.def;
      const InputDef& in = d.inputs[k < d.num_inputs ? k : d.num_inputs - 1];
      if (t >= 0 && !(in.flags & kShapeOnly)) state(t).last_use = static_cast<int32_t>(i);
    }
  }
  for (size_t i = 0; i < m_->outputs.size(); ++i) {
    state(m_->outputs[i]).last_use = kForever;
    state(m_->outputs[i]).output = static_cast<int32_t>(i);
  }
  return Status();
}

// ---- inputs and outputs
// --------------------------------------------------------------------------

Status SessionImpl::set_input(int index, const Tensor& tensor) {
  BusyGuard guard(this);
  SAMPAN_TRY(guard.check());
  SAMPAN_CHECK(in_range(index, inputs_.size()), Code::kInvalidArgument,
               "there is no input %d; the model has %zu", index, inputs_.size());
  const ModelTensor& want =
      m_->tensors[static_cast<size_t>(m_->inputs[static_cast<size_t>(index)])];
  SAMPAN_CHECK(tensor.dtype == want.dtype, Code::kInvalidArgument,
               "input \"%.100s\" must have type %s, got %s", want.name, dtype_name(want.dtype),
               dtype_name(tensor.dtype));
  SAMPAN_CHECK(tensor.packing == Packing::kPlain, Code::kInvalidArgument,
               "input \"%.100s\" must not be packed", want.name);
  SAMPAN_CHECK(tensor.shape.rank == want.rank, Code::kInvalidArgument,
               "input \"%.100s\" must have rank %d, got %d", want.name, want.rank,
               static_cast<int>(tensor.shape.rank));
  for (int i = 0; i < want.rank; ++i) {
    const int64_t d = tensor.shape[i];
    SAMPAN_CHECK(d >= 0 && (want.dims[i] < 0 || d == want.dims[i]), Code::kInvalidArgument,
                 "input \"%.100s\": dimension %d must be %lld, got %s", want.name, i,
                 static_cast<long long>(want.dims[i]), ShapeText(tensor.shape).text);
  }
  Status shape = check_shape(tensor.shape, tensor.dtype, want.name);
  if (!shape.ok()) return Status::error(Code::kInvalidArgument, "%s", shape.message());
  SAMPAN_CHECK(tensor.data != nullptr || tensor.shape.elements() == 0, Code::kInvalidArgument,
               "input \"%.100s\" has no data", want.name);
  SAMPAN_CHECK(reinterpret_cast<uintptr_t>(tensor.data) % dtype_size(tensor.dtype) == 0,
               Code::kInvalidArgument, "the data of input \"%.100s\" is not aligned to %zu bytes",
               want.name, dtype_size(tensor.dtype));
  inputs_[static_cast<size_t>(index)].tensor = tensor;
  inputs_[static_cast<size_t>(index)].set = true;
  return Status();
}

Status SessionImpl::set_output(int index, void* data, size_t capacity) {
  BusyGuard guard(this);
  SAMPAN_TRY(guard.check());
  SAMPAN_CHECK(in_range(index, outputs_.size()), Code::kInvalidArgument,
               "there is no output %d; the model has %zu", index, outputs_.size());
  const ModelTensor& t = m_->tensors[static_cast<size_t>(m_->outputs[static_cast<size_t>(index)])];
  SAMPAN_CHECK(reinterpret_cast<uintptr_t>(data) % dtype_size(t.dtype) == 0, Code::kInvalidArgument,
               "the buffer for output \"%.100s\" is not aligned to %zu bytes", t.name,
               dtype_size(t.dtype));
  OutputBinding& out = outputs_[static_cast<size_t>(index)];
  out.data = data;
  out.capacity = data ? capacity : 0;
  out.ready = false;
  return Status();
}

Status SessionImpl::check_inputs_set() {
  for (size_t i = 0; i < inputs_.size(); ++i)
    SAMPAN_CHECK(inputs_[i].set, Code::kInvalidArgument, "input \"%.100s\" is not set",
                 m_->tensors[static_cast<size_t>(m_->inputs[i])].name);
  SAMPAN_TRY(check_symbols());
  return check_overlaps();
}

Status SessionImpl::check_symbols() {
  for (int64_t& v : symbol_values_) v = -1;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Shape& shape = inputs_[i].tensor.shape;
    for (int k = 0; k < shape.rank; ++k) {
      const int32_t s = m_->input_symbols[i * kMaxRank + static_cast<size_t>(k)];
      if (s < 0) continue;
      int64_t& value = symbol_values_[static_cast<size_t>(s)];
      if (value < 0) {
        value = shape[k];
        symbol_inputs_[static_cast<size_t>(s)] = static_cast<int32_t>(i);
        continue;
      }
      const int32_t first = m_->inputs[static_cast<size_t>(symbol_inputs_[static_cast<size_t>(s)])];
      SAMPAN_CHECK(value == shape[k], Code::kInvalidArgument,
                   "\"%.60s\" is %lld in input \"%.80s\", but %lld in input \"%.80s\"; they must "
                   "be equal",
                   m_->symbols[static_cast<size_t>(s)], static_cast<long long>(value),
                   m_->tensors[static_cast<size_t>(first)].name, static_cast<long long>(shape[k]),
                   m_->tensors[static_cast<size_t>(m_->inputs[i])].name);
    }
  }
  return Status();
}

// A run writes outputs while inputs are still read.
Status SessionImpl::check_overlaps() {
  const auto overlap = [](const void* a, size_t na, const void* b, size_t nb) {
    const uintptr_t x = reinterpret_cast<uintptr_t>(a), y = reinterpret_cast<uintptr_t>(b);
    return na > 0 && nb > 0 && (x < y ? y - x < na : x - y < nb);
  };
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const OutputBinding& out = outputs_[o];
    if (!out.data) continue;
    const char* name = m_->tensors[static_cast<size_t>(m_->outputs[o])].name;
    for (size_t i = 0; i < inputs_.size(); ++i)
      SAMPAN_CHECK(
          !overlap(out.data, out.capacity, inputs_[i].tensor.data, inputs_[i].tensor.bytes()),
          Code::kInvalidArgument,
          "the buffer for output \"%.100s\" overlaps the data of input \"%.100s\"", name,
          m_->tensors[static_cast<size_t>(m_->inputs[i])].name);
    for (size_t p = 0; p < o; ++p)
      SAMPAN_CHECK(!overlap(out.data, out.capacity, outputs_[p].data, outputs_[p].capacity),
                   Code::kInvalidArgument,
                   "the buffers for outputs \"%.100s\" and \"%.100s\" overlap", name,
                   m_->tensors[static_cast<size_t>(m_->outputs[p])].name);
  }
  return Status();
}

// ---- what callers can look at
// --------------------------------------------------------------------

Result<Tensor> SessionImpl::output(int index) const {
  SAMPAN_CHECK(in_range(index, outputs_.size()), Code::kInvalidArgument,
               "there is no output %d; the model has %zu", index, outputs_.size());
  const OutputBinding& out = outputs_[static_cast<size_t>(index)];
  SAMPAN_CHECK(out.ready, Code::kInvalidArgument, "there is no output yet; run the session first");
  return out.result;
}

Result<Tensor> SessionImpl::tensor(const char* name) const {
  for (size_t i = 0; i < m_->tensors.size(); ++i) {
    if (std::strcmp(m_->tensors[i].name, name) != 0) continue;
    const TensorState& t = tensors_[i];
    if (t.output >= 0) return output(t.output);
    const Place place = tensors_[static_cast<size_t>(t.root)].place;
    SAMPAN_CHECK(options_.keep_intermediates || place == Place::kConstant, Code::kInvalidArgument,
                 "\"%.100s\" is not kept; create the session with keep_intermediates", name);
    SAMPAN_CHECK(t.view.data != nullptr && place != Place::kNone, Code::kInvalidArgument,
                 "\"%.100s\" has not been computed yet; run the session first", name);
    return t.view;
  }
  return Status::error(Code::kInvalidArgument, "the model has no tensor \"%.100s\"", name);
}

ProfileEntry SessionImpl::profile_entry(int i) const {
  ProfileEntry e;
  if (!in_range(i, profile_.size())) return e;
  const ProfileRecord& r = profile_[static_cast<size_t>(i)];
  const ModelNode& n = node(r.node);
  e.node = n.name;
  e.op = n.def->name;
  e.kernel = r.kernel;
  e.sources = n.sources;
  e.start_ns = r.start;
  e.duration_ns = r.duration;
  return e;
}

MemoryReport SessionImpl::memory() const {
  MemoryReport r;
  for (const Segment& s : segments_) {
    if (!s.valid) continue;
    if (s.arena.bytes > r.arena_bytes) r.arena_bytes = s.arena.bytes;
    if (s.arena.lower_bound > r.lower_bound_bytes) r.lower_bound_bytes = s.arena.lower_bound;
    r.without_reuse_bytes += s.arena.without_reuse;
  }
  for (const Buffer& b : owned_) {
    r.arena_bytes += static_cast<int64_t>(b.size());
    r.lower_bound_bytes += static_cast<int64_t>(b.size());
    r.without_reuse_bytes += static_cast<int64_t>(b.size());
  }
  for (const ConstantBlock& c : constants_)
    r.packed_weight_bytes += static_cast<int64_t>(c.memory.size());
  r.plans = plans_;
  return r;
}

// ---- Session -----------------------------------------------------------------------------------

Session& Session::operator=(Session&& o) noexcept {
  if (this != &o) {
    Box<SessionImpl> owner(impl_);
    impl_ = o.impl_;
    o.impl_ = nullptr;
  }
  return *this;
}
Session::~Session() { Box<SessionImpl> owner(impl_); }

Result<Session> Session::create(const Model& model, const SessionOptions& options) {
  return SessionImpl::create(model, options);
}

#define SAMPAN_NEED_SESSION() \
  SAMPAN_CHECK(impl_ != nullptr, Code::kInvalidArgument, "the session is empty; create one first")

const Model& Session::model() const {
  static const Model none;
  return impl_ ? impl_->model() : none;
}
Status Session::set_input(int index, const Tensor& tensor) {
  SAMPAN_NEED_SESSION();
  return impl_->set_input(index, tensor);
}
Status Session::set_output(int index, void* data, size_t capacity) {
  SAMPAN_NEED_SESSION();
  return impl_->set_output(index, data, capacity);
}
Status Session::plan() {
  SAMPAN_NEED_SESSION();
  return impl_->plan();
}
Status Session::run() {
  SAMPAN_NEED_SESSION();
  return impl_->run();
}
void Session::cancel() {
  if (impl_) impl_->cancel();
}
Result<Tensor> Session::output(int index) const {
  SAMPAN_NEED_SESSION();
  return impl_->output(index);
}
Result<Tensor> Session::tensor(const char* name) const {
  SAMPAN_NEED_SESSION();
  SAMPAN_CHECK(name != nullptr, Code::kInvalidArgument, "no name was given");
  return impl_->tensor(name);
}
int Session::num_profile_entries() const { return impl_ ? impl_->num_profile_entries() : 0; }
ProfileEntry Session::profile_entry(int i) const {
  return impl_ ? impl_->profile_entry(i) : ProfileEntry();
}
MemoryReport Session::memory() const { return impl_ ? impl_->memory() : MemoryReport(); }
const char* Session::isa() const { return impl_ ? impl_->isa() : ""; }

const char* version() { return SAMPAN_VERSION; }

}  // namespace sampan
