// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bound maps of every mode, and of every kind within a mode that the hot path could take amiss.
#ifndef AVRANKMAP_TESTS_RANKMAP_ONE_OF_EACH_H
#define AVRANKMAP_TESTS_RANKMAP_ONE_OF_EACH_H

#include <cstdint>
#include <string>
#include <vector>

#include "tests/rankmap/twin.h"

namespace avrankmap::test {

// Process groups 0, 1 and 2 of 1000 connected processes each.
class ThreeWorlds {
public:
  Instance instance;
  AvPtr avs[3] = {make_av(instance, 1000), make_av(instance, 1000), make_av(instance, 1000)};

  ThreeWorlds() {
    for (const AvPtr &av : avs) {
      fill(av.get());
    }
  }
};

struct Kind {
  const char *name;
  MapPtr (*make)(const Instance &);
};

inline Ranks scattered_lpids(std::int32_t size) {
  Ranks lpids;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    lpids.push_back(rank * rank % 997);
  }
  return lpids;
}

inline Table scattered_gpids(std::int32_t size) {
  Table table;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    table.push_back({rank * 7 % 5 % 3, rank * rank % 997});
  }
  return table;
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
};

// A bound map of the kind, with its plain table.
class RankmapOfEachKind : public testing::TestWithParam<Kind> {
protected:
  ThreeWorlds worlds;
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
