// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a device consists of. The functions below are called with its lock held.
#ifndef AVRANKMAP_SRC_CORE_DEVICE_H
#define AVRANKMAP_SRC_CORE_DEVICE_H

#include <sched.h>

#include <atomic>
#include <mutex>
#include <string>

#include "av/instance.h"
#include "avrankmap/netmod.h"
#include "avrankmap/shmmod.h"
#include "comm/comm.h"
#include "comm/contexts.h"
#include "core/active.h"
#include "core/matcher.h"
#include "core/request.h"
#include "core/retired_peers.h"

namespace avrankmap::detail {
struct EarlyKeyRequest;
struct Card;
class Launch;
struct Link;
struct Port;
struct Queue;
class RequestedCreation;
struct World;
} // namespace avrankmap::detail

struct avrm_device {
  explicit avrm_device(avrm_instance_t *component) noexcept // cppcheck-suppress uninitMemberVar ; only room
      : instance(component), contexts(component->memory), requests(component->memory), matcher(component->memory),
        deferred(component->memory) {}

  // What each call of progress looks at is in one cache line, but for the deferred messages.
  avrm_netmod_t *net = nullptr;
  avrm_shmmod_t *shm = nullptr; // null: none
  avrm_boot_t *boot = nullptr;
  avrankmap::detail::Link *links = nullptr;
  avrankmap::detail::Launch *launches = nullptr; // of jobs that were spawned and let go, until they have ended
  std::atomic<avrankmap::detail::RequestedCreation *> operations = nullptr; // creations that nobody waits in
  std::atomic<std::uint32_t> foreign_failures{0};
  std::uint32_t failures_seen = 0;
  avrankmap::detail::Queue *queues = nullptr; // beside that of `net`

  std::uint32_t lull_ns = 0; // of `net`, if this is for one thread and nobody is reached by a shmmod
  std::uint32_t breaths = 0; // in a rest, which is a sixtieth of a lull

  avrm_instance_t *instance;
  avrm_av_t *world_av = nullptr;
  avrm_comm_t *world = nullptr;
  avrm_comm_t *comms = nullptr; // all of them
  avrankmap::detail::Contexts contexts;
  std::atomic_flag serves_operations = {};
  // Room for one more of them where there is no memory: its part in the agreement is owed to the others.
  static constexpr std::size_t kOperationBytes = 4608;
  alignas(64) unsigned char spare_operation[kOperationBytes];
  std::atomic_flag spare_operation_taken = {};
  avrm_window_t *windows = nullptr; // all of them
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::uint32_t node = 0;
  avrm_codec_t codec = AVRM_CODEC_OFI;
  bool threads = false;
  bool receives_from_net = true; // false: no message can come over the network
  avrankmap::detail::RequestPool requests;
  avrankmap::detail::Matcher matcher;
  avrankmap::detail::DeferredMessages deferred;
  avrankmap::detail::EarlyKeyRequest *early_requests = nullptr;
  avrankmap::detail::PeerList contacted; // lpids of the own world with an AVE
  bool local_only = false;               // addresses hold on this machine only
  avrankmap::detail::WorldName name;     // of the own world, once it is known
  avrankmap::detail::World *worlds = nullptr;
  std::int32_t world_count = 0;
  avrankmap::detail::RetiredPeers retired;
  int meetings = 0; // creations that may just be learning of worlds
  std::uint32_t looks_at_links = 0;
  avrankmap::detail::Port *ports = nullptr;
  std::uint32_t looks_at_launches = 0;
  std::atomic<bool> lost_children{false}; // a spawn failed by what became of them
  avrm_comm_t *parent = nullptr;          // of a spawned job; null before it was asked for, and once it is freed
  bool has_met_parent = false;
  std::atomic<std::uint64_t> collective_messages{0}; // that this process has sent to agree with others
  void (*on_error)(void *user, avrm_status_t status, const char *text) = nullptr;
  void *user = nullptr;
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

[[nodiscard]] inline bool is_network(const avrm_device_t *device, std::uint64_t word) noexcept {
  return device->codec == AVRM_CODEC_UCX ? avrm_ucx_is_network(word) : avrm_ofi_is_network(word);
}
// The netmod's handle in an address word for which is_network holds.
[[nodiscard]] inline std::uint64_t handle_of(std::uint64_t word) noexcept { return word - 1; }
[[nodiscard]] avrm_far_t far_of(const avrm_device_t *device, std::uint64_t word) noexcept;

// Reports an error to the caller's hook.
void report(avrm_device_t *device, avrm_status_t status, const char *text) noexcept;

// connect.cpp: fetches a peer's card, introduces it to its transport and writes its AVE.
[[nodiscard]] avrm_status_t connect_peer(avrm_device_t *device, avrm_gpid_t peer) noexcept;
[[nodiscard]] avrm_status_t connect_all(avrm_device_t *device) noexcept;
// What a process of the own world has published.
[[nodiscard]] avrm_status_t fetch_card(avrm_device_t *device, std::int32_t lpid, Card *card_p) noexcept;

// Where a peer is. Connects it if need be.
struct Route {
  enum Kind { kNet, kShm, kSelf } kind;
  std::uint64_t handle;    // kNet
  std::int32_t local_rank; // kShm
};
[[nodiscard]] avrm_status_t route_to(avrm_device_t *device, avrm_gpid_t peer, Route *route_p) noexcept;
// The same for a rank; the transport test is all that a network peer costs.
[[nodiscard]] avrm_status_t route_to_far(avrm_comm_t *comm, std::int32_t rank, Route *route_p) noexcept;
[[nodiscard]] inline avrm_status_t route_to(avrm_comm_t *comm, std::int32_t rank, Route *route_p) noexcept {
  const std::uint64_t word = avrm_rankmap_word(comm->map, rank);
  if (AVRM_LIKELY(is_network(comm->device, word))) {
    *route_p = {Route::kNet, handle_of(word), 0};
    return AVRM_OK;
  }
  return route_to_far(comm, rank, route_p);
}

// progress.cpp: moves everything on; looks for peers that have died.
int progress(avrm_device_t *device) noexcept;
// The processor's shortest rest between two looks, some ten nanoseconds or more. Without it the second look takes the cache line
// back from a sender that is just writing to it: messages of a few bytes through UCX's shared memory took 8 % longer.
inline void breathe() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb");
#endif
}

