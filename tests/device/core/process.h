// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One process of a job, and functions that the test bodies share. Nothing here depends on the
// launcher. A condition that does not hold ends the process.
#ifndef AVRANKMAP_TESTS_DEVICE_PROCESS_H
#define AVRANKMAP_TESTS_DEVICE_PROCESS_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "avrankmap/device/device.h"
#include "tests/support/sanitizers.h"
#include "tests/support/settings.h"
#include "tests/support/transports.h"

namespace avrankmap::test {

#define AVRM_MUST(condition)                                                                                           \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                               \
      std::_Exit(1);                                                                                                   \
    }                                                                                                                  \
  } while (false)

class CountingAllocator;

struct Process {
  avrm_boot_t *boot;
  avrm_device_t *device;
  avrm_comm_t *world;
  int rank;
  int size;
  std::optional<avrm_status_t> closed{}; // what closing returned, if the body has closed the device
  CountingAllocator *memory = nullptr;   // of the device, in run_job

  // Partners: ranks 0 and 1, 2 and 3, and so on. The last rank of an odd number has none.
  [[nodiscard]] int partner() const { return rank ^ 1; }
  [[nodiscard]] bool has_partner() const { return partner() < size; }
};

inline int next_of(const Process &process) { return (process.rank + 1) % process.size; }
inline int previous_of(const Process &process) { return (process.rank + process.size - 1) % process.size; }

using Buffer = std::vector<unsigned char>;

// Content of the `number`th message from rank `from` to rank `to`: each byte depends on all three
// and on its position.
inline void fill(Buffer &buffer, int from, int to, int number) {
  std::uint64_t x = (static_cast<std::uint64_t>(from) << 40 ^ static_cast<std::uint64_t>(to) << 20 ^
                     static_cast<std::uint64_t>(number)) +
                    0x9e3779b97f4a7c15;
  for (std::size_t at = 0; at < buffer.size(); at += sizeof x) {
    x = x * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t word = x ^ x >> 29;
    std::memcpy(buffer.data() + at, &word, std::min(sizeof word, buffer.size() - at));
  }
}

inline Buffer content(int from, int to, int number, std::size_t bytes) {
  Buffer buffer(bytes);
  fill(buffer, from, to, number);
  return buffer;
}

inline void wait(avrm_request_t *request, avrm_outcome_t *outcome = nullptr) {
  const avrm_status_t status = avrm_wait(&request, outcome);
  if (status != AVRM_OK) {
    std::fprintf(stderr, "an operation ended with %s\n", avrm_status_name(status));
  }
  AVRM_MUST(status == AVRM_OK);
}

inline void send(Process &process, const Buffer &buffer, int dest, int tag) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_isend(process.world, buffer.data(), buffer.size(), dest, tag, &request) == AVRM_OK);
  wait(request);
}

inline avrm_outcome_t receive(Process &process, Buffer &buffer, int source, int tag) {
  avrm_request_t *request = nullptr;
  avrm_outcome_t outcome{};
  AVRM_MUST(avrm_irecv(process.world, buffer.data(), buffer.size(), source, tag, &request) == AVRM_OK);
  wait(request, &outcome);
  return outcome;
}

constexpr int kBarrierTag = 1000;

// Waits until every process is here, and makes progress meanwhile.
inline void barrier(Process &process) {
  const Buffer nothing;
  Buffer in;
  if (process.rank == 0) {
    for (int peer = 1; peer < process.size; ++peer) {
      receive(process, in, peer, kBarrierTag);
    }
    for (int peer = 1; peer < process.size; ++peer) {
      send(process, nothing, peer, kBarrierTag);
    }
  } else {
    send(process, nothing, 0, kBarrierTag);
    receive(process, in, 0, kBarrierTag);
  }
}

// Waits for all processes by the launcher's fence, and makes progress meanwhile. In a forked job a
// process that has returned may die without harm to what the others did before.
inline void fence(const Process &process) {
  AVRM_MUST(avrm_boot_fence_start(process.boot) == AVRM_OK);
  for (bool done = false; !done;) {
    avrm_progress(process.device);
    AVRM_MUST(avrm_boot_fence_test(process.boot, &done) == AVRM_OK);
  }
}

// A barrier after which the process of this rank may end itself or others: it waits until the
// others have nothing under way but their message to it, which the deaths may end.
inline void gather_at(Process &process, int rank) {
  barrier(process);
  Buffer in;
  for (int peer = 0; process.rank == rank && peer < process.size; ++peer) {
    if (peer != rank) {
      receive(process, in, peer, kBarrierTag);
    }
  }
  if (process.rank != rank) {
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_isend(process.world, nullptr, 0, rank, kBarrierTag, &request) == AVRM_OK);
    const avrm_status_t status = avrm_wait(&request, nullptr);
    AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
  }
}

// A job that runs longer hangs, and is killed.
inline std::int32_t job_timeout_ms() { return is_long() ? 3000000 : 1000 * std::int32_t{kHangsAfterS}; }

} // namespace avrankmap::test

#endif
