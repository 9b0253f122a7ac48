// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions from (communicator, rank) to an address in MPICH 5 on the adapter, locality
// included.
#include "bench/counters/single_step.h"
#include "tests/adapter/mpich5/probes.h"
#include "tests/adapter/mpich5/standin.h"
#include "tests/support/counted.h"

namespace avrankmap::test::mpich5 {

namespace {

using counters::Result;
using counters::StepCount;

class Mpich5Instructions : public testing::Test {
protected:
  Mpich5Instructions() {
    Process::open_contexts(1, 1);
    for (int lpid = 0; lpid < 24; ++lpid) {
      EXPECT_EQ(MPIDIU_av_set_address(lpid, static_cast<std::uint64_t>(lpid)), MPI_SUCCESS);
    }
    const avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, 24, 0, 0};
    EXPECT_EQ(avrm_addresses_declare(MPIDI_global.avt_mgr.av_table0, 4, &rule), AVRM_OK);
    MPIDI_OFI_global.num_nics = 2;
  }

  void SetUp() override {
#if defined(__clang__)
    GTEST_SKIP() << "the limits are those of gcc's code";
#endif
  }

  static constexpr std::uint64_t kSpare = 2;

  static void expect_root(const Comm &comm, int rank, std::uint64_t value, std::uint64_t pinned) {
    ASSERT_EQ(avrm_test_mpich5_root(comm.get(), rank), value);
    const Result<StepCount> count =
        counters::count_call(avrm_test_mpich5_root, [&] { avrm_test_mpich5_root(comm.get(), rank); });
    AVRM_ASSERT_COUNTED(count);
    EXPECT_LE(count->instructions, pinned + kSpare) << count->listing();
  }

  Process process_{AVRM_CODEC_OFI};
};

TEST_F(Mpich5Instructions, OfAnAffineMap) { expect_root(intracomm(group_of({23, 15, 7})), 0, 23, 22); }

TEST_F(Mpich5Instructions, OfATable) { expect_root(intracomm(group_of({3, 20, 7, 9})), 1, 20, 24); }

// MPI_Put on a window of the world and its duplicates.
TEST_F(Mpich5Instructions, OfADirectWindow) {
  ASSERT_EQ(avrm_test_mpich5_direct(20), 20U);
  const Result<StepCount> count = counters::count_call(avrm_test_mpich5_direct, [] { avrm_test_mpich5_direct(20); });
  AVRM_ASSERT_COUNTED(count);
  EXPECT_LE(count->instructions, 10 + kSpare) << count->listing();
}

TEST_F(Mpich5Instructions, OfALocalRank) { expect_root(intracomm(group_of({9, 10, 11})), 1, 2, 24); }

TEST_F(Mpich5Instructions, OfAnAddressByNicAndVci) {
  const Comm comm = intracomm(group_of({23, 15, 7}));
  ASSERT_EQ(avrm_test_mpich5_further(comm.get(), 1, 1, 1), 15U + 3 * 24);
  const Result<StepCount> count =
      counters::count_call(avrm_test_mpich5_further, [&] { avrm_test_mpich5_further(comm.get(), 1, 1, 1); });
  AVRM_ASSERT_COUNTED(count);
  EXPECT_LE(count->instructions, 63 + kSpare) << count->listing();
}

} // namespace

} // namespace avrankmap::test::mpich5
