// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Maps without some of their parent's ranks.
#include "rankmap/forms/less.h"

#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/component/rankmap/random_parents.h"

namespace avrankmap::test {
namespace {

class Less : public testing::Test {
protected:
  [[nodiscard]] avrm_status_t status_of(const avrm_rankmap_t *parent, const Ranks &ranks) {
    return refusal(instance, [&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_without(parent, static_cast<std::int32_t>(ranks.size()), ranks.data(),
                                         AVRM_RANKMAP_DEFAULT, map_p);
    });
  }

  // 9 x 8 x 7, transposed.
  static Ranks box() { return cart_lpids(950, {9, 8, 7}); }
  static Ranks with_a_break() {
    Ranks lpids = regular_values(150, 0, 2);
    const Ranks more = regular_values(150, 400, 1);
    lpids.insert(lpids.end(), more.begin(), more.end());
    return lpids;
  }

  CountingAllocator memory;
  Instance instance{&memory, false, AVRM_COST_BYTES};
  MapPtr blocked = make_blocked(instance, 300, 7, 20, 6);
  MapPtr less = make_without(blocked, {5, 100, 150});
};

TEST_F(Less, SharesItsListWithADup) {
  const MapPtr dup = make_map([this](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(less.get(), map_p); });
  EXPECT_EQ(info_of(dup.get()).table_sharers, 2U);
  less.reset();
  EXPECT_TRUE(agrees(dup.get(), without(regular_table(0, 300, 7, 20, 6), {5, 100, 150})));
}

TEST_F(Less, OutlivesItsParent) {
  MapPtr cart = make_lpids(instance, box());
  const Table table = without(table_of(cart.get()), {3});
  const MapPtr rest = make_without(cart, {3});
  ASSERT_EQ(info_of(rest.get()).mode, AVRM_MODE_LESS);
  cart.reset();
  EXPECT_TRUE(agrees(rest.get(), table));
}

TEST_F(Less, DescribesItsBase) {
  const avrm_rankmap_info_t info = info_of(less.get());
  EXPECT_EQ(info.mode, AVRM_MODE_LESS);
  EXPECT_EQ(info.size, 297);
  EXPECT_EQ(info.removed, 3);
  EXPECT_EQ(info.dimensions, 2);
  EXPECT_EQ(info.extents[0], 6);
  EXPECT_EQ(info.extents[1], 50);
  EXPECT_EQ(info.strides[0], 1);
  EXPECT_EQ(info.strides[1], 20);
  EXPECT_EQ(info.table_bytes, 48U + 3 * 4U);
  EXPECT_EQ(info.process_groups, 1);
  EXPECT_FALSE(info.folded);
}

TEST_F(Less, OfALessIsOneOfItsBase) {
  MapPtr map = make_without(blocked, {299, 17});
  for (int i = 0; i < 40; ++i) {
    map = make_without(map, {200 - i});
  }
  const avrm_rankmap_info_t info = info_of(map.get());
  EXPECT_EQ(info.mode, AVRM_MODE_LESS);
  EXPECT_EQ(info.removed, 41); // the last rank shortens the base
  EXPECT_LE(info.table_bytes, most_less_bytes(41));
}

TEST_F(Less, ShortensTheBaseInsteadWhereItsEndsAreRemoved) {
  EXPECT_EQ(shape_of(make_without(blocked, {298, 299}).get()), (Shape{AVRM_MODE_BLOCKED, 0, 7, 20, 6}));
  EXPECT_EQ(shape_of(make_without(blocked, regular_values(12, 0, 1)).get()), (Shape{AVRM_MODE_BLOCKED, 0, 47, 20, 6}));
  const MapPtr cart = make_lpids(instance, box());
  const MapPtr without_a_plane = make_without(cart, regular_values(72, 0, 1));
  EXPECT_EQ(info_of(without_a_plane.get()).mode, AVRM_MODE_CART);
  EXPECT_EQ(info_of(without_a_plane.get()).table_sharers, 2U);
}

TEST_F(Less, IsNoLargerThanACartOfEqualParts) {
  int carts = 0;
  const std::int32_t block = 2;
  for (const std::int32_t part : {3, 150, 1000}) {
    for (const std::int32_t gap : {1, 2, 20}) {
      for (const std::int32_t gaps : {1, 2, 5}) {
        for (const std::int32_t last : {1, part - 1, part, 2 * part - 1, 2 * part}) {
          const std::int32_t blocks = gaps * (part + gap) + last;
          const MapPtr base = make_blocked(instance, block * blocks, 0, 5, block, 2);
          Ranks removed;
          Ranks rest;
          for (std::int32_t rank = 0; rank < block * blocks; ++rank) {
            const std::int32_t at = rank / block;
            const bool is_part = at % (part + gap) < part || at / (part + gap) >= gaps;
            is_part ? rest.push_back(rank / block * 5 + rank % block) : removed.push_back(rank);
          }
          const avrm_rankmap_info_t plain = info_of(make_lpids(instance, rest).get());
          carts += plain.mode == AVRM_MODE_CART ? 1 : 0;
          const MapPtr map = make_without(base, removed);
          ASSERT_LE(info_of(map.get()).table_bytes, plain.table_bytes)
              << gaps << " gaps of " << gap << " blocks between " << part << ", last " << last;
          ASSERT_TRUE(agrees(map.get(), without(table_of(base.get()), removed)));
        }
      }
    }
  }
  EXPECT_GT(carts, 20);
}

// Without ten ranks in the middle of a million rows it is a cart, without ten others a less map.
TEST_F(Less, IsComparedWithACartInConstantMemory) {
  const std::int32_t part = 1 << 20;
  const MapPtr base = make_blocked(instance, 2 * part + 10, 0, 9, 2, 2);
  const std::uint64_t live = memory.live_bytes();
  const MapPtr cart = make_without(base, regular_values(10, part, 1));
  EXPECT_EQ(info_of(cart.get()).mode, AVRM_MODE_CART);
  const MapPtr list = make_without(base, regular_values(10, 100, 1));
  EXPECT_EQ(info_of(list.get()).mode, AVRM_MODE_LESS);
  EXPECT_LT(memory.usage(AVRM_MEM_TOTAL).peak_bytes, live + 1000);
}

TEST_F(Less, IsMadeOfWhatAShortenedBaseIsWithout) {
  Ranks removed = regular_values(240, 0, 1); // more than half, of which 40 whole blocks
  removed.insert(removed.end(), {250, 271});
  const avrm_rankmap_info_t info = info_of(make_without(blocked, removed).get());
  EXPECT_EQ(info.mode, AVRM_MODE_LESS);
  EXPECT_EQ(info.removed, 2);
  EXPECT_EQ(info.table_bytes, 48U + 2 * 4U);
}

TEST_F(Less, WithoutNobodyIsTheSameAndWithoutAllIsEmpty) {
  EXPECT_EQ(shape_of(make_without(blocked, {}).get()), shape_of(blocked.get()));
  EXPECT_EQ(info_of(make_without(less, {}).get()).table_sharers, 2U);
  EXPECT_EQ(avrm_rankmap_size(make_without(less, regular_values(297, 0, 1)).get()), 0);
  const MapPtr one = make_without(less, regular_values(296, 1, 1));
  EXPECT_TRUE(agrees(one.get(), {{0, 7}}));
}

TEST_F(Less, TakesRanksInAnyOrder) {
  EXPECT_TRUE(agrees(make_without(blocked, {150, 5, 100}).get(), table_of(less.get())));
}

TEST_F(Less, ParentsOfOtherFormsAgreeToo) {
  const std::pair<const char *, MapPtr> parents[] = {
      {"affine", make_stride(instance, 300, 4, 3)},
      {"lut", make_lpids(instance, scattered_lpids(300))},
      {"segments", make_lpids(instance, with_a_break())},
      {"overlapping", make_blocked(instance, 300, 7, 2, 5)},
      {"groups", make_map([this](avrm_rankmap_t *map_p) {
         const MapPtr other = make_blocked(instance, 100, 0, 9, 4, 1);
         const avrm_rankmap_t *const both[] = {blocked.get(), other.get()};
         return avrm_rankmap_create_concat(2, both, AVRM_RANKMAP_DEFAULT, map_p);
       })}};
  for (const auto &[name, parent] : parents) {
    SCOPED_TRACE(name);
    const Table table = table_of(parent.get());
    for (const Ranks &removed : {Ranks{0}, Ranks{static_cast<std::int32_t>(table.size()) - 1}, Ranks{}}) {
      EXPECT_TRUE(agrees(make_without(parent, removed).get(), without(table, removed)));
    }
    if (table.size() > 200) {
      const Ranks removed = {3, 4, 5, 90, 199};
      const MapPtr rest = make_without(parent, removed);
      EXPECT_TRUE(agrees(rest.get(), without(table, removed)));
      EXPECT_NE(info_of(rest.get()).mode, AVRM_MODE_LESS);
    }
  }
}

TEST_F(Less, IsNotMadeWhereTheInstanceCompressesNothing) {
  for (const bool strict : {false, true}) {
    const Instance other(strict, AVRM_COST_SPEED);
    const MapPtr map = make_without(make_blocked(other, 300, 7, 20, 6), {5});
    EXPECT_EQ(info_of(map.get()).mode, AVRM_MODE_LUT);
    EXPECT_TRUE(agrees(map.get(), without(regular_table(0, 300, 7, 20, 6), {5})));
  }
}

TEST_F(Less, RefusesBadArguments) {
  EXPECT_EQ(status_of(nullptr, {1}), AVRM_ERR_NULL);
  EXPECT_EQ(status_of(blocked.get(), {1, 300}), AVRM_ERR_RANK);
  EXPECT_EQ(status_of(less.get(), {297}), AVRM_ERR_RANK);
  EXPECT_EQ(status_of(blocked.get(), {-1}), AVRM_ERR_RANK);
  EXPECT_EQ(status_of(blocked.get(), {3, 9, 3}), AVRM_ERR_DUPLICATE);
  const std::int32_t rank = 1;
  EXPECT_EQ(avrm_rankmap_create_without(blocked.get(), 1, &rank, 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(refusal(instance, [&](auto *p) { return avrm_rankmap_create_without(blocked.get(), 1, nullptr, 0, p); }),
            AVRM_ERR_NULL);
  EXPECT_EQ(refusal(instance, [&](auto *p) { return avrm_rankmap_create_without(blocked.get(), -1, &rank, 0, p); }),
            AVRM_ERR_SIZE);
  EXPECT_EQ(refusal(instance, [&](auto *p) { return avrm_rankmap_create_without(blocked.get(), 1, &rank, 8, p); }),
            AVRM_ERR_OPTION);
}

TEST_F(Less, NeedsEachAllocationAndLosesNone) {
  const MapPtr cart = make_lpids(instance, box());
  const MapPtr affine = make_stride(instance, 300, 4, 3);
  for (const avrm_rankmap_t *parent : {blocked.get(), less.get(), cart.get(), affine.get()}) {
    std::uint64_t count = 0;
    for (bool refused = true; refused; ++count) {
      ASSERT_LT(count, 20U);
      memory.refuse_after(count);
      const std::int32_t ranks[] = {90, 4, 6};
      avrm_rankmap_t map{};
      const std::uint64_t live = memory.live_bytes();
      const avrm_status_t status = avrm_rankmap_create_without(parent, 3, ranks, AVRM_RANKMAP_DEFAULT, &map);
      refused = memory.refused();
      EXPECT_EQ(status, refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
      EXPECT_TRUE(!refused || (is_no_map(map) && memory.live_bytes() == live));
      avrm_rankmap_destroy(&map);
      EXPECT_EQ(memory.live_bytes(), live);
    }
    memory.refuse_none();
    EXPECT_GT(count, 2U);
  }
}

// ---- bound ----

TEST_F(Less, TranslatesThroughTablesAndImplicitAvs) {
  const AvPtr table = make_av(instance, 1000);
  const AvPtr implicit = make_implicit_av(instance, 1000);
  fill(table.get());
  fill(implicit.get());
  for (const std::int32_t pgid : {table->pgid, implicit->pgid}) {
    SCOPED_TRACE(pgid);
    const MapPtr map = make_without(make_blocked(instance, 300, 7, 20, 6, pgid), {5, 100, 150});
    require(avrm_rankmap_bind(map.get()));
    EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
    const Table processes = table_of(map.get());
    Ranks ranks(processes.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    std::vector<std::uint64_t> words(ranks.size());
    require(avrm_rankmap_words(map.get(), ranks.size(), ranks.data(), words.data()));
    for (const std::int32_t rank : ranks) {
      const avrm_gpid_t process = processes[static_cast<std::size_t>(rank)];
      EXPECT_EQ(avrm_rankmap_word(map.get(), rank), word_of(process));
      EXPECT_EQ(words[static_cast<std::size_t>(rank)], word_of(process));
      EXPECT_EQ(avrm_rankmap_node(map.get(), rank), node_of(process));
      EXPECT_EQ(avrm_rankmap_lpid(map.get(), rank), process.lpid);
      const avrm_ave_t *const ave = avrm_rankmap_ave(map.get(), rank);
      EXPECT_EQ(ave, pgid == table->pgid ? table->elements + process.lpid : nullptr);
    }
    const MapPtr dup = make_map([&map](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(map.get(), map_p); });
    EXPECT_FALSE(info_of(dup.get()).bound);
    require(avrm_rankmap_unbind(map.get()));
    EXPECT_TRUE(avrm_rankmap_validate(map.get(), nullptr));
  }
}

TEST_F(Less, NeedsOnlyTheElementsOfThoseThatRemain) {
  const AvPtr small = make_av(instance, 987); // the greatest lpid of all is 7 + 49 * 20 + 5 = 992
  const MapPtr all = make_without(blocked, {5});
  EXPECT_EQ(avrm_rankmap_bind(all.get()), AVRM_ERR_LPID);
  // Backwards, so that the greatest lpids are those of the first block, of which one rank remains.
  const MapPtr backwards = make_blocked(instance, 300, 987, -20, 6);
  EXPECT_EQ(avrm_rankmap_bind(make_without(backwards, {1, 2, 3, 4, 5}).get()), AVRM_ERR_LPID);
  const MapPtr rest = make_without(make_blocked(instance, 300, 986, -20, 6), {1, 2, 3, 4, 5});
  ASSERT_EQ(info_of(rest.get()).mode, AVRM_MODE_LESS);
  EXPECT_EQ(avrm_rankmap_bind(rest.get()), AVRM_OK);
}

// ---- validation ----

class LessFault : public Less {
protected:
  // The first violation found after a change of the list.
  template <typename Break> std::string fault_after(Break change) {
    const MapPtr map = make_without(make_blocked(instance, 600, 7, 20, 6), regular_values(60, 1, 9));
    EXPECT_EQ(info_of(map.get()).mode, AVRM_MODE_LESS);
    avrm_rankmap_t *const broken = map.get();
    const detail::LessOperations *const operations = broken->as.less->operations;
    std::vector<char> bytes(static_cast<std::size_t>(info_of(broken).table_bytes));
    std::memcpy(bytes.data(), static_cast<const void *>(broken->as.less), bytes.size());
    const avrm_rankmap_t fields = *broken;
    change(*broken, *broken->as.less, reinterpret_cast<std::uint32_t *>(broken->as.less + 1));
    const char *reason = nullptr;
    (void)avrm_rankmap_validate(broken, &reason);
    *broken = fields;
    std::memcpy(static_cast<void *>(broken->as.less), bytes.data(), bytes.size());
    EXPECT_EQ(broken->as.less->operations, operations);
    EXPECT_TRUE(avrm_rankmap_validate(broken, nullptr));
    return reason == nullptr ? "" : reason;
  }
};

TEST_F(LessFault, IsNamed) {
  using Keys = std::uint32_t *;
  EXPECT_EQ(fault_after([](auto &, avrm_less &, Keys keys) { keys[3] = keys[2] - 1; }),
            "the removed ranks are not in order");
  EXPECT_EQ(fault_after([](auto &, avrm_less &, Keys keys) { keys[59] = 541; }), "the removed ranks are not in order");
  EXPECT_EQ(fault_after([](auto &, avrm_less &, Keys keys) { keys[60] = 1; }),
            "the index does not match the removed ranks");
  EXPECT_EQ(fault_after([](auto &, avrm_less &less, Keys) { less.sharers = 0; }), "the list has no sharer");
  EXPECT_EQ(fault_after([](auto &, avrm_less &less, Keys) { less.count = 0; }), "the numbers of ranks do not match");
  EXPECT_EQ(fault_after([](auto &, avrm_less &less, Keys) { less.count = INT32_MAX; }),
            "the numbers of ranks do not match");
  EXPECT_EQ(fault_after([](auto &, avrm_less &less, Keys) { ++less.shift; }), "the numbers of ranks do not match");
  EXPECT_EQ(fault_after([](auto &, avrm_less &less, Keys) { less.base_mode = AVRM_MODE_LUT; }),
            "the base is neither blocked nor a cart");
  EXPECT_EQ(fault_after([](avrm_rankmap_t &map, avrm_less &, Keys) { map.klass = AVRM_CLASS_CART; }),
            "the class does not match the mode");
  EXPECT_EQ(fault_after([](auto &, avrm_less &less, Keys) { less.base_as.blocked.reciprocal += 1; }),
            "the reciprocal does not match the block");
}

} // namespace
} // namespace avrankmap::test
