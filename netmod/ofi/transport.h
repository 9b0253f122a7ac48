// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an open libfabric netmod consists of, and how its parts work together.
//
//   ofi.cpp           opens and closes, own address, peers, the table of operations
//   registration.cpp  memory registration
//   message.cpp       tagged messages
//   matching.cpp      tagged messages over providers that do not match them properly
//   active.cpp        active messages: receive buffers that are always posted, a pool of send buffers
//   rma.cpp           memory, keys, put, get, flush
//   fast.cpp          puts without a completion
//   progress.cpp      reads the completion queue and ends requests; peers that died
#ifndef AVRANKMAP_NETMOD_OFI_TRANSPORT_H
#define AVRANKMAP_NETMOD_OFI_TRANSPORT_H

#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <unordered_map>

#include "avrankmap/netmod.h"
#include "ofi/error.h"
#include "ofi/matching.h"
#include "ofi/op.h"
#include "ofi/provider.h"

namespace avrankmap::detail::ofi {

struct Key;

// Puts to a peer. Flushes wait for their number to reach zero.
struct PeerRecord {
  std::uint64_t puts = 0;            // under way, injected ones apart
  const Key *injected = nullptr;     // of the last put that was injected since the last flush; null: there is none
  std::uint64_t keys = 0;            // open
  avrm_status_t status = AVRM_OK;    // the first error of a put since the last flush
  avrm_request_t *flushes = nullptr; // linked through their scratch
};

// A peer's memory. The types of netmod.h are every netmod's own; two netmods in one program must not define them both.
struct Key {
  PeerRecord *peer;
  std::uint64_t base;
  std::uint64_t key;
  std::uint64_t bytes;
};
[[nodiscard]] inline Key *key_of(avrm_netmod_key_t *key) noexcept { return reinterpret_cast<Key *>(key); }

// Send and receive buffers of active messages. One block of memory, whose pages come into being when they are used.
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
  Op *unposted = nullptr; // receives that could not be posted again at once

  [[nodiscard]] void *descriptor() const noexcept { return region == nullptr ? nullptr : fi_mr_desc(region.get()); }
};

// Address space behind the buffers of receives. What providers make of a message that is longer than its receive differs:
// some say so, some say nothing, some hang, some give the connection up. So they do not get to see one: every receive
// ends with a piece of this, and what arrives there is thrown away.
class Spill {
public:
  static constexpr std::size_t kBytes = std::size_t{1} << 30;

  Spill() = default;
  Spill(const Spill &) = delete;
  Spill &operator=(const Spill &) = delete;
  ~Spill();
  void open() noexcept; // without memory there is none, and truncation is up to the provider
  [[nodiscard]] void *base() const noexcept { return base_; } // null: there is none
  // Gives pages back to the system after `bytes` bytes have been spilt.
  void wipe(std::size_t bytes) noexcept;

private:
  void *base_ = nullptr;
};

struct Transport : avrm_netmod_t {
  avrm_netmod_config_t config{};
  char description[128] = {};
  ErrorText error;
  std::unordered_map<std::uint64_t, PeerRecord> peers;
  Provider provider;
  // These are destroyed in reverse: the endpoint first, then what it was bound to, then records and buffers that it
  // might have written to, with their registrations, then the domain of those.
  Fid<fid_fabric> fabric;
  Fid<fid_domain> domain;
  OpPool pool;
  ActiveBuffers active;
  Spill spill;
  std::unique_ptr<Matching> matching; // null: the provider matches
  Fid<fid_av> av;
  Fid<fid_cq> cq;
  Fid<fid_ep> endpoint;

  std::size_t part_max = 0;          // longest put or get that is one operation
  std::uint64_t next_key = 1;        // for providers that let us choose
  bool registers_local = false;      // FI_MR_LOCAL
  std::vector<std::uint64_t> failed; // peers that have died
  int polls_to_sweep = 0;            // progress calls until requests with dead peers are ended; 0: there are none
  Op *first_waiting = nullptr;       // receives that the provider's queue had no room for, in the order of posting
  Op *last_waiting = nullptr;
  unsigned char fence_byte = 0; // what flushes of injected puts read
  Op *deferred = nullptr;       // puts and gets whose next part could not be posted at once

  // Completions that were read and are not handled yet. Kept here, not on the stack: a handler may come back to
  // progress, which must then go on where we are, or messages would overtake one another.
  static constexpr std::size_t kBatch = 16;
  fi_cq_tagged_entry batch[kBatch];
  std::size_t batch_next = 0;
  std::size_t batch_end = 0;
  int failed_reads = 0; // of the completion queue, one after the other

  [[nodiscard]] bool is_failed(std::uint64_t handle) const noexcept {
    return AVRM_UNLIKELY(!failed.empty()) && std::find(failed.begin(), failed.end(), handle) != failed.end();
  }
  // That an error, for this provider, means that the peer is gone.
  [[nodiscard]] bool loses_peer(int native) const noexcept {
    return (native == FI_EIO || native == FI_ENOENT) && provider.loses_peers_by_io();
  }
  // Status of a posting call.
  [[nodiscard]] avrm_status_t posted(const char *call, ssize_t rc) noexcept {
    if (AVRM_LIKELY(rc == 0)) {
      return AVRM_OK;
    }
    return rc == -FI_EAGAIN ? AVRM_ERR_AGAIN : refused(call, static_cast<int>(-rc));
  }
  // Status of a call that failed. One that nobody repeats, because it posts nothing, was short of something.
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
  return *static_cast<Transport *>(netmod);
}

