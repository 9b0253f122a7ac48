// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every form of a hierarchy against its brute-force twin.
#include <numeric>
#include <tuple>

#include "tests/component/hierarchy/random_keys.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

// Keys of a layout as hierarchy.h defines it.
Keys layout_keys(const Ranks &lpids, std::int32_t nodes, std::int32_t block) {
  Keys keys;
  for (const std::int32_t lpid : lpids) {
    keys.push_back(static_cast<std::uint64_t>(lpid / block % nodes));
  }
  return keys;
}

std::uint64_t key_of_third(void *context, avrm_gpid_t process) {
  ++*static_cast<int *>(context);
  return static_cast<std::uint64_t>(process.lpid / 3);
}

class Hierarchy : public testing::Test {
protected:
  Instance instance;
};

TEST_F(Hierarchy, DeclaredLayoutsOfRegularMapsKeepNothing) {
  for (const std::int32_t stride : {1, 2, 3, 4, 6, 8, 12, 24, -1, -2, -4, -12}) {
    for (const std::int32_t block : {1, 2, 4, 12}) {
      if (block % stride != 0 && stride % block != 0) {
        continue;
      }
      for (const std::int32_t nodes : {1, 2, 3, 5, 1000000}) {
        for (const std::int32_t size : {1, 2, 5, 12, 37}) {
          for (const std::int32_t start : {0, 1, 5, 11, 13}) {
            const std::int32_t offset = stride < 0 ? start - (size - 1) * stride : start;
            const MapPtr map = make_stride(instance, size, offset, stride);
            const HierarchyPtr hierarchy = of_layout(map, nodes, block);
            EXPECT_EQ(avrm_hierarchy_bytes(hierarchy.get()), 0U);
            EXPECT_TRUE(
                HierarchyTwin(layout_keys(regular_values(size, offset, stride), nodes, block)).agrees(hierarchy.get()))
                << "stride " << stride << " block " << block << " nodes " << nodes << " offset " << offset << " size "
                << size;
          }
        }
      }
    }
  }
}

// Keys of nodes contain the pgid, so those of pgids far from each other are almost 2^63 apart.
TEST_F(Hierarchy, DeclaredLayoutHoldsForDistantProcessGroups) {
  std::mt19937_64 engine = seeded_engine();
  RandomInput input(engine);
  Table first = {{0, 1}, {1, 1}, {1990579545, 1}, {0, 2}, {0, 3}};
  for (int round = 0; round < 2000; ++round) {
    Table table;
    table.swap(first);
    while (table.size() < 6) {
      const std::int32_t pgid = input.one_in(2)   ? input.below(3)
                                : input.one_in(2) ? kMaxSize - input.below(3)
                                                  : input.below(kMaxSize);
      const std::int32_t stride = input.below(4);
      const std::int32_t lpid = input.one_in(4) ? kLastLpid - 40 : input.below(40);
      for (std::int32_t i = 0; i < 1 + round % 5; ++i) {
        table.push_back({pgid, lpid + i * stride});
      }
    }
    const std::int32_t block = input.one_in(4) ? kMaxSize : input.size(12);
    const std::int32_t nodes = input.one_in(4) ? kMaxSize : input.size(12);
    Keys keys;
    for (const avrm_gpid_t &process : table) {
      keys.push_back(static_cast<std::uint64_t>(process.pgid) << 32 |
                     static_cast<std::uint64_t>(process.lpid / block % nodes));
    }
    ASSERT_TRUE(HierarchyTwin(keys).agrees(of_layout(make_gpids(instance, table), nodes, block).get())) << round;
  }
}

TEST_F(Hierarchy, DeclaredLayoutHoldsForAnyMap) {
  Ranks lpids(1000);
  std::iota(lpids.begin(), lpids.end(), 0);
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  const HierarchyPtr irregular = of_layout(make_lpids(instance, lpids), 17, 4);
  EXPECT_TRUE(HierarchyTwin(layout_keys(lpids, 17, 4)).agrees(irregular.get()));
  const HierarchyPtr odd = of_layout(make_stride(instance, 100, 1, 3), 6, 4);
  EXPECT_TRUE(HierarchyTwin(layout_keys(regular_values(100, 1, 3), 6, 4)).agrees(odd.get()));
}

