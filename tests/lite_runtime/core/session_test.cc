// What a session promises: plans are made when something changed and only then, values decide
// shapes where they must, outputs lie where the caller wants them, and wrong calls are told apart.
#include <atomic>
#include <thread>

#include "test_models.h"
#include "test_operators.h"

namespace sampan::test {
namespace {

#define OK(expr)                                                                 \
  do {                                                                           \
    const Status status_ = (expr);                                               \
    CHECK(status_.ok(), "%s: %s: %s", #expr, status_.node(), status_.message()); \
  } while (0)
#define FAILS(expr, want, text)                                                      \
  do {                                                                               \
    const Status status_ = (expr);                                                   \
    CHECK(status_.code() == (want), "%s: %s", #expr, status_.message());             \
    CHECK(std::strstr(status_.message(), text), "%s: %s", #expr, status_.message()); \
  } while (0)

Session open(const ModelBuilder& b, SessionOptions options = {}) {
  Result<Session> s = Session::create(b.load(), options);
  CHECK(s.ok(), "%s", s.status().message());
  return s.take();
}

std::vector<float> floats_of(const Session& s, int index) {
  Result<Tensor> t = s.output(index);
  CHECK(t.ok(), "%s", t.status().message());
  if (!t.ok() || t.value().dtype != DType::kFloat32) return {};
  const float* p = t.value().as<float>();
  return std::vector<float>(p, p + t.value().shape.elements());
}

AttrSpec f(float v) {
  AttrSpec a;
  a.f = v;
  return a;
}
AttrSpec i(int64_t v) {
  AttrSpec a;
  a.i = v;
  return a;
}

void test_plans() {
  ModelBuilder b;
  const int x = b.input("x", {"n", "4"});
  const int y = b.node("Add", {x, b.floats("c", {4}, {1, 2, 3, 4})}, "y");
  b.output(b.node("TestScale", {y}, "z"));
  SessionOptions options;
  options.profile = true;
  Session s = open(b, options);
  std::vector<float> data(40, 1.0f);
  const int64_t before = scale_packs();
  for (int round = 0; round < 6; ++round) {
    const int64_t n = round < 3 ? 10 : round < 5 ? 3 : 10;
    OK(s.set_input(0, view(data.data(), {n, 4})));
    OK(s.run());
    const std::vector<float> z = floats_of(s, 0);
    CHECK(z.size() == static_cast<size_t>(4 * n) && z[0] == 4 && z[4 * n - 1] == 10);
    CHECK(s.memory().plans == (round < 3   ? 1
                               : round < 5 ? 2
                                           : 3),
          "round %d: %lld plans", round, static_cast<long long>(s.memory().plans));
  }
  CHECK(scale_packs() == before + 1, "constant memory is filled once");
  CHECK(s.num_profile_entries() == 2);
  CHECK(std::string(s.profile_entry(1).kernel) == "test_scale");
  CHECK(std::string(s.profile_entry(1).node) == "z_node");
  CHECK(std::string(s.profile_entry(1).sources) == "source_of_z");
  const MemoryReport m = s.memory();
  CHECK(m.arena_bytes >= m.lower_bound_bytes && m.without_reuse_bytes >= m.arena_bytes);
}

// Long enough for several parts on two threads, compared with one thread.
void test_threads() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  b.output(b.node("TestScale", {b.node("TestScale", {x}, "y")}, "z"));
  std::vector<float> data(100000);
  Random r(1);
  r.fill(data.data(), 100000, -1.0f, 1.0f);
  SessionOptions two;
  two.threads = 2;
  Session s1 = open(b), s2 = open(b, two);
  for (Session* s : {&s1, &s2}) {
    OK(s->set_input(0, view(data.data(), {100000})));
    OK(s->run());
  }
  CHECK(floats_of(s1, 0) == floats_of(s2, 0) && floats_of(s1, 0)[5] == data[5] * 4);
}

// Shapes computed by the graph from shapes: known while planning, no cut, no run.
void test_shape_arithmetic() {
  ModelBuilder b;
  const int x = b.input("x", {"a", "b"});
  const int y = b.input("y", {"c", "d"});
  const int shape = b.node("Shape", {y}, "shape", DType::kInt64);
  const int same = b.node("Mul", {shape, b.ints("one", {1, 1})}, "same", DType::kInt64);
  b.output(b.node("Reshape", {b.node("TestScale", {x}, "scaled"), same}, "z"));
  SessionOptions options;
  options.profile = true;
  Session s = open(b, options);
  std::vector<float> data(24, 1.0f);
  OK(s.set_input(0, view(data.data(), {4, 6})));
  OK(s.set_input(1, view(data.data(), {8, 3})));
  OK(s.plan());
  CHECK(s.output(0).value().shape[0] == 8 && s.output(0).value().shape[1] == 3);
  OK(s.run());
  CHECK(s.memory().plans == 1 && s.num_profile_entries() == 1, "only TestScale runs");
  OK(s.set_input(1, view(data.data(), {2, 12})));
  OK(s.run());
  CHECK(s.memory().plans == 2 && s.output(0).value().shape[1] == 12);
  OK(s.set_input(1, view(data.data(), {5, 5})));
  const Status wrong = s.run();
  CHECK(!wrong.ok() && std::strstr(wrong.node(), "z_node (Reshape)"), "%s", wrong.node());
  OK(s.set_input(1, view(data.data(), {3, 8})));
  OK(s.run());
  CHECK(s.output(0).value().shape[0] == 3, "a session survives a failed run");
}

// The values of a graph input decide a shape.
void test_values_of_inputs() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  const int shape = b.input("shape", {"rank"}, DType::kInt64);
  b.output(b.node("Reshape", {b.node("TestScale", {x}, "y"), shape}, "z"));
  Session s = open(b);
  std::vector<float> data(12, 1.0f);
  int64_t dims[] = {3, 4};
  OK(s.set_input(0, view(data.data(), {12})));
  OK(s.set_input(1, view(dims, {2}, DType::kInt64)));
  OK(s.run());
  OK(s.run());
  CHECK(s.memory().plans == 1 && s.output(0).value().shape[1] == 4);
  dims[0] = 6;
  dims[1] = -1;
  OK(s.run());
  CHECK(s.memory().plans == 2 && s.output(0).value().shape[1] == 2, "changed values, a new plan");
}

// Values that the graph computes decide a shape: the schedule is cut.
void test_cut_for_values() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  const int y = b.node("TestScale", {x}, "y");
  const int n = b.node("TestCount", {y}, "count", DType::kInt64);
  const int ones = b.node("TestFill", {n}, "ones");
  b.output(b.node("Add", {y, ones}, "z"));
  Session s = open(b);
  std::vector<float> data(9, 1.0f);
  OK(s.set_input(0, view(data.data(), {9})));
  FAILS(s.plan(), Code::kNeedsValues, "depend on data");
  OK(s.run());
  CHECK(floats_of(s, 0) == std::vector<float>(9, 3.0f));
  const int64_t plans = s.memory().plans;
  CHECK(plans == 2, "one for each segment; got %lld", static_cast<long long>(plans));
  OK(s.run());
  CHECK(s.memory().plans == plans, "the same values, no new plan");
  OK(s.set_input(0, view(data.data(), {1})));
  OK(s.run());
  CHECK(floats_of(s, 0) == std::vector<float>(1, 3.0f));
}

void test_dynamic_output() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  const int kept = b.node("TestKeep", {b.node("TestScale", {x}, "y")}, "kept");
  b.output(kept);
  b.output(b.node("TestScale", {kept}, "twice"));
  b.output(b.node("Shape", {kept}, "shape", DType::kInt64));
  Session s = open(b);
  std::vector<float> data = {1, -1, 2, -2, 3};
  OK(s.set_input(0, view(data.data(), {5})));
  OK(s.run());
  CHECK(floats_of(s, 0) == (std::vector<float>{2, 4, 6}));
  CHECK(floats_of(s, 1) == (std::vector<float>{4, 8, 12}));
  CHECK(s.output(2).value().as<int64_t>()[0] == 3);
  const int64_t plans = s.memory().plans;
  data = {-1, 7, 8, 9, -1};  // as many as before
  OK(s.run());
  CHECK(floats_of(s, 0) == (std::vector<float>{14, 16, 18}) && s.memory().plans == plans);
  data = {-1, -1, -1, -1, -1};
  OK(s.run());
  CHECK(floats_of(s, 1).empty() && s.memory().plans == plans + 1, "only the later segment");
  data = {1, 1, 1, 1, 1};
  // A buffer that holds what comes, though not the upper bound.
  float exact[5], small[2];
  OK(s.set_output(0, exact, sizeof(exact)));
  OK(s.run());
  CHECK(exact[4] == 2 && s.output(0).value().data == exact);
  OK(s.set_output(0, small, sizeof(small)));
  FAILS(s.run(), Code::kInvalidArgument, "needs 20 bytes");
  data = {1, -1, -1, 1, -1};
  OK(s.run());
  CHECK(small[1] == 2 && floats_of(s, 1) == (std::vector<float>{4, 4}));
}

void test_outputs() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  const int c = b.floats("c", {3}, {5, 6, 7});
  const int y = b.node("TestScale", {x}, "y");
  b.output(x);
  b.output(c);
  b.output(y);
  b.output(b.node("Reshape", {y, b.ints("flat", {1, -1})}, "view_of_y"));
  b.output(b.node("Reshape", {x, b.ints("flat2", {-1, 1})}, "view_of_x"));
  b.output(b.node("TestScale", {y}, "not_in_place"));
  Session s = open(b);
  std::vector<float> data = {1, 2, 3, 4}, bound(4), bound_view(4);
  const std::vector<float> doubled = {2, 4, 6, 8};
  OK(s.set_input(0, view(data.data(), {4})));
  for (int round = 0; round < 3; ++round) {
    if (round == 1) OK(s.set_output(2, bound.data(), 16));
    if (round == 2) OK(s.set_output(3, bound_view.data(), 16));
    OK(s.run());
    CHECK(floats_of(s, 0) == data && s.output(0).value().data != data.data());
    CHECK(floats_of(s, 1) == (std::vector<float>{5, 6, 7}));
    CHECK(floats_of(s, 2) == doubled && floats_of(s, 3) == doubled && floats_of(s, 4) == data);
    CHECK(floats_of(s, 5) == (std::vector<float>{4, 8, 12, 16}));
    CHECK(s.output(3).value().shape.rank == 2 && s.memory().plans == 1);
    if (round >= 1) CHECK(bound == doubled && s.output(2).value().data == bound.data());
    if (round >= 1)
      CHECK(s.output(3).value().data != bound.data(), "each output has its own memory");
    if (round == 2) CHECK(bound_view == doubled && s.output(3).value().data == bound_view.data());
  }
  OK(s.set_output(2, bound.data(), 15));
  FAILS(s.run(), Code::kInvalidArgument, "needs 16 bytes; the buffer set for it has 15");
  CHECK(!s.output(2).ok());
  OK(s.set_output(2, data.data() + 1, 16));
  FAILS(s.run(), Code::kInvalidArgument, "overlaps the data of input \"x\"");
  OK(s.set_output(2, bound_view.data() + 3, 16));
  FAILS(s.run(), Code::kInvalidArgument, "overlap");
  OK(s.set_output(2, nullptr, 0));
  OK(s.run());
  FAILS(s.set_output(6, bound.data(), 16), Code::kInvalidArgument, "no output 6");
  FAILS(s.set_output(2, reinterpret_cast<char*>(bound.data()) + 1, 8), Code::kInvalidArgument,
        "aligned");
}

