// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// No call blocks for longer than a moment: the others of the group need this process's progress.
#include "dynamic/port.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace avrankmap::detail {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kPrefix = "avrm1/";
constexpr std::size_t kSecretDigits = 32;
// How long one address of a port may take to answer, and a client to say its secret.
constexpr std::chrono::seconds kPatience{2};

struct Hello {
  std::uint32_t magic = 0x61767270; // "avrp"
  std::uint32_t version = 2;        // of this, and of all that the two worlds have to agree on
  std::uint64_t secret[2] = {};

  [[nodiscard]] bool is_sound() const noexcept { return magic == Hello{}.magic && version == Hello{}.version; }
};

// Hex digits, lower case, as they are printed.
bool parse_secret(std::string_view text, std::uint64_t *secret) noexcept {
  for (const char c : text) {
    if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
      return false;
    }
  }
  const char *const middle = text.data() + kSecretDigits / 2;
  (void)std::from_chars(text.data(), middle, secret[0], 16);
  (void)std::from_chars(middle, text.data() + kSecretDigits, secret[1], 16);
  return true;
}

// Ends a waiting of its own before the one that it is part of.
class Briefly final : public Waiting {
public:
  explicit Briefly(Waiting &whole) noexcept : whole_(whole), end_(Clock::now() + kPatience) {}
  [[nodiscard]] avrm_status_t go_on() noexcept override {
    given_up_ = whole_.go_on();
    return given_up_ != AVRM_OK ? given_up_ : Clock::now() < end_ ? AVRM_OK : AVRM_ERR_TIMEOUT;
  }
  // How the whole waiting ended, if it did.
  [[nodiscard]] avrm_status_t given_up() const noexcept { return given_up_; }

private:
  Waiting &whole_;
  Clock::time_point end_;
  avrm_status_t given_up_ = AVRM_OK;
};

void tune(int descriptor) noexcept {
  const int yes = 1;
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  // A machine that is gone says nothing: noticed within half a minute.
  const int idle = 10;
  const int interval = 5;
  const int count = 4;
  (void)setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
}

sockaddr_in address_of(std::uint32_t address, std::uint16_t number) noexcept {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_addr.s_addr = address;
  where.sin_port = htons(number);
  return where;
}

// Where others reach this machine: all interfaces that are up, or itself only.
void find_addresses(bool local_only, PortName *name) noexcept {
  ifaddrs *list = nullptr;
  if (!local_only && getifaddrs(&list) == 0) {
    for (const ifaddrs *entry = list; entry != nullptr && name->count < PortName::kMostAddresses;
         entry = entry->ifa_next) {
      const bool usable = entry->ifa_addr != nullptr && entry->ifa_addr->sa_family == AF_INET &&
                          (entry->ifa_flags & IFF_UP) != 0 && (entry->ifa_flags & IFF_LOOPBACK) == 0;
      if (usable) {
        sockaddr_in where;
        std::memcpy(&where, entry->ifa_addr, sizeof where);
        name->addresses[name->count++] = where.sin_addr.s_addr;
      }
    }
    freeifaddrs(list);
  }
  if (name->count == 0) {
    name->addresses[name->count++] = htonl(INADDR_LOOPBACK);
  }
}

avrm_status_t connect_one(std::uint32_t address, std::uint16_t number, Waiting &waiting, Socket *socket_p) noexcept {
  Socket made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!made.is_open()) {
    return AVRM_ERR_SYSTEM;
  }
  const sockaddr_in where = address_of(address, number);
  if (::connect(made.get(), reinterpret_cast<const sockaddr *>(&where), sizeof where) != 0 && errno != EINPROGRESS) {
    return AVRM_ERR_PEER;
  }
  for (;;) {
    pollfd entry{made.get(), POLLOUT, 0};
    if (poll(&entry, 1, 0) > 0) {
      break;
    }
    const avrm_status_t status = pause_for(made.get(), POLLOUT, waiting);
    if (status != AVRM_OK) {
      return status;
    }
  }
  int error = 0;
  socklen_t bytes = sizeof error;
  if (getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &error, &bytes) != 0 || error != 0) {
    return AVRM_ERR_PEER;
  }
  *socket_p = std::move(made);
  return AVRM_OK;
}

} // namespace

