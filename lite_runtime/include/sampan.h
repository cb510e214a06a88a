/* Sampan's C interface. Its ABI is stable: functions and trailing struct members are only added.
 *
 * - Every call that can fail returns a sampan_status: 0 (SAMPAN_OK) or one of the codes below. The
 *   text is sampan_last_error(), kept per thread until the next failing call of that thread.
 * - Structs that grow begin with struct_size. Set it with the *_init function, which also fills in
 *   the defaults; members a caller does not know of keep theirs.
 * - Handles: a model may be shared by threads; a session belongs to one thread at a time (a second
 *   one gets SAMPAN_BUSY), apart from sampan_session_cancel.
 * - Strings are UTF-8. Strings handed out belong to the model or session they came from.
 */
#ifndef SAMPAN_H
#define SAMPAN_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32) && defined(SAMPAN_SHARED)
  #if defined(SAMPAN_BUILDING)
    #define SAMPAN_API __declspec(dllexport)
  #else
    #define SAMPAN_API __declspec(dllimport)
  #endif
#elif defined(__GNUC__)
  #define SAMPAN_API __attribute__((visibility("default")))
#else
  #define SAMPAN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows when functions or members are added; never breaks. */
#define SAMPAN_ABI_VERSION 1
#define SAMPAN_MAX_RANK 8

typedef int32_t sampan_status;
enum {
  SAMPAN_OK = 0,
  SAMPAN_INVALID_ARGUMENT = 1, /* wrong name, dtype, shape, index, null pointer */
  SAMPAN_BAD_MODEL = 2,        /* the file is cut, altered or inconsistent */
  SAMPAN_NEWER_VERSION = 3,    /* the file needs a newer runtime */
  SAMPAN_UNSUPPORTED = 4,      /* a valid model asks for something this build lacks */
  SAMPAN_OUT_OF_MEMORY = 5,
  SAMPAN_LIMIT = 6,     /* a limit of the options would be passed */
  SAMPAN_CANCELLED = 7, /* cancelled, or past its deadline */
  SAMPAN_IO = 8,
  SAMPAN_BUSY = 9,          /* the session is running in another thread */
  SAMPAN_DATA_ERROR = 10,   /* run-time values are out of range */
  SAMPAN_NEEDS_VALUES = 11, /* sampan_session_plan: shapes depend on data */
  SAMPAN_INTERNAL = 12
};

typedef int32_t sampan_dtype;
enum {
  SAMPAN_FLOAT32 = 1,
  SAMPAN_FLOAT16 = 2,
  SAMPAN_BFLOAT16 = 3,
  SAMPAN_FLOAT64 = 4,
  SAMPAN_INT8 = 5,
  SAMPAN_UINT8 = 6,
  SAMPAN_INT16 = 7,
  SAMPAN_UINT16 = 8,
  SAMPAN_INT32 = 9,
  SAMPAN_UINT32 = 10,
  SAMPAN_INT64 = 11,
  SAMPAN_UINT64 = 12,
  SAMPAN_BOOL = 13 /* one byte, 0 or 1 */
};

typedef struct sampan_model sampan_model;
typedef struct sampan_session sampan_session;

/* A view of contiguous row-major elements; owns nothing. */
typedef struct sampan_tensor {
  sampan_dtype dtype;
  int32_t rank;
  int64_t dims[SAMPAN_MAX_RANK];
  void* data;
} sampan_tensor;

/* A declared input or output. dims[i] is -1 where the size is free; symbols[i] then names it (equal
 * symbols get equal sizes), or is null. rank is -1 when it depends on data. */
typedef struct sampan_value_info {
  size_t struct_size;
  const char* name;
  sampan_dtype dtype;
  int32_t rank;
  int64_t dims[SAMPAN_MAX_RANK];
  const char* symbols[SAMPAN_MAX_RANK];
} sampan_value_info;

typedef struct sampan_load_options {
  size_t struct_size;
  int32_t check_weights; /* 1: compare the checksum of the weights, too. Default 0 */
  int32_t mapped;        /* 0: read the weights into private memory. Default 1 */
  uint64_t max_file_bytes;
  uint32_t max_nodes;
  uint32_t max_tensors;
} sampan_load_options;

