// Shared by the parts of the Python module.
#pragma once
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "core/op.h"
#include "sampan/status.h"
#include "sampan/tensor.h"

namespace sampan::binding {

namespace py = pybind11;

// A Status on its way to Python, where it becomes the exception class of its code.
struct StatusError {
  Code code;
  std::string message, node;
};

inline void check(const Status& status) {
  if (!status.ok()) throw StatusError{status.code(), status.message(), status.node()};
}
template <class T>
T take(Result<T> result) {
  check(result.status());
  return result.take();
}

inline const char* text_or_empty(const char* s) { return s ? s : ""; }

// The numpy type of an element type, as Python's side chose it (bfloat16 may be uint16).
py::dtype numpy_dtype(DType dtype);
// A new array with a copy of the elements.
py::array copy_to_array(const Tensor& tensor);

// Attributes in the order of the definition, from Python numbers and lists of numbers. The lists
// live as long as this object.
class AttrList {
 public:
  AttrList(const OperatorDef& def, const py::sequence& values);
  const AttrValue* data() const { return values_.data(); }
  const std::vector<int64_t>& ints(size_t i) const { return ints_[i]; }
  const std::vector<float>& floats(size_t i) const { return floats_[i]; }
  size_t size() const { return values_.size(); }

 private:
  std::vector<AttrValue> values_;
  std::vector<std::vector<int64_t>> ints_;
  std::vector<std::vector<float>> floats_;
};

const OperatorDef& operator_def(const std::string& name);

void bind_operators(py::module_& m);
void bind_model(py::module_& m);
void bind_session(py::module_& m);

}  // namespace sampan::binding
