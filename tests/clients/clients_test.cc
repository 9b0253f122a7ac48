// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The programs of clients.h over every transport, in forked jobs and under mpirun. The short form
// has the smallest and the largest number of processes, and one that leaves nodes and pairs
// incomplete.
#include "tests/clients/clients.h"
#include "tests/device/job.h"
#include "tests/support/launch.h"

namespace avrankmap::test {
namespace {

std::vector<int> sizes() { return is_long() ? std::vector<int>{2, 3, 4, 5, 6, 7, 8} : std::vector<int>{2, 3, 8}; }

class Clients : public testing::TestWithParam<std::tuple<Transport, int>> {};

// One job runs all, since opening a device takes longer than they do.
TEST_P(Clients, FindTheirDataIntact) {
  const auto &[transport, size] = GetParam();
  run_job(transport, size, [](Process &process) {
    for (const Client &client : kClients) {
      client.run(process);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Every, Clients, testing::Combine(testing::ValuesIn(transports_of(Suites::kDevice)), testing::ValuesIn(sizes())),
    [](const auto &info) {
      return std::string(std::get<0>(info.param).name) + "_between_" + std::to_string(std::get<1>(info.param));
    });

class ClientsUnderMpirun : public testing::TestWithParam<Transport> {};

TEST_P(ClientsUnderMpirun, FindTheirDataIntact) {
  if (!has_mpirun()) {
    GTEST_SKIP() << kNoMpirun;
  }
  if (is_left_out(GetParam())) {
    GTEST_SKIP() << left_out(GetParam());
  }
  for (const int size : is_long() ? sizes() : std::vector<int>{3}) {
    const std::vector<int> codes = launch(mpirun_words(size), {AVRM_CLIENT_JOB, GetParam().name});
    if (codes.front() == kSkipped) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(codes, std::vector<int>{0}) << size << " processes";
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ClientsUnderMpirun, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

} // namespace
} // namespace avrankmap::test
