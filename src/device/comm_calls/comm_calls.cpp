// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The C interface for creating communicators, except for grids. Each call checks its arguments
// locally, then runs the algorithm.
#include <cstring>
#include <new>

#include "base/fnv.h"
#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/create/from_group.h"
#include "comm_algorithms/create/inter.h"
#include "comm_algorithms/create/split.h"
#include "comm_calls/node_number.h"
#include "comm_calls/pending.h"
#include "core/progress/completion.h"

namespace avrankmap::detail {

namespace {

enum class Kind { kIntra, kInter, kAny };

avrm_status_t check(const avrm_comm_t *comm, Kind kind, avrm_comm_t *const *comm_p) noexcept {
  if (comm == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const bool right = kind == Kind::kAny || comm->is_inter() == (kind == Kind::kInter);
  return right && !comm->is_internal() ? AVRM_OK : AVRM_ERR_OPTION;
}

avrm_status_t end(Creation &creation, avrm_comm_t **comm_p) noexcept {
  const avrm_status_t status = creation.wait();
  if (status == AVRM_OK) {
    *comm_p = creation.take();
  }
  return status;
}

// `able` is a local status; an error is reported by the algorithm to all members.
avrm_status_t split(avrm_comm_t *comm, std::int32_t colour, std::int32_t key, avrm_comm_t **comm_p,
                    avrm_status_t able = AVRM_OK) noexcept {
  Creation creation(comm, next_tag(comm));
  creation.refuse(able);
  const Bridge *const bridge = creation.bridge();
  creation.run(bridge == nullptr ? make_split(creation.channel(), creation, creation.parent(), colour, key,
                                              SplitMethod::kChoose, creation.made())
                                 : make_inter_split(creation.channel(), *bridge, creation, creation.parent(), colour,
                                                    key, creation.made()));
  return end(creation, comm_p);
}

// Checks the arguments of a call that connects two groups, except those that only the leader
// passes.
avrm_status_t check_intercomm_create(const avrm_comm_t *local, std::int32_t leader, std::int32_t tag,
                                     avrm_comm_t *const *comm_p) noexcept {
  const avrm_status_t status = check(local, Kind::kIntra, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (leader < 0 || leader >= local->map->size) {
    return AVRM_ERR_RANK;
  }
  return tag < 0 || tag > kMostUserTag ? AVRM_ERR_TAG : AVRM_OK;
}

// Sets up the connection between the leaders. Only a leader can detect an error in its arguments,
// which the algorithm reports to all members.
void bridge(Creation &creation, const avrm_comm_t *local, std::int32_t leader, avrm_comm_t *peer, std::int32_t partner,
            std::int32_t tag) noexcept {
  if (local->rank != leader) {
    return creation.bridge_over(nullptr, leader, 0, 0, AVRM_OK);
  }
  avrm_status_t status = AVRM_OK;
  if (peer == nullptr) {
    status = AVRM_ERR_NULL;
  } else if (peer->device != local->device) {
    status = AVRM_ERR_INSTANCE;
  } else if (peer->is_internal()) {
    status = AVRM_ERR_OPTION;
  } else if (partner < 0 || partner >= peer->map->size) {
    status = AVRM_ERR_RANK;
  }
  creation.bridge_over(peer, leader, partner, tag_of(tag), status);
}

// Collective over the group, which is a subset of `whole`. `tag` is the tag of the messages.
avrm_status_t create_in_group(avrm_comm_t *whole, const avrm_group_t *group, std::int32_t tag, std::uint64_t name,
                              avrm_comm_t **comm_p) noexcept {
  const avrm_rankmap_t *const members = avrm_group_map(group);
  if (members->instance != whole->device->instance) {
    return AVRM_ERR_INSTANCE;
  }
  Creation creation(whole, tag);
  const std::int32_t place = rank_in(members, avrm_rankmap_gpid(whole->map, whole->rank));
  const avrm_status_t status = place == kNobody ? AVRM_ERR_RANK : check_part_of(group, whole->map);
  if (status == AVRM_ERR_NO_MEMORY) {
    creation.refuse(status);
  } else if (status != AVRM_OK) {
    return status;
  }
  GroupChannel channel(creation.channel(), place, members->size, [whole, members](std::int32_t member) {
    return rank_in(whole->map, avrm_rankmap_gpid(members, member));
  });
  creation.watch(members);
  creation.run(make_in_group(channel, creation, group, name, creation.made()));
  return end(creation, comm_p);
}

// The processes of the world, for one creation without a parent: a communicator that is never
// revoked, and its plane, whose match bits are used only by creations with the same hash of their
// name. Several creations may be in progress.
class NoParent {
public:
  NoParent(avrm_device_t *device, std::uint64_t name) noexcept : tag_(static_cast<std::int32_t>(name % kTags) << 1) {
    for (avrm_comm_t *const comm : {&comm_, &plane_}) {
      comm->map = device->world->map;
      comm->address_map = comm->map;
      comm->device = device;
      comm->rank = device->rank;
    }
    comm_.collective = &plane_;
    const MatchBits &bits = device->match_bits;
    const std::uint64_t rest = name / kTags;
    const auto context = static_cast<std::uint32_t>(rest / kPlanes % bits.creation_contexts());
    set_context(&plane_, bits.most_context() + 1 + context, static_cast<Plane>(rest % kPlanes));
  }
  NoParent(const NoParent &) = delete;
  NoParent &operator=(const NoParent &) = delete;
  ~NoParent() = default;

  [[nodiscard]] avrm_comm_t *comm() noexcept { return &comm_; }
  [[nodiscard]] std::int32_t tag() const noexcept { return tag_; }

private:
  static constexpr std::uint64_t kTags = 1 << 16; // tags are even
  static constexpr std::uint64_t kPlanes = 4;

  avrm_comm_t comm_;
  avrm_comm_t plane_;
  std::int32_t tag_;
};

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_comm_dup(avrm_comm_t *comm, avrm_comm_t **comm_p) noexcept {
  const avrm_status_t status = check(comm, Kind::kAny, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  Creation creation(comm, next_tag(comm));
  creation.be_congruent_to(comm);
  creation.run(make_dup(creation.channel(), creation.bridge(), creation, creation.parent(), creation.made()));
  return end(creation, comm_p);
}

avrm_status_t avrm_comm_idup(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) noexcept {
  const avrm_status_t status = request_p == nullptr ? AVRM_ERR_NULL : check(comm, Kind::kAny, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_device_t *const device = comm->device;
  Memory &memory = device->instance->memory;
  void *const block = device->creations->room(memory);
  Request *request = nullptr;
  if (block != nullptr) {
    const DeviceGuard guard(device);
    request = new_request(comm, RequestKind::kInternal, true);
  }
  if (request == nullptr) {
    device->creations->give_room_back(memory, block);
    Creation creation(comm, next_tag(comm));
    creation.refuse(AVRM_ERR_NO_MEMORY);
    creation.run(make_dup(creation.channel(), creation.bridge(), creation, creation.parent(), creation.made()));
    return end(creation, comm_p);
  }
  auto *const requested = new (block) RequestedCreation(comm, comm_p, request);
  Creation &creation = requested->creation;
  creation.be_congruent_to(comm);
  creation.run(make_dup(creation.channel(), creation.bridge(), creation, creation.parent(), creation.made()));
  *request_p = request;
  device->creations->add(device, requested);
  return AVRM_OK;
}

avrm_status_t avrm_comm_split(avrm_comm_t *comm, int32_t colour, int32_t key, avrm_comm_t **comm_p) noexcept {
  avrm_status_t status = check(comm, Kind::kAny, comm_p);
  if (status == AVRM_OK && colour < 0 && colour != AVRM_UNDEFINED) {
    status = AVRM_ERR_OPTION;
  }
  return status != AVRM_OK ? status : split(comm, colour, key, comm_p);
}

avrm_status_t avrm_comm_split_type(avrm_comm_t *comm, avrm_comm_type_t type, int32_t key,
                                   avrm_comm_t **comm_p) noexcept {
  avrm_status_t status = check(comm, Kind::kIntra, comm_p);
  if (status == AVRM_OK && type != AVRM_COMM_NODE) {
    status = AVRM_ERR_OPTION;
  }
  if (status != AVRM_OK) {
    return status;
  }
  std::int32_t colour = 0;
  status = number_node(comm, &colour);
  return split(comm, colour, key, comm_p, status);
}

avrm_status_t avrm_comm_split_guided(avrm_comm_t *comm, const char *resource, int32_t key,
                                     avrm_comm_t **comm_p) noexcept {
  const avrm_status_t checked = resource == nullptr ? AVRM_ERR_NULL : check(comm, Kind::kIntra, comm_p);
  if (checked != AVRM_OK) {
    return checked;
  }
  if (std::strcmp(resource, "mpi_shared_memory") == 0) {
    return avrm_comm_split_type(comm, AVRM_COMM_NODE, key, comm_p);
  }
  // The algorithm reports a local error to all members.
  avrm_topo_t *topo = nullptr;
  std::int32_t index = AVRM_TOPO_SPREAD;
  avrm_status_t status = avrm_topo_open(nullptr, &topo);
  if (status == AVRM_OK) {
    status = avrm_topo_object_of_process(topo, resource, 0, &index);
    avrm_topo_close(topo);
  }
  std::int32_t node = 0;
  if (status == AVRM_OK) {
    status = number_node(comm, &node);
  }
  Creation creation(comm, next_tag(comm));
  creation.run(make_part_split(creation.channel(), creation, creation.parent(), status, node,
                               index == AVRM_TOPO_SPREAD ? AVRM_UNDEFINED : index, key, creation.made()));
  return end(creation, comm_p);
}

avrm_status_t avrm_comm_create(avrm_comm_t *comm, const avrm_group_t *group, avrm_comm_t **comm_p) noexcept {
  const avrm_status_t status = group == nullptr ? AVRM_ERR_NULL : check(comm, Kind::kIntra, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (avrm_group_map(group)->instance != comm->device->instance) {
    return AVRM_ERR_INSTANCE;
  }
  Creation creation(comm, next_tag(comm));
  creation.run(make_from_group(creation.channel(), creation, creation.parent(), group, creation.made()));
  return end(creation, comm_p);
}

avrm_status_t avrm_comm_create_group(avrm_comm_t *comm, const avrm_group_t *group, int32_t tag,
                                     avrm_comm_t **comm_p) noexcept {
  avrm_status_t status = group == nullptr ? AVRM_ERR_NULL : check(comm, Kind::kIntra, comm_p);
  if (status == AVRM_OK && (tag < 0 || tag > kMostUserTag)) {
    status = AVRM_ERR_TAG;
  }
  if (status != AVRM_OK) {
    return status;
  }
  const std::uint32_t name = comm->context + static_cast<std::uint32_t>(tag + 1) * 7919;
  return create_in_group(comm, group, tag_of(tag), name, comm_p);
}

avrm_status_t avrm_comm_create_from_group(avrm_device_t *device, const avrm_group_t *group, const char *tag,
                                          avrm_comm_t **comm_p) noexcept {
  if (device == nullptr || group == nullptr || tag == nullptr || comm_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  const std::uint64_t name = fnv_64(tag);
  NoParent none(device, name);
  return create_in_group(none.comm(), group, none.tag(), name, comm_p);
}

avrm_status_t avrm_intercomm_create(avrm_comm_t *local, int32_t local_leader, avrm_comm_t *peer, int32_t remote_leader,
                                    int32_t tag, avrm_comm_t **comm_p) noexcept {
  const avrm_status_t status = check_intercomm_create(local, local_leader, tag, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  Creation creation(local, next_tag(local));
  bridge(creation, local, local_leader, peer, remote_leader, tag);
  creation.run(make_inter(creation.channel(), *creation.bridge(), creation, creation.parent(),
                          static_cast<std::uint32_t>(tag), creation.made()));
  return end(creation, comm_p);
}

avrm_status_t avrm_comm_merge(avrm_comm_t *local, int32_t local_leader, avrm_comm_t *peer, int32_t remote_leader,
                              int32_t tag, bool high, avrm_comm_t **comm_p) noexcept {
  const avrm_status_t status = check_intercomm_create(local, local_leader, tag, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  Creation creation(local, next_tag(local));
  bridge(creation, local, local_leader, peer, remote_leader, tag);
  creation.run(make_united(creation.channel(), *creation.bridge(), creation, creation.parent(), high,
                           static_cast<std::uint32_t>(tag), creation.made()));
  return end(creation, comm_p);
}

avrm_status_t avrm_intercomm_merge(avrm_comm_t *comm, bool high, avrm_comm_t **comm_p) noexcept {
  const avrm_status_t status = check(comm, Kind::kInter, comm_p);
  if (status != AVRM_OK) {
    return status;
  }
  Creation creation(comm, next_tag(comm));
  creation.run(make_merged(creation.channel(), *creation.bridge(), creation, creation.parent(), high, creation.made()));
  return end(creation, comm_p);
}

avrm_status_t avrm_barrier(avrm_comm_t *comm) noexcept {
  if (comm == nullptr || comm->is_internal()) {
    return comm == nullptr ? AVRM_ERR_NULL : AVRM_ERR_OPTION;
  }
  if (comm->is_revoked()) {
    return AVRM_ERR_REVOKED;
  }
  Operation operation(comm);
  DeviceChannel channel(operation, comm->collective, next_tag(comm));
  operation.run(barrier(channel));
  return operation.wait();
}

void avrm_device_contexts(const avrm_device_t *device, int32_t *live_p, int32_t *most_p) noexcept {
  *live_p = static_cast<std::int32_t>(device->contexts.count());
  *most_p = static_cast<std::int32_t>(device->contexts.most()) + 1;
}
