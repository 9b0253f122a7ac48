// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Instructions of ours in an isend and a put, in every build and with every proposal, on the null
// network, libfabric and UCX ("Why Is MPI So Slow?", table 1, figure 2, section 3), on a strided
// communicator: exact, by single-stepping (bench/device/fastpath/path_counts.h says where a count
// ends).
#include "bench/synthetic/fastpath_world.h"
#include "device/fastpath/path_counts.h"
#include "tests/support/counted.h"

namespace avrankmap::test {
namespace {

using bench::CountedNetwork;
using bench::CountedPath;
using bench::FastpathWorld;
using bench::LoopbackWorld;
using bench::PathCount;

// The budgets are those of gcc. clang 14 saves registers at the start of functions that only the
// other path needs them in.
#if defined(__clang__)
constexpr bool kPinned = false;
constexpr std::uint64_t kSaved = 12;
#else
constexpr bool kPinned = __GNUC__ == 12;
constexpr std::uint64_t kSaved = 0;
#endif

// The first three builds are functions of the archive, which is optimised as this file is.
bool is_optimised(std::string_view path) {
#if defined(__OPTIMIZE__)
  return !path.empty();
#else
  return path != "default" && path != "no-err" && path != "no-err-single";
#endif
}

// Instructions before the network's function, and in all.
struct Counts {
  std::uint64_t before;
  std::uint64_t all;
};
struct Pin {
  const char *path;
  Counts put; // zeros: there is none
  Counts isend;
};
struct Network {
  const char *name;
  std::vector<Pin> pins;
  // Of the inlined build, by gcc.
  Counts put_budget;
  Counts isend_budget;
};
std::ostream &operator<<(std::ostream &out, const Network &network) { return out << network.name; }

constexpr std::uint64_t kAny = 1000;

const Network kNetworks[] = {
    {"null",
     {
         {"default", {78, 84}, {70, 75}},
         {"no-err", {55, 60}, {52, 56}},
         {"no-err-single", {52, 57}, {50, 54}},
         {"datatype at run time", {36, 36}, {36, 36}},
         {"no-err-single-ipo", {25, 25}, {25, 25}},
         {"a record per target", {42, 42}, {0, 0}},
         {"global rank", {19, 19}, {23, 23}},
         {"virtual address", {23, 23}, {0, 0}},
         {"predefined handle", {24, 24}, {24, 24}},
         {"no PROC_NULL", {23, 23}, {22, 22}},
         {"no request", {0, 0}, {23, 23}},
         {"no match", {0, 0}, {23, 23}},
         {"all, variable count", {14, 14}, {15, 15}},
         {"all, constant count", {12, 12}, {11, 11}},
     },
     {31, kAny},
     {27, kAny}},
    {"libfabric",
     {
         {"default", {90, 102}, {83, 93}},
         {"no-err", {67, 78}, {65, 74}},
         {"no-err-single", {64, 75}, {63, 72}},
         {"datatype at run time", {54, 62}, {48, 54}},
         {"no-err-single-ipo", {46, 53}, {40, 46}},
         {"a record per target", {59, 64}, {0, 0}},
         {"global rank", {42, 49}, {37, 43}},
         {"virtual address", {40, 45}, {0, 0}},
         {"predefined handle", {44, 50}, {38, 43}},
         {"no PROC_NULL", {44, 51}, {38, 44}},
         {"no request", {0, 0}, {37, 42}},
         {"no match", {0, 0}, {39, 45}},
         {"all, variable count", {36, 42}, {28, 33}},
         {"all, constant count", {30, 35}, {25, 30}},
     },
     {47, 60}, // 2 of them find a peer that does not read
     {40, 55}},
    {"ucx",
     {
         {"default", {102, 114}, {86, 97}},
         {"no-err", {79, 90}, {68, 78}},
         {"no-err-single", {76, 87}, {66, 76}},
         {"datatype at run time", {51, 57}, {44, 48}},
         {"no-err-single-ipo", {42, 47}, {37, 41}},
         {"a record per target", {57, 62}, {0, 0}},
         {"global rank", {38, 44}, {32, 35}},
         {"virtual address", {40, 45}, {0, 0}},
         {"predefined handle", {42, 47}, {35, 38}},
         {"no PROC_NULL", {40, 45}, {35, 39}},
         {"no request", {0, 0}, {34, 37}},
         {"no match", {0, 0}, {34, 37}},
         {"all, variable count", {37, 44}, {27, 30}},
         {"all, constant count", {25, 31}, {24, 27}},
     },
     {45, 60},
     {40, 55}},
};

class FastpathCount : public testing::TestWithParam<Network> {
protected:
  // What can be counted here.
  void SetUp() override {
    for (const CountedNetwork &network : bench::counted_networks()) {
      if (network.name == std::string_view(GetParam().name)) {
        world_ = LoopbackWorld::open(network.netmod, network.provider);
        if (world_ != nullptr) {
          paths_ = count_paths(network, *world_);
        }
      }
    }
    if (paths_.empty()) {
      GTEST_SKIP() << "this machine or build lacks " << GetParam().name;
    }
    AVRM_ASSERT_COUNTED(*paths_.front().put);
  }
  const CountedPath &path(std::string_view name) const {
    return *std::find_if(paths_.begin(), paths_.end(), [&](const CountedPath &path) { return path.name == name; });
  }
  static void expect_within(const std::optional<PathCount> &count, Counts budget) {
    ASSERT_TRUE(count && count->ok()) << count->message();
    EXPECT_LE((*count)->before, budget.before + kSaved) << (*count)->listing();
    EXPECT_LE((*count)->instructions, budget.all + kSaved) << (*count)->listing();
  }
  static void expect_exactly(const char *name, const std::optional<PathCount> &count, Counts pinned) {
    SCOPED_TRACE(name);
    ASSERT_EQ(count.has_value(), pinned.all != 0);
    if (count) {
      ASSERT_TRUE(count->ok()) << count->message();
      EXPECT_EQ((*count)->before, pinned.before) << (*count)->listing();
      EXPECT_EQ((*count)->instructions, pinned.all) << (*count)->listing();
    }
  }