void test_wrong_inputs() {
  ModelBuilder b;
  const int x = b.input("x", {"n", "3"});
  const int y = b.input("y", {"n", "m"});
  b.output(b.node("Add", {x, y}, "z"));
  Session s = open(b);
  std::vector<float> data(64, 1.0f);
  FAILS(s.run(), Code::kInvalidArgument, "input \"x\" is not set");
  FAILS(s.set_input(2, view(data.data(), {1, 3})), Code::kInvalidArgument, "no input 2");
  FAILS(s.set_input(-1, view(data.data(), {1, 3})), Code::kInvalidArgument, "no input -1");
  FAILS(s.set_input(0, view(data.data(), {1, 3}, DType::kInt32)), Code::kInvalidArgument,
        "must have type float32, got int32");
  FAILS(s.set_input(0, view(data.data(), {3})), Code::kInvalidArgument, "rank 2, got 1");
  FAILS(s.set_input(0, view(data.data(), {2, 4})), Code::kInvalidArgument,
        "dimension 1 must be 3, got [2, 4]");
  FAILS(s.set_input(0, view(data.data(), {-2, 3})), Code::kInvalidArgument, "[-2, 3]");
  FAILS(s.set_input(0, view(nullptr, {2, 3})), Code::kInvalidArgument, "no data");
  FAILS(s.set_input(0, view(reinterpret_cast<char*>(data.data()) + 2, {2, 3})),
        Code::kInvalidArgument, "aligned");
  FAILS(s.set_input(0, view(data.data(), {INT64_MAX / 2, 3})), Code::kInvalidArgument, "bytes");
  Tensor deep = view(data.data(), {2, 3});
  deep.shape.rank = 1000;
  FAILS(s.set_input(0, deep), Code::kInvalidArgument, "rank");
  deep.shape.rank = 2;
  deep.dtype = static_cast<DType>(77);
  FAILS(s.set_input(0, deep), Code::kInvalidArgument, "invalid");
  OK(s.set_input(0, view(data.data(), {4, 3})));
  OK(s.set_input(1, view(data.data(), {5, 3})));
  FAILS(s.run(), Code::kInvalidArgument, "\"n\" is 4 in input \"x\", but 5 in input \"y\"");
  OK(s.set_input(1, view(data.data(), {4, 2})));
  const Status broadcast = s.run();
  CHECK(!broadcast.ok() && std::strstr(broadcast.node(), "z_node (Add)"), "%s",
        broadcast.message());
  OK(s.set_input(1, view(data.data(), {4, 1})));
  OK(s.run());
  CHECK(floats_of(s, 0) == std::vector<float>(12, 2.0f));
}

