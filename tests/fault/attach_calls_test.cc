// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First contact through shared memory when the system refuses one step of it: opening the peer's
// memory, looking at its size, mapping it. The operation returns a status and works when it is
// repeated, whichever side could not attach the other's memory, or both.
#include "tests/device/job.h"
#include "tests/fault/failing_memory.h"
#include "tests/fault/faults.h"

namespace avrankmap::test {
namespace {

// Rank 0 meets the others one after the other, each with another call that fails.
constexpr int kSize = 10;

enum Afflicted : unsigned { kFirst = 1, kOthers = 2 };

using Parameter = std::tuple<Transport, unsigned>;
class AttachCalls : public testing::TestWithParam<Parameter> {};

// Ten processes open a device over TCP in a second by UCX, and in five by libfabric.
bool is_quick(const Transport &transport) { return has_shared_memory(transport) && !is_ofi(transport); }

std::string name_of(const testing::TestParamInfo<Parameter> &info) {
  const char *const names[] = {"", "InOne", "InTheOther", "InBoth"};
  return std::string(std::get<0>(info.param).name) + "_" + names[std::get<1>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Over, AttachCalls,
                         testing::Combine(testing::ValuesIn(transports_of(Suites::kAll, is_quick)),
                                          testing::Values(kFirst, kOthers, kFirst | kOthers)),
                         name_of);

struct Tally {
  std::atomic<int> failed;
};

TEST_P(AttachCalls, ThatFailAreStatusesAndCanBeRepeated) {
  const auto &[transport, afflicted] = GetParam();
  for (const Fault fault : {Fault::kHard, Fault::kNoMemory}) {
    const Shared<Tally> tally;
    Transport one_node = transport;
    one_node.per_node = 0;
    run_job(one_node, kSize, [&, afflicted = afflicted](Process &process) {
      const bool suffers = (afflicted & (process.rank == 0 ? kFirst : kOthers)) != 0;
      // Starts an operation whose `point`th call to the system fails.
      const auto start = [&](int point, auto operation) {
        if (suffers) {
          arm(kSystem, fault, point);
        }
        avrm_request_t *request = nullptr;
        avrm_status_t status = operation(&request);
        disarm();
        if (status != AVRM_OK) {
          AVRM_MUST(is_clear(status) && request == nullptr && suffers && faults().failed != 0);
          ++tally->failed;
          status = operation(&request);
        }
        AVRM_MUST(status == AVRM_OK);
        return request;
      };
      const auto talk = [&](int peer, int point) {
        const Buffer out = content(process.rank, peer, point, 100);
        Buffer in(100);
        avrm_request_t *const received = start(point, [&](avrm_request_t **request) {
          return avrm_irecv(process.world, in.data(), in.size(), peer, 4, request);
        });
        wait(start(point, [&](avrm_request_t **request) {
          return avrm_isend(process.world, out.data(), out.size(), peer, 4, request);
        }));
        wait(received);
        AVRM_MUST(in == content(peer, process.rank, point, 100));
      };
      for (int peer = 1; peer < process.size; ++peer) {
        if (process.rank == 0) {
          talk(peer, peer - 1);
        } else if (process.rank == peer) {
          talk(0, peer - 1);
        }
      }
    });
    // Opening, mapping twice, and what comes before.
    EXPECT_TRUE(IsSkipped() || tally->failed >= 4) << tally->failed;
  }
}

} // namespace
} // namespace avrankmap::test
