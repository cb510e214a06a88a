// The Python module sampan.lite_runtime._native: plain functions and two classes, without any
// convenience. What users see is written in Python around it.
#include <pybind11/stl.h>

#include <cstring>
#include <optional>

#include "bindings/python/common.h"
#include "core/cpu.h"
#include "core/file_format.h"
#include "sampan/session.h"

namespace sampan::binding {

py::dtype numpy_dtype(DType dtype) {
  // Kept alive for good: destroying Python objects after the interpreter has ended would crash.
  static py::object* table =
      new py::object(py::module_::import("sampan.lite_runtime.dtypes").attr("numpy_dtype"));
  return py::reinterpret_borrow<py::dtype>((*table)(dtype_name(dtype)));
}

py::array copy_to_array(const Tensor& tensor) {
  std::vector<py::ssize_t> shape(tensor.shape.dims, tensor.shape.dims + tensor.shape.rank);
  py::array result(numpy_dtype(tensor.dtype), shape);
  if (tensor.bytes() > 0) std::memcpy(result.mutable_data(), tensor.data, tensor.bytes());
  return result;
}

namespace {

void translate(std::exception_ptr error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const StatusError& e) {
    py::object make = py::module_::import("sampan.lite_runtime.errors").attr("make_error");
    py::object exception = make(static_cast<int>(e.code), e.message, e.node);
    PyErr_SetObject(py::type::handle_of(exception).ptr(), exception.ptr());
  }
}

py::list isa_names() {
  py::list names;
  for (int i = 0; i <= static_cast<int>(best_isa()); ++i)
    names.append(isa_name(static_cast<Isa>(i)));
  return names;
}

uint64_t hash_buffer(const py::buffer& data) {
  py::buffer_info info = data.request();
  py::ssize_t bytes = info.itemsize;
  for (py::ssize_t i = info.ndim; i-- > 0;) {
    if (info.shape[i] > 1 && info.strides[i] != bytes)
      throw py::value_error("hash64 needs contiguous memory");
    bytes *= info.shape[i];
  }
  return hash64(info.ptr, static_cast<size_t>(bytes));
}

}  // namespace
}  // namespace sampan::binding

PYBIND11_MODULE(_native, m) {
  using namespace sampan::binding;
  m.doc() = "The C++ runtime. Use sampan or sampan.lite_runtime, not this.";
  py::register_exception_translator(&translate);
  m.def("version", &sampan::version);
  m.def("isa_names", &isa_names);
  m.def("chosen_isa", [](const std::optional<std::string>& name) {
    return sampan::isa_name(take(sampan::choose_isa(name ? name->c_str() : nullptr)));
  });
  m.def("hash64", &hash_buffer);
  bind_operators(m);
  bind_model(m);
  bind_session(m);
}
