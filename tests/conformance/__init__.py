"""The ONNX backend node tests and our own cases, run through converter, file and C++ session."""
