// The C interface over the C++ one. No C++ type crosses; no exception can.
#include <cstdio>
#include <cstring>

#include "core/memory.h"
#include "sampan.h"
#include "sampan/session.h"

struct sampan_model {
  sampan::Model model;
};
struct sampan_session {
  sampan::Session session;
};

namespace {

using sampan::Code;
using sampan::DType;
using sampan::Result;
using sampan::Status;
using sampan::Tensor;

static_assert(SAMPAN_MAX_RANK == sampan::kMaxRank, "the C header states the same rank");
static_assert(SAMPAN_INTERNAL == static_cast<int>(Code::kInternal), "codes agree");
static_assert(SAMPAN_NEEDS_VALUES == static_cast<int>(Code::kNeedsValues), "codes agree");
static_assert(SAMPAN_BOOL == static_cast<int>(DType::kBool), "types agree");
static_assert(SAMPAN_INT8 == static_cast<int>(DType::kInt8), "types agree");

thread_local char g_error[sizeof(sampan::ErrorInfo)] = "";

sampan_status report(const Status& status) {
  if (status.ok()) return SAMPAN_OK;
  const bool named = status.node()[0] != 0;
  std::snprintf(g_error, sizeof(g_error), "%s%s%s", status.node(), named ? ": " : "",
                status.message());
  return static_cast<sampan_status>(status.code());
}

sampan_status null_argument(const char* name) {
  return report(Status::error(Code::kInvalidArgument, "%s is null", name));
}

#define SAMPAN_C_NEED(pointer)                      \
  do {                                              \
    if (!(pointer)) return null_argument(#pointer); \
  } while (0)

// The part of a caller's struct that it knows of, over our defaults.
template <class T>
T read_struct(const T* from, const T& defaults) {
  T all = defaults;
  if (from) std::memcpy(&all, from, from->struct_size < sizeof(T) ? from->struct_size : sizeof(T));
  return all;
}

// The part of ours that a caller knows of; its struct_size stays.
template <class T>
void write_struct(T from, T* to) {
  from.struct_size = to->struct_size;
  std::memcpy(to, &from, to->struct_size < sizeof(T) ? to->struct_size : sizeof(T));
}

sampan_load_options default_load_options() {
  const sampan::LoadOptions d;
  sampan_load_options o = {};
  o.struct_size = sizeof(o);
  o.check_weights = 0;
  o.mapped = d.mapped;
  o.max_file_bytes = d.max_file_bytes;
  o.max_nodes = d.max_nodes;
  o.max_tensors = d.max_tensors;
  return o;
}

sampan::LoadOptions load_options(const sampan_load_options* options) {
  const sampan_load_options o = read_struct(options, default_load_options());
  sampan::LoadOptions r;
  r.check = o.check_weights ? sampan::CheckLevel::kFull : sampan::CheckLevel::kStructure;
  r.mapped = o.mapped != 0;
  r.max_file_bytes = o.max_file_bytes;
  r.max_nodes = o.max_nodes;
  r.max_tensors = o.max_tensors;
  return r;
}

sampan_session_options default_session_options() {
  const sampan::SessionOptions d;
  sampan_session_options o = {};
  o.struct_size = sizeof(o);
  o.threads = d.threads;
  o.max_memory = d.max_memory;
  o.max_work = d.max_work;
  o.deadline_seconds = d.deadline_seconds;
  return o;
}

sampan::SessionOptions session_options(const sampan_session_options* options) {
  const sampan_session_options o = read_struct(options, default_session_options());
  sampan::SessionOptions r;
  r.threads = o.threads;
  r.isa = o.isa;
  r.profile = o.profile != 0;
  r.keep_intermediates = o.keep_intermediates != 0;
  r.nan_watch = o.nan_watch != 0;
  r.max_memory = o.max_memory;
  r.max_work = o.max_work;
  r.deadline_seconds = o.deadline_seconds;
  return r;
}

// A handle around a value, through the allocator hook.
template <class Handle, class Value>
Result<sampan::Box<Handle>> wrap(Result<Value> value, Value Handle::*member) {
  if (!value.ok()) return value.take_status();
  sampan::Box<Handle> box;
  SAMPAN_ASSIGN(box, sampan::make_box<Handle>());
  (*box).*member = value.take();
  return box;
}

template <class Handle>
sampan_status give(Result<sampan::Box<Handle>> box, Handle** out) {
  if (!box.ok()) return report(box.status());
  *out = box.value().detach();
  return SAMPAN_OK;
}

sampan_status value_info(const sampan::ValueInfo& v, int32_t index, int32_t count,
                         sampan_value_info* info) {
  if (index < 0 || index >= count)
    return report(Status::error(Code::kInvalidArgument, "index %d; there are %d",
                                static_cast<int>(index), static_cast<int>(count)));
  sampan_value_info r = {};
  r.name = v.name;
  r.dtype = static_cast<sampan_dtype>(v.dtype);
  r.rank = v.rank;
  for (int i = 0; i < v.rank; ++i) {
    r.dims[i] = v.dims[i];
    r.symbols[i] = v.symbols[i];
  }
  write_struct(r, info);
  return SAMPAN_OK;
}

sampan_status give_tensor(Result<Tensor> tensor, sampan_tensor* out) {
  if (!tensor.ok()) return report(tensor.status());
  const Tensor& t = tensor.value();
  *out = sampan_tensor();
  out->dtype = static_cast<sampan_dtype>(t.dtype);
  out->rank = t.shape.rank;
  for (int i = 0; i < t.shape.rank; ++i) out->dims[i] = t.shape.dims[i];
  out->data = t.data;
  return SAMPAN_OK;
}

bool known_dtype(sampan_dtype t) { return t > 0 && t < sampan::kDTypeCount; }

}  // namespace

extern "C" {

const char* sampan_version(void) { return sampan::version(); }
uint32_t sampan_abi_version(void) { return SAMPAN_ABI_VERSION; }
const char* sampan_status_name(sampan_status status) {
  return status >= 0 && status <= SAMPAN_INTERNAL ? sampan::code_name(static_cast<Code>(status))
                                                  : "unknown";
}
const char* sampan_last_error(void) { return g_error; }
size_t sampan_dtype_size(sampan_dtype dtype) {
  return known_dtype(dtype) ? sampan::dtype_size(static_cast<DType>(dtype)) : 0;
}
const char* sampan_dtype_name(sampan_dtype dtype) {
  return sampan::dtype_name(known_dtype(dtype) ? static_cast<DType>(dtype) : DType::kInvalid);
}

void sampan_load_options_init(sampan_load_options* options, size_t struct_size) {
  if (!options || struct_size < sizeof(size_t)) return;
  std::memset(options, 0, struct_size);
  options->struct_size = struct_size;
  write_struct(default_load_options(), options);
}
void sampan_session_options_init(sampan_session_options* options, size_t struct_size) {
  if (!options || struct_size < sizeof(size_t)) return;
  std::memset(options, 0, struct_size);
  options->struct_size = struct_size;
  write_struct(default_session_options(), options);
}

sampan_status sampan_model_load(const char* path, const sampan_load_options* options,
                                sampan_model** out) {
  SAMPAN_C_NEED(out);
  *out = nullptr;
  SAMPAN_C_NEED(path);
  return give(wrap(sampan::Model::load(path, load_options(options)), &sampan_model::model), out);
}

sampan_status sampan_model_from_memory(const void* data, size_t size,
                                       const sampan_load_options* options, sampan_model** out) {
  SAMPAN_C_NEED(out);
  *out = nullptr;
  SAMPAN_C_NEED(data);
  return give(
      wrap(sampan::Model::from_memory(data, size, load_options(options)), &sampan_model::model),
      out);
}

void sampan_model_free(sampan_model* model) { sampan::Box<sampan_model> owner(model); }

int32_t sampan_model_num_inputs(const sampan_model* model) {
  return model ? model->model.num_inputs() : 0;
}
int32_t sampan_model_num_outputs(const sampan_model* model) {
  return model ? model->model.num_outputs() : 0;
}

sampan_status sampan_model_input(const sampan_model* model, int32_t index,
                                 sampan_value_info* info) {
  SAMPAN_C_NEED(model);
  SAMPAN_C_NEED(info);
  return value_info(model->model.input(index), index, model->model.num_inputs(), info);
}
sampan_status sampan_model_output(const sampan_model* model, int32_t index,
                                  sampan_value_info* info) {
  SAMPAN_C_NEED(model);
  SAMPAN_C_NEED(info);
  return value_info(model->model.output(index), index, model->model.num_outputs(), info);
}

const char* sampan_model_metadata(const sampan_model* model, const char* key) {
  if (!model || !key) return nullptr;
  for (int i = 0; i < model->model.num_metadata(); ++i)
    if (std::strcmp(model->model.metadata_key(i), key) == 0) return model->model.metadata_value(i);
  return nullptr;
}

sampan_status sampan_session_create(const sampan_model* model,
                                    const sampan_session_options* options, sampan_session** out) {
  SAMPAN_C_NEED(out);
  *out = nullptr;
  SAMPAN_C_NEED(model);
  return give(wrap(sampan::Session::create(model->model, session_options(options)),
                   &sampan_session::session),
              out);
}

void sampan_session_free(sampan_session* session) { sampan::Box<sampan_session> owner(session); }

sampan_status sampan_session_set_input(sampan_session* session, int32_t index,
                                       const sampan_tensor* tensor) {
  SAMPAN_C_NEED(session);
  SAMPAN_C_NEED(tensor);
  Tensor t;
  t.dtype = known_dtype(tensor->dtype) ? static_cast<DType>(tensor->dtype) : DType::kInvalid;
  t.shape.rank = tensor->rank;
  for (int i = 0; i < SAMPAN_MAX_RANK && i < tensor->rank; ++i) t.shape.dims[i] = tensor->dims[i];
  t.data = tensor->data;
  return report(session->session.set_input(index, t));
}

sampan_status sampan_session_set_output(sampan_session* session, int32_t index, void* data,
                                        size_t capacity) {
  SAMPAN_C_NEED(session);
  return report(session->session.set_output(index, data, capacity));
}

sampan_status sampan_session_plan(sampan_session* session) {
  SAMPAN_C_NEED(session);
  return report(session->session.plan());
}

sampan_status sampan_session_run(sampan_session* session) {
  SAMPAN_C_NEED(session);
  return report(session->session.run());
}

void sampan_session_cancel(sampan_session* session) {
  if (session) session->session.cancel();
}

sampan_status sampan_session_output(const sampan_session* session, int32_t index,
                                    sampan_tensor* out) {
  SAMPAN_C_NEED(session);
  SAMPAN_C_NEED(out);
  return give_tensor(session->session.output(index), out);
}

sampan_status sampan_session_tensor(const sampan_session* session, const char* name,
                                    sampan_tensor* out) {
  SAMPAN_C_NEED(session);
  SAMPAN_C_NEED(name);
  SAMPAN_C_NEED(out);
  return give_tensor(session->session.tensor(name), out);
}

int32_t sampan_session_num_profile_entries(const sampan_session* session) {
  return session ? session->session.num_profile_entries() : 0;
}

sampan_status sampan_session_profile_entry(const sampan_session* session, int32_t index,
                                           sampan_profile_entry* out) {
  SAMPAN_C_NEED(session);
  SAMPAN_C_NEED(out);
  const int32_t count = session->session.num_profile_entries();
  if (index < 0 || index >= count)
    return report(Status::error(Code::kInvalidArgument, "profile entry %d; there are %d",
                                static_cast<int>(index), static_cast<int>(count)));
  const sampan::ProfileEntry e = session->session.profile_entry(index);
  sampan_profile_entry r = {};
  r.node = e.node;
  r.op = e.op;
  r.kernel = e.kernel;
  r.sources = e.sources;
  r.start_ns = e.start_ns;
  r.duration_ns = e.duration_ns;
  write_struct(r, out);
  return SAMPAN_OK;
}

sampan_status sampan_session_memory(const sampan_session* session, sampan_memory_report* out) {
  SAMPAN_C_NEED(session);
  SAMPAN_C_NEED(out);
  const sampan::MemoryReport m = session->session.memory();
  sampan_memory_report r = {};
  r.arena_bytes = m.arena_bytes;
  r.lower_bound_bytes = m.lower_bound_bytes;
  r.without_reuse_bytes = m.without_reuse_bytes;
  r.packed_weight_bytes = m.packed_weight_bytes;
  r.plans = m.plans;
  write_struct(r, out);
  return SAMPAN_OK;
}

const char* sampan_session_isa(const sampan_session* session) {
  return session ? session->session.isa() : "";
}

}  // extern "C"
