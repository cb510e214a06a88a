#include "core/arena_planner.h"

#include <algorithm>

namespace sampan {
namespace {

// Above this number of items placing by size takes too long (its time grows with the square).
constexpr size_t kMaxBySize = 4096;

using Order = Array<uint32_t>;

bool alive_together(const ArenaItem& a, const ArenaItem& b) {
  return a.first <= b.last && b.first <= a.last;
}

int64_t aligned(int64_t size) {
  return (size + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

// The lowest place for `item` among blocks sorted by offset; *position is where it sorts in.
template <class Conflicts>
int64_t first_fit(const Array<ArenaItem>& items, const Order& placed, const ArenaItem& item,
                  const Conflicts& conflicts) {
  int64_t offset = 0;
  for (uint32_t p : placed) {
    const ArenaItem& other = items[p];
    if (!conflicts(other)) continue;
    if (other.offset >= offset + aligned(item.size)) break;
    offset = std::max(offset, other.offset + aligned(other.size));
  }
  return offset;
}

Status insert_by_offset(const Array<ArenaItem>& items, uint32_t index, Order* placed) {
  SAMPAN_TRY(placed->push_back(index));
  for (size_t i = placed->size() - 1;
       i > 0 && items[(*placed)[i - 1]].offset > items[(*placed)[i]].offset; --i)
    std::swap((*placed)[i - 1], (*placed)[i]);
  return Status();
}

Status make_order(const Array<ArenaItem>& items, bool by_size, Order* out) {
  SAMPAN_TRY(out->resize(items.size()));
  for (size_t i = 0; i < items.size(); ++i) (*out)[i] = static_cast<uint32_t>(i);
  std::sort(out->begin(), out->end(), [&](uint32_t a, uint32_t b) {
    const ArenaItem& x = items[a];
    const ArenaItem& y = items[b];
    if (by_size && x.size != y.size) return x.size > y.size;
    if (x.first != y.first) return x.first < y.first;
    if (x.size != y.size) return x.size > y.size;
    return a < b;
  });
  return Status();
}

// Large blocks first, each at the lowest place free during its life.
Status place_by_size(Array<ArenaItem>* items) {
  Order order, placed;
  SAMPAN_TRY(make_order(*items, true, &order));
  for (uint32_t index : order) {
    ArenaItem& item = (*items)[index];
    if (item.size == 0) continue;
    item.offset = first_fit(*items, placed, item,
                            [&](const ArenaItem& o) { return alive_together(item, o); });
    SAMPAN_TRY(insert_by_offset(*items, index, &placed));
  }
  return Status();
}

// In order of time, each at the lowest place free when it begins.
Status place_by_time(Array<ArenaItem>* items) {
  Order order, alive;
  SAMPAN_TRY(make_order(*items, false, &order));
  for (uint32_t index : order) {
    ArenaItem& item = (*items)[index];
    if (item.size == 0) continue;
    size_t kept = 0;
    for (uint32_t a : alive)
      if ((*items)[a].last >= item.first) alive[kept++] = a;
    SAMPAN_TRY(alive.resize(kept));
    item.offset = first_fit(*items, alive, item, [](const ArenaItem&) { return true; });
    SAMPAN_TRY(insert_by_offset(*items, index, &alive));
  }
  return Status();
}

int64_t extent(const Array<ArenaItem>& items) {
  int64_t end = 0;
  for (const ArenaItem& i : items)
    if (i.size > 0) end = std::max(end, i.offset + aligned(i.size));
  return end;
}

Status sum_sizes(const Array<ArenaItem>& items, ArenaTotals* totals) {
  int32_t first = INT32_MAX, last = INT32_MIN;
  for (const ArenaItem& i : items) {
    SAMPAN_CHECK(checked_add(totals->without_reuse, aligned(i.size), &totals->without_reuse),
                 Code::kLimit, "the tensors need more memory than can be addressed");
    first = std::min(first, i.first);
    last = std::max(last, i.last);
  }
  if (items.empty()) return Status();
  Array<int64_t> change;
  SAMPAN_TRY(change.resize(static_cast<size_t>(int64_t{last} - first) + 2));
  for (const ArenaItem& i : items) {
    change[static_cast<size_t>(i.first - first)] += aligned(i.size);
    change[static_cast<size_t>(i.last - first) + 1] -= aligned(i.size);
  }
  int64_t now = 0;
  for (int64_t c : change) {
    now += c;
    totals->lower_bound = std::max(totals->lower_bound, now);
  }
  return Status();
}

}  // namespace

Status plan_arena(Array<ArenaItem>* items, ArenaTotals* totals) {
  *totals = ArenaTotals();
  SAMPAN_TRY(sum_sizes(*items, totals));  // from here on no sum of sizes can overflow
  SAMPAN_TRY(place_by_time(items));
  totals->bytes = extent(*items);
  if (items->size() > kMaxBySize || totals->bytes == totals->lower_bound) return Status();
  Array<int64_t> by_time;
  SAMPAN_TRY(by_time.resize(items->size()));
  for (size_t i = 0; i < items->size(); ++i) by_time[i] = (*items)[i].offset;
  SAMPAN_TRY(place_by_size(items));
  const int64_t bytes = extent(*items);
  if (bytes <= totals->bytes) {
    totals->bytes = bytes;
    return Status();
  }
  for (size_t i = 0; i < items->size(); ++i) (*items)[i].offset = by_time[i];
  return Status();
}

}  // namespace sampan
