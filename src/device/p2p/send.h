// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sending with the device's lock held and the arguments checked.
#ifndef AVRANKMAP_SRC_P2P_SEND_H
#define AVRANKMAP_SRC_P2P_SEND_H

#include "core/device.h"

namespace avrankmap::detail {

// Whom to send to: a rank in the communicator or, if that is negative, a process of the own world.
struct Destination {
  std::int32_t rank;
  std::int32_t lpid;
  [[nodiscard]] avrm_gpid_t process_in(const avrm_comm_t *comm) const noexcept {
    return rank >= 0 ? gpid_of(comm, rank) : avrm_gpid_t{kOwnWorld, lpid};
  }
};

// AVRM_ERR_SIZE for a layout whose blocks overlap or leave the address space, AVRM_ERR_NULL
// for data at null.
[[nodiscard]] avrm_status_t send_message(avrm_comm_t *comm, const Destination &dest, std::uint64_t match,
                                         const void *buffer, const avrm_layout_t &layout,
                                         avrm_request_t **request_p) noexcept;

} // namespace avrankmap::detail

#endif
