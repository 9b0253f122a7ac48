// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An open UCX netmod, and how its parts work together.
//
//   ucx.cpp       opens and closes, own address, progress, the table of operations
//   endpoint.cpp  peers: insertion, removal, failure
//   message.cpp   tagged messages
//   active.cpp    active messages
//   rma.cpp       memory, keys, put, get, flush
//   atomic.cpp    atomic operations
//   fast.cpp      puts without a completion
//   op.cpp        pending operations, and how they end
//
// UCX calls back from ucp_worker_progress, which is not reentrant. Requests may complete in
// callbacks, because completion makes no progress. Active messages are queued until UCX has
// returned, because their handlers may make progress.
#ifndef AVRANKMAP_NETMOD_UCX_TRANSPORT_H
#define AVRANKMAP_NETMOD_UCX_TRANSPORT_H

#include <ucp/api/ucp.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "avrankmap/device/netmod.h"
#include "base/fnv.h"
#include "base/handle_set.h"
#include "ucx/bounce.h"
#include "ucx/error.h"
#include "ucx/op.h"
#include "ucx/ucx_fast.h"

namespace avrankmap::detail::ucx {

using Clock = std::chrono::steady_clock;

struct ContextDeleter {
  void operator()(ucp_context_h context) const noexcept { ucp_cleanup(context); }
};
struct WorkerDeleter {
  void operator()(ucp_worker_h worker) const noexcept { ucp_worker_destroy(worker); }
};
using Context = std::unique_ptr<ucp_context, ContextDeleter>;
using Worker = std::unique_ptr<ucp_worker, WorkerDeleter>;

// An endpoint that is being closed: flushed first (if its peer is removed), then closed by force.
struct Closing {
  std::uint64_t handle;
  void *flush; // UCX's request; null: none, or completed
  bool forced;
  bool removed; // the core has removed the peer and no longer uses the handle
  // First for the flush, then for the operations, which are abandoned afterwards.
  Clock::time_point deadline;
};

constexpr std::size_t kInjectMax = 128;
constexpr std::size_t kActiveMax = 8192;
constexpr std::size_t kSharedInjects = 512; // pending copies for any peer (bounce.h)
constexpr std::size_t kSharedActives = 32;
constexpr std::size_t kActiveLink = 16; // bytes before each message, for the receiver
constexpr unsigned kActiveId = 0;
// Pause between polls: the time of about five messages of a few bytes through shared memory.
// Measured with 8-byte messages (Emerald Rapids, medians of 40 runs): 309 cycles per message, 352
// without the pause, 299 with bare UCX.
constexpr std::uint32_t kLullNs = 600;
// Time limit for a peer to answer when its endpoint is closed.
constexpr Clock::duration kCloseTimeout = std::chrono::seconds(1);

// Returns the parameters of a posting call.
[[nodiscard]] constexpr ucp_request_param_t send_param(std::uint32_t mask, ucp_send_nbx_callback_t callback) noexcept {
  ucp_request_param_t param{};
  param.op_attr_mask = mask;
  param.cb.send = callback;
  return param;
}

// UCX either takes the bytes immediately or does not access the buffer.
inline constexpr ucp_request_param_t kNowOrNever = send_param(UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL, nullptr);

struct Transport : avrm_ucx_netmod_t {
  Transport() noexcept : avrm_ucx_netmod_t{} {}

  avrm_netmod_config_t config{};
  char transports[96] = {};
  // The caller chose `transports`, not the environment.
  bool was_chosen = false;
  bool leaves_out_sysv = false; // `transports` differs from what was requested
  char description[192] = {};
  ErrorText error;
  bool closing = false;
  int wait_fd = -1;       // UCX's event descriptor; -1: none
  bool attention = false; // there are `errors` or `closings`
  // Receives old values that the caller does not want.
  std::uint64_t unwanted = 0;

  // Destroyed in reverse order: the worker, then what it may refer to.
  BouncePool injects{kInjectMax, kSharedInjects};
  Bounce *next_copy = nullptr; // for a put to any peer; its bytes are `copy`
  BouncePool active_sends{kActiveLink + kActiveMax, kSharedActives};
  void *arrived_first = nullptr; // arrived active messages that wait for their handler
  void *arrived_last = nullptr;
  OpList records;

  std::vector<ucp_ep_h> endpoints; // inserted peers that have not failed
  // Handles whose endpoint is closed or being closed. The core may still use them; they must not be
  // passed to UCX.
  HandleSet failed;
  std::vector<std::uint64_t> errors; // endpoints with an error since the last progress
  std::vector<Closing> closings;
  // UCX reuses the addresses of endpoints. A new endpoint at the address of a failed peer's handle
  // is parked until that handle is removed, so that the next one gets another address.
  std::vector<ucp_ep_h> parked;

  Context context;
  Worker worker;

