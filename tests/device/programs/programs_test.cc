// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The programs of programs.h over every transport, in forked jobs and under mpirun.
#include "tests/device/core/job.h"
#include "tests/device/programs/programs.h"
#include "tests/support/launch.h"

namespace avrankmap::test {
namespace {

constexpr int kLeast = 2;
constexpr int kMost = 8;

std::vector<int> all_sizes() {
  std::vector<int> sizes;
  for (int size = kLeast; size <= kMost; ++size) {
    sizes.push_back(size);
  }
  return sizes;
}

// Opening a provider of libfabric takes longer than the programs do. So in the short form each has
// one forked job, of 4 to 8 processes in turn, and is used by two or three under mpirun. The others
// have the smallest number, the largest one, and one that leaves nodes and pairs incomplete.
std::vector<int> sizes_of(const Transport &transport, int row) {
  if (is_long()) {
    return all_sizes();
  }
  return is_ofi(transport) ? std::vector<int>{4 + (2 * row + 4) % 5} : std::vector<int>{kLeast, 3, kMost};
}
std::vector<int> launched_sizes_of(const Transport & /*transport*/, int row) {
  return is_long() ? all_sizes() : std::vector<int>{2 + row % 2};
}

using Cell = std::tuple<Transport, int>;

std::vector<Cell> cells(const std::function<std::vector<int>(const Transport &transport, int row)> &sizes) {
  std::vector<Cell> cells;
  int row = 0;
  for (const Transport &transport : transports_of(Suites::kDevice)) {
    for (const int size : sizes(transport, row)) {
      cells.emplace_back(transport, size);
    }
    ++row;
  }
  return cells;
}

std::string name_of(const testing::TestParamInfo<Cell> &info) {
  return std::string(std::get<0>(info.param).name) + "_between_" + std::to_string(std::get<1>(info.param));
}

class Programs : public testing::TestWithParam<Cell> {};

// One job runs all, since opening a device takes longer than they do.
TEST_P(Programs, FindTheirDataIntact) {
  const auto &[transport, size] = GetParam();
  run_job(transport, size, [](Process &process) {
    for (const Client &client : kClients) {
      client.run(process);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Every, Programs, testing::ValuesIn(cells(sizes_of)), name_of);

class ProgramsUnderMpirun : public testing::TestWithParam<Cell> {};

TEST_P(ProgramsUnderMpirun, FindTheirDataIntact) {
  const auto &[transport, size] = GetParam();
  if (!has_mpirun()) {
    GTEST_SKIP() << kNoMpirun;
  }
  const std::vector<int> codes = launch(mpirun_words(size), {AVRM_CLIENT_JOB, transport.name});
  if (codes.front() == kSkipped) {
    GTEST_SKIP() << lacks(transport);
  }
  EXPECT_EQ(codes, std::vector<int>{0});
}

INSTANTIATE_TEST_SUITE_P(Every, ProgramsUnderMpirun, testing::ValuesIn(cells(launched_sizes_of)), name_of);

} // namespace
} // namespace avrankmap::test
