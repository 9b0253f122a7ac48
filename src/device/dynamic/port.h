// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ports: how the roots of two groups of different jobs find one another. A port is a number of TCP
// sockets that listen, and its clients.
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

// Listens on an interface; on loopback if `interface` is empty and `local_only` is set; else
// everywhere. AVRM_ERR_OPTION: no such interface, or one without an address.
[[nodiscard]] avrm_status_t listen_at(const char *interface, bool local_only, Listeners *port) noexcept;
// The next client that proves that it knows the port's secret, and goes on waiting.
[[nodiscard]] avrm_status_t accept_at(Port &port, Waiting &waiting, Socket *socket_p) noexcept;

} // namespace avrankmap::detail

#endif
