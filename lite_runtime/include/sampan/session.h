// A session runs one model for one caller at a time. Sessions of one model may run in parallel.
#pragma once
#include <cstddef>
#include <cstdint>

#include "sampan/model.h"
#include "sampan/status.h"
#include "sampan/tensor.h"

namespace sampan {

struct SessionOptions {
  int threads = 1;
  const char* isa = nullptr;  // "portable", "avx2", "avx512"; null: SAMPAN_ISA or the best
  bool profile = false;
  bool keep_intermediates = false;  // no memory is reused; every tensor can be read after a run
  bool nan_watch =
      false;  // a run that makes a NaN or infinity out of finite input fails, naming the node
  uint64_t max_memory = uint64_t{1} << 36;  // arena and packed weights, bytes
  uint64_t max_work = 0;                    // multiply-adds of one run; 0: no limit
  double deadline_seconds = 0;              // of one run; 0: none
};

// One executed node, in order of execution.
struct ProfileEntry {
  const char* node = "";  // name of the node
  const char* op = "";
  const char* kernel = "";   // "gemm_f32_6x16_avx2"
  const char* sources = "";  // source nodes, comma separated
  int64_t start_ns = 0;      // since the run began
  int64_t duration_ns = 0;
  int thread = 0;
};

struct MemoryReport {
  int64_t arena_bytes = 0;        // planned
  int64_t lower_bound_bytes = 0;  // largest sum of sizes alive at one node
  int64_t without_reuse_bytes = 0;
  int64_t packed_weight_bytes = 0;  // made at session creation
  int64_t plans = 0;                // how often a plan was made since creation
};

class SessionImpl;

class Session {
 public:
  Session() = default;
  Session(Session&& o) noexcept : impl_(o.impl_) { o.impl_ = nullptr; }
  Session& operator=(Session&& o) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  static Result<Session> create(const Model& model, const SessionOptions& options = {});

  const Model& model() const;
  // The bytes stay the caller's and must live until the run has ended. Any shape that fits the
  // declared one (equal symbols get equal values) is taken; a changed shape makes a new plan.
  Status set_input(int index, const Tensor& tensor);
  // The run writes output `index` there. capacity in bytes; an output that needs more is an error.
  // A null pointer takes the binding back.
  Status set_output(int index, void* data, size_t capacity);
  // Output shapes for the inputs set so far, without running. Fails with kNeedsValues when a
  // shape depends on data.
  Status plan();
  Status run();
  // May be called from another thread during run(): it then returns kCancelled soon.
  void cancel();

  // Valid until the next run or plan; the view of a caller's buffer when set_output was called.
  Result<Tensor> output(int index) const;
  // With keep_intermediates (or for outputs): a computed tensor by its name in the file.
  Result<Tensor> tensor(const char* name) const;

  int num_profile_entries() const;
  ProfileEntry profile_entry(int i) const;
  MemoryReport memory() const;
  const char* isa() const;

 private:
  explicit Session(SessionImpl* impl) : impl_(impl) {}
  friend class SessionImpl;
  SessionImpl* impl_ = nullptr;
};

// "0.1.0"
const char* version();

}  // namespace sampan
