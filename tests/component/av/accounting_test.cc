// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the library's accounting with the allocator's, by kind, after every step of a random
// life of an instance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

using Ranks = std::vector<std::int32_t>;

testing::AssertionResult books_agree(const Instance &instance, const CountingAllocator &memory) {
  for (int i = 0; i <= AVRM_MEM_TOTAL; ++i) {
    const auto kind = static_cast<avrm_mem_kind_t>(i);
    const avrm_mem_usage_t ours = instance.usage(kind);
    const avrm_mem_usage_t theirs = memory.usage(kind);
    if (ours.live_bytes != theirs.live_bytes || ours.peak_bytes != theirs.peak_bytes ||
        ours.live_blocks != theirs.live_blocks) {
      return testing::AssertionFailure() << avrm_mem_kind_label(kind) << ": live " << ours.live_bytes << " against "
                                         << theirs.live_bytes << ", peak " << ours.peak_bytes << " against "
                                         << theirs.peak_bytes << ", blocks " << ours.live_blocks << " against "
                                         << theirs.live_blocks;
    }
  }
  return testing::AssertionSuccess();
}

// An instance that lives at random: process groups and rankmaps come and go, some creations run
// out of memory.
class Life {
public:
  Life(CountingAllocator *memory, bool strict) : memory_(memory), instance_(memory, strict), engine_(seeded_engine()) {}

  const Instance &instance() const { return instance_; }

  void step() {
    if (chance(10)) {
      memory_->refuse_after(number(4));
    }
    switch (number(10)) {
    case 0: add_av(); break;
    case 1: drop(&avs_); break;
    case 2: touch_av(); break;
    case 3: toggle_binding(); break;
    case 4:
    case 5: drop(&maps_); break;
    default: add_map(); break;
    }
    memory_->refuse_none();
  }

private:
  std::uint64_t number(std::uint64_t bound) { return below(engine_, bound); }
  std::int32_t number32(std::uint64_t bound) { return static_cast<std::int32_t>(number(bound)); }
  bool chance(std::uint64_t in) { return number(in) == 0; }
  std::int32_t size() { return 1 + number32(chance(8) ? 20000 : 60); }
  unsigned flags() { return chance(4) ? AVRM_RANKMAP_UNIQUE : AVRM_RANKMAP_DEFAULT; }

  Ranks numbers(std::int32_t count, std::int32_t bound) {
    Ranks list(static_cast<std::size_t>(count));
    const bool regular = chance(3);
    const std::int32_t first = number32(static_cast<std::uint64_t>(bound));
    for (std::size_t i = 0; i < list.size(); ++i) {
      list[i] = regular
                    ? static_cast<std::int32_t>((static_cast<std::size_t>(first) + i) % static_cast<std::size_t>(bound))
                    : number32(static_cast<std::uint64_t>(bound));
    }
    return list;
  }

  template <typename Owner> void drop(std::vector<Owner> *list) {
    if (!list->empty()) {
      list->erase(list->begin() + static_cast<std::ptrdiff_t>(number(list->size())));
    }
  }

  void add_av() {
    avrm_av_t *av = nullptr;
    if (avrm_av_create(instance_, size(), nullptr, &av) == AVRM_OK) {
      avs_.emplace_back(av);
    }
  }

  void touch_av() {
    if (!avs_.empty()) {
      fill(avs_[number(avs_.size())].get());
    }
  }

  void toggle_binding() {
    if (!maps_.empty()) {
      avrm_rankmap_t *const map = maps_[number(maps_.size())].get();
      if (avrm_rankmap_bind(map) == AVRM_ERR_ALREADY_BOUND) {
        require(avrm_rankmap_unbind(map));
      }
    }
  }

  // Whether it succeeds is not the point here.
  void add_map() {
    avrm_rankmap_t map{};
    (void)create_some_map(&map);
    if (map.instance != nullptr) {
      maps_.emplace_back(new avrm_rankmap_t(map));
    }
  }

  avrm_status_t create_some_map(avrm_rankmap_t *map_p) {
    const std::int32_t count = size();
    const std::int32_t pgid = number32(6);
    if (maps_.empty() || chance(3)) {
      switch (number(5)) {
      case 0: return avrm_rankmap_create_direct(instance_, pgid, count, map_p);
      case 1: return avrm_rankmap_create_stride(instance_, pgid, count, 60000, 1 - number32(4), map_p);
      case 2: return avrm_rankmap_create_blocked(instance_, pgid, count, number32(9), 7, 1 + number32(8), map_p);
      case 3: return avrm_rankmap_create_lpids(instance_, pgid, count, numbers(count, 60).data(), flags(), map_p);
      default: return create_gpids(count, map_p);
      }
    }
    const avrm_rankmap_t *const parent = maps_[number(maps_.size())].get();
    const avrm_rankmap_t *const other = maps_[number(maps_.size())].get();
    const std::vector<const avrm_rankmap_t *> parents = {parent, other};
    switch (number(5)) {
    case 0: return avrm_rankmap_dup(parent, map_p);
    case 1: return avrm_rankmap_create_child(parent, count, numbers(count, parent->size).data(), flags(), map_p);
    case 2: {
      const std::int32_t first = number32(static_cast<std::uint64_t>(parent->size));
      return avrm_rankmap_create_child_regular(parent, parent->size - first, first, 1, 1, flags(), map_p);
    }
    case 3:
      return avrm_rankmap_create_merged(2, parents.data(), count, numbers(count, 2).data(),
                                        numbers(count, std::min(parent->size, other->size)).data(), flags(), map_p);
    default:
      return parent->size + other->size > 50000 ? AVRM_ERR_SIZE // large enough for this test
                                                : avrm_rankmap_create_concat(2, parents.data(), flags(), map_p);
    }
  }

