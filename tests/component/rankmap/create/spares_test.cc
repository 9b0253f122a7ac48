// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps in which spares take the places of some ranks, against the table.
#include "rankmap/create/spares.h"

#include "rankmap/create/runs.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/component/rankmap/random_world.h"

namespace avrankmap::test {
namespace {

// By the words of the contract; empty if spares are missing.
Table replaced(const Table &parent, std::size_t active, const Ranks &dead) {
  const auto is_dead = [&](std::size_t rank) {
    return std::binary_search(dead.begin(), dead.end(), static_cast<std::int32_t>(rank));
  };
  Table spares;
  for (std::size_t rank = active; rank < parent.size(); ++rank) {
    if (!is_dead(rank)) {
      spares.push_back(parent[rank]);
    }
  }
  Table table;
  for (std::size_t rank = 0; rank < active; ++rank) {
    if (!is_dead(rank)) {
      table.push_back(parent[rank]);
    } else if (spares.empty()) {
      return {};
    } else {
      table.push_back(spares.back());
      spares.pop_back();
    }
  }
  table.insert(table.end(), spares.begin(), spares.end());
  return table;
}

class Spares : public testing::Test {
protected:
  void check(const avrm_rankmap_t *parent, std::int32_t active, const Ranks &dead) {
    Table table;
    for (std::int32_t rank = 0; rank < avrm_rankmap_size(parent); ++rank) {
      table.push_back(avrm_rankmap_gpid(parent, rank));
    }
    const Table expected = replaced(table, static_cast<std::size_t>(active), dead);
    detail::MapOwner map;
    const avrm_status_t status =
        detail::map_with_spares(parent, active, dead.data(), static_cast<std::int32_t>(dead.size()), &map);
    if (expected.empty()) {
      ASSERT_EQ(status, AVRM_ERR_SIZE);
      return;
    }
    ASSERT_EQ(status, AVRM_OK);
    ASSERT_EQ(map->size, static_cast<std::int32_t>(expected.size()));
    std::size_t runs = 0;
    require(detail::for_each_run(map.get(), [&runs](const detail::Run &) {
      ++runs;
      return AVRM_OK;
    }));
    if (parent->klass == AVRM_CLASS_AFFINE || parent->mode <= AVRM_MODE_STRIDE) {
      ASSERT_LE(runs, 2 * dead.size() + 1);
    }
    for (std::size_t rank = 0; rank < expected.size(); ++rank) {
      ASSERT_EQ(avrm_rankmap_gpid(map.get(), static_cast<std::int32_t>(rank)), expected[rank]) << "rank " << rank;
    }
  }

  Instance instance{false, AVRM_COST_BALANCED};
  AvPtr av = make_av(instance, 5000);
  std::mt19937_64 engine = seeded_engine();
};

TEST_F(Spares, TakeThePlacesOfTheDeadAndTheOthersStayTogether) {
  for (int round = 0; round < 2000 && !HasFatalFailure(); ++round) {
    const auto size = static_cast<std::int32_t>(1 + below(engine, 200));
    const auto active = static_cast<std::int32_t>(1 + below(engine, static_cast<std::uint64_t>(size)));
    Ranks dead;
    const std::uint64_t rarity = 2 + below(engine, 20);
    for (std::int32_t rank = 0; rank < size; ++rank) {
      if (below(engine, rarity) == 0) {
        dead.push_back(rank);
      }
    }
    const MapPtr parent = make_map([&](avrm_rankmap_t *map_p) {
      const Ranks lpids = regular_values(size, 7, 3);
      Ranks shuffled = lpids;
      std::shuffle(shuffled.begin(), shuffled.end(), engine);
      switch (round % 3) {
      case 0: return avrm_rankmap_create_stride(instance, 0, size, 7, 3, map_p);
      case 1: return avrm_rankmap_create_blocked(instance, 0, size, 7, 9, 4, map_p);
      default: return avrm_rankmap_create_lpids(instance, 0, size, shuffled.data(), AVRM_RANKMAP_DEFAULT, map_p);
      }
    });
    SCOPED_TRACE("round " + std::to_string(round));
    check(parent.get(), active, dead);
  }
}

TEST_F(Spares, SegmentsOfAnAffineMapAreTwoPerDeathAndOne) {
  const MapPtr parent =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_offset(instance, 0, 4000, 0, map_p); });
  check(parent.get(), 3900, {5, 100, 2000, 3950});
  check(parent.get(), 3900, {0, 3898, 3999});
  check(parent.get(), 3999, {7});
  check(parent.get(), 3999, {7, 8});
  check(parent.get(), 4000, {});
}

} // namespace
} // namespace avrankmap::test