  std::vector<CountedPath> paths_;

private:
  std::unique_ptr<LoopbackWorld> world_;
};

TEST_P(FastpathCount, IsThatOfEveryBuildAndProposal) {
  if (!kPinned) {
    GTEST_SKIP() << "the counts are those of gcc 12";
  }
  ASSERT_EQ(paths_.size(), GetParam().pins.size());
  for (const Pin &pin : GetParam().pins) {
    if (is_optimised(pin.path)) {
      expect_exactly(pin.path, path(pin.path).put, pin.put);
      expect_exactly(pin.path, path(pin.path).isend, pin.isend);
    }
  }
}

TEST_P(FastpathCount, OfTheInlinedBuildIsWithinItsBudget) {
  expect_within(path(bench::kMandatoryPath).put, GetParam().put_budget);
  expect_within(path(bench::kMandatoryPath).isend, GetParam().isend_budget);
}

TEST_P(FastpathCount, OfARecordIsAtMostTwelveMoreThanTheBudgetOfPartsThatAreAlike) {
  const Counts budget = GetParam().put_budget;
  expect_within(path(bench::kRecordPath).put, {budget.before + 12, budget.all + 12});
}

TEST_P(FastpathCount, OfTheDefaultBuildIsWithinItsBudget) {
  if (!is_optimised("default")) {
    GTEST_SKIP() << "the archive is not optimised";
  }
  expect_within(path("default").put, {105, kAny});
  expect_within(path("default").isend, {95, kAny});
}

TEST_P(FastpathCount, OfAllProposalsOnTheNullNetworkIsWithinItsBudget) {
  if (GetParam().name != std::string_view("null")) {
    GTEST_SKIP() << "the budget is of the null network";
  }
  for (const auto &[name, budget] :
       {std::pair(bench::kAllOfVariableCount, 15), std::pair(bench::kAllOfConstantCount, 12)}) {
    const auto most = static_cast<std::uint64_t>(budget);
    expect_within(path(name).put, {most, kAny});
    expect_within(path(name).isend, {most, kAny});
  }
}

INSTANTIATE_TEST_SUITE_P(Of, FastpathCount, testing::ValuesIn(kNetworks),
                         [](const auto &info) { return std::string(info.param.name); });

// Puts to parts that differ.
class FastpathCountOfParts : public testing::Test {
protected:
  template <typename Function, typename Call> void expect(Function *entry, std::uint64_t pinned, Call call) {
    if (!is_optimised("default")) {
      GTEST_SKIP() << "the archive is not optimised";
    }
    const void *const network = reinterpret_cast<const void *>(world.comm->net->ops->put_inject);
    const PathCount counted = bench::count_path(entry, {network}, call);
    AVRM_ASSERT_COUNTED(counted);
    EXPECT_LE(counted->before, 200U) << counted->listing();
    if (kPinned) {
      EXPECT_EQ(counted->before, pinned) << counted->listing();
    }
  }

  FastpathWorld world;
  const unsigned char byte = 1;
  static constexpr std::int32_t kRank = 7;
};

TEST_F(FastpathCountOfParts, AllProposals) {
  avrm_fp_window_t own = world.window_of_own_keys();
  expect(avrm_i_fp_put_general, 197,
         [&] { (void)avrm_fp_put_all_opts(&byte, 1, AVRM_BYTE, FastpathWorld::lpid_of(kRank), 0x100018, &own); });
}
TEST_F(FastpathCountOfParts, ForOneThread) {
  avrm_fp_window_t own = world.window_of_own_keys();
  expect(avrm_fp_put_no_err_single, 73, [&] { (void)avrm_fp_put_no_err_single(&byte, 1, AVRM_BYTE, kRank, 3, &own); });
}

} // namespace
} // namespace avrankmap::test