void test_empty_and_scalar() {
  ModelBuilder b;
  const int x = b.input("x", {"n", "3"});
  const int scalar = b.input("s", {});
  b.output(b.node("TestScale", {b.node("Add", {x, scalar}, "y")}, "z"));
  b.output(b.node("TestScale", {scalar}, "w"));
  Session s = open(b);
  float one = 1, data[6] = {};
  OK(s.set_input(1, view(&one, {})));
  OK(s.set_input(0, view(nullptr, {0, 3})));
  OK(s.run());
  CHECK(s.output(0).value().shape[0] == 0 && s.output(0).value().bytes() == 0);
  CHECK(s.output(1).value().shape.rank == 0 && floats_of(s, 1)[0] == 2);
  OK(s.set_input(0, view(data, {2, 3})));
  OK(s.run());
  CHECK(floats_of(s, 0) == std::vector<float>(6, 2.0f));
}

void test_options() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  const int y = b.node("TestScale", {x}, "y", DType::kFloat32, {f(1e30f), i(0)});
  b.output(
      b.node("TestScale", {b.node("TestScale", {y}, "w", DType::kFloat32, {f(1e30f), i(0)})}, "z"));
  std::vector<float> data(1000, 1.0f);
  const auto run_with = [&](const SessionOptions& o, Session* keep = nullptr) {
    Session s = open(b, o);
    OK(s.set_input(0, view(data.data(), {1000})));
    Status status = s.run();
    if (keep) *keep = std::move(s);
    return status;
  };
  SessionOptions watch;
  watch.nan_watch = true;
  const Status nan = run_with(watch);
  CHECK(nan.code() == Code::kDataError && std::strstr(nan.node(), "w_node"), "%s", nan.message());
  SessionOptions memory;
  memory.max_memory = 4096;
  FAILS(run_with(memory), Code::kLimit, "max_memory is 4096");
  SessionOptions work;
  work.max_work = 1000;
  FAILS(run_with(work), Code::kLimit, "max_work");
  SessionOptions deadline;
  deadline.deadline_seconds = 1e-12;
  FAILS(run_with(deadline), Code::kCancelled, "deadline");
  SessionOptions keep;
  keep.keep_intermediates = true;
  Session s;
  OK(run_with(keep, &s));
  CHECK(s.tensor("y").value().as<float>()[999] == 1e30f && s.tensor("w").ok());
  CHECK(!s.tensor("no such tensor").ok());
  OK(run_with(SessionOptions(), &s));
  CHECK(!s.tensor("y").ok() && s.tensor("z").ok(), "without keep_intermediates only outputs");
  SessionOptions isa;
  isa.isa = "portable";
  OK(run_with(isa, &s));
  CHECK(std::string(s.isa()) == "portable");
  isa.isa = "abacus";
  FAILS(Session::create(b.load(), isa).take_status(), Code::kInvalidArgument, "portable");
  FAILS(Session().run(), Code::kInvalidArgument, "empty");
  FAILS(Session::create(Model()).take_status(), Code::kInvalidArgument, "empty");
}

