// The Python module sampan.lite_runtime._native.
#include <pybind11/pybind11.h>

namespace py = pybind11;

PYBIND11_MODULE(_native, m) { m.doc() = "The C++ runtime. Use sampan or sampan.lite_runtime, not this."; }
