// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/queue.h"

#include <new>

#include "core/peers/card.h"
#include "core/peers/connect.h"

namespace avrankmap::detail {

namespace {

void close_queue(avrm_device_t *device, Queue *queue) noexcept {
  Memory &memory = device->instance->memory;
  if (queue->net != nullptr) {
    queue->net->ops->close(queue->net);
  }
  queue->~Queue();
  memory.release(queue, sizeof *queue, alignof(Queue), AVRM_MEM_COMM);
}

avrm_status_t open_queue(avrm_device_t *device, std::int32_t number, Queue **queue_p) noexcept {
  const avrm_netmod_ops_t *const ops = device->net->ops;
  if (ops->open_queue == nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  Memory &memory = device->instance->memory;
  void *const block = memory.allocate(sizeof(Queue), alignof(Queue), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *const queue = new (block) Queue(device->world_av, number);
  const avrm_status_t status = ops->open_queue(device->net, &queue->net);
  if (status != AVRM_OK) {
    close_queue(device, queue);
    return status;
  }
  queue->net->ops = ops;
  queue->net->user = device;
  *queue_p = queue;
  return AVRM_OK;
}

// Stores the handle of the peer that was inserted last. If there is no memory, the next call tries
// again.
avrm_status_t store_inserted(Queue *queue) noexcept {
  if (queue->inserted_lpid < 0) {
    return AVRM_OK;
  }
  const avrm_status_t status =
      avrm_addresses_set(queue->av, queue->number, queue->inserted_lpid, 1, &queue->inserted_handle);
  if (status != AVRM_ERR_NO_MEMORY) {
    queue->inserted_lpid = -1;
  }
  return status;
}

// Inserts a peer into a queue, after the handle of the previous one was stored: a queue cannot
// remove peers.
avrm_status_t insert(avrm_device_t *device, Queue *queue, std::int32_t lpid) noexcept {
  Card card;
  avrm_status_t status = fetch_card(device, lpid, &card);
  if (status != AVRM_OK) {
    return status;
  }
  {
    const std::lock_guard guard(queue->lock);
    status =
        queue->net->ops->insert(queue->net, 1, card.net(), card.net_bytes, card.net_bytes, &queue->inserted_handle);
  }
  if (status != AVRM_OK) {
    report(device, status, queue->net->ops->last_error(queue->net));
    return status;
  }
  queue->is_used = true;
  queue->inserted_lpid = lpid;
  return store_inserted(queue);
}

} // namespace

avrm_status_t open_queues(avrm_device_t *device, std::int32_t count) noexcept {
  const DeviceGuard guard(device);
  Queue **end = &device->queues;
  for (std::int32_t i = 0; i < count; ++i) {
    if (*end == nullptr) {
      if (const avrm_status_t status = open_queue(device, i + 1, end); status != AVRM_OK) {
        return status;
      }
    }
    end = &(*end)->next;
  }
  return AVRM_OK;
}

void close_queues(avrm_device_t *device) noexcept {
  while (Queue *const queue = device->queues) {
    device->queues = queue->next;
    close_queue(device, queue);
  }
}

int progress_queues(avrm_device_t *device) noexcept {
  int events = 0;
  for (Queue *queue = device->queues; queue != nullptr; queue = queue->next) {
    // The holder of the lock is posting, and makes progress itself if the network is busy.
    if (queue->is_used && queue->lock.try_lock()) {
      events += queue->net->ops->progress(queue->net);
      queue->lock.unlock();
    }
  }
  return events;
}

void tell_queues(avrm_device_t *device, std::int32_t lpid) noexcept {
  for (Queue *queue = device->queues; queue != nullptr; queue = queue->next) {
    if (std::uint64_t handle = 0; queue->find(lpid, &handle)) {
      const std::lock_guard guard(queue->lock);
      queue->net->ops->peer_failed(queue->net, handle);
    }
  }
}

avrm_status_t net_route_to(const avrm_comm_t *comm, avrm_gpid_t peer, std::uint64_t handle, NetRoute *way_p) noexcept {
  Queue *const queue = comm->queue;
  if (queue == nullptr || peer.pgid != kOwnWorld) {
    *way_p = {comm->device->net, handle, nullptr};
    return AVRM_OK;
  }
  std::uint64_t own = 0;
  if (!queue->find(peer.lpid, &own)) {
    avrm_status_t status = store_inserted(queue);
    if (status == AVRM_OK && !queue->find(peer.lpid, &own)) {
      status = insert(comm->device, queue, peer.lpid);
      own = queue->inserted_handle;
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
  *way_p = {queue->net, own, &queue->lock};
  return AVRM_OK;
}

} // namespace avrankmap::detail
