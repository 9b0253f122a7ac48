// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path bound to a netmod (AVRM_TEST_BOUND_TO_...), between processes: it does what the
// path through the netmod's table does.
#include <signal.h>
#include <unistd.h>

#include "tests/device/core/fastpath/fastpath_process.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

#if defined(AVRM_TEST_BOUND_TO_OFI)
constexpr auto kIsBoundTo = is_ofi;
#else
constexpr auto kIsBoundTo = is_ucx;
#endif

constexpr int kVictim = 1;

// A window as the inline path takes it, for puts to one process: its part stands for all.
avrm_fp_window_t part_of(avrm_fp_window_t *window, int rank) {
  std::uint64_t address = 0;
  AVRM_MUST(avrm_fp_window_address(window, rank, &address) == AVRM_OK);
  avrm_fp_window_t part = *window;
  if (avrm_directory_target(window->parts, rank, &part.base, &part.key)) {
    part.uniform = 1;
  }
  return part;
}

avrm_status_t put_byte(unsigned char byte, int target, std::int64_t at, avrm_fp_window_t *window) {
  return avrm_fp_put_inline(&byte, 1, AVRM_BYTE, target, at, window);
}

class FastpathBinding : public testing::TestWithParam<Transport> {};

TEST_P(FastpathBinding, MessagesArriveIntactAndInOrder) {
  run_job(GetParam(), 2, fastpath_messages_arrive_intact_and_in_order);
}

TEST_P(FastpathBinding, MessagesSatisfyReceivesFromAnybody) {
  run_job(GetParam(), 3, fastpath_messages_satisfy_receives_from_anybody);
}

TEST_P(FastpathBinding, MessagesWithoutMatchingComeAsTheyAreSent) {
  run_job(GetParam(), 2, fastpath_messages_without_matching_come_as_they_are_sent);
}

TEST_P(FastpathBinding, PutsLandWhereTheyShould) { run_job(GetParam(), 2, fastpath_puts_land_where_they_should); }

// Every size that is injected, to every process, by the inline path and by the table's in turn. A
// flush covers both.
TEST_P(FastpathBinding, PutsOfBothPathsAreThereAfterAFlush) {
  run_job(GetParam(), 3, [](Process &process) {
    constexpr int kSizes = 64;
    constexpr std::size_t kRow = 64 * kSizes;
    Fastpath fast(process);
    Buffer memory(kRow * 2 * static_cast<std::size_t>(process.size));
    avrm_fp_window_t *window = nullptr;
    AVRM_MUST(avrm_fp_window_create(fast.comm, memory.data(), memory.size(), 1, 0, &window) == AVRM_OK);
    const auto place_of = [&](int origin, int turn, int bytes) {
      return static_cast<std::int64_t>(kRow) * (2 * origin + turn) + 64 * (bytes - 1);
    };
    for (const int turn : {0, 1}) {
      for (int target = 0; target < process.size; ++target) {
        avrm_fp_window_t part = part_of(window, fast.rank_of(target));
        for (int bytes = 1; bytes <= kSizes; ++bytes) {
          Buffer data = content(process.rank, target, bytes + turn, static_cast<std::size_t>(bytes));
          const auto put = (bytes + turn) % 2 == 0 ? avrm_fp_put_no_err_single : kFastpathBuilds[3].put;
          AVRM_MUST(put(data.data(), bytes, AVRM_BYTE, fast.rank_of(target), place_of(process.rank, turn, bytes),
                        &part) == AVRM_OK);
          data.assign(data.size(), 0); // the buffer is free
        }
      }
      AVRM_MUST(avrm_fp_flush_all(window) == AVRM_OK);
      barrier(process);
      for (int origin = 0; origin < process.size; ++origin) {
        for (int bytes = 1; bytes <= kSizes; ++bytes) {
          const Buffer data = content(origin, process.rank, bytes + turn, static_cast<std::size_t>(bytes));
          AVRM_MUST(std::memcmp(memory.data() + place_of(origin, turn, bytes), data.data(), data.size()) == 0);
        }
      }
    }
    barrier(process);
    AVRM_MUST(avrm_fp_window_free(window) == AVRM_OK);
  });
}

