// The operator library: definitions, shape rules, symbolic dimensions, packing of constants.
#include <pybind11/stl.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "bindings/python/common.h"
#include "core/dim_table.h"
#include "kernels/gemm/gemm.h"

namespace sampan::binding {
namespace {

// ---- definitions ---------------------------------------------------------------------------

py::list dtype_names(DTypeSet set) {
  py::list names;
  for (int i = 1; i < kDTypeCount; ++i)
    if (in_set(set, static_cast<DType>(i))) names.append(dtype_name(static_cast<DType>(i)));
  return names;
}

py::object default_of(const AttrDef& a) {
  switch (a.type) {
    case AttrType::kFloat:
      return py::float_(a.default_float);
    case AttrType::kInts:
    case AttrType::kFloats:
      return py::tuple();
    default:
      return py::int_(a.default_int);
  }
}

py::dict describe(const OperatorDef& def) {
  using namespace pybind11::literals;
  py::list inputs, outputs, attrs;
  for (int i = 0; i < def.num_inputs; ++i) {
    const InputDef& in = def.inputs[i];
    py::object same = in.same_type_as < 0 ? py::object(py::none()) : py::int_(in.same_type_as);
    inputs.append(py::dict("name"_a = text_or_empty(in.name), "dtypes"_a = dtype_names(in.dtypes),
                           "optional"_a = (in.flags & kOptional) != 0,
                           "variadic"_a = (in.flags & kVariadic) != 0,
                           "shape_only"_a = (in.flags & kShapeOnly) != 0,
                           "packable"_a = (in.flags & kPackable) != 0, "same_type_as"_a = same));
  }
  for (int i = 0; i < def.num_outputs; ++i)
    outputs.append(py::dict("name"_a = text_or_empty(def.outputs[i].name),
                            "optional"_a = (def.outputs[i].flags & kOptional) != 0,
                            "variadic"_a = (def.outputs[i].flags & kVariadic) != 0));
  for (int i = 0; i < def.num_attrs; ++i) {
    const AttrDef& a = def.attrs[i];
    attrs.append(py::dict("name"_a = text_or_empty(a.name),
                          "type"_a = kAttrTypeNames[static_cast<int>(a.type)],
                          "default"_a = default_of(a), "min"_a = a.min, "max"_a = a.max,
                          "choices"_a = text_or_empty(a.choices), "doc"_a = text_or_empty(a.doc)));
  }
  py::object in_place =
      def.in_place_input < 0 ? py::object(py::none()) : py::int_(def.in_place_input);
  return py::dict("name"_a = def.name, "version"_a = def.version,
                  "doc"_a = text_or_empty(def.doc_text), "inputs"_a = inputs, "outputs"_a = outputs,
                  "attrs"_a = attrs, "view"_a = (def.flags & kView) != 0,
                  "dynamic_output"_a = (def.flags & kDynamicOutput) != 0, "in_place"_a = in_place);
}

py::list operators() {
  py::list all;
  OperatorTable table = operator_table();
  for (size_t i = 0; i < table.size; ++i) all.append(describe(*table.ops[i]));
  return all;
}

// ---- symbolic dimensions -------------------------------------------------------------------

// One table for the process, so that unknowns ("?3") never get the same name twice in a graph. It
// is dropped when it has grown large; the count of unknowns goes on.
class Dims {
 public:
  // To be called before the first parse of each call from Python: dimensions parsed before are
  // void.
  void begin() {
    if (!table_ || ++uses_ > 200000) renew();
  }
  DimTable* table() { return table_.get(); }
  Dim parse(const py::handle& d) {
    if (py::isinstance<py::int_>(d)) return Dim(d.cast<int64_t>());
    if (!py::isinstance<py::str>(d)) {
      // numpy integers
      if (PyIndex_Check(d.ptr())) return Dim(py::int_(py::reinterpret_borrow<py::object>(d)));
      throw py::value_error("a dimension must be an integer or an expression, got " +
                            py::repr(d).cast<std::string>());
    }
    Dim out;
    check(table_->parse(d.cast<std::string>().c_str(), &out));
    return out;
  }
  py::object format(Dim d) {
    if (d.known()) return py::int_(d.value);
    char small[256];
    size_t n = table_->format(d, small, sizeof small);
    if (n < sizeof small) return note(std::string(small, n));
    std::string text(n + 1, '\0');
    table_->format(d, text.data(), text.size());
    text.resize(n);
    return note(text);
  }

