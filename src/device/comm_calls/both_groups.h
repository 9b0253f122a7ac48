// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All members of a communicator in one order: by rank or, in an intercommunicator, the members of
// one group followed by those of the other. The order is the same in all members.
#ifndef AVRANKMAP_SRC_COMM_CALLS_BOTH_GROUPS_H
#define AVRANKMAP_SRC_COMM_CALLS_BOTH_GROUPS_H

#include "core/device.h"

namespace avrankmap::detail {

// Requires the device's lock.
struct BothGroups {
  explicit BothGroups(const avrm_comm_t *comm) noexcept;

  // Creates an unbound map of all members.
  // @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (more than 2^31 - 1 members)
  [[nodiscard]] avrm_status_t map(MapOwner *map_p) const noexcept;
  // True if `process` has that place. If this process has reused the context id of a freed
  // communicator, messages of members that have not freed it may still arrive.
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
