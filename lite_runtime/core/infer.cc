// The checks around every shape rule: what a rule may rely on, and what it must deliver.
#include <cstdio>

#include "core/checked.h"
#include "core/op.h"

namespace sampan {
namespace {

constexpr int kMaxListAttr = 64;

// "x" in quotes, or the number where the device profile has no names.
struct Label {
  char text[64];
  Label(const char* kind, const char* name, int i) {
    if (name)
      std::snprintf(text, sizeof(text), "%s \"%.40s\"", kind, name);
    else
      std::snprintf(text, sizeof(text), "%s %d", kind, i);
  }
};

void list_types(DTypeSet set, char* out, size_t capacity) {
  size_t used = 0;
  out[0] = 0;
  for (int t = 1; t < kDTypeCount; ++t) {
    if (!in_set(set, static_cast<DType>(t))) continue;
    const int n = std::snprintf(out + used, capacity - used, "%s%s", used ? ", " : "",
                                dtype_name(static_cast<DType>(t)));
    if (n < 0 || static_cast<size_t>(n) >= capacity - used) return;
    used += static_cast<size_t>(n);
  }
}

// The definition that input or output i belongs to: the last one when that is variadic.
template <class Def>
const Def& definition_of(const Def* defs, int count, int i) {
  return defs[i < count ? i : count - 1];
}

Status check_int(const AttrDef& a, int index, int64_t v, const char* part) {
  SAMPAN_CHECK(v >= a.min && v <= a.max, Code::kBadModel,
               "%s%s is %lld; it must be from %lld to %lld", Label("attribute", a.name, index).text,
               part, static_cast<long long>(v), static_cast<long long>(a.min),
               static_cast<long long>(a.max));
  return Status();
}

}  // namespace

Status check_counts(const OperatorDef& def, int num_inputs, int num_outputs) {
  const bool variadic_in = def.num_inputs > 0 && (def.inputs[def.num_inputs - 1].flags & kVariadic);
  const bool variadic_out =
      def.num_outputs > 0 && (def.outputs[def.num_outputs - 1].flags & kVariadic);
  SAMPAN_CHECK(num_inputs <= def.num_inputs || variadic_in, Code::kBadModel,
               "the node has %d inputs; the operator takes at most %d", num_inputs,
               static_cast<int>(def.num_inputs));
  SAMPAN_CHECK(num_outputs <= def.num_outputs || variadic_out, Code::kBadModel,
               "the node has %d outputs; the operator gives at most %d", num_outputs,
               static_cast<int>(def.num_outputs));
  SAMPAN_CHECK(num_inputs <= kMaxNodeInputs && num_outputs <= kMaxNodeInputs, Code::kLimit,
               "the node has %d inputs and %d outputs; at most %d of each are possible", num_inputs,
               num_outputs, kMaxNodeInputs);
  return Status();
}

Status check_attrs(const OperatorDef& def, const AttrValue* attrs) {
  for (int i = 0; i < def.num_attrs; ++i) {
    const AttrDef& a = def.attrs[i];
    const AttrValue& v = attrs[i];
    const bool list = a.type == AttrType::kInts || a.type == AttrType::kFloats;
    if (list) {
      SAMPAN_CHECK(v.size >= 0 && v.size <= kMaxListAttr, Code::kBadModel,
                   "%s has %d elements; at most %d are possible",
                   Label("attribute", a.name, i).text, static_cast<int>(v.size), kMaxListAttr);
    }
    if (a.type == AttrType::kInts) {
      for (int k = 0; k < v.size; ++k) SAMPAN_TRY(check_int(a, i, v.ints[k], ": an element"));
    } else if (!list && a.type != AttrType::kFloat) {
      SAMPAN_TRY(check_int(a, i, v.i, ""));
    }
  }
  return Status();
}

void fill_attr_default(const AttrDef& def, AttrValue* value) {
  *value = AttrValue();
  value->i = def.default_int;
  value->f = def.default_float;
}

namespace {

Status check_inputs(const OperatorDef& def, const InferContext& ctx) {
  for (int i = 0; i < ctx.num_inputs() || i < def.num_inputs; ++i) {
    const InputDef& in = definition_of(def.inputs, def.num_inputs, i);
    const Label label("input", in.name, i);
    if (!ctx.has_input(i)) {
      SAMPAN_CHECK((in.flags & kOptional) || i >= def.num_inputs, Code::kBadModel,
                   "%s is missing; it is required", label.text);
      SAMPAN_CHECK(!(in.flags & kVariadic) || i >= ctx.num_inputs() || (in.flags & kOptional),
                   Code::kBadModel, "%s: a repeated input must not be absent (position %d)",
                   label.text, i);
      continue;
    }
    const DType type = ctx.dtype(i);
    if (!in_set(in.dtypes, type) || type == DType::kInvalid) {
      char types[160];
      list_types(in.dtypes, types, sizeof(types));
      return Status::error(Code::kBadModel, "%s has type %s; allowed: %s", label.text,
                           dtype_name(type), types);
    }
    if (in.same_type_as >= 0 && ctx.has_input(in.same_type_as)) {
      const DType other = ctx.dtype(in.same_type_as);
      const InputDef& like = definition_of(def.inputs, def.num_inputs, in.same_type_as);
      SAMPAN_CHECK(type == other, Code::kBadModel, "%s has type %s, but %s has %s; they must agree",
                   label.text, dtype_name(type), Label("input", like.name, in.same_type_as).text,
                   dtype_name(other));
    }
    const int rank = ctx.shape(i).rank;
    SAMPAN_CHECK(rank >= 0 && rank <= kMaxRank, Code::kBadModel, "%s has rank %d", label.text,
                 rank);
  }
  return Status();
}

// A repeated input has one element type throughout unless its definition leaves that open.
Status check_variadic_types(const OperatorDef& def, const InferContext& ctx) {
  const int last = def.num_inputs - 1;
  if (last < 0 || !(def.inputs[last].flags & kVariadic) || def.inputs[last].same_type_as != last)
    return Status();
  for (int i = last + 1; i < ctx.num_inputs(); ++i) {
    if (!ctx.has_input(i) || !ctx.has_input(last)) continue;
    SAMPAN_CHECK(ctx.dtype(i) == ctx.dtype(last), Code::kBadModel,
                 "input %d has type %s, input %d has %s; they must agree", i,
                 dtype_name(ctx.dtype(i)), last, dtype_name(ctx.dtype(last)));
  }
  return Status();
}

Status check_outputs(const OperatorDef& def, InferContext::Out* outputs, int count) {
  for (int i = 0; i < count; ++i) {
    InferContext::Out& out = outputs[i];
    if (!out.wanted) continue;
    const OutputDef& od = definition_of(def.outputs, def.num_outputs, i);
    const Label label("output", od.name, i);
    SAMPAN_CHECK(out.is_set, Code::kInternal, "the shape rule set nothing for %s", label.text);
    SAMPAN_CHECK(dtype_size(out.dtype) > 0, Code::kInternal,
                 "the shape rule set no element type for %s", label.text);
    SAMPAN_CHECK(out.shape.rank >= 0 && out.shape.rank <= kMaxRank, Code::kUnsupported,
                 "%s would have rank %d; at most %d is supported", label.text,
                 static_cast<int>(out.shape.rank), kMaxRank);
    if (out.shape.known()) {
      SAMPAN_TRY(check_shape(out.shape.concrete(), out.dtype, label.text));
      continue;
    }
    for (int k = 0; k < out.shape.rank; ++k)
      SAMPAN_CHECK(!out.shape[k].known() || out.shape[k].value >= 0, Code::kBadModel,
                   "%s: dimension %d is %lld", label.text, k,
                   static_cast<long long>(out.shape[k].value));
  }
  return Status();
}

}  // namespace

Status infer_node(InferContext& ctx) {
  const OperatorDef& def = ctx.def();
  SAMPAN_TRY(check_counts(def, ctx.num_inputs(), ctx.num_outputs()));
  for (int i = 0; i < def.num_outputs; ++i) {
    const OutputDef& od = def.outputs[i];
    if (ctx.has_output(i) || (od.flags & kOptional)) continue;
    return Status::error(Code::kBadModel, "%s is required, but the node leaves it out",
                         Label("output", od.name, i).text);
  }
  SAMPAN_TRY(check_attrs(def, ctx.attrs_));
  SAMPAN_TRY(check_inputs(def, ctx));
  SAMPAN_TRY(check_variadic_types(def, ctx));
  for (int i = 0; i < ctx.num_outputs(); ++i) {
    ctx.outputs_[i].is_set = false;
    ctx.outputs_[i].num_values = -1;
  }
  ctx.needed_ = -1;
  SAMPAN_TRY(def.infer_fn(ctx));
  SAMPAN_CHECK(!ctx.math_.failed(), Code::kBadModel,
               "the output shape overflows, divides by zero, or does not come out even");
  return check_outputs(def, ctx.outputs_, ctx.num_outputs());
}

}  // namespace sampan
