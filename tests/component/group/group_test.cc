// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Groups as objects: creation, copies, the empty group, conversion to rankmaps and back.
#include "tests/component/group/group_twin.h"

namespace avrankmap::test {
namespace {

const Ranks kIrregular = {3, 1, 4, 0, 5, 9, 2, 6};

class Group : public testing::Test {
protected:
  Instance instance;
};

TEST_F(Group, OfAMapIsTheMap) { EXPECT_TRUE(holds(group_of(instance, kIrregular), kIrregular)); }

TEST_F(Group, OfARegularMapKeepsItsMode) {
  EXPECT_EQ(shape_of(avrm_group_map(group_of(make_stride(instance, 10, 50, -5)).get())),
            (Shape{AVRM_MODE_STRIDE, 0, 50, -5, 1}));
}

TEST_F(Group, OutlivesTheMapThatItWasMadeOf) {
  MapPtr map = make_lpids(instance, kIrregular);
  const GroupPtr group = group_of(map);
  map.reset();
  EXPECT_TRUE(holds(group, kIrregular));
}

TEST_F(Group, SharesTheTableOfItsMap) {
  const MapPtr map = make_lpids(instance, kIrregular);
  const GroupPtr group = group_of(map);
  EXPECT_EQ(info_of(map.get()).table_sharers, 2U);
}

TEST_F(Group, OfAMapWithAProcessTwiceIsRefused) {
  const MapPtr map = make_lpids(instance, {1, 2, 1});
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_create(map.get(), group_p); }),
            AVRM_ERR_DUPLICATE);
}

TEST_F(Group, OfOverlappingBlocksIsRefused) {
  const MapPtr map = make_blocked(instance, 20, 0, 2, 5);
  EXPECT_EQ(group_refusal(instance, [&](auto **group_p) { return avrm_group_create(map.get(), group_p); }),
            AVRM_ERR_DUPLICATE);
}

TEST_F(Group, SameLpidInTwoProcessGroupsIsNoDuplicate) {
  const Table table = {{0, 5}, {1, 5}, {0, 6}};
  EXPECT_TRUE(holds(group_of(instance, table), table));
}

// For callers who keep groups in objects of their own.
TEST_F(Group, OfAMapOfTheCallersIsTheMapItselfBoundOrNot) {
  const AvPtr av = make_av(instance, 16);
  const Table other = in_group(0, {2, 9, 7, 5});
  const GroupPtr other_group = group_of(instance, other);
  for (const Ranks &list : {kIrregular, Ranks{1, 2, 5, 6, 9, 10}, Ranks{2, 4, 6}, Ranks{}}) {
    GroupPtr group = group_of(instance, list);
    avrm_rankmap_t map;
    avrm_group_unwrap(group.release(), &map);
    EXPECT_EQ(instance.usage(AVRM_MEM_GROUP).live_blocks, 1U) << "the other one";
    for (const bool bound : {false, true}) {
      ASSERT_EQ(bound ? avrm_rankmap_bind(&map) : AVRM_OK, AVRM_OK);
      const avrm_group_t *const view = avrm_group_view(&map);
      EXPECT_EQ(avrm_group_map(view), &map);
      EXPECT_EQ(avrm_group_size(view), count_of(list));
      const auto united = [&](auto **group_p) { return avrm_group_union(view, other_group.get(), group_p); };
      EXPECT_TRUE(holds(make_group(united), twin_union(in_group(0, list), other)));
      const auto copied = [&](auto **group_p) { return avrm_group_dup(view, group_p); };
      EXPECT_TRUE(holds(make_group(copied), list));
    }
    avrm_rankmap_destroy(&map);
  }
  EXPECT_EQ(avrm_group_view(nullptr), nullptr);
}

TEST_F(Group, EmptyGroupHasSizeZero) { EXPECT_EQ(avrm_group_size(empty_group(instance).get()), 0); }

TEST_F(Group, EmptyGroupHasAnEmptyMap) { EXPECT_EQ(avrm_group_map(empty_group(instance).get())->size, 0); }

TEST_F(Group, EmptyGroupHoldsNothingButItself) {
  const GroupPtr group = empty_group(instance);
  EXPECT_EQ(instance.usage(AVRM_MEM_GROUP).live_bytes, 56U);
  EXPECT_EQ(instance.usage(AVRM_MEM_RANKMAP).live_bytes, 0U);
}