// For loops that wait: after some idle rounds gives the processor away in each, for jobs with more processes than
// processors.
class Patience {
public:
  void wait() noexcept {
    if (idle_ < kSpins) {
      ++idle_;
    } else {
      sched_yield();
    }
  }
  // The same where each look at the transport disturbs its senders: after a short rest.
  void rest(std::uint32_t breaths) noexcept {
    for (; breaths != 0; --breaths) {
      breathe();
    }
    wait();
  }
  // The same after a lull.
  [[gnu::noinline]] void sit_out(std::uint32_t lull_ns) noexcept;

private:
  static constexpr unsigned kSpins = 256;
  static constexpr std::uint32_t kSpinNs = 40; // a lull counts for as many spins as take that long
  unsigned idle_ = 0;
};
[[nodiscard]] bool has_failed(const avrm_device_t *device, avrm_gpid_t peer) noexcept;
// Deaths that are known, in all process groups; never the same twice.
[[nodiscard]] std::uint32_t failures_of(const avrm_device_t *device) noexcept;
// The translation out of line: for where nobody is in a hurry.
[[nodiscard]] avrm_gpid_t gpid_of(const avrm_comm_t *comm, std::int32_t rank) noexcept;
// The process group of the own world, which is the first of the device's instance.
inline constexpr std::int32_t kOwnWorld = 0;

// Repeats a posting function until the transport takes it: makes progress meanwhile, gives up when the peer has died. `net` is
// where it posts.
template <typename Post>
avrm_status_t post_to(avrm_device_t *device, avrm_gpid_t peer, Post post, const avrm_netmod_t *net) noexcept {
  avrm_status_t status = post();
  Patience patience;
  while (status == AVRM_ERR_AGAIN) {
    if (device->failures_seen != 0 && has_failed(device, peer)) {
      return AVRM_ERR_PEER;
    }
    if (progress(device) == 0) {
      patience.wait();
    }
    status = post();
  }
  if (AVRM_UNLIKELY(status == AVRM_ERR_TRANSPORT)) {
    report(device, status, net->ops->last_error(net));
  }
  return status;
}
template <typename Post> avrm_status_t post_to(avrm_device_t *device, avrm_gpid_t peer, Post post) noexcept {
  return post_to(device, peer, post, device->net);
}

// creation.cpp: moves creations on that nobody waits in. Without the lock.
int serve_operations(avrm_device_t *device) noexcept;

// p2p.cpp: what transports hand to the core.
bool on_shm_message(void *user, const avrm_arrival_t *arrival) noexcept;
// Ends a request: unpacks, sets the outcome, and sets `done` or, if it is the core's own, frees it.
void finish(Request *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
// Takes a request off lists and transports because its peer has died.
void fail_receives(avrm_device_t *device) noexcept;
// A new request of a communicator, null without memory. Collective operations may use the reserve.
[[nodiscard]] inline Request *new_request(avrm_comm_t *comm, RequestKind kind, bool collective) noexcept {
  Request *request = comm->device->requests.take(comm, kind);
  if (AVRM_UNLIKELY(request == nullptr) && collective) {
    request = comm->device->requests.take_reserved(comm, kind);
  }
  if (AVRM_LIKELY(request != nullptr)) {
    ++comm->users;
  }
  return request;
}
[[nodiscard]] inline Request *new_request(avrm_comm_t *comm, RequestKind kind) noexcept {
  return new_request(comm, kind, comm->is_internal());
}
void release_bounce(Request *request) noexcept;
inline void free_request(Request *request) noexcept {
  if (AVRM_UNLIKELY(request->packing != Packing::kNone)) {
    release_bounce(request);
  }
  --request->comm->users;
  request->comm->device->requests.give(request);
}

} // namespace avrankmap::detail

#endif
