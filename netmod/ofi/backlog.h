// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Detects peers that cannot be let in. Providers above TCP accept connections as a part of
// progress. If the process lacks a descriptor for that, libfabric 1.17 reports nothing and tries
// again without end, and the descriptor to sleep on stays readable. The peer waits for the
// connection; where this process waits for the same peer, both hang.
//
// So a process that finds nothing to do looks at the provider's listening socket from time to time.
// It is starved if a connection waits there and no descriptor is free for it, in all looks of two
// seconds. Time in which the process itself does not run does not count.
#ifndef AVRANKMAP_NETMOD_OFI_BACKLOG_H
#define AVRANKMAP_NETMOD_OFI_BACKLOG_H

#include <rdma/fi_endpoint.h>

#include <cstdint>

namespace avrankmap::detail::ofi {

class Backlog {
public:
  static constexpr std::uint32_t kPolls = 64;               // that find nothing, from look to look
  static constexpr std::int64_t kBetweenLooks = 50'000'000; // nanoseconds, at least
  static constexpr std::int64_t kLongestStep = 250'000'000; // that counts between two looks
  static constexpr std::int64_t kLimit = 2'000'000'000;

  // Counts a poll that found nothing. True if it is time to look.
  [[nodiscard]] bool counts() noexcept { return --polls_left_ == 0; }
  // `now` in nanoseconds of a clock that never goes back.
  void look(fid_ep *endpoint, std::int64_t now) noexcept;
  // A connection waits for a descriptor.
  [[nodiscard]] bool is_stuck() const noexcept { return is_stuck_; }
  // It has waited too long: what this process waits for may never come.
  [[nodiscard]] bool is_starved() const noexcept { return waited_ >= kLimit; }

private:
  static constexpr int kUnknown = -2;
  static constexpr int kNone = -1;

  std::uint32_t polls_left_ = kPolls;
  int listener_ = kUnknown;
  bool is_stuck_ = false;
  std::int64_t last_look_ = 0;
  std::int64_t waited_ = 0; // since the connection was first seen
};

} // namespace avrankmap::detail::ofi

#endif
