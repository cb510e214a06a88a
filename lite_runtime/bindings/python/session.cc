// Model and Session.
#include "sampan/session.h"

#include <pybind11/stl.h>

#include <memory>
#include <mutex>
#include <optional>

#include "bindings/python/common.h"

namespace sampan::binding {
namespace {

py::dict value_dict(const ValueInfo& v) {
  using namespace pybind11::literals;
  py::object shape = py::none();
  if (v.rank >= 0) {
    py::tuple dims(v.rank);
    for (int i = 0; i < v.rank; ++i) {
      if (v.symbols[i])
        dims[i] = py::str(v.symbols[i]);
      else
        dims[i] = py::int_(v.dims[i]);
    }
    shape = dims;
  }
  return py::dict("name"_a = v.name, "dtype"_a = dtype_name(v.dtype), "shape"_a = shape);
}

LoadOptions load_options(bool full_check, bool mapped) {
  LoadOptions o;
  o.check = full_check ? CheckLevel::kFull : CheckLevel::kStructure;
  o.mapped = mapped;
  return o;
}

Model load_path(const std::string& path, bool full_check, bool mapped) {
  Result<Model> model = [&] {
    py::gil_scoped_release release;
    return Model::load(path.c_str(), load_options(full_check, mapped));
  }();
  return take(std::move(model));
}

Model load_bytes(const py::buffer& data, bool full_check) {
  py::buffer_info info = data.request();
  if (info.ndim != 1 || info.itemsize != 1)
    throw py::value_error("a model's bytes must be a flat buffer");
  return take(Model::from_memory(info.ptr, static_cast<size_t>(info.size),
                                 load_options(full_check, false)));
}

py::list inputs_of(const Model& m) {
  py::list all;
  for (int i = 0; i < m.num_inputs(); ++i) all.append(value_dict(m.input(i)));
  return all;
}
py::list outputs_of(const Model& m) {
  py::list all;
  for (int i = 0; i < m.num_outputs(); ++i) all.append(value_dict(m.output(i)));
  return all;
}
py::dict metadata_of(const Model& m) {
  py::dict all;
  for (int i = 0; i < m.num_metadata(); ++i) all[py::str(m.metadata_key(i))] = m.metadata_value(i);
  return all;
}

// One run at a time: the lock is tried, never waited for, so that a mistake is an error and not a
// pause. Arrays are held by the caller (Python's frame) while the interpreter lock is released.
class NativeSession {
 public:
  NativeSession(const Model& model, const py::dict& options) {
    SessionOptions o;
    std::optional<std::string> isa;
    if (!options["isa"].is_none()) isa = options["isa"].cast<std::string>();
    o.threads = options["threads"].cast<int>();
    o.isa = isa ? isa->c_str() : nullptr;
    o.profile = options["profile"].cast<bool>();
    o.keep_intermediates = keeps_ = options["keep_intermediates"].cast<bool>();
    o.nan_watch = options["nan_watch"].cast<bool>();
    o.max_memory = options["max_memory"].cast<uint64_t>();
    o.max_work = options["max_work"].cast<uint64_t>();
    o.deadline_seconds = options["deadline_seconds"].cast<double>();
    py::gil_scoped_release release;
    session_ = Session::create(model, o);
  }
  void raise_if_failed() { check(session_.status()); }

  // inputs: arrays in the model's order, contiguous, with the dtype codes beside; outputs: arrays
  // or None. Gives the outputs: the caller's arrays, or copies.
  py::list run(const py::sequence& inputs, const std::vector<int>& dtypes,
               const py::sequence& outputs) {
    std::unique_lock<std::mutex> lock = acquire();
    Session& s = session_.value();
    bind_inputs(inputs, dtypes);
    const int n = s.model().num_outputs();
    for (int i = 0; i < n; ++i) bind_output(i, outputs[static_cast<size_t>(i)]);
    // A kept tensor may be a view of these arrays (Reshape of an input).
    if (keeps_) held_ = py::make_tuple(inputs, outputs);
    Status status = [&] {
      py::gil_scoped_release release;
      return s.run();
    }();
    check(status);
    py::list results;
    for (int i = 0; i < n; ++i) {
      py::object given = outputs[static_cast<size_t>(i)];
      Tensor t = take(s.output(i));
      if (!given.is_none()) check_same_shape(s.model().output(i), t, given);
      results.append(given.is_none() ? py::object(copy_to_array(t)) : given);
    }
    return results;
  }

  // Output shapes for inputs of these arrays' shapes, or None where they depend on data.
  py::object plan(const py::sequence& inputs, const std::vector<int>& dtypes) {
    std::unique_lock<std::mutex> lock = acquire();
    Session& s = session_.value();
    bind_inputs(inputs, dtypes);
    Status status = s.plan();
    if (status.code() == Code::kNeedsValues) return py::none();
    check(status);
    py::list shapes;
    for (int i = 0; i < s.model().num_outputs(); ++i) {
      Result<Tensor> t = s.output(i);
      if (!t.ok()) return py::none();
      py::tuple shape(t.value().shape.rank);
      for (int d = 0; d < t.value().shape.rank; ++d) shape[d] = t.value().shape.dims[d];
      shapes.append(shape);
    }
    return shapes;
  }

