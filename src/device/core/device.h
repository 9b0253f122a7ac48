// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The device object, and the functions on it that every part of the device needs.
#ifndef AVRANKMAP_SRC_CORE_DEVICE_H
#define AVRANKMAP_SRC_CORE_DEVICE_H

#include <atomic>
#include <mutex>

#include "av/instance.h"
#include "avrankmap/device/netmod.h"
#include "avrankmap/device/shmmod.h"
#include "comm_algorithms/contexts.h"
#include "core/active.h"
#include "core/communicator.h"
#include "core/match_bits.h"
#include "core/peers/local_net_peers.h"
#include "core/peers/retired_peers.h"
#include "core/progress/blocking_wait.h"
#include "core/progress/pace.h"
#include "core/progress/request.h"
#include "core/upcalls.h"
#include "liveness/failure_detector.h"

namespace avrankmap::detail {
// State of the folders above the core (open/whole.h).
struct DynamicState;    // dynamic/state.h
class Matcher;          // p2p/matcher.h
class PendingCreations; // comm_calls/pending.h
struct Queue;           // core/progress/queue.h
class WatchRing;        // liveness/ring/watch_ring.h
struct Windows;         // rma/window.h
struct World;           // core/peers/worlds.h
} // namespace avrankmap::detail

namespace avrankmap::detail {
// Whether shared memory reaches all processes of a job on one node (core/peers/node_sharing.h).
enum class NodeSharing : std::uint8_t { kUnseen, kShareMemory, kDiffer };
} // namespace avrankmap::detail

struct avrm_device {
  // cppcheck-suppress uninitMemberVar ; on purpose
  avrm_device(avrm_instance_t *component, const avrankmap::detail::Upcalls &calls) noexcept
      : upcalls(&calls), instance(component), contexts(component->memory), requests(component->memory),
        deferred(component->memory), unacknowledged(component->memory), local_net_peers(component->memory) {}

  // Each call of progress reads the following fields, which are in two cache lines, and the
  // deferred messages.
  avrm_netmod_t *net = nullptr;
  avrm_shmmod_t *shm = nullptr; // null: none
  avrm_boot_t *boot = nullptr;
  avrankmap::detail::Queue *queues = nullptr; // in addition to that of `net`
  // Number of links, launches, receives to be acknowledged and pending answers, for which progress
  // calls upcalls->serve.
  std::uint32_t served = 0;
  avrankmap::detail::ReadyList ready; // operations that serve_creations advances
  std::atomic<std::uint32_t> foreign_failures{0};
  std::uint32_t failures_seen = 0;
  std::uint32_t calls_to_look = 1; // calls of progress until the next check for failures
  std::uint32_t sleepers = 0;      // threads that wait to be woken
  const avrankmap::detail::Upcalls *upcalls;

  // Number of events and completed requests. If it is unchanged, a thread has missed nothing.
  std::uint64_t happened = 0;
  // Match bits that receives from the network ignore in addition to their own wildcards.
  std::uint64_t ignored_on_net = 0;
  // The netmod's poll_pause_ns, if the device is for one thread and no peer is reached through a
  // shmmod; otherwise 0.
  std::uint32_t poll_pause_ns = 0;
  std::uint32_t relax_count = 0;       // pause instructions in a sixtieth of that pause
  avrankmap::detail::NetworkPace pace; // of a device with a shmmod and a network

  std::uint32_t local_operations_left = 1; // local operations until one makes progress

  avrankmap::detail::BlockingWait blocking_wait;
  bool has_slept = false;           // since the last call of serve
  std::uint64_t seen_by_caller = 0; // events that the caller's event loop has seen
  bool is_armed = false;            // armed for the caller's event loop

