// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows of the MPI-shaped interface, and puts that the inline path leaves to the library.
#include <algorithm>
#include <new>

#include "avrankmap/inverse.h"
#include "core/blocks.h"
#include "core/peers/connect.h"
#include "fastpath/handles.h"
#include "p2p/datatype.h"
#include "rma/one_sided.h"

avrm_fp_window_t avrm_fp_predefined_windows[AVRM_FP_PREDEFINED];

namespace avrankmap::detail {

namespace {

bool is_predefined(const avrm_fp_window_t *window) noexcept {
  return std::any_of(std::begin(avrm_fp_predefined_windows), std::end(avrm_fp_predefined_windows),
                     [&](const avrm_fp_window_t &place) { return &place == window; });
}

void close_window(avrm_fp_window_t *window) noexcept {
  avrm_fp_window_cold *const cold = window->cold;
  Memory &memory = memory_of(cold->comm);
  avrm_directory_destroy(&cold->nobody);
  cold->~avrm_fp_window_cold();
  memory.release(cold, sizeof *cold, alignof(avrm_fp_window_cold), AVRM_MEM_COMM);
}

// Copies a directory that is uniform, including sizes, so that puts no longer search it. No other
// thread uses the handle. Leaves out units with which avrm_i_fp_is_inside could overflow.
void adopt_uniform(avrm_fp_window_t *window) noexcept {
  const avrm_directory_t *const parts = window->parts;
  std::int64_t product = 0;
  if (avrm_directory_form(parts) == AVRM_DIRECTORY_UNIFORM && parts->is_plain != 0 && parts->size_step == 0 &&
      !__builtin_mul_overflow(parts->size, window->unit, &product)) {
    window->uniform = 1;
    window->base = parts->base;
    window->key = parts->key;
  }
}

// Fills in a handle.
avrm_status_t open_window(avrm_fp_comm_t *comm, void *base, std::size_t bytes, std::int32_t unit, unsigned flags,
                          avrm_fp_window_t *window) noexcept {
  const avrm_device_t *const device = comm->comm->device;
  void *const block =
      memory_of(comm).allocate(sizeof(avrm_fp_window_cold), alignof(avrm_fp_window_cold), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const cold = new (block) avrm_fp_window_cold;
  cold->comm = comm;
  avrm_fp_window_t opened{.map = comm->comm->map, // a revocation does not affect windows
                          .base = 0,
                          .key = 0,
                          .net = comm->net,
                          .world = comm->world,
                          .unit = static_cast<std::uint64_t>(unit),
                          .live = comm->live,
                          .uniform = 0,
                          .threads = static_cast<std::uint8_t>(comm->threads),
                          .codec = comm->codec,
                          .parts = &cold->nobody,
                          .cold = cold};
  avrm_status_t status = avrm_directory_create(device->instance, comm->map->size, &cold->nobody);
  if (status == AVRM_OK) {
    status = avrm_window_create(comm->comm, base, bytes, flags, &cold->window);
  }
  if (status != AVRM_OK) {
    close_window(&opened);
    return status;
  }
  if ((device->net->capabilities & AVRM_NETMOD_PUT_INJECT) != 0) {
    opened.parts = &cold->window->parts;
    adopt_uniform(&opened);
  }
  ++comm->cold->windows;
  *window = opened;
  return AVRM_OK;
}

avrm_status_t check_window(const avrm_fp_comm_t *comm, const void *base, std::size_t bytes, std::int32_t unit,
                           const void *place) noexcept {
  if (comm == nullptr || !avrm_i_fp_is_live(comm->live)) {
    return AVRM_ERR_COMM;
  }
  if (place == nullptr || (base == nullptr && bytes != 0)) {
    return AVRM_ERR_NULL;
  }
  return unit < 1 ? AVRM_ERR_SIZE : AVRM_OK;
}

// Finds out how an operation reaches a target's part. Requires the device's lock.
avrm_status_t reach_part(avrm_fp_window_t *window, std::int32_t rank, std::uint64_t word, unsigned operation,
                         Access *access) noexcept {
  const avrm_status_t status = reach(window->cold->window, rank, word, operation, access);
  if (window->uniform == 0 && window->threads == 0) { // the part may have been the last one
    adopt_uniform(window);
  }
  return status;
}

// Returns the address of displacement 0 in a part that was reached (avrm_fp_window_address).
std::uint64_t address_in(const avrm_fp_window_t *window, std::int32_t rank, const Access &access) noexcept {
  const bool by_network = access.target == nullptr || access.target->route.kind == Route::kNet;
  avrm_part_t part{};
  return by_network && avrm_directory_find(window->parts, rank, &part) ? part.base : 0;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_fp_window_create(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit, unsigned flags,
                                    avrm_fp_window_t **window_p) noexcept {
  avrm_status_t status = check_window(comm, base, bytes, unit, window_p);
  if (status != AVRM_OK) {
    return status;
  }
  Memory &memory = memory_of(comm);
  auto *const window = static_cast<avrm_fp_window_t *>(memory.allocate(sizeof **window_p, 64, AVRM_MEM_COMM));
  if (window == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  status = open_window(comm, base, bytes, unit, flags, window);
  if (status != AVRM_OK) {
    memory.release(window, sizeof *window, 64, AVRM_MEM_COMM);
    return status;
  }
  *window_p = window;
  return AVRM_OK;
}

avrm_status_t avrm_fp_window_create_predefined(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit,
                                               unsigned flags, avrm_fp_window_t *place) noexcept {
  const avrm_status_t status = check_window(comm, base, bytes, unit, place);
  if (status != AVRM_OK) {
    return status;
  }
  if (!is_predefined(place)) {
    return AVRM_ERR_OPTION;
  }
  return avrm_i_fp_is_live(place->live) ? AVRM_ERR_BUSY : open_window(comm, base, bytes, unit, flags, place);
}

avrm_status_t avrm_fp_window_free(avrm_fp_window_t *window) noexcept {
  if (window == nullptr || !avrm_i_fp_is_live(window->live)) {
    return AVRM_ERR_WINDOW;
  }
  const avrm_status_t flushed = avrm_fp_flush_all(window);
  const avrm_status_t freed = avrm_window_free(window->cold->window);
  if (freed != AVRM_OK) {
    return freed;
  }
  avrm_fp_comm_t *const comm = window->cold->comm;
  close_window(window);
  --comm->cold->windows;
  *window = {};
  if (!is_predefined(window)) {
    memory_of(comm).release(window, sizeof *window, 64, AVRM_MEM_COMM);
  }
  return flushed;
}

bool avrm_fp_window_is_uniform(const avrm_fp_window_t *window) noexcept { return window->uniform != 0; }

avrm_status_t avrm_fp_window_address(avrm_fp_window_t *window, int32_t target, uint64_t *address_p) noexcept {
  if (window == nullptr || !avrm_i_fp_is_live(window->live)) {
    return AVRM_ERR_WINDOW;
  }
  if (address_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (target < 0 || target >= window->map->size) {
    return AVRM_ERR_RANK;
  }
  const DeviceGuard guard(window->cold->window->device);
  Access access;
  const avrm_status_t status =
      reach_part(window, target, avrm_rankmap_word(window->map, target), AVRM_NETMOD_PUT, &access);
  if (status == AVRM_OK) {
    *address_p = address_in(window, target, access);
  }
  return status;
}

namespace {

// Finds the rank of a target in the communicator. Returns false if the target is not a member.
bool find_rank(const avrm_fp_window_t *window, std::int32_t target, unsigned options, std::int32_t *rank_p) noexcept {
  *rank_p = target;
  return (options & AVRM_FP_GLOBAL) != 0
             ? avrm_rankmap_rank(window->map, {kOwnWorld, *rank_p}, rank_p) == AVRM_OK && *rank_p >= 0
             : *rank_p >= 0;
}

// @param word  used only if the device is for one thread
avrm_status_t put_by_device(avrm_fp_window_t *window, const Data &origin, std::int32_t rank, std::int64_t displacement,
                            unsigned options, std::uint64_t word) noexcept {
  // As on the fast path, the buffer of a small put is free again on return.
  const bool small = origin.bytes <= window->net->inject_max;
  PendingRequests &pending = window->cold->pending;
  avrm_request_t *request = nullptr;
  {
    avrm_window_t *const plain = window->cold->window;
    const DeviceGuard guard(plain->device);
    if (window->threads != 0) { // other threads may connect or forget the target
      word = avrm_rankmap_word(window->map, rank);
    }
    Access access;
    avrm_status_t status =
        reach_part(window, rank, word, is_contiguous(origin.shape) ? unsigned{AVRM_NETMOD_PUT} : kByActive, &access);
    if (status != AVRM_OK) {
      return status;
    }
    auto offset = static_cast<std::uint64_t>(displacement);
    if ((options & AVRM_FP_VIRTUAL_ADDR) != 0) {
      offset -= address_in(window, rank, access);
    } else if (displacement < 0 || __builtin_mul_overflow(offset, window->unit, &offset)) {
      return AVRM_ERR_OUTSIDE;
    }
    if (!access.has_room(offset, origin.extent)) {
      return AVRM_ERR_OUTSIDE;
    }
    if (small && access.target == nullptr && (window->net->capabilities & AVRM_NETMOD_PUT_INJECT) != 0) {
      const auto post = [&] {
        const NetRoute &way = access.way;
        const NetRouteGuard held(way);
        return way.net->ops->put_inject(way.net, origin.memory(), origin.bytes, way.handle, access.part.base + offset,
                                        access.part.key);
      };
      return post_to(plain->device, access.process, post, access.way.net);
    }
    if (!pending.reserve(memory_of(window->cold->comm))) {
      return AVRM_ERR_NO_MEMORY;
    }
    const Data remote{offset, origin.shape, origin.bytes, offset, origin.extent};
    status = put_to(plain, access, rank, origin, remote, PutEnd::kBufferFree, &request);
    if (status != AVRM_OK || request == done_request()) {
      return status;
    }
    if (!small) {
      pending.add(request);
      return AVRM_OK;
    }
  }
  return avrm_wait(&request, nullptr);
}

// Finds the part of a rank, if puts without a request reach it. Returns false if it is not known.
bool find_part(const avrm_fp_window_t *window, std::int32_t rank, std::uint64_t *base_p,
               std::uint64_t *key_p) noexcept {
  if (window->uniform == 0) {
    return avrm_directory_target(window->parts, rank, base_p, key_p);
  }
  *base_p = window->base;
  *key_p = window->key;
  return true;
}

} // namespace

avrm_status_t avrm_i_fp_put_general(const void *buffer, int32_t count, avrm_datatype_t type, int32_t target,
                                    int64_t displacement, avrm_fp_window_t *window, unsigned options,
                                    uint64_t word) noexcept {
  avrm_layout_t layout{};
  Data origin{};
  avrm_status_t status = layout_of(count, type, &layout);
  if (status == AVRM_OK) {
    status = describe(address_of(buffer), layout, &origin);
  }
  if (status != AVRM_OK) {
    return status;
  }
  std::int32_t rank = -1;
  if (!find_rank(window, target, options, &rank)) {
    return AVRM_ERR_RANK;
  }
  // The same as the inline path, for directories of any form.
  std::uint64_t handle = 0;
  std::uint64_t base = 0;
  std::uint64_t key = 0;
  if (window->threads == 0 && is_contiguous(origin.shape) && origin.bytes <= window->net->inject_max &&
      avrm_i_fp_decode(word, window->codec, &handle) && find_part(window, rank, &base, &key)) {
    if ((options & AVRM_FP_CHECKS) != 0 &&
        !is_inside(displacement, window->unit, origin.bytes, avrm_directory_size(window->parts, rank))) {
      return AVRM_ERR_OUTSIDE;
    }
    auto remote = static_cast<std::uint64_t>(displacement);
    if ((options & AVRM_FP_VIRTUAL_ADDR) == 0) {
      remote = base + remote * window->unit;
    }
    return avrm_i_fp_table_put_inject(buffer, origin.bytes, key, remote, handle, window->net);
  }
  return put_by_device(window, origin, rank, displacement, options, word);
}

avrm_status_t avrm_fp_flush_all(avrm_fp_window_t *window) noexcept {
  if (window == nullptr || !avrm_i_fp_is_live(window->live)) {
    return AVRM_ERR_WINDOW;
  }
  PendingRequests pending;
  {
    const DeviceGuard guard(window->cold->window->device);
    pending = window->cold->pending.take();
  }
  const avrm_status_t completed = pending.complete(memory_of(window->cold->comm));
  const avrm_status_t flushed = avrm_flush_all(window->cold->window);
  return completed != AVRM_OK ? completed : flushed;
}
