// Planning: shapes, what can be computed at once, storages and their places. See session_impl.h.
#include <cstring>

#include "core/cpu.h"
#include "core/session_impl.h"

namespace sampan {
namespace {

// Nodes that depend on nothing but constants and shapes are computed while planning if their
// outputs have at most so many elements.
constexpr int64_t kMaxKnownElements = 64 * 1024;
// Values up to this number are offered to shape rules without being asked for.
constexpr int64_t kFewValues = 64;
constexpr size_t kLargeArena = size_t{4} << 20;

bool is_known(Place p) { return p == Place::kKnown || p == Place::kConstant; }

const InputDef& input_def(const OperatorDef& d, int i) {
  return d.inputs[i < d.num_inputs ? i : d.num_inputs - 1];
}

template <class T>
void to_dims(const void* data, int64_t n, Dim* out) {
  const T* p = static_cast<const T*>(data);
  for (int64_t i = 0; i < n; ++i) {
    // Beyond int64 nothing is a dimension; the largest number makes every use of it fail.
    if (sizeof(T) == 8 && static_cast<uint64_t>(p[i]) > static_cast<uint64_t>(INT64_MAX) &&
        p[i] > T(0))
      out[i] = INT64_MAX;
    else
      out[i] = static_cast<int64_t>(p[i]);
  }
}

bool integers_to_dims(DType type, const void* data, int64_t n, Dim* out) {
  switch (type) {
    case DType::kInt8:
      to_dims<int8_t>(data, n, out);
      return true;
    case DType::kUInt8:
      to_dims<uint8_t>(data, n, out);
      return true;
    case DType::kInt16:
      to_dims<int16_t>(data, n, out);
      return true;
    case DType::kUInt16:
      to_dims<uint16_t>(data, n, out);
      return true;
    case DType::kInt32:
      to_dims<int32_t>(data, n, out);
      return true;
    case DType::kUInt32:
      to_dims<uint32_t>(data, n, out);
      return true;
    case DType::kInt64:
      to_dims<int64_t>(data, n, out);
      return true;
    case DType::kUInt64:
      to_dims<uint64_t>(data, n, out);
      return true;
    case DType::kBool:
      to_dims<uint8_t>(data, n, out);
      return true;
    default:
      return false;
  }
}

}  // namespace

// ---- plan memory
// ---------------------------------------------------------------------------------

Status PlanMemory::allocate(size_t bytes, void** out) {
  constexpr size_t kSmallBlock = 1024, kBlock = 64 * 1024;
  SAMPAN_CHECK(bytes <= static_cast<size_t>(kMaxTensorBytes), Code::kLimit,
               "%zu bytes of plan memory were asked for", bytes);
  const size_t size = bytes ? (bytes + 63) / 64 * 64 : 64;
  if (blocks_.empty() || blocks_.back().size() - used_ < size) {
    Buffer fresh;
    const size_t usual = blocks_.empty() ? kSmallBlock : kBlock;
    const size_t block = size > usual ? size : usual;
    SAMPAN_TRY(fresh.reserve(block, "plan"));
    SAMPAN_TRY(blocks_.push_back(std::move(fresh)));
    used_ = 0;
    total_ += static_cast<int64_t>(block);
    if (meter_) *meter_ += static_cast<int64_t>(block);
  }
  uint8_t* p = static_cast<uint8_t*>(blocks_.back().data()) + used_;
  std::memset(p, 0, size);
  used_ += size;
  *out = p;
  return Status();
}

void PlanMemory::clear() {
  blocks_ = Array<Buffer>();
  used_ = 0;
  if (meter_) *meter_ -= total_;
  total_ = 0;
}

// ---- preparing one node
// --------------------------------------------------------------------------

class NodePreparer final : public PrepareContext {
 public:
  NodePreparer(SessionImpl* session, Segment* segment, Step* step, bool outputs_have_memory)
      : session_(session), segment_(segment), step_(step) {
    const ModelNode& n = session->node(step->node);
    def_ = n.def;
    attrs_ = n.attrs;
    num_inputs_ = n.num_inputs;
    num_outputs_ = n.num_outputs;
    isa_ = session->isa_;
    threads_ = session->pool_->threads();
    inputs_ = session->prepare_pointers_.data();
    outputs_ = inputs_ + n.num_inputs;
    for (int i = 0; i < n.num_inputs + n.num_outputs; ++i) {
      const bool input = i < n.num_inputs;
      const int32_t t =
          input ? session->m_->inputs_of(n)[i] : session->m_->outputs_of(n)[i - n.num_inputs];
      inputs_[i] = nullptr;
      if (t < 0) continue;
      Tensor* copy = &session->prepare_tensors_[static_cast<size_t>(i)];
      *copy = session->state(t).view;
      const TensorState& storage = session->storage(t);
      const bool keep = input ? is_known(storage.place) : outputs_have_memory;
      if (!keep) copy->data = input ? decided_values(t) : nullptr;
      inputs_[i] = copy;
    }
  }

