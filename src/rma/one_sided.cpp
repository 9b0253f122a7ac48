// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Put, get and flush: natively, in mapped memory, or by active message.
#include "rma/one_sided.h"

#include <cstring>
#include <new>
#include <utility>

#include "core/completion.h"
#include "core/progress.h"
#include "core/queue.h"
#include "core/strided.h"
#include "rma/known_parts.h"

namespace avrankmap::detail {

namespace {

ActiveHeader header_for(const avrm_window_t *window, ActiveType type, std::uint64_t token) noexcept {
  ActiveHeader header{};
  header.type = type;
  header.sender = window->comm->rank;
  header.window = window->id;
  header.token = token;
  return header;
}

// Learns how to reach a peer's part.
avrm_status_t ask(avrm_window_t *window, Target *target) noexcept {
  avrm_device_t *const device = window->device;
  if (target->route.kind == Route::kSelf) {
    target->mapped = window->base;
    target->bytes = window->bytes;
    target->state = Target::State::kReady;
    learn_own_part(window, target->rank);
    return AVRM_OK;
  }
  const auto token = static_cast<std::uint64_t>(target->rank);
  const avrm_status_t status = send_active(device, target->process, header_for(window, ActiveType::kKeyRequest, token),
                                           nullptr, 0, Patient::kYes);
  Patience patience;
  while (status == AVRM_OK && target->state == Target::State::kAsked) {
    if (progress(device) == 0) {
      patience.wait();
    }
    if (has_failed(device, target->process)) {
      target->state = Target::State::kGone;
    }
  }
  return status == AVRM_OK && target->state == Target::State::kPutOff ? AVRM_ERR_NO_MEMORY : status;
}

// Not an operation of any network.
constexpr unsigned kByActive = 1U << 31;

// How an operation reaches a peer's part.
struct Access {
  Target *target = nullptr; // null: by the network's own operations
  // Otherwise empty:
  avrm_part_t part{};
  avrm_gpid_t process{};
  Way way{};
};

// True for a part that is known to the directory, if its process is connected over the network,
// which has the operation (avrm_netmod_capability_t).
bool is_native(const avrm_window_t *window, std::int32_t rank, unsigned operation, avrm_part_t *part_p,
               std::uint64_t *handle_p) noexcept {
  const avrm_device_t *const device = window->device;
  const std::uint64_t word = avrm_rankmap_word(window->comm->map, rank);
  if (!is_network(device, word) || (device->net->capabilities & operation) != operation ||
      !avrm_directory_find(&window->parts, rank, part_p)) {
    return false;
  }
  *handle_p = handle_of(device, word);
  return true;
}

void drop_target(avrm_window_t *window, Target *target) noexcept {
  window->targets.erase(static_cast<std::uint32_t>(target->rank), target);
  window->device->instance->memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
}

// Asks a peer for its part. A record remains unless the network has the operation. On error nothing
// changes.
avrm_status_t introduce(avrm_window_t *window, std::int32_t rank, unsigned operation, const Route &route) noexcept {
  Memory &memory = window->device->instance->memory;
  const avrm_gpid_t process = gpid_of(window->comm, rank);
  if (route.kind == Route::kNet) { // to the communicator's queue, before the answer comes
    Way way{};
    if (const avrm_status_t status = way_to(window->comm, process, route.handle, &way); status != AVRM_OK) {
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
  if (!window->targets.insert(static_cast<std::uint32_t>(rank), target)) {
    memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = ask(window, target);
  avrm_part_t part{};
  std::uint64_t handle = 0;
  const bool is_ready = target->state == Target::State::kReady;
  if (status != AVRM_OK || (is_ready && is_native(window, rank, operation, &part, &handle))) {
    drop_target(window, target);
  }
  return status;
}

// Finds out how an operation reaches a peer's part.
avrm_status_t reach(avrm_window_t *window, std::int32_t rank, unsigned operation, Access *access) noexcept {
  const avrm_device_t *const device = window->device;
  std::uint64_t handle = 0;
  bool native = is_native(window, rank, operation, &access->part, &handle);
  if (!native) {
    access->target = window->find(static_cast<std::uint32_t>(rank));
    if (access->target == nullptr) {
      Route route{};
      avrm_status_t status = route_to(window->comm, rank, &route);
      if (status == AVRM_OK && !is_native(window, rank, operation, &access->part, &handle)) {
        status = introduce(window, rank, operation, route);
      }
      if (status != AVRM_OK) {
        return status;
      }
      access->target = window->find(static_cast<std::uint32_t>(rank));
      native = access->target == nullptr && is_native(window, rank, operation, &access->part, &handle);
    }
  }
  if (!native && (access->target == nullptr || access->target->state != Target::State::kReady)) {
    return AVRM_ERR_PEER;
  }
  access->process = native ? gpid_of(window->comm, rank) : access->target->process;
  if (AVRM_UNLIKELY(device->failures_seen != 0) && has_failed(device, access->process)) {
    return AVRM_ERR_PEER;
  }
  return native ? way_to(window->comm, access->process, handle, &access->way) : AVRM_OK;
}

void on_one_sided(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/,
                  std::uint64_t bytes) noexcept {
  --core_of(request)->window->users;
  finish(core_of(request), status, 0, bytes);
}

Request *new_one_sided(avrm_window_t *window) noexcept {
  Request *const request = new_request(window->comm, RequestKind::kOneSided);
  if (request != nullptr) {
    request->window = window;
    request->complete = on_one_sided;
    ++window->users;
  }
  return request;
}

// Posts a native operation with a request.
template <typename Post>
avrm_status_t post_native(avrm_window_t *window, const Access &access, Post post, avrm_request_t **request_p) noexcept {
  Request *const request = new_one_sided(window);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const auto guarded = [&] {
    const WayGuard guard(access.way);
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

// Puts packed data piece by piece; they are copied, so the buffer is free when this returns.
avrm_status_t put_by_active(avrm_window_t *window, Target *target, const void *buffer, const avrm_layout_t &layout,
                            std::uint64_t bytes, std::uint64_t offset, const avrm_layout_t &target_layout) noexcept {
  avrm_device_t *const device = window->device;
  const std::size_t most = active_payload_max(device);
  const bool packed = is_contiguous(layout);
  const Scratch<unsigned char> copy(device->instance->memory, packed ? 1 : most);
  if (!copy) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::uint64_t position = 0; position < bytes; position += most) {
    const std::uint64_t piece = std::min<std::uint64_t>(bytes - position, most);
    const void *data = static_cast<const unsigned char *>(buffer) + position;
    if (!packed) {
      pack(copy.data(), buffer, layout, position, piece);
      data = copy.data();
    }
    ActiveHeader header = header_for(window, ActiveType::kPut, static_cast<std::uint64_t>(target->rank));
    header.offset = offset;
    header.position = position;
    header.bytes = piece;
    header.block = target_layout.block;
    header.pitch = std::max(target_layout.pitch, target_layout.block);
    ++target->unacknowledged;
    const avrm_status_t status = send_active(device, target->process, header, data, piece, Patient::kYes);
    if (status != AVRM_OK) {
      if (target->unacknowledged != 0) {
        --target->unacknowledged;
      }
      return status;
    }
  }
  return AVRM_OK;
}

avrm_status_t get_by_active(avrm_window_t *window, Target *target, void *buffer, std::size_t bytes,
                            std::uint64_t offset, avrm_request_t **request_p) noexcept {
  avrm_device_t *const device = window->device;
  const std::size_t most = active_payload_max(device);
  Request *const get = new_one_sided(window);
  if (get == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  get->buffer = buffer;
  get->capacity = bytes;
  // Apart from ranks, which are the tokens of targets.
  get->match = window->next_token++ | std::uint64_t{1} << 63;
  get->ignore = static_cast<std::uint32_t>(target->rank);
  get->pending_parts = (bytes + most - 1) / most;
  window->gets.append(get);
  for (std::uint64_t position = 0; position < bytes; position += most) {
    ActiveHeader header = header_for(window, ActiveType::kGet, get->match);
    header.offset = offset + position;
    header.position = position;
    header.bytes = std::min<std::uint64_t>(bytes - position, most);
    const avrm_status_t status = send_active(device, target->process, header, nullptr, 0, Patient::kYes);
    if (status != AVRM_OK) { // answers to parts already sent are ignored
      if (get->list != nullptr) {
        --window->users;
        finish(get, status, 0, 0);
      }
      break;
    }
  }
  *request_p = get;
  return AVRM_OK;
}

avrm_status_t check_target(const avrm_window_t *window, std::int32_t target,
                           avrm_request_t *const *request_p) noexcept {
  if (window == nullptr || request_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return target < 0 || target >= window->comm->map->size ? AVRM_ERR_RANK : AVRM_OK;
}

// Finds a peer's part, which has room for so many bytes there.
avrm_status_t reach_room(avrm_window_t *window, std::int32_t rank, unsigned operation, std::uint64_t offset,
                         std::uint64_t extent, Access *access) noexcept {
  const avrm_status_t status = reach(window, rank, operation, access);
  if (status != AVRM_OK) {
    return status;
  }
  const std::uint64_t room = access->target != nullptr ? access->target->bytes : access->part.size;
  return offset > room || extent > room - offset ? AVRM_ERR_SIZE : AVRM_OK;
}

// Puts contiguous bytes.
avrm_status_t put(avrm_window_t *window, const void *buffer, std::size_t bytes, std::int32_t rank, std::uint64_t offset,
                  avrm_request_t **request_p) noexcept {
  Access access;
  const avrm_status_t status = reach_room(window, rank, AVRM_NETMOD_PUT, offset, bytes, &access);
  if (status != AVRM_OK) {
    return status;
  }
  *request_p = done_request();
  if (bytes == 0) {
    return AVRM_OK;
  }
  if (access.target == nullptr) {
    const auto post = [&](avrm_netmod_t *net, Request *request) {
      return net->ops->put(net, access.way.handle, access.part.base + offset, access.part.key, buffer, bytes, request);
    };
    return post_native(window, access, post, request_p);
  }
  if (access.target->mapped != nullptr) {
    std::memcpy(access.target->mapped + offset, buffer, bytes);
    access.target->written = true;
    operate_blindly(window->device);
    return AVRM_OK;
  }
  const avrm_layout_t layout{bytes, 1, bytes};
  return put_by_active(window, access.target, buffer, layout, bytes, offset, layout);
}

// The same from one layout to another, at least one of which has gaps.
avrm_status_t put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t &layout, std::size_t bytes,
                          std::int32_t rank, std::uint64_t offset, const avrm_layout_t &target_layout,
                          avrm_request_t **request_p) noexcept {
  Access access;
  const avrm_status_t status = reach_room(window, rank, kByActive, offset, extent_of(target_layout), &access);
  if (status != AVRM_OK) {
    return status;
  }
  *request_p = done_request();
  Target *const target = access.target;
  if (target->mapped == nullptr) {
    return put_by_active(window, target, buffer, layout, bytes, offset, target_layout);
  }
  for_each_piece(layout, 0, bytes, [&](std::uint64_t from, std::uint64_t at, std::uint64_t piece) {
    unpack(target->mapped + offset, static_cast<const unsigned char *>(buffer) + from, target_layout, at, piece);
  });
  target->written = true;
  operate_blindly(window->device);
  return AVRM_OK;
}

void on_flushed(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/, std::uint64_t bytes) noexcept {
  finish(core_of(request), status, 0, bytes);
}

// Waits until the puts to a peer, or to all (AVRM_ANY_ADDRESS), are visible.
avrm_status_t flush_native(avrm_window_t *window, avrm_gpid_t process, const Way &way) noexcept {
  avrm_device_t *const device = window->device;
  Request *const request = new_request(window->comm, RequestKind::kInternal);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  request->complete = on_flushed;
  const auto post = [&] {
    const WayGuard guard(way);
    return way.net->ops->flush(way.net, way.handle, request);
  };
  avrm_status_t status = post_to(device, process, post, way.net);
  if (status == AVRM_OK) {
    Patience patience;
    while (request->done == 0) {
      if (progress(device) == 0) {
        patience.wait();
      }
    }
    status = request->outcome.status;
  }
  free_request(request);
  return status;
}

void keep_first(avrm_status_t *status, avrm_status_t next) noexcept { *status = *status != AVRM_OK ? *status : next; }

// Waits until puts by active message are acknowledged. Nobody may ever see those into the mapped
// memory of a dead process.
avrm_status_t flush(avrm_window_t *window, Target *target) noexcept {
  avrm_device_t *const device = window->device;
  Patience patience;
  while (target->unacknowledged != 0) {
    if (progress(device) == 0) {
      patience.wait();
    }
  }
  operate_blindly(device);
  const bool in_vain = std::exchange(target->written, false) && has_failed(device, target->process);
  const avrm_status_t error = std::exchange(target->error, AVRM_OK);
  return in_vain ? AVRM_ERR_PEER : error;
}

// A rank whose part is known.
avrm_status_t flush_rank(avrm_window_t *window, std::int32_t rank) noexcept {
  avrm_part_t part{};
  Way way{};
  std::uint64_t handle = 0;
  if (!is_native(window, rank, AVRM_NETMOD_PUT, &part, &handle)) {
    return AVRM_OK;
  }
  const avrm_gpid_t process = gpid_of(window->comm, rank);
  const avrm_status_t status = way_to(window->comm, process, handle, &way);
  return status == AVRM_OK ? flush_native(window, process, way) : status;
}

// All ranks whose parts are known: one by one, or, where all of them are known, at once.
avrm_status_t flush_known(avrm_window_t *window) noexcept {
  avrm_status_t status = AVRM_OK;
  if (avrm_directory_form(&window->parts) == AVRM_DIRECTORY_RECORDS) {
    std::int32_t rank = 0;
    avrm_part_t part{};
    for (std::uint64_t place = 0; avrm_directory_next(&window->parts, &place, &rank, &part);) {
      keep_first(&status, flush_rank(window, rank));
    }
    return status;
  }
  const avrm_gpid_t nobody{kOwnWorld, -1};
  keep_first(&status, flush_native(window, nobody, {window->device->net, AVRM_ANY_ADDRESS, nullptr}));
  if (Queue *const queue = window->comm->queue; queue != nullptr) {
    keep_first(&status, flush_native(window, nobody, {queue->net, AVRM_ANY_ADDRESS, &queue->lock}));
  }
  return status;
}

// Plain stores into mapped windows; gcc refuses std::atomic_thread_fence under ThreadSanitizer.
void order_stores() noexcept { __sync_synchronize(); }

} // namespace

avrm_status_t know_part(avrm_window_t *window, std::int32_t rank, avrm_part_t *part_p, Way *way_p) noexcept {
  Access access;
  const avrm_status_t status = reach(window, rank, AVRM_NETMOD_PUT | AVRM_NETMOD_PUT_INJECT, &access);
  if (status != AVRM_OK) {
    return status;
  }
  *part_p = access.part;
  *way_p = access.way;
  return access.target == nullptr ? AVRM_OK : AVRM_ERR_UNSUPPORTED;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_put(avrm_window_t *window, const void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) noexcept {
  const avrm_status_t status = check_target(window, target, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (buffer == nullptr && bytes != 0) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  return put(window, buffer, bytes, target, offset, request_p);
}

avrm_status_t avrm_put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t *layout, int32_t target,
                               uint64_t offset, const avrm_layout_t *target_layout,
                               avrm_request_t **request_p) noexcept {
  const avrm_status_t status =
      layout == nullptr || target_layout == nullptr ? AVRM_ERR_NULL : check_target(window, target, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  std::size_t bytes = 0;
  std::size_t target_bytes = 0;
  if (!packed_size(*layout, &bytes) || !packed_size(*target_layout, &target_bytes) || bytes != target_bytes) {
    return AVRM_ERR_SIZE;
  }
  if (buffer == nullptr && bytes != 0) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  return is_contiguous(*layout) && is_contiguous(*target_layout)
             ? put(window, buffer, bytes, target, offset, request_p)
             : put_strided(window, buffer, *layout, bytes, target, offset, *target_layout, request_p);
}

avrm_status_t avrm_get(avrm_window_t *window, void *buffer, size_t bytes, int32_t target, uint64_t offset,
                       avrm_request_t **request_p) noexcept {
  avrm_status_t status = check_target(window, target, request_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (buffer == nullptr && bytes != 0) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  Access access;
  status = reach_room(window, target, AVRM_NETMOD_GET, offset, bytes, &access);
  if (status != AVRM_OK) {
    return status;
  }
  *request_p = done_request();
  if (bytes == 0) {
    return AVRM_OK;
  }
  if (access.target == nullptr) {
    const auto post = [&](avrm_netmod_t *net, Request *request) {
      return net->ops->get(net, access.way.handle, access.part.base + offset, access.part.key, buffer, bytes, request);
    };
    return post_native(window, access, post, request_p);
  }
  if (access.target->mapped != nullptr) {
    std::memcpy(buffer, access.target->mapped + offset, bytes);
    operate_blindly(window->device);
    return AVRM_OK;
  }
  return get_by_active(window, access.target, buffer, bytes, offset, request_p);
}

avrm_status_t avrm_flush(avrm_window_t *window, int32_t target) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (target < 0 || target >= window->comm->map->size) {
    return AVRM_ERR_RANK;
  }
  const DeviceGuard guard(window->device);
  Target *const part = window->find(static_cast<std::uint32_t>(target));
  avrm_status_t status = part != nullptr ? flush(window, part) : AVRM_OK;
  if (AVRM_UNLIKELY(window->device->failures_seen != 0) && part != nullptr &&
      has_failed(window->device, part->process)) {
    status = AVRM_ERR_PEER;
  }
  keep_first(&status, flush_rank(window, target));
  order_stores();
  return status;
}

avrm_status_t avrm_flush_all(avrm_window_t *window) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  avrm_status_t status = AVRM_OK;
  window->targets.for_each(
      [window, &status](void *target) { keep_first(&status, flush(window, static_cast<Target *>(target))); });
  keep_first(&status, flush_known(window));
  order_stores();
  return status;
}
