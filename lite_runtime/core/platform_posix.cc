#if !defined(_WIN32)

  #include <fcntl.h>
  #include <pthread.h>
  #include <sys/mman.h>
  #include <sys/stat.h>
  #include <unistd.h>

  #include <cerrno>
  #include <cstring>
  #include <ctime>

  #include "core/platform.h"

namespace sampan {
namespace {

Status io_error(const char* what, const char* path, int error) {
  return Status::error(Code::kIo, "cannot %s %.256s: %s", what, path, std::strerror(error));
}

// An open descriptor of a regular file within the size limit.
class File {
 public:
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  Status open(const char* path, uint64_t max_bytes) {
    SAMPAN_CHECK(path != nullptr && path[0] != 0, Code::kInvalidArgument, "no path was given");
    fd_ = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd_ < 0) return io_error("open", path, errno);
    struct stat info = {};
    if (::fstat(fd_, &info) != 0) return io_error("look at", path, errno);
    // A pipe or a device could block or never end.
    SAMPAN_CHECK(S_ISREG(info.st_mode), Code::kIo, "%.256s is not a regular file", path);
    SAMPAN_CHECK(static_cast<uint64_t>(info.st_size) <= max_bytes &&
                     static_cast<uint64_t>(info.st_size) <= SIZE_MAX,
                 Code::kLimit, "%.256s has %lld bytes; the limit is %llu", path,
                 static_cast<long long>(info.st_size), static_cast<unsigned long long>(max_bytes));
    size_ = static_cast<size_t>(info.st_size);
    return Status();
  }
  int fd() const { return fd_; }
  size_t size() const { return size_; }

 private:
  int fd_ = -1;
  size_t size_ = 0;
};

}  // namespace

Result<Mapping> map_file(const char* path, uint64_t max_bytes) {
  File file;
  SAMPAN_TRY(file.open(path, max_bytes));
  Mapping m;
  m.size = file.size();
  if (m.size == 0) return m;  // an empty file cannot be mapped
  void* p = ::mmap(nullptr, m.size, PROT_READ, MAP_PRIVATE, file.fd(), 0);
  if (p == MAP_FAILED) return io_error("map", path, errno);
  m.data = p;
  return m;
}

void unmap_file(const Mapping& mapping) {
  if (mapping.data) ::munmap(const_cast<void*>(mapping.data), mapping.size);
}

Status read_file(const char* path, uint64_t max_bytes, Buffer* out, size_t* size) {
  File file;
  SAMPAN_TRY(file.open(path, max_bytes));
  SAMPAN_TRY(out->reserve(file.size(), "file"));
  *size = 0;
  while (*size < file.size()) {
    const ssize_t n =
        ::read(file.fd(), static_cast<char*>(out->data()) + *size, file.size() - *size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return io_error("read", path, errno);
    if (n == 0) break;  // it has shrunk meanwhile; the header check will tell
    *size += static_cast<size_t>(n);
  }
  return Status();
}

void advise_large_pages(void* data, size_t bytes) {
  #if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) / kPage * kPage;
  if (end > begin) (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  #else
  (void)data;
  (void)bytes;
  #endif
}

int64_t now_ns() {
  timespec t = {};
  ::clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<int64_t>(t.tv_sec) * 1000000000 + t.tv_nsec;
}

struct Thread {
  pthread_t handle;
  void (*fn)(void*);
  void* arg;
};

namespace {
void* thread_main(void* p) {
  Thread* t = static_cast<Thread*>(p);
  t->fn(t->arg);
  return nullptr;
}
}  // namespace

Result<Thread*> start_thread(void (*fn)(void*), void* arg) {
  Box<Thread> t;
  SAMPAN_ASSIGN(t, make_box<Thread>());
  t->fn = fn;
  t->arg = arg;
  const int error = pthread_create(&t->handle, nullptr, thread_main, t.get());
  if (error != 0)
    return Status::error(Code::kIo, "cannot start a thread: %s", std::strerror(error));
  return t.detach();
}

void join_thread(Thread* thread) {
  pthread_join(thread->handle, nullptr);
  Box<Thread> owner(thread);
}

struct Monitor {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
};

Result<Monitor*> make_monitor() {
  Box<Monitor> m;
  SAMPAN_ASSIGN(m, make_box<Monitor>());
  int error = pthread_mutex_init(&m->mutex, nullptr);
  if (error == 0) {
    error = pthread_cond_init(&m->condition, nullptr);
    if (error != 0) pthread_mutex_destroy(&m->mutex);
  }
  if (error != 0) return Status::error(Code::kIo, "cannot make a lock: %s", std::strerror(error));
  return m.detach();
}

void free_monitor(Monitor* m) {
  if (!m) return;
  pthread_cond_destroy(&m->condition);
  pthread_mutex_destroy(&m->mutex);
  Box<Monitor> owner(m);
}

void lock(Monitor* m) { pthread_mutex_lock(&m->mutex); }
void unlock(Monitor* m) { pthread_mutex_unlock(&m->mutex); }
void wait(Monitor* m) { pthread_cond_wait(&m->condition, &m->mutex); }
void notify_all(Monitor* m) { pthread_cond_broadcast(&m->condition); }

void relax_cpu() {
  #if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
  #elif defined(__aarch64__) || defined(__arm__)
  __asm__ volatile("yield");
  #endif
}

int hardware_threads() {
  const long n = ::sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? static_cast<int>(n) : 1;
}

}  // namespace sampan

#endif
