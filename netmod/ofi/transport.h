// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open libfabric netmod, and how its parts work together.
//
//   ofi.cpp           opens and closes, own address, peers, the table of operations
//   registration.cpp  memory registration
//   message.cpp       tagged messages
//   peek.cpp          looks for messages that have arrived
//   flow.cpp          limits of injected messages
//   backlog.cpp       peers whose connections cannot be accepted
//   pool_warmup.cpp   allocates the provider's buffers where address space is limited
//   truncation_area.cpp  room for the ends of messages that are too long
//   active.cpp        active messages: posted receives and a pool of send buffers
//   rma.cpp           memory, keys, put, get, flush
//   atomic.cpp        atomic operations
//   fast.cpp          puts without a completion
//   progress.cpp      reads the completion queue, completes requests, handles dead peers
#ifndef AVRANKMAP_NETMOD_OFI_TRANSPORT_H
#define AVRANKMAP_NETMOD_OFI_TRANSPORT_H

#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <algorithm>

#include "avrankmap/device/netmod.h"
#include "base/handle_set.h"
#include "ofi/backlog.h"
#include "ofi/error.h"
#include "ofi/flow.h"
#include "ofi/ofi_fast.h"
#include "ofi/op.h"
#include "ofi/peers.h"
#include "ofi/provider.h"
#include "ofi/truncation_area.h"

namespace avrankmap::detail::ofi {

// Buffers of active messages, in one block of memory whose untouched pages are not resident.
struct ActiveBuffers {
  static constexpr std::size_t kBytes = 16384; // per buffer
  static constexpr std::size_t kReceives = 32;
  static constexpr std::size_t kSends = 32;

  struct Free {
    void operator()(void *block) const noexcept;
  };
  std::unique_ptr<unsigned char, Free> block;
  Fid<fid_mr> region; // FI_MR_LOCAL only
  unsigned char *free_sends[kSends];
  std::size_t free_send_count = 0;
  // Peers that have one more buffer than these (op.h), which each may have while all are in use, so
  // that no number of peers that do not read keeps messages from others.
  HandleSet extra;
  Op *unposted = nullptr; // receives that could not be posted at once
  // Messages that the core has not taken yet, in the order of arrival.
  Op *first_held = nullptr;
  Op *last_held = nullptr;

  [[nodiscard]] void *descriptor() const noexcept { return region == nullptr ? nullptr : fi_mr_desc(region.get()); }
  [[nodiscard]] unsigned char *take_send() noexcept { return free_sends[--free_send_count]; }
  void give_send(unsigned char *buffer) noexcept { free_sends[free_send_count++] = buffer; }
};

// A probe, which the provider will answer.
struct Peek {
  Op *op = nullptr; // null: none is in progress
  bool over = false;
  bool found = false;
  bool overtaken = false; // a failed receive was reported meanwhile, perhaps a later one
  bool is_lost = false;   // the previous one ended without an answer: the queue was broken
};

struct Transport : avrm_ofi_netmod_t {
  explicit Transport(const avrm_allocator_t &allocator) noexcept
      : avrm_ofi_netmod_t{}, memory(allocator), peers(memory) {
    puts_left = kBlindPuts;
    std::fill(std::begin(marks), std::end(marks), AVRM_OFI_NO_MARK);
  }

  Memory memory; // for tables that grow with the number of peers
  avrm_netmod_config_t config{};
  char description[128] = {};
  ErrorText error;
  PeerTable peers;
  Provider provider;
  // Destroyed in reverse order: the endpoint, the objects that it was bound to, records and buffers
  // that it may have written to, with their registrations, and then their domain.
  Fid<fid_fabric> fabric;
  Fid<fid_domain> domain;
  OpPool pool;
  ActiveBuffers active;
  TruncationArea truncation_area;
  Fid<fid_av> av;
  Fid<fid_cq> cq;
  Fid<fid_ep> endpoint;

