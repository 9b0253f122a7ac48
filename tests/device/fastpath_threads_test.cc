// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads of each process on the fast path, each on a communicator and a window of its own, over every transport.
#include <array>
#include <string_view>
#include <thread>

#include "avrankmap/fastpath.h"
#include "tests/device/bodies.h"
#include "tests/device/job.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kThreads = 3;
constexpr int kEach = 40;

// What a thread has to itself.
struct Lane {
  avrm_comm_t *plain = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  std::array<std::uint64_t, kEach> memory{};
};

void open_lane(const Process &process, avrm_fp_t *fp, std::uint32_t number, Lane &lane) {
  avrm_rankmap_t *map = nullptr;
  AVRM_MUST(avrm_rankmap_create_stride(avrm_device_instance(process.device), 0, process.size, 0, 1, &map) == AVRM_OK);
  AVRM_MUST(avrm_comm_create_local(process.device, map, process.rank, 700 + number, &lane.plain) == AVRM_OK);
  AVRM_MUST(avrm_fp_comm_create(fp, lane.plain, &lane.comm) == AVRM_OK);
  AVRM_MUST(avrm_fp_window_create(lane.comm, lane.memory.data(), sizeof lane.memory, 8, &lane.window) == AVRM_OK);
}

void close_lane(Lane &lane) {
  AVRM_MUST(avrm_fp_window_free(lane.window) == AVRM_OK);
  AVRM_MUST(avrm_fp_comm_free(lane.comm) == AVRM_OK);
  AVRM_MUST(avrm_comm_free(lane.plain) == AVRM_OK);
}

// Sends to the next process and puts into its window, receives from the previous one.
void use_lane(const Process &process, Lane &lane, int number) {
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  for (int i = 0; i < kEach; ++i) {
    const Buffer out = content(process.rank, next, 100 * number + i, i % 4 == 3 ? 9000 : 8);
    Buffer in(out.size());
    const auto count = static_cast<std::int32_t>(out.size());
    avrm_request_t *sent = nullptr;
    avrm_request_t *received = nullptr;
    AVRM_MUST(avrm_fp_irecv(in.data(), count, AVRM_BYTE, previous, i, lane.comm, &received) == AVRM_OK);
    const auto isend = i % 2 == 0 ? avrm_fp_isend_default : avrm_fp_isend_no_err;
    AVRM_MUST(isend(out.data(), count, AVRM_BYTE, next, i, lane.comm, &sent) == AVRM_OK);
    const std::uint64_t value = static_cast<std::uint64_t>(number) << 32 | static_cast<std::uint64_t>(i);
    const auto put = i % 2 == 0 ? avrm_fp_put_default : avrm_fp_put_no_err;
    AVRM_MUST(put(&value, 1, AVRM_UINT64, next, i, lane.window) == AVRM_OK);
    wait(received);
    wait(sent);
    AVRM_MUST(in == content(previous, process.rank, 100 * number + i, in.size()));
  }
  AVRM_MUST(avrm_fp_flush_all(lane.window) == AVRM_OK);
}

class FastpathThreads : public testing::TestWithParam<Transport> {};

TEST_P(FastpathThreads, DoNotDisturbOneAnother) {
  if (GetParam().name == std::string_view("ofi_udp")) {
    GTEST_SKIP() << "libfabric: datagrams that are lost under load are not always sent again";
  }
  const auto body = [](Process &process) {
    avrm_fp_t *fp = nullptr;
    AVRM_MUST(avrm_fp_open(process.device, static_cast<std::int32_t>(kThreads), &fp) == AVRM_OK);
    std::array<Lane, kThreads> lanes;
    for (std::size_t i = 0; i < kThreads; ++i) {
      open_lane(process, fp, static_cast<std::uint32_t>(i), lanes[i]);
    }
    barrier(process);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { use_lane(process, lanes[i], static_cast<int>(i)); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    barrier(process);
    for (std::size_t i = 0; i < kThreads; ++i) {
      for (std::size_t j = 0; j < kEach; ++j) {
        AVRM_MUST(lanes[i].memory[j] == (i << 32 | j));
      }
      close_lane(lanes[i]);
    }
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
  };
  run_job(GetParam(), 2, body, -1, true);
}

INSTANTIATE_TEST_SUITE_P(Every, FastpathThreads, testing::ValuesIn(kTransports),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