TEST_F(Hierarchy, LayoutsAreFoundInKeys) {
  for (const std::int32_t nodes : {1, 2, 3, 7}) {
    for (const std::int32_t block : {1, 2, 5}) {
      for (const std::int32_t size : {1, 2, 3, 10, 31, 70, 71}) {
        for (std::int32_t offset = 0; offset < 12; ++offset) {
          const Keys keys = layout_keys(regular_values(size, offset, 1), nodes, block);
          const HierarchyPtr hierarchy = of_keys(instance, keys);
          EXPECT_EQ(avrm_hierarchy_bytes(hierarchy.get()), 0U);
          EXPECT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
        }
      }
    }
  }
}

TEST_F(Hierarchy, LargestLayoutDoesNotOverflow) {
  for (const std::int32_t block : {1, 128, kMaxSize - 1, kMaxSize}) {
    for (const std::int32_t nodes : {1, 2, 6144, kMaxSize}) {
      const HierarchyPtr hierarchy = of_layout(make_direct(instance, kMaxSize), nodes, block);
      const std::int32_t last = kMaxSize - 1;
      const std::int64_t number = std::int64_t{last} / block;
      const std::int64_t node = number % nodes;
      const std::int64_t local = number / nodes * block + std::int64_t{last} % block;
      EXPECT_EQ(avrm_hierarchy_node(hierarchy.get(), last), node);
      EXPECT_EQ(avrm_hierarchy_local(hierarchy.get(), last), local);
      EXPECT_EQ(avrm_hierarchy_node_size(hierarchy.get(), static_cast<std::int32_t>(node)), local + 1);
      EXPECT_EQ(avrm_hierarchy_rank(hierarchy.get(), static_cast<std::int32_t>(node), static_cast<std::int32_t>(local)),
                last);
    }
  }
  // The phase is one less than the block.
  const HierarchyPtr shifted = of_layout(make_offset(instance, kMaxSize - 1, 1), 5, kMaxSize - 1);
  EXPECT_EQ(avrm_hierarchy_nodes(shifted.get()), 2);
  EXPECT_EQ(avrm_hierarchy_node_size(shifted.get(), 0), kMaxSize - 2);
  EXPECT_EQ(avrm_hierarchy_leader(shifted.get(), 1), kMaxSize - 2);
}

TEST_F(Hierarchy, EmptyMapHasNoNodes) {
  const HierarchyPtr of_map = of_layout(make_direct(instance, 0), 4, 4);
  const HierarchyPtr of_no_keys = of_keys(instance, {});
  for (const HierarchyPtr *hierarchy : {&of_map, &of_no_keys}) {
    EXPECT_TRUE(HierarchyTwin({}).agrees(hierarchy->get()));
  }
}

TEST_F(Hierarchy, NodesOfDifferentSizesTakeFourBytesEach) {
  Keys keys;
  for (std::uint64_t node = 0; node < 100; ++node) {
    keys.insert(keys.end(), 1 + node * 7 % 5, 1000 - node);
  }
  const HierarchyPtr hierarchy = of_keys(instance, keys);
  EXPECT_EQ(avrm_hierarchy_bytes(hierarchy.get()), 24 + 4 * 100U);
  EXPECT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
}

TEST_F(Hierarchy, RandomOrderOf786432RanksTakesLessThan3BytesPerRank) {
  Keys keys(786432);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = i / 128;
  }
  std::mt19937_64 engine = seeded_engine();
  std::shuffle(keys.begin(), keys.end(), engine);
  const HierarchyPtr hierarchy = of_keys(instance, keys);
  const std::uint64_t bytes = sizeof(avrm_hierarchy_t) + avrm_hierarchy_bytes(hierarchy.get());
  EXPECT_LE(bytes, 2 * keys.size());
  EXPECT_EQ(instance.usage(AVRM_MEM_COMM).live_bytes, avrm_hierarchy_bytes(hierarchy.get()));
  EXPECT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
}