  avrm_status_t create_gpids(std::int32_t count, avrm_rankmap_t *map_p) {
    std::vector<avrm_gpid_t> gpids;
    for (const std::int32_t lpid : numbers(count, 60)) {
      gpids.push_back({number32(6), lpid});
    }
    return avrm_rankmap_create_gpids(instance_, count, gpids.data(), flags(), map_p);
  }

  CountingAllocator *memory_;
  Instance instance_;
  std::mt19937_64 engine_;
  std::vector<AvPtr> avs_;
  std::vector<MapPtr> maps_;
};

class Accounting : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Instances, Accounting, testing::Bool(),
                         [](const auto &info) { return info.param ? "Strict" : "Default"; });

TEST_P(Accounting, EqualsTheAllocatorsCountsAtEveryStep) {
  CountingAllocator memory;
  Life life(&memory, GetParam());
  for (int step = 0; step < 5000; ++step) {
    life.step();
    ASSERT_TRUE(books_agree(life.instance(), memory)) << "after step " << step;
  }
}

TEST_P(Accounting, NoScratchOutlivesACall) {
  CountingAllocator memory;
  Life life(&memory, GetParam());
  for (int step = 0; step < 2000; ++step) {
    life.step();
    ASSERT_EQ(memory.usage(AVRM_MEM_SCRATCH).live_bytes, 0U) << "after step " << step;
  }
}

TEST_P(Accounting, TheInstanceIsAllThatIsLeft) {
  CountingAllocator memory;
  const Instance instance(&memory, GetParam());
  const std::uint64_t before = instance.usage(AVRM_MEM_TOTAL).live_bytes;
  {
    const AvPtr av = make_av(instance, 100);
    const Ranks lpids = {3, 1, 4};
    const MapPtr lut = make_map([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_lpids(instance, 0, 3, lpids.data(), AVRM_RANKMAP_UNIQUE, map_p);
    });
    const MapPtr dup = make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(lut.get(), map_p); });
    require(avrm_rankmap_bind(dup.get()));
  }
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_bytes, before);
}

TEST(AccountedBytes, OfARegularRankmapAreNone) {
  const Instance instance;
  const std::uint64_t before = instance.usage(AVRM_MEM_TOTAL).live_bytes;
  const MapPtr map =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_stride(instance, 0, 1000, 1, 3, map_p); });
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).live_bytes, before);
}

TEST(AccountedBytes, OfALutAreSixteenAndFourPerRank) {
  const Instance instance;
  const Ranks lpids = {3, 1, 4, 0, 5};
  const MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_lpids(instance, 0, 5, lpids.data(), AVRM_RANKMAP_DEFAULT, map_p);
  });
  EXPECT_EQ(instance.usage(AVRM_MEM_LUT).live_bytes, 16U + 4 * 5);
}

TEST(AccountedBytes, OfAnMlutAreSixteenAndEightPerRankAndSixteenPerGroup) {
  const Instance instance;
  const std::vector<avrm_gpid_t> gpids = {{5, 1}, {2, 1}, {5, 0}, {9, 7}, {2, 2}};
  const MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_gpids(instance, 5, gpids.data(), AVRM_RANKMAP_DEFAULT, map_p);
  });
  EXPECT_EQ(instance.usage(AVRM_MEM_MLUT).live_bytes, 16U + 8 * 5 + 16 * 3);
}

TEST(AccountedBytes, OfASharedTableAreCountedOnce) {
  const Instance instance;
  const Ranks lpids = {3, 1, 4, 0, 5};
  const MapPtr map = make_map([&](avrm_rankmap_t *map_p) {
    return avrm_rankmap_create_lpids(instance, 0, 5, lpids.data(), AVRM_RANKMAP_DEFAULT, map_p);
  });
  const MapPtr dup = make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(map.get(), map_p); });
  EXPECT_EQ(instance.usage(AVRM_MEM_LUT).live_bytes, 16U + 4 * 5);
}

} // namespace

} // namespace avrankmap::test
