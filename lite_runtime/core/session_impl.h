// How a session works.
//
// Nodes are planned in order with numbers for all dimensions. Where a shape depends on values that
// are not known yet, the schedule is cut: the segment before is run, then planning goes on with
// the values at hand. A segment remembers what its plan depended on (shapes, and values that shape
// rules asked for) and is planned again only when one of these changes.
//
// Bytes lie in storages. A view shares the storage of its input, an operator that works in place
// takes over its input's. Storages that live within one segment get places in the arena; those
// that later segments need have buffers of their own.
#pragma once
#include <atomic>
#include <cstdint>

#include "core/arena_planner.h"
#include "core/memory.h"
#include "core/model_impl.h"
#include "core/op.h"
#include "core/thread_pool.h"
#include "sampan/session.h"

namespace sampan {

// Memory that lives as long as a plan.
class PlanMemory {
 public:
  void set_meter(int64_t* meter) { meter_ = meter; }  // the bytes held are counted there, too
  Status allocate(size_t bytes, void** out);          // zeroed, 64-byte aligned
  void clear();
  int64_t total() const { return total_; }

 private:
  Array<Buffer> blocks_;
  size_t used_ = 0;  // of the last block
  int64_t total_ = 0;
  int64_t* meter_ = nullptr;
};

enum class Place : uint8_t {
  kNone,
  kInput,     // the caller's memory
  kConstant,  // the model's
  kKnown,     // computed while planning; in plan memory
  kArena,
  kOwn,  // a buffer of its own
};

struct TensorState {
  Tensor view;            // shape as of the last plan or run; data as of the last run
  int32_t root = -1;      // the tensor whose storage this one shares; itself if none
  int32_t last_use = -1;  // the last node that reads the elements; kForever for graph outputs
  // The rest is about the storage, kept with its root.
  int32_t last_use_of_storage = -1;
  int32_t first_node = -1;
  Place place = Place::kNone;
  int32_t slot = -1;    // kInput: index of the input; kOwn: index in own buffers, kept for good
  int32_t output = -1;  // index of the graph output this tensor is; not about the storage
  int64_t offset = 0;   // kArena
  int64_t bytes = 0;
  void* data = nullptr;   // kConstant, kKnown
  void* bound = nullptr;  // a caller's output buffer that stands in during this run
};
constexpr int32_t kForever = INT32_MAX;

struct Step {
  int32_t node = 0;
  void* state = nullptr;
  int64_t workspace_bytes = 0;
  int64_t workspace_offset = 0;
  const char* kernel = "";
};

// Something a plan depended on.
struct PlanInput {
  int32_t tensor = -1;
  Shape shape;
  const void* values = nullptr;  // a copy, when the elements counted, too
};

struct PlannedShape {
  int32_t tensor = -1;
  Shape shape;
};

struct Segment {
  bool valid = false;
  int32_t begin = 0, end = 0;  // nodes
  bool ends_dynamic = false;   // the last node's output shapes depend on data
  Array<Step> steps;
  Array<PlanInput> depends;
  Array<int32_t> tensors;       // outputs of its nodes
  Array<PlannedShape> dynamic;  // upper bounds, restored before each run
  PlanMemory memory;
  ArenaTotals arena;
  double work = 0;  // estimated multiply-adds
};

// Memory an operator keeps over plans (packed weights).
struct ConstantBlock {
  int32_t node = -1;
  int32_t slot = -1;
  int32_t next = -1;  // of the same node
  Buffer memory;
  size_t bytes = 0;
};

struct InputBinding {
  bool set = false;
  Tensor tensor;
};
struct OutputBinding {
  void* data = nullptr;  // the caller's; null: none
  size_t capacity = 0;
  Buffer copy;  // for outputs that have no storage of their own
  Tensor result;
  bool ready = false;
};

struct ProfileRecord {
  int32_t node;
  const char* kernel;
  int64_t start, duration;
};

class SessionImpl {
 public:
  static Result<Session> create(const Model& model, const SessionOptions& options);

  Status set_input(int index, const Tensor& tensor);
  Status set_output(int index, void* data, size_t capacity);
  Status plan();
  Status run();
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  Result<Tensor> output(int index) const;
  Result<Tensor> tensor(const char* name) const;
  ProfileEntry profile_entry(int i) const;
  int num_profile_entries() const { return static_cast<int>(profile_.size()); }
  MemoryReport memory() const;
  const char* isa() const { return isa_name(isa_); }
  const Model& model() const { return model_; }

