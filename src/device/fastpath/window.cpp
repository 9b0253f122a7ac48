// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows of the MPI-shaped interface, and puts that the inline path leaves to the library.
#include <algorithm>
#include <new>

#include "avrankmap/inverse.h"
#include "core/peers/connect.h"
#include "core/strided.h"
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

// Takes over a directory that is uniform, sizes included, so that puts no longer look into it. No
// other thread uses the handle.
void adopt_uniform(avrm_fp_window_t *window) noexcept {
  const avrm_directory_t *const parts = window->parts;
  if (avrm_directory_form(parts) == AVRM_DIRECTORY_UNIFORM && parts->is_plain != 0 && parts->size_step == 0) {
    window->uniform = avrm_i_is_line(window->world) ? AVRM_I_FP_UNIFORM_AND_LINE : AVRM_I_FP_UNIFORM_AND_TABLE;
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
  avrm_fp_window_t opened{.map = comm->map,
                          .base = 0,
                          .key = 0,
                          .net = comm->net,
                          .world = comm->world,
                          .unit = static_cast<std::uint64_t>(unit),
                          .live = AVRM_FP_LIVE,
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
  if (comm == nullptr || comm->live != AVRM_FP_LIVE) {
    return AVRM_ERR_COMM;
  }
  if (place == nullptr || (base == nullptr && bytes != 0)) {
    return AVRM_ERR_NULL;
  }
  return unit < 1 ? AVRM_ERR_SIZE : AVRM_OK;
}

// Finds out how to reach a peer's part by puts without a request. Call it with the window's lock,
// without the device's.
avrm_status_t learn(avrm_fp_window_t *window, std::int32_t rank, avrm_part_t *part_p) noexcept {
  avrm_window_t *const plain = window->cold->window;
  const DeviceGuard guard(plain->device);
  Way way{};
  const avrm_status_t status = know_part(plain, rank, part_p, &way);
  if (window->uniform == 0 && window->threads == 0) { // the part may have been the last one
    adopt_uniform(window);
  }
  return status;
}

// A put that the transport accepts at once.
avrm_status_t inject(avrm_fp_window_t *window, std::int32_t rank, std::uint64_t offset, const void *buffer,
                     std::size_t bytes) noexcept {
  avrm_window_t *const plain = window->cold->window;
  const DeviceGuard guard(plain->device);
  avrm_part_t part{};
  Way way{};
  const avrm_status_t status = know_part(plain, rank, &part, &way);
  if (status != AVRM_OK) {
    return status;
  }
  if (offset > part.size || bytes > part.size - offset) {
    return AVRM_ERR_OUTSIDE;
  }
  const auto post = [&] {
    const WayGuard held(way);
    return way.net->ops->put_inject(way.net, buffer, bytes, way.handle, part.base + offset, part.key);
  };
  return post_to(plain->device, gpid_of(plain->comm, rank), post, way.net);
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
  return place->live == AVRM_FP_LIVE ? AVRM_ERR_BUSY : open_window(comm, base, bytes, unit, flags, place);
}

avrm_status_t avrm_fp_window_free(avrm_fp_window_t *window) noexcept {
  if (window == nullptr || window->live != AVRM_FP_LIVE) {
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
  if (window == nullptr || window->live != AVRM_FP_LIVE) {
    return AVRM_ERR_WINDOW;
  }
  if (address_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (target < 0 || target >= window->map->size) {
    return AVRM_ERR_RANK;
  }
  const FastpathGuard guard(window->cold->comm, &window->cold->lock);
  avrm_part_t part{};
  const avrm_status_t status = learn(window, target, &part);
  if (status != AVRM_OK && status != AVRM_ERR_UNSUPPORTED) {
    return status;
  }
  *address_p = status == AVRM_OK ? part.base : 0;
  return AVRM_OK;
}

namespace {

// The rank of a target in the communicator. False if it is not a member.
bool find_rank(const avrm_fp_window_t *window, std::int64_t target, unsigned options, std::int32_t *rank_p) noexcept {
  *rank_p = static_cast<std::int32_t>(target);
  return (options & AVRM_FP_GLOBAL) != 0
             ? avrm_rankmap_rank(window->map, {kOwnWorld, *rank_p}, rank_p) == AVRM_OK && *rank_p >= 0
             : *rank_p >= 0;
}

avrm_status_t put_by_device(const void *buffer, const avrm_layout_t &layout, std::int64_t target,
                            std::int64_t displacement, avrm_fp_window_t *window, unsigned options) noexcept {
  std::int32_t rank = -1;
  if (!find_rank(window, target, options, &rank)) {
    return AVRM_ERR_RANK;
  }
  avrm_part_t part{};
  const avrm_status_t native = learn(window, rank, &part);
  if (native != AVRM_OK && native != AVRM_ERR_UNSUPPORTED) {
    return native;
  }
  std::uint64_t offset = static_cast<std::uint64_t>(displacement);
  if ((options & AVRM_FP_VIRTUAL_ADDR) != 0) {
    offset -= native == AVRM_OK ? part.base : 0;
  } else if (displacement < 0 || __builtin_mul_overflow(offset, window->unit, &offset)) {
    return AVRM_ERR_OUTSIDE;
  }
  // As on the fast path, the buffer of a small put is free again on return.
  const std::size_t bytes = layout.block * layout.count;
  const bool small = bytes <= window->net->inject_max;
  if (small && native == AVRM_OK && is_contiguous(layout)) {
    return inject(window, rank, offset, buffer, bytes);
  }
  PendingRequests &pending = window->cold->pending;
  if (!pending.reserve(memory_of(window->cold->comm))) {
    return AVRM_ERR_NO_MEMORY;
  }
  avrm_request_t *request = nullptr;
  const avrm_status_t status = avrm_put_strided(window->cold->window, buffer, &layout, rank, offset, &layout, &request);
  if (status == AVRM_OK && small) {
    return avrm_wait(&request, nullptr);
  }
  if (status == AVRM_OK && request != done_request()) {
    pending.add(request);
  }
  return status == AVRM_ERR_SIZE ? AVRM_ERR_OUTSIDE : status;
}

// The part of a rank, as far as puts without a request reach it. False if that is not known.
bool find_part(const avrm_fp_window_t *window, std::int32_t rank, std::uint64_t *base_p,
               std::uint64_t *key_p) noexcept {
  if (window->uniform == 0) {
    return avrm_directory_target(window->parts, rank, base_p, key_p);
  }
  *base_p = window->base;
  *key_p = window->key;
  return true;
}

std::uint64_t world_word_of(const avrm_fp_window_t *window, std::int64_t lpid) noexcept {
  return avrm_i_is_line(window->world) ? avrm_i_fp_world_line(window->world, lpid)
                                       : avrm_i_fp_world_word(window->world, lpid);
}

// Out of line, as the next two, so that the rest of avrm_i_fp_put_general saves no registers.
[[gnu::noinline]] avrm_status_t put_bytes_by_device(const void *buffer, std::size_t bytes, std::int64_t target,
                                                    std::int64_t displacement, avrm_fp_window_t *window,
                                                    unsigned options) noexcept {
  return put_by_device(buffer, {bytes, 1, bytes}, target, displacement, window, options);
}

[[gnu::noinline]] avrm_status_t put_elements_by_device(const void *buffer, std::int32_t count, std::int64_t target,
                                                       std::int64_t displacement, avrm_fp_window_t *window,
                                                       avrm_datatype_t type, unsigned options) noexcept {
  avrm_layout_t layout{};
  const avrm_status_t status = layout_of(count, type, &layout);
  return status != AVRM_OK ? status : put_by_device(buffer, layout, target, displacement, window, options);
}

// The inline path again, for the forms of maps and directories that it leaves out.
[[gnu::noinline]] avrm_status_t put_of_any_form(const void *buffer, std::size_t bytes, std::int64_t target,
                                                std::int64_t displacement, avrm_fp_window_t *window,
                                                unsigned options) noexcept {
  std::int32_t rank = -1;
  std::uint64_t base = 0;
  std::uint64_t key = 0;
  if (find_rank(window, target, options, &rank) && find_part(window, rank, &base, &key)) {
    const bool global = (options & AVRM_FP_GLOBAL) != 0;
    const std::uint64_t word = global ? world_word_of(window, target) : avrm_rankmap_word(window->map, rank);
    std::uint64_t handle = 0;
    if (avrm_i_fp_decode(word, window->codec, &handle) && bytes <= window->net->inject_max) {
      if ((options & AVRM_FP_CHECKS) != 0 &&
          !avrm_i_fp_is_inside(displacement, window->unit, bytes, avrm_directory_size(window->parts, rank))) {
        return AVRM_ERR_OUTSIDE;
      }
      auto remote = static_cast<std::uint64_t>(displacement);
      if ((options & AVRM_FP_VIRTUAL_ADDR) == 0) {
        remote = base + remote * window->unit;
      }
      return avrm_i_fp_table_put_inject(buffer, bytes, key, remote, handle, window->net);
    }
  }
  return put_bytes_by_device(buffer, bytes, target, displacement, window, options);
}

} // namespace

avrm_status_t avrm_i_fp_put_bytes(const void *buffer, size_t bytes, int64_t target, int64_t displacement,
                                  avrm_fp_window_t *window, unsigned options) noexcept {
  return window->threads != 0 ? put_bytes_by_device(buffer, bytes, target, displacement, window, options)
                              : put_of_any_form(buffer, bytes, target, displacement, window, options);
}

avrm_status_t avrm_i_fp_put_general(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                                    avrm_fp_window_t *window, avrm_datatype_t type, unsigned options) noexcept {
  if (AVRM_LIKELY(avrm_type_is_predefined(type) && count >= 0)) {
    const std::size_t bytes = avrm_type_predefined_size(type) * static_cast<std::uint32_t>(count);
    return avrm_i_fp_put_bytes(buffer, bytes, target, displacement, window, options);
  }
  return put_elements_by_device(buffer, count, target, displacement, window, type, options);
}

avrm_status_t avrm_fp_flush_all(avrm_fp_window_t *window) noexcept {
  if (window == nullptr || window->live != AVRM_FP_LIVE) {
    return AVRM_ERR_WINDOW;
  }
  PendingRequests pending;
  {
    const FastpathGuard guard(window->cold->comm, &window->cold->lock);
    pending = window->cold->pending.take();
  }
  const avrm_status_t completed = pending.complete(memory_of(window->cold->comm));
  const avrm_status_t flushed = avrm_flush_all(window->cold->window);
  return completed != AVRM_OK ? completed : flushed;
}
