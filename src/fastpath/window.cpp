// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Windows of the MPI-shaped interface, and puts that the inline path leaves to the library.
#include <algorithm>
#include <new>

#include "avrankmap/inverse.h"
#include "core/connect.h"
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

// The tables of a window: zero-filled and untouched, so that peers that were never contacted cost
// address space only.
void for_each_table(avrm_fp_window_t *window,
                    void (*visit)(avrm_fp_window_t *, std::uint64_t **table, std::int32_t size)) noexcept {
  const std::int32_t ranks = window->map->size;
  const std::int32_t processes = window->cold->comm->comm->device->size;
  visit(window, &window->targets.bases_plus_1, ranks);
  visit(window, &window->targets.keys, ranks);
  visit(window, &window->world_targets.bases_plus_1, processes);
  visit(window, &window->world_targets.keys, processes);
  visit(window, &window->sizes, ranks);
}

constexpr std::size_t bytes_of(std::int32_t entries) noexcept {
  return static_cast<std::size_t>(entries) * sizeof(std::uint64_t);
}

// AVEs that are all zero, hence not connected.
constexpr std::size_t unconnected_bytes(const avrm_fp_comm_t *comm) noexcept {
  return static_cast<std::size_t>(comm->comm->device->size) * sizeof(avrm_ave_t);
}

void release_tables(avrm_fp_window_t *window) noexcept {
  if (window->uniform == 0) {
    const avrm_fp_comm_t *const comm = window->cold->comm;
    memory_of(comm).release(const_cast<avrm_ave_t *>(window->uniform_world), unconnected_bytes(comm),
                            alignof(avrm_ave_t), AVRM_MEM_COMM);
  }
  for_each_table(window, [](avrm_fp_window_t *w, std::uint64_t **table, std::int32_t size) {
    memory_of(w->cold->comm).release(*table, bytes_of(size), alignof(std::uint64_t), AVRM_MEM_COMM);
  });
  avrm_fp_window_cold *const cold = window->cold;
  Memory &memory = memory_of(cold->comm);
  cold->~avrm_fp_window_cold();
  memory.release(cold, sizeof *cold, alignof(avrm_fp_window_cold), AVRM_MEM_COMM);
}

bool allocate_tables(avrm_fp_window_t *window) noexcept {
  for_each_table(window, [](avrm_fp_window_t *w, std::uint64_t **table, std::int32_t size) {
    *table = static_cast<std::uint64_t *>(
        memory_of(w->cold->comm).allocate(bytes_of(size), alignof(std::uint64_t), AVRM_MEM_COMM));
  });
  if (window->uniform == 0) {
    const avrm_fp_comm_t *const comm = window->cold->comm;
    window->uniform_world = static_cast<const avrm_ave_t *>(
        memory_of(comm).allocate(unconnected_bytes(comm), alignof(avrm_ave_t), AVRM_MEM_COMM));
  }
  return window->uniform_world != nullptr && window->targets.bases_plus_1 != nullptr &&
         window->targets.keys != nullptr && window->world_targets.bases_plus_1 != nullptr &&
         window->world_targets.keys != nullptr && window->sizes != nullptr;
}

