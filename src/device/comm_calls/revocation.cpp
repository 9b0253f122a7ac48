// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/revocation.h"

#include "comm_calls/device_channel.h"
#include "comm_calls/free_consensus.h"
#include "core/progress/completion.h"
#include "p2p/receive.h"

namespace avrankmap::detail {

namespace {

constexpr avrm_ave_t kUnconnected{};

// Messages of one plane that are to be discarded: all of them, or those of collective operations
// other than operations of survivors.
struct Kept {
  Plane plane;
  std::int32_t tag;
  std::int32_t any_tag; // bits that do not matter
};
constexpr Kept kKept[] = {{Plane::kUser, 0, AVRM_MATCH_MAX_TAG},
                          {Plane::kNode, 0, AVRM_MATCH_MAX_TAG},
                          {Plane::kRoots, 0, AVRM_MATCH_MAX_TAG},
                          {Plane::kCollective, 0, kSurvivors - 1},
                          {Plane::kCollective, kSomeMembers, kSomeMembers - 1}};

// Describes as many processes as a communicator has, none of which is connected.
void fill(const avrm_comm_t *comm, avrm_rankmap_t *map) noexcept {
  if (comm == nullptr) {
    return;
  }
  map->klass = AVRM_CLASS_AFFINE;
  map->bound = 1;
  map->size = comm->map->size;
  map->pgid = -1; // no process: queues are searched by process
  map->at.base = reinterpret_cast<const char *>(&kUnconnected);
  map->as.affine.step = 0;
  map->instance = comm->map->instance;
}

void refuse_messages(avrm_comm_t *comm, const avrm_rankmap_t *map) noexcept {
  if (comm == nullptr) {
    return;
  }
  __atomic_store_n(&comm->address_map, map, __ATOMIC_RELEASE);
  comm->device->upcalls->on_revoked(comm);
  revoke_messages(comm);
}

} // namespace

void Revocation::begin(avrm_comm_t *comm) noexcept {
  is_on_ = true;
  // An intercommunicator has two groups and no node.
  // The maps are complete before other threads can find any of them.
  fill(comm, &members_);
  fill(comm->is_inter() ? comm->collective : comm->node, &node_);
  fill(comm->roots, &roots_);
  refuse_messages(comm, &members_);
  refuse_messages(comm->leaders, &members_);
  refuse_messages(comm->collective, comm->is_inter() ? &node_ : &members_);
  refuse_messages(comm->node, &node_);
  refuse_messages(comm->roots, &roots_);
  spreading_.begin();
  spread();
}

bool Revocation::has_died(std::int32_t rank) const noexcept {
  return has_failed(plane_->device, gpid_of(plane_, rank));
}

void Revocation::spread() noexcept {
  spreading_.spread(
      [this](std::int32_t rank) { return has_died(rank); },
      [this](std::int32_t rank) {
        const ActiveHeader header = header_about(plane_->device, ActiveType::kRevoke, context_, plane_->rank, rank);
        return send_active(plane_->device, gpid_of(plane_, rank), header, nullptr, 0, Retry::kLater) == AVRM_OK;
      });
}

void Revocation::tell_again(std::int32_t rank) noexcept {
  spreading_.tell_again(rank, [this](std::int32_t other) { return has_died(other); });
}

bool Revocation::drain() noexcept {
  bool all_posted = true;
  for (int i = 0; is_on_ && i < kDrains; ++i) {
    Request *&request = drains_[i];
    const DeviceGuard guard(plane_->device);
    while (request == nullptr || is_done(request)) {
      if (request != nullptr) {
        free_request(std::exchange(request, nullptr));
      }
      const Kept &kept = kKept[i];
      const MatchBits &bits = plane_->device->match_bits;
      const std::uint64_t match = bits.pack(static_cast<std::uint32_t>(kept.plane), context_, 0);
      if (post_drain(plane_, match | static_cast<std::uint32_t>(kept.tag),
                     bits.source_mask() | static_cast<std::uint32_t>(kept.any_tag), &request) != AVRM_OK) {
        all_posted = false;
        break;
      }
    }
    if (request != nullptr) {
      await(request, &awaiter_);
    }
  }
  return all_posted;
}

bool Revocation::withdraw() noexcept {
  bool withdrawn = true;
  for (Request *&request : drains_) {
    if (request == nullptr) {
      continue;
    }
    (void)avrm_cancel(request);
    if (is_done(request)) {
      const DeviceGuard guard(plane_->device);
      free_request(std::exchange(request, nullptr));
    } else {
      withdrawn = false;
    }
  }
  return withdrawn;
}

} // namespace avrankmap::detail
