// What an operator is: its definition, its shape rule, and how it is prepared and run.
//
// An operator's folder lite_runtime/ops/<name>/ holds one <name>.cc which ends in
//
//   SAMPAN_OPERATOR(Clip, 1)
//       .doc("Limits every element to [min, max].")
//       .input("x", kFloats | kInts)
//       .output("y")
//       .attr_float(kMin, "min", kLowest)
//       .attr_float(kMax, "max", kHighest)
//       .infer(same_as_first)
//       .in_place(0)
//       .kernel(prepare, run);
//
// The build finds the folder and the macro; there is no list to edit. Names, docs and choices are
// kept by the host profile only (SAMPAN_HOST=1).
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/dims.h"
#include "kernels/isa.h"
#include "sampan/status.h"
#include "sampan/tensor.h"

#ifndef SAMPAN_HOST
  #define SAMPAN_HOST 1
#endif

namespace sampan {

class ThreadPool;

// ---- sets of element types -----------------------------------------------------------------

using DTypeSet = uint32_t;
constexpr DTypeSet dtype_bit(DType t) { return DTypeSet{1} << static_cast<int>(t); }
constexpr DTypeSet kF32 = dtype_bit(DType::kFloat32);
constexpr DTypeSet kHalfs = dtype_bit(DType::kFloat16) | dtype_bit(DType::kBFloat16);
constexpr DTypeSet kFloats = kF32 | kHalfs | dtype_bit(DType::kFloat64);
constexpr DTypeSet kSigned = dtype_bit(DType::kInt8) | dtype_bit(DType::kInt16) |
                             dtype_bit(DType::kInt32) | dtype_bit(DType::kInt64);
constexpr DTypeSet kUnsigned = dtype_bit(DType::kUInt8) | dtype_bit(DType::kUInt16) |
                               dtype_bit(DType::kUInt32) | dtype_bit(DType::kUInt64);
constexpr DTypeSet kInts = kSigned | kUnsigned;
constexpr DTypeSet kBool = dtype_bit(DType::kBool);
constexpr DTypeSet kI64 = dtype_bit(DType::kInt64);
constexpr DTypeSet kIndices = dtype_bit(DType::kInt32) | dtype_bit(DType::kInt64);
constexpr DTypeSet kNumbers = kFloats | kInts;
constexpr DTypeSet kAnyType = kNumbers | kBool;
inline bool in_set(DTypeSet set, DType t) { return (set & dtype_bit(t)) != 0; }

// ---- definitions ---------------------------------------------------------------------------

enum InputFlags : uint8_t {
  kPlainInput = 0,
  kOptional = 1,   // may be absent (index -1 in the file)
  kVariadic = 2,   // the last input, repeated one or more times
  kShapeOnly = 4,  // the operator looks at the shape, never at the elements (Shape, Size)
  kPackable = 8,   // a constant may come in canonical panels (see panels)
};

struct InputDef {
  const char* name = nullptr;
  DTypeSet dtypes = 0;
  uint8_t flags = 0;
  int8_t same_type_as = -1;  // index of an input whose element type this one must have
};

struct OutputDef {
  const char* name = nullptr;
  uint8_t flags = 0;  // kOptional, kVariadic
};

enum class AttrType : uint8_t { kInt, kFloat, kInts, kFloats, kBool, kEnum, kDType };
constexpr const char* kAttrTypeNames[] = {"int",  "float", "ints", "floats",
                                          "bool", "enum",  "dtype"};

struct AttrDef {
  const char* name = nullptr;
  const char* choices = nullptr;  // kEnum: "NCHW|NHWC"; the value is the index
  const char* doc = nullptr;
  AttrType type = AttrType::kInt;
  int64_t default_int = 0;
  float default_float = 0;
  int64_t min = INT64_MIN;  // kInt, and every element of kInts; kEnum: number of choices in max
  int64_t max = INT64_MAX;
};

// As a node holds it. Lists point into the model.
struct AttrValue {
  int64_t i = 0;
  float f = 0;
  const int64_t* ints = nullptr;
  const float* floats = nullptr;
  int32_t size = 0;  // of the list
};

struct OperatorDef;

// Where a constant matrix lies inside a plain tensor: element (g, k, n) at
// g * stride_group + k * stride_k + n * stride_n.
struct PanelSpec {
  int64_t groups = 1, k = 0, n = 0;
  int64_t stride_group = 0, stride_k = 0, stride_n = 0;
};

// Read access to a node's definition and attributes: shared by all contexts.
class NodeView {
 public:
  const OperatorDef& def() const { return *def_; }
  int64_t attr_int(int i) const { return attrs_[i].i; }
  bool attr_bool(int i) const { return attrs_[i].i != 0; }
  DType attr_dtype(int i) const { return static_cast<DType>(attrs_[i].i); }
  float attr_float(int i) const { return attrs_[i].f; }
  const AttrValue& attr_list(int i) const { return attrs_[i]; }  // kInts, kFloats
  int num_inputs() const { return num_inputs_; }  // trailing absent ones are counted, too
  int num_outputs() const { return num_outputs_; }

