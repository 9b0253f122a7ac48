// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ports, at which the roots of groups in different jobs find each other. A port consists of
// listening TCP sockets and the clients whose handshakes are in progress.
#ifndef AVRANKMAP_SRC_DYNAMIC_PORT_H
#define AVRANKMAP_SRC_DYNAMIC_PORT_H

#include "dynamic/handshake_server.h"
#include "dynamic/port_name.h"
#include "dynamic/socket.h"

namespace avrankmap::detail {

struct Listeners {
  PortName name;
  Socket listeners[PortName::kMostAddresses];
  int listener_count = 0;
};

struct Port : Listeners {
  Port *next = nullptr;
  HandshakeServer handshakes{name.secret};
  int users = 0; // threads in accept
};

// Listens on an interface. If `interface` is empty, listens on loopback if `local_only` is set,
// otherwise on all interfaces. Returns AVRM_ERR_OPTION if the interface does not exist or has no
// address.
[[nodiscard]] avrm_status_t listen_at(const char *interface, bool local_only, Listeners *port) noexcept;
// Waits for a client that proves that it knows the port's secret and is still connected.
[[nodiscard]] avrm_status_t accept_at(Port &port, Waiting &waiting, Socket *socket_p) noexcept;

} // namespace avrankmap::detail

#endif
