// Errors are values. A Status is one pointer wide; success costs nothing.
#pragma once
#include <cstdint>
#include <new>
#include <utility>

#if defined(__GNUC__)
  #define SAMPAN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
  #define SAMPAN_PRINTF(fmt, args)
#endif

namespace sampan {

// Stable numbers: they cross the C interface.
enum class Code : uint8_t {
  kOk = 0,
  kInvalidArgument = 1,  // the caller passed something wrong: name, dtype, shape, index
  kBadModel = 2,         // the file is cut, altered or inconsistent
  kNewerVersion = 3,     // the file needs a newer runtime
  kUnsupported = 4,      // a valid model asks for something this build lacks
  kOutOfMemory = 5,
  kLimit = 6,         // a limit of the load options would be passed
  kCancelled = 7,     // cancelled, or past its deadline
  kIo = 8,            // the operating system refused
  kBusy = 9,          // the session is running in another thread
  kDataError = 10,    // run-time values are out of range (an index, a repeat count)
  kNeedsValues = 11,  // internal: a shape rule needs the values of an input (see InferContext)
  kInternal = 12,
};

const char* code_name(Code code);

struct ErrorInfo {
  Code code;
  char node[112];     // source name and operator of the node, or empty
  char message[400];  // what was expected, what came, what to do
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Status&& other) noexcept : info_(other.info_) { other.info_ = nullptr; }
  Status& operator=(Status&& other) noexcept {
    if (this != &other) {
      reset();
      info_ = other.info_;
      other.info_ = nullptr;
    }
    return *this;
  }
  Status(const Status&) = delete;
  Status& operator=(const Status&) = delete;
  ~Status() { reset(); }

  // printf-style. If memory for the text is lacking, a static error of the same code stands in.
  static Status error(Code code, const char* format, ...) SAMPAN_PRINTF(2, 3);

  bool ok() const { return info_ == nullptr; }
  Code code() const { return info_ ? info_->code : Code::kOk; }
  const char* message() const { return info_ ? info_->message : ""; }
  const char* node() const { return info_ ? info_->node : ""; }
  // Names the node an error belongs to, unless one is named already.
  Status&& at_node(const char* name, const char* op) &&;

 private:
  void reset();
  const ErrorInfo* info_ = nullptr;
};

// A value or the reason why there is none. T must be default constructible and movable.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}                    // NOLINT: implicit on purpose
  Result(Status status) : status_(std::move(status)), value_() {}  // NOLINT
  bool ok() const { return status_.ok(); }
  Status take_status() { return std::move(status_); }
  const Status& status() const { return status_; }
  T& value() { return value_; }
  T take() { return std::move(value_); }

 private:
  Status status_;
  T value_;
};

}  // namespace sampan

#define SAMPAN_CONCAT_(a, b) a##b
#define SAMPAN_CONCAT(a, b) SAMPAN_CONCAT_(a, b)

// SAMPAN_TRY(expr): leaves the function when the Status is an error.
#define SAMPAN_TRY(expr)                             \
  do {                                               \
    ::sampan::Status sampan_status_ = (expr);        \
    if (!sampan_status_.ok()) return sampan_status_; \
  } while (0)

// SAMPAN_ASSIGN(target, result): leaves the function on an error, else assigns the value.
#define SAMPAN_ASSIGN(target, result) \
  SAMPAN_ASSIGN_(target, result, SAMPAN_CONCAT(sampan_result_, __LINE__))
#define SAMPAN_ASSIGN_(target, result, name) \
  auto name = (result);                      \
  if (!name.ok()) return name.take_status(); \
  target = name.take()

// SAMPAN_CHECK(cond, code, format, ...): an error unless the condition holds.
#define SAMPAN_CHECK(cond, code, ...)                                 \
  do {                                                                \
    if (!(cond)) return ::sampan::Status::error((code), __VA_ARGS__); \
  } while (0)