  // The elements that a shape rule asked for: another plan is made when they change.
  void* decided_values(int32_t tensor) const {
    for (const PlanInput& d : segment_->depends)
      if (d.tensor == tensor && d.values)
        return const_cast<void*>(static_cast<const void*>(d.values));
    return nullptr;
  }

  bool is_constant(int i) const override {
    if (!has_input(i)) return false;
    const int32_t t = session_->m_->inputs_of(session_->node(step_->node))[i];
    return session_->storage(t).place == Place::kConstant;
  }

  Status plan_memory(size_t bytes, void** out) override {
    SAMPAN_CHECK(bytes <= static_cast<size_t>(kMaxTensorBytes), Code::kLimit,
                 "%zu bytes of plan memory were asked for", bytes);
    SAMPAN_TRY(session_->charge(static_cast<int64_t>(bytes), "plan"));
    return segment_->memory.allocate(bytes, out);
  }

  Status constant_memory(int slot, size_t bytes, void** out, bool* fresh) override {
    int32_t& first = session_->first_constant_[static_cast<size_t>(step_->node)];
    for (int32_t i = first; i >= 0; i = session_->constants_[static_cast<size_t>(i)].next) {
      ConstantBlock& c = session_->constants_[static_cast<size_t>(i)];
      if (c.slot != slot) continue;
      *fresh = c.bytes != bytes;
      if (*fresh) SAMPAN_TRY(fill(&c, bytes));
      *out = c.memory.data();
      return Status();
    }
    ConstantBlock c;
    c.node = step_->node;
    c.slot = slot;
    c.next = first;
    SAMPAN_TRY(fill(&c, bytes));
    *fresh = true;
    *out = c.memory.data();
    const int32_t index = static_cast<int32_t>(session_->constants_.size());
    SAMPAN_TRY(session_->constants_.push_back(std::move(c)));
    first = index;
    return Status();
  }

  Status workspace(int64_t bytes) override {
    SAMPAN_CHECK(bytes >= 0 && bytes <= kMaxTensorBytes, Code::kLimit,
                 "%lld bytes of workspace were asked for", static_cast<long long>(bytes));
    if (bytes > step_->workspace_bytes) step_->workspace_bytes = bytes;
    return Status();
  }

  void kernel_name(const char* name) override { step_->kernel = name; }

 protected:
  void set_state(void* p) override { step_->state = p; }

 private:
  Status fill(ConstantBlock* c, size_t bytes) {
    SAMPAN_CHECK(bytes <= static_cast<size_t>(kMaxTensorBytes), Code::kLimit,
                 "%zu bytes for packed weights were asked for", bytes);
    c->bytes = SIZE_MAX;  // not filled
    session_->constant_bytes_ -= static_cast<int64_t>(c->memory.size());
    c->memory.reset();
    SAMPAN_TRY(session_->charge(static_cast<int64_t>(bytes), "packed weights"));
    SAMPAN_TRY(c->memory.reserve(bytes, "packed weights"));
    session_->constant_bytes_ += static_cast<int64_t>(c->memory.size());
    c->bytes = bytes;
    return Status();
  }

