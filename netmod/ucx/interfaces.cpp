// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/interfaces.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

namespace avrankmap::detail::ucx {

namespace {

bool is_bridge(std::string_view name) noexcept {
  char path[64 + IF_NAMESIZE];
  (void)std::snprintf(path, sizeof path, "/sys/class/net/%.*s/bridge", static_cast<int>(name.size()), name.data());
  return access(path, F_OK) == 0;
}

// Returns the name of an interface without the label of a second address (eth0:1).
std::string_view name_of(const ifaddrs &entry) noexcept {
  const std::string_view name = entry.ifa_name;
  return name.substr(0, name.find(':'));
}

// True if UCX uses the interface: it is up and has an IPv4 address, or an IPv6 address that is not
// link-local.
bool is_usable(const ifaddrs &entry) noexcept {
  constexpr unsigned kUp = IFF_UP | IFF_RUNNING;
  if (entry.ifa_addr == nullptr || (entry.ifa_flags & kUp) != kUp) {
    return false;
  }
  if (entry.ifa_addr->sa_family != AF_INET6) {
    return entry.ifa_addr->sa_family == AF_INET;
  }
  sockaddr_in6 address;
  std::memcpy(&address, entry.ifa_addr, sizeof address);
  return !IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr);
}

bool contains_name(std::string_view list, std::string_view name) noexcept {
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    if (list.substr(0, end) == name) {
      return true;
    }
    list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
  }
  return false;
}

} // namespace

bool interfaces_but_bridges(char *list, std::size_t room) noexcept {
  ifaddrs *first = nullptr;
  if (getifaddrs(&first) != 0) {
    return false;
  }
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> owner(first, freeifaddrs);
  bool any_bridge = false;
  bool any_other = false;
  std::size_t bytes = 0;
  for (const ifaddrs *entry = first; entry != nullptr; entry = entry->ifa_next) {
    const std::string_view name = name_of(*entry);
    if (!is_usable(*entry) || contains_name({list, bytes}, name)) {
      continue;
    }
    if (is_bridge(name)) {
      any_bridge = true;
      continue;
    }
    const int length = std::snprintf(list + bytes, room - bytes, "%s%.*s", bytes == 0 ? "" : ",",
                                     static_cast<int>(name.size()), name.data());
    if (length < 0 || static_cast<std::size_t>(length) >= room - bytes) {
      return false;
    }
    bytes += static_cast<std::size_t>(length);
    any_other = any_other || (entry->ifa_flags & IFF_LOOPBACK) == 0;
  }
  return any_bridge && any_other;
}

} // namespace avrankmap::detail::ucx
