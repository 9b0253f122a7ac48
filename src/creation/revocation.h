// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator that was revoked, in one of its members: it refuses messages, drops those of
// others, who may wait for them to be taken, and tells some other members once.
//
// The news goes to the members at distances 1, 2, 4 and so on, cyclically, which is the fastest,
// and reaches everyone because of the first of them: each member that has the news sees to it that
// the next one that lives has it, too. When that one dies, the member behind it is told.
#ifndef AVRANKMAP_SRC_CREATION_REVOCATION_H
#define AVRANKMAP_SRC_CREATION_REVOCATION_H

#include "avrankmap/rankmap.h"
#include "comm/channel.h"
#include "core/active.h"
#include "core/device.h"

namespace avrankmap::detail {

class Revocation {
public:
  // `plane` is the copy of a plane that drains use; it outlives this.
  Revocation(avrm_comm_t *plane, std::uint32_t context) noexcept : plane_(plane), context_(context) {}

  [[nodiscard]] bool is_on() const noexcept { return is_on_; }
  // Revokes a communicator. With the device's lock held, as the next one is.
  void begin(avrm_comm_t *comm) noexcept;
  // Tells the others what they have not been told yet. Called again when a process has died, and
  // while someone is untold.
  void spread() noexcept;
  [[nodiscard]] bool has_untold() const noexcept { return untold_ != 0; }
  // A member could not hear it yet.
  void tell_again(std::int32_t rank) noexcept;
  // Takes what has come, once it is revoked. Without the device's lock, as the next one is.
  void drain() noexcept;
  // Stops doing so; false: once more after some progress.
  [[nodiscard]] bool withdraw() noexcept;

private:
  static constexpr int kDrains = 5;

  void blind(avrm_comm_t *comm, avrm_rankmap_t *map) noexcept;
  [[nodiscard]] std::int32_t next_living(std::int64_t distance) const noexcept;

  avrm_comm_t *plane_;
  std::uint32_t context_;
  bool is_on_ = false;
  // Maps on which nobody is connected: of all members, of the node's, and of the roots.
  avrm_rankmap_t members_{};
  avrm_rankmap_t node_{};
  avrm_rankmap_t roots_{};
  Request *drains_[kDrains] = {};
  std::uint32_t untold_ = 0;    // bit i: the member at distance 2^i
  std::int32_t told_ = kNobody; // the next one
};

} // namespace avrankmap::detail

#endif
