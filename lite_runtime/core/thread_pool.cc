#include "core/thread_pool.h"

#include <atomic>

#include "core/cpu.h"
#include "core/platform.h"

namespace sampan {
namespace {

// How often a waiting thread looks before it sleeps: a few microseconds.
constexpr int kSpins = 256;
// Each thread gets this many parts on average, so that one that lost its core delays little.
constexpr int64_t kPartsPerThread = 4;
constexpr int kMaxThreads = 256;

// One word tells who works on what: [generation:32][open:1][working:31]. A worker enters a call by
// adding 1 while the call is open; the caller closes it when no part is left and then waits only
// for workers that have entered. A worker that the system never woke holds nobody up.
constexpr uint64_t kOpen = uint64_t{1} << 31;
constexpr uint64_t kWorking = kOpen - 1;
uint64_t generation(uint64_t state) { return state >> 32; }

}  // namespace

class ThreadPool::Impl {
 public:
  ~Impl() {
    if (monitor_) {
      lock(monitor_);
      stop_ = true;
      notify_all(monitor_);
      unlock(monitor_);
    }
    for (Worker& w : workers_)
      if (w.thread) join_thread(w.thread);
    free_monitor(monitor_);
  }

  Status start(int threads) {
    threads_ = threads;
    if (threads == 1) return Status();
    SAMPAN_ASSIGN(monitor_, make_monitor());
    SAMPAN_TRY(workers_.resize(static_cast<size_t>(threads - 1)));
    for (int i = 0; i < threads - 1; ++i) {
      Worker& w = workers_[static_cast<size_t>(i)];
      w.pool = this;
      w.number = i + 1;
      SAMPAN_ASSIGN(w.thread, start_thread(worker_main, &w));
    }
    return Status();
  }

  int threads() const { return threads_; }

  void parallel_for(int64_t total, int64_t grain, RangeFn fn, void* arg) {
    if (total <= 0) return;
    if (grain < 1) grain = 1;
    const int64_t even = (total - 1) / (threads_ * kPartsPerThread) + 1;
    const int64_t part = even > grain ? even : grain;
    if (threads_ == 1 || part >= total) {
      fn(arg, 0, total, 0);
      return;
    }
    total_ = total;
    part_ = part;
    fn_ = fn;
    arg_ = arg;
    next_.store(0, std::memory_order_relaxed);
    const uint64_t before = state_.load(std::memory_order_relaxed);
    state_.store(((generation(before) + 1) << 32) | kOpen, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) > 0) {
      lock(monitor_);
      notify_all(monitor_);
      unlock(monitor_);
    }
    work(0);
    state_.fetch_and(~kOpen, std::memory_order_acq_rel);
    wait_for_workers();
  }

 private:
  struct Worker {
    Impl* pool = nullptr;
    Thread* thread = nullptr;
    int number = 0;
  };

  static void worker_main(void* p) {
    Worker* w = static_cast<Worker*>(p);
    FlushDenormals flush;
    w->pool->serve(w->number);
  }

  void serve(int number) {
    uint64_t seen = 0;
    while (wait_for_call(&seen)) {
      work(number);
      const uint64_t state = state_.fetch_sub(1, std::memory_order_seq_cst) - 1;
      if ((state & (kOpen | kWorking)) == 0 && caller_waits_.load(std::memory_order_seq_cst)) {
        lock(monitor_);
        notify_all(monitor_);
        unlock(monitor_);
      }
    }
  }

  // Enters the current call if it is open and new to this worker.
  bool enter(uint64_t* seen) {
    uint64_t state = state_.load(std::memory_order_seq_cst);
    while ((state & kOpen) != 0 && generation(state) != *seen) {
      if (state_.compare_exchange_weak(state, state + 1, std::memory_order_seq_cst)) {
        *seen = generation(state);
        return true;
      }
    }
    return false;
  }

  // False when the pool is to end.
  bool wait_for_call(uint64_t* seen) {
    for (int i = 0; i < kSpins; ++i) {
      if (enter(seen)) return true;
      relax_cpu();
    }
    lock(monitor_);
    sleeping_.fetch_add(1, std::memory_order_seq_cst);
    bool entered = false;
    while (!stop_ && !(entered = enter(seen))) wait(monitor_);
    sleeping_.fetch_sub(1, std::memory_order_seq_cst);
    unlock(monitor_);
    return entered;
  }

  void work(int number) {
    for (;;) {
      const int64_t begin = next_.fetch_add(part_, std::memory_order_relaxed);
      if (begin >= total_) return;
      fn_(arg_, begin, total_ - begin < part_ ? total_ : begin + part_, number);
    }
  }

  bool idle() const { return (state_.load(std::memory_order_seq_cst) & kWorking) == 0; }

  void wait_for_workers() {
    for (int i = 0; i < kSpins; ++i) {
      if (idle()) return;
      relax_cpu();
    }
    lock(monitor_);
    caller_waits_.store(true, std::memory_order_seq_cst);
    while (!idle()) wait(monitor_);
    caller_waits_.store(false, std::memory_order_seq_cst);
    unlock(monitor_);
  }

  int threads_ = 1;
  Monitor* monitor_ = nullptr;
  Array<Worker> workers_;
  bool stop_ = false;  // under the monitor
  std::atomic<uint64_t> state_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<bool> caller_waits_{false};
  std::atomic<int64_t> next_{0};
  // Of the call; written only while it is closed and nobody works.
  int64_t total_ = 0;
  int64_t part_ = 1;
  RangeFn fn_ = nullptr;
  void* arg_ = nullptr;
};

Result<Box<ThreadPool>> ThreadPool::create(int threads) {
  SAMPAN_CHECK(threads >= 1 && threads <= kMaxThreads, Code::kInvalidArgument,
               "%d threads were asked for; 1 to %d are possible", threads, kMaxThreads);
  Box<ThreadPool> pool;
  SAMPAN_ASSIGN(pool, make_box<ThreadPool>());
  Box<Impl> impl;
  SAMPAN_ASSIGN(impl, make_box<Impl>());
  SAMPAN_TRY(impl->start(threads));
  pool->impl_ = impl.detach();
  return pool;
}

ThreadPool::~ThreadPool() { Box<Impl> owner(impl_); }
int ThreadPool::threads() const { return impl_->threads(); }
void ThreadPool::parallel_for(int64_t total, int64_t grain, RangeFn fn, void* arg) {
  impl_->parallel_for(total, grain, fn, arg);
}

}  // namespace sampan
