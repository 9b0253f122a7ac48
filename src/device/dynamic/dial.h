// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The client's side of a port.
#ifndef AVRANKMAP_SRC_DYNAMIC_DIAL_H
#define AVRANKMAP_SRC_DYNAMIC_DIAL_H

#include "dynamic/port_name.h"
#include "dynamic/socket.h"

namespace avrankmap::detail {

// Connects to the server of a port. Tries all addresses concurrently and uses the first whose
// server proves that it knows the secret. Returns AVRM_ERR_PEER if there is none.
[[nodiscard]] avrm_status_t connect_to(const PortName &name, Waiting &waiting, Socket *socket_p) noexcept;

} // namespace avrankmap::detail

#endif
