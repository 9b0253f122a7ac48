// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/creation.h"

#include <utility>

#include "comm_calls/group_message.h"
#include "comm_calls/node_comms.h"
#include "comm_calls/pending.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "rankmap/create/runs.h"

namespace avrankmap::detail {

Creation::Creation(avrm_comm_t *parent, std::int32_t tag) noexcept
    : Operation(parent), CreationHost(parent->device->contexts), channel_(*this, parent->collective, tag),
      parent_comm_(parent), parent_{parent->group(), parent->is_inter() ? parent->map : nullptr, parent->context} {
  if (parent->is_inter()) {
    Channel *const leaders = parent->rank == 0 ? &leaders_.emplace(*this, parent->leaders, tag, true) : nullptr;
    bridge_ = Bridge{0, leaders, 0};
  }
}

Creation::~Creation() {
  const DeviceGuard guard(device());
  if (comm_ != nullptr) { // prepared, but not agreed on
    (void)discard_comm(comm_);
    --device()->comms_prepared;
  }
  if (made_.context != Contexts::kNone) {
    device()->creations->keep(made_.context);
  }
  if (exchanges_worlds_) {
    --device()->world_exchanges;
  }
  made_.remote = nullptr;
  forget_worlds(device());
}

void Creation::bridge_over(avrm_comm_t *peer, std::int32_t leader, std::int32_t partner, std::int32_t tag,
                           avrm_status_t able) noexcept {
  Channel *leaders = nullptr;
  if (peer != nullptr && able == AVRM_OK) {
    leaders = &leaders_.emplace(*this, peer->is_inter() ? peer->leaders : peer->collective, tag, true);
    partner_is_in_other_world_ = gpid_of(peer, partner).pgid != kOwnWorld;
  }
  bridge_ = Bridge{leader, leaders, partner, able};
}

bool Creation::crosses_worlds() const noexcept {
  bool crosses = partner_is_in_other_world_;
  if (!crosses) {
    (void)for_each_run(parent_.map, [&crosses](const Run &run) {
      crosses = crosses || run.pgid != kOwnWorld;
      return AVRM_OK;
    });
  }
  return crosses;
}

avrm_status_t Creation::write_group_message(const avrm_rankmap_t *own, GroupMessage *group_message) noexcept {
  const DeviceGuard guard(device());
  return write_group(device(), own, group_message);
}

avrm_status_t Creation::read_group_message(const GroupMessage &group_message, MapOwner *map_p) noexcept {
  const DeviceGuard guard(device());
  if (!exchanges_worlds_) {
    exchanges_worlds_ = true;
    ++device()->world_exchanges;
  }
  const avrm_gpid_t leader = avrm_rankmap_gpid(parent_.map, bridge_->leader);
  return read_group(device(), group_message, leader.pgid == kOwnWorld ? leader.lpid : -1, map_p);
}

bool Creation::comes_first(avrm_gpid_t one, avrm_gpid_t other) const noexcept {
  const DeviceGuard guard(device());
  return detail::comes_first(device(), one, other);
}

std::uint64_t Creation::number_of(std::int32_t pgid) const noexcept {
  const DeviceGuard guard(device());
  return name_of(device(), pgid).words[0];
}

avrm_status_t Creation::prepare(CreationResult &made) noexcept {
  if (refused_ != AVRM_OK) {
    return refused_;
  }
  if (parent_comm_->is_revoked()) {
    return AVRM_ERR_REVOKED;
  }
  if (look()) {
    return AVRM_ERR_PEER;
  }
  const DeviceGuard guard(device());
  const bool inter = made.remote != nullptr;
  const avrm_status_t status = inter ? new_comm(device(), &made.remote, &made.map, made.rank, &comm_)
                                     : new_comm(device(), &made.map, &made.remote, made.rank, &comm_);
  if (status == AVRM_OK) {
    ++device()->comms_prepared;
    comm_->grid = grid_;
    if (congruent_ != nullptr && !inter) {
      comm_->nodes = share_nodes(congruent_);
    }
  }
  if (status == AVRM_OK && exchanges_worlds_ && channel_.rank() == bridge_->leader) {
    return device()->upcalls->on_worlds_joined(device(), parent_.map, comm_->map);
  }
  return status;
}

avrm_comm_t *Creation::take() noexcept {
  if (comm_ != nullptr) {
    const DeviceGuard guard(device());
    open_comm(comm_, std::exchange(made_.context, Contexts::kNone));
    --device()->comms_prepared;
  }
  return std::exchange(comm_, nullptr);
}

} // namespace avrankmap::detail
