// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All members of a communicator in one order: by rank or, in an intercommunicator, those of one
// group followed by those of the other. The order is the same in all members.
#ifndef AVRANKMAP_SRC_COMM_CALLS_BOTH_GROUPS_H
#define AVRANKMAP_SRC_COMM_CALLS_BOTH_GROUPS_H

#include "core/device.h"

namespace avrankmap::detail {

// Requires the device's lock.
struct BothGroups {
  explicit BothGroups(const avrm_comm_t *comm) noexcept;

  // Creates a map of all members, not bound.
  // @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (more than 2^31 - 1 members)
  [[nodiscard]] avrm_status_t map(MapOwner *map_p) const noexcept;
  // True if a process has that place. A context id may be reused by a process that has freed the
  // communicator; a process that has not freed it is not a member of the later communicator.
  [[nodiscard]] bool has(std::int32_t place, avrm_gpid_t process) const noexcept;
  // The place of rank 0 of the local group.
  [[nodiscard]] std::int32_t own_start() const noexcept { return own_is_second_ ? first_->size : 0; }

private:
  const avrm_rankmap_t *first_;
  const avrm_rankmap_t *second_ = nullptr; // of an intercommunicator
  bool own_is_second_ = false;
};

} // namespace avrankmap::detail

#endif
