#include "sampan/status.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "core/memory.h"

namespace sampan {
namespace {

// Stand-ins for when there is no memory for a text.
constexpr int kCodes = 13;
const ErrorInfo kStatic[kCodes] = {
    {Code::kOk, "", ""},
    {Code::kInvalidArgument, "", "invalid argument (no memory for the details)"},
    {Code::kBadModel, "", "bad model (no memory for the details)"},
    {Code::kNewerVersion, "", "the file needs a newer runtime (no memory for the details)"},
    {Code::kUnsupported, "", "not supported by this build (no memory for the details)"},
    {Code::kOutOfMemory, "", "out of memory"},
    {Code::kLimit, "", "a limit would be passed (no memory for the details)"},
    {Code::kCancelled, "", "cancelled"},
    {Code::kIo, "", "input or output failed (no memory for the details)"},
    {Code::kBusy, "", "the session is running in another thread"},
    {Code::kDataError, "", "a value is out of range (no memory for the details)"},
    {Code::kNeedsValues, "", "needs values that are not known yet"},
    {Code::kInternal, "", "internal error (no memory for the details)"},
};

bool is_static(const ErrorInfo* info) { return info >= kStatic && info < kStatic + kCodes; }

// Cuts at `capacity` without leaving half a UTF-8 character.
void copy_text(char* out, size_t capacity, const char* text) {
  size_t n = std::strlen(text);
  if (n >= capacity) {
    n = capacity - 1;
    while (n > 0 && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) --n;
  }
  std::memcpy(out, text, n);
  out[n] = 0;
}

}  // namespace

const char* code_name(Code code) {
  static const char* const names[kCodes] = {
      "ok",      "invalid argument", "bad model", "newer version", "unsupported", "out of memory",
      "limit",   "cancelled",        "io",        "busy",          "data error",  "needs values",
      "internal"};
  const int i = static_cast<int>(code);
  return i < kCodes ? names[i] : "unknown";
}

Status Status::error(Code code, const char* format, ...) {
  Status s;
  const int index = static_cast<int>(code) < kCodes ? static_cast<int>(code) : kCodes - 1;
  void* memory = allocate(sizeof(ErrorInfo), alignof(ErrorInfo));
  if (!memory) {
    s.info_ = &kStatic[index];
    return s;
  }
  ErrorInfo* info = new (memory) ErrorInfo();
  info->code = static_cast<Code>(index);
  va_list args;
  va_start(args, format);
  std::vsnprintf(info->message, sizeof(info->message), format, args);
  va_end(args);
  s.info_ = info;
  return s;
}

Status&& Status::at_node(const char* name, const char* op) && {
  if (info_ == nullptr || is_static(info_) || info_->node[0] != 0) return std::move(*this);
  // error() made it; only the static ones are truly constant.
  ErrorInfo* info = const_cast<ErrorInfo*>(info_);
  char text[sizeof(info->node) + 64];
  std::snprintf(text, sizeof(text), "%.*s (%.40s)", static_cast<int>(sizeof(info->node)), name, op);
  copy_text(info->node, sizeof(info->node), text);
  return std::move(*this);
}

void Status::reset() {
  if (info_ != nullptr && !is_static(info_))
    release(const_cast<ErrorInfo*>(info_), sizeof(ErrorInfo));
  info_ = nullptr;
}

}  // namespace sampan
