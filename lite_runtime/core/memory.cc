#include "core/memory.h"

#include <cstdlib>

#if defined(_WIN32)
  #include <malloc.h>
#endif

namespace sampan {
namespace {

void* default_allocate(void*, size_t bytes, size_t alignment) {
  if (alignment < sizeof(void*)) alignment = sizeof(void*);
#if defined(_WIN32)
  return _aligned_malloc(bytes, alignment);
#else
  void* p = nullptr;
  return posix_memalign(&p, alignment, bytes) == 0 ? p : nullptr;
#endif
}

void default_release(void*, void* pointer, size_t) {
#if defined(_WIN32)
  _aligned_free(pointer);
#else
  std::free(pointer);
#endif
}

constexpr Allocator kDefault = {default_allocate, default_release, nullptr};
Allocator g_allocator = kDefault;

}  // namespace

void set_allocator(const Allocator* allocator) { g_allocator = allocator ? *allocator : kDefault; }

void* allocate(size_t bytes, size_t alignment) {
  return g_allocator.allocate(g_allocator.context, bytes ? bytes : 1, alignment);
}

void release(void* pointer, size_t bytes) {
  if (pointer) g_allocator.release(g_allocator.context, pointer, bytes ? bytes : 1);
}

Status out_of_memory(size_t bytes, const char* what) {
  if (bytes == SIZE_MAX)
    return Status::error(Code::kOutOfMemory, "%s: the size does not fit the address space", what);
  return Status::error(Code::kOutOfMemory, "no memory for %zu bytes (%s)", bytes, what);
}

}  // namespace sampan
