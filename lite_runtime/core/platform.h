// Everything that differs between operating systems: one header, platform_posix.cc and
// platform_windows.cc.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/memory.h"
#include "sampan/status.h"

namespace sampan {

// A file mapped read-only.
struct Mapping {
  const void* data = nullptr;
  size_t size = 0;
};
Result<Mapping> map_file(const char* path, uint64_t max_bytes);
void unmap_file(const Mapping& mapping);
// The whole file in private memory, 64-byte aligned. *size is its length; the block may be larger.
Status read_file(const char* path, uint64_t max_bytes, Buffer* out, size_t* size);

// Asks for large pages where the system offers them for plain memory; a hint.
void advise_large_pages(void* data, size_t bytes);

int64_t now_ns();  // monotonic

// Threads, one mutex + condition pair: the pool's needs and no more.
struct Thread;
Result<Thread*> start_thread(void (*fn)(void*), void* arg);
void join_thread(Thread* thread);

struct Monitor;  // a mutex with one condition variable
Result<Monitor*> make_monitor();
void free_monitor(Monitor*);
void lock(Monitor*);
void unlock(Monitor*);
void wait(Monitor*);        // with the lock held
void notify_all(Monitor*);  // with the lock held

// One step of a short busy wait.
void relax_cpu();

int hardware_threads();

}  // namespace sampan
