// Files: written from nested dicts, and their structure given back as nested dicts.
#include <pybind11/stl.h>

#include "bindings/python/common.h"
#include "core/file_format.h"
#include "model_generated.h"
#include "tools/model_writer.h"

namespace sampan::binding {
namespace {

// ---- writing -------------------------------------------------------------------------------

template <class T>
T get(const py::dict& d, const char* key, T otherwise) {
  return d.contains(key) ? d[key].cast<T>() : otherwise;
}

TensorKind kind_of(const std::string& name) {
  if (name == "computed") return TensorKind::kComputed;
  if (name == "input") return TensorKind::kInput;
  if (name == "constant") return TensorKind::kConstant;
  if (name == "state") return TensorKind::kState;
  throw py::value_error("tensor kind '" + name + "': expected computed, input, constant or state");
}

// Python has turned dtypes into numbers, constants into `data` (a contiguous array) and, when they
// are packed, (groups, k, n).
TensorSpec read_tensor(const py::dict& d) {
  TensorSpec t;
  t.name = d["name"].cast<std::string>();
  t.dtype = static_cast<DType>(d["dtype"].cast<int>());
  t.kind = kind_of(get<std::string>(d, "kind", "computed"));
  t.has_rank = d.contains("dims");
  t.dims = get<std::vector<int64_t>>(d, "dims", {});
  t.symbols = get<std::vector<std::string>>(d, "symbols", {});
  t.source = get<std::string>(d, "source", "");
  t.source_permutation = get<std::vector<int8_t>>(d, "source_permutation", {});
  if (d.contains("data")) {
    py::array data = d["data"];
    t.data = data.data();
    t.size = static_cast<size_t>(data.nbytes());
  }
  if (d.contains("packed")) {
    auto [groups, k, n] = d["packed"].cast<std::tuple<uint64_t, uint64_t, uint64_t>>();
    t.packing = Packing::kPanelsF32;
    t.pack_groups = groups;
    t.pack_k = k;
    t.pack_n = n;
  }
  if (d.contains("quantization")) {
    py::dict q = d["quantization"];
    t.quantization.scale = get<std::vector<float>>(q, "scale", {});
    t.quantization.zero_point = get<std::vector<int32_t>>(q, "zero_point", {});
    t.quantization.axis = get<int32_t>(q, "axis", -1);
  }
  return t;
}

NodeSpec read_node(const py::dict& d) {
  NodeSpec n;
  n.op = d["op"].cast<std::string>();
  n.inputs = get<std::vector<int32_t>>(d, "inputs", {});
  n.outputs = get<std::vector<int32_t>>(d, "outputs", {});
  n.name = get<std::string>(d, "name", "");
  n.sources = get<std::vector<std::string>>(d, "sources", {});
  const OperatorDef& def = operator_def(n.op);
  n.version = get<uint16_t>(d, "version", def.version);
  AttrList attrs(def, d["attrs"]);
  for (size_t i = 0; i < attrs.size(); ++i) {
    AttrSpec a;
    a.i = attrs.data()[i].i;
    a.f = attrs.data()[i].f;
    a.ints = attrs.ints(i);
    a.floats = attrs.floats(i);
    n.attrs.push_back(std::move(a));
  }
  return n;
}

GraphSpec read_graph(const py::dict& d) {
  GraphSpec g;
  g.name = get<std::string>(d, "name", "");
  for (const py::handle& t : d["tensors"]) g.tensors.push_back(read_tensor(t.cast<py::dict>()));
  for (const py::handle& n : d["nodes"]) g.nodes.push_back(read_node(n.cast<py::dict>()));
  g.inputs = get<std::vector<int32_t>>(d, "inputs", {});
  g.outputs = get<std::vector<int32_t>>(d, "outputs", {});
  return g;
}

ModelSpec read_spec(const py::dict& d) {
  ModelSpec m;
  m.format_version = get<uint32_t>(d, "format_version", 0);
  m.minimum_runtime = get<uint32_t>(d, "minimum_runtime", 1);
  for (const py::handle& g : d["graphs"]) m.graphs.push_back(read_graph(g.cast<py::dict>()));
  for (const py::handle& item : get<py::list>(d, "signatures", py::list())) {
    py::dict s = item.cast<py::dict>();
    m.signatures.push_back({get<std::string>(s, "name", ""), get<uint32_t>(s, "graph", 0),
                            get<std::vector<std::string>>(s, "input_names", {}),
                            get<std::vector<std::string>>(s, "output_names", {})});
  }
  for (const py::handle& item : get<py::list>(d, "metadata", py::list())) {
    py::dict kv = item.cast<py::dict>();
    m.metadata.push_back({kv["key"].cast<std::string>(), kv["value"].cast<std::string>()});
  }
  py::dict p = get<py::dict>(d, "provenance", py::dict());
  m.provenance.tool_version = get<std::string>(p, "tool_version", "");
  m.provenance.source_format = get<std::string>(p, "source_format", "");
  m.provenance.source_hash = get<std::string>(p, "source_hash", "");
  m.provenance.passes = get<std::vector<std::string>>(p, "passes", {});
  return m;
}

// With a path writes the file and gives None, else gives the bytes. The arrays in `spec` are kept
// alive by the caller's dict.
py::object write(const py::dict& spec, const py::object& path) {
  ModelSpec model = read_spec(spec);
  if (!path.is_none()) {
    check(write_model_file(model, path.cast<std::string>()));
    return py::none();
  }
  std::vector<uint8_t> bytes;
  check(write_model(model, &bytes));
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// ---- reading -------------------------------------------------------------------------------

std::string text(const flatbuffers::String* s) { return s ? s->str() : std::string(); }

template <class T>
py::list numbers(const flatbuffers::Vector<T>* v) {
  py::list out;
  if (v)
    for (T x : *v) out.append(x);
  return out;
}
py::list texts(const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* v) {
  py::list out;
  if (v)
    for (const flatbuffers::String* s : *v) out.append(text(s));
  return out;
}

py::dict tensor_dict(const fb::Tensor& t) {
  using namespace pybind11::literals;
  static const char* const kKinds[] = {"computed", "input", "constant", "state"};
  py::dict d("name"_a = text(t.name()), "dtype"_a = dtype_name(static_cast<DType>(t.dtype())),
             "kind"_a = t.kind() < 4 ? kKinds[t.kind()] : "unknown", "source"_a = text(t.source()),
             "offset"_a = t.offset(), "size"_a = t.size(), "packing"_a = t.packing());
  if (t.dims()) {
    py::list shape;
    for (flatbuffers::uoffset_t i = 0; i < t.dims()->size(); ++i) {
      const flatbuffers::String* symbol =
          t.symbols() && i < t.symbols()->size() ? t.symbols()->Get(i) : nullptr;
      if (symbol && symbol->size() > 0)
        shape.append(text(symbol));
      else
        shape.append(t.dims()->Get(i));
    }
    d["shape"] = py::tuple(shape);
  } else {
    d["shape"] = py::none();
  }
  if (t.source_permutation()) {
    py::list axes;
    for (int8_t a : *t.source_permutation()) axes.append(static_cast<int>(a));
    d["source_permutation"] = py::tuple(axes);
  }
  if (t.packing()) d["packed"] = py::make_tuple(t.pack_groups(), t.pack_k(), t.pack_n());
  if (const fb::Quantization* q = t.quantization())
    d["quantization"] = py::dict("scale"_a = numbers(q->scale()),
                                 "zero_point"_a = numbers(q->zero_point()), "axis"_a = q->axis());
  return d;
}

// The attributes' raw values in order of definition; Python gives them their names.
py::list attr_values(const std::string& op, const fb::Node& node) {
  py::list values;
  const OperatorDef* def = find_operator(op.c_str());
  if (!node.attrs()) return values;
  for (flatbuffers::uoffset_t i = 0; i < node.attrs()->size(); ++i) {
    const fb::Attr* a = node.attrs()->Get(i);
    AttrType type = def && i < def->num_attrs ? def->attrs[i].type : AttrType::kInt;
    switch (type) {
      case AttrType::kFloat:
        values.append(a->f());
        break;
      case AttrType::kInts:
        values.append(numbers(a->ints()));
        break;
      case AttrType::kFloats:
        values.append(numbers(a->floats()));
        break;
      default:
        values.append(a->i());
    }
  }
  return values;
}

py::dict graph_dict(const fb::Graph& g, const fb::Model& model) {
  using namespace pybind11::literals;
  py::list tensors, nodes;
  if (g.tensors())
    for (const fb::Tensor* t : *g.tensors()) tensors.append(tensor_dict(*t));
  if (g.nodes())
    for (const fb::Node* n : *g.nodes()) {
      std::string op;
      if (model.operators() && n->op() < model.operators()->size())
        op = text(model.operators()->Get(n->op())->name());
      nodes.append(py::dict("op"_a = op, "name"_a = text(n->name()),
                            "inputs"_a = numbers(n->inputs()), "outputs"_a = numbers(n->outputs()),
                            "attrs"_a = attr_values(op, *n), "sources"_a = texts(n->sources())));
    }
  return py::dict("name"_a = text(g.name()), "tensors"_a = tensors, "nodes"_a = nodes,
                  "inputs"_a = numbers(g.inputs()), "outputs"_a = numbers(g.outputs()));
}

py::dict model_dict(const fb::Model& model) {
  using namespace pybind11::literals;
  py::list graphs, signatures, operators, blobs;
  py::dict metadata, provenance;
  if (model.graphs())
    for (const fb::Graph* g : *model.graphs()) graphs.append(graph_dict(*g, model));
  if (model.signatures())
    for (const fb::Signature* s : *model.signatures())
      signatures.append(py::dict("name"_a = text(s->name()), "graph"_a = s->graph(),
                                 "input_names"_a = texts(s->input_names()),
                                 "output_names"_a = texts(s->output_names())));
  if (model.operators())
    for (const fb::OperatorUse* o : *model.operators())
      operators.append(py::dict("name"_a = text(o->name()), "version"_a = o->version()));
  if (model.metadata())
    for (const fb::KeyValue* kv : *model.metadata())
      metadata[py::str(text(kv->key()))] = text(kv->value());
  if (model.blobs())
    for (const fb::DelegateBlob* b : *model.blobs())
      blobs.append(py::dict("delegate"_a = text(b->delegate()), "target"_a = text(b->target()),
                            "size"_a = b->size()));
  if (const fb::Provenance* p = model.provenance())
    provenance = py::dict(
        "tool_version"_a = text(p->tool_version()), "source_format"_a = text(p->source_format()),
        "source_hash"_a = text(p->source_hash()), "passes"_a = texts(p->passes()));
  return py::dict("format_version"_a = model.format_version(),
                  "minimum_runtime"_a = model.minimum_runtime(), "operators"_a = operators,
                  "graphs"_a = graphs, "signatures"_a = signatures, "metadata"_a = metadata,
                  "provenance"_a = provenance, "blobs"_a = blobs);
}

// The structure section of a file that the runtime has accepted. Verified again here: the bytes may
// have been read anew since.
py::dict read_structure(const py::bytes& structure) {
  std::string_view view = structure;
  std::vector<uint8_t> aligned(view.begin(), view.end());
  flatbuffers::Verifier::Options options;
  options.max_tables = 1u << 28;
  flatbuffers::Verifier verifier(aligned.data(), aligned.size(), options);
  if (!verifier.VerifyBuffer<fb::Model>("SPN1"))
    throw StatusError{Code::kBadModel, "the structure section is not a valid FlatBuffer", ""};
  return model_dict(*fb::GetModel(aligned.data()));
}

}  // namespace

void bind_model(py::module_& m) {
  m.def("write_model", &write);
  m.def("read_structure", &read_structure);
  m.attr("FORMAT_VERSION") = kFormatVersion;
}

}  // namespace sampan::binding
