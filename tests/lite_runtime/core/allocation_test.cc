// Fails the n-th allocation of loading and running, for every n: a clean error, nothing leaked, and
// a session that failed for lack of memory works once there is some.
#include "test_models.h"
#include "test_operators.h"

namespace sampan::test {
namespace {

ModelBuilder make_model() {
  ModelBuilder b;
  const int x = b.input("x", {"n", "4"});
  const int y = b.node("Add", {x, b.floats("c", {4}, {1, 2, 3, 4})}, "y");
  const int shape = b.node("Shape", {y}, "shape", DType::kInt64);
  const int flat = b.node("Reshape", {y, b.ints("flat", {-1})}, "flat_y");
  const int kept = b.node("TestKeep", {b.node("TestScale", {flat}, "scaled")}, "kept");
  const int count = b.node("TestCount", {kept}, "count", DType::kInt64);
  b.output(b.node("TestFill", {count}, "ones"));
  b.output(b.node("Reshape", {b.node("TestScale", {y}, "twice"), shape}, "z"));
  b.output(x);
  return b;
}

// Null when all went well.
Status load_and_run(const std::vector<uint8_t>& bytes, const SessionOptions& options) {
  LoadOptions load;
  load.mapped = false;
  Model model;
  SAMPAN_ASSIGN(model, Model::from_memory(bytes.data(), bytes.size(), load));
  Session s;
  SAMPAN_ASSIGN(s, Session::create(model, options));
  float data[24];
  for (int i = 0; i < 24; ++i) data[i] = static_cast<float>(i % 5) - 4.0f;
  for (int64_t n : {2, 6, 6}) {
    SAMPAN_TRY(s.set_input(0, view(data, {n, 4})));
    SAMPAN_TRY(s.run());
  }
  return Status();
}

void test_every_allocation(const SessionOptions& options, const char* what) {
  const std::vector<uint8_t> bytes = make_model().bytes();
  CountingAllocator allocator;
  allocator.fail_at(0);
  CHECK(load_and_run(bytes, options).ok());
  CHECK(allocator.outstanding == 0, "%s: %lld bytes leaked", what,
        static_cast<long long>(allocator.outstanding));
  const int64_t total = allocator.requests;
  CHECK(total > 30, "%lld", static_cast<long long>(total));
  for (int64_t n = 1; n <= total; ++n) {
    allocator.fail_at(n);
    allocator.failed = false;
    Status status = load_and_run(bytes, options);
    CHECK(allocator.failed && (status.code() == Code::kOutOfMemory || status.ok()),
          "%s: allocation %lld: %s: %s", what, static_cast<long long>(n), code_name(status.code()),
          status.message());
    // Only a text of an inner, handled error may be done without.
    CHECK(!status.ok() || n > 1, "the first allocation cannot be done without");
    status = Status();
    CHECK(allocator.outstanding == 0, "%s: allocation %lld: %lld bytes leaked", what,
          static_cast<long long>(n), static_cast<long long>(allocator.outstanding));
  }
}

void test_recovery() {
  const ModelBuilder b = make_model();
  CountingAllocator allocator;
  {
    const Model model = b.load();
    Session s = Session::create(model).take();
    float data[24] = {1, 2, 3, 4};
    for (int64_t n = 1; n < 200; ++n) {
      // Changing shapes, so that every round plans anew, and fails at some point of it.
      CHECK(s.set_input(0, view(data, {1 + n % 6, 4})).ok());
      allocator.fail_at(n % 60 + 1);
      const Status failed = s.run();
      CHECK(failed.ok() || failed.code() == Code::kOutOfMemory, "%s", failed.message());
      allocator.fail_at(0);
      const Status status = s.run();
      CHECK(status.ok(), "%s", status.message());
      CHECK(s.output(1).value().shape[0] == 1 + n % 6);
      CHECK(s.output(1).value().as<float>()[1] == 8, "2 * (2 + 2)");
    }
  }
  CHECK(allocator.outstanding == 0);
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan;
  test::add_test_operators();
  SessionOptions options;
  test::test_every_allocation(options, "plain");
  options.threads = 2;
  test::test_every_allocation(options, "two threads");
  options.threads = 1;
  options.profile = options.keep_intermediates = options.nan_watch = true;
  test::test_every_allocation(options, "watched");
  test::test_recovery();
  return test::finish("allocation");
}
