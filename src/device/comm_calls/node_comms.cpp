// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Internal communicators of a node and of the first processes of all nodes, created at first use
// from the communicator's hierarchy. Congruent communicators share hierarchy and maps.
#include "comm_calls/node_comms.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "comm_algorithms/channel/collectives.h"
#include "comm_algorithms/context_agreement.h"
#include "comm_algorithms/find_hierarchy.h"
#include "comm_calls/device_channel.h"
#include "comm_calls/node_number.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "hierarchy/by_rule.h"

namespace avrankmap::detail {

// Shared by a communicator and its duplicates; protected by the device's lock.
struct SharedNodes {
  SharedNodes() noexcept = default;
  SharedNodes(const SharedNodes &) = delete;
  SharedNodes &operator=(const SharedNodes &) = delete;
  ~SharedNodes() { avrm_hierarchy_destroy(&hierarchy); }

  std::uint32_t sharers = 1;
  bool found = false;
  avrm_hierarchy_t hierarchy{};
  // Bound once `found` is true. No `roots` in a process that is not the first of its node.
  MapOwner node;
  MapOwner roots;
};

namespace {

constexpr std::size_t kCommBytes = 2 * sizeof(avrm_comm);

template <typename T> T *allocate(Memory &memory, std::size_t bytes) noexcept {
  return static_cast<T *>(memory.allocate(bytes, alignof(T), AVRM_MEM_COMM));
}

// Returns the nodes of a communicator, created if necessary; null if memory is exhausted.
SharedNodes *nodes_of(avrm_comm_t *comm) noexcept {
  if (comm->nodes == nullptr) {
    auto *const made = allocate<SharedNodes>(comm->device->instance->memory, sizeof(SharedNodes));
    comm->nodes = made == nullptr ? nullptr : new (made) SharedNodes;
  }
  return comm->nodes;
}

// Opens a plane of a communicator with a separate map.
void open_internal(avrm_comm_t *at, const avrm_comm_t *comm, avrm_rankmap_t *map, std::int32_t rank,
                   Plane plane) noexcept {
  auto *const internal = new (at) avrm_comm;
  internal->map = map;
  internal->address_map = map;
  internal->device = comm->device;
  internal->rank = rank;
  set_context(internal, comm->context, plane);
}

// Opens both internal communicators in a block of kCommBytes bytes.
void open_internals(avrm_comm_t *comm, avrm_comm *block) noexcept {
  SharedNodes *const nodes = comm->nodes;
  const std::int32_t node = avrm_hierarchy_node(&nodes->hierarchy, comm->rank);
  const std::int32_t local = avrm_hierarchy_local(&nodes->hierarchy, comm->rank);
  open_internal(block, comm, nodes->node.get(), local, Plane::kNode);
  if (local == 0) {
    open_internal(block + 1, comm, nodes->roots.get(), node, Plane::kRoots);
    comm->roots = block + 1;
  }
  comm->node = block;
}

// Creates the maps of a hierarchy in place, binds them, and takes over the hierarchy. After an
// error, `found` is still false.
avrm_status_t keep(SharedNodes *nodes, const avrm_comm_t *comm, avrm_hierarchy_t *hierarchy) noexcept {
  const std::int32_t node = avrm_hierarchy_node(hierarchy, comm->rank);
  nodes->node = nullptr;
  nodes->roots = nullptr;
  avrm_status_t status = avrm_hierarchy_node_map(hierarchy, node, comm->map, nodes->node.get());
  if (status == AVRM_OK) {
    status = avrm_rankmap_bind(nodes->node.get());
  }
  if (status == AVRM_OK && avrm_hierarchy_local(hierarchy, comm->rank) == 0) {
    status = avrm_hierarchy_leaders_map(hierarchy, comm->map, nodes->roots.get());
    if (status == AVRM_OK) {
      status = avrm_rankmap_bind(nodes->roots.get());
    }
  }
  if (status == AVRM_OK) {
    std::swap(nodes->hierarchy, *hierarchy);
    nodes->found = true;
  }
  return status;
}

// Owns a hierarchy until `keep` takes it over.
struct HierarchyOwner {
  HierarchyOwner() noexcept = default;
  HierarchyOwner(const HierarchyOwner &) = delete;
  HierarchyOwner &operator=(const HierarchyOwner &) = delete;
  ~HierarchyOwner() { avrm_hierarchy_destroy(&hierarchy); }

