// Running what was planned. See session_impl.h.
#include <cstring>

#include "core/cpu.h"
#include "core/session_impl.h"

namespace sampan {
namespace {

// Whether any element is NaN or infinite: all exponent bits set.
template <class T>
bool exponent_full(const void* data, int64_t n, T exponent) {
  const T* p = static_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i)
    if ((p[i] & exponent) == exponent) return true;
  return false;
}

bool has_non_finite(const Tensor& t) {
  if (!t.data || t.packing != Packing::kPlain) return false;
  const int64_t n = t.shape.elements();
  switch (t.dtype) {
    case DType::kFloat32:
      return exponent_full<uint32_t>(t.data, n, 0x7F800000u);
    case DType::kFloat64:
      return exponent_full<uint64_t>(t.data, n, 0x7FF0000000000000u);
    case DType::kFloat16:
      return exponent_full<uint16_t>(t.data, n, 0x7C00u);
    case DType::kBFloat16:
      return exponent_full<uint16_t>(t.data, n, 0x7F80u);
    default:
      return false;
  }
}

}  // namespace

Status SessionImpl::at_node(Status status, int32_t index) const {
  if (status.ok()) return status;
  char scratch[24];
  return std::move(status).at_node(
      m_->node_label(static_cast<size_t>(index), scratch, sizeof(scratch)), node(index).def->name);
}

// Where the bytes of a storage are in this run.
void* SessionImpl::address(int32_t root) {
  TensorState& s = state(root);
  if (s.bound) return s.bound;
  switch (s.place) {
    case Place::kInput:
      return inputs_[static_cast<size_t>(s.slot)].tensor.data;
    case Place::kConstant:
    case Place::kKnown:
      return s.data;
    case Place::kArena:
      return static_cast<uint8_t*>(arena_.data()) + s.offset;
    case Place::kOwn:
      return owned_[static_cast<size_t>(s.slot)].data();
    case Place::kNone:
      break;
  }
  return nullptr;
}

void SessionImpl::bind_inputs() {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    Tensor& view = state(m_->inputs[i]).view;
    view.shape = inputs_[i].tensor.shape;
    view.data = inputs_[i].tensor.data;
  }
}

// Callers' output buffers stand in for the storages of outputs that this segment computes.
Status SessionImpl::bind_addresses(const Segment& s) {
  for (const PlannedShape& p : s.dynamic) state(p.tensor).view.shape = p.shape;
  for (int32_t t : s.tensors) state(t).bound = nullptr;
  for (int32_t t : s.tensors) {
    const TensorState& tensor = state(t);
    if (tensor.output < 0) continue;
    const OutputBinding& out = outputs_[static_cast<size_t>(tensor.output)];
    if (!out.data) continue;
    bool dynamic = false;
    for (const PlannedShape& p : s.dynamic) dynamic = dynamic || p.tensor == t;
    SAMPAN_CHECK(dynamic || tensor.view.bytes() <= out.capacity, Code::kInvalidArgument,
                 "output \"%.100s\" needs %zu bytes; the buffer set for it has %zu",
                 m_->tensors[static_cast<size_t>(t)].name, tensor.view.bytes(), out.capacity);
    TensorState& root = state(tensor.root);
    const bool computed_here =
        (root.place == Place::kArena || root.place == Place::kOwn) && root.first_node >= s.begin;
    if (computed_here && !root.bound && static_cast<size_t>(root.bytes) <= out.capacity)
      root.bound = out.data;
  }
  for (int32_t t : s.tensors) state(t).view.data = address(state(t).root);
  return Status();
}

Status SessionImpl::check_time() {
  SAMPAN_CHECK(!cancelled_.load(std::memory_order_relaxed), Code::kCancelled,
               "the run was cancelled");
  if (options_.deadline_seconds > 0) {
    const double passed = static_cast<double>(now_ns() - run_start_) * 1e-9;
    SAMPAN_CHECK(passed <= options_.deadline_seconds, Code::kCancelled,
                 "the run took longer than its deadline of %g seconds", options_.deadline_seconds);
  }
  return Status();
}

