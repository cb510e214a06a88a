// Runs a .spn model from C++: every input is filled with a ramp, every output is summed up.
//
//   cmake -S . -B build -DSAMPAN_TOOLS=ON && cmake --build build
//   c++ -std=c++17 demos/cpp_api/main.cc -Ilite_runtime/include build/libsampan_runtime.a
//       -lpthread -o cpp_demo && ./cpp_demo model.spn
#include <cstdio>
#include <vector>

#include "sampan/session.h"

namespace {

// Free dimensions of the demo get this size.
constexpr int64_t kFreeSize = 4;

sampan::Status run(const char* path) {
  sampan::Model model;
  SAMPAN_ASSIGN(model, sampan::Model::load(path));
  sampan::SessionOptions options;
  options.threads = 2;
  sampan::Session session;
  SAMPAN_ASSIGN(session, sampan::Session::create(model, options));
  std::printf("sampan %s, %s\n", sampan::version(), session.isa());

  std::vector<std::vector<double>> memory;  // the elements must live until the run has ended
  for (int i = 0; i < model.num_inputs(); ++i) {
    const sampan::ValueInfo info = model.input(i);
    sampan::Tensor t;
    t.dtype = info.dtype;
    t.shape.rank = info.rank;
    for (int d = 0; d < info.rank; ++d) t.shape[d] = info.dims[d] < 0 ? kFreeSize : info.dims[d];
    memory.emplace_back(t.bytes() / sizeof(double) + 1);
    t.data = memory.back().data();
    if (t.dtype == sampan::DType::kFloat32)
      for (int64_t k = 0; k < t.shape.elements(); ++k) t.as<float>()[k] = (k % 100) / 100.0f;
    SAMPAN_TRY(session.set_input(i, t));
    std::printf("input  %-24s %s, %lld elements\n", info.name, sampan::dtype_name(t.dtype),
                static_cast<long long>(t.shape.elements()));
  }
  SAMPAN_TRY(session.run());
  for (int i = 0; i < model.num_outputs(); ++i) {
    sampan::Tensor t;
    SAMPAN_ASSIGN(t, session.output(i));
    double sum = 0;
    if (t.dtype == sampan::DType::kFloat32)
      for (int64_t k = 0; k < t.shape.elements(); ++k) sum += t.as<float>()[k];
    std::printf("output %-24s %s, %lld elements, sum %g\n", model.output(i).name,
                sampan::dtype_name(t.dtype), static_cast<long long>(t.shape.elements()), sum);
  }
  return sampan::Status();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s model.spn\n", argv[0]);
    return 2;
  }
  const sampan::Status status = run(argv[1]);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s %s: %s\n", sampan::code_name(status.code()), status.node(),
               status.message());
  return 1;
}