  SessionImpl* session_;
  Segment* segment_;
  Step* step_;
};

// Their contents would be taken for complete otherwise.
void SessionImpl::drop_constant_blocks(int32_t node) {
  for (int32_t i = first_constant_[static_cast<size_t>(node)]; i >= 0;
       i = constants_[static_cast<size_t>(i)].next) {
    ConstantBlock& c = constants_[static_cast<size_t>(i)];
    constant_bytes_ -= static_cast<int64_t>(c.memory.size());
    c.memory.reset();
    c.bytes = SIZE_MAX;  // differs from every request
  }
}

// Whether a value this node was given while planning may be another after the next plan.
bool SessionImpl::depends_on_shapes(const Segment& s, const ModelNode& n) const {
  for (int i = 0; i < n.num_inputs; ++i) {
    const int32_t t = m_->inputs_of(n)[i];
    if (t < 0) continue;
    if (storage(t).place == Place::kKnown && shaped_[static_cast<size_t>(t)]) return true;
    for (const PlanInput& d : s.depends)
      if (d.tensor == t && d.values) return true;
  }
  return false;
}

Status SessionImpl::prepare_step(Segment* s, Step* step) {
  const ModelNode& n = node(step->node);
  if (!n.def->prepare_fn) return Status();
  if (depends_on_shapes(*s, n)) drop_constant_blocks(step->node);
  NodePreparer context(this, s, step, false);
  Status status = n.def->prepare_fn(context);
  if (!status.ok()) drop_constant_blocks(step->node);
  return at_node(std::move(status), step->node);
}

// ---- memory accounting
// -----------------------------------------------------------------------------

Status SessionImpl::charge(int64_t bytes, const char* what) const {
  const uint64_t used = arena_.size() + plan_workspace_.size() +
                        static_cast<uint64_t>(plan_bytes_ + owned_bytes_ + constant_bytes_);
  SAMPAN_CHECK(static_cast<uint64_t>(bytes) <= options_.max_memory &&
                   used <= options_.max_memory - static_cast<uint64_t>(bytes),
               Code::kLimit,
               "the session would need %llu + %lld bytes (%s); its limit max_memory is %llu",
               static_cast<unsigned long long>(used), static_cast<long long>(bytes), what,
               static_cast<unsigned long long>(options_.max_memory));
  return Status();
}

Status SessionImpl::ensure_arena(const Segment& s) {
  const size_t need = s.arena.bytes > 0 ? static_cast<size_t>(s.arena.bytes) : 64;
  if (arena_.size() >= need) return Status();
  arena_.reset();
  SAMPAN_TRY(charge(static_cast<int64_t>(need), "arena"));
  SAMPAN_TRY(arena_.reserve(need, "arena"));
  if (need >= kLargeArena) advise_large_pages(arena_.data(), need);
  return Status();
}

Status SessionImpl::own_buffer(int32_t root) {
  TensorState& t = state(root);
  if (t.slot < 0) {
    const int32_t slot = static_cast<int32_t>(owned_.size());
    SAMPAN_TRY(owned_.push_back(Buffer()));
    t.slot = slot;
  }
  Buffer& b = owned_[static_cast<size_t>(t.slot)];
  const size_t need = t.bytes > 0 ? static_cast<size_t>(t.bytes) : 64;
  if (b.size() >= need) return Status();
  owned_bytes_ -= static_cast<int64_t>(b.size());
  b.reset();
  SAMPAN_TRY(charge(static_cast<int64_t>(need), m_->tensors[static_cast<size_t>(root)].name));
  SAMPAN_TRY(b.reserve(need, "tensor"));
  owned_bytes_ += static_cast<int64_t>(b.size());
  return Status();
}

double SessionImpl::estimate_work(const ModelNode& n) const {
  double elements = 0, depth = 1;
  for (int i = 0; i < n.num_inputs + n.num_outputs; ++i) {
    const Tensor* t = edges_[static_cast<size_t>(n.first_input + i)];
    if (t) elements += static_cast<double>(t->shape.elements());
  }
  class View : public NodeView {
   public:
    explicit View(const ModelNode& n) {
      def_ = n.def;
      attrs_ = n.attrs;
      num_inputs_ = n.num_inputs;
      num_outputs_ = n.num_outputs;
    }
  };
  for (int i = 0; n.def->panels_fn && i < n.num_inputs; ++i) {
    const Tensor* t = edges_[static_cast<size_t>(n.first_input + i)];
    PanelSpec spec;
    if (t && (input_def(*n.def, i).flags & kPackable) &&
        n.def->panels_fn(View(n), i, t->shape, &spec))
      depth = static_cast<double>(spec.k > 1 ? spec.k : 1);
  }
  const Tensor* out = n.num_outputs > 0 ? edges_[static_cast<size_t>(n.first_output)] : nullptr;
  return elements + (out ? static_cast<double>(out->shape.elements()) * depth : 0);
}

// ---- shapes
// ----------------------------------------------------------------------------------------

// Whether the elements of a tensor can be read before this segment runs.
bool SessionImpl::values_at_hand(int32_t t, int32_t segment_begin) const {
  const ModelTensor& m = m_->tensors[static_cast<size_t>(t)];
  if (m.packing != Packing::kPlain) return false;
  const TensorState& s = storage(t);
  if (is_known(s.place) || s.place == Place::kInput) return true;
  return s.place == Place::kOwn && m.producer >= 0 && m.producer < segment_begin;
}

Status SessionImpl::supply_values(int32_t tensor, int input) {
  InferContext::In& in = infer_in_[static_cast<size_t>(input)];
  const Tensor& view = state(tensor).view;
  const void* data = address(state(tensor).root);
  if (view.dtype == DType::kFloat32) {
    in.float_values = static_cast<const float*>(data);
    in.num_values = static_cast<int>(view.shape.elements());
    return Status();
  }
  if (!in_set(kInts | kBool, view.dtype)) return Status();
  Array<Dim>& dims = infer_values_[static_cast<size_t>(input)];
  const int64_t n = view.shape.elements();
  // One more, so that an empty list is not a null pointer.
  SAMPAN_TRY(dims.resize(static_cast<size_t>(n) + 1));
  if (n > 0) integers_to_dims(view.dtype, data, n, dims.data());
  in.values = dims.data();
  in.num_values = static_cast<int>(n);
  return Status();
}

Status SessionImpl::add_dependency(Segment* s, int32_t tensor) {
  for (const PlanInput& d : s->depends)
    if (d.tensor == tensor && d.values) return Status();
  const Tensor& view = state(tensor).view;
  PlanInput d;
  d.tensor = tensor;
  d.shape = view.shape;
  void* copy = nullptr;
  SAMPAN_TRY(charge(static_cast<int64_t>(view.bytes()), "values"));
  SAMPAN_TRY(s->memory.allocate(view.bytes(), &copy));
  if (view.bytes() > 0) std::memcpy(copy, address(state(tensor).root), view.bytes());
  d.values = copy;
  return s->depends.push_back(d);
}

// Calls the shape rule, with more values when it asks for them. *cut: it asks for some that only a
// run of the nodes before can give.
Status SessionImpl::infer(Segment* s, int32_t index, bool* cut) {
  const ModelNode& n = node(index);
  const int32_t* inputs = m_->inputs_of(n);
  for (int i = 0; i < n.num_inputs; ++i) {
    InferContext::In& in = infer_in_[static_cast<size_t>(i)];
    in = InferContext::In();
    if (inputs[i] < 0) continue;
    const Tensor& view = state(inputs[i]).view;
    in.present = true;
    in.dtype = view.dtype;
    in.shape = DimShape(view.shape);
    if (is_known(storage(inputs[i]).place) && values_at_hand(inputs[i], s->begin) &&
        view.shape.elements() <= kFewValues)
      SAMPAN_TRY(supply_values(inputs[i], i));
  }
  for (int i = 0; i < n.num_outputs; ++i) {
    // Not assigned as a whole: it is large, and the values need no reset.
    infer_out_[static_cast<size_t>(i)].wanted = m_->outputs_of(n)[i] >= 0;
    infer_out_[static_cast<size_t>(i)].is_set = false;
  }
  for (;;) {
    InferContext context;
    context.bind(n.def, n.attrs, infer_in_.data(), n.num_inputs, infer_out_.data(), n.num_outputs,
                 nullptr, false);
    Status status = infer_node(context);
    if (status.code() != Code::kNeedsValues) return status;
    const int i = context.needed_input();
    SAMPAN_CHECK(i >= 0 && i < n.num_inputs && inputs[i] >= 0, Code::kInternal,
                 "the shape rule asks for the values of an input that is absent");
    const InferContext::In& in = infer_in_[static_cast<size_t>(i)];
    SAMPAN_CHECK(!in.values && !in.float_values, Code::kInternal,
                 "the shape rule asks again for values it has got");
    if (!values_at_hand(inputs[i], s->begin)) {
      SAMPAN_CHECK(index > s->begin, Code::kInternal, "values of input %d are not at hand", i);
      *cut = true;
      return Status();
    }
    const Tensor& view = state(inputs[i]).view;
    SAMPAN_CHECK(view.shape.elements() <= kMaxKnownElements, Code::kLimit,
                 "input %d has %lld elements; at most %lld can decide a shape", i,
                 static_cast<long long>(view.shape.elements()),
                 static_cast<long long>(kMaxKnownElements));
    SAMPAN_CHECK(in_set(kInts | kBool | kF32, view.dtype), Code::kUnsupported,
                 "input %d decides a shape and has type %s; only integers and float32 can", i,
                 dtype_name(view.dtype));
    if (!is_known(storage(inputs[i]).place)) SAMPAN_TRY(add_dependency(s, inputs[i]));
    SAMPAN_TRY(supply_values(inputs[i], i));
  }
}

Status SessionImpl::set_output_views(const ModelNode& n) {
  for (int i = 0; i < n.num_outputs; ++i) {
    const int32_t t = m_->outputs_of(n)[i];
    if (t < 0) continue;
    const InferContext::Out& out = infer_out_[static_cast<size_t>(i)];
    const ModelTensor& declared = m_->tensors[static_cast<size_t>(t)];
    SAMPAN_CHECK(declared.dtype == out.dtype, Code::kBadModel,
                 "output %d, \"%.100s\", has type %s; the file says %s", i, declared.name,
                 dtype_name(out.dtype), dtype_name(declared.dtype));
    TensorState& s = state(t);
    s.view.dtype = out.dtype;
    s.view.shape = out.shape.concrete();
    s.view.data = nullptr;
    s.root = t;
    s.data = s.bound = nullptr;
    s.first_node = m_->tensors[static_cast<size_t>(t)].producer;
    s.last_use_of_storage = s.last_use > s.first_node ? s.last_use : s.first_node;
    s.bytes = static_cast<int64_t>(s.view.bytes());
    s.place = Place::kNone;
    shaped_[static_cast<size_t>(t)] = 0;
  }
  return Status();
}

// ---- computing while planning
// ------------------------------------------------------------------------

bool SessionImpl::known_while_planning(const ModelNode& n) const {
  for (int i = 0; i < n.num_inputs; ++i) {
    const int32_t t = m_->inputs_of(n)[i];
    if (t < 0 || (input_def(*n.def, i).flags & kShapeOnly)) continue;
    if (!is_known(storage(t).place)) return false;
  }
  for (int i = 0; i < n.num_outputs; ++i) {
    const int32_t t = m_->outputs_of(n)[i];
    if (t >= 0 && state(t).view.shape.elements() > kMaxKnownElements) return false;
  }
  return true;
}

Status SessionImpl::run_while_planning(Segment* s, int32_t index) {
  const ModelNode& n = node(index);
  bool shaped = false;
  for (int i = 0; i < n.num_inputs; ++i) {
    const int32_t t = m_->inputs_of(n)[i];
    if (t < 0) continue;
    shaped = shaped || shaped_[static_cast<size_t>(t)] || !is_known(storage(t).place);
  }
  for (int i = 0; i < n.num_outputs; ++i) {
    const int32_t t = m_->outputs_of(n)[i];
    if (t < 0) continue;
    TensorState& out = state(t);
    SAMPAN_TRY(charge(out.bytes, "values"));
    SAMPAN_TRY(s->memory.allocate(static_cast<size_t>(out.bytes), &out.data));
    out.view.data = out.data;
    out.place = Place::kKnown;
    shaped_[static_cast<size_t>(t)] = shaped;
  }
  Step step;
  step.node = index;
  if (n.def->prepare_fn) {
    drop_constant_blocks(index);
    NodePreparer context(this, s, &step, true);
    SAMPAN_TRY(n.def->prepare_fn(context));
  }
  const size_t need = static_cast<size_t>(step.workspace_bytes) + 64;
  if (plan_workspace_.size() < need) {
    plan_workspace_.reset();
    SAMPAN_TRY(charge(static_cast<int64_t>(need), "workspace"));
    SAMPAN_TRY(plan_workspace_.reserve(need, "workspace"));
  }
  RunContext context;
  context.bind(n.def, n.attrs, edges_.data() + n.first_input, n.num_inputs,
               edges_.data() + n.first_output, n.num_outputs, isa_, pool_.get(), pool_->threads(),
               step.state, plan_workspace_.data());
  return n.def->run_fn(context);
}

// ---- storages
// ------------------------------------------------------------------------------------------

Status SessionImpl::alias_view(Segment* s, const ModelNode& n) {
  const int32_t in = m_->inputs_of(n)[0];
  const int32_t out = m_->outputs_of(n)[0];
  SAMPAN_CHECK(in >= 0 && out >= 0 && state(in).view.bytes() == state(out).view.bytes(),
               Code::kInternal, "a view must have as many bytes as its input");
  TensorState& o = state(out);
  o.root = state(in).root;
  TensorState& root = storage(out);
  if (o.last_use_of_storage > root.last_use_of_storage)
    root.last_use_of_storage = o.last_use_of_storage;
  o.view.data = is_known(root.place) ? root.data : nullptr;
  shaped_[static_cast<size_t>(out)] = shaped_[static_cast<size_t>(in)];
  (void)s;
  return Status();
}

// The storage that output 0 may take over, or -1.
int32_t SessionImpl::in_place_root(const ModelNode& n, int32_t index) const {
  const int which = n.def->in_place_input;
  // The NaN watch compares outputs with inputs; kept tensors keep their memory.
  if (which < 0 || which >= n.num_inputs || options_.keep_intermediates || options_.nan_watch)
    return -1;
  const int32_t in = m_->inputs_of(n)[which];
  const int32_t out = m_->outputs_of(n)[0];
  if (in < 0 || out < 0 || (n.def->flags & kDynamicOutput)) return -1;
  const int32_t root = state(in).root;
  const TensorState& s = state(root);
  if (s.place != Place::kArena || s.last_use_of_storage > index) return -1;
  if (s.bytes != state(out).bytes || state(in).view.bytes() != state(out).view.bytes()) return -1;
  for (int i = 0; i < n.num_inputs; ++i) {
    const int32_t t = m_->inputs_of(n)[i];
    if (i != which && t >= 0 && state(t).root == root) return -1;
  }
  return root;
}

// The place is kArena for now; place_storages() moves those out that later segments need.
Status SessionImpl::place_outputs(Segment* s, int32_t index) {
  const ModelNode& n = node(index);
  const int32_t taken = n.num_outputs > 0 ? in_place_root(n, index) : -1;
  for (int i = 0; i < n.num_outputs; ++i) {
    const int32_t t = m_->outputs_of(n)[i];
    if (t < 0) continue;
    TensorState& out = state(t);
    out.place = Place::kArena;
    if (i == 0 && taken >= 0) {
      out.root = taken;
      state(taken).last_use_of_storage = out.last_use_of_storage;
    }
    if (n.def->flags & kDynamicOutput) SAMPAN_TRY(s->dynamic.push_back({t, out.view.shape}));
  }
  return Status();
}

Status SessionImpl::place_storages(Segment* s) {
  const bool last = s->end == static_cast<int32_t>(m_->nodes.size());
  Array<ArenaItem> items;
  Array<int32_t> roots;
  for (int32_t t : s->tensors) {
    TensorState& r = state(t);
    if (r.root != t || r.place != Place::kArena) continue;
    const bool outlives = r.last_use_of_storage >= s->end;
    if (options_.keep_intermediates || (outlives && !last)) {
      r.place = Place::kOwn;
      SAMPAN_TRY(own_buffer(t));
      continue;
    }
    ArenaItem item;
    item.size = r.bytes;
    item.first = r.first_node;
    item.last = outlives ? s->end : r.last_use_of_storage;
    SAMPAN_TRY(items.push_back(item));
    SAMPAN_TRY(roots.push_back(t));
  }
  for (const Step& step : s->steps) {
    ArenaItem item;
    item.size = step.workspace_bytes;
    item.first = item.last = step.node;
    SAMPAN_TRY(items.push_back(item));
  }
  SAMPAN_TRY(plan_arena(&items, &s->arena));
  for (size_t i = 0; i < roots.size(); ++i) state(roots[i]).offset = items[i].offset;
  for (size_t i = 0; i < s->steps.size(); ++i)
    s->steps[i].workspace_offset = items[roots.size() + i].offset;
  return ensure_arena(*s);
}

// ---- segments
// --------------------------------------------------------------------------------------------

bool SessionImpl::fits(const Segment& s) const {
  if (!s.valid) return false;
  for (const PlanInput& d : s.depends) {
    const TensorState& t = state(d.tensor);
    const TensorState& root = state(t.root);
    const bool input = root.place == Place::kInput;
    const Tensor& now =
        input && t.root == d.tensor ? inputs_[static_cast<size_t>(root.slot)].tensor : t.view;
    if (now.shape != d.shape) return false;
    if (!d.values || now.bytes() == 0) continue;
    const void* data = input ? inputs_[static_cast<size_t>(root.slot)].tensor.data : t.view.data;
    if (std::memcmp(data, d.values, now.bytes()) != 0) return false;
  }
  return true;
}

Status SessionImpl::plan_entry(size_t index, Segment* s) {
  if (index == 0) {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      TensorState& t = state(m_->inputs[i]);
      t.view.shape = inputs_[i].tensor.shape;
      t.bytes = static_cast<int64_t>(t.view.bytes());
      PlanInput d;
      d.tensor = m_->inputs[i];
      d.shape = t.view.shape;
      SAMPAN_TRY(s->depends.push_back(d));
    }
    return Status();
  }
  for (const PlannedShape& p : segments_[index - 1].dynamic) {
    PlanInput d;
    d.tensor = p.tensor;
    d.shape = state(p.tensor).view.shape;
    SAMPAN_TRY(s->depends.push_back(d));
  }
  return Status();
}

