#include "core/op.h"

#include <cstdlib>
#include <cstring>

#include "core/thread_pool.h"

namespace sampan {
namespace {

OperatorTable g_custom = {nullptr, 0};

const OperatorDef* search(const OperatorTable& table, const char* name) {
  size_t begin = 0, end = table.size;
  while (begin < end) {
    const size_t middle = begin + (end - begin) / 2;
    const int order = std::strcmp(table.ops[middle]->name, name);
    if (order == 0) return table.ops[middle];
    if (order < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  return nullptr;
}

}  // namespace

const OperatorDef* find_operator(const char* name) {
  const OperatorDef* def = search(operator_table(), name);
  return def ? def : search(g_custom, name);
}

void set_custom_operators(const OperatorTable& table) { g_custom = table; }

// Reached in constant evaluation only, where calling a function that is not constexpr is an error
// of the compiler; a definition made at run time by mistake must not go on either.
void operator_definition_error(const char*) { std::abort(); }

void RunContext::parallel_for_raw(int64_t total, int64_t grain, RangeFn fn, void* arg) const {
  if (total <= 0) return;
  if (pool_ == nullptr || threads_ <= 1) {
    fn(arg, 0, total, 0);
    return;
  }
  pool_->parallel_for(total, grain, fn, arg);
}

void InferContext::set_output_values(int i, const Dim* values, int n) {
  if (i >= num_outputs_ || n < 0 || n > kMaxValues) return;
  Out& out = outputs_[i];
  for (int k = 0; k < n; ++k) out.values[k] = values[k];
  out.num_values = n;
}

}  // namespace sampan
