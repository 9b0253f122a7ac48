// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix/connection.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

namespace avrankmap::detail {

namespace {

struct Address {
  int family = AF_UNSPEC;
  unsigned char bytes[sizeof(in6_addr)] = {};
  std::uint16_t port = 0;
  bool operator==(const Address &other) const noexcept {
    return family == other.family && port == other.port && std::memcmp(bytes, other.bytes, sizeof bytes) == 0;
  }
};

// Parses "namespace.rank;tcp4://127.0.0.1:40000".
std::optional<Address> parse_uri(std::string_view uri) noexcept {
  constexpr std::string_view kScheme = "://";
  const std::size_t start = uri.rfind(kScheme);
  const std::size_t colon = uri.rfind(':');
  if (start == std::string_view::npos || colon < start + kScheme.size()) {
    return std::nullopt;
  }
  Address address;
  const std::string_view port = uri.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  std::string_view host = uri.substr(start + kScheme.size(), colon - start - kScheme.size());
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  char text[INET6_ADDRSTRLEN] = "";
  if (error != std::errc() || end != port.data() + port.size() || host.size() >= sizeof text) {
    return std::nullopt;
  }
  host.copy(text, host.size());
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, text, address.bytes) == 1) {
      address.family = family;
      return address;
    }
  }
  return std::nullopt;
}

std::optional<Address> server_of(const pmix_proc_t &self) noexcept {
  const bool yes = true;
  pmix_info_t known = {}; // answers from local data, without a round trip
  PMIX_INFO_LOAD(&known, PMIX_OPTIONAL, &yes, PMIX_BOOL);
  pmix_value_t *value = nullptr;
  std::optional<Address> address;
  if (PMIx_Get(&self, PMIX_SERVER_URI, &known, 1, &value) == PMIX_SUCCESS && value != nullptr) {
    if (value->type == PMIX_STRING && value->data.string != nullptr) {
      address = parse_uri(value->data.string);
    }
    PMIX_VALUE_RELEASE(value);
  }
  PMIX_INFO_DESTRUCT(&known);
  return address;
}

// The address of a socket's other end; its family is AF_UNSPEC if the socket is not TCP.
Address peer_of(int socket) noexcept {
  sockaddr_storage name = {};
  socklen_t bytes = sizeof name;
  Address address;
  if (getpeername(socket, reinterpret_cast<sockaddr *>(&name), &bytes) != 0) {
    return address;
  }
  if (name.ss_family == AF_INET) {
    const auto &in = reinterpret_cast<const sockaddr_in &>(name);
    address.family = AF_INET;
    address.port = ntohs(in.sin_port);
    std::memcpy(address.bytes, &in.sin_addr, sizeof in.sin_addr);
  } else if (name.ss_family == AF_INET6) {
    const auto &in = reinterpret_cast<const sockaddr_in6 &>(name);
    address.family = AF_INET6;
    address.port = ntohs(in.sin6_port);
    std::memcpy(address.bytes, &in.sin6_addr, sizeof in.sin6_addr);
  }
  return address;
}

// True if both ends of a connection are closed, or if its state cannot be read.
bool is_closed(int socket) noexcept {
  tcp_info info = {};
  socklen_t bytes = sizeof info;
  return getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &bytes) != 0 || info.tcpi_state == TCP_CLOSE ||
         info.tcpi_state == TCP_TIME_WAIT;
}

} // namespace

PmixConnection::PmixConnection(const pmix_proc_t &self) noexcept {
  const std::optional<Address> server = server_of(self);
  const std::unique_ptr<DIR, int (*)(DIR *)> descriptors(server ? opendir("/proc/self/fd") : nullptr, &closedir);
  for (const dirent *entry = nullptr;
       descriptors != nullptr && socket_ < 0 && (entry = readdir(descriptors.get())) != nullptr;) {
    const std::string_view name = entry->d_name;
    int descriptor = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), descriptor).ec == std::errc() &&
        peer_of(descriptor) == *server) {
      socket_ = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    }
  }
}

PmixConnection::~PmixConnection() {
  if (socket_ >= 0) {
    close(socket_);
  }
}

void PmixConnection::wait_for_server() const noexcept {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  // Ends early if another user of PMIx in this process still needs the connection.
  while (socket_ >= 0 && PMIx_Initialized() == 0 && !is_closed(socket_) && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

} // namespace avrankmap::detail
