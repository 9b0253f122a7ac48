// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creating and freeing windows.
#include "rma/window.h"

#include <new>

#include "core/queue.h"
#include "rma/window_service.h"

namespace avrankmap::detail {

namespace {

void release_memory(avrm_window_t *window) noexcept {
  avrm_device_t *const device = window->device;
  if (window->net_memory != nullptr) {
    device->net->ops->memory_release(device->net, window->net_memory);
  }
  if (window->shm_memory != nullptr) {
    device->shm->ops->memory_release(device->shm, window->shm_memory);
  }
  if (window->owns_memory) {
    device->instance->memory.release(window->base, window->bytes, 64, AVRM_MEM_COMM);
  }
}

void free_window(avrm_window_t *window) noexcept {
  Memory &memory = window->device->instance->memory;
  release_memory(window);
  window->~avrm_window();
  memory.release(window, sizeof(avrm_window), alignof(avrm_window), AVRM_MEM_COMM);
}

avrm_window_t *new_window(avrm_comm_t *comm) noexcept {
  void *const block = comm->device->instance->memory.allocate(sizeof(avrm_window), alignof(avrm_window), AVRM_MEM_COMM);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const window = new (block) avrm_window;
  window->device = comm->device;
  window->comm = comm;
  return window;
}

// Allocates memory for a window.
avrm_status_t allocate_part(avrm_window_t *window, std::size_t bytes) noexcept {
  avrm_device_t *const device = window->device;
  if (device->shm != nullptr) {
    void *base = nullptr;
    const avrm_status_t status = device->shm->ops->memory_allocate(device->shm, bytes, &base, &window->shm_memory);
    window->base = static_cast<unsigned char *>(base);
    return status;
  }
  window->base = static_cast<unsigned char *>(device->instance->memory.allocate(bytes, 64, AVRM_MEM_COMM));
  window->owns_memory = window->base != nullptr;
  return window->owns_memory ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

avrm_status_t register_part(avrm_window_t *window) noexcept {
  avrm_device_t *const device = window->device;
  if ((device->net->capabilities & (AVRM_NETMOD_PUT | AVRM_NETMOD_GET)) == 0 || window->bytes == 0) {
    return AVRM_OK;
  }
  const avrm_status_t status =
      device->net->ops->memory_register(device->net, window->base, window->bytes, &window->net_memory);
  if (status != AVRM_OK) {
    report(device, status, device->net->ops->last_error(device->net));
  }
  return status;
}

// Creates a window of `bytes` bytes at `base`, or in memory that it allocates if `base` is null.
// Windows of a communicator have the same number in all members, so a failed call counts, too.
avrm_status_t make_window(avrm_comm_t *comm, void *base, std::size_t bytes, avrm_window_t **window_p) noexcept {
  avrm_device_t *const device = comm->device;
  const std::uint64_t id = std::uint64_t{comm->context} << 32 | comm->windows_created++;
  avrm_window_t *const window = new_window(comm);
  avrm_status_t status = window != nullptr ? AVRM_OK : AVRM_ERR_NO_MEMORY;
  if (status == AVRM_OK) {
    window->id = id;
    window->base = static_cast<unsigned char *>(base);
    status = base == nullptr && bytes != 0 ? allocate_part(window, bytes) : AVRM_OK;
  }
  if (status == AVRM_OK) {
    window->bytes = bytes;
    status = register_part(window);
  }
  if (status != AVRM_OK) {
    if (window != nullptr) {
      free_window(window);
    }
    answer_early_requests(device, id, nullptr);
    return status;
  }
  ++comm->users;
  window->next = device->windows->first;
  device->windows->first = window;
  *window_p = window;
  answer_early_requests(device, id, window);
  return AVRM_OK;
}

void free_target(avrm_window_t *window, Target *target) noexcept {
  avrm_device_t *const device = window->device;
  if (target->queue_key != nullptr) {
    Queue *const queue = window->comm->queue;
    const std::lock_guard guard(queue->lock);
    queue->net->ops->key_close(queue->net, target->queue_key);
  }
  if (target->key != nullptr) {
    device->net->ops->key_close(device->net, target->key);
  }
  if (target->mapping != nullptr) {
    device->shm->ops->memory_release(device->shm, target->mapping);
  }
  device->instance->memory.release(target, sizeof *target, alignof(Target), AVRM_MEM_COMM);
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_window_create(avrm_comm_t *comm, void *base, size_t bytes, avrm_window_t **window_p) noexcept {
  if (comm == nullptr || window_p == nullptr || (base == nullptr && bytes != 0)) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(comm->device);
  return make_window(comm, base, bytes, window_p);
}

avrm_status_t avrm_window_allocate(avrm_comm_t *comm, size_t bytes, void **base_p, avrm_window_t **window_p) noexcept {
  if (comm == nullptr || base_p == nullptr || window_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const DeviceGuard guard(comm->device);
  const avrm_status_t status = make_window(comm, nullptr, bytes, window_p);
  if (status == AVRM_OK) {
    *base_p = (*window_p)->base;
  }
  return status;
}

avrm_status_t avrm_window_free(avrm_window_t *window) noexcept {
  if (window == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_device_t *const device = window->device;
  const DeviceGuard guard(device);
  if (window->users != 0) {
    return AVRM_ERR_BUSY;
  }
  for (Target *target : window->buckets) {
    while (target != nullptr) {
      Target *const next = target->next;
      free_target(window, target);
      target = next;
    }
  }
  avrm_window_t **at = &device->windows->first;
  while (*at != window) {
    at = &(*at)->next;
  }
  *at = window->next;
  --window->comm->users;
  free_window(window);
  return AVRM_OK;
}