 private:
  py::object note(const std::string& text) {
    for (size_t at = text.find('?'); at != std::string::npos; at = text.find('?', at + 1))
      last_unknown_ = std::max(last_unknown_, std::atoi(text.c_str() + at + 1));
    return py::str(text);
  }
  void renew() {
    table_ = take(DimTable::create());
    uses_ = 0;
    Dim ignored;
    check(table_->parse(("?" + std::to_string(last_unknown_)).c_str(), &ignored));
  }

  Box<DimTable> table_;
  int64_t uses_ = 0;
  int last_unknown_ = 0;
};

Dims& dims() {
  static Dims* all = new Dims;  // never destroyed: see numpy_dtype
  return *all;
}

py::object simplify_dim(const py::object& d) {
  dims().begin();
  return dims().format(dims().parse(d));
}

int64_t evaluate_dim(const py::object& d, const std::map<std::string, int64_t>& symbols) {
  dims().begin();
  Dim parsed = dims().parse(d);
  std::vector<SymbolValue> values;
  for (const auto& [name, value] : symbols) values.push_back({name.c_str(), value});
  return take(dims().table()->evaluate(parsed, values.data(), values.size()));
}

// ---- shape rules ---------------------------------------------------------------------------

// An input as Python gives it: None, or (dtype, shape, values or None, float values or None).
struct InputStorage {
  std::vector<Dim> values;
  std::vector<float> floats;
};

void read_input(const py::handle& item, InferContext::In* in, InputStorage* storage) {
  if (item.is_none()) return;
  py::tuple spec = py::reinterpret_borrow<py::tuple>(item);
  in->present = true;
  in->dtype = static_cast<DType>(spec[0].cast<int>());
  py::sequence shape = spec[1];
  if (shape.size() > static_cast<size_t>(kMaxRank))
    throw py::value_error("a tensor has " + std::to_string(shape.size()) +
                          " dimensions, at most 8 are supported");
  in->shape.rank = static_cast<int32_t>(shape.size());
  for (int i = 0; i < in->shape.rank; ++i) in->shape[i] = dims().parse(shape[i]);
  if (!spec[2].is_none()) {
    for (const py::handle& v : spec[2]) storage->values.push_back(dims().parse(v));
    storage->values.reserve(1);
    in->values = storage->values.data();
    in->num_values = static_cast<int>(storage->values.size());
  }
  if (!spec[3].is_none()) {
    for (const py::handle& v : spec[3]) storage->floats.push_back(v.cast<float>());
    storage->floats.reserve(1);
    in->float_values = storage->floats.data();
    in->num_values = static_cast<int>(storage->floats.size());
  }
}

py::tuple read_output(const InferContext::Out& out) {
  if (!out.is_set) return py::make_tuple(py::none(), py::none(), py::none());
  py::tuple shape(out.shape.rank);
  for (int i = 0; i < out.shape.rank; ++i) shape[i] = dims().format(out.shape[i]);
  py::object values = py::none();
  if (out.num_values >= 0) {
    py::tuple known(out.num_values);
    for (int i = 0; i < out.num_values; ++i) known[i] = dims().format(out.values[i]);
    values = known;
  }
  return py::make_tuple(dtype_name(out.dtype), shape, values);
}

// Returns [(dtype, shape, values)] for each output, or None when values are needed.
py::object infer(const std::string& op, const py::sequence& attrs, const py::sequence& inputs,
                 int num_outputs) {
  const OperatorDef& def = operator_def(op);
  AttrList attr_list(def, attrs);
  dims().begin();
  std::vector<InferContext::In> in(inputs.size());
  std::vector<InputStorage> storage(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) read_input(inputs[i], &in[i], &storage[i]);
  std::vector<InferContext::Out> out(static_cast<size_t>(std::max(num_outputs, 0)));
  InferContext ctx;
  ctx.bind(&def, attr_list.data(), in.data(), static_cast<int>(in.size()), out.data(),
           static_cast<int>(out.size()), dims().table(), /*wants_values=*/true);
  Status status = infer_node(ctx);
  if (status.code() == Code::kNeedsValues) return py::none();
  if (!status.ok()) throw StatusError{status.code(), status.message(), op};
  py::list results;
  for (const auto& o : out) results.append(read_output(o));
  return results;
}

// ---- packed constants ----------------------------------------------------------------------

// Gives (packed float32 array, groups, k, n) or None when the operator doesn't pack this constant.
py::object pack_constant(const std::string& op, const py::sequence& attrs, int index,
                         int num_inputs, const py::array& array) {
  const OperatorDef& def = operator_def(op);
  if (!def.panels_fn || array.ndim() > kMaxRank) return py::none();
  AttrList attr_list(def, attrs);
  InferContext node;  // only its view of the node is used
  node.bind(&def, attr_list.data(), nullptr, num_inputs, nullptr, 1, nullptr, false);
  Shape shape;
  shape.rank = static_cast<int32_t>(array.ndim());
  for (int i = 0; i < shape.rank; ++i) shape.dims[i] = array.shape(i);
  PanelSpec spec;
  if (!def.panels_fn(node, index, shape, &spec)) return py::none();
  const int64_t panel_floats = (spec.n + 15) / 16 * spec.k * 16;
  py::array_t<float> packed(static_cast<py::ssize_t>(spec.groups * panel_floats));
  const float* from = static_cast<const float*>(array.data());
  float* to = packed.mutable_data();
  {
    py::gil_scoped_release release;
    for (int64_t g = 0; g < spec.groups; ++g)
      pack_panels_f32(from + g * spec.stride_group, spec.k, spec.n, spec.stride_k, spec.stride_n,
                      to + g * panel_floats);
  }
  return py::make_tuple(packed, spec.groups, spec.k, spec.n);
}

}  // namespace

const OperatorDef& operator_def(const std::string& name) {
  const OperatorDef* def = find_operator(name.c_str());
  if (!def) throw py::value_error("there is no operator " + name + " in this build");
  return *def;
}

AttrList::AttrList(const OperatorDef& def, const py::sequence& values)
    : values_(def.num_attrs), ints_(def.num_attrs), floats_(def.num_attrs) {
  if (values.size() != def.num_attrs)
    throw py::value_error(std::string(def.name) + " has " + std::to_string(def.num_attrs) +
                          " attributes, got " + std::to_string(values.size()));
  for (size_t i = 0; i < def.num_attrs; ++i) {
    AttrValue& v = values_[i];
    switch (def.attrs[i].type) {
      case AttrType::kFloat:
        v.f = values[i].cast<float>();
        break;
      case AttrType::kInts:
        ints_[i] = values[i].cast<std::vector<int64_t>>();
        v.ints = ints_[i].data();
        v.size = static_cast<int32_t>(ints_[i].size());
        break;
      case AttrType::kFloats:
        floats_[i] = values[i].cast<std::vector<float>>();
        v.floats = floats_[i].data();
        v.size = static_cast<int32_t>(floats_[i].size());
        break;
      default:
        v.i = values[i].cast<int64_t>();
    }
  }
}

void bind_operators(py::module_& m) {
  m.def("operators", &operators);
  m.def("infer", &infer);
  m.def("simplify_dim", &simplify_dim);
  m.def("evaluate_dim", &evaluate_dim);
  m.def("pack_constant", &pack_constant);
}

}  // namespace sampan::binding