// The receiver looks away until the network is full.
TEST_P(FastpathBinding, AFloodWaitsForRoomAndLosesNothing) {
  run_job(GetParam(), 2, [](Process &process) {
    constexpr int kMessages = kSanitized ? 5000 : 40000;
    constexpr std::size_t kBytes = 64;
    Fastpath fast(process);
    Buffer memory(64);
    avrm_fp_window_t *window = nullptr;
    AVRM_MUST(avrm_fp_window_create(fast.comm, memory.data(), memory.size(), 1, 0, &window) == AVRM_OK);
    const int peer = process.partner();
    const int rank = fast.rank_of(peer);
    avrm_fp_window_t part = part_of(window, rank);
    if (process.rank == 0) {
      Buffer data(kBytes);
      for (int i = 0; i < kMessages; ++i) {
        fill(data, 0, 1, i);
        AVRM_MUST(avrm_fp_isend_noreq(data.data(), kBytes, AVRM_BYTE, rank, 3, fast.comm) == AVRM_OK);
        AVRM_MUST(put_byte(static_cast<unsigned char>(i), rank, i % 32, &part) == AVRM_OK);
      }
      AVRM_MUST(avrm_fp_comm_waitall(fast.comm) == AVRM_OK);
      AVRM_MUST(avrm_fp_flush_all(window) == AVRM_OK);
    } else {
      usleep(200000);
      Buffer in(kBytes);
      for (int i = 0; i < kMessages; ++i) {
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_fp_irecv(in.data(), kBytes, AVRM_BYTE, rank, 3, fast.comm, &request) == AVRM_OK);
        wait(request);
        AVRM_MUST(in == content(0, 1, i, kBytes));
      }
    }
    barrier(process);
    for (int i = kMessages - 32; process.rank == 1 && i < kMessages; ++i) { // the last puts
      AVRM_MUST(memory[static_cast<std::size_t>(i % 32)] == static_cast<unsigned char>(i));
    }
    AVRM_MUST(avrm_fp_window_free(window) == AVRM_OK);
  });
}

TEST_P(FastpathBinding, OperationsWithAKilledProcessEnd) {
  if (GetParam().name == std::string_view("ofi_net")) {
    GTEST_SKIP() << "net of libfabric 1.17 may crash in its own progress when a peer dies during one-sided traffic";
  }
  const auto body = [](Process &process) {
    everyone_exchanges_with_everyone(process); // connects
    avrm_fp_t *fp = nullptr;
    avrm_fp_comm_t *comm = nullptr;
    avrm_fp_window_t *window = nullptr;
    Buffer memory(64);
    AVRM_MUST(avrm_fp_open(process.device, 1, &fp) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_create(fp, process.world, &comm) == AVRM_OK);
    AVRM_MUST(avrm_fp_window_create(comm, memory.data(), memory.size(), 1, 0, &window) == AVRM_OK);
    avrm_fp_window_t part = part_of(window, kVictim);
    if (process.rank != kVictim) {
      AVRM_MUST(put_byte(1, kVictim, process.rank, &part) == AVRM_OK);
      AVRM_MUST(avrm_fp_flush_all(window) == AVRM_OK);
      AVRM_MUST(put_byte(1, kVictim, process.rank, &part) == AVRM_OK);
    }
    gather_at(process, kVictim);
    if (process.rank == kVictim) {
      kill(getpid(), SIGKILL);
    }
    for (avrm_status_t status = AVRM_OK; status != AVRM_ERR_PEER;) {
      status = avrm_fp_isend_noreq("", 1, AVRM_BYTE, kVictim, 5, comm);
      status = status != AVRM_OK ? status : put_byte(1, kVictim, process.rank, &part);
      status = status != AVRM_OK ? status : avrm_fp_flush_all(window);
      AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
    }
    while (!avrm_boot_has_failed(process.boot, kVictim) || avrm_boot_failures(process.boot) == 0) {
      avrm_progress(process.device);
    }
    avrm_progress(process.device); // the device learns of the death
    AVRM_MUST(avrm_fp_isend_noreq("", 1, AVRM_BYTE, kVictim, 5, comm) == AVRM_ERR_PEER);
    AVRM_MUST(put_byte(1, kVictim, process.rank, &part) == AVRM_ERR_PEER);
    (void)avrm_fp_comm_waitall(comm);
    (void)avrm_fp_window_free(window);
    (void)avrm_fp_comm_free(comm);
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
  };
  run_job(GetParam(), GetParam().at_a_death, body, kVictim);
}

INSTANTIATE_TEST_SUITE_P(Every, FastpathBinding, testing::ValuesIn(transports_of(Suites::kDevice, kIsBoundTo)),
                         kByName);

TEST(FastpathBindingAlone, AnotherNetmodIsRefused) {
  run_job(kNull, 1, [](Process &process) {
    avrm_fp_t *fp = nullptr;
    AVRM_MUST(avrm_fp_open(process.device, 1, &fp) == AVRM_ERR_UNSUPPORTED);
    AVRM_MUST(fp == nullptr);
    AVRM_MUST(avrm_i_fp_open(process.device, 1, nullptr, &fp) == AVRM_OK); // bound to none
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
  });
}

} // namespace
} // namespace avrankmap::test
