// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Children of one parent, and duplicates: what is refused, and how tables are shared.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/component/rankmap/twin.h"

namespace avrankmap::test {
namespace {

// No part of more than two ranks is regular.
const Ranks kLpids = {4, 0, 9, 2, 7, 1, 8, 3};
const Table kGpids = {{0, 4}, {1, 0}, {2, 9}, {0, 2}, {1, 7}, {2, 1}, {0, 8}, {1, 3}};

// ---- what is refused ----

class RankmapChild : public testing::Test {
protected:
  Instance instance;
  MapPtr parent = make_stride(instance, 10, 100, 3);

  avrm_status_t refused(const Ranks &ranks, unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return refused_raw(parent.get(), static_cast<std::int32_t>(ranks.size()), ranks.data(), flags);
  }
  avrm_status_t refused_raw(const avrm_rankmap_t *of, std::int32_t size, const std::int32_t *ranks,
                            unsigned flags = 0) {
    return refusal(instance,
                   [&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_child(of, size, ranks, flags, map_p); });
  }
  avrm_status_t refused_regular(std::int32_t size, std::int32_t offset, std::int32_t stride, std::int32_t block,
                                unsigned flags = AVRM_RANKMAP_DEFAULT) {
    return refusal(instance, [&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_child_regular(parent.get(), size, offset, stride, block, flags, map_p);
    });
  }
};

TEST_F(RankmapChild, RefusesNullParent) {
  const Ranks ranks = {0, 1};
  EXPECT_EQ(refused_raw(nullptr, 2, ranks.data()), AVRM_ERR_NULL);
}

TEST_F(RankmapChild, RefusesNullArray) { EXPECT_EQ(refused_raw(parent.get(), 2, nullptr), AVRM_ERR_NULL); }

TEST_F(RankmapChild, RefusesNullOutput) {
  const Ranks ranks = {0, 1};
  EXPECT_EQ(avrm_rankmap_create_child(parent.get(), 2, ranks.data(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapChild, RefusesNegativeSize) {
  const Ranks ranks = {0, 1};
  EXPECT_EQ(refused_raw(parent.get(), -1, ranks.data()), AVRM_ERR_SIZE);
  EXPECT_EQ(refused_raw(parent.get(), kIntMin, ranks.data()), AVRM_ERR_SIZE);
}

TEST_F(RankmapChild, RefusesUnknownFlags) {
  EXPECT_EQ(refused({0, 1}, 2), AVRM_ERR_OPTION);
  EXPECT_EQ(refused({0, 1}, ~0U), AVRM_ERR_OPTION);
}

TEST_F(RankmapChild, RefusesARankOutsideTheParentAtEveryPlaceOfAnIrregularArray) {
  const Ranks good = {4, 0, 9, 2, 7};
  for (std::size_t place = 0; place < good.size(); ++place) {
    for (const std::int32_t bad : {-1, 10, kIntMin, kIntMax}) {
      Ranks ranks = good;
      ranks[place] = bad;
      EXPECT_EQ(refused(ranks), AVRM_ERR_RANK) << "rank " << bad << " at " << place;
    }
  }
}

TEST_F(RankmapChild, RefusesARankOutsideTheParentInARegularArray) {
  EXPECT_EQ(refused({8, 9, 10}), AVRM_ERR_RANK);
  EXPECT_EQ(refused({1, 0, -1}), AVRM_ERR_RANK);
  EXPECT_EQ(refused({-1, 0, 1}), AVRM_ERR_RANK);
  EXPECT_EQ(refused({10}), AVRM_ERR_RANK);
  EXPECT_EQ(refused({-1}), AVRM_ERR_RANK);
  EXPECT_EQ(refused({0, 1, 9, 10}), AVRM_ERR_RANK);
}

TEST_F(RankmapChild, RefusesRanksOfATableThatOnlyTheWholeTableHas) {
  const MapPtr whole = make_lpids(instance, kLpids);
  const MapPtr part = make_child(whole, {2, 3, 4, 5});
  const Ranks regular = {3, 4};
  const Ranks irregular = {0, 3, 1, 4};
  EXPECT_EQ(refused_raw(part.get(), 2, regular.data()), AVRM_ERR_RANK);
  EXPECT_EQ(refused_raw(part.get(), 4, irregular.data()), AVRM_ERR_RANK);
}

TEST_F(RankmapChild, RegularRefusesNullParent) {
  EXPECT_EQ(
      refusal(instance,
              [](avrm_rankmap_t *map_p) { return avrm_rankmap_create_child_regular(nullptr, 1, 0, 1, 1, 0, map_p); }),
      AVRM_ERR_NULL);
}

TEST_F(RankmapChild, RegularRefusesNullOutput) {
  EXPECT_EQ(avrm_rankmap_create_child_regular(parent.get(), 1, 0, 1, 1, 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(RankmapChild, RegularRefusesNegativeSize) {
  EXPECT_EQ(refused_regular(-1, 0, 1, 1), AVRM_ERR_SIZE);
  EXPECT_EQ(refused_regular(kIntMin, 0, 1, 1), AVRM_ERR_SIZE);
}

TEST_F(RankmapChild, RegularRefusesStrideZero) { EXPECT_EQ(refused_regular(2, 0, 0, 1), AVRM_ERR_STRIDE); }

TEST_F(RankmapChild, RegularRefusesBlockBelowOne) {
  EXPECT_EQ(refused_regular(2, 0, 1, 0), AVRM_ERR_BLOCK);
  EXPECT_EQ(refused_regular(2, 0, 1, -1), AVRM_ERR_BLOCK);
}

TEST_F(RankmapChild, RegularRefusesUnknownFlags) { EXPECT_EQ(refused_regular(2, 0, 1, 1, 4), AVRM_ERR_OPTION); }

TEST_F(RankmapChild, RegularRefusesRanksOutsideTheParent) {
  EXPECT_EQ(refused_regular(11, 0, 1, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused_regular(1, 10, 1, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused_regular(1, -1, 1, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused_regular(6, 0, 2, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused_regular(11, 9, -1, 1), AVRM_ERR_RANK);
  EXPECT_EQ(refused_regular(6, 0, 8, 3), AVRM_ERR_RANK);
  EXPECT_EQ(refused_regular(8, 7, -6, 4), AVRM_ERR_RANK); // the first block ends at 10
  EXPECT_EQ(refused_regular(8, 4, -5, 4), AVRM_ERR_RANK); // the second one begins at -1
}

TEST_F(RankmapChild, RegularAcceptsTheLastRank) {
  EXPECT_TRUE(
      agrees(make_child_regular(parent, 5, 0, 8, 3).get(), child_table(regular_table(0, 10, 100, 3), {0, 1, 2, 8, 9})));
}

// ---- any parent, any array ----

struct Parent {
  const char *name;
  MapPtr (*make)(const Instance &);
};

class RankmapChildOf : public testing::TestWithParam<Parent> {
protected:
  Instance instance;
  MapPtr parent = GetParam().make(instance);
  Table table;

  void SetUp() override {
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(parent.get()); ++rank) {
      table.push_back(avrm_rankmap_gpid(parent.get(), rank));
    }
  }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(table.size()); }
};

TEST_P(RankmapChildOf, EverySmallPatternAgrees) {
  for (std::int32_t count = 1; count <= size(); ++count) {
    for (std::int32_t offset = 0; offset < size(); ++offset) {
      for (std::int32_t stride = -size(); stride <= size(); ++stride) {
        for (std::int32_t block = 1; stride != 0 && block <= 4; ++block) {
          bool inside = true;
          for (std::int32_t rank = 0; rank < count; ++rank) {
            const std::int64_t parent_rank = formula(offset, stride, block, rank);
            inside = inside && parent_rank >= 0 && parent_rank < size();
          }
          avrm_rankmap_t raw{};
          ASSERT_EQ(avrm_rankmap_create_child_regular(parent.get(), count, offset, stride, block, 0, &raw),
                    inside ? AVRM_OK : AVRM_ERR_RANK)
              << "size " << count << " offset " << offset << " stride " << stride << " block " << block;
          const MapPtr by_pattern(new avrm_rankmap_t(raw));
          if (inside) {
            const Ranks ranks = regular_values(count, offset, stride, block);
            const Table expected = child_table(table, ranks);
            ASSERT_TRUE(agrees(by_pattern.get(), expected));
            ASSERT_TRUE(agrees(make_child(parent, ranks).get(), expected));
          }
        }
      }
    }
  }
}

TEST_P(RankmapChildOf, EveryArrayOfThreeRanksAgrees) {
  for (std::int32_t a = 0; a < size(); ++a) {
    for (std::int32_t b = 0; b < size(); ++b) {
      for (std::int32_t c = 0; c < size(); ++c) {
        ASSERT_TRUE(agrees(make_child(parent, {a, b, c}).get(), child_table(table, {a, b, c})));
      }
    }
  }
}

TEST_P(RankmapChildOf, DuplicateAgreesAndIsNotBound) {
  const MapPtr copy = make_dup(parent);
  EXPECT_TRUE(agrees(copy.get(), table));
  EXPECT_FALSE(info_of(copy.get()).bound);
}

TEST_P(RankmapChildOf, ChildOutlivesItsParent) {
  const MapPtr last = make_child_regular(parent, size() - 2, 2, 1);
  parent.reset();
  EXPECT_TRUE(agrees(last.get(), Table(table.begin() + 2, table.end())));
}

INSTANTIATE_TEST_SUITE_P(
    AnyMode, RankmapChildOf,
    testing::Values(Parent{"Direct", [](const Instance &instance) { return make_direct(instance, 8, 3); }},
                    Parent{"Offset", [](const Instance &instance) { return make_offset(instance, 8, 5, 3); }},
                    Parent{"Stride", [](const Instance &instance) { return make_stride(instance, 8, 5, 4, 3); }},
                    Parent{"Reversal", [](const Instance &instance) { return make_stride(instance, 8, 7, -1, 3); }},
                    Parent{"Blocked", [](const Instance &instance) { return make_blocked(instance, 8, 5, 9, 3, 3); }},
                    Parent{"Lut", [](const Instance &instance) { return make_lpids(instance, kLpids, 3); }},
                    Parent{"PartOfALut",
                           [](const Instance &instance) {
                             Ranks lpids = {0, 3, 3};
                             lpids.insert(lpids.end(), kLpids.begin(), kLpids.end());
                             lpids.push_back(7);
                             return make_child_regular(make_lpids(instance, lpids, 3), 8, 3, 1);
                           }},
                    Parent{"Mlut", [](const Instance &instance) { return make_gpids(instance, kGpids); }},
                    Parent{"PartOfAnMlut",
                           [](const Instance &instance) {
                             Table table = {{3, 3}, {0, 4}, {0, 4}};
                             table.insert(table.end(), kGpids.begin(), kGpids.end());
                             table.push_back({1, 9});
                             return make_child_regular(make_gpids(instance, table), 8, 3, 1);
                           }}),
    [](const auto &param) { return std::string(param.param.name); });

// ---- shared tables ----

class RankmapSharing : public testing::Test {
protected:
  CountingAllocator memory;
  Instance instance{&memory};

  static std::uint32_t sharers(const MapPtr &map) { return info_of(map.get()).table_sharers; }
};

TEST_F(RankmapSharing, DuplicateOfALutHasTheTableOfItsOriginal) {
  const MapPtr map = make_lpids(instance, kLpids);
  const MapPtr copy = make_dup(map);
  EXPECT_EQ(copy->as.lut.lpids, map->as.lut.lpids);
  EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 1U);
}

TEST_F(RankmapSharing, DuplicateOfAnMlutHasTheTableOfItsOriginal) {
  const MapPtr map = make_gpids(instance, kGpids);
  const MapPtr copy = make_dup(map);
  EXPECT_EQ(copy->as.mlut.pairs, map->as.mlut.pairs);
  EXPECT_EQ(memory.usage(AVRM_MEM_MLUT).live_blocks, 1U);
}

TEST_F(RankmapSharing, DuplicateAllocatesNothing) {
  const MapPtr map = make_lpids(instance, kLpids);
  const std::uint64_t live_bytes = memory.live_bytes();
  const MapPtr copy = make_dup(map);
  EXPECT_EQ(memory.live_bytes(), live_bytes);
}

TEST_F(RankmapSharing, ChildOfAContiguousPartAllocatesNothing) {
  const MapPtr map = make_lpids(instance, kLpids);
  const std::uint64_t calls = memory.calls();
  const std::uint64_t live_bytes = memory.live_bytes();
  const MapPtr part = make_child(map, {2, 3, 4, 5});
  EXPECT_EQ(memory.live_bytes(), live_bytes);
  EXPECT_EQ(memory.calls(), calls);
}

TEST_F(RankmapSharing, PartOfAPartHasTheFirstTable) {
  const MapPtr map = make_lpids(instance, kLpids);
  const MapPtr part = make_child_regular(map, 6, 1, 1);
  const MapPtr inner = make_child_regular(part, 4, 2, 1);
  EXPECT_EQ(inner->as.lut.lpids, map->as.lut.lpids + 3);
  EXPECT_TRUE(agrees(inner.get(), in_group(0, {2, 7, 1, 8})));
}

TEST_F(RankmapSharing, SharersAreCounted) {
  const MapPtr map = make_gpids(instance, kGpids);
  const MapPtr copy = make_dup(map);
  MapPtr part = make_child_regular(copy, 4, 1, 1);
  EXPECT_EQ(sharers(map), 3U);
  EXPECT_EQ(sharers(part), 3U);
  part.reset();
  EXPECT_EQ(sharers(copy), 2U);
}

TEST_F(RankmapSharing, TableBytesAreToldOnceForTheWholeTable) {
  const MapPtr map = make_lpids(instance, kLpids);
  const MapPtr part = make_child_regular(map, 4, 1, 1);
  EXPECT_EQ(info_of(part.get()).table_bytes, 16 + 4 * kLpids.size());
}

TEST_F(RankmapSharing, TableGoesWithTheLastSharerInAnyOrder) {
  for (std::size_t first = 0; first < 3; ++first) {
    for (std::size_t second = 0; second < 3; ++second) {
      std::vector<MapPtr> maps;
      maps.push_back(make_lpids(instance, kLpids));
      maps.push_back(make_dup(maps[0]));
      maps.push_back(make_child_regular(maps[0], 5, 3, 1));
      maps[first].reset();
      maps[second].reset();
      EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 1U);
      maps.clear();
      EXPECT_EQ(memory.usage(AVRM_MEM_LUT).live_blocks, 0U);
    }
  }
}

TEST_F(RankmapSharing, StridedChildHasATableOfItsOwn) {
  const MapPtr map = make_lpids(instance, kLpids);
  const MapPtr every_second = make_child_regular(map, 4, 0, 2);
  EXPECT_EQ(sharers(every_second), 1U);
  EXPECT_EQ(info_of(every_second.get()).table_bytes, 16 + 4 * 4U);
}

TEST_F(RankmapSharing, PermutedChildHasATableOfItsOwn) {
  const MapPtr map = make_gpids(instance, kGpids);
  const MapPtr permuted = make_child(map, {1, 0, 2, 3});
  EXPECT_EQ(sharers(permuted), 1U);
  EXPECT_EQ(sharers(map), 1U);
}

TEST_F(RankmapSharing, DuplicateOfNullIsRefused) {
  EXPECT_EQ(refusal(instance, [](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(nullptr, map_p); }), AVRM_ERR_NULL);
}

TEST_F(RankmapSharing, DuplicateIntoNullIsRefused) {
  const MapPtr map = make_lpids(instance, kLpids);
  EXPECT_EQ(avrm_rankmap_dup(map.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(sharers(map), 1U);
}

} // namespace
} // namespace avrankmap::test
