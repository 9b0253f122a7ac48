// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Detects peers whose connections cannot be accepted. Providers above TCP accept connections only
// while they make progress. If the process has no free descriptor for that, libfabric 1.17 reports
// no error and retries forever, and the wait descriptor stays readable. The peer waits for the
// connection; if this process waits for the same peer, both hang.
//
// A process that has nothing to do therefore occasionally checks the provider's listening socket.
// It is starved if for two seconds every check finds a waiting connection and no free descriptor,
// and nothing else completes: outsiders that occupy all descriptors must not end communication that
// works. Time in which the process itself does not run does not count.
#ifndef AVRANKMAP_NETMOD_OFI_BACKLOG_H
#define AVRANKMAP_NETMOD_OFI_BACKLOG_H

#include <rdma/fi_endpoint.h>

#include <cstdint>

namespace avrankmap::detail::ofi {

class Backlog {
public:
  static constexpr std::uint32_t kPolls = 64;               // without events, between two checks
  static constexpr std::int64_t kBetweenLooks = 50'000'000; // minimum, in nanoseconds
  static constexpr std::int64_t kLongestStep = 250'000'000; // maximum time counted per check
  static constexpr std::int64_t kLimit = 2'000'000'000;

  // Counts a poll without events. Returns true if a check is due.
  [[nodiscard]] bool counts() noexcept { return --polls_left_ == 0; }
  // Checks the listening socket. `now`: nanoseconds of a monotonic clock.
  void look(fid_ep *endpoint, std::int64_t now) noexcept;
  // Called when operations have completed: this process need not be waiting for the connection.
  void restart() noexcept { waited_ = 0; }
  // True if a connection waits for a descriptor.
  [[nodiscard]] bool is_stuck() const noexcept { return is_stuck_; }
  // True if the connection has waited too long: this process may wait forever.
  [[nodiscard]] bool is_starved() const noexcept { return waited_ >= kLimit; }

private:
  static constexpr int kUnknown = -2;
  static constexpr int kNone = -1;

  std::uint32_t polls_left_ = kPolls;
  int listener_ = kUnknown;
  bool is_stuck_ = false;
  std::int64_t last_look_ = 0;
  std::int64_t waited_ = 0; // since the connection was first seen, or the last completion
};

} // namespace avrankmap::detail::ofi

#endif