 protected:
  const OperatorDef* def_ = nullptr;
  const AttrValue* attrs_ = nullptr;
  int num_inputs_ = 0;
  int num_outputs_ = 0;
};

// For shape rules. Dimensions may be symbolic on the host; see DimMath.
class InferContext : public NodeView {
 public:
  bool has_input(int i) const { return i < num_inputs_ && inputs_[i].present; }
  bool has_output(int i) const { return i < num_outputs_ && outputs_[i].wanted; }
  DType dtype(int i) const { return inputs_[i].dtype; }
  const DimShape& shape(int i) const { return inputs_[i].shape; }
  // The elements of an integer (or bool) input, if they are known; null otherwise. A shape rule
  // that cannot go on without them returns need_values(i): the runtime then runs the graph up to
  // here first, and the host takes the shape as unknown.
  const Dim* values(int i) const { return inputs_[i].values; }
  int num_values(int i) const { return inputs_[i].num_values; }
  // The elements of a float input, if known (Resize's scales); null otherwise.
  const float* float_values(int i) const { return inputs_[i].float_values; }
  Status need_values(int i) const {
    needed_ = i;
    return Status::error(Code::kNeedsValues, "needs the values of input %d", i);
  }

  DimMath& math() { return math_; }
  void set_output(int i, DType dtype, const DimShape& shape) {
    outputs_[i].dtype = dtype;
    outputs_[i].shape = shape;
    outputs_[i].is_set = true;
  }
  // Host: the elements of a small integer output, so that shape arithmetic folds to symbols. At
  // most kMaxValues; ignored by the runtime, which runs such nodes while planning.
  void set_output_values(int i, const Dim* values, int n);
  bool wants_values() const { return wants_values_; }

  static constexpr int kMaxValues = 64;
  struct In {
    bool present = false;
    DType dtype = DType::kInvalid;
    DimShape shape;
    const Dim* values = nullptr;
    const float* float_values = nullptr;
    int num_values = 0;
  };
  struct Out {
    bool wanted = true, is_set = false;
    DType dtype = DType::kInvalid;
    DimShape shape;
    int num_values = -1;  // -1: not known
    Dim values[kMaxValues];
  };

 protected:
  friend Status infer_node(InferContext&);
  In* inputs_ = nullptr;
  Out* outputs_ = nullptr;
  DimMath math_;
  bool wants_values_ = false;
  mutable int needed_ = -1;