avrm_status_t PortName::parse(const char *text) noexcept {
  std::string_view rest(text, strnlen(text, AVRM_PORT_MAX));
  *this = {};
  if (rest.size() == AVRM_PORT_MAX || !rest.starts_with(kPrefix)) {
    return AVRM_ERR_PORT;
  }
  rest.remove_prefix(kPrefix.size());
  if (rest.size() <= kSecretDigits || rest[kSecretDigits] != '/' ||
      !parse_secret(rest.substr(0, kSecretDigits), secret)) {
    return AVRM_ERR_PORT;
  }
  rest.remove_prefix(kSecretDigits + 1);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || number == 0 || end == rest.data() + rest.size() || *end != '/') {
    return AVRM_ERR_PORT;
  }
  rest.remove_prefix(static_cast<std::size_t>(end + 1 - rest.data()));
  for (bool more = true; more;) {
    const std::size_t length = std::min(rest.find(','), rest.size());
    char address[INET_ADDRSTRLEN] = {};
    if (count == kMostAddresses || length >= sizeof address) {
      return AVRM_ERR_PORT;
    }
    std::memcpy(address, rest.data(), length);
    if (inet_pton(AF_INET, address, &addresses[count]) != 1) {
      return AVRM_ERR_PORT;
    }
    ++count;
    more = length != rest.size();
    rest.remove_prefix(more ? length + 1 : length);
  }
  return AVRM_OK;
}

void PortName::print(char (&text)[AVRM_PORT_MAX]) const noexcept {
  int used = std::snprintf(text, sizeof text, "avrm1/%016llx%016llx/%u/", static_cast<unsigned long long>(secret[0]),
                           static_cast<unsigned long long>(secret[1]), unsigned{number});
  for (int i = 0; i < count; ++i) {
    char address[INET_ADDRSTRLEN] = {};
    (void)inet_ntop(AF_INET, &addresses[i], address, sizeof address);
    used +=
        std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), "%s%s", i == 0 ? "" : ",", address);
  }
}
// The longest name has room.
static_assert(kPrefix.size() + kSecretDigits + 7 + std::size_t{INET_ADDRSTRLEN} * PortName::kMostAddresses <
              AVRM_PORT_MAX);

avrm_status_t listen_at(bool local_only, Port *port) noexcept {
  PortName &name = port->name;
  if (getrandom(name.secret, sizeof name.secret, 0) != static_cast<ssize_t>(sizeof name.secret)) {
    return AVRM_ERR_SYSTEM;
  }
  Socket made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in where = address_of(htonl(local_only ? INADDR_LOOPBACK : INADDR_ANY), 0);
  socklen_t bytes = sizeof where;
  if (!made.is_open() || bind(made.get(), reinterpret_cast<const sockaddr *>(&where), sizeof where) != 0 ||
      listen(made.get(), SOMAXCONN) != 0 ||
      getsockname(made.get(), reinterpret_cast<sockaddr *>(&where), &bytes) != 0) {
    return AVRM_ERR_SYSTEM;
  }
  name.number = ntohs(where.sin_port);
  find_addresses(local_only, &name);
  port->socket = std::move(made);
  return AVRM_OK;
}

avrm_status_t accept_at(const Port &port, Waiting &waiting, Socket *socket_p) noexcept {
  for (;;) {
    Socket client(accept4(port.socket.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client.is_open()) {
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        return AVRM_ERR_SYSTEM;
      }
      const avrm_status_t status = pause_for(port.socket.get(), POLLIN, waiting);
      if (status != AVRM_OK) {
        return status;
      }
      continue;
    }
    tune(client.get());
    // It may be anybody, and may have given up.
    Briefly briefly(waiting);
    Hello hello{};
    Hello welcome{};
    avrm_status_t status = move_both(client.get(), kNothing, flow_of(&hello), briefly);
    const bool knows =
        hello.is_sound() && hello.secret[0] == port.name.secret[0] && hello.secret[1] == port.name.secret[1];
    if (status == AVRM_OK && knows) {
      Hello confirmed{};
      status = move_both(client.get(), flow_of(&welcome), flow_of(&confirmed), briefly);
      if (status == AVRM_OK && confirmed.is_sound()) {
        *socket_p = std::move(client);
        return AVRM_OK;
      }
    }
    if (briefly.given_up() != AVRM_OK) {
      return briefly.given_up();
    }
  }
}

avrm_status_t connect_to(const PortName &name, Waiting &waiting, Socket *socket_p) noexcept {
  avrm_status_t status = AVRM_ERR_PEER;
  for (int i = 0; i < name.count; ++i) {
    Socket made;
    Briefly briefly(waiting);
    status = connect_one(name.addresses[i], name.number, briefly, &made);
    if (briefly.given_up() != AVRM_OK) {
      return briefly.given_up();
    }
    if (status != AVRM_OK) {
      continue;
    }
    tune(made.get());
    Hello hello{};
    std::memcpy(hello.secret, name.secret, sizeof hello.secret);
    Hello welcome{};
    status = move_both(made.get(), flow_of(&hello), flow_of(&welcome), waiting);
    if (status == AVRM_OK && !welcome.is_sound()) {
      status = AVRM_ERR_PEER;
    }
    if (status == AVRM_OK) {
      Hello confirmed{};
      status = move_both(made.get(), flow_of(&confirmed), kNothing, waiting);
    }
    if (status == AVRM_OK) {
      *socket_p = std::move(made);
    }
    return status;
  }
  return status;
}

} // namespace avrankmap::detail
