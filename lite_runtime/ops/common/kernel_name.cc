#include "ops/common/kernel_name.h"

#include <cstdio>

namespace sampan {
namespace {

const char* short_name(DType t) {
  switch (t) {
    case DType::kFloat32:
      return "f32";
    case DType::kFloat16:
      return "f16";
    case DType::kBFloat16:
      return "bf16";
    case DType::kFloat64:
      return "f64";
    case DType::kInt8:
      return "i8";
    case DType::kUInt8:
      return "u8";
    case DType::kInt16:
      return "i16";
    case DType::kUInt16:
      return "u16";
    case DType::kInt32:
      return "i32";
    case DType::kUInt32:
      return "u32";
    case DType::kInt64:
      return "i64";
    case DType::kUInt64:
      return "u64";
    case DType::kBool:
      return "bool";
    default:
      return "any";
  }
}

}  // namespace

Status name_kernel(PrepareContext& ctx, DType type, const char* isa) {
  constexpr size_t kSize = 64;
  void* memory = nullptr;
  SAMPAN_TRY(ctx.plan_memory(kSize, &memory));
  char* text = static_cast<char*>(memory);
  size_t at = 0;
  // HardSwish -> hard_swish
  for (const char* c = ctx.def().name; *c && at < 40; ++c) {
    const bool upper = *c >= 'A' && *c <= 'Z';
    if (upper && at > 0) text[at++] = '_';
    text[at++] = static_cast<char>(upper ? *c - 'A' + 'a' : *c);
  }
  std::snprintf(text + at, kSize - at, "_%s_%s", short_name(type), isa);
  ctx.kernel_name(text);
  return Status();
}

}  // namespace sampan