  int wait_fd = -1; // of the completion queue; -1: none

  std::size_t part_max = 0;          // maximum size of a put or get in one operation
  std::size_t atomic_max = 0;        // maximum number of elements of one operation
  std::uint64_t puts = 0;            // pending, to all peers
  avrm_request_t *flushes = nullptr; // of all peers, linked through their scratch
  bool registers_local = false;      // FI_MR_LOCAL
  HandleSet failed;                  // peers that have died
  Flow flow{sends_left};
  Backlog backlog;
  static constexpr std::uint32_t kBlindPuts = 64; // puts_left after progress
  // Calls of progress until requests with dead peers end; 0: there are none.
  int polls_to_sweep = 0;
  // Receives for which the provider's queue had no room, in the order of posting.
  Op *first_waiting = nullptr;
  Op *last_waiting = nullptr;
  Peek peek;
  unsigned char fence_byte = 0; // read by flushes of injected puts
  Op *deferred = nullptr;       // puts and gets whose next part could not be posted at once

  // Completions that were read but not handled. They are members because a handler may call
  // progress, which must continue with the next completion, or messages would overtake one another.
  static constexpr std::size_t kBatch = 16;
  fi_cq_tagged_entry batch[kBatch];
  std::size_t batch_next = 0;
  std::size_t batch_end = 0;
  int failed_reads = 0; // consecutive, of the completion queue
  int further_ends = 0; // requests that progress completed without a completion of their own