TEST_F(Group, OfGpidsHoldsThemInTheirOrder) {
  const Table table = {{0, 5}, {1, 5}, {0, 6}};
  EXPECT_TRUE(holds(
      make_group([&](avrm_group_t **group_p) { return avrm_group_create_gpids(instance, 3, table.data(), group_p); }),
      table));
}

TEST_F(Group, OfNoGpidsIsEmpty) {
  EXPECT_TRUE(
      holds(make_group([&](avrm_group_t **group_p) { return avrm_group_create_gpids(instance, 0, nullptr, group_p); }),
            Table{}));
}

TEST_F(Group, OfGpidsIsRefusedWithAStatus) {
  const Table twice = {{0, 5}, {1, 5}, {0, 5}};
  avrm_group_t *out = nullptr;
  EXPECT_EQ(avrm_group_create_gpids(instance, 3, twice.data(), &out), AVRM_ERR_DUPLICATE);
  EXPECT_EQ(avrm_group_create_gpids(instance, 3, nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_create_gpids(nullptr, 3, twice.data(), &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_create_gpids(instance, 2, twice.data(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_create_gpids(instance, -1, twice.data(), &out), AVRM_ERR_SIZE);
  EXPECT_EQ(out, nullptr);
}

TEST_F(Group, GpidOfARankIsThatOfItsMap) {
  const GroupPtr group = group_of(instance, Table{{0, 5}, {1, 7}});
  avrm_gpid_t gpid{};
  EXPECT_EQ(avrm_group_gpid(group.get(), 1, &gpid), AVRM_OK);
  EXPECT_EQ(gpid, (avrm_gpid_t{1, 7}));
  EXPECT_EQ(avrm_group_gpid(group.get(), 2, &gpid), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_group_gpid(group.get(), -1, &gpid), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_group_gpid(nullptr, 0, &gpid), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_gpid(group.get(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_F(Group, DupIsTheSame) {
  const GroupPtr group = group_of(instance, kIrregular);
  const GroupPtr copy = make_group([&](avrm_group_t **group_p) { return avrm_group_dup(group.get(), group_p); });
  EXPECT_TRUE(holds(copy, kIrregular));
  EXPECT_EQ(info_of(avrm_group_map(copy.get())).table_sharers, 2U);
}

TEST_F(Group, DupOfTheEmptyGroupIsEmpty) {
  const GroupPtr group = empty_group(instance);
  EXPECT_TRUE(holds(make_group([&](avrm_group_t **group_p) { return avrm_group_dup(group.get(), group_p); }), Table{}));
}

TEST_F(Group, MapOfAGroupCanBeCopiedAndBound) {
  const AvPtr av = make_av(instance, 10);
  const GroupPtr group = group_of(instance, kIrregular);
  const MapPtr map =
      make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(avrm_group_map(group.get()), map_p); });
  EXPECT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
}

TEST_F(Group, KeepsTheInstanceBusy) {
  avrm_instance_t *other = nullptr;
  require(avrm_instance_create(nullptr, &other));
  GroupPtr group = empty_group(other);
  EXPECT_EQ(avrm_instance_destroy(other), AVRM_ERR_BUSY);
  group.reset();
  EXPECT_EQ(avrm_instance_destroy(other), AVRM_OK);
}

TEST_F(Group, SizeAndMapOfNullAreNothing) {
  EXPECT_EQ(avrm_group_size(nullptr), 0);
  EXPECT_EQ(avrm_group_map(nullptr), nullptr);
}

TEST_F(Group, DestroyingNullDoesNothing) { avrm_group_destroy(nullptr); }

TEST_F(Group, NullIsRefused) {
  const GroupPtr group = empty_group(instance);
  const MapPtr map = make_direct(instance, 3);
  avrm_group_t *out = nullptr;
  EXPECT_EQ(avrm_group_create_empty(nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_create_empty(instance, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_create(nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_create(map.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_dup(nullptr, &out), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_group_dup(group.get(), nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(out, nullptr);
}

TEST_F(Group, GreatestGroupCostsNoMoreThanAnother) {
  const GroupPtr group = group_of(make_direct(instance, kMaxSize));
  EXPECT_EQ(avrm_group_size(group.get()), kMaxSize);
  EXPECT_EQ(instance.usage(AVRM_MEM_TOTAL).peak_bytes - instance.usage(AVRM_MEM_INSTANCE).live_bytes, 56U);
}

} // namespace
} // namespace avrankmap::test
