// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions from the call to the network, of every build and proposal ("Why Is MPI So Slow?",
// table 1, figure 2, section 3), on a strided communicator: exact, by single-stepping. The network
// is a function that the path jumps to; what executes up to its first instruction is counted.
#include "fastpath/probes.h"

#include "bench/synthetic/fastpath_world.h"
#include "counters/single_step.h"
#include "tests/support/counted.h"

namespace avrankmap::test {
namespace {

using bench::FastpathWorld;
using counters::Result;
using counters::StepCount;

// The budgets are those of gcc. clang 14 saves a register at the start of functions that only the
// other path needs it in.
#if defined(__clang__)
constexpr bool kPinned = false;
constexpr std::uint64_t kSaved = 12;
#else
constexpr bool kPinned = __GNUC__ == 12;
constexpr std::uint64_t kSaved = 0;
#endif

class FastpathCount : public testing::Test {
protected:
  template <typename Function, typename Call>
  void expect_isend(Function *entry, std::uint64_t budget, std::uint64_t pinned, Call call) {
    expect(entry, reinterpret_cast<const void *>(&avrm_probe_tinject), budget, pinned, call);
  }
  template <typename Function, typename Call>
  void expect_put(Function *entry, std::uint64_t budget, std::uint64_t pinned, Call call) {
    expect(entry, reinterpret_cast<const void *>(&avrm_probe_put_inject), budget, pinned, call);
  }
  // A function of the archive, which is counted if it was optimised, as this file was.
  template <typename Function, typename Call>
  void expect_build(Function *entry, const void *network, std::uint64_t budget, std::uint64_t pinned, Call call) {
#if defined(__OPTIMIZE__)
    expect(entry, network, budget, pinned, call);
#else
    static_cast<void>(entry), static_cast<void>(network), static_cast<void>(budget), static_cast<void>(pinned);
    static_cast<void>(call);
    GTEST_SKIP() << "the archive is not optimised";
#endif
  }
  template <typename Function, typename Call>
  void expect(Function *entry, const void *network, std::uint64_t budget, std::uint64_t pinned, Call call) {
    counters::StepOptions options;
    options.stop_at = network;
    const Result<StepCount> counted = counters::count_call(entry, call, options);
    AVRM_ASSERT_COUNTED(counted);
    RecordProperty("instructions", std::to_string(counted->instructions));
    EXPECT_LE(counted->instructions, budget + kSaved) << counted->listing();
    if (kPinned) {
      EXPECT_EQ(counted->instructions, pinned) << counted->listing();
    }
  }

