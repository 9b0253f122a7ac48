// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creating and freeing windows.
#include "rma/window.h"

#include <sys/mman.h>

#include <new>

#include "core/progress/queue.h"
#include "rma/known_parts.h"
#include "rma/window_service.h"

namespace avrankmap::detail {

namespace {

// Maps new memory at an address. Returns null if the address is in use.
void *map_at(void *at, std::size_t bytes) noexcept {
  void *const pages = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (pages == MAP_FAILED) {
    return nullptr;
  }
  if (pages != at) { // Linux before 4.17 treats the address as a hint
    munmap(pages, bytes);
    return nullptr;
  }
  return pages;
}

void release_memory(avrm_window_t *window) noexcept {
  avrm_device_t *const device = window->device;
  if (window->net_memory != nullptr) {
    device->net->ops->memory_release(device->net, window->net_memory);
  }
  if (window->shm_memory != nullptr) {
    device->shm->ops->memory_release(device->shm, window->shm_memory);
  }
  if (window->pages != 0) {
    munmap(window->base, window->pages);
  }
  if (window->owns_memory) {
    device->instance->memory.release(window->base, window->bytes, 64, AVRM_MEM_COMM);
  }
}

avrm_window_t *new_window(avrm_comm_t *comm) noexcept {
  void *const block = comm->device->instance->memory.allocate(sizeof(avrm_window), alignof(avrm_window), AVRM_MEM_COMM);
  if (block == nullptr) {
    return nullptr;
  }
  return new (block) avrm_window(comm, comm->device->instance->memory);
}

// Allocates memory for a window.
avrm_status_t allocate_part(avrm_window_t *window, void *at, std::size_t bytes) noexcept {
  avrm_device_t *const device = window->device;
  if (device->shm != nullptr) {
    void *base = nullptr;
    const avrm_status_t status = device->shm->ops->memory_allocate(device->shm, at, bytes, &base, &window->shm_memory);
    window->base = static_cast<unsigned char *>(base);
    if (status != AVRM_ERR_UNSUPPORTED || at != nullptr) {
      return status;
    }
    report(device, status, "a window's memory cannot be shared: processes of the node reach it by messages");
  }
  if (at != nullptr) {
    window->base = static_cast<unsigned char *>(map_at(at, bytes));
    window->pages = window->base == nullptr ? 0 : bytes;
    return window->base == nullptr ? AVRM_ERR_UNSUPPORTED : AVRM_OK;
  }
  window->base = static_cast<unsigned char *>(device->instance->memory.allocate(bytes, 64, AVRM_MEM_COMM));
  window->owns_memory = window->base != nullptr;
  return window->owns_memory ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

avrm_status_t register_part(avrm_window_t *window, std::uint64_t key) noexcept {
  avrm_device_t *const device = window->device;
  if (!has_native_windows(device) || window->bytes == 0) {
    return AVRM_OK;
  }
  const avrm_status_t status =
      device->net->ops->memory_register(device->net, window->base, window->bytes, key, &window->net_memory);
  if (status != AVRM_OK) {
    report(device, status, device->net->ops->last_error(device->net));
  }
  return status;
}

// Creates an empty directory. If peers cannot answer (null network) but the network has puts or
// gets, all parts are known from the beginning, and equal.
avrm_status_t open_window_table(avrm_window_t *window) noexcept {
  const avrm_device_t *const device = window->device;
  const std::int32_t ranks = window->comm->map->size;
  if (device->receives_from_net || !has_native_windows(device)) {
    return avrm_directory_create(device->instance, ranks, &window->parts);
  }
  avrm_part_t part{0, 0, window->bytes, 1};
  const avrm_status_t status = device->net->ops->key_open(device->net, 0, nullptr, 0, &part.base, &part.key);
  return status == AVRM_OK ? avrm_directory_create_regular(device->instance, ranks, &part, nullptr, &window->parts)
                           : status;
}

// Closes all keys, unless they are plain numbers.
void close_keys(avrm_window_t *window) noexcept {
  const avrm_device_t *const device = window->device;
  if ((device->net->capabilities & AVRM_NETMOD_PLAIN_KEYS) != 0) {
    return;
  }
  std::int32_t rank = 0;
  avrm_part_t part{};
  for (std::uint64_t place = 0; avrm_directory_next(&window->parts, &place, &rank, &part);) {
    Queue *const queue = gpid_of(window->comm, rank).pgid == kOwnWorld ? window->comm->queue : nullptr;
    const NetRoute way{queue != nullptr ? queue->net : device->net, 0, queue != nullptr ? &queue->lock : nullptr};
    const NetRouteGuard guard(way);
    way.net->ops->key_close(way.net, part.key);
  }
}

void free_target(avrm_window_t *window, Target *target) noexcept {
  const avrm_device_t *const device = window->device;
  if (target->local_part.size != 0) {
    device->net->ops->key_close(device->net, target->local_part.key);
  }
  if (target->mapping != nullptr) {
    device->shm->ops->memory_release(device->shm, target->mapping);
  }
  device->instance->memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
}

} // namespace

avrm_status_t make_window(avrm_comm_t *comm, std::uint64_t id, const WindowWish &wish,
                          avrm_window_t **window_p) noexcept {
  avrm_window_t *const window = new_window(comm);
  if (window == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  window->id = id;
  window->base = static_cast<unsigned char *>(wish.base);
  avrm_status_t status = wish.base == nullptr && wish.bytes != 0 ? allocate_part(window, wish.at, wish.bytes) : AVRM_OK;
  if (status == AVRM_OK) {
    window->bytes = wish.bytes;
    status = register_part(window, wish.key != 0 ? wish.key : common_key(window->device, id));
  }
  if (status == AVRM_OK) {
    status = open_window_table(window);
  }
  if (status != AVRM_OK) {
    discard_window(window);
    return status;
  }
  *window_p = window;
  return AVRM_OK;
}

void discard_window(avrm_window_t *window) noexcept {
  Memory &memory = window->device->instance->memory;
  release_memory(window);
  avrm_directory_destroy(&window->parts);
  window->~avrm_window();
  memory.release(window, sizeof(avrm_window), alignof(avrm_window), AVRM_MEM_COMM);
}

std::uint64_t next_window_id(avrm_comm_t *comm) noexcept {
  return std::uint64_t{comm->context} << 32 | comm->windows_created++;
}

void open_window(avrm_window_t *window) noexcept {
  avrm_comm_t *const comm = window->comm;
  ++comm->users;
  comm->has_sent = true; // keys are opened for its queue
  window->device->windows->all.add(window);
  answer_early_requests(window->device);
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_window_free(avrm_window_t *window) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_device_t *const device = window->device;
  const DeviceGuard guard(device);
  if (window->users != 0) {
    return AVRM_ERR_BUSY;
  }
  window->targets.clear([window](void *target) { free_target(window, static_cast<Target *>(target)); });
  close_keys(window);
  device->windows->all.remove(window);
  --window->comm->users;
  discard_window(window);
  return AVRM_OK;
}