Status SessionImpl::plan_node(Segment* s, int32_t index, bool* cut) {
  const ModelNode& n = node(index);
  SAMPAN_TRY(infer(s, index, cut));
  if (*cut) return Status();
  SAMPAN_TRY(set_output_views(n));
  s->work += estimate_work(n);
  SAMPAN_CHECK(options_.max_work == 0 || s->work <= static_cast<double>(options_.max_work),
               Code::kLimit, "the run would take about %.3g operations; the limit max_work is %.3g",
               s->work, static_cast<double>(options_.max_work));
  for (int i = 0; i < n.num_outputs; ++i)
    if (m_->outputs_of(n)[i] >= 0) SAMPAN_TRY(s->tensors.push_back(m_->outputs_of(n)[i]));
  if (n.def->flags & kView) return alias_view(s, n);
  if (known_while_planning(n)) return run_while_planning(s, index);
  SAMPAN_TRY(place_outputs(s, index));
  Step step;
  step.node = index;
  SAMPAN_TRY(s->steps.push_back(step));
  s->ends_dynamic = (n.def->flags & kDynamicOutput) != 0;
  return Status();
}

// Drops the plans of this and all later segments, and every pointer into them.
void SessionImpl::invalidate_from(size_t index, int32_t begin) {
  bool any = false;
  for (size_t i = index; i < segments_.size() && (segments_[i].valid || i == index); ++i) {
    any = any || segments_[i].valid || segments_[i].memory.total() > 0;
    segments_[i].valid = false;
    segments_[i].memory.clear();
  }
  if (!any) return;
  for (size_t i = static_cast<size_t>(begin); i < m_->nodes.size(); ++i) {
    const ModelNode& n = m_->nodes[i];
    for (int k = 0; k < n.num_outputs; ++k)
      if (m_->outputs_of(n)[k] >= 0) state(m_->outputs_of(n)[k]).view.data = nullptr;
  }
}

