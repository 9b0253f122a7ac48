// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Revocation of a communicator in one of its members: refuses messages of this process, discards
// those that arrive, whose senders may wait for a receive, and informs some other members once
// (liveness/spreading.h).
#ifndef AVRANKMAP_SRC_COMM_CALLS_REVOCATION_H
#define AVRANKMAP_SRC_COMM_CALLS_REVOCATION_H

#include "avrankmap/rankmap.h"
#include "core/active.h"
#include "core/device.h"
#include "liveness/spreading.h"

namespace avrankmap::detail {

class Revocation {
public:
  // `plane` is the copy of a plane on which messages are discarded. `awaiter` continues when a
  // message has arrived. Both must outlive this object.
  Revocation(avrm_comm_t *plane, std::uint32_t context, Awaiter &awaiter) noexcept
      : plane_(plane), context_(context), awaiter_(awaiter), spreading_(plane->rank, plane->map->size) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  // Revokes a communicator. This function and the next one require the device's lock.
  void begin(avrm_comm_t *comm) noexcept;
  // Informs members that have not been informed. Called again after a death, and while has_untold()
  // is true.
  void spread() noexcept;
  [[nodiscard]] bool has_untold() const noexcept { return spreading_.has_untold(); }
  // Called when a member could not process the message yet: it is sent again.
  void tell_again(std::int32_t rank) noexcept;
  // Discards messages that have arrived, once the communicator is revoked. This function and the
  // next one are called without the device's lock. Returns false if memory is exhausted; must be
  // called again later.
  [[nodiscard]] bool drain() noexcept;
  // Stops discarding. Returns false if it must be called again after some progress.
  [[nodiscard]] bool withdraw() noexcept;

private:
  static constexpr int kDrains = 5;

  [[nodiscard]] bool has_died(std::int32_t rank) const noexcept;

  avrm_comm_t *plane_;
  std::uint32_t context_;
  Awaiter &awaiter_;
  bool is_on_ = false;
  // Maps whose peers are not connected: of all members, of the node (in an intercommunicator, of
  // this process's group), and of the roots.
  avrm_rankmap_t members_{};
  avrm_rankmap_t node_{};
  avrm_rankmap_t roots_{};
  Request *drains_[kDrains] = {};
  Spreading spreading_;
};

} // namespace avrankmap::detail

#endif
