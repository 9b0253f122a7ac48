// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The leader of another group that lies about how much it has to say. The others take memory for
// what has arrived only, and get a status.
#include "bench/synthetic/simulator.h"
#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/create/inter.h"
#include "comm_algorithms/map_message.h"
#include "core/device.h"
#include "dynamic/dial.h"
#include "dynamic/link_channel.h"
#include "dynamic/port_name.h"
#include "tests/device/dynamic/worlds.h"

namespace avrankmap::test {
namespace {

using namespace detail;

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

// A group of its own, with nobody to talk to.
class LoneChannel final : public Channel {
public:
  explicit LoneChannel(Channel &other) : Channel(other.memory(), other.frames(), 0, 1) {}
  [[nodiscard]] bool start(Transfer *transfer) noexcept override {
    transfer->status = AVRM_ERR_RANK;
    return true;
  }
};

class Onward final : public Waiting {
public:
  explicit Onward(avrm_device_t *device) : device_(device) {}
  [[nodiscard]] avrm_status_t go_on() noexcept override {
    (void)avrm_progress(device_);
    return AVRM_OK;
  }

private:
  avrm_device_t *device_;
};

// Says that its message has so many bytes, sends `pieces` of zeros, and hangs up.
Task send_long_message(Channel &link, const Bridge &bridge, std::uint64_t lie, int pieces, const void *zeros) {
  LoneChannel alone(link);
  const MapHeader mine{1, 0, 0, 1, 1, 0, 1};
  MapHeader theirs{};
  avrm_status_t status = co_await exchange(link, 0, &mine, sizeof mine, 0, &theirs, sizeof theirs);
  AVRM_MUST(status == AVRM_OK);
  status = co_await agree_on_status(alone, &bridge, AVRM_OK);
  AVRM_MUST(status == AVRM_OK);
  std::uint64_t bytes = 0;
  status = co_await exchange(link, 0, &lie, sizeof lie, 0, &bytes, sizeof bytes);
  AVRM_MUST(status == AVRM_OK && bytes < kMebibyte);
  std::vector<unsigned char> group_message(bytes);
  for (int i = 0; i < pieces; ++i) {
    status = co_await agree_on_status(alone, &bridge, AVRM_OK);
    AVRM_MUST(status == AVRM_OK);
    status = co_await exchange(link, 0, zeros, kMebibyte, 0, group_message.data(), i == 0 ? bytes : 0);
    AVRM_MUST(status == AVRM_OK);
  }
  co_return co_await agree_on_status(alone, &bridge, AVRM_OK);
}

std::uint64_t peak(const Process &process) {
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(process.device), AVRM_MEM_SCRATCH, &usage) == AVRM_OK);
  return usage.peak_bytes;
}

class HostileGroupMessage : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(OfPieces, HostileGroupMessage, testing::Values(0, 1, 3), testing::PrintToStringParamName());

TEST_P(HostileGroupMessage, TakesNoMoreMemoryThanItHasBytes) {
  const int pieces = GetParam();
  run_worlds(transport_named("ucx_tcp"), {2, 1}, [pieces](WorldProcess &self) {
    if (self.world == 0) {
      char port[AVRM_PORT_MAX] = "";
      if (self.process.rank == 0) {
        AVRM_MUST(avrm_port_open(self.process.device, port) == AVRM_OK);
        self.board.hang(0, port);
      }
      avrm_comm_t *inter = nullptr;
      AVRM_MUST(avrm_comm_accept(self.process.world, 0, port, nullptr, &inter) == AVRM_ERR_PEER);
      AVRM_MUST(peak(self.process) <= (4 + 4 * static_cast<std::uint64_t>(pieces)) * kMebibyte);
      AVRM_MUST(self.process.rank != 0 || avrm_port_close(self.process.device, port) == AVRM_OK);
      return;
    }
    PortName name;
    AVRM_MUST(name.parse(self.board.read(0)) == AVRM_OK);
    Onward waiting(self.process.device);
    FrameStack frames;
    LinkChannel link(self.process.device->instance->memory, frames, waiting);
    AVRM_MUST(connect_to(name, waiting, &link.socket) == AVRM_OK);
    const Bridge bridge{0, &link, 0};
    const Buffer zeros(kMebibyte);
    const Task liar = send_long_message(link, bridge, GroupMessage::kMost, pieces, zeros.data());
    liar.start();
    AVRM_MUST(liar.is_done() && liar.status() == AVRM_OK);
  });
}