  py::array tensor(const std::string& name) {
    std::unique_lock<std::mutex> lock = acquire();
    if (!keeps_)
      throw StatusError{Code::kInvalidArgument,
                        "tensors are not kept: make the session with keep_intermediates", ""};
    Tensor t = take(session_.value().tensor(name.c_str()));
    if (t.packing != Packing::kPlain)
      throw StatusError{Code::kInvalidArgument, "tensor " + name + " is a packed constant", ""};
    return copy_to_array(t);
  }

  void cancel() { session_.value().cancel(); }

  py::list profile() {
    using namespace pybind11::literals;
    std::unique_lock<std::mutex> lock = acquire();
    Session& s = session_.value();
    py::list all;
    for (int i = 0; i < s.num_profile_entries(); ++i) {
      ProfileEntry e = s.profile_entry(i);
      all.append(py::dict("node"_a = e.node, "op"_a = e.op, "kernel"_a = e.kernel,
                          "sources"_a = e.sources, "start_ns"_a = e.start_ns,
                          "duration_ns"_a = e.duration_ns, "thread"_a = e.thread));
    }
    return all;
  }

  py::dict memory() {
    using namespace pybind11::literals;
    std::unique_lock<std::mutex> lock = acquire();
    MemoryReport r = session_.value().memory();
    return py::dict("arena_bytes"_a = r.arena_bytes, "lower_bound_bytes"_a = r.lower_bound_bytes,
                    "without_reuse_bytes"_a = r.without_reuse_bytes,
                    "packed_weight_bytes"_a = r.packed_weight_bytes, "plans"_a = r.plans);
  }

  const char* isa() { return session_.value().isa(); }

 private:
  std::unique_lock<std::mutex> acquire() {
    std::unique_lock<std::mutex> lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock())
      throw StatusError{Code::kBusy,
                        "this session is running in another thread: use one session per thread "
                        "(they can share a model)",
                        ""};
    return lock;
  }

  void bind_inputs(const py::sequence& inputs, const std::vector<int>& dtypes) {
    Session& s = session_.value();
    if (inputs.size() != dtypes.size() ||
        inputs.size() != static_cast<size_t>(s.model().num_inputs()))
      throw py::value_error("wrong number of inputs");
    for (size_t i = 0; i < inputs.size(); ++i) {
      py::array array = inputs[i];
      Tensor t;
      t.dtype = static_cast<DType>(dtypes[i]);
      if (array.ndim() > kMaxRank) throw py::value_error("an input has more than 8 dimensions");
      t.shape.rank = static_cast<int32_t>(array.ndim());
      for (int d = 0; d < t.shape.rank; ++d) t.shape.dims[d] = array.shape(d);
      t.data = const_cast<void*>(array.data());
      check(s.set_input(static_cast<int>(i), t));
    }
  }

  void bind_output(int i, const py::object& given) {
    Session& s = session_.value();
    if (given.is_none()) {
      check(s.set_output(i, nullptr, 0));
      return;
    }
    py::array array = given;
    check(s.set_output(i, array.mutable_data(), static_cast<size_t>(array.nbytes())));
  }

  // Where a shape depends on data it is known only now.
  static void check_same_shape(const ValueInfo& info, const Tensor& t, const py::array& array) {
    bool same = array.ndim() == t.shape.rank;
    for (int d = 0; same && d < t.shape.rank; ++d) same = array.shape(d) == t.shape.dims[d];
    if (same) return;
    std::string shape;
    for (int d = 0; d < t.shape.rank; ++d)
      shape += (d ? ", " : "") + std::to_string(t.shape.dims[d]);
    throw StatusError{Code::kInvalidArgument,
                      std::string("the array given for output ") + info.name +
                          " has another shape than this run's output, [" + shape + "]",
                      ""};
  }

  std::mutex mutex_;
  bool keeps_ = false;
  py::object held_;
  Result<Session> session_{Session()};
};

}  // namespace

void bind_session(py::module_& m) {
  py::class_<Model>(m, "Model")
      .def_static("load", &load_path)
      .def_static("from_bytes", &load_bytes)
      .def("inputs", &inputs_of)
      .def("outputs", &outputs_of)
      .def("metadata", &metadata_of);
  py::class_<NativeSession>(m, "Session")
      .def(py::init([](const Model& model, const py::dict& options) {
        auto session = std::make_unique<NativeSession>(model, options);
        session->raise_if_failed();
        return session;
      }))
      .def("run", &NativeSession::run)
      .def("plan", &NativeSession::plan)
      .def("tensor", &NativeSession::tensor)
      .def("cancel", &NativeSession::cancel)
      .def("profile", &NativeSession::profile)
      .def("memory", &NativeSession::memory)
      .def("isa", &NativeSession::isa);
}

}  // namespace sampan::binding