Status SessionImpl::plan_segment(size_t index, int32_t begin) {
  invalidate_from(index, begin);
  if (segments_.size() <= index) SAMPAN_TRY(segments_.resize(index + 1));
  Segment& s = segments_[index];
  s = Segment();
  s.memory.set_meter(&plan_bytes_);
  s.begin = begin;
  s.end = static_cast<int32_t>(m_->nodes.size());
  if (index > 0) s.work = segments_[index - 1].work;
  SAMPAN_TRY(plan_entry(index, &s));
  for (int32_t i = begin; i < s.end; ++i) {
    bool cut = false;
    SAMPAN_TRY(at_node(plan_node(&s, i, &cut), i));
    if (cut) s.end = i;
    if (s.ends_dynamic) s.end = i + 1;
    if (cut || s.ends_dynamic) break;
  }
  for (Step& step : s.steps) SAMPAN_TRY(prepare_step(&s, &step));
  SAMPAN_TRY(place_storages(&s));
  s.valid = true;
  ++plans_;
  return Status();
}

Status SessionImpl::plan() {
  BusyGuard guard(this);
  SAMPAN_TRY(guard.check());
  FlushDenormals flush;
  for (OutputBinding& o : outputs_) o.ready = false;
  SAMPAN_TRY(check_inputs_set());
  if (segments_.empty() || !fits(segments_[0])) SAMPAN_TRY(plan_segment(0, 0));
  const Segment& s = segments_[0];
  SAMPAN_CHECK(s.end == static_cast<int32_t>(m_->nodes.size()) && !s.ends_dynamic,
               Code::kNeedsValues, "the output shapes depend on data; they are known after a run");
  for (size_t i = 0; i < outputs_.size(); ++i) {
    outputs_[i].result = state(m_->outputs[i]).view;
    outputs_[i].result.data = nullptr;
    outputs_[i].ready = true;
  }
  return Status();
}

}  // namespace sampan