TEST_F(Hierarchy, PackedIsRightAtTheBordersOfItsGroups) {
  std::mt19937_64 engine = seeded_engine();
  for (const std::size_t size : {3, 31, 32, 33, 255, 256, 257, 511, 512, 513, 1024}) {
    for (const std::uint64_t nodes : {2, 3, 4, 5, 255, 256, 257}) {
      Keys keys(size);
      std::generate(keys.begin(), keys.end(), [&] { return below(engine, nodes); });
      EXPECT_TRUE(HierarchyTwin(keys).agrees(of_keys(instance, keys).get())) << size << " ranks, " << nodes;
    }
  }
}

TEST_F(Hierarchy, NodeIsANodeIdInOneProcessGroup) {
  const AvPtr first = make_av(instance, 40);
  const AvPtr second = make_av(instance, 40);
  for (avrm_av_t *const av : {first.get(), second.get()}) {
    for (std::int32_t lpid = 0; lpid < 40; ++lpid) {
      avrm_ave_t ave{};
      require(avrm_ofi_pack(1, static_cast<std::uint32_t>(lpid / 8), &ave)); // the same ids in both
      require(avrm_av_set(av, lpid, &ave));
    }
  }
  Table table;
  Keys keys;
  for (std::int32_t rank = 0; rank < 80; ++rank) {
    table.push_back({rank % 3 == 0 ? 1 : 0, rank * 7 % 40});
    keys.push_back(static_cast<std::uint64_t>(table.back().pgid * 100 + table.back().lpid / 8));
  }
  const MapPtr map = make_gpids(instance, table);
  avrm_hierarchy_t refused{};
  EXPECT_EQ(avrm_hierarchy_create(map.get(), &refused), AVRM_ERR_NOT_BOUND);
  require(avrm_rankmap_bind(map.get()));
  const HierarchyPtr hierarchy =
      make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_create(map.get(), hierarchy_p); });
  EXPECT_TRUE(HierarchyTwin(keys).agrees(hierarchy.get()));
  const HierarchyPtr declared = of_layout(map, kMaxSize, 8);
  EXPECT_TRUE(HierarchyTwin(keys).agrees(declared.get()));
}

TEST_F(Hierarchy, RanksThatWereNeverSetAreOnTheNodeOfTheId0) {
  const AvPtr av = make_av(instance, 8);
  for (const std::int32_t lpid : {1, 2, 5}) {
    avrm_ave_t ave{};
    require(avrm_ofi_pack(1, lpid == 5 ? 0 : 7, &ave));
    require(avrm_av_set(av.get(), lpid, &ave));
  }
  const MapPtr map = make_direct(instance, 8);
  require(avrm_rankmap_bind(map.get()));
  const HierarchyPtr hierarchy =
      make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_create(map.get(), hierarchy_p); });
  EXPECT_TRUE(HierarchyTwin({0, 7, 7, 0, 0, 0, 0, 0}).agrees(hierarchy.get()));
}

TEST_F(Hierarchy, LayoutOfAnImplicitAvIsNotRead) {
  CountingAllocator memory;
  const Instance counted(&memory);
  // nodes, block, processes filled of 60
  for (const auto &[nodes, block, filled] :
       {std::tuple{60, 8, 60}, {5, 1, 60}, {3, 4, 60}, {1, 60, 60}, {60, 1, 60}, {3, 4, 59}}) {
    avrm_av_options_t options{};
    options.kind = AVRM_AV_IMPLICIT;
    avrm_av_t *created = nullptr;
    require(avrm_av_create(counted, 60, &options, &created));
    const AvPtr av(created);
    Keys keys;
    for (std::int32_t lpid = 0; lpid < 60; ++lpid) {
      keys.push_back(static_cast<std::uint64_t>(lpid < filled ? 10 + lpid / block % nodes : 0));
      if (lpid < filled) {
        avrm_ave_t ave{};
        require(avrm_ofi_pack(1, static_cast<std::uint32_t>(keys.back()), &ave));
        require(avrm_av_set(av.get(), lpid, &ave));
      }
    }
    const MapPtr map = make_offset(counted, 57, 3, av->pgid);
    require(avrm_rankmap_bind(map.get()));
    const std::uint64_t calls = memory.calls();
    const HierarchyPtr hierarchy =
        make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_create(map.get(), hierarchy_p); });
    EXPECT_EQ(memory.calls() == calls, filled == 60) << nodes << " nodes, blocks of " << block;
    EXPECT_TRUE(HierarchyTwin({keys.begin() + 3, keys.end()}).agrees(hierarchy.get()));
    // A table from here on, which the functions do not describe any more.
    avrm_ave_t moved{};
    require(avrm_ofi_pack(1, 99, &moved));
    require(avrm_av_set(av.get(), 20, &moved));
    keys[20] = 99;
    const HierarchyPtr later =
        make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) { return avrm_hierarchy_create(map.get(), hierarchy_p); });
    EXPECT_TRUE(HierarchyTwin({keys.begin() + 3, keys.end()}).agrees(later.get()));
  }
}

