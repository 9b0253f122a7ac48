// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring in which processes of a world watch each other unless the launcher is certain to report
// deaths; PMIx and PMI-2 launchers are not. Each process watches the next two live ones. A process
// of the same node is watched with a pidfd, any other with a TCP connection, which its kernel
// closes when it dies. There are therefore no heartbeats, and a process that computes or is stopped
// for a long time is not suspected.
//
//   watcher                           watched peer
//   connects to the addresses that the watched peer has published, one after the other
//   kAsk, first half of the secret  ------>
//              <------  kAnswer, second half
//              <------  kClosing   before it closes its device
//
// The answer proves that the port still belongs to the watched peer. From then on the end of the
// connection means that the watched peer has died. If the peer's machine no longer acknowledges
// packets, all processes of its node with lpids consecutive to its own are considered dead.
//
// If a watched peer died before it was connected, its machine refuses the connection; a firewall
// may do the same. A refusal counts as a death only once this process has been connected in the
// ring to a process of another node, which rules out a firewall. Until then such peers are skipped,
// and tried again later. After too many of them in a row, this process stops watching new ones.
#ifndef AVRANKMAP_SRC_LIVENESS_RING_WATCH_RING_H
#define AVRANKMAP_SRC_LIVENESS_RING_WATCH_RING_H

#include <chrono>
#include <cstdint>

#include "core/device.h"
#include "dynamic/port.h"
#include "liveness/ring/successors.h"

namespace avrankmap::detail {

class WatchRing {
public:
  using Clock = std::chrono::steady_clock;

  // The address at which a process is watched. Published by each process, and not trusted.
  struct WatchAddress {
    std::int32_t first = 0; // of the consecutive lpids of its node
    std::int32_t last = 0;
    PortName name; // without addresses, only its own node watches it

    [[nodiscard]] bool is_sound(std::int32_t lpid, std::int32_t size) const noexcept {
      return first >= 0 && first <= lpid && lpid <= last && last < size && name.count >= 0 &&
             name.count <= PortName::kMostAddresses;
    }
  };
  static constexpr std::int32_t kSlot = AVRM_BOOT_SLOTS - 2;

  // The first message of each side of a connection.
  struct WatchHandshake {
    static constexpr std::uint32_t kAsk = 0x61767277;    // "avrw"
    static constexpr std::uint32_t kAnswer = 0x61767261; // "avra"
    static constexpr std::uint32_t kVersion = 1;

    std::uint32_t magic;
    std::uint32_t version;
    std::uint64_t half; // of the watched peer's secret
    std::uint64_t node; // the sender's
  };
  static constexpr char kClosing = 'g';

  static constexpr int kMostInbound = 8;

  WatchRing(const avrm_device_t *device, bool by_sockets) noexcept
      : successors_(device->rank, device->size), by_sockets_(by_sockets) {}
  WatchRing(const WatchRing &) = delete;
  WatchRing &operator=(const WatchRing &) = delete;
  // Sends kClosing to all watchers.
  ~WatchRing();

  [[nodiscard]] avrm_status_t listen(const avrm_device_t *device) noexcept;
  [[nodiscard]] const PortName &name() const noexcept { return own_.name; }
  // Requires the device's lock. Polls all sockets, without waiting.
  void look(avrm_device_t *device) noexcept;

private:
  // kConnection, kAnswer, kEnd: the event that is awaited. kSilence: not connected. kLeft: the peer
  // has sent kClosing. kElsewhere: a pidfd reports the peer's end.
  enum class Stage : std::uint8_t { kNone, kElsewhere, kConnection, kAnswer, kEnd, kSilence, kLeft };
  struct WatchedPeer {
    Stage stage = Stage::kNone;
    std::int32_t lpid = kNobody;
    int address = 0; // the next one
    int tries = 0;
    bool is_refused = false; // at one of its addresses
    Socket socket;
    Clock::time_point since{}; // of kConnection, kSilence, kLeft
    ByteCursor in = kNothing;
    unsigned char heard[sizeof(WatchHandshake)] = {};
    WatchAddress post;
  };
  // An inbound connection: from a watcher, or from an unknown process.
  struct InboundConnection {
    Socket socket;
    Clock::time_point since{};
    bool is_known = false;
    ByteCursor in = kNothing;
    unsigned char heard[sizeof(WatchHandshake)] = {};
  };
  static constexpr int kMostMissed = 64;

  void watch_next(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void connect_on(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void go_on(avrm_device_t *device, WatchedPeer *peer, bool is_ready) noexcept;
  void on_connected(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void on_answer(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void on_end(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void on_left(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void on_proof(avrm_device_t *device) noexcept;
  void give_up(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void miss(avrm_device_t *device, WatchedPeer *peer) noexcept;
  void hear(avrm_device_t *device, InboundConnection *inbound) noexcept;
  void let_in(avrm_device_t *device, const Socket &listener) noexcept;
  [[nodiscard]] InboundConnection *place() noexcept;

  Successors successors_;
  bool by_sockets_;
  bool is_over_ = false;
  bool is_proven_ = false; // nodes can reach each other
  int missed_ = 0;         // consecutive peers that could not be watched
  std::int32_t first_missed_ = kNobody;
  Listeners own_;
  WatchedPeer peers_[Successors::kCount];
  InboundConnection inbound_[kMostInbound];
};

// Listens, and publishes the address of this process, before the fence of avrm_device_open. If it
// cannot listen, other nodes do not watch it, which is reported.
[[nodiscard]] avrm_status_t open_watch_ring(avrm_device_t *device) noexcept;
void close_watch_ring(avrm_device_t *device) noexcept;
void poll_watch_ring(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
