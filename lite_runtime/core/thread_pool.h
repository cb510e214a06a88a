// A small pool: workers sleep between calls and spin only a few microseconds within a run.
#pragma once
#include <cstdint>

#include "core/memory.h"
#include "sampan/status.h"

namespace sampan {

class ThreadPool {
 public:
  using RangeFn = void (*)(void* arg, int64_t begin, int64_t end, int thread);

  // threads counts the caller: 1 makes no worker. A thread the system refuses is an error.
  static Result<Box<ThreadPool>> create(int threads);
  virtual ~ThreadPool() = default;
  virtual int threads() const = 0;
  // Splits [0, total) into parts of at least `grain`; returns when all are done. Not re-entrant.
  virtual void parallel_for(int64_t total, int64_t grain, RangeFn fn, void* arg) = 0;
};

}  // namespace sampan
