// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Put, get and flush: natively, in mapped memory, or by active message.
#include "rma/one_sided.h"

#include <cstring>
#include <new>

#include "core/completion.h"
#include "core/progress.h"
#include "core/queue.h"
#include "core/strided.h"

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
    return AVRM_OK;
  }
  if (!device->receives_from_net &&
      target->route.kind == Route::kNet) { // no peer answers on such a network; all parts are alike
    target->bytes = window->bytes;
    target->state = Target::State::kReady;
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

// Creates and fills the record of a peer's part. On error nothing changes.
avrm_status_t introduce(avrm_window_t *window, std::int32_t rank, Target **target_p) noexcept {
  Memory &memory = window->device->instance->memory;
  Route route{};
  avrm_status_t status = route_to(window->comm, rank, &route);
  if (status != AVRM_OK) {
    return status;
  }
  if (window->comm->queue != nullptr && route.kind == Route::kNet) {
    Way way{};
    status = way_to(window->comm, gpid_of(window->comm, rank), route.handle, &way);
    if (status != AVRM_OK) {
      return status;
    }
  }
  void *const block = memory.allocate(sizeof(Target), alignof(Target), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const target = new (block) Target;
  Target **const bucket = window->bucket_of(static_cast<std::uint32_t>(rank));
  target->rank = rank;
  target->process = gpid_of(window->comm, rank);
  target->route = route;
  target->next = *bucket;
  *bucket = target;
  status = ask(window, target);
  if (status != AVRM_OK) {
    *bucket = target->next; // one caller at a time, and handlers make none: it is still the first
    memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
    return status;
  }
  *target_p = target;
  return AVRM_OK;
}

avrm_status_t reach(avrm_window_t *window, std::int32_t rank, Target **target_p) noexcept {
  avrm_device_t *const device = window->device;
  Target *target = window->find(static_cast<std::uint32_t>(rank));
  if (target == nullptr) {
    const avrm_status_t status = introduce(window, rank, &target);
    if (status != AVRM_OK) {
      return status;
    }
  }
  if (target->state != Target::State::kReady) {
    return AVRM_ERR_PEER;
  }
  if (AVRM_UNLIKELY(device->failures_seen != 0) && has_failed(device, target->process)) {
    return AVRM_ERR_PEER;
  }
  *target_p = target;
  return AVRM_OK;
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
avrm_status_t post_native(avrm_window_t *window, Target *target, Post post, avrm_request_t **request_p) noexcept {
  Request *const request = new_one_sided(window);
  if (request == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  const avrm_status_t status = post_to(window->device, target->process, [&] { return post(request); });
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
avrm_status_t reach_room(avrm_window_t *window, std::int32_t rank, std::uint64_t offset, std::uint64_t extent,
                         Target **target_p) noexcept {
  const avrm_status_t status = reach(window, rank, target_p);
  if (status != AVRM_OK) {
    return status;
  }
  const std::uint64_t room = (*target_p)->bytes;
  return offset > room || extent > room - offset ? AVRM_ERR_SIZE : AVRM_OK;
}

// Puts contiguous bytes.
avrm_status_t put(avrm_window_t *window, const void *buffer, std::size_t bytes, std::int32_t rank, std::uint64_t offset,
                  avrm_request_t **request_p) noexcept {
  avrm_device_t *const device = window->device;
  Target *target = nullptr;
  const avrm_status_t status = reach_room(window, rank, offset, bytes, &target);
  if (status != AVRM_OK) {
    return status;
  }
  *request_p = done_request();
  if (bytes == 0) {
    return AVRM_OK;
  }
  if (target->mapped != nullptr) {
    std::memcpy(target->mapped + offset, buffer, bytes);
    return AVRM_OK;
  }
  const bool has_key = target->key != nullptr || (target->route.kind == Route::kNet && !device->receives_from_net);
  if (has_key && (device->net->capabilities & AVRM_NETMOD_PUT) != 0) {
    target->unflushed = true;
    return post_native(
        window, target,
        [&](Request *request) {
          return device->net->ops->put(device->net, target->route.handle, target->key, offset, buffer, bytes, request);
        },
        request_p);
  }
  const avrm_layout_t layout{bytes, 1, bytes};
  return put_by_active(window, target, buffer, layout, bytes, offset, layout);
}

// The same from one layout to another, at least one of which has gaps.
avrm_status_t put_strided(avrm_window_t *window, const void *buffer, const avrm_layout_t &layout, std::size_t bytes,
                          std::int32_t rank, std::uint64_t offset, const avrm_layout_t &target_layout,
                          avrm_request_t **request_p) noexcept {
  Target *target = nullptr;
  const avrm_status_t status = reach_room(window, rank, offset, extent_of(target_layout), &target);
  if (status != AVRM_OK) {
    return status;
  }
  *request_p = done_request();
  if (target->mapped == nullptr) {
    return put_by_active(window, target, buffer, layout, bytes, offset, target_layout);
  }
  for_each_piece(layout, 0, bytes, [&](std::uint64_t from, std::uint64_t at, std::uint64_t piece) {
    unpack(target->mapped + offset, static_cast<const unsigned char *>(buffer) + from, target_layout, at, piece);
  });
  return AVRM_OK;
}

void on_flushed(avrm_request_t *request, avrm_status_t status, std::uint64_t /*match*/, std::uint64_t bytes) noexcept {
  finish(core_of(request), status, 0, bytes);
}

avrm_status_t flush_native(avrm_window_t *window, const Target *target, const Way &way) noexcept {
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
  avrm_status_t status = post_to(device, target->process, post, way.net);
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

avrm_status_t flush(avrm_window_t *window, Target *target) noexcept {
  Patience patience;
  while (target->unacknowledged != 0) {
    if (progress(window->device) == 0) {
      patience.wait();
    }
  }
  avrm_status_t status = target->error;
  target->error = AVRM_OK;
  const auto flush_by = [&](const Way &way) {
    const avrm_status_t native = flush_native(window, target, way);
    status = status != AVRM_OK ? status : native;
  };
  const Way own{window->device->net, target->route.handle, nullptr};
  Way injected = own;
  if (target->injected) {
    const avrm_status_t found = way_to(window->comm, target->process, target->route.handle, &injected);
    status = status != AVRM_OK ? status : found;
  }
  if (target->unflushed || (target->injected && injected.lock == nullptr)) {
    flush_by(own);
    target->unflushed = false;
  }
  if (injected.lock != nullptr) {
    flush_by(injected);
  }
  // Plain stores into mapped windows; gcc refuses std::atomic_thread_fence under ThreadSanitizer.
  __sync_synchronize();
  return status;
}

} // namespace

avrm_status_t reach_natively(avrm_window_t *window, std::int32_t rank, std::uint64_t *remote_p, std::uint64_t *key_p,
                             std::uint64_t *bytes_p) noexcept {
  const avrm_device_t *const device = window->device;
  const avrm_netmod_ops_t *const ops = device->net->ops;
  if (ops->put_inject == nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  Target *target = nullptr;
  avrm_status_t status = reach(window, rank, &target);
  if (status != AVRM_OK) {
    return status;
  }
  if (target->route.kind != Route::kNet || target->mapped != nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  Way way{};
  status = way_to(window->comm, target->process, target->route.handle, &way);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_netmod_key_t *const key = way.lock != nullptr ? target->queue_key : target->key;
  if (key == nullptr && device->receives_from_net) {
    return AVRM_ERR_UNSUPPORTED;
  }
  {
    const WayGuard guard(way);
    status = ops->key_values(way.net, key, remote_p, key_p);
  }
  if (status == AVRM_OK) {
    *bytes_p = target->bytes;
    target->injected = true;
  }
  return status;
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
  avrm_device_t *const device = window->device;
  const DeviceGuard guard(device);
  Target *part = nullptr;
  status = reach(window, target, &part);
  if (status != AVRM_OK) {
    return status;
  }
  if (offset > part->bytes || bytes > part->bytes - offset) {
    return AVRM_ERR_SIZE;
  }
  *request_p = done_request();
  if (bytes == 0) {
    return AVRM_OK;
  }
  if (part->mapped != nullptr) {
    std::memcpy(buffer, part->mapped + offset, bytes);
    return AVRM_OK;
  }
  if (part->key != nullptr && (device->net->capabilities & AVRM_NETMOD_GET) != 0) {
    return post_native(
        window, part,
        [&](Request *request) {
          return device->net->ops->get(device->net, part->route.handle, part->key, offset, buffer, bytes, request);
        },
        request_p);
  }
  return get_by_active(window, part, buffer, bytes, offset, request_p);
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
  return part != nullptr ? flush(window, part) : AVRM_OK; // null: nothing was ever put there
}

avrm_status_t avrm_flush_all(avrm_window_t *window) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(window->device);
  avrm_status_t status = AVRM_OK;
  for (Target *part : window->buckets) {
    for (; part != nullptr; part = part->next) {
      const avrm_status_t flushed = flush(window, part);
      status = status != AVRM_OK ? status : flushed;
    }
  }
  return status;
}
