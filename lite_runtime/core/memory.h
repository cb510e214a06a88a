// The runtime's only way to memory. One process-wide hook, so that embedders can route it and
// tests can fail the n-th allocation. Nothing here throws.
#pragma once
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "core/checked.h"
#include "sampan/status.h"

namespace sampan {

struct Allocator {
  // Returns null on failure. alignment is a power of two, at most 4096.
  void* (*allocate)(void* context, size_t bytes, size_t alignment);
  void (*release)(void* context, void* pointer, size_t bytes);
  void* context;
};

// Replaces the hook; only while nothing is allocated through it. Null restores the default.
void set_allocator(const Allocator* allocator);
void* allocate(size_t bytes,
               size_t alignment = 64);  // null on failure; 0 bytes give a valid pointer
void release(void* pointer, size_t bytes);

Status out_of_memory(size_t bytes, const char* what);

// A nothrow growing array. Elements are moved, never copied.
template <class T>
class Array {
 public:
  Array() = default;
  Array(Array&& o) noexcept : data_(o.data_), size_(o.size_), capacity_(o.capacity_) {
    o.data_ = nullptr;
    o.size_ = o.capacity_ = 0;
  }
  Array& operator=(Array&& o) noexcept {
    if (this != &o) {
      this->~Array();
      new (this) Array(std::move(o));
    }
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    clear();
    if (data_) release(data_, capacity_ * sizeof(T));
    data_ = nullptr;
    capacity_ = 0;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }

  void clear() {
    for (size_t i = 0; i < size_; ++i) data_[i].~T();
    size_ = 0;
  }
  Status reserve(size_t n) {
    if (n <= capacity_) return Status();
    int64_t bytes = 0;
    if (n > static_cast<size_t>(INT64_MAX) ||
        !checked_mul(static_cast<int64_t>(n), static_cast<int64_t>(sizeof(T)), &bytes))
      return out_of_memory(SIZE_MAX, "array");
    T* fresh = static_cast<T*>(allocate(static_cast<size_t>(bytes)));
    if (!fresh) return out_of_memory(static_cast<size_t>(bytes), "array");
    for (size_t i = 0; i < size_; ++i) {
      new (fresh + i) T(std::move(data_[i]));
      data_[i].~T();
    }
    if (data_) release(data_, capacity_ * sizeof(T));
    data_ = fresh;
    capacity_ = n;
    return Status();
  }
  // New elements are value-initialised.
  Status resize(size_t n) {
    SAMPAN_TRY(reserve(n));
    for (; size_ < n; ++size_) new (data_ + size_) T();
    while (size_ > n) data_[--size_].~T();
    return Status();
  }
  Status push_back(T value) {
    if (size_ == capacity_) SAMPAN_TRY(reserve(capacity_ ? capacity_ * 2 : 8));
    new (data_ + size_++) T(std::move(value));
    return Status();
  }

 private:
  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// Sole owner of one block of raw memory.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& o) noexcept : data_(o.data_), size_(o.size_) {
    o.data_ = nullptr;
    o.size_ = 0;
  }
  Buffer& operator=(Buffer&& o) noexcept {
    if (this != &o) {
      reset();
      data_ = o.data_;
      size_ = o.size_;
      o.data_ = nullptr;
      o.size_ = 0;
    }
    return *this;
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { reset(); }

  void reset() {
    if (data_) release(data_, size_);
    data_ = nullptr;
    size_ = 0;
  }
  // Old contents are lost. A block that is large enough is kept.
  Status reserve(size_t bytes, const char* what) {
    if (data_ && size_ >= bytes) return Status();
    reset();
    data_ = allocate(bytes);
    if (!data_) return out_of_memory(bytes, what);
    size_ = bytes;
    return Status();
  }
  void* data() { return data_; }
  const void* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  void* data_ = nullptr;
  size_t size_ = 0;
};

// Sole owner of one object, through the allocator hook.
template <class T>
class Box {
 public:
  Box() = default;
  explicit Box(T* p) : p_(p) {}
  Box(Box&& o) noexcept : p_(o.p_) { o.p_ = nullptr; }
  Box& operator=(Box&& o) noexcept {
    if (this != &o) {
      reset();
      p_ = o.p_;
      o.p_ = nullptr;
    }
    return *this;
  }
  Box(const Box&) = delete;
  Box& operator=(const Box&) = delete;
  ~Box() { reset(); }
  void reset() {
    if (!p_) return;
    p_->~T();
    sampan::release(p_, sizeof(T));
    p_ = nullptr;
  }
  T* get() const { return p_; }
  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  explicit operator bool() const { return p_ != nullptr; }
  T* detach() {
    T* p = p_;
    p_ = nullptr;
    return p;
  }

 private:
  T* p_ = nullptr;
};

template <class T, class... Args>
Result<Box<T>> make_box(Args&&... args) {
  void* memory = allocate(sizeof(T), alignof(T) > 64 ? alignof(T) : 64);
  if (!memory) return out_of_memory(sizeof(T), "object");
  return Box<T>(new (memory) T(std::forward<Args>(args)...));
}

}  // namespace sampan
