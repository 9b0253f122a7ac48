// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stranger's sockets, on loopback only.
#ifndef AVRANKMAP_TESTS_HOSTILE_STRANGER_H
#define AVRANKMAP_TESTS_HOSTILE_STRANGER_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "dynamic/socket.h"

namespace avrankmap::test {

using detail::Socket;

inline sockaddr_in at_loopback(const char *address, std::uint16_t number) {
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(number);
  (void)inet_pton(AF_INET, address, &where.sin_addr);
  return where;
}

// Not open if nobody listens there.
inline Socket knock(std::uint16_t number) {
  Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in where = at_loopback("127.0.0.1", number);
  return connect(made.get(), reinterpret_cast<const sockaddr *>(&where), sizeof where) == 0 ? std::move(made)
                                                                                            : Socket();
}

template <typename T> std::string bytes_of(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}

inline void say(const Socket &socket, std::string_view bytes) {
  (void)::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Milliseconds after which a stranger gives up. Far longer than anything takes on a busy machine.
constexpr int kTimeoutMs = 100000;

// Waits for that many bytes. Fewer if the other side ends, or says no more.
inline std::string hear(const Socket &socket, std::size_t bytes) {
  std::string heard;
  while (heard.size() < bytes) {
    pollfd entry{socket.get(), POLLIN, 0};
    char buffer[4096];
    const ssize_t got = poll(&entry, 1, kTimeoutMs) == 1
                            ? recv(socket.get(), buffer, std::min(sizeof buffer, bytes - heard.size()), 0)
                            : 0;
    if (got <= 0) {
      break;
    }
    heard.append(buffer, static_cast<std::size_t>(got));
  }
  return heard;
}

// True if the other side closes the connection.
inline bool is_turned_away(const Socket &socket) {
  pollfd entry{socket.get(), POLLIN, 0};
  char byte = 0;
  return poll(&entry, 1, kTimeoutMs) == 1 && recv(socket.get(), &byte, 1, 0) <= 0;
}

// Listens at another address of loopback, and serves each client by a function.
class Impostor {
public:
  Impostor(const char *address, std::uint16_t number, std::function<void(Socket)> serve)
      : listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in where = at_loopback(address, number);
    is_there_ = bind(listener_.get(), reinterpret_cast<const sockaddr *>(&where), sizeof where) == 0 &&
                listen(listener_.get(), 64) == 0;
    thread_ = std::thread([this, serve = std::move(serve)] {
      while (!ends_) {
        pollfd entry{listener_.get(), POLLIN, 0};
        if (is_there_ && poll(&entry, 1, 10) == 1) {
          serve(Socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
        }
      }
    });
  }
  ~Impostor() {
    ends_ = true;
    thread_.join();
  }
  Impostor(const Impostor &) = delete;
  Impostor &operator=(const Impostor &) = delete;
  [[nodiscard]] bool is_there() const { return is_there_; }

private:
  Socket listener_;
  std::atomic<bool> is_there_{false};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

// Lets this process have that many descriptors, or as many as the system allows.
inline void allow_descriptors(rlim_t count) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count) {
    limit.rlim_cur = std::min(count, limit.rlim_max);
    (void)setrlimit(RLIMIT_NOFILE, &limit);
  }
}

} // namespace avrankmap::test

#endif
