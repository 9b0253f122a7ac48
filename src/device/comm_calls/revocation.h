// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Revocation of a communicator in one of its members: refuses messages, discards those of others,
// which may wait for a receive, and informs some other members once (liveness/spreading.h).
#ifndef AVRANKMAP_SRC_COMM_CALLS_REVOCATION_H
#define AVRANKMAP_SRC_COMM_CALLS_REVOCATION_H

#include "avrankmap/rankmap.h"
#include "core/active.h"
#include "core/device.h"
#include "liveness/spreading.h"

namespace avrankmap::detail {

class Revocation {
public:
  // `plane` is the copy of a plane that drains use; it outlives this, as does `awaiter`, which goes
  // on when something has come.
  Revocation(avrm_comm_t *plane, std::uint32_t context, Awaiter &awaiter) noexcept
      : plane_(plane), context_(context), awaiter_(awaiter), spreading_(plane->rank, plane->map->size) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  // Revokes a communicator. With the device's lock held, as the next one is.
  void begin(avrm_comm_t *comm) noexcept;
  // Tells the others what they have not been told yet. Called again when a process has died, and
  // while someone is untold.
  void spread() noexcept;
  [[nodiscard]] bool has_untold() const noexcept { return spreading_.has_untold(); }
  // A member could not be informed yet.
  void tell_again(std::int32_t rank) noexcept;
  // Takes what has come, once it is revoked. Without the device's lock, as the next one is. False
  // without memory: again later.
  [[nodiscard]] bool drain() noexcept;
  // Stops discarding; false: call again after some progress.
  [[nodiscard]] bool withdraw() noexcept;

private:
  static constexpr int kDrains = 5;

  void map_nobody_connected(avrm_comm_t *comm, avrm_rankmap_t *map) noexcept;
  [[nodiscard]] bool has_died(std::int32_t rank) const noexcept;

  avrm_comm_t *plane_;
  std::uint32_t context_;
  Awaiter &awaiter_;
  bool is_on_ = false;
  // Maps on which nobody is connected: of all members, of the node's (of an intercommunicator: the
  // own group's), and of the roots.
  avrm_rankmap_t members_{};
  avrm_rankmap_t node_{};
  avrm_rankmap_t roots_{};
  Request *drains_[kDrains] = {};
  Spreading spreading_;
};

} // namespace avrankmap::detail

#endif
