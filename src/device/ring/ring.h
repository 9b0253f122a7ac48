// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring in which processes of a world watch one another, where no launcher reports deaths: each
// process watches the next two that live. One of its own node is watched by its pidfd, another one
// by a TCP connection, which its kernel closes when it dies. So nobody sends anything, and nobody
// is suspected because it computes, or is stopped, for long.
//
//   watcher                           ward
//   connects, to one address after the other that the ward has published
//   kAsk, first half of the secret  ------>
//              <------  kAnswer, second half
//              <------  kGoodbye   before it closes its device
//
// The answer shows that the ward's port has not become another's. Once it has come, the end of the
// connection is the ward's death, and one that the ward's machine no longer acknowledges is that of
// all processes of its node with consecutive lpids.
//
// A ward that died before has nobody who listens, and its machine refuses the connection. That is
// believed once this process has been connected in the ring with another node, so that no firewall
// refuses. Until then such wards are left out, and looked at again later. With too many of these in
// a row, the ring ends in this process.
#ifndef AVRANKMAP_SRC_RING_RING_H
#define AVRANKMAP_SRC_RING_RING_H

#include <chrono>
#include <cstdint>

#include "core/device.h"
#include "dynamic/port.h"
#include "ring/wards.h"

namespace avrankmap::detail {

class Ring {
public:
  using Clock = std::chrono::steady_clock;

  // How the others reach a process; published by each, and not trusted.
  struct Post {
    std::int32_t first = 0; // of the consecutive lpids of its node
    std::int32_t last = 0;
    PortName name; // no addresses: it is not watched

    [[nodiscard]] bool is_sound(std::int32_t lpid, std::int32_t size) const noexcept {
      return first >= 0 && first <= lpid && lpid <= last && last < size && name.count >= 0 &&
             name.count <= PortName::kMostAddresses;
    }
  };
  static constexpr std::int32_t kSlot = AVRM_BOOT_SLOTS - 2;

  // The first words of both sides of a connection.
  struct Said {
    static constexpr std::uint32_t kAsk = 0x61767277;    // "avrw"
    static constexpr std::uint32_t kAnswer = 0x61767261; // "avra"
    static constexpr std::uint32_t kVersion = 1;

    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t half; // of the ward's secret
    std::uint64_t node; // the speaker's
  };
  static constexpr char kGoodbye = 'g';

  static constexpr int kMostGuests = 8;

  Ring(const avrm_device_t *device, bool by_sockets) noexcept
      : wards_(device->rank, device->size), by_sockets_(by_sockets) {}
  Ring(const Ring &) = delete;
  Ring &operator=(const Ring &) = delete;
  // Says goodbye.
  ~Ring();

  [[nodiscard]] avrm_status_t listen(const avrm_device_t *device) noexcept;
  [[nodiscard]] const PortName &name() const noexcept { return own_.name; }
  // With the device's lock held. Looks at all sockets, without waiting.
  void look(avrm_device_t *device) noexcept;

private:
  // The next thing expected of a ward; kElsewhere: a pidfd tells of its end.
  enum class Stage : std::uint8_t { kNone, kElsewhere, kConnection, kAnswer, kEnd, kSilence, kLeft };
  struct Ward {
    Stage stage = Stage::kNone;
    std::int32_t lpid = kNobody;
    int address = 0; // the next one
    int tries = 0;
    bool is_refused = false; // at one of its addresses
    Socket socket;
    Clock::time_point since{}; // of kConnection, kSilence, kLeft
    Flow in = kNothing;
    unsigned char heard[sizeof(Said)] = {};
    Post post;
  };
  // One that connects: a watcher, or a stranger.
  struct Guest {
    Socket socket;
    Clock::time_point since{};
    bool is_known = false;
    Flow in = kNothing;
    unsigned char heard[sizeof(Said)] = {};
  };
  static constexpr int kMostMissed = 64;

  void watch_next(avrm_device_t *device, Ward *ward) noexcept;
  void connect_on(avrm_device_t *device, Ward *ward) noexcept;
  void go_on(avrm_device_t *device, Ward *ward, bool has_news) noexcept;
  void on_connected(avrm_device_t *device, Ward *ward) noexcept;
  void on_answer(avrm_device_t *device, Ward *ward) noexcept;
  void on_end(avrm_device_t *device, Ward *ward) noexcept;
  void on_left(avrm_device_t *device, Ward *ward) noexcept;
  void on_proof(avrm_device_t *device) noexcept;
  void give_up(avrm_device_t *device, Ward *ward) noexcept;
  void miss(avrm_device_t *device, Ward *ward) noexcept;
  void hear(avrm_device_t *device, Guest *guest) noexcept;
  void let_in(avrm_device_t *device, const Socket &listener) noexcept;
  [[nodiscard]] Guest *place() noexcept;

  Wards wards_;
  bool by_sockets_;
  bool is_over_ = false;
  bool is_proven_ = false; // nodes reach one another
  int missed_ = 0;         // wards in a row that could not be watched
  std::int32_t first_missed_ = kNobody;
  Listeners own_;
  Ward ward_[Wards::kCount];
  Guest guests_[kMostGuests];
};

// Publishes how to reach this process, and listens, before the fence of the opening. Without
// sockets or memory nobody watches it, which is reported.
[[nodiscard]] avrm_status_t open_ring(avrm_device_t *device) noexcept;
void close_ring(avrm_device_t *device) noexcept;
void look_at_ring(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
