// Random lifetimes: blocks alive together never overlap, the arena lies between the lower bound and
// the sum of all, and the result depends on the items alone.
#include "core/arena_planner.h"

#include <algorithm>
#include <vector>

#include "check.h"

namespace sampan {
namespace {

void check_plan(const Array<ArenaItem>& items, const ArenaTotals& totals, int seed) {
  const auto end = [](const ArenaItem& i) { return i.offset + (i.size + 63) / 64 * 64; };
  int64_t bytes = 0, lower = 0, sum = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const ArenaItem& a = items[i];
    sum += (a.size + 63) / 64 * 64;
    CHECK(a.offset >= 0 && a.offset % kArenaAlignment == 0, "seed %d", seed);
    if (a.size > 0) bytes = std::max(bytes, end(a));
    int64_t alive = 0;
    for (size_t k = 0; k < items.size(); ++k) {
      const ArenaItem& b = items[k];
      if (b.first <= a.first && a.first <= b.last) alive += (b.size + 63) / 64 * 64;
      const bool together = a.first <= b.last && b.first <= a.last;
      if (k == i || !together || a.size == 0 || b.size == 0) continue;
      CHECK(end(a) <= b.offset || end(b) <= a.offset, "seed %d: %zu and %zu overlap", seed, i, k);
    }
    lower = std::max(lower, alive);
  }
  CHECK(totals.bytes == bytes && totals.lower_bound == lower && totals.without_reuse == sum,
        "seed %d", seed);
  CHECK(totals.bytes >= totals.lower_bound && totals.bytes <= totals.without_reuse, "seed %d",
        seed);
}

void test_random(int seed, int count) {
  test::Random r(static_cast<uint64_t>(seed));
  Array<ArenaItem> items, again;
  for (int i = 0; i < count; ++i) {
    ArenaItem item;
    item.size = r.integer(0, 9) == 0 ? 0 : r.integer(1, r.integer(0, 3) == 0 ? 100000 : 500);
    item.first = static_cast<int32_t>(r.integer(-5, 60));
    item.last = item.first + static_cast<int32_t>(r.integer(0, 12));
    CHECK(items.push_back(item).ok() && again.push_back(item).ok());
  }
  ArenaTotals totals, totals_again;
  CHECK(plan_arena(&items, &totals).ok() && plan_arena(&again, &totals_again).ok());
  check_plan(items, totals, seed);
  for (size_t i = 0; i < items.size(); ++i) CHECK(items[i].offset == again[i].offset);
}

// A chain of equal blocks needs room for two; so many that only the fast method is used.
void test_long_chain() {
  Array<ArenaItem> items;
  for (int i = 0; i < 20000; ++i) {
    ArenaItem item;
    item.size = 640;
    item.first = i;
    item.last = i + 1;
    CHECK(items.push_back(item).ok());
  }
  ArenaTotals totals;
  CHECK(plan_arena(&items, &totals).ok());
  CHECK(totals.bytes == 1280 && totals.lower_bound == 1280);
}

void test_limits() {
  Array<ArenaItem> items;
  ArenaTotals totals;
  CHECK(plan_arena(&items, &totals).ok() && totals.bytes == 0);
  for (int i = 0; i < (1 << 18); ++i) {
    ArenaItem item;
    item.size = int64_t{1} << 46;
    CHECK(items.push_back(item).ok());
  }
  CHECK(plan_arena(&items, &totals).code() == Code::kLimit, "a sum beyond 64 bits is refused");
}

}  // namespace
}  // namespace sampan

int main() {
  for (int seed = 0; seed < 400; ++seed) sampan::test_random(seed, 1 + seed % 97);
  sampan::test_long_chain();
  sampan::test_limits();
  return sampan::test::finish("arena_planner");
}
