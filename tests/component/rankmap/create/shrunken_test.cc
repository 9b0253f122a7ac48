// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the map of the survivors costs at 1,048,576 processes and more: bytes that stay, bytes while
// it is made. Both depend on the number of the dead alone.
#include <numeric>
#include <random>

#include "rankmap/create/spares.h"
#include "rankmap/forms/cart.h"
#include "tests/component/rankmap/twin.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kMillion = 1 << 20;
constexpr std::int32_t kNode = 64;

struct Parent {
  const char *name;
  MapPtr (*make)(avrm_instance_t *instance);

  friend std::ostream &operator<<(std::ostream &out, const Parent &parent) { return out << parent.name; }
};

// Columns of a grid of processes: its axes in reverse order.
MapPtr make_transposed(avrm_instance_t *instance, const Ranks &extents) {
  detail::Cart cart;
  cart.dimensions = static_cast<int>(extents.size());
  cart.size = kMillion;
  std::int64_t stride = kMillion;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    stride /= extents[k];
    cart.strides[k] = stride;
    cart.extents[k] = k + 1 < extents.size() ? extents[k] : 0;
  }
  return make_map([&](avrm_rankmap_t *map_p) {
    *map_p = detail::new_cart_map(instance, 0, cart, kMillion - 1).release();
    return AVRM_OK;
  });
}

constexpr Parent kParents[] = {
    {"Direct", [](avrm_instance_t *i) { return make_direct(i, kMillion); }},
    {"Stride", [](avrm_instance_t *i) { return make_stride(i, kMillion, 5 + 3 * (kMillion - 1), -3); }},
    {"BlocksOf8", [](avrm_instance_t *i) { return make_blocked(i, kMillion, 0, 64, 8); }},
    {"BlocksOf4096Backwards",
     [](avrm_instance_t *i) { return make_blocked(i, kMillion, kMillion - 4096, -4096, 4096); }},
    {"CartOf2Dimensions",
     [](avrm_instance_t *i) {
       return make_transposed(i, {1024, 1024});
     }},
    {"CartOf3Dimensions",
     [](avrm_instance_t *i) {
       return make_transposed(i, {128, 64, 128});
     }},
    {"CartOf4Dimensions",
     [](avrm_instance_t *i) {
       return make_transposed(i, {32, 32, 32, 32});
     }},
};

struct Deaths {
  const char *name;
  Ranks (*of)(std::int32_t count);

  friend std::ostream &operator<<(std::ostream &out, const Deaths &deaths) { return out << deaths.name; }
};

constexpr Deaths kDeaths[] = {
    {"Random",
     [](std::int32_t count) {
       std::mt19937_64 engine = seeded_engine();
       Ranks dead;
       while (static_cast<std::int32_t>(dead.size()) < count) {
         dead.push_back(static_cast<std::int32_t>(below(engine, std::uint64_t{kMillion})));
         std::sort(dead.begin(), dead.end());
         dead.erase(std::unique(dead.begin(), dead.end()), dead.end());
       }
       return dead;
     }},
    {"InARow", [](std::int32_t count) { return regular_values(count, 777777, 1); }},
    {"OfWholeNodes",
     [](std::int32_t count) { return regular_values(count, 3 * kNode, 911 * kNode, std::min(count, kNode)); }},
    // The first and the second of node after node: who leads in trees over ranks, or over nodes.
    {"OfRoots", [](std::int32_t count) { return regular_values(count, 0, 1024, 2); }},
};

// The parent's rank of a rank, by going through the dead.
std::int32_t rank_among(const Ranks &dead, std::int32_t rank) {
  for (const std::int32_t removed : dead) {
    if (removed > rank) {
      break;
    }
    ++rank;
  }
  return rank;
}

