// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Waits for the one-sided operations of a window to complete, at the origin or also at the target.
#include <utility>

#include "core/progress/progress.h"
#include "rma/one_sided.h"

namespace avrankmap::detail {

namespace {

void on_flushed(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/, std::uint64_t bytes) noexcept {
  finish(core_of(request), status, 0, bytes);
}

// Waits until the puts to a peer, or to all (AVRM_ANY_ADDRESS), are visible.
avrm_status_t flush_native(avrm_window_t *window, avrm_gpid_t process, const NetRoute &way) noexcept {
  avrm_device_t *const device = window->device;
  Request *const request = new_request(window->comm, RequestKind::kInternal);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  request->complete = on_flushed;
  const auto post = [&] {
    const NetRouteGuard guard(way);
    return way.net->ops->flush(way.net, way.handle, request);
  };
  avrm_status_t status = post_to(device, process, post, way.net);
  if (status == AVRM_OK) {
    Backoff backoff(device, Sleep::kReleasing);
    while (request->done == 0) {
      backoff.after(progress(device));
    }
    status = request->outcome.status;
  }
  free_request(request);
  return status;
}

// Every rank of a window.
constexpr std::int32_t kEveryone = -1;

// True if the request is of an operation on this rank that is pending: its buffer is not free or
// filled yet or, with `remotely`, it has not completed at the target.
bool is_under_way(Request *request, const avrm_window_t *window, std::int32_t rank, bool remotely) noexcept {
  const bool awaited =
      request->kind == RequestKind::kOneSided || (request->kind == RequestKind::kVisiblePut && remotely);
  return awaited && request->window == window && !is_done(request) &&
         (rank == kEveryone || request->ignore == static_cast<std::uint32_t>(rank));
}

// Waits for operations with requests, one after another. The others may end meanwhile, and other
// threads may begin new ones with the same requests.
void await_requests(const avrm_window_t *window, std::int32_t rank, bool remotely) noexcept {
  if (window->users == 0) {
    return;
  }
  Backoff backoff(window->device, Sleep::kReleasing);
  window->device->requests.for_each([&](Request *request) {
    while (is_under_way(request, window, rank, remotely)) {
      backoff.after(progress(window->device));
    }
  });
}

// True if puts by active message to this part are not acknowledged yet. A failed process
// acknowledges no more puts.
bool is_unacknowledged(const avrm_device_t *device, Target *target) noexcept {
  if (target->unacknowledged != 0 && has_failed(device, target->process)) {
    target->unacknowledged = 0;
    target->error = AVRM_ERR_PEER;
  }
  return target->unacknowledged != 0;
}

void await_acknowledgements(const avrm_window_t *window, std::int32_t rank) noexcept {
  Backoff backoff(window->device, Sleep::kReleasing);
  for (;;) { // another thread may free the record meanwhile
    Target *const target = window->find(static_cast<std::uint32_t>(rank));
    if (target == nullptr || !is_unacknowledged(window->device, target)) {
      return;
    }
    backoff.after(progress(window->device));
  }
}

// Returns a rank with such puts; kEveryone: there is none.
std::int32_t find_unacknowledged(const avrm_window_t *window) noexcept {
  std::int32_t rank = kEveryone;
  window->targets.for_each([&rank, window](void *entry) {
    auto *const target = static_cast<Target *>(entry);
    rank = is_unacknowledged(window->device, target) ? target->rank : rank;
  });
  return rank;
}

// Waits for one rank after another. Meanwhile others acknowledge as well, in an order that does not
// depend on the table's, so there are few searches.
void await_all_acknowledgements(const avrm_window_t *window) noexcept {
  for (std::int32_t rank = find_unacknowledged(window); rank != kEveryone; rank = find_unacknowledged(window)) {
    await_acknowledgements(window, rank);
  }
}

// Returns the first error since the last flush. Puts into the mapped memory of a failed process are
// errors, because possibly no process will ever see them.
avrm_status_t flush(avrm_window_t *window, Target *target) noexcept {
  avrm_device_t *const device = window->device;
  count_local_operation(device);
  const bool in_vain = std::exchange(target->written, false) && has_failed(device, target->process);
  const avrm_status_t error = std::exchange(target->error, AVRM_OK);
  return in_vain ? AVRM_ERR_PEER : error;
}

// Flushes a rank if its part is known.
avrm_status_t flush_rank(avrm_window_t *window, std::int32_t rank) noexcept {
  avrm_part_t part{};
  NetRoute way{};
  std::uint64_t handle = 0;
  if (!is_native(window, rank, word_of(window, rank), AVRM_NETMOD_PUT, &part, &handle)) {
    return AVRM_OK;
  }
  const avrm_gpid_t process = gpid_of(window->comm, rank);
  const avrm_status_t status = net_route_to(window->comm, process, handle, &way);
  return status == AVRM_OK ? flush_native(window, process, way) : status;
}

// Flushes all ranks whose parts are known: one by one, or together if the parts of all are known.
avrm_status_t flush_known(avrm_window_t *window) noexcept {
  avrm_status_t status = AVRM_OK;
  if ((window->device->net->capabilities & AVRM_NETMOD_PUT) == 0) {
    return status; // the network has no puts to flush
  }
  if (avrm_directory_form(&window->parts) == AVRM_DIRECTORY_RECORDS) {
    std::int32_t rank = 0;
    avrm_part_t part{};
    for (std::uint64_t place = 0; avrm_directory_next(&window->parts, &place, &rank, &part);) {
      keep_first(&status, flush_rank(window, rank));
    }
  }
  // While a flush slept, another thread may have learned the last part, which ends the records.
  if (avrm_directory_form(&window->parts) == AVRM_DIRECTORY_RECORDS) {
    return status;
  }
  const avrm_gpid_t nobody{kOwnWorld, -1};
  keep_first(&status, flush_native(window, nobody, {window->device->net, AVRM_ANY_ADDRESS, nullptr}));
  if (Queue *const queue = window->comm->queue; queue != nullptr) {
    keep_first(&status, flush_native(window, nobody, {queue->net, AVRM_ANY_ADDRESS, &queue->lock}));
  }
  return status;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_flush(avrm_window_t *window, int32_t target) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (target < 0 || target >= window->comm->map->size) {
    return AVRM_ERR_RANK;
  }
  const DeviceGuard guard(window->device);
  await_requests(window, target, true);
  await_acknowledgements(window, target);
  Target *const part = window->find(static_cast<std::uint32_t>(target));
  avrm_status_t status = part != nullptr ? flush(window, part) : AVRM_OK;
  if (AVRM_UNLIKELY(window->device->failures_seen != 0) && part != nullptr &&
      has_failed(window->device, part->process)) {
    status = AVRM_ERR_PEER;
  }
  const LocalNetPeer *const local_net_peer = part != nullptr ? part->local_net_peer : nullptr;
  keep_first(&status, flush_rank(window, target)); // another thread may free the record meanwhile
  if (local_net_peer != nullptr) {
    keep_first(&status, flush_native(window, {kOwnWorld, local_net_peer->lpid},
                                     net_route_to_local(window->device, *local_net_peer)));
  }
  order_stores();
  return status;
}

avrm_status_t avrm_flush_all(avrm_window_t *window) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  await_requests(window, kEveryone, true);
  await_all_acknowledgements(window);
  avrm_status_t status = AVRM_OK;
  window->targets.for_each(
      [window, &status](void *target) { keep_first(&status, flush(window, static_cast<Target *>(target))); });
  keep_first(&status, flush_known(window));
  if (window->network_atomics) {
    for (const LocalNetPeer *peer = window->device->local_net_peers.first(); peer != nullptr; peer = peer->next) {
      keep_first(&status, flush_native(window, {kOwnWorld, peer->lpid}, net_route_to_local(window->device, *peer)));
    }
  }
  order_stores();
  return status;
}

avrm_status_t avrm_flush_local(avrm_window_t *window, int32_t target) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (target < 0 || target >= window->comm->map->size) {
    return AVRM_ERR_RANK;
  }
  const DeviceGuard guard(window->device);
  await_requests(window, target, false);
  return AVRM_OK;
}

avrm_status_t avrm_flush_local_all(avrm_window_t *window) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  await_requests(window, kEveryone, false);
  return AVRM_OK;
}