  avrm_instance_t *instance;
  avrm_av_t *world_av = nullptr;
  avrm_comm_t *world = nullptr;
  avrankmap::detail::NumberTree<avrm_comm> comms; // all of them, by context id
  avrankmap::detail::Contexts contexts;
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::uint32_t node = 0;
  avrankmap::detail::MatchBits match_bits;
  avrm_codec_t codec = AVRM_CODEC_OFI;
  avrm_netmod_ops_t net_ops; // used if the table of a transport is incomplete
  avrm_shmmod_ops_t shm_ops;
  bool threads = false;
  bool receives_from_net = true; // false: no message can come over the network
  avrankmap::detail::RequestPool requests;
  avrankmap::detail::DeferredMessages deferred;
  avrankmap::detail::RequestList acknowledging; // receives of synchronous messages
  std::int64_t next_acknowledgement = 0;        // when to try again to reach their senders
  avrankmap::detail::SynchronousSends unacknowledged;
  avrankmap::detail::PeerList contacted;  // lpids of this world that have an AVE
  avrankmap::detail::ProcessName process; // this one
  avrankmap::detail::FailureDetector failure_detector;
  avrankmap::detail::LocalNetPeers local_net_peers;
  std::int64_t next_relay = 0;           // when to try again to find one for the shmmod
  bool launcher_is_gone = false;         // the launcher has ended, which was reported
  std::int64_t next_secret = 0;          // when to try again to fetch the secret
  bool reported_no_secret = false;       // a message without the secret of the job
  bool reported_non_member = false;      // a sender that is not a member
  bool reported_unshared_memory = false; // a process of this node that shares no memory
  avrankmap::detail::NodeSharing node_sharing = avrankmap::detail::NodeSharing::kUnseen;
  bool local_only = false; // addresses are valid on this machine only
  // True if all processes of this world know its nodes from the beginning.
  bool nodes_are_known = false;
  avrankmap::detail::WorldName name;          // of this world, once it is known
  avrankmap::detail::World *worlds = nullptr; // a list
  avrankmap::detail::NumberTree<avrankmap::detail::World> worlds_by_pgid;
  std::int32_t world_count = 0;
  avrankmap::detail::RetiredPeers retired;
  int world_exchanges = 0; // creations that may currently be adding worlds
  int comms_prepared = 0;  // communicators whose members are agreeing on a context id
  // The intercommunicator with the parents of a spawned job; null until it is first requested, and
  // after it was freed.
  avrm_comm_t *parent = nullptr;
  // Messages that this process has sent for collective operations.
  std::atomic<std::uint64_t> collective_messages{0};

  avrankmap::detail::Matcher *matcher = nullptr;
  avrankmap::detail::Windows *windows = nullptr;
  avrankmap::detail::PendingCreations *creations = nullptr;
  avrankmap::detail::DynamicState *dynamic = nullptr;
  avrankmap::detail::WatchRing *watch_ring = nullptr; // null: none

  void (*on_error)(void *user, avrm_status_t status, const char *text) = nullptr;
  void *user = nullptr;
  bool is_opening = true;
  char description[160] = {};
  mutable std::mutex lock;
};

namespace avrankmap::detail {

// Holds a device's lock if several threads may use it.
class DeviceGuard {
public:
  explicit DeviceGuard(const avrm_device_t *device) noexcept : device_(device) {
    if (device_->threads) {
      device_->lock.lock();
    }
  }
  ~DeviceGuard() {
    if (device_->threads) {
      device_->lock.unlock();
    }
  }
  DeviceGuard(const DeviceGuard &) = delete;
  DeviceGuard &operator=(const DeviceGuard &) = delete;

private:
  const avrm_device_t *device_;
};

// Counts an event that a thread may wait for. Requires the device's lock.
inline void count_events(avrm_device_t *device, int events) noexcept {
  device->happened += static_cast<unsigned>(events);
  if (AVRM_UNLIKELY(device->sleepers != 0)) {
    device->blocking_wait.wake();
  }
}

[[nodiscard]] inline bool is_network(const avrm_device_t *device, std::uint64_t word) noexcept {
  return avrm_word_is_network(device->codec, word);
}
// Returns the netmod's handle in an address word for which is_network holds.
[[nodiscard]] inline std::uint64_t handle_of(const avrm_device_t *device, std::uint64_t word) noexcept {
  return avrm_word_address(device->codec, word);
}

// Translates out of line, for cold paths.
[[nodiscard]] avrm_gpid_t gpid_of(const avrm_comm_t *comm, std::int32_t rank) noexcept;
// The process group of this process's world, which is the first of the device's instance.
inline constexpr std::int32_t kOwnWorld = 0;

// Reports an error (core/report.h).
void report(avrm_device_t *device, avrm_status_t status, const char *text) noexcept;

} // namespace avrankmap::detail

#endif