 public:
  int needed_input() const { return needed_; }  // of the last need_values(); -1: none
  // Filled by whoever calls a rule (session, Python binding).
  void bind(const OperatorDef* def, const AttrValue* attrs, In* in, int n_in, Out* out, int n_out,
            DimTable* table, bool wants_values) {
    def_ = def;
    attrs_ = attrs;
    inputs_ = in;
    num_inputs_ = n_in;
    outputs_ = out;
    num_outputs_ = n_out;
    math_ = DimMath(table);
    wants_values_ = wants_values;
  }
};

// Checks counts, types and attribute ranges against the definition, then calls the rule, then
// checks what it set. The only way to call a rule.
Status infer_node(InferContext& ctx);

// Parts of it that need no shapes; the model reader calls them once. A node has at most this many
// inputs, and outputs.
constexpr int kMaxNodeInputs = 4096;
Status check_counts(const OperatorDef& def, int num_inputs, int num_outputs);
Status check_attrs(const OperatorDef& def, const AttrValue* attrs);
void fill_attr_default(const AttrDef& def, AttrValue* value);

// Shared by PrepareContext and RunContext.
class TensorContext : public NodeView {
 public:
  bool has_input(int i) const { return i < num_inputs_ && inputs_[i] != nullptr; }
  bool has_output(int i) const { return i < num_outputs_ && outputs_[i] != nullptr; }
  const Tensor& input(int i) const { return *inputs_[i]; }
  Tensor& output(int i) const { return *outputs_[i]; }
  Isa isa() const { return isa_; }
  int threads() const { return threads_; }

 protected:
  Tensor** inputs_ = nullptr;
  Tensor** outputs_ = nullptr;
  Isa isa_ = Isa::kPortable;
  int threads_ = 1;
};

// Called once per plan, after shapes are known: choose kernels, compute tables, ask for workspace.
// input(i).data is null unless the input is a constant or was computed while planning.
class PrepareContext : public TensorContext {
 public:
  // Zeroed memory that lives as long as the plan; state() of the run gives it back.
  template <class T>
  Status state(T** out) {
    static_assert(std::is_trivially_destructible<T>::value,
                  "plan memory is dropped, not destroyed");
    void* p = nullptr;
    SAMPAN_TRY(plan_memory(sizeof(T), &p));
    *out = new (p) T();
    set_state(p);
    return Status();
  }
  virtual Status plan_memory(size_t bytes, void** out) = 0;
  // Whether input i has the same elements in every plan, so that what is made of them may go into
  // constant_memory. (Elements computed while planning are shown, too, but change with shapes.)
  virtual bool is_constant(int i) const { return has_input(i) && input(i).data != nullptr; }
  // Memory kept over re-planning, for things that depend on constants only (packed weights): fresh
  // is true the first time, and the caller then fills it. slot counts from 0 per node.
  virtual Status constant_memory(int slot, size_t bytes, void** out, bool* fresh) = 0;
  // Scratch memory of one run; the largest request counts. 64-byte aligned.
  virtual Status workspace(int64_t bytes) = 0;
  // The name the profiler prints: "conv_f32_6x16_avx2". Must be a literal or live as long.
  virtual void kernel_name(const char* name) = 0;

 protected:
  ~PrepareContext() = default;
  virtual void set_state(void* p) = 0;
};

class RunContext : public TensorContext {
 public:
  template <class T>
  T* state() const {
    return static_cast<T*>(state_);
  }
  void* workspace() const { return workspace_; }

  // Calls fn(begin, end, thread) for parts of [0, total), each of at least `grain` items, on up to
  // threads() threads. Parts never overlap; thread is in [0, threads()).
  template <class F>
  void parallel_for(int64_t total, int64_t grain, F&& fn) const {
    parallel_for_raw(
        total, grain,
        [](void* arg, int64_t begin, int64_t end, int thread) {
          (*static_cast<std::remove_reference_t<F>*>(arg))(begin, end, thread);
        },
        &fn);
  }
  using RangeFn = void (*)(void* arg, int64_t begin, int64_t end, int thread);
  void parallel_for_raw(int64_t total, int64_t grain, RangeFn fn, void* arg) const;

  // For operators whose output shape depends on data (NonZero): the shape rule gave an upper
  // bound; the elements lie contiguously at the start of the output.
  void shrink_output(int i, const Shape& shape) const { outputs_[i]->shape = shape; }

