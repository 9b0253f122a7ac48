// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/backlog.h"

#include <netinet/in.h>
#include <poll.h>
#include <rdma/fi_cm.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace avrankmap::detail::ofi {

namespace {

// Descriptors are allocated from the lowest number up.
constexpr int kMostClosed = 1024; // consecutive closed numbers after which the search ends

// Returns 0 if the address has no port.
in_port_t port_of(const sockaddr_storage &name) noexcept {
  switch (name.ss_family) {
  case AF_INET: return reinterpret_cast<const sockaddr_in &>(name).sin_port;
  case AF_INET6: return reinterpret_cast<const sockaddr_in6 &>(name).sin6_port;
  default: return 0;
  }
}

bool listens_at(int descriptor, in_port_t port) noexcept {
  int listens = 0;
  socklen_t bytes = sizeof listens;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &bytes) != 0 || listens == 0) {
    return false;
  }
  sockaddr_storage name{};
  bytes = sizeof name;
  return getsockname(descriptor, reinterpret_cast<sockaddr *>(&name), &bytes) == 0 && port_of(name) == port;
}

// Finds the listening socket, which libfabric does not expose, by the port in the name of an
// endpoint. Returns -1 if the provider has no listening socket.
int find_listener(fid_ep *endpoint) noexcept {
  sockaddr_storage own{};
  std::size_t bytes = sizeof own;
  if (fi_getname(&endpoint->fid, &own, &bytes) != 0 || port_of(own) == 0) {
    return -1;
  }
  for (int descriptor = 0, closed = 0; closed < kMostClosed; ++descriptor) {
    errno = 0;
    if (listens_at(descriptor, port_of(own))) {
      return descriptor;
    }
    closed = errno == EBADF ? closed + 1 : 0;
  }
  return -1;
}

// True if no descriptor is free to accept a connection.
bool lacks_descriptors() noexcept {
  const int attempt = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (attempt < 0) {
    return true;
  }
  close(attempt);
  return false;
}

} // namespace

void Backlog::look(fid_ep *endpoint, std::int64_t now) noexcept {
  polls_left_ = kPolls;
  if (now - last_look_ < kBetweenLooks) {
    return;
  }
  if (listener_ == kUnknown) {
    const int found = find_listener(endpoint);
    listener_ = found < 0 ? kNone : found;
  }
  pollfd waiting{listener_, POLLIN, 0};
  const bool was_stuck = is_stuck_;
  is_stuck_ = listener_ >= 0 && poll(&waiting, 1, 0) == 1 && lacks_descriptors();
  waited_ = is_stuck_ && was_stuck ? waited_ + std::min(now - last_look_, kLongestStep) : 0;
  last_look_ = now;
}

} // namespace avrankmap::detail::ofi
