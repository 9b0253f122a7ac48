// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Ports and links: how processes of different worlds find one another. A port is a TCP socket that listens; its name says
// where, and has a random number that clients must know. The roots of two groups meet there. The connection, a link, carries
// what the groups have to tell one another before they know addresses of the transports. It is kept as long as one of the
// worlds beyond it is known: it tells of deaths, and its own end is one, unless it was announced.
#ifndef AVRANKMAP_SRC_CORE_LINK_H
#define AVRANKMAP_SRC_CORE_LINK_H

#include "avrankmap/dynamic.h"
#include "comm/channel.h"
#include "core/worlds.h"

namespace avrankmap::detail {

// Owns a descriptor.
class Socket {
public:
  Socket() noexcept = default;
  explicit Socket(int descriptor) noexcept : descriptor_(descriptor) {}
  Socket(Socket &&other) noexcept : descriptor_(other.release()) {}
  Socket &operator=(Socket &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~Socket();
  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] bool is_open() const noexcept { return descriptor_ >= 0; }
  int release() noexcept { return std::exchange(descriptor_, -1); }

private:
  int descriptor_ = -1;
};

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

// After a call for a socket that may be made again: nothing moves, or the system is short of something. Neither says anything
// of the other side.
[[nodiscard]] bool may_be_repeated() noexcept;

// What a root does while it waits for the other.
class Waiting {
public:
  virtual ~Waiting() = default;
  // Makes progress. The status with which waiting ends, or AVRM_OK to go on.
  [[nodiscard]] virtual avrm_status_t go_on() noexcept = 0;
};

[[nodiscard]] avrm_status_t listen_at(bool local_only, Port *port) noexcept;
// The next client that knows the port's secret and goes on waiting. Others are turned away.
[[nodiscard]] avrm_status_t accept_at(const Port &port, Waiting &waiting, Socket *socket_p) noexcept;
[[nodiscard]] avrm_status_t connect_to(const PortName &name, Waiting &waiting, Socket *socket_p) noexcept;

// The two roots, for collective algorithms. Each is rank 0 of one. Not connected, it has nobody to send to.
class LinkChannel final : public Channel {
public:
  LinkChannel(Memory &memory, FrameStack &frames, Waiting &waiting) noexcept
      : Channel(memory, frames, 0, 1), waiting_(waiting) {}
  Socket socket;

  [[nodiscard]] bool start(Transfer *transfer) noexcept override;

private:
  Waiting &waiting_;
};

struct Link {
  Link *next = nullptr;
  Socket socket;
  MapOwner group; // the own side: who wants to know
  std::int32_t count = 0;
  WorldName *beyond = nullptr;
  std::size_t filled = 0;
  unsigned char partial[32] = {}; // what has come of the next notice
};

// All with the device's lock held.

// A link between two groups, without its socket. And its end, if it was never opened.
[[nodiscard]] avrm_status_t new_link(avrm_device_t *device, const avrm_rankmap_t *own, const avrm_rankmap_t *other,
                                     Link **link_p) noexcept;
void free_link(avrm_device_t *device, Link *link) noexcept;
// Keeps a connection, if it leads to another world.
void open_link(avrm_device_t *device, Link *link, Socket &&socket) noexcept;
// Ends links that lead to no world that is known.
void close_idle_links(avrm_device_t *device) noexcept;
// Looks for notices; now and then only.
void serve_links(avrm_device_t *device) noexcept;
// Tells the worlds beyond all links of the deaths in this one.
void tell_links(avrm_device_t *device) noexcept;
void close_ports(avrm_device_t *device) noexcept;
// A notice that a process of the own group passes on.
void on_passed_notice(avrm_device_t *device, const ActiveHeader &header) noexcept;

} // namespace avrankmap::detail

#endif
