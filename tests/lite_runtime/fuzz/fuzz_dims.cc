// Any text as a dimension: parsing, printing and evaluating agree or refuse.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "core/dim_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace sampan;
  char text[256];
  if (size >= sizeof text) return 0;
  std::memcpy(text, data, size);
  text[size] = '\0';
  Result<Box<DimTable>> table = DimTable::create();
  if (!table.ok()) return 0;
  Dim d, again;
  if (!table.value()->parse(text, &d).ok()) return 0;
  char printed[4096];
  if (table.value()->format(d, printed, sizeof printed) >= sizeof printed) return 0;
  // What is printed is read back as the same expression.
  if (!table.value()->parse(printed, &again).ok()) std::abort();
  if (again.expr != d.expr || (d.known() && again.value != d.value)) std::abort();
  const SymbolValue values[] = {{"a", 3}, {"b", 5}, {"h", 64}};
  Result<int64_t> value = table.value()->evaluate(d, values, 3);
  if (value.ok() && d.known() && value.value() != d.value) std::abort();
  return 0;
}