// Fills in a handle.
avrm_status_t open_window(avrm_fp_comm_t *comm, void *base, std::size_t bytes, std::int32_t unit,
                          avrm_fp_window_t *window) noexcept {
  const avrm_device_t *const device = comm->comm->device;
  Memory &memory = memory_of(comm);
  void *const block = memory.allocate(sizeof(avrm_fp_window_cold), alignof(avrm_fp_window_cold), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const cold = new (block) avrm_fp_window_cold;
  cold->comm = comm;
  avrm_fp_window_t opened{.map = comm->map,
                          .targets = {},
                          .world_targets = {},
                          .net = comm->net,
                          .world = comm->world,
                          .uniform_world = comm->world,
                          .unit = static_cast<std::uint64_t>(unit),
                          .key = 0,
                          .sizes = nullptr,
                          .live = AVRM_FP_LIVE,
                          .uniform = 0,
                          .threads = static_cast<std::uint8_t>(comm->threads),
                          .codec = comm->codec,
                          .cold = cold};
  // Without peers that answer, all parts are alike and the netmod invents the key.
  std::uint64_t remote = 0;
  if (!device->receives_from_net && device->net->ops->key_values != nullptr &&
      device->net->ops->key_values(device->net, nullptr, &remote, &opened.key) == AVRM_OK) {
    opened.uniform = 1;
  }
  avrm_status_t status = AVRM_ERR_NO_MEMORY;
  if (allocate_tables(&opened)) {
    status = avrm_window_create(comm->comm, base, bytes, &cold->window);
  }
  if (status != AVRM_OK) {
    release_tables(&opened);
    return status;
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

// Finds out once how to reach a peer's part natively. Call it with the window's lock,
// without the device's.
avrm_status_t learn(avrm_fp_window_t *window, std::int32_t rank) noexcept {
  if (window->targets.bases_plus_1[rank] != 0) {
    return AVRM_OK;
  }
  avrm_window_t *const plain = window->cold->window;
  const DeviceGuard guard(plain->device);
  std::uint64_t remote = 0;
  std::uint64_t key = 0;
  std::uint64_t bytes = 0;
  const avrm_status_t status = reach_natively(plain, rank, &remote, &key, &bytes);
  if (status != AVRM_OK) {
    return status;
  }
  // Threads with a queue look without a lock: the base comes last.
  window->sizes[rank] = bytes;
  window->targets.keys[rank] = key;
  std::atomic_ref(window->targets.bases_plus_1[rank]).store(remote + 1, std::memory_order_release);
  const avrm_gpid_t process = avrm_rankmap_gpid(window->map, rank);
  if (process.pgid == plain->device->world_av->pgid) {
    window->world_targets.keys[process.lpid] = key;
    window->world_targets.bases_plus_1[process.lpid] = remote + 1;
  }
  return AVRM_OK;
}

// A put that the transport accepts at once, into a part that is known.
avrm_status_t inject(avrm_fp_window_t *window, std::int32_t rank, std::uint64_t offset, const void *buffer,
                     std::size_t bytes) noexcept {
  const std::uint64_t size = window->sizes[rank];
  if (offset > size || bytes > size - offset) {
    return AVRM_ERR_OUTSIDE;
  }
  avrm_comm_t *const comm = window->cold->comm->comm;
  avrm_device_t *const device = comm->device;
  const DeviceGuard guard(device);
  Route route{};
  Way way{};
  const avrm_gpid_t peer = gpid_of(comm, rank);
  avrm_status_t status = route_to(comm, rank, &route);
  status = status == AVRM_OK ? way_to(comm, peer, route.handle, &way) : status;
  if (status != AVRM_OK) {
    return status;
  }
  const auto post = [&] {
    const WayGuard held(way);
    return way.net->ops->put_inject(way.net, way.handle, window->targets.bases_plus_1[rank] - 1 + offset,
                                    window->targets.keys[rank], buffer, bytes);
  };
  return post_to(device, peer, post, way.net);
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_fp_window_create(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit,
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
  status = open_window(comm, base, bytes, unit, window);
  if (status != AVRM_OK) {
    memory.release(window, sizeof *window, 64, AVRM_MEM_COMM);
    return status;
  }
  *window_p = window;
  return AVRM_OK;
}

avrm_status_t avrm_fp_window_create_predefined(avrm_fp_comm_t *comm, void *base, size_t bytes, int32_t unit,
                                               avrm_fp_window_t *place) noexcept {
  const avrm_status_t status = check_window(comm, base, bytes, unit, place);
  if (status != AVRM_OK) {
    return status;
  }
  if (!is_predefined(place)) {
    return AVRM_ERR_OPTION;
  }
  return place->live == AVRM_FP_LIVE ? AVRM_ERR_BUSY : open_window(comm, base, bytes, unit, place);
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
  release_tables(window);
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
  const avrm_status_t status = learn(window, target);
  if (status != AVRM_OK && status != AVRM_ERR_UNSUPPORTED) {
    return status;
  }
  *address_p = status == AVRM_OK ? window->targets.bases_plus_1[target] - 1 : 0;
  return AVRM_OK;
}

namespace {

// Out of line, so that the rest of avrm_i_fp_put_general saves no registers.
[[gnu::noinline]] avrm_status_t put_by_device(const void *buffer, std::int32_t count, std::int64_t target,
                                              std::int64_t displacement, avrm_fp_window_t *window, avrm_datatype_t type,
                                              unsigned options) noexcept {
  avrm_layout_t layout{};
  avrm_status_t status = layout_of(count, type, &layout);
  if (status != AVRM_OK) {
    return status;
  }
  auto rank = static_cast<std::int32_t>(target);
  if ((options & AVRM_FP_GLOBAL) != 0) {
    const std::int32_t world = window->cold->window->device->world_av->pgid;
    status = avrm_rankmap_rank(window->map, {world, rank}, &rank);
    if (status != AVRM_OK) {
      return status;
    }
  }
  if (rank < 0) {
    return AVRM_ERR_RANK;
  }
  const avrm_status_t native = learn(window, rank);
  if (native != AVRM_OK && native != AVRM_ERR_UNSUPPORTED) {
    return native;
  }
  std::uint64_t offset = static_cast<std::uint64_t>(displacement);
  if ((options & AVRM_FP_VIRTUAL_ADDR) != 0) {
    offset -= native == AVRM_OK ? window->targets.bases_plus_1[rank] - 1 : 0;
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
  status = avrm_put_strided(window->cold->window, buffer, &layout, rank, offset, &layout, &request);
  if (status == AVRM_OK && small) {
    return avrm_wait(&request, nullptr);
  }
  if (status == AVRM_OK && request != done_request()) {
    pending.add(request);
  }
  return status == AVRM_ERR_SIZE ? AVRM_ERR_OUTSIDE : status;
}

// The inline path again, for the forms that it leaves out. Out of line for the same reason.
[[gnu::noinline]] avrm_status_t put_of_any_form(const void *buffer, std::int32_t count, std::int64_t target,
                                                std::int64_t displacement, avrm_fp_window_t *window,
                                                avrm_datatype_t type, unsigned options) noexcept {
  const std::uint64_t base_plus_1 = window->targets.bases_plus_1[target];
  if (base_plus_1 != 0 && avrm_type_is_predefined(type)) {
    const std::size_t bytes = avrm_type_predefined_size(type) * static_cast<std::uint32_t>(count);
    const std::uint64_t word = avrm_i_call(window->map, static_cast<std::int32_t>(target), AVRM_I_WANT_WORD);
    std::uint64_t handle = 0;
    if (bytes <= window->net->inject_max && avrm_i_fp_decode(word, window->codec, &handle)) {
      if ((options & AVRM_FP_CHECKS) != 0 &&
          !avrm_i_fp_is_inside(displacement, window->unit, bytes, window->sizes[target])) {
        return AVRM_ERR_OUTSIDE;
      }
      auto remote = static_cast<std::uint64_t>(displacement);
      if ((options & AVRM_FP_VIRTUAL_ADDR) == 0) {
        remote = base_plus_1 - 1 + remote * window->unit;
      }
      return avrm_i_fp_put_inject(buffer, bytes, window->targets.keys[target], remote, handle, window->net);
    }
  }
  return put_by_device(buffer, count, target, displacement, window, type, options);
}

} // namespace

avrm_status_t avrm_i_fp_put_general(const void *buffer, int32_t count, int64_t target, int64_t displacement,
                                    avrm_fp_window_t *window, avrm_datatype_t type, unsigned options) noexcept {
  // All proposals at once, on a window whose parts have keys of their own: where the fast path has
  // no key, the table has one.
  constexpr unsigned kAll = AVRM_FP_GLOBAL | AVRM_FP_VIRTUAL_ADDR;
  if ((options & kAll) == kAll && window->threads == 0 && avrm_type_is_predefined(type) &&
      window->world_targets.bases_plus_1[target] != 0) {
    const std::size_t bytes = avrm_type_predefined_size(type) * static_cast<std::uint32_t>(count);
    std::uint64_t handle = 0;
    if (avrm_i_fp_decode(avrm_i_fp_world_word(window->world, target), window->codec, &handle) &&
        bytes <= window->net->inject_max) {
      return avrm_i_fp_put_inject(buffer, bytes, window->world_targets.keys[target],
                                  static_cast<std::uint64_t>(displacement), handle, window->net);
    }
  }
  return (options & AVRM_FP_GLOBAL) != 0 || window->threads != 0
             ? put_by_device(buffer, count, target, displacement, window, type, options)
             : put_of_any_form(buffer, count, target, displacement, window, type, options);
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