// Promises as many runs as there can be, and sends one byte.
Task promise_many_runs(Channel &channel, const Bridge &bridge, Contexts &contexts) {
  LoneChannel alone(channel);
  const MapHeader mine{INT32_MAX, 0, 0, 0, 0, INT32_MAX, 0};
  MapHeader theirs{};
  avrm_status_t status =
      co_await exchange(channel, bridge.partner, &mine, sizeof mine, bridge.partner, &theirs, sizeof theirs);
  AVRM_MUST(status == AVRM_OK);
  status = co_await agree_on_status(alone, &bridge, AVRM_OK);
  AVRM_MUST(status == AVRM_OK);
  const unsigned char byte = 0;
  status = co_await exchange(channel, bridge.partner, &byte, 1, bridge.partner, nullptr, 0);
  AVRM_MUST(status == AVRM_OK);
  AVRM_MUST(co_await agree_on_status(alone, &bridge, AVRM_OK) == AVRM_ERR_MISMATCH);
  std::uint32_t id = 0;
  co_return co_await agree_on_context(alone, &bridge, contexts, {}, &id);
}

TEST(HostileGroup, TakesNoMoreMemoryThanItHasRuns) {
  bench::Simulator job(3);
  avrm_rankmap_t pair{};
  ASSERT_EQ(avrm_rankmap_create_stride(job.instance(), 0, 2, 0, 1, &pair), AVRM_OK);
  const Parent parent{&pair, nullptr, 0};
  std::vector<std::unique_ptr<RangeChannel>> channels;
  std::vector<Bridge> bridges;
  for (std::int32_t rank = 0; rank < 3; ++rank) {
    channels.push_back(std::make_unique<RangeChannel>(job.process(rank), rank / 2 * 2, 2 - rank / 2));
    bridges.push_back({0, rank == 1 ? nullptr : &job.process(rank), rank == 0 ? 2 : 0});
  }
  const std::vector<avrm_status_t> statuses = job.run([&](bench::SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    return rank == 2 ? promise_many_runs(process, bridges[rank], process.contexts())
                     : make_inter(*channels[rank], bridges[rank], process, parent, 3, &process.made);
  });
  EXPECT_EQ(statuses, std::vector<avrm_status_t>(3, AVRM_ERR_MISMATCH));
  EXPECT_LE(job.cost().scratch_peak, 2 * 3 * kMebibyte);
  avrm_rankmap_destroy(&pair);
}

constexpr std::int32_t kMany = 1 << 30;

// Claims to have half as many processes as there could be, all of another world.
Task claim_many_processes(Channel &channel, const Bridge &bridge, Contexts &contexts) {
  LoneChannel alone(channel);
  const MapHeader mine{kMany, 1, 0, 1, 1, 0, 0};
  MapHeader theirs{};
  const avrm_status_t status =
      co_await exchange(channel, bridge.partner, &mine, sizeof mine, bridge.partner, &theirs, sizeof theirs);
  AVRM_MUST(status == AVRM_OK);
  AVRM_MUST(co_await agree_on_status(alone, &bridge, AVRM_OK) == AVRM_OK);
  std::uint32_t id = 0;
  co_return co_await agree_on_context(alone, &bridge, contexts, {}, &id);
}

TEST(HostileGroup, DoesNotMergeWithMoreProcessesThanThereAreRanks) {
  bench::Simulator job(2);
  avrm_rankmap_t group{};
  ASSERT_EQ(avrm_rankmap_create_direct(job.instance(), 0, kMany, &group), AVRM_OK);
  const Parent parent{&group, nullptr, 0};
  std::vector<std::unique_ptr<RangeChannel>> channels;
  std::vector<Bridge> bridges;
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    channels.push_back(std::make_unique<RangeChannel>(job.process(rank), rank, 1));
    bridges.push_back({0, &job.process(rank), 1 - rank});
  }
  const std::vector<avrm_status_t> statuses = job.run([&](bench::SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    return rank == 1 ? claim_many_processes(process, bridges[rank], process.contexts())
                     : make_united(*channels[rank], bridges[rank], process, parent, true, 3, &process.made);
  });
  EXPECT_EQ(statuses, std::vector<avrm_status_t>(2, AVRM_ERR_LIMIT));
  EXPECT_EQ(job.process(0).made.map, nullptr);
  avrm_rankmap_destroy(&group);
}

} // namespace
} // namespace avrankmap::test