  FastpathWorld world;
  const unsigned char byte = 1;
  avrm_request_t *request = nullptr;
  static constexpr std::int32_t kRank = 7;
  static constexpr std::int32_t kLpid = FastpathWorld::lpid_of(kRank);
};

// The functions of the archive call the netmod's table by way of avrm_i_fp_tinject; they are
// counted up to there.
TEST_F(FastpathCount, IsendDefault) {
  expect_build(avrm_fp_isend_default, reinterpret_cast<const void *>(&avrm_i_fp_tinject), 120, 65,
               [&] { avrm_fp_isend_default(&byte, 1, AVRM_BYTE, kRank, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendWithoutErrorChecks) {
  expect_build(avrm_fp_isend_no_err, reinterpret_cast<const void *>(&avrm_i_fp_tinject), 60, 48,
               [&] { avrm_fp_isend_no_err(&byte, 1, AVRM_BYTE, kRank, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendWithoutErrorChecksForOneThread) {
  expect_build(avrm_fp_isend_no_err_single, reinterpret_cast<const void *>(&avrm_i_fp_tinject), 50, 46,
               [&] { avrm_fp_isend_no_err_single(&byte, 1, AVRM_BYTE, kRank, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendMandatory) {
  expect_isend(avrm_probe_isend, 40, 25, [&] { avrm_probe_isend(&byte, 1, kRank, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendOfADatatypeAtRunTime) {
  expect_isend(avrm_probe_isend_typed, 50, 39,
               [&] { avrm_probe_isend_typed(&byte, 1, AVRM_BYTE, kRank, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendGlobal) {
  expect_isend(avrm_probe_isend_global, 40, 20,
               [&] { avrm_probe_isend_global(&byte, 1, kLpid, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendPredefined) {
  expect_isend(avrm_probe_isend_predefined, 40, 23, [&] { avrm_probe_isend_predefined(&byte, 1, kRank, 5, &request); });
}
TEST_F(FastpathCount, IsendNoProcNull) {
  expect_isend(avrm_probe_isend_npn, 40, 24, [&] { avrm_probe_isend_npn(&byte, 1, kRank, 5, world.comm, &request); });
}
TEST_F(FastpathCount, IsendNoRequest) {
  expect_isend(avrm_probe_isend_noreq, 40, 21, [&] { avrm_probe_isend_noreq(&byte, 1, kRank, 5, world.comm); });
}
TEST_F(FastpathCount, IsendNoMatch) {
  expect_isend(avrm_probe_isend_nomatch, 40, 22,
               [&] { avrm_probe_isend_nomatch(&byte, 1, kRank, world.comm, &request); });
}
TEST_F(FastpathCount, IsendAllProposals) {
  expect_isend(avrm_probe_isend_all_opts_one, 10, 9, [&] { avrm_probe_isend_all_opts_one(&byte, kLpid); });
}
TEST_F(FastpathCount, IsendAllProposalsOfAVariableCount) {
  expect_isend(avrm_probe_isend_all_opts, 16, 13, [&] { avrm_probe_isend_all_opts(&byte, 1, kLpid); });
}

TEST_F(FastpathCount, PutDefault) {
  expect_build(avrm_fp_put_default, reinterpret_cast<const void *>(&avrm_i_fp_put_inject), 120, 66,
               [&] { avrm_fp_put_default(&byte, 1, AVRM_BYTE, kRank, 3, world.window); });
}
TEST_F(FastpathCount, PutWithoutErrorChecks) {
  expect_build(avrm_fp_put_no_err, reinterpret_cast<const void *>(&avrm_i_fp_put_inject), 60, 44,
               [&] { avrm_fp_put_no_err(&byte, 1, AVRM_BYTE, kRank, 3, world.window); });
}
TEST_F(FastpathCount, PutWithoutErrorChecksForOneThread) {
  expect_build(avrm_fp_put_no_err_single, reinterpret_cast<const void *>(&avrm_i_fp_put_inject), 50, 42,
               [&] { avrm_fp_put_no_err_single(&byte, 1, AVRM_BYTE, kRank, 3, world.window); });
}
TEST_F(FastpathCount, PutMandatory) {
  expect_put(avrm_probe_put, 30, 24, [&] { avrm_probe_put(&byte, 1, kRank, 3, world.window); });
}
TEST_F(FastpathCount, PutOfADatatypeAtRunTime) {
  expect_put(avrm_probe_put_typed, 50, 37, [&] { avrm_probe_put_typed(&byte, 1, AVRM_BYTE, kRank, 3, world.window); });
}
TEST_F(FastpathCount, PutGlobal) {
  expect_put(avrm_probe_put_global, 30, 19, [&] { avrm_probe_put_global(&byte, 1, kLpid, 3, world.window); });
}
TEST_F(FastpathCount, PutVirtualAddress) {
  expect_put(avrm_probe_put_virtual_addr, 30, 22,
             [&] { avrm_probe_put_virtual_addr(&byte, 1, kRank, 0x100018, world.window); });
}
TEST_F(FastpathCount, PutPredefined) {
  expect_put(avrm_probe_put_predefined, 30, 23, [&] { avrm_probe_put_predefined(&byte, 1, kRank, 3); });
}
TEST_F(FastpathCount, PutNoProcNull) {
  expect_put(avrm_probe_put_npn, 30, 23, [&] { avrm_probe_put_npn(&byte, 1, kRank, 3, world.window); });
}
TEST_F(FastpathCount, PutAllProposals) {
  expect_put(avrm_probe_put_all_opts_one, 12, 12, [&] { avrm_probe_put_all_opts_one(&byte, kLpid, 0x100018); });
}
TEST_F(FastpathCount, PutAllProposalsToAPartWithAKeyOfItsOwn) {
  avrm_fp_window_t own = world.window_of_own_keys();
  expect_build(avrm_i_fp_put_general, reinterpret_cast<const void *>(&avrm_i_fp_put_inject), 200, 181,
               [&] { (void)avrm_fp_put_all_opts(&byte, 1, AVRM_BYTE, kLpid, 0x100018, &own); });
}
TEST_F(FastpathCount, PutToAPartWithAKeyOfItsOwn) {
  avrm_fp_window_t own = world.window_of_own_keys();
  expect_build(avrm_fp_put_no_err_single, reinterpret_cast<const void *>(&avrm_i_fp_put_inject), 140, 128,
               [&] { (void)avrm_fp_put_no_err_single(&byte, 1, AVRM_BYTE, kRank, 3, &own); });
}
TEST_F(FastpathCount, PutAllProposalsOfAVariableCount) {
  expect_put(avrm_probe_put_all_opts, 16, 14, [&] { avrm_probe_put_all_opts(&byte, 1, kLpid, 0x100018); });
}

} // namespace
} // namespace avrankmap::test