Status SessionImpl::watch_nans(const ModelNode& n) {
  for (int i = 0; i < n.num_outputs; ++i) {
    const Tensor* out = edges_[static_cast<size_t>(n.first_output + i)];
    if (!out || !has_non_finite(*out)) continue;
    for (int k = 0; k < n.num_inputs; ++k) {
      const Tensor* in = edges_[static_cast<size_t>(n.first_input + k)];
      if (in && has_non_finite(*in)) return Status();
    }
    return Status::error(Code::kDataError,
                         "output %d has a NaN or an infinity, though all inputs are finite", i);
  }
  return Status();
}

Status SessionImpl::run_step(const Step& step, uint8_t* arena) {
  const ModelNode& n = node(step.node);
  RunContext context;
  context.bind(n.def, n.attrs, edges_.data() + n.first_input, n.num_inputs,
               edges_.data() + n.first_output, n.num_outputs, isa_, pool_.get(), pool_->threads(),
               step.state, arena + step.workspace_offset);
  if (!options_.profile) {
    SAMPAN_TRY(n.def->run_fn(context));
  } else {
    const int64_t start = now_ns();
    SAMPAN_TRY(n.def->run_fn(context));
    SAMPAN_TRY(profile_.push_back({step.node, step.kernel, start - run_start_, now_ns() - start}));
  }
  return options_.nan_watch ? watch_nans(n) : Status();
}

Status SessionImpl::run_segment(Segment* s) {
  SAMPAN_TRY(ensure_arena(*s));
  SAMPAN_TRY(bind_addresses(*s));
  uint8_t* arena = static_cast<uint8_t*>(arena_.data());
  for (const Step& step : s->steps) {
    SAMPAN_TRY(check_time());
    Status status = run_step(step, arena);
    if (!status.ok()) return at_node(std::move(status), step.node);
  }
  for (const PlannedShape& p : s->dynamic) {
    const Shape& shape = state(p.tensor).view.shape;
    SAMPAN_TRY(at_node(check_shape(shape, state(p.tensor).view.dtype, "the output"), s->end - 1));
    SAMPAN_CHECK(static_cast<int64_t>(state(p.tensor).view.bytes()) <= state(p.tensor).bytes,
                 Code::kInternal, "an output outgrew its upper bound");
  }
  return Status();
}

Status SessionImpl::finish_outputs() {
  for (size_t i = 0; i < outputs_.size(); ++i) {
    OutputBinding& out = outputs_[i];
    const int32_t t = m_->outputs[i];
    out.result = state(t).view;
    const size_t bytes = out.result.bytes();
    const Place place = storage(t).place;
    void* target = out.data;
    // Memory that is not the session's is copied: a caller's, the model's, and the buffer set for
    // another output that shares the storage.
    if (!target && (place == Place::kInput || place == Place::kConstant || storage(t).bound)) {
      SAMPAN_TRY(charge(static_cast<int64_t>(bytes), "output"));
      SAMPAN_TRY(out.copy.reserve(bytes, "output"));
      target = out.copy.data();
    }
    if (target && target != out.result.data) {
      SAMPAN_CHECK(!out.data || bytes <= out.capacity, Code::kInvalidArgument,
                   "output \"%.100s\" needs %zu bytes; the buffer set for it has %zu",
                   m_->tensors[static_cast<size_t>(t)].name, bytes, out.capacity);
      if (bytes > 0) std::memcpy(target, out.result.data, bytes);
      out.result.data = target;
    }
    out.ready = true;
  }
  return Status();
}

Status SessionImpl::run_guarded() {
  FlushDenormals flush;
  profile_.clear();
  for (OutputBinding& o : outputs_) o.ready = false;
  SAMPAN_TRY(check_inputs_set());
  bind_inputs();
  const int32_t end = static_cast<int32_t>(m_->nodes.size());
  int32_t begin = 0;
  size_t index = 0;
  do {
    if (segments_.size() <= index || !fits(segments_[index]))
      SAMPAN_TRY(plan_segment(index, begin));
    SAMPAN_TRY(run_segment(&segments_[index]));
    begin = segments_[index].end;
    ++index;
  } while (begin < end);
  return finish_outputs();
}

Status SessionImpl::run() {
  BusyGuard guard(this);
  SAMPAN_TRY(guard.check());
  cancelled_.store(false, std::memory_order_relaxed);
  run_start_ = now_ns();
  return run_guarded();
}

}  // namespace sampan
