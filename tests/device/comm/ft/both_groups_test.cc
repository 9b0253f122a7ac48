// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The map of both groups of an intercommunicator.
#include "comm_calls/both_groups.h"

#include <gtest/gtest.h>

#include "core/communicator.h"
#include "tests/support/instance.h"

namespace avrankmap::test {
namespace {

// An intercommunicator without a device: process 0 of this world with `count` processes of world 1,
// and process 1 with `count` processes of world 2.
class BothGroups : public testing::Test {
protected:
  void create(std::int32_t count) {
    own_ = group_with(0, 1, count);
    remote_ = group_with(1, 2, count);
    comm_.own = own_.get();
    comm_.map = remote_.get();
  }
  avrm_status_t map(detail::MapOwner *map_p) { return detail::BothGroups(&comm_).map(map_p); }

private:
  detail::MapOwner group_with(std::int32_t lpid, std::int32_t pgid, std::int32_t count) {
    const avrm_run_t runs[] = {{1, 0, lpid, 1}, {count, pgid, 0, 1}};
    avrm_rankmap_t map{};
    EXPECT_EQ(avrm_rankmap_create_runs(instance_.get(), 2, runs, AVRM_RANKMAP_UNIQUE, &map), AVRM_OK);
    return detail::MapOwner(map);
  }

  Instance instance_{false, AVRM_COST_BYTES}; // no tables of this size
  detail::MapOwner own_;
  detail::MapOwner remote_;
  avrm_comm comm_;
};

TEST_F(BothGroups, TheGroupOfTheLeastProcessComesFirst) {
  create(2);
  detail::MapOwner both;
  ASSERT_EQ(map(&both), AVRM_OK);
  ASSERT_EQ(both->size, 6);
  EXPECT_EQ(avrm_rankmap_gpid(both.get(), 1).pgid, 1);
  EXPECT_EQ(avrm_rankmap_gpid(both.get(), 3).lpid, 1);
}

TEST_F(BothGroups, TooManyMembersAreNoLackOfMemory) {
  create(1 << 30);
  detail::MapOwner both;
  EXPECT_EQ(map(&both), AVRM_ERR_LIMIT);
}

} // namespace
} // namespace avrankmap::test
