#if defined(_WIN32)

  #ifndef WIN32_LEAN_AND_MEAN
    #define WIN32_LEAN_AND_MEAN
  #endif
  #ifndef NOMINMAX
    #define NOMINMAX
  #endif
  #include <windows.h>

  #include "core/platform.h"

namespace sampan {
namespace {

Status io_error(const char* what, const char* path) {
  return Status::error(Code::kIo, "cannot %s %.256s: Windows error %lu", what, path,
                       static_cast<unsigned long>(GetLastError()));
}

// An open handle of a file within the size limit. Paths are UTF-8.
class File {
 public:
  ~File() {
    if (handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
  }
  Status open(const char* path, uint64_t max_bytes) {
    SAMPAN_CHECK(path != nullptr && path[0] != 0, Code::kInvalidArgument, "no path was given");
    constexpr int kPathChars = 4096;
    Array<wchar_t> wide;
    SAMPAN_TRY(wide.resize(kPathChars));
    if (MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, path, -1, wide.data(), kPathChars) == 0)
      return io_error("read the name", path);
    handle_ = CreateFileW(wide.data(), GENERIC_READ, FILE_SHARE_READ, nullptr, OPEN_EXISTING,
                          FILE_ATTRIBUTE_NORMAL, nullptr);
    if (handle_ == INVALID_HANDLE_VALUE) return io_error("open", path);
    SAMPAN_CHECK(GetFileType(handle_) == FILE_TYPE_DISK, Code::kIo, "%.256s is not a regular file",
                 path);
    LARGE_INTEGER size;
    if (!GetFileSizeEx(handle_, &size)) return io_error("look at", path);
    SAMPAN_CHECK(static_cast<uint64_t>(size.QuadPart) <= max_bytes &&
                     static_cast<uint64_t>(size.QuadPart) <= SIZE_MAX,
                 Code::kLimit, "%.256s has %lld bytes; the limit is %llu", path,
                 static_cast<long long>(size.QuadPart), static_cast<unsigned long long>(max_bytes));
    size_ = static_cast<size_t>(size.QuadPart);
    return Status();
  }
  HANDLE handle() const { return handle_; }
  size_t size() const { return size_; }

 private:
  HANDLE handle_ = INVALID_HANDLE_VALUE;
  size_t size_ = 0;
};

}  // namespace

Result<Mapping> map_file(const char* path, uint64_t max_bytes) {
  File file;
  SAMPAN_TRY(file.open(path, max_bytes));
  Mapping m;
  m.size = file.size();
  if (m.size == 0) return m;  // an empty file cannot be mapped
  const HANDLE section = CreateFileMappingW(file.handle(), nullptr, PAGE_READONLY, 0, 0, nullptr);
  if (section == nullptr) return io_error("map", path);
  m.data = MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0);
  CloseHandle(section);  // the view keeps it alive
  if (m.data == nullptr) return io_error("map", path);
  return m;
}

void unmap_file(const Mapping& mapping) {
  if (mapping.data) UnmapViewOfFile(mapping.data);
}

Status read_file(const char* path, uint64_t max_bytes, Buffer* out, size_t* size) {
  File file;
  SAMPAN_TRY(file.open(path, max_bytes));
  SAMPAN_TRY(out->reserve(file.size(), "file"));
  *size = 0;
  while (*size < file.size()) {
    constexpr size_t kStep = size_t{1} << 30;
    const size_t left = file.size() - *size;
    DWORD n = 0;
    if (!ReadFile(file.handle(), static_cast<char*>(out->data()) + *size,
                  static_cast<DWORD>(left < kStep ? left : kStep), &n, nullptr))
      return io_error("read", path);
    if (n == 0) break;  // it has shrunk meanwhile; the header check will tell
    *size += n;
  }
  return Status();
}

void advise_large_pages(void*, size_t) {}  // large pages need a privilege on Windows

int64_t now_ns() {
  LARGE_INTEGER frequency, count;
  QueryPerformanceFrequency(&frequency);
  QueryPerformanceCounter(&count);
  const int64_t seconds = count.QuadPart / frequency.QuadPart;
  const int64_t rest = count.QuadPart % frequency.QuadPart;
  return seconds * 1000000000 + rest * 1000000000 / frequency.QuadPart;
}

struct Thread {
  HANDLE handle;
  void (*fn)(void*);
  void* arg;
};

namespace {
DWORD WINAPI thread_main(void* p) {
  Thread* t = static_cast<Thread*>(p);
  t->fn(t->arg);
  return 0;
}
}  // namespace

Result<Thread*> start_thread(void (*fn)(void*), void* arg) {
  Box<Thread> t;
  SAMPAN_ASSIGN(t, make_box<Thread>());
  t->fn = fn;
  t->arg = arg;
  t->handle = CreateThread(nullptr, 0, thread_main, t.get(), 0, nullptr);
  if (t->handle == nullptr)
    return Status::error(Code::kIo, "cannot start a thread: Windows error %lu",
                         static_cast<unsigned long>(GetLastError()));
  return t.detach();
}

void join_thread(Thread* thread) {
  WaitForSingleObject(thread->handle, INFINITE);
  CloseHandle(thread->handle);
  Box<Thread> owner(thread);
}

struct Monitor {
  SRWLOCK mutex;
  CONDITION_VARIABLE condition;
};

Result<Monitor*> make_monitor() {
  Box<Monitor> m;
  SAMPAN_ASSIGN(m, make_box<Monitor>());
  InitializeSRWLock(&m->mutex);
  InitializeConditionVariable(&m->condition);
  return m.detach();
}

void free_monitor(Monitor* m) { Box<Monitor> owner(m); }

void lock(Monitor* m) { AcquireSRWLockExclusive(&m->mutex); }
void unlock(Monitor* m) { ReleaseSRWLockExclusive(&m->mutex); }
void wait(Monitor* m) { SleepConditionVariableSRW(&m->condition, &m->mutex, INFINITE, 0); }
void notify_all(Monitor* m) { WakeAllConditionVariable(&m->condition); }

void relax_cpu() { YieldProcessor(); }

int hardware_threads() {
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return static_cast<int>(info.dwNumberOfProcessors);
}

}  // namespace sampan

#endif
