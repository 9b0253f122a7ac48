// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ports: how the roots of two groups of different jobs find one another. A port is a TCP socket
// that listens; its name says where, and has a random number that clients must know.
#ifndef AVRANKMAP_SRC_DYNAMIC_PORT_H
#define AVRANKMAP_SRC_DYNAMIC_PORT_H

#include <cstdint>

#include "avrankmap/dynamic.h"
#include "dynamic/socket.h"

namespace avrankmap::detail {

// What a port name says.
struct PortName {
  static constexpr int kMostAddresses = 8;
  std::uint64_t secret[2] = {};
  std::uint16_t number = 0;
  int count = 0;
  std::uint32_t addresses[kMostAddresses] = {}; // IPv4, network byte order

  // AVRM_ERR_PORT.
  [[nodiscard]] avrm_status_t parse(const char *text) noexcept;
  void print(char (&text)[AVRM_PORT_MAX]) const noexcept;
};

struct Port {
  Port *next = nullptr;
  Socket socket;
  PortName name;
  int users = 0; // threads in accept
};

[[nodiscard]] avrm_status_t listen_at(bool local_only, Port *port) noexcept;
// The next client that knows the port's secret and goes on waiting. Others are turned away.
[[nodiscard]] avrm_status_t accept_at(const Port &port, Waiting &waiting, Socket *socket_p) noexcept;
[[nodiscard]] avrm_status_t connect_to(const PortName &name, Waiting &waiting, Socket *socket_p) noexcept;

} // namespace avrankmap::detail

#endif
