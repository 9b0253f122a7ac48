// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The name of a port: where it listens, and the secret that both sides must know.
//
//   avrm2/<secret, 32 hexadecimal digits>/<TCP port>/<address>,<address>,...
#ifndef AVRANKMAP_SRC_DYNAMIC_PORT_NAME_H
#define AVRANKMAP_SRC_DYNAMIC_PORT_NAME_H

#include <netinet/in.h>

#include <cstdint>

#include "avrankmap/device/dynamic.h"
#include "core/keyed_hash.h"

namespace avrankmap::detail {

// An IP address, without a TCP port.
struct IpAddress {
  bool is_v6 = false;
  in6_addr bytes{}; // IPv4 uses the first four

  // `where` has family AF_INET or AF_INET6.
  [[nodiscard]] static IpAddress of(const sockaddr *where) noexcept;
  [[nodiscard]] static IpAddress loopback() noexcept;
  [[nodiscard]] static IpAddress any_v4() noexcept { return {}; }
  [[nodiscard]] static IpAddress any_v6() noexcept { return {true, in6addr_any}; }
  [[nodiscard]] int family() const noexcept { return is_v6 ? AF_INET6 : AF_INET; }
  // Writes a socket address with this address and a TCP port. Returns the size of the socket
  // address.
  socklen_t with_port(std::uint16_t number, sockaddr_storage *where_p) const noexcept;
};

struct PortName {
  static constexpr int kMostAddresses = 8;
  Secret secret;
  std::uint16_t number = 0;
  int count = 0;
  IpAddress addresses[kMostAddresses] = {};

  // Returns AVRM_OK or AVRM_ERR_PORT.
  [[nodiscard]] avrm_status_t parse(const char *text) noexcept;
  // Omits the last addresses if there is no room for them.
  void print(char (&text)[AVRM_PORT_MAX]) const noexcept;
  // Returns a number that both sides derive from the secret, and that does not reveal the secret.
  [[nodiscard]] std::uint32_t seed() const noexcept;
};

} // namespace avrankmap::detail

#endif
