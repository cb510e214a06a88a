// Operators that exist in tests only, for behaviours that no real one shows so purely.
#pragma once
#include <atomic>

#include "core/op.h"

namespace sampan::test {

inline Status like_first(InferContext& c) {
  c.set_output(0, c.dtype(0), c.shape(0));
  return Status();
}

// TestKeep: the elements >= 0, in order; how many depends on the data.
inline Status keep_infer(InferContext& c) {
  DimShape s;
  s.rank = 1;
  s[0] = c.math().product(c.shape(0), 0, c.shape(0).rank);
  c.set_output(0, c.dtype(0), s);
  return Status();
}
inline Status keep_run(RunContext& c) {
  const float* x = c.input(0).as<float>();
  float* y = c.output(0).as<float>();
  int64_t n = 0;
  for (int64_t i = 0; i < c.input(0).shape.elements(); ++i)
    if (x[i] >= 0) y[n++] = x[i];
  Shape s;
  s.rank = 1;
  s[0] = n;
  c.shrink_output(0, s);
  return Status();
}

// TestFill: a tensor of ones whose shape is given by values; needs them in its shape rule.
inline Status fill_infer(InferContext& c) {
  if (!c.values(0)) return c.need_values(0);
  DimShape s;
  s.rank = c.num_values(0);
  if (s.rank > kMaxRank) return Status::error(Code::kUnsupported, "rank %d", s.rank);
  for (int i = 0; i < s.rank; ++i) s[i] = c.values(0)[i];
  c.set_output(0, DType::kFloat32, s);
  return Status();
}
inline Status fill_run(RunContext& c) {
  float* y = c.output(0).as<float>();
  for (int64_t i = 0; i < c.output(0).shape.elements(); ++i) y[i] = 1;
  return Status();
}

// TestCount: the number of elements of x as an int64 vector [n], computed at run time on purpose:
// it reads x.
inline Status count_infer(InferContext& c) {
  DimShape s;
  s.rank = 1;
  s[0] = 1;
  c.set_output(0, DType::kInt64, s);
  return Status();
}
inline Status count_run(RunContext& c) {
  const float* x = c.input(0).as<float>();
  int64_t n = 0;
  for (int64_t i = 0; i < c.input(0).shape.elements(); ++i) n += x[i] == x[i] ? 1 : 0;
  c.output(0).as<int64_t>()[0] = n;
  return Status();
}

// TestScale: x times a factor kept in constant memory, through workspace and state: checks that the
// session gives each of them.
enum { kScaleFactor, kScaleFail };
struct ScaleState {
  float* packed;
  int64_t count;
};
inline std::atomic<int64_t>& scale_packs() {
  static std::atomic<int64_t> count{0};
  return count;
}
inline Status scale_prepare(PrepareContext& c) {
  ScaleState* s = nullptr;
  SAMPAN_TRY(c.state(&s));
  void* memory = nullptr;
  bool fresh = false;
  SAMPAN_TRY(c.constant_memory(0, sizeof(float), &memory, &fresh));
  s->packed = static_cast<float*>(memory);
  if (fresh) {
    *s->packed = c.attr_float(kScaleFactor);
    ++scale_packs();
  }
  s->count = c.input(0).shape.elements();
  SAMPAN_TRY(c.workspace(s->count * static_cast<int64_t>(sizeof(float))));
  c.kernel_name("test_scale");
  return Status();
}
inline Status scale_run(RunContext& c) {
  if (c.attr_bool(kScaleFail)) return Status::error(Code::kDataError, "told to fail");
  const ScaleState* s = c.state<ScaleState>();
  const float* x = c.input(0).as<float>();
  float* work = static_cast<float*>(c.workspace());
  float* y = c.output(0).as<float>();
  c.parallel_for(s->count, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) work[i] = x[i] * *s->packed;
  });
  c.parallel_for(s->count, 1, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) y[i] = work[i];
  });
  return Status();
}

constexpr OperatorDef kCount =
    OperatorDef("TestCount", 1).input("x", kF32).output("n").infer(count_infer).kernel(count_run);
constexpr OperatorDef kFill =
    OperatorDef("TestFill", 1).input("shape", kI64).output("y").infer(fill_infer).kernel(fill_run);
constexpr OperatorDef kKeep = OperatorDef("TestKeep", 1)
                                  .input("x", kF32)
                                  .output("y")
                                  .infer(keep_infer)
                                  .dynamic_output()
                                  .kernel(keep_run);
constexpr OperatorDef kScale = OperatorDef("TestScale", 1)
                                   .input("x", kF32)
                                   .output("y")
                                   .attr_float(kScaleFactor, "factor", 2.0f)
                                   .attr_bool(kScaleFail, "fail", false)
                                   .infer(like_first)
                                   .in_place(0)
                                   .kernel(scale_prepare, scale_run);

inline void add_test_operators() {
  static const OperatorDef* const ops[] = {&kCount, &kFill, &kKeep, &kScale};
  set_custom_operators({ops, 4});
}

}  // namespace sampan::test
