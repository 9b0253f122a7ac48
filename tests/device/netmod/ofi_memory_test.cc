// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of the libfabric netmod that grow with the number of peers come from the allocator that
// the netmod is given.
#include <gtest/gtest.h>

#include <vector>

#include "ofi/peers.h"
#include "tests/device/netmod/ofi_fixture.h"
#include "tests/support/counting_allocator.h"

namespace avrankmap::test {
namespace {

using detail::Memory;
using detail::ofi::PeerRecord;
using detail::ofi::PeerTable;

constexpr std::uint64_t kPeers = 100; // more than a hash table holds without memory of its own

TEST(OfiPeers, RecordsAreFoundUntilTheyAreErased) {
  CountingAllocator allocator;
  Memory memory(allocator.hooks());
  PeerTable peers(memory);
  std::vector<PeerRecord *> records;
  for (std::uint64_t handle = 0; handle < kPeers; ++handle) {
    EXPECT_EQ(peers.find(handle), nullptr);
    records.push_back(peers.find_or_make(handle));
    ASSERT_NE(records.back(), nullptr);
    EXPECT_EQ(records.back()->handle, handle);
  }
  for (std::uint64_t handle = 0; handle < kPeers; ++handle) {
    EXPECT_EQ(peers.find(handle), records[handle]);
    EXPECT_EQ(peers.find_or_make(handle), records[handle]);
  }
  for (std::uint64_t handle = 0; handle < kPeers; handle += 2) {
    peers.erase(records[handle]);
    EXPECT_EQ(peers.find(handle), nullptr);
    EXPECT_EQ(peers.find(handle + 1), records[handle + 1]);
  }
  EXPECT_EQ(memory.usage(AVRM_MEM_TOTAL).live_bytes, allocator.live_bytes());
} // the allocator checks that everything is released

TEST(OfiPeers, ARefusedAllocationMakesNoRecord) {
  CountingAllocator allocator;
  Memory memory(allocator.hooks());
  PeerTable peers(memory);
  for (std::uint64_t handle = 0; handle < kPeers; ++handle) {
    for (std::uint64_t point = 0;; ++point) {
      const std::uint64_t before = allocator.live_bytes();
      allocator.refuse_after(point);
      const PeerRecord *const record = peers.find_or_make(handle);
      if (!allocator.refused()) {
        EXPECT_GE(point, 1U);
        break;
      }
      EXPECT_EQ(record, nullptr);
      EXPECT_EQ(peers.find(handle), nullptr);
      EXPECT_EQ(allocator.live_bytes(), before);
    }
    allocator.refuse_none();
    EXPECT_NE(peers.find(handle), nullptr);
  }
}

class OfiMemory : public OfiNetmod {};
INSTANTIATE_TEST_SUITE_P(Providers, OfiMemory, testing::ValuesIn(ofi_providers()), kByName);

TEST_P(OfiMemory, PutsTakeARecordPerPeer) {
  CountingAllocator allocator;
  const avrm_allocator_t hooks = allocator.hooks();
  run(
      [&allocator](Side &side) {
        Window window(side, 64);
        const Bytes content(8);
        const std::uint64_t before = allocator.live_bytes();
        TestRequest refused;
        allocator.refuse_after(0);
        EXPECT_EQ(side.ops->put(side.net, side.peer, window.remote, window.key, content.data(), 8, &refused),
                  AVRM_ERR_NO_MEMORY);
        allocator.refuse_none();
        EXPECT_EQ(allocator.live_bytes(), before);
        TestRequest put;
        ASSERT_EQ(window.put(0, content, content.size(), put), AVRM_OK);
        side.wait(put);
        EXPECT_EQ(allocator.live_bytes(), before + sizeof(PeerRecord));
        side.barrier();
      },
      {0, 0}, &hooks);
}

} // namespace
} // namespace avrankmap::test
