// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sending with the device's lock held and the arguments checked.
#ifndef AVRANKMAP_SRC_P2P_SEND_H
#define AVRANKMAP_SRC_P2P_SEND_H

#include "core/peers/connect.h"

namespace avrankmap::detail {

// Sends contiguous bytes. AVRM_ERR_NULL for data at null.
// @param prepared  a request to use in any case, which owns the buffer; or null
[[nodiscard]] avrm_status_t send_bytes(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const void *buffer,
                                       std::size_t bytes, avrm_request_t **request_p,
                                       Request *prepared = nullptr) noexcept;
// AVRM_ERR_SIZE for a layout whose blocks overlap or leave the address space, AVRM_ERR_NULL
// for data at null.
[[nodiscard]] avrm_status_t send_message(avrm_comm_t *comm, const Peer &dest, std::uint64_t match, const void *buffer,
                                         const avrm_layout_t &layout, avrm_request_t **request_p) noexcept;

} // namespace avrankmap::detail

#endif
