/* Runs a .spn model from C: every input is filled with a ramp, every output is summed up.
 *
 *   cmake -S . -B build -DSAMPAN_TOOLS=ON && cmake --build build
 *   cc -c demos/c_api/main.c -o main.o -Ilite_runtime/include
 *   c++ main.o build/libsampan_runtime.a -lpthread -o c_demo && ./c_demo model.spn
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sampan.h"

/* Free dimensions of the demo get this size. */
enum { FREE_SIZE = 4 };

static int check(sampan_status status, const char* what) {
  if (status == SAMPAN_OK) return 0;
  fprintf(stderr, "%s: %s: %s\n", what, sampan_status_name(status), sampan_last_error());
  return 1;
}

static int64_t elements(const sampan_tensor* t) {
  int64_t n = 1;
  int32_t i;
  for (i = 0; i < t->rank; ++i) n *= t->dims[i];
  return n;
}

/* Allocates and fills input i; the caller frees tensor->data. */
static int make_input(const sampan_model* model, int32_t i, sampan_tensor* tensor) {
  sampan_value_info info;
  int64_t n, k;
  int32_t d;
  memset(&info, 0, sizeof(info));
  info.struct_size = sizeof(info);
  if (check(sampan_model_input(model, i, &info), "input")) return 1;
  memset(tensor, 0, sizeof(*tensor));
  tensor->dtype = info.dtype;
  tensor->rank = info.rank;
  for (d = 0; d < info.rank; ++d) tensor->dims[d] = info.dims[d] < 0 ? FREE_SIZE : info.dims[d];
  n = elements(tensor);
  tensor->data = calloc((size_t)n + 1, sampan_dtype_size(info.dtype));
  if (!tensor->data) return 1;
  if (info.dtype == SAMPAN_FLOAT32)
    for (k = 0; k < n; ++k) ((float*)tensor->data)[k] = (float)(k % 100) / 100.0f;
  printf("input  %-24s %s, %lld elements\n", info.name, sampan_dtype_name(info.dtype), (long long)n);
  return 0;
}

static int print_output(const sampan_model* model, const sampan_session* session, int32_t i) {
  sampan_value_info info;
  sampan_tensor t;
  double sum = 0;
  int64_t k;
  memset(&info, 0, sizeof(info));
  info.struct_size = sizeof(info);
  if (check(sampan_model_output(model, i, &info), "output")) return 1;
  if (check(sampan_session_output(session, i, &t), "output")) return 1;
  if (t.dtype == SAMPAN_FLOAT32)
    for (k = 0; k < elements(&t); ++k) sum += ((const float*)t.data)[k];
  printf("output %-24s %s, %lld elements, sum %g\n", info.name, sampan_dtype_name(t.dtype),
         (long long)elements(&t), sum);
  return 0;
}

int main(int argc, char** argv) {
  sampan_model* model = NULL;
  sampan_session* session = NULL;
  sampan_session_options options;
  sampan_tensor inputs[16];
  int32_t count = 0, i;
  int failed = 1;
  if (argc != 2) {
    fprintf(stderr, "usage: %s model.spn\n", argv[0]);
    return 2;
  }
  if (check(sampan_model_load(argv[1], NULL, &model), argv[1])) return 3;
  sampan_session_options_init(&options, sizeof(options));
  options.threads = 2;
  if (check(sampan_session_create(model, &options, &session), "session")) goto done;
  printf("sampan %s, %s\n", sampan_version(), sampan_session_isa(session));
  for (; count < sampan_model_num_inputs(model) && count < 16; ++count) {
    if (make_input(model, count, &inputs[count])) goto done;
    if (check(sampan_session_set_input(session, count, &inputs[count]), "set input")) {
      ++count;
      goto done;
    }
  }
  if (check(sampan_session_run(session), "run")) goto done;
  for (i = 0; i < sampan_model_num_outputs(model); ++i)
    if (print_output(model, session, i)) goto done;
  failed = 0;
done:
  sampan_session_free(session);
  sampan_model_free(model);
  for (i = 0; i < count; ++i) free(inputs[i].data);
  return failed;
}
