// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our instructions from the call of an isend and a put to the network's function, by build and
// proposal ("Why Is MPI So Slow?", table 1, figure 2, section 3), on a strided communicator, by
// single-stepping (bench/device/fastpath/path_counts.h). They explain times, which are what counts:
// a number here may grow by two, and by more if the times tell that it is worth it.
#include "bench/synthetic/loopback_world.h"
#include "device/fastpath/path_counts.h"
#include "tests/support/counted.h"

namespace avrankmap::test {
namespace {

using bench::CountedNetwork;
using bench::CountedPath;
using bench::LoopbackWorld;
using bench::PathCount;

constexpr std::uint64_t kSpare = 2;

// By gcc 12. 0: there is no such operation.
struct Counts {
  const char *path;
  std::uint64_t put;
  std::uint64_t isend;
};
struct Network {
  const char *name;
  std::vector<Counts> counts;
};
std::ostream &operator<<(std::ostream &out, const Network &network) { return out << network.name; }

const Network kNetworks[] = {
    {"null",
     {{"default", 59, 52},
      {"no-err", 40, 42},
      {"no-err-single", 39, 40},
      {"datatype at run time", 45, 43},
      {"no-err-single-ipo", 39, 37},
      {"a record per target", 54, 0},
      {"global rank", 25, 25},
      {"virtual address", 36, 0},
      {"predefined handle", 36, 37},
      {"no PROC_NULL", 37, 35},
      {"no request", 0, 33},
      {"no match", 0, 36},
      {"all, variable count", 20, 17},
      {"all, constant count", 18, 13}}},
    {"libfabric", {{"default", 87, 73}, {"no-err-single-ipo", 49, 43}}},
    {"ucx", {{"default", 83, 71}, {"no-err-single-ipo", 52, 42}}},
};

class FastpathCount : public testing::TestWithParam<Network> {};

void expect_at_most(std::uint64_t pinned, const std::optional<PathCount> &count) {
  ASSERT_EQ(count.has_value(), pinned != 0);
  if (count) {
    ASSERT_TRUE(count->ok()) << count->message();
    EXPECT_LE((*count)->before, pinned + kSpare) << (*count)->listing();
  }
}

TEST_P(FastpathCount, IsAboutTheOneMeasured) {
#if !defined(__OPTIMIZE__) || defined(__clang__) || __GNUC__ != 12
  GTEST_SKIP() << "the counts are those of gcc 12, optimising";
#endif
  const auto &networks = bench::counted_networks();
  const auto network = std::find_if(networks.begin(), networks.end(),
                                    [](const auto &one) { return one.name == std::string_view(GetParam().name); });
  const auto world = network == networks.end() ? nullptr : LoopbackWorld::open(network->netmod, network->provider);
  if (world == nullptr) {
    GTEST_SKIP() << "this machine or build lacks the network";
  }
  const std::vector<CountedPath> paths = count_paths(*network, *world);
  AVRM_ASSERT_COUNTED(*paths.front().put);
  for (const Counts &pinned : GetParam().counts) {
    SCOPED_TRACE(pinned.path);
    const auto path = std::find_if(paths.begin(), paths.end(),
                                   [&](const auto &one) { return one.name == std::string_view(pinned.path); });
    ASSERT_NE(path, paths.end());
    expect_at_most(pinned.put, path->put);
    expect_at_most(pinned.isend, path->isend);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, FastpathCount, testing::ValuesIn(kNetworks),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
