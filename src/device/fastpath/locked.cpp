// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path of devices for several threads. A communicator with a separate queue takes that
// queue's lock around one call of the netmod, and accesses nothing that other threads write.
// Everything else takes the general path.
#include "fastpath/handles.h"
#include "p2p/datatype.h"

namespace avrankmap::detail {

namespace {

// Options that this path does not support.
constexpr unsigned kProposals = ~static_cast<unsigned>(AVRM_FP_CHECKS | AVRM_FP_THREADS);

// Finds the handle of a rank in a queue. Returns false if the process is not inserted, not reached
// over the network, or in another world.
bool find_handle(const Queue *queue, const avrm_rankmap_t *map, std::int32_t rank, std::uint64_t *handle_p) noexcept {
  const avrm_gpid_t peer = avrm_rankmap_gpid(map, rank);
  return AVRM_LIKELY(peer.pgid == kOwnWorld) && queue->find(peer.lpid, handle_p);
}

bool is_quick(const Queue *queue, std::int32_t count, avrm_datatype_t type, unsigned options,
              std::size_t *bytes_p) noexcept {
  if (queue == nullptr || (options & kProposals) != 0 || !avrm_type_is_predefined(type)) {
    return false;
  }
  *bytes_p = avrm_type_predefined_size(type) * static_cast<std::uint32_t>(count);
  return *bytes_p <= queue->net->inject_max;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_i_fp_isend_locked(const void *buffer, int32_t count, avrm_datatype_t type, int32_t dest, int32_t tag,
                                     avrm_fp_comm_t *comm, avrm_request_t **request_p, unsigned options) noexcept {
  if (dest == AVRM_PROC_NULL && (options & AVRM_FP_NO_PROC_NULL) == 0) {
    if ((options & AVRM_FP_NO_REQUEST) == 0) {
      *request_p = done_request();
    }
    return AVRM_OK;
  }
  Queue *const queue = comm->cold->queue;
  std::size_t bytes = 0;
  if (AVRM_LIKELY(is_quick(queue, count, type, options, &bytes))) {
    if (std::uint64_t handle = 0; AVRM_LIKELY(find_handle(queue, avrm_i_fp_map(comm), dest, &handle))) {
      const std::uint64_t match = comm->send_match | static_cast<std::uint32_t>(tag);
      *request_p = done_request();
      return post_until_accepted(queue->net, [=] {
        const std::lock_guard guard(queue->lock);
        return queue->net->ops->tinject(queue->net, buffer, bytes, handle, match);
      });
    }
  }
  return avrm_i_fp_isend_general(buffer, count, type, dest, tag, comm, request_p, options, 0);
}

avrm_status_t avrm_i_fp_put_locked(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                   int64_t displacement, avrm_fp_window_t *window, unsigned options) noexcept {
  if (target == AVRM_PROC_NULL && (options & AVRM_FP_NO_PROC_NULL) == 0) {
    return AVRM_OK;
  }
  const avrm_fp_comm_t *const comm = window->cold->comm;
  Queue *const queue = comm->cold->queue;
  std::size_t bytes = 0;
  if (AVRM_LIKELY(is_quick(queue, count, type, options, &bytes))) {
    // The part is looked up with the lock: the directory may change its form (rma/known_parts.h).
    if (std::uint64_t handle = 0; AVRM_LIKELY(find_handle(queue, window->map, target, &handle))) {
      const avrm_status_t status = post_until_accepted(queue->net, [=] {
        avrm_part_t part{};
        const std::lock_guard guard(queue->lock);
        if (AVRM_UNLIKELY(!avrm_directory_find(window->parts, target, &part))) {
          return AVRM_ERR_UNSUPPORTED;
        }
        if ((options & AVRM_FP_CHECKS) != 0 &&
            AVRM_UNLIKELY(!is_inside(displacement, window->unit, bytes, part.size))) {
          return AVRM_ERR_OUTSIDE;
        }
        const std::uint64_t remote = part.base + static_cast<std::uint64_t>(displacement) * window->unit;
        return queue->net->ops->put_inject(queue->net, buffer, bytes, handle, remote, part.key);
      });
      if (AVRM_LIKELY(status != AVRM_ERR_UNSUPPORTED)) {
        return status;
      }
    }
  }
  return avrm_i_fp_put_general(buffer, count, type, target, displacement, window, options, 0);
}