void test_failing_node() {
  ModelBuilder b;
  const int x = b.input("x", {"n"});
  b.output(b.node("TestScale", {x}, "y", DType::kFloat32, {f(1), i(1)}));
  Session s = open(b);
  float one = 1;
  OK(s.set_input(0, view(&one, {1})));
  const Status status = s.run();
  CHECK(status.code() == Code::kDataError && std::string(status.node()) == "y_node (TestScale)");
  CHECK(!s.output(0).ok());
}

// Sessions of one model in two threads; a third thread that enters a session in use is refused.
void test_concurrency() {
  ModelBuilder b;
  int t = b.input("x", {"n"});
  for (int k = 0; k < 50; ++k) t = b.node("TestScale", {t}, "t", DType::kFloat32, {f(1), i(0)});
  b.output(t);
  const Model model = b.load();
  std::atomic<int> wrong{0};
  const auto work = [&](int64_t n) {
    Session s = Session::create(model).take();
    std::vector<float> data(static_cast<size_t>(n), static_cast<float>(n));
    for (int round = 0; round < 30; ++round) {
      const int64_t size = n - round % 3;
      if (!s.set_input(0, view(data.data(), {size})).ok() || !s.run().ok()) ++wrong;
      const Tensor out = s.output(0).take();
      for (int64_t k = 0; k < size; ++k) wrong += out.as<float>()[k] != static_cast<float>(n);
    }
  };
  std::thread a(work, 1000), c(work, 333);
  a.join();
  c.join();
  CHECK(wrong == 0);

  SessionOptions options;
  options.threads = 2;
  Session s = Session::create(model, options).take();
  std::vector<float> data(200000, 1.0f);
  OK(s.set_input(0, view(data.data(), {200000})));
  std::atomic<bool> done{false};
  std::atomic<int> ok{0}, cancelled{0}, other{0};
  std::thread runner([&] {
    for (int round = 0; round < 20; ++round) {
      const Code code = s.run().code();
      (code == Code::kOk ? ok : code == Code::kCancelled ? cancelled : other) += 1;
    }
    done = true;
  });
  int busy = 0;
  while (!done) {
    const Code code = s.set_output(0, nullptr, 0).code();
    busy += code == Code::kBusy;
    // Once both have been seen there is nothing left to wait for.
    if (busy > 0 && ok > 0) s.cancel();
    std::this_thread::yield();
  }
  runner.join();
  // The runner itself may meet the guard of set_output.
  CHECK(busy > 0 && ok + cancelled + other == 20);
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  add_test_operators();
  test_plans();
  test_threads();
  test_shape_arithmetic();
  test_values_of_inputs();
  test_cut_for_values();
  test_dynamic_output();
  test_outputs();
  test_wrong_inputs();
  test_empty_and_scalar();
  test_options();
  test_failing_node();
  test_concurrency();
  return finish("session");
}
