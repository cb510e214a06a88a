// Gives blocks of memory their places in one arena: blocks that live at the same time don't
// overlap.
#pragma once
#include <cstdint>

#include "core/memory.h"

namespace sampan {

struct ArenaItem {
  int64_t size = 0;
  int32_t first = 0, last = 0;  // alive from step `first` to step `last`, both included
  int64_t offset = 0;           // result: a multiple of kArenaAlignment
};
constexpr int64_t kArenaAlignment = 64;

struct ArenaTotals {
  int64_t bytes = 0;          // of the arena
  int64_t lower_bound = 0;    // the largest sum of sizes alive at one step
  int64_t without_reuse = 0;  // the sum of all sizes
};

// The result depends on the items alone (deterministic).
Status plan_arena(Array<ArenaItem>* items, ArenaTotals* totals);

}  // namespace sampan