 private:
  friend class NodePreparer;
  friend class BusyGuard;
  template <class T, class... Args>
  friend Result<Box<T>> make_box(Args&&... args);
  SessionImpl() = default;

  // session.cc
  Status start(const Model& model, const SessionOptions& options);
  Status start_tensors();
  Status check_inputs_set();
  Status check_symbols();
  Status check_overlaps();

  // session_plan.cc
  bool fits(const Segment& s) const;
  Status plan_segment(size_t index, int32_t begin);
  Status plan_entry(size_t index, Segment* s);
  Status plan_node(Segment* s, int32_t node, bool* cut);
  Status infer(Segment* s, int32_t node, bool* cut);
  Status supply_values(int32_t tensor, int input);
  Status add_dependency(Segment* s, int32_t tensor);
  Status set_output_views(const ModelNode& n);
  bool known_while_planning(const ModelNode& n) const;
  Status run_while_planning(Segment* s, int32_t node);
  Status alias_view(Segment* s, const ModelNode& n);
  Status place_outputs(Segment* s, int32_t node);
  int32_t in_place_root(const ModelNode& n, int32_t node) const;
  Status prepare_step(Segment* s, Step* step);
  Status place_storages(Segment* s);
  Status own_buffer(int32_t root);
  Status charge(int64_t bytes, const char* what) const;
  void invalidate_from(size_t index, int32_t begin);
  Status ensure_arena(const Segment& s);
  double estimate_work(const ModelNode& n) const;
  void drop_constant_blocks(int32_t node);
  bool depends_on_shapes(const Segment& s, const ModelNode& n) const;

  // session_run.cc
  Status run_guarded();
  Status run_segment(Segment* s);
  Status run_step(const Step& step, uint8_t* arena);
  void bind_inputs();
  Status bind_addresses(const Segment& s);
  void* address(int32_t root);
  Status finish_outputs();
  Status check_time();
  Status watch_nans(const ModelNode& n);
  Status at_node(Status status, int32_t node) const;

  const ModelNode& node(int32_t i) const { return m_->nodes[static_cast<size_t>(i)]; }
  TensorState& state(int32_t t) { return tensors_[static_cast<size_t>(t)]; }
  const TensorState& state(int32_t t) const { return tensors_[static_cast<size_t>(t)]; }
  TensorState& storage(int32_t t) { return state(state(t).root); }
  const TensorState& storage(int32_t t) const { return state(state(t).root); }
  bool values_at_hand(int32_t t, int32_t segment_begin) const;

  Model model_;
  const ModelImpl* m_ = nullptr;
  SessionOptions options_;
  Isa isa_ = Isa::kPortable;
  Box<ThreadPool> pool_;

  Array<TensorState> tensors_;
  Array<Tensor*> edges_;  // parallel to ModelImpl::edges; null: absent
  Array<InputBinding> inputs_;
  Array<int64_t> symbol_values_;  // scratch: -1 not met
  Array<int32_t> symbol_inputs_;  // scratch: the input that gave the value
  Array<OutputBinding> outputs_;
  Array<Segment> segments_;  // first valid ones, then invalid ones
  Array<Buffer> owned_;
  Buffer arena_;
  Buffer plan_workspace_;
  Array<ConstantBlock> constants_;
  Array<int32_t> first_constant_;  // per node, -1: none
  Array<uint8_t> shaped_;          // per tensor: known while planning, but depends on input shapes

  // Scratch of the planner.
  Array<InferContext::In> infer_in_;
  Array<InferContext::Out> infer_out_;
  Array<Array<Dim>> infer_values_;
  Array<Tensor> prepare_tensors_;
  Array<Tensor*> prepare_pointers_;

  Array<ProfileRecord> profile_;
  int64_t plans_ = 0;
  int64_t plan_bytes_ = 0, owned_bytes_ = 0, constant_bytes_ = 0;
  int64_t run_start_ = 0;
  std::atomic<bool> cancelled_{false};
  std::atomic<bool> busy_{false};
};

// Refuses entry while another thread is inside.
class BusyGuard {
 public:
  explicit BusyGuard(SessionImpl* s) : session_(s), entered_(!s->busy_.exchange(true)) {}
  ~BusyGuard() {
    if (entered_) session_->busy_.store(false);
  }
  Status check() const {
    SAMPAN_CHECK(entered_, Code::kBusy,
                 "the session is running in another thread; make one session per thread (they "
                 "share the model)");
    return Status();
  }

 private:
  SessionImpl* session_;
  bool entered_;
};

}  // namespace sampan