  avrm_hierarchy_t hierarchy{};
};

// The formula for the node ids of this world, if its members have found one. It is the same in all
// of them.
std::optional<NodeIdRule> rule_of_world(const avrm_comm_t *comm) noexcept {
  const avrm_device_t *const device = comm->device;
  const SharedNodes *const world = device->world->nodes;
  if (comm->map->pgid != kOwnWorld || world == nullptr || !world->found || world->hierarchy.shared != nullptr) {
    return std::nullopt;
  }
  const avrm_hierarchy_t &layout = world->hierarchy;
  return NodeIdRule{0, layout.size, 0, layout.phase, layout.block, layout.nodes};
}

struct Readiness {
  std::int32_t status;
  std::int32_t knows; // 1: needs no messages
};

void combine(Readiness *into, const Readiness &other) noexcept {
  into->status = std::min(into->status, other.status);
  into->knows = std::min(into->knows, other.knows);
}

// Finds the nodes together with the other members, unless all of them know the nodes. The members
// check this first, since possibly only some know the nodes: threads of different processes may use
// congruent communicators in different orders. An error may be local.
Task find_together(Channel &channel, avrm_comm_t *comm, avrm_status_t status, std::int32_t number) noexcept {
  Readiness ready{static_cast<std::int32_t>(status), 0};
  std::optional<NodeIdRule> rule;
  if (status == AVRM_OK) {
    const DeviceGuard guard(comm->device);
    rule = rule_of_world(comm);
    ready.knows = comm->nodes->found || rule ? 1 : 0;
  }
  status = co_await allreduce(channel, &ready, combine);
  if (status == AVRM_OK) {
    status = status_of(ready.status);
  }
  HierarchyOwner owner;
  if (status == AVRM_OK && ready.knows == 0) {
    status = co_await find_hierarchy(channel, comm->device->instance, number, &owner.hierarchy);
  } else if (status == AVRM_OK && rule) {
    status = create_of_rule(comm->map, *rule, &owner.hierarchy);
  }
  if (status == AVRM_OK) {
    const DeviceGuard guard(comm->device);
    status = comm->nodes->found ? AVRM_OK : keep(comm->nodes, comm, &owner.hierarchy);
  }
  co_return status;
}

// Creates the internal communicators of `comm`.
Task make_internal(Channel &channel, avrm_comm_t *comm) noexcept {
  avrm_device_t *const device = comm->device;
  Memory &memory = device->instance->memory;
  auto *const block = allocate<avrm_comm>(memory, kCommBytes);
  avrm_status_t status = block == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  std::int32_t number = 0;
  if (status == AVRM_OK) {
    status = number_node(comm, &number);
  }
  if (status == AVRM_OK) {
    const DeviceGuard guard(device);
    status = nodes_of(comm) == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  status = co_await find_together(channel, comm, status, number);
  status = co_await agree_on_status(channel, nullptr, status);
  if (status == AVRM_OK) {
    const DeviceGuard guard(device);
    if (comm->is_revoked()) { // meanwhile, when there were no internal communicators to revoke
      status = AVRM_ERR_REVOKED;
    } else {
      open_internals(comm, block);
    }
  }
  if (status != AVRM_OK) {
    memory.release(block, kCommBytes, alignof(avrm_comm), AVRM_MEM_COMM);
  }
  co_return status;
}

// As above, without messages. For members that all know the nodes of their world.
avrm_status_t make_alone(avrm_comm_t *comm) noexcept {
  const DeviceGuard guard(comm->device);
  if (comm->is_revoked()) {
    return AVRM_ERR_REVOKED;
  }
  SharedNodes *const nodes = nodes_of(comm);
  if (nodes == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (!nodes->found) {
    HierarchyOwner owner;
    avrm_status_t status = avrm_hierarchy_create(comm->map, &owner.hierarchy);
    if (status == AVRM_OK) {
      status = keep(nodes, comm, &owner.hierarchy);
    }
    if (status != AVRM_OK) {
      return status;
    }
  }
  auto *const block = allocate<avrm_comm>(comm->device->instance->memory, kCommBytes);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  open_internals(comm, block);
  return AVRM_OK;
}

template <typename T> avrm_status_t make_if_missing(avrm_comm_t *comm, T *const *result_p) noexcept {
  if (comm == nullptr || result_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (comm->is_inter() || comm->is_internal()) {
    return AVRM_ERR_OPTION;
  }
  if (comm->node != nullptr) {
    return AVRM_OK;
  }
  if (comm->is_revoked()) {
    return AVRM_ERR_REVOKED;
  }
  if (comm->device->nodes_are_known && comm->map->pgid == kOwnWorld) {
    return make_alone(comm);
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

avrm_status_t avrm_comm_hierarchy(avrm_comm_t *comm, const avrm_hierarchy_t **hierarchy_p) noexcept {
  const avrm_status_t status = make_if_missing(comm, hierarchy_p);
  if (status == AVRM_OK) {
    *hierarchy_p = &comm->nodes->hierarchy;
  }
  return status;
}
