// Every item of a range is done exactly once, for all sizes, grains and thread counts, and workers
// run with the floating-point modes of the numerics contract.
#include "core/thread_pool.h"

#include <atomic>
#include <vector>

#include "check.h"
#include "core/cpu.h"

namespace sampan {
namespace {

struct Work {
  std::vector<std::atomic<int>>* counts;
  std::atomic<int>* wrong;
  int threads;
  int64_t total, grain;
};

void touch(void* arg, int64_t begin, int64_t end, int thread) {
  Work& w = *static_cast<Work*>(arg);
  const bool small = end - begin < w.grain && end != w.total;
  if (begin < 0 || end > w.total || begin >= end || small || thread < 0 || thread >= w.threads)
    ++*w.wrong;
  for (int64_t i = begin; i < end; ++i) ++(*w.counts)[static_cast<size_t>(i)];
}

void test_ranges(int threads) {
  Result<Box<ThreadPool>> made = ThreadPool::create(threads);
  CHECK(made.ok());
  Box<ThreadPool> pool = made.take();
  test::Random r(static_cast<uint64_t>(threads));
  for (int round = 0; round < 1500; ++round) {
    const int64_t total = r.integer(0, 3) == 0 ? r.integer(0, 5) : r.integer(0, 3000);
    std::vector<std::atomic<int>> counts(static_cast<size_t>(total) + 1);
    std::atomic<int> wrong{0};
    Work w = {&counts, &wrong, threads, total, r.integer(1, 40)};
    pool->parallel_for(total, w.grain, touch, &w);
    CHECK(wrong == 0);
    for (int64_t i = 0; i < total; ++i)
      CHECK(counts[static_cast<size_t>(i)] == 1, "%d threads, %lld of %lld", threads,
            static_cast<long long>(i), static_cast<long long>(total));
  }
}

void halve_smallest(void* arg, int64_t begin, int64_t end, int) {
  volatile float tiny = 1.17549435e-38f, half = 0.5f;
  for (int64_t i = begin; i < end; ++i)
    static_cast<std::atomic<int>*>(arg)[i] = tiny * half == 0.0f ? 1 : 2;
}

void test_denormals() {
  Box<ThreadPool> pool = ThreadPool::create(3).take();
  std::vector<std::atomic<int>> flushed(10000);
  {
    FlushDenormals flush;
    pool->parallel_for(10000, 1, halve_smallest, flushed.data());
  }
  for (std::atomic<int>& f : flushed) CHECK(f == 1);
  volatile float tiny = 1.17549435e-38f, half = 0.5f;
  CHECK(tiny * half != 0.0f, "the caller's mode is restored");
}

void test_counts() {
  CHECK(!ThreadPool::create(0).ok());
  CHECK(!ThreadPool::create(-1).ok());
  CHECK(!ThreadPool::create(100000).ok());
  for (int i = 0; i < 50; ++i) CHECK(ThreadPool::create(4).ok(), "made and ended without a call");
}

}  // namespace
}  // namespace sampan

int main() {
  for (int threads : {1, 2, 3, 8}) sampan::test_ranges(threads);
  sampan::test_denormals();
  sampan::test_counts();
  return sampan::test::finish("thread_pool");
}