// registration.cpp
// Registers the buffers of an operation, for providers that want that. Writes one descriptor per piece.
[[nodiscard]] avrm_status_t describe_local(Transport &net, Op *op, const avrm_piece_t *pieces, std::size_t count,
                                           std::uint64_t access, void **descriptors) noexcept;
// Registers memory. Ready for use when it returns.
[[nodiscard]] avrm_status_t register_memory(Transport &net, const void *base, std::size_t bytes, std::uint64_t access,
                                            Fid<fid_mr> *region_p) noexcept;

// message.cpp
avrm_status_t tinject(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const void *buffer,
                      std::size_t bytes) noexcept;
avrm_status_t tsend(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                    std::size_t count, avrm_request_t *request) noexcept;
avrm_status_t trecv(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                    const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept;
void cancel(avrm_netmod_t *netmod, avrm_request_t *request) noexcept;
void post_waiting(Transport &net) noexcept;
// Posts a receive. Appends the spill.
[[nodiscard]] ssize_t post_receive(Transport &net, Op *op, std::uint64_t tag, std::uint64_t ignore,
                                   const avrm_piece_t *pieces, std::size_t count, void **descriptors) noexcept;
// Some providers call a full queue "out of memory".
[[nodiscard]] inline bool is_full(ssize_t rc) noexcept { return rc == -FI_EAGAIN || rc == -FI_ENOMEM; }

// active.cpp
[[nodiscard]] avrm_status_t open_active(Transport &net) noexcept;
avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) noexcept;
// Sends an untagged message as it is: at most ActiveBuffers::kBytes, and at most what can be injected if there is a
// Matching. The pieces are free again on return.
[[nodiscard]] avrm_status_t send_untagged(Transport &net, std::uint64_t handle, const avrm_piece_t *pieces,
                                          std::size_t count) noexcept;
void post_unposted(Transport &net) noexcept;
// An untagged message came in; one with remote completion data.
void on_active_receive(Transport &net, Op *op, std::size_t bytes) noexcept;
void on_eager_receive(Transport &net, Op *op, std::uint64_t match, std::size_t bytes) noexcept;
void post_active_receive(Transport &net, Op *op) noexcept;
void free_active_send(Transport &net, Op *op) noexcept;

// rma.cpp
avrm_status_t memory_register(avrm_netmod_t *netmod, void *base, std::size_t bytes,
                              avrm_netmod_memory_t **memory_p) noexcept;
void memory_release(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory) noexcept;
avrm_status_t memory_describe(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer,
                              std::size_t *bytes_p) noexcept;
avrm_status_t key_open(avrm_netmod_t *netmod, std::uint64_t handle, const void *description, std::size_t bytes,
                       avrm_netmod_key_t **key_p) noexcept;
void key_close(avrm_netmod_t *netmod, avrm_netmod_key_t *key) noexcept;
avrm_status_t put(avrm_netmod_t *netmod, std::uint64_t handle, avrm_netmod_key_t *key, std::uint64_t offset,
                  const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept;
avrm_status_t get(avrm_netmod_t *netmod, std::uint64_t handle, avrm_netmod_key_t *key, std::uint64_t offset,
                  void *buffer, std::size_t bytes, avrm_request_t *request) noexcept;
avrm_status_t flush(avrm_netmod_t *netmod, std::uint64_t handle, avrm_request_t *request) noexcept;
// A part of a put or get has ended: starts the next one, or ends it.
void on_rma(Transport &net, Op *op, avrm_status_t status) noexcept;
void post_deferred(Transport &net) noexcept;
// A put does not count any more. May end flushes.
void put_is_over(PeerRecord *peer, avrm_status_t status) noexcept;
void end_flushes(PeerRecord *peer, avrm_status_t status) noexcept;

// fast.cpp
avrm_status_t key_values(avrm_netmod_t *netmod, avrm_netmod_key_t *key, std::uint64_t *remote_p,
                         std::uint64_t *key_p) noexcept;
avrm_status_t put_inject(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                         const void *buffer, std::size_t bytes) noexcept;
// Posts what ends when all puts that were injected to this peer have landed, and counts as one of its puts.
[[nodiscard]] avrm_status_t post_fence(Transport &net, std::uint64_t handle, PeerRecord *peer) noexcept;

// progress.cpp
int progress(avrm_netmod_t *netmod) noexcept;
void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) noexcept;
// Ends a request, after its record has been given back.
void end(Transport &net, Op *op, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
// Ends a request whose operation libfabric has not ended.
void abandon(Transport &net, Op &op, avrm_status_t status) noexcept;
// The same for all requests that have to do with a peer.
void abandon_peer(Transport &net, std::uint64_t handle, avrm_status_t status) noexcept;

} // namespace avrankmap::detail::ofi

#endif
