// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Network addresses of processes on the far side, by local rank.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/component/av/layouts.h"
#include "tests/support/codec.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

std::uint64_t far_address(const AvPtr &av, std::uint32_t local_rank) {
  std::uint64_t address = 0;
  require(avrm_av_far_address(av.get(), local_rank, &address));
  return address;
}

avrm_status_t missing(const AvPtr &av, std::uint32_t local_rank) {
  std::uint64_t address = 4711;
  const avrm_status_t status = avrm_av_far_address(av.get(), local_rank, &address);
  EXPECT_EQ(address, 4711U);
  return status;
}

std::uint64_t some_address(std::uint32_t local_rank) { return 1000 + 6 * std::uint64_t{local_rank}; }

class FarAddress : public testing::TestWithParam<avrm_codec_t> {
protected:
  AvPtr make(std::int32_t size) { return make_av(instance, size, GetParam()); }

  CountingAllocator memory;
  Instance instance{&memory};
};

INSTANTIATE_TEST_SUITE_P(All, FarAddress, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

TEST_P(FarAddress, NullIsRefused) {
  const AvPtr av = make(10);
  std::uint64_t address = 0;
  EXPECT_EQ(avrm_av_set_far_address(nullptr, 0, 10), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_far_address(nullptr, 0, &address), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_far_address(av.get(), 0, nullptr), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_network_address(nullptr, 0, &address), AVRM_ERR_NULL);
  EXPECT_EQ(avrm_av_network_address(av.get(), 0, nullptr), AVRM_ERR_NULL);
}

TEST_P(FarAddress, LocalRankIsBelowTheSize) {
  const AvPtr av = make(10);
  EXPECT_EQ(avrm_av_set_far_address(av.get(), 10, 10), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_av_set_far_address(av.get(), 0xffffffff, 10), AVRM_ERR_RANK);
  EXPECT_EQ(missing(av, 10), AVRM_ERR_RANK);
  EXPECT_EQ(missing(av, 0xffffffff), AVRM_ERR_RANK);
  EXPECT_EQ(avrm_av_set_far_address(av.get(), 9, 10), AVRM_OK);
}

TEST_P(FarAddress, AddressThatTheCodecRefusesIsRefused) {
  const AvPtr av = make(10);
  const bool ofi = GetParam() == AVRM_CODEC_OFI;
  EXPECT_EQ(avrm_av_set_far_address(av.get(), 3, ofi ? ~std::uint64_t{0} : 0), AVRM_ERR_ADDRESS_SENTINEL);
  EXPECT_EQ(avrm_av_set_far_address(av.get(), 3, ofi ? std::uint64_t{1} << 63 : 7), AVRM_ERR_ADDRESS_BIT);
  EXPECT_EQ(missing(av, 3), AVRM_ERR_NOT_NETWORK);
  EXPECT_EQ(avrm_av_bytes(av.get()), 64U + 120);
}

TEST_P(FarAddress, ThatWasNotSetIsMissing) {
  const AvPtr av = make(1000);
  EXPECT_EQ(missing(av, 0), AVRM_ERR_NOT_NETWORK);
  require(avrm_av_set_far_address(av.get(), 100, 42));
  EXPECT_EQ(missing(av, 0), AVRM_ERR_NOT_NETWORK);
  EXPECT_EQ(missing(av, 99), AVRM_ERR_NOT_NETWORK);
  EXPECT_EQ(missing(av, 999), AVRM_ERR_NOT_NETWORK);
}

TEST_P(FarAddress, IsFoundAfterItWasSet) {
  const AvPtr av = make(300);
  for (std::uint32_t i = 0; i < 300; ++i) {
    require(avrm_av_set_far_address(av.get(), i, some_address(i)));
  }
  for (std::uint32_t i = 0; i < 300; ++i) {
    ASSERT_EQ(far_address(av, i), some_address(i));
  }
}

TEST_P(FarAddress, MayBeReplaced) {
  const AvPtr av = make(30);
  require(avrm_av_set_far_address(av.get(), 5, 100));
  require(avrm_av_set_far_address(av.get(), 5, 200));
  EXPECT_EQ(far_address(av, 5), 200U);
}

TEST_P(FarAddress, IsFoundFromTheFarWord) {
  const AvPtr av = make(30);
  avrm_ave_t ave{};
  require(avrm_ave_pack_far(GetParam(), {AVRM_FAR_LOCAL, 7}, 3, &ave));
  require(avrm_av_set(av.get(), 20, &ave));
  require(avrm_av_set_far_address(av.get(), 7, 4242));
  std::uint64_t address = 0;
  ASSERT_EQ(avrm_av_network_address(av.get(), avrm_ave_word(avrm_av_ave(av.get(), 20)), &address), AVRM_OK);
  EXPECT_EQ(address, 4242U);
}

TEST_P(FarAddress, OfTheProcessItselfIsFoundFromItsWord) {
  const AvPtr av = make(30);
  avrm_ave_t ave{};
  require(avrm_ave_pack_far(GetParam(), {AVRM_FAR_SELF, 9}, 3, &ave));
  require(avrm_av_set_far_address(av.get(), 9, 4242));
  std::uint64_t address = 0;
  ASSERT_EQ(avrm_av_network_address(av.get(), avrm_ave_word(&ave), &address), AVRM_OK);
  EXPECT_EQ(address, 4242U);
}

TEST_P(FarAddress, OfANetworkWordIsItsOwn) {
  const AvPtr av = make(30);
  avrm_ave_t ave{};
  require(avrm_ave_pack(GetParam(), 4242, 3, &ave));
  std::uint64_t address = 0;
  ASSERT_EQ(avrm_av_network_address(av.get(), avrm_ave_word(&ave), &address), AVRM_OK);
  EXPECT_EQ(address, 4242U);
}

TEST_P(FarAddress, OfAnUnconnectedWordIsMissing) {
  const AvPtr av = make(30);
  require(avrm_av_set_far_address(av.get(), 0, 4242));
  std::uint64_t address = 0;
  EXPECT_EQ(avrm_av_network_address(av.get(), 0, &address), AVRM_ERR_NOT_NETWORK);
}

TEST_P(FarAddress, BytesAreAccountedToTheByte) {
  const AvPtr av = make(1000);
  const std::uint64_t before = memory.live_bytes();
  EXPECT_EQ(avrm_av_bytes(av.get()), before - instance.usage(AVRM_MEM_INSTANCE).live_bytes);
  require(avrm_av_set_far_address(av.get(), 0, 42));
  const std::uint64_t first = memory.live_bytes();
  EXPECT_LE(first - before, 8U * 8 + 300);
  for (std::uint32_t i = 1; i < 128; ++i) {
    require(avrm_av_set_far_address(av.get(), i, 42));
  }
  EXPECT_EQ(memory.live_bytes() - first, 8U * 120);
  EXPECT_EQ(avrm_av_bytes(av.get()), memory.live_bytes() - instance.usage(AVRM_MEM_INSTANCE).live_bytes);
}

TEST_P(FarAddress, WithoutMemoryNothingIsChanged) {
  const AvPtr av = make(1000);
  const auto set = [&](std::uint32_t local_rank) { return avrm_av_set_far_address(av.get(), local_rank, 42); };
  for (std::uint64_t point = 0; point < 2; ++point) {
    memory.refuse_after(point);
    EXPECT_EQ(set(500), AVRM_ERR_NO_MEMORY);
    EXPECT_EQ(missing(av, 500), AVRM_ERR_NOT_NETWORK);
    EXPECT_EQ(avrm_av_bytes(av.get()), memory.usage(AVRM_MEM_AV).live_bytes);
    memory.refuse_none();
  }
  EXPECT_EQ(set(500), AVRM_OK);
  memory.refuse_after(0);
  EXPECT_EQ(set(501), AVRM_OK); // in the same piece
  EXPECT_EQ(set(3), AVRM_ERR_NO_MEMORY);
  memory.refuse_none();
  EXPECT_EQ(far_address(av, 500), 42U);
}

TEST_P(FarAddress, ImplicitAddressVectorHasThemToo) {
  const AvPtr av = make_implicit_av(instance, 100, GetParam());
  require(avrm_av_set_far_address(av.get(), 4, 42));
  require(avrm_av_make_table(av.get()));
  EXPECT_EQ(far_address(av, 4), 42U);
  EXPECT_EQ(avrm_av_bytes(av.get()), memory.usage(AVRM_MEM_AV).live_bytes);
}

TEST_P(FarAddress, AgreeWithAPlainMap) {
  std::mt19937_64 engine = seeded_engine();
  const AvPtr av = make(5000);
  std::map<std::uint32_t, std::uint64_t> twin;
  for (int step = 0; step < 3000; ++step) {
    const auto local_rank = static_cast<std::uint32_t>(below(engine, below(engine, 4) == 0 ? 5000 : 100));
    if (below(engine, 2) == 0) {
      const std::uint64_t address = 2 + 2 * below(engine, std::uint64_t{1} << 61);
      require(avrm_av_set_far_address(av.get(), local_rank, address));
      twin[local_rank] = address;
    } else if (twin.count(local_rank) != 0) {
      ASSERT_EQ(far_address(av, local_rank), twin[local_rank]);
    } else {
      ASSERT_EQ(missing(av, local_rank), AVRM_ERR_NOT_NETWORK);
    }
  }
}

TEST_P(FarAddress, AreReadWhileTheTableGrows) {
  constexpr std::uint32_t kRanks = 3000;
  const AvPtr av = make(kRanks);
  std::atomic<std::uint32_t> count{0};
  std::atomic<int> wrong{0};
  std::thread reader([&] {
    for (std::uint32_t seen = 0; seen < kRanks;) {
      seen = count.load(std::memory_order_relaxed);
      for (std::uint32_t i = 0; i < seen; i += 1 + i / 4) {
        std::uint64_t address = 0;
        const avrm_status_t status = avrm_av_far_address(av.get(), i, &address);
        // Nothing but the count orders this after the writer, so it may not have arrived.
        const bool right = status == AVRM_OK ? address == some_address(i) : status == AVRM_ERR_NOT_NETWORK;
        wrong += right ? 0 : 1;
      }
    }
  });
  for (std::uint32_t i = 0; i < kRanks; ++i) {
    require(avrm_av_set_far_address(av.get(), i, some_address(i)));
    count.store(i + 1, std::memory_order_relaxed);
  }
  reader.join();
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace

} // namespace avrankmap::test
