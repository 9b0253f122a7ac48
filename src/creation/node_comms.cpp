// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Internal communicators of a node and of the first processes of all nodes, created at first use.
// Congruent communicators share the maps.
#include "creation/node_comms.h"

#include <algorithm>
#include <new>
#include <utility>

#include "comm/split.h"
#include "core/progress.h"
#include "core/worlds.h"
#include "creation/device_channel.h"
#include "creation/node_number.h"
#include "rankmap/runs.h"

namespace avrankmap::detail {

// Of a communicator and its dups; guarded by the device's lock.
struct SharedNodes {
  std::uint32_t sharers = 1;
  bool found = false;
  Nodes maps; // bound once they are found
};

namespace {

constexpr std::size_t kCommBytes = 2 * sizeof(avrm_comm);

template <typename T> T *allocate(Memory &memory, std::size_t bytes) noexcept {
  return static_cast<T *>(memory.allocate(bytes, alignof(T), AVRM_MEM_COMM));
}

// The nodes of a communicator, created if need be. Null without memory.
SharedNodes *nodes_of(avrm_comm_t *comm) noexcept {
  if (comm->nodes == nullptr) {
    auto *const made = allocate<SharedNodes>(comm->device->instance->memory, sizeof(SharedNodes));
    comm->nodes = made == nullptr ? nullptr : new (made) SharedNodes;
  }
  return comm->nodes;
}

// A plane of a communicator with a map of its own.
void open_internal(avrm_comm_t *at, const avrm_comm_t *comm, avrm_rankmap_t *map, std::int32_t rank,
                   Plane plane) noexcept {
  auto *const internal = new (at) avrm_comm;
  internal->map = map;
  internal->device = comm->device;
  internal->rank = rank;
  set_context(internal, comm->context, plane);
}

// Stores the maps where they stay, and binds them.
avrm_status_t keep(SharedNodes *nodes, Nodes found) noexcept {
  nodes->maps = std::move(found);
  avrm_status_t status = avrm_rankmap_bind(nodes->maps.node.get());
  if (status == AVRM_OK && nodes->maps.roots != nullptr) {
    status = avrm_rankmap_bind(nodes->maps.roots.get());
  }
  nodes->found = status == AVRM_OK;
  return status;
}

// Creates the internal communicators of `comm`. Finds the maps unless all processes know them:
// threads of different processes may use congruent communicators in different order.
Task make_internal(Channel &channel, avrm_comm_t *comm) noexcept {
  avrm_device_t *const device = comm->device;
  Memory &memory = device->instance->memory;
  auto *const block = allocate<avrm_comm>(memory, kCommBytes);
  avrm_status_t status = block == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  std::int32_t known = 0;
  std::int32_t number = 0;
  if (status == AVRM_OK) {
    status = number_node(comm, &number);
  }
  {
    const DeviceGuard guard(device);
    if (nodes_of(comm) == nullptr) {
      status = AVRM_ERR_NO_MEMORY;
    } else {
      known = comm->nodes->found ? 1 : 0;
    }
  }
  status = co_await settle(channel, nullptr, status);
  if (status == AVRM_OK) {
    status = co_await allreduce(channel, &known,
                                [](std::int32_t *into, const std::int32_t &other) { *into = std::min(*into, other); });
  }
  if (status == AVRM_OK && known == 0) {
    const Parent parent{comm->map, nullptr, comm->context};
    Nodes found;
    status = co_await find_nodes(channel, parent, number, &found);
    if (status == AVRM_OK) {
      const DeviceGuard guard(device);
      status = comm->nodes->found ? AVRM_OK : keep(comm->nodes, std::move(found));
    }
    status = co_await settle(channel, nullptr, status);
  }
  if (status != AVRM_OK) {
    memory.release(block, kCommBytes, alignof(avrm_comm), AVRM_MEM_COMM);
    co_return status;
  }
  Nodes &maps = comm->nodes->maps;
  open_internal(block, comm, maps.node.get(), maps.node_rank, Plane::kNode);
  if (maps.roots != nullptr) {
    open_internal(block + 1, comm, maps.roots.get(), maps.roots_rank, Plane::kRoots);
    comm->roots = block + 1;
  }
  comm->node = block;
  co_return AVRM_OK;
}

avrm_status_t make_if_missing(avrm_comm_t *comm, avrm_comm_t *const *comm_p) noexcept {
  if (comm == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (comm->is_inter() || comm->is_internal()) {
    return AVRM_ERR_OPTION;
  }
  if (comm->node != nullptr) {
    return AVRM_OK;
  }
  Operation operation(comm);
  DeviceChannel channel(operation, comm->collective, next_tag(comm));
  operation.run(make_internal(channel, comm));
  return operation.wait();
}

} // namespace

SharedNodes *share_nodes(avrm_comm_t *comm) noexcept {
  SharedNodes *const nodes = nodes_of(comm);
  if (nodes != nullptr) {
    ++nodes->sharers;
  }
  return nodes;
}

void drop_nodes(avrm_comm_t *comm) noexcept {
  Memory &memory = comm->device->instance->memory;
  memory.release(comm->node, kCommBytes, alignof(avrm_comm), AVRM_MEM_COMM);
  SharedNodes *const nodes = std::exchange(comm->nodes, nullptr);
  if (nodes != nullptr && --nodes->sharers == 0) {
    nodes->~SharedNodes();
    memory.release(nodes, sizeof *nodes, alignof(SharedNodes), AVRM_MEM_COMM);
  }
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_node(avrm_comm_t *comm, avrm_comm_t **node_p) noexcept {
  const avrm_status_t status = make_if_missing(comm, node_p);
  if (status == AVRM_OK) {
    *node_p = comm->node;
  }
  return status;
}

avrm_status_t avrm_comm_node_roots(avrm_comm_t *comm, avrm_comm_t **roots_p) noexcept {
  const avrm_status_t status = make_if_missing(comm, roots_p);
  if (status == AVRM_OK) {
    *roots_p = comm->roots;
  }
  return status;
}