  [[nodiscard]] bool is_failed(std::uint64_t handle) const noexcept {
    return AVRM_UNLIKELY(!failed.empty()) && find_failed(handle);
  }
  // Not inlined, to keep it out of hot paths.
  [[nodiscard]] bool find_failed(std::uint64_t handle) const noexcept;
  // Decides which operations are passed directly to UCX (ucx_fast.h).
  void choose_ways() noexcept {
    send = failed.empty() ? &kNowOrNever : nullptr;
    copy = next_copy == nullptr ? nullptr : next_copy->data();
    copy_max = failed.empty() && copy != nullptr ? AVRM_UCX_COPY_MAX : 0;
  }
  // Returns the status of a posting call that UCX refused.
  avrm_status_t refused(const char *call, ucs_status_t native) noexcept {
    return status_of(native) == AVRM_ERR_AGAIN ? AVRM_ERR_AGAIN : failed_call(call, native);
  }
  // Like `refused`, but for a call that posts nothing and is therefore not repeated.
  avrm_status_t failed_call(const char *call, ucs_status_t native) noexcept {
    const avrm_status_t status = status_of(native);
    error.set(call, transports, native);
    return status == AVRM_ERR_AGAIN ? AVRM_ERR_NO_MEMORY : status;
  }
};

[[nodiscard]] inline Transport &transport_of(avrm_netmod_t *netmod) noexcept {
  return static_cast<Transport &>(*reinterpret_cast<avrm_ucx_netmod_t *>(netmod));
}
[[nodiscard]] inline const Transport &transport_of(const avrm_netmod_t *netmod) noexcept {
  return static_cast<const Transport &>(*reinterpret_cast<const avrm_ucx_netmod_t *>(netmod));
}
// UCX's addresses and packed keys have no length that UCX would check: it reads beyond the end of
// one that is truncated or damaged. So the netmod's addresses and descriptions contain a hash.
constexpr std::size_t kAddressHeader = sizeof(std::uint64_t);
[[nodiscard]] inline std::uint64_t hash_of(const void *data, std::size_t bytes) noexcept {
  return fnv_64({static_cast<const char *>(data), bytes});
}
[[nodiscard]] inline std::uint64_t handle_of(ucp_ep_h endpoint) noexcept {
  return reinterpret_cast<std::uintptr_t>(endpoint);
}

// endpoint.cpp
avrm_status_t insert(avrm_netmod_t *netmod, std::size_t count, const void *addresses, std::size_t pitch,
                     std::size_t bytes, std::uint64_t *handles) noexcept;
void remove_peer(avrm_netmod_t *netmod, std::uint64_t handle) noexcept;
void peer_failed(avrm_netmod_t *netmod, std::uint64_t handle) noexcept;
// Handles UCX's error reports, and endpoints that are being closed. Returns the number of events.
int attend_endpoints(Transport &net) noexcept;
// Closes all endpoints, in bounded time.
void close_endpoints(Transport &net) noexcept;

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
avrm_status_t tprobe(avrm_netmod_t *netmod, std::uint64_t match, std::uint64_t ignore, bool claim, bool *found_p,
                     avrm_netmod_message_t *message_p) noexcept;
avrm_status_t trecv_claimed(avrm_netmod_t *netmod, std::uint64_t handle, const avrm_netmod_message_t *message,
                            const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) noexcept;
void cancel_receives(Transport &net) noexcept;

// active.cpp
[[nodiscard]] ucs_status_t open_active(Transport &net) noexcept;
avrm_status_t am_send(avrm_netmod_t *netmod, std::uint64_t handle, const void *header, std::size_t header_bytes,
                      const void *payload, std::size_t payload_bytes) noexcept;
int deliver_active(Transport &net) noexcept;
void drop_arrived(Transport &net) noexcept;
// Frees a copy when its send has completed.
void on_copy_sent(void *request, ucs_status_t native, void *user_data) noexcept;
avrm_status_t copy_posted(Transport &net, const char *call, ucs_status_ptr_t result, Bounce *copy) noexcept;

// rma.cpp

avrm_status_t memory_register(avrm_netmod_t *netmod, void *base, std::size_t bytes, std::uint64_t key,
                              avrm_netmod_memory_t **memory_p) noexcept;
void memory_release(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory) noexcept;
avrm_status_t memory_describe(avrm_netmod_t *netmod, avrm_netmod_memory_t *memory, void *buffer,
                              std::size_t *bytes_p) noexcept;
avrm_status_t key_open(avrm_netmod_t *netmod, std::uint64_t handle, const void *description, std::size_t bytes,
                       std::uint64_t *remote_p, std::uint64_t *key_p) noexcept;
void key_close(avrm_netmod_t *netmod, std::uint64_t key) noexcept;
avrm_status_t put(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                  const void *buffer, std::size_t bytes, avrm_request_t *request) noexcept;
avrm_status_t get(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key, void *buffer,
                  std::size_t bytes, avrm_request_t *request) noexcept;
avrm_status_t flush(avrm_netmod_t *netmod, std::uint64_t handle, avrm_request_t *request) noexcept;

// atomic.cpp
avrm_status_t atomic(avrm_netmod_t *netmod, std::uint64_t handle, std::uint64_t remote, std::uint64_t key,
                     const avrm_netmod_atomic_t *atomic, std::size_t *count_p, avrm_request_t *request) noexcept;

// fast.cpp
avrm_status_t put_inject(avrm_netmod_t *netmod, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t remote, std::uint64_t key) noexcept;

} // namespace avrankmap::detail::ucx

#endif