class Shrunken : public testing::TestWithParam<std::tuple<Parent, Deaths, std::int32_t>> {
protected:
  void shrink(MapPtr *map, const Ranks &dead, std::size_t total) {
    const std::uint64_t before = instance.usage(AVRM_MEM_TOTAL).live_bytes;
    const MapPtr rest = make_without(*map, dead);
    const avrm_mem_usage_t usage = instance.usage(AVRM_MEM_TOTAL);
    const avrm_rankmap_info_t info = info_of(rest.get());
    EXPECT_LE(info.own_bytes + info.table_bytes, 24 * total + 176) << avrm_mode_label(info.mode);
    EXPECT_LT(usage.peak_bytes - before, 16384 + 64 * total);
    if (info.mode == AVRM_MODE_SEGMENTS) {
      EXPECT_LE(static_cast<std::size_t>(info.segments), total + 1);
    }
    expect_same(rest.get(), map->get(), dead);
    *map = make_map([&rest](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(rest.get(), map_p); });
  }

  Instance instance{false, AVRM_COST_BALANCED};

private:
  // Around each removed rank, and elsewhere.
  static void expect_same(const avrm_rankmap_t *map, const avrm_rankmap_t *parent, const Ranks &dead) {
    ASSERT_TRUE(avrm_rankmap_validate(map, nullptr));
    ASSERT_EQ(static_cast<std::size_t>(avrm_rankmap_size(map)) + dead.size(),
              static_cast<std::size_t>(avrm_rankmap_size(parent)));
    Ranks ranks = {0, avrm_rankmap_size(map) - 1};
    for (std::size_t i = 0; i < dead.size(); i += dead.size() / 100 + 1) {
      const std::int32_t rank = dead[i] - static_cast<std::int32_t>(i);
      ranks.insert(ranks.end(), {std::max(rank - 1, 0), rank, rank + 1});
    }
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(map); rank += 8191) {
      ranks.push_back(rank);
    }
    for (const std::int32_t rank : ranks) {
      if (rank < avrm_rankmap_size(map)) {
        const avrm_gpid_t process = avrm_rankmap_gpid(parent, rank_among(dead, rank));
        ASSERT_EQ(avrm_rankmap_gpid(map, rank), process) << rank;
        std::int32_t found = 0;
        ASSERT_EQ(avrm_rankmap_rank(map, process, &found), AVRM_OK);
        ASSERT_EQ(found, rank);
      }
    }
    for (const std::int32_t rank : dead) {
      std::int32_t found = 0;
      ASSERT_EQ(avrm_rankmap_rank(map, avrm_rankmap_gpid(parent, rank), &found), AVRM_OK);
      ASSERT_EQ(found, AVRM_UNDEFINED) << rank;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, Shrunken,
                         testing::Combine(testing::ValuesIn(kParents), testing::ValuesIn(kDeaths),
                                          testing::Values(1, 10, 1000)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + std::get<1>(info.param).name +
                                  std::to_string(std::get<2>(info.param));
                         });

TEST_P(Shrunken, TakesBytesPerDeathOnlyAlsoWhileItIsMadeAndAgain) {
  const auto &[parent, deaths, count] = GetParam();
  MapPtr map = parent.make(instance);
  const Ranks dead = deaths.of(count);
  shrink(&map, dead, dead.size());
  shrink(&map, {1, 5000, 700000}, dead.size() + 3);
}

// A step for each of them would take seconds, and bytes for each of them more than there are.
TEST(ShrunkenFromMoreThanTwoThousandMillion, TakesNoStepPerProcess) {
  const Instance instance(false, AVRM_COST_BALANCED);
  constexpr std::int32_t kSize = kMaxSize - 1; // blocks of two
  const MapPtr parents[] = {make_blocked(instance, kSize, kSize - 2, -2, 2), make_direct(instance, kMaxSize)};
  for (const MapPtr &parent : parents) {
    const std::int32_t size = avrm_rankmap_size(parent.get());
    const Ranks dead = {0, 1000000000, 1000000001, size - 3, size - 1};
    const MapPtr rest = make_without(parent, dead);
    EXPECT_LE(info_of(rest.get()).table_bytes, 16 + 12 + 6 * 16);
    EXPECT_EQ(avrm_rankmap_size(rest.get()), size - 5);
    for (const std::int32_t rank : {0, 1, 999999998, 999999999, size - 7, size - 6}) {
      const avrm_gpid_t process = avrm_rankmap_gpid(parent.get(), rank_among(dead, rank));
      EXPECT_EQ(avrm_rankmap_gpid(rest.get(), rank), process);
      std::int32_t found = 0;
      EXPECT_EQ(avrm_rankmap_rank(rest.get(), process, &found), AVRM_OK);
      EXPECT_EQ(found, rank);
    }
  }
}

// The last two processes change places, so that the map is a table. Most of the table is one run,
// and each second rank of it dies: to read the run to its end after each death would take minutes.
class ShrunkenTable : public testing::TestWithParam<bool> {
protected:
  static avrm_gpid_t process(std::int32_t rank) {
    const std::int32_t lpid = rank < kMillion - 2 ? rank : 2 * kMillion - 3 - rank;
    return {GetParam() && rank == 0 ? 1 : 0, lpid};
  }