  // Filled by the session.
  void bind(const OperatorDef* def, const AttrValue* attrs, Tensor** in, int n_in, Tensor** out,
            int n_out, Isa isa, ThreadPool* pool, int threads, void* state, void* workspace) {
    def_ = def;
    attrs_ = attrs;
    inputs_ = in;
    num_inputs_ = n_in;
    outputs_ = out;
    num_outputs_ = n_out;
    isa_ = isa;
    pool_ = pool;
    threads_ = threads;
    state_ = state;
    workspace_ = workspace;
  }

 private:
  ThreadPool* pool_ = nullptr;
  void* state_ = nullptr;
  void* workspace_ = nullptr;
};

using InferFn = Status (*)(InferContext&);
using PrepareFn = Status (*)(PrepareContext&);
using RunFn = Status (*)(RunContext&);
// Fills `out` for a packable input of a node whose constant has this shape; false: not packable.
using PanelsFn = bool (*)(const NodeView& node, int input, const Shape& shape, PanelSpec* out);

enum OperatorFlags : uint8_t {
  kPure = 0,
  kView = 1,           // output 0 has the very bytes of input 0 (Reshape, Identity): no run
  kDynamicOutput = 2,  // output shapes depend on data; the rule gives upper bounds
};

// Called in constant evaluation only when a definition is wrong, and so stops the build there.
void operator_definition_error(const char* why);

struct OperatorDef {
  static constexpr int kMaxInputs = 10, kMaxOutputs = 6, kMaxAttrs = 20;

  const char* name = nullptr;
  uint16_t version = 1;
  uint8_t flags = 0;
  int8_t in_place_input = -1;  // output 0 may take this input's memory (if shapes' bytes agree)
  uint8_t num_inputs = 0, num_outputs = 0, num_attrs = 0;
  const char* doc_text = nullptr;
  InputDef inputs[kMaxInputs];
  OutputDef outputs[kMaxOutputs];
  AttrDef attrs[kMaxAttrs];
  InferFn infer_fn = nullptr;
  PrepareFn prepare_fn = nullptr;  // may be null
  RunFn run_fn = nullptr;          // null only for views
  PanelsFn panels_fn = nullptr;

  constexpr OperatorDef(const char* n, uint16_t v) : name(n), version(v) {}