  [[nodiscard]] bool is_failed(std::uint64_t handle) const noexcept {
    return AVRM_UNLIKELY(!failed.empty()) && failed.has(handle);
  }
  // Decides which messages may be injected directly (match_limit).
  void choose_ways() noexcept {
    const std::uint64_t mask = provider.tag_mask;
    match_limit = !failed.empty() ? 0 : mask + (mask == ~std::uint64_t{0} ? 0 : 1);
  }
  // Allows direct injection of puts until the next flush. PeerRecord::injected must be set as well.
  void mark(std::uint64_t handle) noexcept { marks[handle & (AVRM_OFI_MARKS - 1)] = handle; }
  void unmark(std::uint64_t handle) noexcept {
    if (avrm_ofi_is_marked(this, handle)) {
      marks[handle & (AVRM_OFI_MARKS - 1)] = AVRM_OFI_NO_MARK;
    }
  }
  // True if this error of this provider means that the peer has died.
  [[nodiscard]] bool loses_peer(int native) const noexcept {
    return (native == FI_EIO || native == FI_ENOENT) && provider.loses_peers_by_io();
  }
  // Leaves libfabric's objects open until the process ends.
  void leave_open() noexcept {
    const auto leave = [](auto &object) {
      if (object.release() != nullptr) {
        unclosed_objects.fetch_add(1, std::memory_order_relaxed);
      }
    };
    leave(endpoint);
    leave(cq);
    leave(av);
    leave(active.region);
    leave(domain);
    leave(fabric);
    (void)active.block.release(); // the provider may still read and write it
  }
  // Returns the status of a posting call.
  [[nodiscard]] avrm_status_t posted(const char *call, ssize_t rc) noexcept {
    return AVRM_LIKELY(rc == 0) ? AVRM_OK : not_posted(call, rc);
  }
  // Not inlined, to keep it out of hot paths.
  [[gnu::noinline]] avrm_status_t not_posted(const char *call, ssize_t rc) noexcept {
    if (rc != -FI_EAGAIN) {
      return refused(call, static_cast<int>(-rc));
    }
    return AVRM_UNLIKELY(backlog.is_starved()) ? starved() : AVRM_ERR_AGAIN;
  }
  // Returns the status of an operation that might otherwise wait forever.
  avrm_status_t starved() noexcept {
    error.set("accept", provider.name(), FI_EMFILE, "no descriptor is free for the connection of a peer");
    return AVRM_ERR_SYSTEM;
  }
  // Returns the status of a failed call that posts nothing and is therefore not repeated.
  avrm_status_t failed_call(const char *call, int native) noexcept {
    const avrm_status_t status = refused(call, native);
    return status == AVRM_ERR_AGAIN ? AVRM_ERR_NO_MEMORY : status;
  }
  avrm_status_t refused(const char *call, int native) noexcept {
    error.set(call, provider.name(), native, nullptr);
    return loses_peer(native) ? AVRM_ERR_PEER : status_of(native, false);
  }
};

[[nodiscard]] inline Transport &transport_of(avrm_netmod_t *netmod) noexcept {
  return static_cast<Transport &>(*reinterpret_cast<avrm_ofi_netmod_t *>(netmod));
}

[[nodiscard]] inline const Transport &transport_of(const avrm_netmod_t *netmod) noexcept {
  return static_cast<const Transport &>(*reinterpret_cast<const avrm_ofi_netmod_t *>(netmod));
}

// registration.cpp
// Registers the buffers of an operation, for providers that need it. Writes one descriptor per
// piece.
[[nodiscard]] avrm_status_t describe_local(Transport &net, Op *op, const avrm_piece_t *pieces, std::size_t count,
                                           std::uint64_t access, void **descriptors) noexcept;
// Registers memory. It is ready for use when this returns. `key`: as in netmod.h.
[[nodiscard]] avrm_status_t register_memory(Transport &net, const void *base, std::size_t bytes, std::uint64_t access,
                                            std::uint64_t key, Fid<fid_mr> *region_p) noexcept;
// Returns the lower `key_bytes` bytes of a key.
[[nodiscard]] std::uint64_t key_within(std::uint64_t key, std::size_t key_bytes) noexcept;

// pool_warmup.cpp
// Returns AVRM_ERR_NO_MEMORY, and sets the error text, if limited address space leaves too little.
[[nodiscard]] avrm_status_t warm_up_pools(Transport &net) noexcept;

// message.cpp
avrm_status_t tinject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                      std::uint64_t match) noexcept;
avrm_status_t tsend(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                    std::size_t count, avrm_request_t *request) noexcept;
avrm_status_t tsend_sync(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                         std::size_t count, avrm_request_t *request) noexcept;
avrm_status_t trecv(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept;
void cancel(avrm_netmod_t *netmod, avrm_request_t *request) noexcept;
// Injects a message that may have to take a turn (flow.h). An active message has no match bits.
enum class Injected : std::uint8_t { kTagged, kActive };
[[gnu::noinline]] avrm_status_t inject_at_turn(Transport &net, Injected kind, const void *buffer, std::size_t bytes,
                                               std::uint64_t handle, std::uint64_t match) noexcept;
void post_waiting(Transport &net) noexcept;
[[nodiscard]] avrm_status_t check_match(Transport &net, std::uint64_t match) noexcept;
// Posts a receive, with the truncation area behind its pieces.
[[nodiscard]] ssize_t post_receive(Transport &net, Op *op, std::uint64_t tag, std::uint64_t ignore,
                                   const avrm_piece_t *pieces, std::size_t count, void **descriptors) noexcept;
// Some providers report a full queue as "out of memory".
[[nodiscard]] inline bool is_full(ssize_t rc) noexcept { return rc == -FI_EAGAIN || rc == -FI_ENOMEM; }

// peek.cpp
avrm_status_t tprobe(avrm_netmod_t *netmod, std::uint64_t match, std::uint64_t ignore, bool claim, bool *found_p,
                     avrm_netmod_message_t *message_p) noexcept;
avrm_status_t trecv_claimed(avrm_netmod_t *netmod, std::uint64_t handle, const avrm_netmod_message_t *message,
                            const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept;
// Handles the answer to a probe.
void on_look(Transport &net, Op *op, std::uint64_t match, std::uint64_t bytes, avrm_status_t status) noexcept;

// active.cpp
[[nodiscard]] avrm_status_t open_active(Transport &net) noexcept;
avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) noexcept;
void post_unposted(Transport &net) noexcept;
// Handles an untagged message.
void on_active_receive(Transport &net, Op *op, std::size_t bytes) noexcept;
// Offers the held messages to the core again. Returns how many it took.
int deliver_held(Transport &net) noexcept;
void post_active_receive(Transport &net, Op *op) noexcept;
void free_active_send(Transport &net, Op *op) noexcept;

// rma.cpp
avrm_status_t memory_register(avrm_netmod_t *netmod, void *base, std::size_t bytes, std::uint64_t key,
                              avrm_netmod_memory_t **memory_p) noexcept;
void memory_release(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory) noexcept;
avrm_status_t memory_describe(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer,
                              std::size_t *bytes_p) noexcept;
avrm_status_t memory_values(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, std::uint64_t *remote_p,
                            std::uint64_t *key_p) noexcept;
avrm_status_t key_open(avrm_netmod_t *netmod, std::uint64_t handle, const void *description, std::size_t bytes,
                       std::uint64_t *remote_p, std::uint64_t *key_p) noexcept;
void key_close(avrm_netmod_t *netmod, std::uint64_t key) noexcept;
avrm_status_t put(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                  const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept;
avrm_status_t get(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key, void *buffer,
                  std::size_t bytes, avrm_request_t *request) noexcept;
avrm_status_t flush(avrm_netmod_t *netmod, std::uint64_t handle, avrm_request_t *request) noexcept;
// Handles the end of a part of a put or get: posts the next one, or completes the operation.
void on_rma(Transport &net, Op *op, avrm_status_t status) noexcept;
void post_deferred(Transport &net) noexcept;
// Concludes the posting of an operation: if it succeeded, counts it for flushes of `peer`, unless
// null; otherwise frees its record. Returns the status.
inline avrm_status_t count_put(Transport &net, PeerRecord *peer, Op *op, avrm_status_t posted) noexcept {
  if (posted != AVRM_OK) {
    net.pool.give(op);
  } else if (peer != nullptr) {
    op->peer = peer;
    ++peer->puts;
    ++net.puts;
  }
  return posted;
}
// Handles the end of a put. May complete flushes.
void put_is_over(Transport &net, PeerRecord *peer, avrm_status_t status) noexcept;

// atomic.cpp
// Returns true if the provider has all atomics of netmod.h. Sets atomic_max.
[[nodiscard]] bool find_atomics(Transport &net) noexcept;
avrm_status_t atomic(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                     const avrm_netmod_atomic_t *atomic, std::size_t *count_p, avrm_request_t *request) noexcept;
void on_atomic(Transport &net, Op *op, avrm_status_t status) noexcept;

// fast.cpp
[[nodiscard]] bool can_inject_puts(const Transport &net) noexcept;
avrm_status_t put_inject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t remote, std::uint64_t key) noexcept;
// Posts a read that completes after all puts that were injected to this peer have landed. The read
// counts as a put to the peer.
[[nodiscard]] avrm_status_t post_fence(Transport &net, PeerRecord *peer) noexcept;

// progress.cpp
int progress(avrm_netmod_t *netmod) noexcept;
avrm_status_t arm(avrm_netmod_t *netmod, int *descriptor_p) noexcept;
void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) noexcept;
// Ends an operation with a failed peer soon, unless the provider completes it.
void fail(Transport &net, Op &op) noexcept;
// Frees the record of an operation, then completes its request.
void end(Transport &net, Op *op, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
// Completes a request whose operation libfabric has not ended.
void abandon(Transport &net, Op &op, avrm_status_t status) noexcept;
// Does so for all requests that involve a peer.
void abandon_peer(Transport &net, std::uint64_t handle, avrm_status_t status) noexcept;

} // namespace avrankmap::detail::ofi

#endif
