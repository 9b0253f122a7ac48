// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bound maps of every mode, and of every kind within a mode that the hot path could take amiss.
#ifndef AVRANKMAP_TESTS_RANKMAP_ONE_OF_EACH_H
#define AVRANKMAP_TESTS_RANKMAP_ONE_OF_EACH_H

#include <cstdint>
#include <string>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {

// Process groups 0, 1 and 2 of 1000 connected processes each.
class ThreeWorlds {
public:
  explicit ThreeWorlds(avrm_cost_t cost = AVRM_COST_SPEED) : instance(false, cost) { connect(); }

  Instance instance;
  AvPtr avs[3] = {make_av(instance, 1000), make_av(instance, 1000), make_av(instance, 1000)};

private:
  void connect() {
    for (const AvPtr &av : avs) {
      fill(av.get());
    }
  }
};

struct Kind {
  const char *name;
  MapPtr (*make)(const Instance &);
  avrm_cost_t cost = AVRM_COST_SPEED;
};

inline Ranks scattered_lpids(std::int32_t size) {
  Ranks lpids;
  for (std::int64_t rank = 0; rank < size; ++rank) {
    lpids.push_back(static_cast<std::int32_t>(rank * rank % 997));
  }
  return lpids;
}

inline Table scattered_gpids(std::int32_t size) {
  Table table;
  for (std::int64_t rank = 0; rank < size; ++rank) {
    table.push_back({static_cast<std::int32_t>(rank * 7 % 5 % 3), static_cast<std::int32_t>(rank * rank % 997)});
  }
  return table;
}

// Runs of 1, 2, 3, ... ranks, forwards and backwards, in one or all three process groups.
inline Table growing_runs(std::int32_t runs, std::int32_t groups) {
  Table table;
  for (std::int32_t run = 0; run < runs; ++run) {
    const std::int32_t stride = run % 3 - 1;
    for (std::int32_t i = 0; i <= 30 + run % 5; ++i) {
      table.push_back({run % groups, 37 * run % 900 + 50 + stride * i});
    }
  }
  return table;
}

// Mixed radix, the first dimension counting fastest, in the order of the last one being the
// densest: a transposition of a dense array, downwards from `top` or upwards if it is 0. All ranks,
// or the first `size`.
inline Ranks cart_lpids(std::int32_t top, const Ranks &extents, std::int32_t size = 0) {
  std::int32_t total = 1;
  for (const std::int32_t extent : extents) {
    total *= extent;
  }
  Ranks lpids;
  for (std::int32_t rank = 0; rank < (size == 0 ? total : size); ++rank) {
    std::int32_t lpid = 0;
    std::int32_t rest = rank;
    for (const std::int32_t extent : extents) {
      lpid = lpid * extent + rest % extent;
      rest /= extent;
    }
    lpids.push_back(top == 0 ? lpid : top - lpid);
  }
  return lpids;
}

inline constexpr Kind kKinds[] = {
    {"Direct", [](const Instance &i) { return make_direct(i, 1000, 1); }},
    {"Offset", [](const Instance &i) { return make_offset(i, 900, 100, 1); }},
    {"OneRank", [](const Instance &i) { return make_offset(i, 1, 999, 1); }},
    {"Stride", [](const Instance &i) { return make_stride(i, 100, 5, 9, 1); }},
    {"Reversal", [](const Instance &i) { return make_stride(i, 1000, 999, -1, 1); }},
    {"NegativeStride", [](const Instance &i) { return make_stride(i, 100, 995, -10, 1); }},
    {"Blocked", [](const Instance &i) { return make_blocked(i, 300, 7, 20, 6, 1); }},
    {"BlockedByAPowerOfTwo", [](const Instance &i) { return make_blocked(i, 300, 7, 20, 8, 1); }},
    {"BlockedBackwards", [](const Instance &i) { return make_blocked(i, 300, 990, -20, 7, 1); }},
    {"BlockedAndOverlapping", [](const Instance &i) { return make_blocked(i, 300, 7, 2, 5, 1); }},
    {"Lut", [](const Instance &i) { return make_lpids(i, scattered_lpids(500), 1); }},
    {"PartOfALut",
     [](const Instance &i) { return make_child_regular(make_lpids(i, scattered_lpids(500), 1), 300, 77, 1); }},
    {"Mlut", [](const Instance &i) { return make_gpids(i, scattered_gpids(500)); }},
    {"PartOfAnMlut",
     [](const Instance &i) { return make_child_regular(make_gpids(i, scattered_gpids(500)), 300, 77, 1); }},
    {"CartOf2Dimensions",
     [](const Instance &i) {
       return make_lpids(i, cart_lpids(900, {7, 5}), 1);
     },
     AVRM_COST_BYTES},
    {"CartOf3Dimensions",
     [](const Instance &i) {
       return make_lpids(i, cart_lpids(950, {9, 8, 7}), 1);
     },
     AVRM_COST_BYTES},
    {"CartOf3DimensionsWithAPartialPlane",
     [](const Instance &i) {
       return make_lpids(i, cart_lpids(950, {9, 8, 7}, 401), 1);
     },
     AVRM_COST_BYTES},
    {"CartOf5Dimensions",
     [](const Instance &i) {
       return make_lpids(i, cart_lpids(0, {3, 4, 3, 2, 3}), 1);
     },
     AVRM_COST_BYTES},
    {"Segments", [](const Instance &i) { return make_gpids(i, growing_runs(7, 1)); }, AVRM_COST_BYTES},
    {"SegmentsOfThreeGroups", [](const Instance &i) { return make_gpids(i, growing_runs(12, 3)); }, AVRM_COST_BYTES},
    {"SegmentsWithADirectory", [](const Instance &i) { return make_gpids(i, growing_runs(200, 3)); }, AVRM_COST_BYTES},
    {"BlockedLessThreeRanks",
     [](const Instance &i) {
       return make_without(make_blocked(i, 300, 7, 20, 6, 1), {3, 77, 298});
     },
     AVRM_COST_BYTES},
    {"BlockedBackwardsLess40Ranks",
     [](const Instance &i) { return make_without(make_blocked(i, 600, 990, -10, 6, 1), regular_values(40, 1, 13)); },
     AVRM_COST_BYTES},
    {"CartLessOneRank",
     [](const Instance &i) {
       return make_without(make_lpids(i, cart_lpids(950, {9, 8, 7}), 1), {100});
     },
     AVRM_COST_BYTES},
    {"CartOf5DimensionsLess40Ranks",
     [](const Instance &i) {
       return make_without(make_lpids(i, cart_lpids(0, {3, 4, 3, 2, 7}), 1), regular_values(40, 50, 7));
     },
     AVRM_COST_BYTES},
    // Of so many ranks that translation in bulk takes another way.
    {"LargeSegments", [](const Instance &i) { return make_gpids(i, growing_runs(3200, 3)); }, AVRM_COST_BYTES},
};

// A bound map of the kind, with its plain table.
class RankmapOfEachKind : public testing::TestWithParam<Kind> {
protected:
  ThreeWorlds worlds{GetParam().cost};
  MapPtr map = GetParam().make(worlds.instance);
  Table table;

  void SetUp() override {
    require(avrm_rankmap_bind(map.get()));
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(map.get()); ++rank) {
      table.push_back(avrm_rankmap_gpid(map.get(), rank));
    }
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(table.size()); }
};

inline std::string kind_name(const testing::TestParamInfo<Kind> &info) { return info.param.name; }

} // namespace avrankmap::test

#endif
