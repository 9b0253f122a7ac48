// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/port.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/random.h"

namespace avrankmap::detail {

namespace {

// The number that the system chose for the first address may be in use at another address.
constexpr int kMostTries = 8;

// True for addresses that other machines can use. They cannot use link-local IPv6 addresses without
// naming an interface.
bool is_useful(const ifaddrs &entry, const char *interface) noexcept {
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & IFF_UP) == 0) {
    return false;
  }
  if (*interface != '\0' ? std::strcmp(entry.ifa_name, interface) != 0 : (entry.ifa_flags & IFF_LOOPBACK) != 0) {
    return false;
  }
  if (entry.ifa_addr->sa_family == AF_INET) {
    return true;
  }
  const bool is_v6 = entry.ifa_addr->sa_family == AF_INET6;
  return is_v6 && !IN6_IS_ADDR_LINKLOCAL(&reinterpret_cast<const sockaddr_in6 *>(entry.ifa_addr)->sin6_addr);
}

// Finds the addresses at which other machines reach this one, IPv4 first.
avrm_status_t find_addresses(const char *interface, bool with_v6, PortName *name) noexcept {
  ifaddrs *raw = nullptr;
  if (getifaddrs(&raw) != 0) {
    return AVRM_ERR_SYSTEM;
  }
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> list(raw, freeifaddrs);
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs *entry = list.get(); entry != nullptr; entry = entry->ifa_next) {
      if (name->count < PortName::kMostAddresses && is_useful(*entry, interface) &&
          entry->ifa_addr->sa_family == family && (family == AF_INET || with_v6)) {
        name->addresses[name->count++] = IpAddress::of(entry->ifa_addr);
      }
    }
  }
  return AVRM_OK;
}

// Listens at one address. If *number_p is 0, the system chooses the number. Sets errno on failure.
bool listen_one(const IpAddress &address, std::uint16_t *number_p, Socket *socket_p) noexcept {
  Socket made(socket(address.family(), SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) {
    return false;
  }
  const int both = 0; // the "any" address accepts both families
  if (address.is_v6 && setsockopt(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof both) != 0) {
    return false;
  }
  sockaddr_storage where{};
  socklen_t bytes = address.with_port(*number_p, &where);
  if (bind(made.get(), reinterpret_cast<const sockaddr *>(&where), bytes) != 0 || listen(made.get(), SOMAXCONN) != 0 ||
      getsockname(made.get(), reinterpret_cast<sockaddr *>(&where), &bytes) != 0) {
    return false;
  }
  *number_p = ntohs(address.is_v6 ? reinterpret_cast<const sockaddr_in6 &>(where).sin6_port
                                  : reinterpret_cast<const sockaddr_in &>(where).sin_port);
  *socket_p = std::move(made);
  return true;
}

// Listens at all addresses of the name, with the same port number.
avrm_status_t listen_at_each(Listeners *port) noexcept {
  PortName &name = port->name;
  for (int tries = 0; tries < kMostTries; ++tries) {
    name.number = 0;
    port->listener_count = 0;
    int error = 0;
    for (int i = 0; i < name.count && error != EADDRINUSE; ++i) {
      const bool listens = listen_one(name.addresses[i], &name.number, &port->listeners[port->listener_count]);
      error = listens ? 0 : errno;
      port->listener_count += listens ? 1 : 0;
    }
    if (error != EADDRINUSE) {
      break;
    }
  }
  return port->listener_count != 0 ? AVRM_OK : AVRM_ERR_SYSTEM;
}

avrm_status_t listen_everywhere(Listeners *port) noexcept {
  PortName &name = port->name;
  const bool with_v6 = listen_one(IpAddress::any_v6(), &name.number, &port->listeners[0]);
  if (!with_v6 && !listen_one(IpAddress::any_v4(), &name.number, &port->listeners[0])) {
    return AVRM_ERR_SYSTEM;
  }
  port->listener_count = 1;
  const avrm_status_t status = find_addresses("", with_v6, &name);
  if (name.count == 0) {
    name.addresses[name.count++] = IpAddress::loopback();
  }
  return status;
}

} // namespace

avrm_status_t listen_at(const char *interface, bool local_only, Listeners *port) noexcept {
  PortName &name = port->name;
  if (const avrm_status_t status = fill_random(&name.secret, sizeof name.secret); status != AVRM_OK) {
    return status;
  }
  if (*interface != '\0') {
    const avrm_status_t status = find_addresses(interface, true, &name);
    return status != AVRM_OK ? status : name.count == 0 ? AVRM_ERR_OPTION : listen_at_each(port);
  }
  if (local_only) {
    name.addresses[name.count++] = IpAddress::loopback();
    return listen_at_each(port);
  }
  return listen_everywhere(port);
}

avrm_status_t accept_at(Port &port, Waiting &waiting, Socket *socket_p) noexcept {
  avrm_status_t status = AVRM_OK;
  while (status == AVRM_OK && !socket_p->is_open()) {
    status = waiting.go_on();
    if (status == AVRM_OK) {
      status = port.handshakes.serve(port.listeners, port.listener_count, socket_p);
    }
  }
  return status;
}

} // namespace avrankmap::detail