typedef struct sampan_session_options {
  size_t struct_size;
  int32_t threads; /* default 1 */
  int32_t profile; /* 1: fill sampan_profile_entry. Default 0 */
  const char* isa; /* "portable", "avx2", ...; null: SAMPAN_ISA or the best. Default null */
  int32_t keep_intermediates;
  int32_t nan_watch;       /* 1: a run that makes NaN or infinity of finite input fails */
  uint64_t max_memory;     /* bytes of arena and packed weights */
  uint64_t max_work;       /* multiply-adds of one run; 0: no limit */
  double deadline_seconds; /* of one run; 0: none */
} sampan_session_options;

typedef struct sampan_profile_entry {
  size_t struct_size;
  const char* node;
  const char* op;
  const char* kernel;
  const char* sources; /* nodes of the source model, comma separated */
  int64_t start_ns;    /* since the run began */
  int64_t duration_ns;
} sampan_profile_entry;

typedef struct sampan_memory_report {
  size_t struct_size;
  int64_t arena_bytes;
  int64_t lower_bound_bytes;
  int64_t without_reuse_bytes;
  int64_t packed_weight_bytes;
  int64_t plans; /* how often a plan was made */
} sampan_memory_report;

SAMPAN_API const char* sampan_version(void);
SAMPAN_API uint32_t
sampan_abi_version(void); /* of the library; SAMPAN_ABI_VERSION is the header's */
SAMPAN_API const char* sampan_status_name(sampan_status status);
SAMPAN_API const char* sampan_last_error(void); /* "" when nothing has failed in this thread */
SAMPAN_API size_t sampan_dtype_size(sampan_dtype dtype); /* 0 for unknown ones */
SAMPAN_API const char* sampan_dtype_name(sampan_dtype dtype);

SAMPAN_API void sampan_load_options_init(sampan_load_options* options, size_t struct_size);
SAMPAN_API void sampan_session_options_init(sampan_session_options* options, size_t struct_size);

/* options may be null. On failure *out is null. */
SAMPAN_API sampan_status sampan_model_load(const char* path, const sampan_load_options* options,
                                           sampan_model** out);
/* With options->mapped (the default) data must be 64-byte aligned and outlive the model. */
SAMPAN_API sampan_status sampan_model_from_memory(const void* data, size_t size,
                                                  const sampan_load_options* options,
                                                  sampan_model** out);
SAMPAN_API void sampan_model_free(
    sampan_model* model); /* sessions made of it live on; null is fine */
SAMPAN_API int32_t sampan_model_num_inputs(const sampan_model* model);
SAMPAN_API int32_t sampan_model_num_outputs(const sampan_model* model);
/* info->struct_size must be set. */
SAMPAN_API sampan_status sampan_model_input(const sampan_model* model, int32_t index,
                                            sampan_value_info* info);
SAMPAN_API sampan_status sampan_model_output(const sampan_model* model, int32_t index,
                                             sampan_value_info* info);
SAMPAN_API const char* sampan_model_metadata(const sampan_model* model,
                                             const char* key); /* or null */

SAMPAN_API sampan_status sampan_session_create(const sampan_model* model,
                                               const sampan_session_options* options,
                                               sampan_session** out);
SAMPAN_API void sampan_session_free(sampan_session* session); /* null is fine */
/* The elements stay the caller's and must live until the run has ended. */
SAMPAN_API sampan_status sampan_session_set_input(sampan_session* session, int32_t index,
                                                  const sampan_tensor* tensor);
/* The run writes the output there; capacity in bytes. A null pointer takes the buffer back. */
SAMPAN_API sampan_status sampan_session_set_output(sampan_session* session, int32_t index,
                                                   void* data, size_t capacity);
/* Output shapes without a run. */
SAMPAN_API sampan_status sampan_session_plan(sampan_session* session);
SAMPAN_API sampan_status sampan_session_run(sampan_session* session);
SAMPAN_API void sampan_session_cancel(sampan_session* session); /* from any thread, during a run */
/* Valid until the next run or plan. */
SAMPAN_API sampan_status sampan_session_output(const sampan_session* session, int32_t index,
                                               sampan_tensor* out);
SAMPAN_API sampan_status sampan_session_tensor(const sampan_session* session, const char* name,
                                               sampan_tensor* out);
SAMPAN_API int32_t sampan_session_num_profile_entries(const sampan_session* session);
SAMPAN_API sampan_status sampan_session_profile_entry(const sampan_session* session, int32_t index,
                                                      sampan_profile_entry* out);
SAMPAN_API sampan_status sampan_session_memory(const sampan_session* session,
                                               sampan_memory_report* out);
SAMPAN_API const char* sampan_session_isa(const sampan_session* session);

#ifdef __cplusplus
}
#endif
#endif /* SAMPAN_H */
