// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/ft_state.h"

#include "comm_calls/both_groups.h"
#include "comm_calls/pending.h"
#include "core/progress/completion.h"
#include "liveness/acknowledged.h"
#include "liveness/dead_members.h"

namespace avrankmap::detail {

PlaneCopy::PlaneCopy(const avrm_comm_t *comm) noexcept {
  const DeviceGuard guard(comm->device);
  plane_ = *comm->collective;
  whole_ = *comm;
  const BothGroups groups(comm);
  map_status_ = groups.map(&map_);
  own_start_ = groups.own_start();
  plane_.map = whole_.map = map_.get();
  plane_.address_map = whole_.address_map = plane_.map;
  plane_.users = whole_.users = 0;
  plane_.rank = whole_.rank = own_start_ + comm->rank;
  // Places can serve as ranks, because only survivors use these tags.
  set_context(&plane_, comm->context, Plane::kCollective);
  whole_.own = nullptr;
  whole_.collective = &plane_;
}

bool SurvivorChannel::has_died(std::int32_t rank) const noexcept {
  const DeviceGuard guard(plane_->device); // other threads may add and remove worlds
  return has_failed(plane_->device, gpid_of(plane_, rank));
}

FtState::FtState(avrm_comm_t *comm) noexcept
    : PlaneCopy(comm), Operation(&plane_), comm_(comm), channel_(*this, &plane_, survivors_tag(0)),
      consensus_(comm->device->instance->memory, plane_.rank, plane_.map->size), known_(comm->device->instance->memory),
      acknowledged_(comm->device->instance->memory), free_consensus_(&plane_, comm->context, frames()),
      revocation_(&plane_, comm->context, *this), shrinking_(consensus_) {
  be_awaited_by(this);
}

avrm_status_t FtState::prepare() noexcept {
  avrm_status_t status = map_status_;
  if (status == AVRM_OK && map_->size - 1 > device()->match_bits.most_rank()) {
    status = AVRM_ERR_LIMIT; // two large groups
  }
  status = status != AVRM_OK ? status : avrm_rankmap_bind(map_.get());
  if (status == AVRM_OK) {
    run(attend(channel_, consensus_));
  }
  return status;
}

MemberOrder FtState::places() const noexcept {
  const avrm_comm_t *const all = comm();
  return {plane_.map, plane_.rank, own_start_, all->group(), all->is_inter() ? all->map : nullptr, plane_.context};
}

void FtState::start_agreement(std::uint64_t *value_p, Request *request) noexcept {
  stage_ = Stage::kAgreeing;
  value_p_ = value_p;
  request_ = request;
  consensus_.begin({*value_p, AVRM_OK, acknowledged_.begin(), static_cast<std::int32_t>(acknowledged_.size())});
}

void FtState::start_shrinking(std::int32_t active, avrm_comm_t **comm_p, Request *request) noexcept {
  stage_ = Stage::kShrinking;
  comm_p_ = comm_p;
  request_ = request;
  shrinking_.begin(places(), active);
}

bool FtState::advance() noexcept {
  if (is_dissolving_) { // posts nothing that dissolve() would have to cancel again
    return false;
  }
  const std::uint32_t deaths = failures_of(device());
  if ((consensus_.has_ballot() || deaths != deaths_told_) && !is_interrupted_) {
    deaths_told_ = deaths;
    is_interrupted_ = true;
    interrupt();
  }
  bool moved = poll();
  is_interrupted_ = is_interrupted_ && !moved;
  if (creation_ && !creation_->is_done()) {
    moved = creation_->poll() || moved;
  }
  moved = react() || moved;
  tend();
  return moved;
}

// Continues the operations that use active messages.
void FtState::tend() noexcept {
  {
    const DeviceGuard guard(device());
    const std::uint32_t deaths = failures_of(device());
    if (deaths != deaths_tended_ || free_consensus_.has_unsent() || revocation_.has_untold()) {
      deaths_tended_ = deaths;
      free_consensus_.go_on();
      revocation_.spread();
    }
  }
  has_undrained_ = !revocation_.drain();
}

void FtState::revoke() noexcept {
  {
    const DeviceGuard guard(device());
    avrm_comm_t *const revoked = comm();
    if (revoked != nullptr && !revocation_.is_on()) {
      revocation_.begin(revoked);
    }
  }
  has_undrained_ = !revocation_.drain();
}

bool FtState::go_on() noexcept { return device()->creations->serve(this); }

void FtState::outlive(bool is_to_be_revoked) noexcept {
  comm_.store(nullptr, std::memory_order_relaxed);
  const bool is_revoked = is_to_be_revoked || revocation_.is_on();
  is_untouched_ = consensus_.number() == 0 && !consensus_.has_ballot() && !is_revoked && !free_consensus_.has_heard();
  if (!is_untouched_) {
    free_consensus_.begin(is_revoked || has_dead());
  }
}

bool FtState::has_dead() noexcept { return count_dead(&whole_) != 0; }

bool FtState::dissolve() noexcept {
  is_dissolving_ = true;
  const bool stopped = withdraw();
  return revocation_.withdraw() && stopped;
}

bool FtState::react() noexcept {
  if (stage_ == Stage::kIdle || (creation_ && !creation_->is_done())) {
    return false; // idle, or the creation is in progress
  }
  if (is_done()) {
    end(status()); // the channel failed
    return true;
  }
  if (stage_ == Stage::kShrinking) {
    return shrink();
  }
  if (!consensus_.is_over()) {
    return false;
  }
  if (consensus_.status() != AVRM_OK) {
    end(consensus_.status());
    return true;
  }
  *value_p_ = consensus_.value();
  end(consensus_.is_acknowledged() ? AVRM_OK : AVRM_ERR_PEER);
  return true;
}

// Runs the creations of a shrink.
bool FtState::shrink() noexcept {
  if (shrinking_.is_creating()) {
    shrinking_.settle(creation_->status());
    return true;
  }
  switch (shrinking_.next()) {
  case Shrinking::Step::kWait: return false;
  case Shrinking::Step::kCreate: {
    Creation &creation = creation_.emplace(&whole_, survivors_tag(consensus_.number() % kMostNumber + 1));
    creation.be_awaited_by(this);
    creation.watch(shrinking_.members());
    creation.run(shrinking_.create(creation.channel(), creation, creation.made()));
    return true;
  }
  case Shrinking::Step::kEnd:
    if (shrinking_.status() == AVRM_OK) {
      *comm_p_ = creation_->take();
    }
    end(shrinking_.status());
  }
  return true;
}

void FtState::end(avrm_status_t status) noexcept {
  shrinking_.drop();
  creation_.reset();
  stage_ = Stage::kIdle;
  const DeviceGuard guard(device());
  finish(request_, status, 0, 0);
}

avrm_status_t FtState::acknowledge(std::int32_t count, std::int32_t *acked_p) noexcept {
  if (consensus_.has_ballot()) {
    return AVRM_ERR_BUSY;
  }
  const std::uint32_t deaths = failures_of(device());
  if (deaths != deaths_listed_) {
    Array<std::int32_t> dead(device()->instance->memory);
    Array<std::int32_t> listed(device()->instance->memory);
    {
      const DeviceGuard guard(device());
      list_dead(device(), plane_.map, dead);
    }
    if (dead.failed() || !listed.make_room(known_.size()) || !known_.make_room(dead.size())) {
      return AVRM_ERR_NO_MEMORY;
    }
    std::for_each(known_.begin(), known_.end(), [&](std::int32_t rank) { listed.append(rank); });
    std::sort(listed.begin(), listed.end());
    for (const std::int32_t rank : dead) {
      if (!std::binary_search(listed.begin(), listed.end(), rank)) {
        known_.append(rank);
      }
    }
    deaths_listed_ = deaths;
  }
  const std::size_t wanted = std::min(static_cast<std::size_t>(count), known_.size());
  const std::size_t had = acknowledged_.size();
  if (wanted > had) {
    if (!acknowledged_.make_room(wanted - had)) {
      return AVRM_ERR_NO_MEMORY;
    }
    for (std::size_t i = had; i < wanted; ++i) {
      acknowledged_.append(known_[i]);
    }
    std::sort(acknowledged_.begin(), acknowledged_.end());
  }
  *acked_p = static_cast<std::int32_t>(acknowledged_.size());
  const MemberOrder all = places();
  const DeviceGuard guard(device());
  comm()->acknowledged =
      static_cast<std::int32_t>(std::count_if(acknowledged_.begin(), acknowledged_.end(), [&all](std::int32_t place) {
        return !all.is_inter() || !all.is_own(place);
      }));
  return AVRM_OK;
}

} // namespace avrankmap::detail
