// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// First contact through shared memory when the system refuses one step of it: opening the peer's
// memory, looking at its size, mapping it. The network takes over for that peer, and nothing is
// lost or reordered, whichever side could not attach the other's memory, or both. Without a network
// the operation returns a status and works when it is repeated.
#include "core/device.h"
#include "tests/device/core/job.h"
#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/faults.h"

namespace avrankmap::test {
namespace {

// Rank 0 meets the others one after the other, each with another call that fails.
constexpr int kSize = 10;

enum Afflicted : unsigned { kFirst = 1, kOthers = 2 };

using Parameter = std::tuple<Transport, unsigned>;
class AttachCalls : public testing::TestWithParam<Parameter> {};

std::string name_of(const testing::TestParamInfo<Parameter> &info) {
  const char *const names[] = {"", "InOne", "InTheOther", "InBoth"};
  return std::string(std::get<0>(info.param).name) + "_" + names[std::get<1>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Over, AttachCalls,
                         testing::Combine(testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)),
                                          testing::Values(kFirst, kOthers, kFirst | kOthers)),
                         name_of);

struct Tally {
  std::atomic<int> hit;      // operations with a call that failed
  std::atomic<int> statuses; // that they returned
  std::atomic<int> reports;  // that the network is used
};

// Starts an operation, whose `point`th call to the system fails if the point is not negative.
template <typename Operation>
avrm_request_t *start(Tally &tally, bool has_net, Fault fault, int point, Operation operation) {
  if (point >= 0) {
    arm(kSystem, fault, point);
  }
  avrm_request_t *request = nullptr;
  avrm_status_t status = operation(&request);
  disarm();
  const bool was_hit = point >= 0 && faults().failed != 0;
  tally.hit += was_hit ? 1 : 0;
  if (status != AVRM_OK) {
    AVRM_MUST(is_clear(status) && request == nullptr && was_hit && !has_net);
    ++tally.statuses;
    status = operation(&request);
  }
  AVRM_MUST(status == AVRM_OK);
  return request;
}

// The first messages to a peer and from it. Half of those to others than rank 0 are awaited from
// anybody.
void talk(Process &process, Tally &tally, bool has_net, Fault fault, int peer, int point) {
  const auto bytes = [](int i) { return std::size_t{i == 1 ? 100000U : 100U}; };
  std::vector<Buffer> in;
  std::vector<avrm_request_t *> requests;
  for (int i = 0; i < 4; ++i) {
    Buffer &buffer = in.emplace_back(bytes(i));
    const int source = i % 2 == 0 && process.rank != 0 ? AVRM_ANY_SOURCE : peer;
    requests.push_back(start(tally, has_net, fault, point, [&](avrm_request_t **request) {
      return avrm_irecv(process.world, buffer.data(), buffer.size(), source, 4, request);
    }));
  }
  std::vector<Buffer> out;
  for (int i = 0; i < 4; ++i) {
    const Buffer &buffer = out.emplace_back(content(process.rank, peer, i, bytes(i)));
    requests.push_back(start(tally, has_net, fault, point, [&](avrm_request_t **request) {
      return avrm_isend(process.world, buffer.data(), buffer.size(), peer, 4, request);
    }));
  }
  for (avrm_request_t *const request : requests) {
    wait(request);
  }
  for (int i = 0; i < 4; ++i) {
    AVRM_MUST(in[static_cast<std::size_t>(i)] == content(peer, process.rank, i, bytes(i)));
  }
}

TEST_P(AttachCalls, ThatFailLeaveThePeerToTheNetworkOrAreStatuses) {
  const auto &[transport, afflicted] = GetParam();
  const bool has_net = has_network(transport);
  for (const Fault fault : {Fault::kHard, Fault::kNoMemory}) {
    const Shared<Tally> tally;
    Transport one_node = transport;
    one_node.per_node = 0;
    run_job(one_node, kSize, [&, afflicted = afflicted](Process &process) {
      process.device->user = &*tally;
      process.device->on_error = [](void *user, avrm_status_t, const char *text) {
        AVRM_MUST(std::strstr(text, "cannot be attached: the network is used") != nullptr);
        ++static_cast<Tally *>(user)->reports;
      };
      const bool suffers = (afflicted & (process.rank == 0 ? kFirst : kOthers)) != 0;
      for (int peer = 1; peer < process.size; ++peer) {
        if (process.rank == 0 || process.rank == peer) {
          talk(process, *tally, has_net, fault, process.rank == 0 ? peer : 0, suffers ? peer - 1 : -1);
        }
      }
    });
    // Opening, mapping twice, and what comes before.
    EXPECT_TRUE(IsSkipped() || tally->hit >= 4) << tally->hit;
    EXPECT_TRUE(IsSkipped() || (has_net ? tally->reports : tally->statuses) >= 4)
        << tally->reports << " reports, " << tally->statuses << " statuses";
    EXPECT_TRUE(!has_net || tally->statuses == 0);
  }
}

} // namespace
} // namespace avrankmap::test