  constexpr OperatorDef doc(const char* text) const {
    OperatorDef d = *this;
    d.doc_text = host_text(text);
    return d;
  }
  // same_type_as: index of an earlier input whose element type this one shares.
  constexpr OperatorDef input(const char* n, DTypeSet types, int flags_ = 0,
                              int same_type_as = -1) const {
    OperatorDef d = *this;
    if (num_inputs >= kMaxInputs) operator_definition_error("too many inputs");
    d.inputs[num_inputs].name = host_text(n);
    d.inputs[num_inputs].dtypes = types;
    d.inputs[num_inputs].flags = static_cast<uint8_t>(flags_);
    d.inputs[num_inputs].same_type_as = static_cast<int8_t>(same_type_as);
    ++d.num_inputs;
    return d;
  }
  constexpr OperatorDef output(const char* n, int flags_ = 0) const {
    OperatorDef d = *this;
    if (num_outputs >= kMaxOutputs) operator_definition_error("too many outputs");
    d.outputs[num_outputs].name = host_text(n);
    d.outputs[num_outputs].flags = static_cast<uint8_t>(flags_);
    ++d.num_outputs;
    return d;
  }
  // The index is the enumerator with which the operator's code reads the attribute.
  constexpr OperatorDef attr_int(int index, const char* n, int64_t default_value, int64_t min,
                                 int64_t max, const char* text = nullptr) const {
    return attr(index, n, AttrType::kInt, default_value, 0, min, max, nullptr, text);
  }
  constexpr OperatorDef attr_bool(int index, const char* n, bool default_value,
                                  const char* text = nullptr) const {
    return attr(index, n, AttrType::kBool, default_value, 0, 0, 1, nullptr, text);
  }
  constexpr OperatorDef attr_float(int index, const char* n, float default_value,
                                   const char* text = nullptr) const {
    return attr(index, n, AttrType::kFloat, 0, default_value, 0, 0, nullptr, text);
  }
  // Default: the empty list.
  constexpr OperatorDef attr_ints(int index, const char* n, int64_t min, int64_t max,
                                  const char* text = nullptr) const {
    return attr(index, n, AttrType::kInts, 0, 0, min, max, nullptr, text);
  }
  constexpr OperatorDef attr_floats(int index, const char* n, const char* text = nullptr) const {
    return attr(index, n, AttrType::kFloats, 0, 0, 0, 0, nullptr, text);
  }
  // choices: "nearest|linear|cubic"; the value is the position.
  constexpr OperatorDef attr_enum(int index, const char* n, const char* choices,
                                  int64_t default_value, const char* text = nullptr) const {
    int64_t count = 1;
    for (const char* c = choices; *c; ++c) count += *c == '|';
    return attr(index, n, AttrType::kEnum, default_value, 0, 0, count - 1, choices, text);
  }
  constexpr OperatorDef attr_dtype(int index, const char* n, DType default_value,
                                   const char* text = nullptr) const {
    return attr(index, n, AttrType::kDType, static_cast<int64_t>(default_value), 0, 0,
                kDTypeCount - 1, nullptr, text);
  }
  constexpr OperatorDef infer(InferFn fn) const {
    OperatorDef d = *this;
    d.infer_fn = fn;
    return d;
  }
  constexpr OperatorDef in_place(int input_index) const {
    OperatorDef d = *this;
    d.in_place_input = static_cast<int8_t>(input_index);
    return d;
  }
  constexpr OperatorDef view() const {
    OperatorDef d = *this;
    d.flags |= kView;
    return d;
  }
  constexpr OperatorDef dynamic_output() const {
    OperatorDef d = *this;
    d.flags |= kDynamicOutput;
    return d;
  }
  constexpr OperatorDef panels(PanelsFn fn) const {
    OperatorDef d = *this;
    d.panels_fn = fn;
    return d;
  }
  constexpr OperatorDef kernel(PrepareFn prepare, RunFn run) const {
    OperatorDef d = *this;
    d.prepare_fn = prepare;
    d.run_fn = run;
    return d;
  }
  constexpr OperatorDef kernel(RunFn run) const { return kernel(nullptr, run); }

 private:
  static constexpr const char* host_text(const char* s) { return SAMPAN_HOST ? s : nullptr; }
  constexpr OperatorDef attr(int index, const char* n, AttrType type, int64_t di, float df,
                             int64_t min, int64_t max, const char* choices,
                             const char* text) const {
    OperatorDef d = *this;
    if (index != num_attrs) operator_definition_error("attributes must be in enumerator order");
    if (num_attrs >= kMaxAttrs) operator_definition_error("too many attributes");
    AttrDef& a = d.attrs[num_attrs];
    a.name = host_text(n);
    a.choices = host_text(choices);
    a.doc = host_text(text);
    a.type = type;
    a.default_int = di;
    a.default_float = df;
    a.min = min;
    a.max = max;
    ++d.num_attrs;
    return d;
  }
};

// All operators of this build, sorted by name (the table is generated by the build).
struct OperatorTable {
  const OperatorDef* const* ops;
  size_t size;
};
OperatorTable operator_table();
const OperatorDef* find_operator(const char* name);  // null if the build lacks it
// Further operators, sorted by name; the build's own win. Process-wide, and only while no model is
// loaded. The table and what it names must live on.
void set_custom_operators(const OperatorTable& table);

}  // namespace sampan

#define SAMPAN_OPERATOR(Name, version)      \
  namespace sampan {                        \
  extern const OperatorDef kOperator##Name; \
  }                                         \
  constexpr ::sampan::OperatorDef sampan::kOperator##Name = ::sampan::OperatorDef(#Name, version)
