// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reaching a part of a window, and requests of one-sided operations.
#ifndef AVRANKMAP_SRC_RMA_ONE_SIDED_H
#define AVRANKMAP_SRC_RMA_ONE_SIDED_H

#include "core/progress/completion.h"
#include "core/progress/queue.h"
#include "rma/window.h"

namespace avrankmap::detail {

// The value of `operation` for an operation that the network does not have.
inline constexpr unsigned kByActive = 1U << 31;

// How an operation reaches a peer's part.
struct Access {
  Target *target = nullptr; // null: through the network's own operations
  // Set only if `target` is null, except for `process`:
  avrm_part_t part{};
  avrm_gpid_t process{};
  NetRoute way{};

  [[nodiscard]] bool has_room(std::uint64_t offset, std::uint64_t extent) const noexcept {
    const std::uint64_t room = target != nullptr ? target->bytes : part.size;
    return offset <= room && extent <= room - offset;
  }
};

// When the request of a put completes.
enum class PutEnd : std::uint8_t { kBufferFree, kVisible };

[[nodiscard]] inline std::uint64_t word_of(const avrm_window_t *window, std::int32_t rank) noexcept {
  return avrm_rankmap_word(window->comm->map, rank);
}

[[nodiscard]] avrm_status_t check_target(const avrm_window_t *window, std::int32_t target,
                                         avrm_request_t *const *request_p) noexcept;
// True if the directory contains the part of a rank that is connected over the network, and the
// network has the operation (avrm_netmod_capability_t). `word` is the address word of the rank.
[[nodiscard]] bool is_native(const avrm_window_t *window, std::int32_t rank, std::uint64_t word, unsigned operation,
                             avrm_part_t *part_p, std::uint64_t *handle_p) noexcept;
// Finds out how an operation reaches a peer's part. Connects the peer if necessary.
[[nodiscard]] avrm_status_t reach(avrm_window_t *window, std::int32_t rank, std::uint64_t word, unsigned operation,
                                  Access *access) noexcept;
// Like reach(), but also returns AVRM_ERR_SIZE unless the part has `extent` bytes at `offset`.
[[nodiscard]] avrm_status_t reach_room(avrm_window_t *window, std::int32_t rank, unsigned operation,
                                       std::uint64_t offset, std::uint64_t extent, Access *access) noexcept;
// Puts into a part that was reached with AVRM_NETMOD_PUT or, if data at the origin or at the target
// have gaps, with kByActive.
[[nodiscard]] avrm_status_t put_to(avrm_window_t *window, const Access &access, std::int32_t rank, const Data &origin,
                                   const Data &remote, PutEnd end, avrm_request_t **request_p) noexcept;
[[nodiscard]] ActiveHeader header_for(const avrm_window_t *window, ActiveType type, std::uint64_t token) noexcept;

// Returns a request for an operation, which counts as a user of the window until it completes; null
// if out of memory.
[[nodiscard]] Request *new_one_sided(avrm_window_t *window, std::int32_t rank, RequestKind kind) noexcept;

// Makes a request pending until its target has answered each active message about it; it completes
// with the first error among the answers. The caller counts each message in pending_parts before it
// sends it, and calls end_sending after the last one or after an error.
void expect_answers(avrm_window_t *window, Request *request, std::size_t bytes) noexcept;
void end_sending(avrm_window_t *window, Request *request, avrm_status_t status) noexcept;
// Completes such a request without waiting for further answers. Later answers are ignored.
void give_up(avrm_window_t *window, Request *request, avrm_status_t status) noexcept;

// Called when one part of an operation has completed. The request completes with the last part
// (pending_parts).
void end_part(Request *request, avrm_status_t status) noexcept;
// Completes the request of a part, whose partner_request is the request of the operation.
void on_part(avrm_request_t *part, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;

// Posts a native operation with a request: `post(net, request)`.
template <typename Post>
avrm_status_t post_native(avrm_window_t *window, const Access &access, std::int32_t rank, Post post,
                          avrm_request_t **request_p) noexcept {
  Request *const request = new_one_sided(window, rank, RequestKind::kOneSided);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const auto guarded = [&] {
    const NetRouteGuard guard(access.way);
    return post(access.way.net, request);
  };
  const avrm_status_t status = post_to(window->device, access.process, guarded, access.way.net);
  if (status != AVRM_OK) {
    --window->users;
    free_request(request);
    return status;
  }
  *request_p = request;
  return AVRM_OK;
}

inline void keep_first(avrm_status_t *status, avrm_status_t next) noexcept {
  *status = *status != AVRM_OK ? *status : next;
}

// Orders plain stores into mapped windows. gcc rejects std::atomic_thread_fence with
// ThreadSanitizer.
inline void order_stores() noexcept { __sync_synchronize(); }

} // namespace avrankmap::detail

#endif
