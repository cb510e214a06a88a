// The C interface: the whole way through it, structs of older callers, and wrong arguments.
#include <thread>

#include "sampan.h"
#include "test_models.h"
#include "test_operators.h"

namespace sampan::test {
namespace {

std::vector<uint8_t> make_file() {
  ModelBuilder b;
  const int x = b.input("x", {"n", "4"});
  b.output(b.node("TestScale", {b.node("Add", {x, b.floats("c", {4}, {1, 2, 3, 4})}, "y")}, "z"));
  b.spec.metadata.push_back({"labels", "cat,dog"});
  return b.bytes();
}

sampan_model* load(const std::vector<uint8_t>& bytes) {
  sampan_load_options o;
  sampan_load_options_init(&o, sizeof(o));
  o.mapped = 0;
  o.check_weights = 1;
  sampan_model* model = nullptr;
  CHECK(sampan_model_from_memory(bytes.data(), bytes.size(), &o, &model) == SAMPAN_OK, "%s",
        sampan_last_error());
  return model;
}

void test_the_way_through() {
  sampan_model* model = load(make_file());
  CHECK(sampan_model_num_inputs(model) == 1 && sampan_model_num_outputs(model) == 1);
  sampan_value_info info = {};
  info.struct_size = sizeof(info);
  CHECK(sampan_model_input(model, 0, &info) == SAMPAN_OK);
  CHECK(info.rank == 2 && info.dims[0] == -1 && info.dims[1] == 4 && info.dtype == SAMPAN_FLOAT32);
  CHECK(std::string(info.symbols[0]) == "n" && info.symbols[1] == nullptr);
  CHECK(std::string(sampan_model_metadata(model, "labels")) == "cat,dog");
  CHECK(sampan_model_metadata(model, "other") == nullptr);

  sampan_session_options o;
  sampan_session_options_init(&o, sizeof(o));
  CHECK(o.threads == 1 && o.max_memory > 0 && o.isa == nullptr);
  o.profile = 1;
  sampan_session* session = nullptr;
  CHECK(sampan_session_create(model, &o, &session) == SAMPAN_OK);
  sampan_model_free(model);  // the session keeps it alive
  float data[8] = {0, 1, 2, 3, 4, 5, 6, 7}, out[8] = {};
  sampan_tensor t = {SAMPAN_FLOAT32, 2, {2, 4}, data};
  CHECK(sampan_session_set_input(session, 0, &t) == SAMPAN_OK);
  CHECK(sampan_session_set_output(session, 0, out, sizeof(out)) == SAMPAN_OK);
  CHECK(sampan_session_plan(session) == SAMPAN_OK);
  CHECK(sampan_session_run(session) == SAMPAN_OK, "%s", sampan_last_error());
  sampan_tensor y = {};
  CHECK(sampan_session_output(session, 0, &y) == SAMPAN_OK);
  CHECK(y.data == out && y.rank == 2 && y.dims[0] == 2 && out[0] == 2 && out[7] == 22);
  CHECK(sampan_session_num_profile_entries(session) == 2);
  sampan_profile_entry e = {};
  e.struct_size = sizeof(e);
  CHECK(sampan_session_profile_entry(session, 1, &e) == SAMPAN_OK);
  CHECK(std::string(e.op) == "TestScale" && std::string(e.kernel) == "test_scale");
  sampan_memory_report m = {};
  m.struct_size = sizeof(m);
  CHECK(sampan_session_memory(session, &m) == SAMPAN_OK && m.plans == 1 && m.arena_bytes > 0);
  CHECK(sampan_session_tensor(session, "z", &y) == SAMPAN_OK);
  sampan_session_free(session);
}

void test_structs_of_other_sizes() {
  sampan_model* model = load(make_file());
  // A caller whose struct ended after `threads`, and one with a longer struct than ours.
  struct {
    size_t struct_size;
    int32_t threads;
    int32_t canary;
  } shorter = {0, 0, 77};
  const size_t known = offsetof(sampan_session_options, profile);
  sampan_session_options_init(reinterpret_cast<sampan_session_options*>(&shorter), known);
  CHECK(shorter.struct_size == known && shorter.threads == 1 && shorter.canary == 77);
  sampan_session* session = nullptr;
  CHECK(sampan_session_create(model, reinterpret_cast<sampan_session_options*>(&shorter),
                              &session) == SAMPAN_OK,
        "%s", sampan_last_error());
  struct {
    sampan_memory_report report;
    int64_t newer;
  } longer = {{}, 5};
  longer.report.struct_size = sizeof(longer);
  CHECK(sampan_session_memory(session, &longer.report) == SAMPAN_OK && longer.newer == 5);
  sampan_memory_report partial = {};
  partial.plans = 99;
  partial.struct_size = offsetof(sampan_memory_report, plans);
  CHECK(sampan_session_memory(session, &partial) == SAMPAN_OK && partial.plans == 99);
  sampan_session_free(session);
  sampan_model_free(model);
}

void test_wrong_arguments() {
  sampan_model* model = reinterpret_cast<sampan_model*>(1);
  CHECK(sampan_model_load("/nonexistent.spn", nullptr, &model) == SAMPAN_IO && model == nullptr);
  CHECK(std::strstr(sampan_last_error(), "/nonexistent.spn"), "%s", sampan_last_error());
  CHECK(sampan_model_load(nullptr, nullptr, &model) == SAMPAN_INVALID_ARGUMENT);
  CHECK(sampan_model_load("x", nullptr, nullptr) == SAMPAN_INVALID_ARGUMENT);
  CHECK(sampan_session_run(nullptr) == SAMPAN_INVALID_ARGUMENT);
  CHECK(std::strstr(sampan_last_error(), "session is null"), "%s", sampan_last_error());
  CHECK(sampan_session_create(nullptr, nullptr, nullptr) == SAMPAN_INVALID_ARGUMENT);
  CHECK(sampan_model_num_inputs(nullptr) == 0 && sampan_model_metadata(nullptr, "a") == nullptr);
  sampan_session_free(nullptr);
  sampan_model_free(nullptr);
  sampan_session_cancel(nullptr);

  model = load(make_file());
  sampan_value_info info = {};
  info.struct_size = sizeof(info);
  CHECK(sampan_model_input(model, 1, &info) == SAMPAN_INVALID_ARGUMENT);
  CHECK(sampan_model_output(model, -1, &info) == SAMPAN_INVALID_ARGUMENT);
  sampan_session* session = nullptr;
  CHECK(sampan_session_create(model, nullptr, &session) == SAMPAN_OK);
  sampan_tensor t = {99, 2, {1, 4}, &info};
  CHECK(sampan_session_set_input(session, 0, &t) == SAMPAN_INVALID_ARGUMENT);
  t.dtype = SAMPAN_FLOAT32;
  t.rank = INT32_MAX;
  CHECK(sampan_session_set_input(session, 0, &t) == SAMPAN_INVALID_ARGUMENT);
  t.rank = INT32_MIN;
  CHECK(sampan_session_set_input(session, 0, &t) == SAMPAN_INVALID_ARGUMENT);
  CHECK(sampan_session_output(session, 0, &t) == SAMPAN_INVALID_ARGUMENT);
  std::thread other([] { CHECK(sampan_last_error()[0] == 0, "errors are kept per thread"); });
  other.join();
  sampan_session_free(session);
  sampan_model_free(model);

  CHECK(std::string(sampan_status_name(SAMPAN_BAD_MODEL)) == "bad model");
  CHECK(std::string(sampan_status_name(1000)) == "unknown");
  CHECK(sampan_dtype_size(SAMPAN_INT64) == 8 && sampan_dtype_size(-1) == 0);
  CHECK(std::string(sampan_dtype_name(SAMPAN_BFLOAT16)) == "bfloat16");
  CHECK(std::string(sampan_dtype_name(500)) == "invalid");
  CHECK(sampan_abi_version() == SAMPAN_ABI_VERSION && sampan_version()[0] != 0);
}

}  // namespace
}  // namespace sampan::test

int main() {
  using namespace sampan::test;
  add_test_operators();
  test_the_way_through();
  test_structs_of_other_sizes();
  test_wrong_arguments();
  return finish("c_api");
}
