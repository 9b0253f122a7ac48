// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Put and get: natively, in mapped memory, or by active message.
#include "rma/one_sided.h"

#include <cstring>
#include <new>
#include <utility>

#include "core/progress/completion.h"
#include "core/progress/progress.h"
#include "core/progress/queue.h"
#include "rma/by_active.h"
#include "rma/known_parts.h"

namespace avrankmap::detail {

ActiveHeader header_for(const avrm_window_t *window, ActiveType type, std::uint64_t token) noexcept {
  ActiveHeader header{};
  header.type = type;
  header.sender = window->comm->rank;
  header.window = window->id;
  header.token = token;
  return header;
}

namespace {

// True if the answer of a target has not arrived. A failed process sends none.
bool is_asked(const avrm_device_t *device, Target *target) noexcept {
  if (target->state == Target::State::kAsked && has_failed(device, target->process)) {
    target->state = Target::State::kGone;
  }
  return target->state == Target::State::kAsked;
}

// Makes progress while `is_pending()` returns true. Other threads use the device meanwhile, because
// a target may need them before it creates its part. They may change the tables of the window, but
// cannot free it, and each record is freed by the thread that asks the target.
template <typename IsPending> void await_answer(avrm_window_t *window, IsPending is_pending) noexcept {
  ++window->users;
  {
    Backoff backoff(window->device, Sleep::kReleasing);
    while (is_pending()) {
      (void)progress(window->device);
      backoff.wait(); // also after events, because only waiting releases the lock
    }
  }
  --window->users;
}

// Finds out how to reach a peer's part.
avrm_status_t ask(avrm_window_t *window, Target *target) noexcept {
  avrm_device_t *const device = window->device;
  if (target->route.kind == Route::kSelf) {
    target->mapped = window->base;
    target->bytes = window->bytes;
    target->state = Target::State::kReady;
    learn_own_part(window, target->rank);
    return target->local_net_peer != nullptr ? open_own_part(window, target) : AVRM_OK;
  }
  const auto token = static_cast<std::uint64_t>(target->rank);
  const avrm_status_t status =
      send_active(device, target->process, header_for(window, ActiveType::kKeyRequest, token), nullptr, 0, Retry::kNow);
  if (status == AVRM_OK) {
    await_answer(window, [=] { return is_asked(device, target); });
  }
  return status == AVRM_OK && target->state == Target::State::kPutOff ? AVRM_ERR_NO_MEMORY : status;
}

} // namespace

bool is_native(const avrm_window_t *window, std::int32_t rank, std::uint64_t word, unsigned operation,
               avrm_part_t *part_p, std::uint64_t *handle_p) noexcept {
  const avrm_device_t *const device = window->device;
  if (!is_network(device, word) || (device->net->capabilities & operation) != operation ||
      !avrm_directory_find(&window->parts, rank, part_p)) {
    return false;
  }
  *handle_p = handle_of(device, word);
  return true;
}

namespace {

void drop_target(avrm_window_t *window, Target *target) noexcept {
  window->targets.erase(static_cast<std::uint32_t>(target->rank), target);
  window->device->instance->memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
}

// True if the record is needed until the next flush. While this thread waited for the answer,
// another one may have used it.
bool is_used(const Target *target) noexcept { return target->unacknowledged != 0 || target->error != AVRM_OK; }

// Asks a peer how to reach its part. The record of the target is kept if the network does not
// support the operation, or if another thread uses it. After an error, nothing has changed.
avrm_status_t introduce(avrm_window_t *window, std::int32_t rank, unsigned operation, const Route &route) noexcept {
  Memory &memory = window->device->instance->memory;
  const avrm_gpid_t process = gpid_of(window->comm, rank);
  if (route.kind == Route::kNet) { // the answer's key is opened for the communicator's queue
    NetRoute way{};
    if (const avrm_status_t status = net_route_to(window->comm, process, route.handle, &way); status != AVRM_OK) {
      return status;
    }
  }
  void *const block = memory.allocate(sizeof(Target), alignof(Target), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const target = new (block) Target;
  target->rank = rank;
  target->process = process;
  target->route = route;
  if (window->network_atomics && route.kind != Route::kNet) {
    const avrm_status_t status =
        process.pgid == kOwnWorld
            ? window->device->local_net_peers.find_or_make(window->device, process.lpid, &target->local_net_peer)
            : AVRM_ERR_PEER;
    if (status != AVRM_OK) {
      memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
      return status;
    }
  }
  if (!window->targets.insert(static_cast<std::uint32_t>(rank), target)) {
    memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = ask(window, target);
  avrm_part_t part{};
  std::uint64_t handle = 0;
  const bool is_needed = target->state != Target::State::kReady || is_used(target) ||
                         !is_native(window, rank, word_of(window, rank), operation, &part, &handle);
  if (status != AVRM_OK || !is_needed) {
    drop_target(window, target);
  }
  return status;
}

// Reaches a part that is not known, or waits for another thread that is asking for it. Sets
// access->target, or *handle_p and access->part.
avrm_status_t reach_unknown(avrm_window_t *window, std::int32_t rank, unsigned operation, Access *access,
                            std::uint64_t *handle_p) noexcept {
  avrm_device_t *const device = window->device;
  const auto key = static_cast<std::uint32_t>(rank);
  const auto is_native_now = [=] {
    return is_native(window, rank, word_of(window, rank), operation, &access->part, handle_p);
  };
  for (;;) {
    await_answer(window, [=] {
      Target *const target = window->find(key);
      return target != nullptr && (is_asked(device, target) || target->state == Target::State::kPutOff);
    });
    const bool native = is_native_now();
    access->target = native ? nullptr : window->find(key);
    if (native || access->target != nullptr) {
      return native || access->target->state == Target::State::kReady ? AVRM_OK : AVRM_ERR_PEER;
    }
    Route route{};
    avrm_status_t status = route_to(device, gpid_of(window->comm, rank), &route);
    if (status == AVRM_OK && !is_native_now()) {
      status = introduce(window, rank, operation, route);
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
}

} // namespace

avrm_status_t reach(avrm_window_t *window, std::int32_t rank, std::uint64_t word, unsigned operation,
                    Access *access) noexcept {
  const avrm_device_t *const device = window->device;
  std::uint64_t handle = 0;
  bool native = is_native(window, rank, word, operation, &access->part, &handle);
  if (!native) {
    access->target = window->find(static_cast<std::uint32_t>(rank));
    if (AVRM_UNLIKELY(access->target == nullptr || access->target->state != Target::State::kReady)) {
      const avrm_status_t status = reach_unknown(window, rank, operation, access, &handle);
      if (status != AVRM_OK) {
        return status;
      }
      native = access->target == nullptr;
    }
  }
  access->process = native ? gpid_of(window->comm, rank) : access->target->process;
  if (AVRM_UNLIKELY(device->failures_seen != 0) && has_failed(device, access->process)) {
    return AVRM_ERR_PEER;
  }
  return native ? net_route_to(window->comm, access->process, handle, &access->way) : AVRM_OK;
}

namespace {

void on_one_sided(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/,
                  std::uint64_t bytes) noexcept {
  --core_of(request)->window->users;
  finish(core_of(request), status, 0, bytes);
}

} // namespace

Request *new_one_sided(avrm_window_t *window, std::int32_t rank, RequestKind kind) noexcept {
  Request *const request = new_request(window->comm, kind);
  if (request != nullptr) {
    request->window = window;
    request->ignore = static_cast<std::uint32_t>(rank);
    request->complete = on_one_sided;
    ++window->users;
  }
  return request;
}

void expect_answers(avrm_window_t *window, Request *request, std::size_t bytes) noexcept {
  request->outcome.status = AVRM_OK;
  request->capacity = bytes;
  request->match = window->next_token++ | kRequestToken;
  request->pending_parts = 1; // until all are sent
  window->unanswered.append(request);
}

void give_up(avrm_window_t *window, Request *request, avrm_status_t status) noexcept {
  if (request->list != nullptr) {
    --window->users;
    finish(request, status, 0, 0);
  }
}

void end_sending(avrm_window_t *window, Request *request, avrm_status_t status) noexcept {
  if (status != AVRM_OK && !is_lack(status)) {
    give_up(window, request, status);
  } else if (request->list != nullptr) { // the target has not failed meanwhile
    end_part(request, status);
  }
}

void end_part(Request *request, avrm_status_t status) noexcept {
  keep_first(&request->outcome.status, status);
  if (--request->pending_parts == 0) {
    if (request->packing == Packing::kOfReceive && request->outcome.status == AVRM_OK) {
      unpack_bounce(request, request->capacity);
    }
    --request->window->users;
    finish(request, request->outcome.status, 0, request->capacity);
  }
}

void on_part(avrm_request_t *part, avrm_status_t status, std::uint64_t /*match*/, std::uint64_t /*bytes*/) noexcept {
  Request *const request = core_of(part)->partner_request;
  --request->window->users;
  free_request(core_of(part));
  end_part(request, status);
}

avrm_status_t reach_room(avrm_window_t *window, std::int32_t rank, unsigned operation, std::uint64_t offset,
                         std::uint64_t extent, Access *access) noexcept {
  const avrm_status_t status = reach(window, rank, word_of(window, rank), operation, access);
  return status == AVRM_OK && !access->has_room(offset, extent) ? AVRM_ERR_SIZE : status;
}

avrm_status_t check_target(const avrm_window_t *window, std::int32_t target,
                           avrm_request_t *const *request_p) noexcept {
  if (window == nullptr || request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return target < 0 || target >= window->comm->map->size ? AVRM_ERR_RANK : AVRM_OK;
}

namespace {

// Called after a put into mapped memory.
void stored(avrm_window_t *window, Target *target, PutEnd end) noexcept {
  target->written = true;
  if (end == PutEnd::kVisible) {
    order_stores();
  }
  count_local_operation(window->device);
}

void on_flushed(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/,
                std::uint64_t /*bytes*/) noexcept {
  end_part(core_of(request), status);
}

// A put followed by a flush, for networks whose puts complete before they are visible.
template <typename Post>
avrm_status_t put_and_flush(avrm_window_t *window, const Access &access, std::int32_t rank, std::size_t bytes,
                            Post post, avrm_request_t **request_p) noexcept {
  Request *const request = new_one_sided(window, rank, RequestKind::kVisiblePut);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  request->complete = on_flushed;
  request->outcome.status = AVRM_OK;
  request->pending_parts = 2;
  request->capacity = bytes;
  avrm_request_t *put = nullptr;
  const auto post_with_twin = [&](avrm_netmod_t *net, Request *its_request) {
    its_request->partner_request = request;
    its_request->complete = on_part;
    return post(net, its_request);
  };
  avrm_status_t status = post_native(window, access, rank, post_with_twin, &put);
  if (status != AVRM_OK) {
    --window->users;
    free_request(request);
    return status;
  }
  const auto flush = [&] {
    const NetRouteGuard guard(access.way);
    return access.way.net->ops->flush(access.way.net, access.way.handle, request);
  };
  status = post_to(window->device, access.process, flush, access.way.net);
  if (status != AVRM_OK) {
    end_part(request, status);
  }
  *request_p = request;
  return AVRM_OK;
}

// Networks put and get only contiguous bytes; data with gaps are sent in active messages.
unsigned operation_on(const Data &origin, const Data &remote, unsigned operation) noexcept {
  return is_contiguous(origin.shape) && is_contiguous(remote.shape) ? operation : kByActive;
}

Cursor in_mapped(const Target *target, const Data &remote) noexcept {
  return {address_of(target->mapped) + remote.base, remote.shape};
}

} // namespace

avrm_status_t put_to(avrm_window_t *window, const Access &access, std::int32_t rank, const Data &origin,
                     const Data &remote, PutEnd end, avrm_request_t **request_p) noexcept {
  *request_p = done_request();
  if (origin.bytes == 0) {
    return AVRM_OK;
  }
  Target *const target = access.target;
  if (target == nullptr) {
    const auto post = [&](avrm_netmod_t *net, Request *request) {
      return net->ops->put(net, access.way.handle, access.part.base + remote.base, access.part.key, origin.memory(),
                           origin.bytes, request);
    };
    const bool ends_visible = (access.way.net->capabilities & AVRM_NETMOD_PUT_VISIBLE) != 0;
    return end == PutEnd::kBufferFree || ends_visible
               ? post_native(window, access, rank, post, request_p)
               : put_and_flush(window, access, rank, origin.bytes, post, request_p);
  }
  if (target->mapped == nullptr) {
    return put_by_active(window, target, origin, remote, end, request_p);
  }
  if (is_contiguous(origin.shape) && is_contiguous(remote.shape)) {
    std::memcpy(target->mapped + remote.base, origin.memory(), origin.bytes);
  } else {
    Cursor from(origin);
    Cursor to = in_mapped(target, remote);
    copy(&to, &from, origin.bytes);
  }
  stored(window, target, end);
  return AVRM_OK;
}

namespace {

// An operation on data that were checked.
using Operation = avrm_status_t (*)(avrm_window_t *window, const Data &origin, std::int32_t rank, const Data &remote,
                                    avrm_request_t **request_p);

template <PutEnd End>
avrm_status_t put(avrm_window_t *window, const Data &origin, std::int32_t rank, const Data &remote,
                  avrm_request_t **request_p) noexcept {
  Access access;
  const avrm_status_t status =
      reach_room(window, rank, operation_on(origin, remote, AVRM_NETMOD_PUT), remote.start, remote.extent, &access);
  return status == AVRM_OK ? put_to(window, access, rank, origin, remote, End, request_p) : status;
}

avrm_status_t get(avrm_window_t *window, const Data &origin, std::int32_t rank, const Data &remote,
                  avrm_request_t **request_p) noexcept {
  Access access;
  const avrm_status_t status =
      reach_room(window, rank, operation_on(origin, remote, AVRM_NETMOD_GET), remote.start, remote.extent, &access);
  if (status != AVRM_OK) {
    return status;
  }
  *request_p = done_request();
  if (origin.bytes == 0) {
    return AVRM_OK;
  }
  const Target *const target = access.target;
  if (target == nullptr) {
    const auto post = [&](avrm_netmod_t *net, Request *request) {
      return net->ops->get(net, access.way.handle, access.part.base + remote.base, access.part.key, origin.memory(),
                           origin.bytes, request);
    };
    return post_native(window, access, rank, post, request_p);
  }
  if (target->mapped == nullptr) {
    return get_by_active(window, access.target, origin, remote, request_p);
  }
  if (is_contiguous(origin.shape) && is_contiguous(remote.shape)) {
    std::memcpy(origin.memory(), target->mapped + remote.base, origin.bytes);
  } else {
    Cursor from = in_mapped(target, remote);
    Cursor to(origin);
    copy(&to, &from, origin.bytes);
  }
  count_local_operation(window->device);
  return AVRM_OK;
}

template <Operation Operate>
avrm_status_t on_bytes(avrm_window_t *window, const void *buffer, std::size_t bytes, std::int32_t target,
                       std::uint64_t offset, avrm_request_t **request_p) noexcept {
  const avrm_status_t status = check_target(window, target, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (buffer == nullptr && bytes != 0) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  return Operate(window, contiguous(address_of(buffer), bytes), target, contiguous(offset, bytes), request_p);
}

// The arguments of an operation on two layouts or two lists.
template <typename Blocks> struct Arguments {
  avrm_window_t *window;
  const void *buffer; // a get writes to it despite the const
  const Blocks *blocks;
  std::int32_t target;
  std::uint64_t offset;
  const Blocks *target_blocks;
  avrm_request_t **request_p;
};

template <typename Blocks> avrm_status_t check(const Arguments<Blocks> &call, Data *origin, Data *remote) noexcept {
  avrm_status_t status = call.blocks == nullptr || call.target_blocks == nullptr
                             ? AVRM_ERR_NULL
                             : check_target(call.window, call.target, call.request_p);
  if (status == AVRM_OK) {
    status = describe_memory(call.buffer, *call.blocks, origin);
  }
  if (status == AVRM_OK) {
    status = describe(call.offset, *call.target_blocks, remote);
  }
  return status == AVRM_OK && origin->bytes != remote->bytes ? AVRM_ERR_SIZE : status;
}

template <Operation Operate, typename Blocks> avrm_status_t on_blocks(const Arguments<Blocks> &call) noexcept {
  Data origin{};
  Data remote{};
  const avrm_status_t status = check(call, &origin, &remote);
  if (status != AVRM_OK) {
    return status;
  }
  const DeviceGuard guard(call.window->device);
  return Operate(call.window, origin, call.target, remote, call.request_p);
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_put(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) noexcept {
  return on_bytes<put<PutEnd::kBufferFree>>(window, buffer, bytes, target, offset, request_p);
}

avrm_status_t avrm_rput(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                        avrm_request_t **request_p) noexcept {
  return on_bytes<put<PutEnd::kVisible>>(window, buffer, bytes, target, offset, request_p);
}

avrm_status_t avrm_put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) noexcept {
  return on_blocks<put<PutEnd::kBufferFree>, avrm_layout_t>(
      {window, buffer, layout, target, offset, target_layout, request_p});
}

avrm_status_t avrm_rput_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                                uint64_t offset, const avrm_layout_t *target_layout,
                                avrm_request_t **request_p) noexcept {
  return on_blocks<put<PutEnd::kVisible>, avrm_layout_t>(
      {window, buffer, layout, target, offset, target_layout, request_p});
}

avrm_status_t avrm_put_blocks(avrm_window_t *window, const void *buffer, const avrm_blocks_t *blocks, int32_t target,
                              uint64_t offset, const avrm_blocks_t *target_blocks,
                              avrm_request_t **request_p) noexcept {
  return on_blocks<put<PutEnd::kBufferFree>, avrm_blocks_t>(
      {window, buffer, blocks, target, offset, target_blocks, request_p});
}

avrm_status_t avrm_rput_blocks(avrm_window_t *window, const void *buffer, const avrm_blocks_t *blocks, int32_t target,
                               uint64_t offset, const avrm_blocks_t *target_blocks,
                               avrm_request_t **request_p) noexcept {
  return on_blocks<put<PutEnd::kVisible>, avrm_blocks_t>(
      {window, buffer, blocks, target, offset, target_blocks, request_p});
}

avrm_status_t avrm_get(avrm_window_t *window, void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) noexcept {
  return on_bytes<get>(window, buffer, bytes, target, offset, request_p);
}

avrm_status_t avrm_get_strided(avrm_window_t *window, void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) noexcept {
  return on_blocks<get, avrm_layout_t>({window, buffer, layout, target, offset, target_layout, request_p});
}

avrm_status_t avrm_get_blocks(avrm_window_t *window, void *buffer, const avrm_blocks_t *blocks, int32_t target,
                              uint64_t offset, const avrm_blocks_t *target_blocks,
                              avrm_request_t **request_p) noexcept {
  return on_blocks<get, avrm_blocks_t>({window, buffer, blocks, target, offset, target_blocks, request_p});
}