  Instance instance;
  AvPtr avs[2] = {make_av(instance, kMillion), make_av(instance, 1)};
  MapPtr parent = make_map([this](avrm_rankmap_t *map_p) {
    Table table;
    for (std::int32_t rank = 0; rank < kMillion; ++rank) {
      table.push_back(process(rank));
    }
    return avrm_rankmap_create_gpids(instance, kMillion, table.data(), AVRM_RANKMAP_DEFAULT, map_p);
  });
  const Ranks dead = regular_values(kMillion / 2, 1, 2);
};

INSTANTIATE_TEST_SUITE_P(All, ShrunkenTable, testing::Bool(),
                         [](const auto &info) { return info.param ? "Mlut" : "Lut"; });

TEST_P(ShrunkenTable, IsReadOnce) {
  ASSERT_EQ(info_of(parent.get()).mode, GetParam() ? AVRM_MODE_MLUT : AVRM_MODE_LUT);
  const MapPtr rest = make_without(parent, dead);
  ASSERT_EQ(avrm_rankmap_size(rest.get()), kMillion / 2);
  for (std::int32_t rank = 0; rank < kMillion / 2; ++rank) {
    ASSERT_EQ(avrm_rankmap_gpid(rest.get(), rank), process(2 * rank));
  }
}

TEST_P(ShrunkenTable, IsReadOnceWithSpares) {
  constexpr std::int32_t kActive = kMillion / 2;
  const Ranks among_active(dead.begin(), dead.begin() + kActive / 2);
  detail::MapOwner map;
  ASSERT_EQ(detail::map_with_spares(parent.get(), kActive, among_active.data(), kActive / 2, &map), AVRM_OK);
  ASSERT_EQ(map->size, kMillion - kActive / 2);
  for (std::int32_t rank = 0; rank < map->size; ++rank) {
    const bool is_replaced = rank < kActive && rank % 2 == 1;
    ASSERT_EQ(avrm_rankmap_gpid(map.get(), rank), process(is_replaced ? kMillion - 1 - rank / 2 : rank));
  }
}

// Spares take the places of the dead, rank by rank.
TEST(ShrunkenWithSpares, AnAffineMapHasTwoSegmentsPerDeathAndOne) {
  const Instance instance(false, AVRM_COST_BYTES);
  std::mt19937_64 engine = seeded_engine();
  for (const std::size_t count : {1, 10, 100}) {
    Ranks ranks = regular_values(10000, 0, 1);
    Ranks spares = regular_values(10000, 20000, 1);
    std::shuffle(ranks.begin(), ranks.end(), engine);
    std::shuffle(spares.begin(), spares.end(), engine);
    Table table = regular_table(0, 10000, 0, 1);
    for (std::size_t i = 0; i < count; ++i) {
      table[static_cast<std::size_t>(ranks[i])].lpid = spares[i];
    }
    const MapPtr map = make_gpids(instance, table);
    EXPECT_LE(static_cast<std::size_t>(info_of(map.get()).segments), 2 * count + 1);
    EXPECT_TRUE(agrees(map.get(), table));
  }
}

} // namespace
} // namespace avrankmap::test