TEST_F(Hierarchy, FunctionIsCalledOncePerRank) {
  int calls = 0;
  const MapPtr map = make_blocked(instance, 50, 2, 9, 4);
  const HierarchyPtr hierarchy = make_hierarchy([&](avrm_hierarchy_t *hierarchy_p) {
    return avrm_hierarchy_create_function(map.get(), key_of_third, &calls, hierarchy_p);
  });
  EXPECT_EQ(calls, 50);
  EXPECT_TRUE(HierarchyTwin(layout_keys(regular_values(50, 2, 9, 4), kMaxSize, 3)).agrees(hierarchy.get()));
}

// A hash that is a formula of the key alone can be inverted: these keys differ, but the product in
// (key ^ key >> 32) * kGolden has equal halves. To compare each with all others would take minutes.
TEST_F(Hierarchy, KeysMadeForOneSlotOfAHashTableAreNumberedInLinearTime) {
  constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15U;
  constexpr std::int32_t kRanks = 1 << 20;
  std::uint64_t inverse = kGolden; // modulo 2^64; each step doubles the number of right bits
  for (int i = 0; i < 5; ++i) {
    inverse *= 2 - kGolden * inverse;
  }
  ASSERT_EQ(kGolden * inverse, 1U);
  Keys keys;
  for (std::uint64_t half = 1; half <= kRanks; ++half) {
    const std::uint64_t mixed = (half << 32 | half) * inverse;
    keys.push_back(mixed ^ mixed >> 32);
  }
  const HierarchyPtr hierarchy = of_keys(instance, keys);
  ASSERT_EQ(avrm_hierarchy_nodes(hierarchy.get()), kRanks);
  for (std::int32_t rank = 0; rank < kRanks; ++rank) {
    ASSERT_EQ(avrm_hierarchy_node(hierarchy.get(), rank), rank);
  }
}

TEST_F(Hierarchy, ArgumentsAreChecked) {
  const MapPtr map = make_direct(instance, 5);
  const avrm_rankmap_t none{};
  avrm_hierarchy_t out{};
  const Keys keys(5);
  EXPECT_EQ(avrm_hierarchy_create(nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_create(&none, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_create(map.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_create_keys(nullptr, 5, keys.data(), &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_create_keys(instance, 5, nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_create_keys(instance, -1, keys.data(), &out), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_hierarchy_create_function(map.get(), nullptr, nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_hierarchy_create_layout(map.get(), 0, 1, &out), AVRM_ERR_SIZE);
  EXPECT_EQ(avrm_hierarchy_create_layout(map.get(), 1, 0, &out), AVRM_ERR_BLOCK);
  EXPECT_EQ(avrm_hierarchy_dup(&out, &out), AVRM_ERR_NULL);
  EXPECT_EQ(out.instance, nullptr);
  avrm_hierarchy_destroy(nullptr);
  avrm_hierarchy_destroy(&out);
}

TEST_F(Hierarchy, AgreesWithItsTwinForRandomJobs) {
  std::mt19937_64 engine = seeded_engine();
  for (std::int64_t left = twin_checks(); left > 0;) {
    const Keys keys = random_keys(engine);
    ASSERT_TRUE(HierarchyTwin(keys).agrees(of_keys(instance, keys).get()));
    left -= 5 * std::ssize(keys);
  }
}

} // namespace
} // namespace avrankmap::test
