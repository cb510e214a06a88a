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
  ~ThreadPool();
  int threads() const;
  // Splits [0, total) into parts of at least `grain`; returns when all are done. Not re-entrant.
  void parallel_for(int64_t total, int64_t grain, RangeFn fn, void* arg);

 private:
  class Impl;
  template <class T, class... Args>
  friend Result<Box<T>> make_box(Args&&... args);
  ThreadPool() = default;
  Impl* impl_ = nullptr;
};

}  // namespace sampan
