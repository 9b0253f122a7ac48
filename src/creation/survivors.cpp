// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "creation/survivors.h"

#include "comm/conclude.h"
#include "comm/split/from_group.h"
#include "core/deaths/acknowledged.h"
#include "core/deaths/dead_members.h"
#include "core/progress/completion.h"
#include "creation/everyone.h"
#include "rankmap/create/intern.h"
#include "rankmap/create/spares.h"
#include "rankmap/create/without.h"

namespace avrankmap::detail {

namespace {

constexpr std::uint64_t kGood = ~std::uint64_t{0}; // the vote on a creation

} // namespace

PlaneCopy::PlaneCopy(const avrm_comm_t *comm) noexcept
    : own_size_(comm->group()->size), plane_(*comm->collective), whole_(*comm) {
  const DeviceGuard guard(comm->device);
  const Everyone everyone(comm);
  map_ = everyone.map();
  own_start_ = everyone.own_start();
  plane_.map = whole_.map = map_.get();
  plane_.ways = whole_.ways = plane_.map;
  plane_.users = whole_.users = 0;
  plane_.rank = whole_.rank = own_start_ + comm->rank;
  // Places are as good as ranks: nobody else uses the tags of survivors.
  set_context(&plane_, comm->context, Plane::kCollective);
  whole_.own = nullptr;
  whole_.collective = &plane_;
}

bool SurvivorChannel::has_died(std::int32_t rank) const noexcept {
  const DeviceGuard guard(plane_->device); // worlds come and go
  return has_failed(plane_->device, gpid_of(plane_, rank));
}

Survivors::Survivors(avrm_comm_t *comm) noexcept
    : PlaneCopy(comm), Operation(&plane_), comm_(comm), channel_(*this, &plane_, survivors_tag(0)),
      consensus_(comm->device->instance->memory, plane_.rank, plane_.map->size), known_(comm->device->instance->memory),
      acknowledged_(comm->device->instance->memory), parting_(&plane_, comm->context, frames()),
      revocation_(&plane_, comm->context) {}

avrm_status_t Survivors::prepare() noexcept {
  avrm_status_t status = map_ == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  if (status == AVRM_OK && map_->size - 1 > device()->match_bits.most_rank()) {
    status = AVRM_ERR_LIMIT; // two large groups
  }
  status = status != AVRM_OK ? status : avrm_rankmap_bind(map_.get());
  if (status == AVRM_OK) {
    run(attend(channel_, consensus_));
  }
  return status;
}

void Survivors::begin(std::uint64_t value, avrm_status_t status, bool with_acknowledged) noexcept {
  consensus_.begin(
      {value, status, acknowledged_.begin(), with_acknowledged ? static_cast<std::int32_t>(acknowledged_.size()) : 0});
}

void Survivors::start_agreement(std::uint64_t *value_p, Request *request) noexcept {
  stage_ = Stage::kAgreeing;
  value_p_ = value_p;
  request_ = request;
  begin(*value_p, AVRM_OK, true);
}

void Survivors::start_shrinking(std::int32_t active, avrm_comm_t **comm_p, Request *request) noexcept {
  stage_ = Stage::kFinding;
  active_ = active;
  comm_p_ = comm_p;
  request_ = request;
  begin(kGood, AVRM_OK, false);
}

bool Survivors::advance() noexcept {
  const std::uint32_t deaths = failures_of(device());
  if ((consensus_.has_ballot() || deaths != deaths_told_) && !is_interrupted_) {
    deaths_told_ = deaths;
    is_interrupted_ = true;
    interrupt();
  }
  const bool moved = poll();
  is_interrupted_ = is_interrupted_ && !moved;
  if (creation_ && !creation_->is_done()) {
    (void)creation_->poll();
  }
  react();
  tend();
  return moved;
}

// Goes on with what active messages do.
void Survivors::tend() noexcept {
  {
    const DeviceGuard guard(device());
    const std::uint32_t deaths = failures_of(device());
    if (deaths != deaths_tended_ || parting_.has_unsent() || revocation_.has_untold()) {
      deaths_tended_ = deaths;
      parting_.go_on();
      revocation_.spread();
    }
  }
  revocation_.drain();
}

void Survivors::revoke() noexcept {
  {
    const DeviceGuard guard(device());
    avrm_comm_t *const revoked = comm();
    if (revoked != nullptr && !revocation_.is_on()) {
      revocation_.begin(revoked);
    }
  }
  revocation_.drain();
}

void Survivors::outlive() noexcept {
  comm_.store(nullptr, std::memory_order_relaxed);
  is_untouched_ = consensus_.number() == 0 && !consensus_.has_ballot() && !revocation_.is_on();
  if (!is_untouched_) {
    parting_.begin(revocation_.is_on() || has_dead());
  }
}

bool Survivors::has_dead() noexcept { return count_dead(&whole_) != 0; }

bool Survivors::dissolve() noexcept {
  const bool stopped = withdraw();
  return revocation_.withdraw() && stopped;
}

void Survivors::react() noexcept {
  if (creation_ && !creation_->is_done()) {
    return; // its transfers are under way
  }
  if (stage_ != Stage::kIdle && is_done()) {
    return end(status()); // the channel failed
  }
  if (stage_ == Stage::kCreating) {
    // Who misses a process begins again without it; other errors are for all.
    const avrm_status_t made = creation_->status();
    stage_ = Stage::kSettling;
    return begin(made == AVRM_OK ? kGood : 0, made == AVRM_ERR_PEER ? AVRM_OK : made, false);
  }
  if (stage_ == Stage::kIdle || !consensus_.is_over()) {
    return;
  }
  if (consensus_.status() != AVRM_OK) {
    return end(consensus_.status());
  }
  if (stage_ == Stage::kAgreeing) {
    *value_p_ = consensus_.value();
    return end(consensus_.is_acknowledged() ? AVRM_OK : AVRM_ERR_PEER);
  }
  if (stage_ == Stage::kSettling && consensus_.value() == kGood) {
    *comm_p_ = creation_->take();
    return end(AVRM_OK);
  }
  drop_creation();
  stage_ = Stage::kFinding;
  if (is_inter() && has_lost_a_group()) {
    return end(AVRM_ERR_PEER);
  }
  if (create()) {
    stage_ = Stage::kCreating;
  }
}

std::int32_t Survivors::RankAt::operator()(std::int32_t place) const noexcept {
  return rank_in(whole->plane_.map, avrm_rankmap_gpid(whole->members_.get(), place));
}

// Starts the creation of the communicator without the dead of the last verdict. False without
// memory: the others wait.
bool Survivors::create() noexcept {
  Array<std::int32_t> ranks(device()->instance->memory);
  for (const Mark &mark : consensus_.dead()) {
    ranks.append(mark.rank);
  }
  if (ranks.failed() ||
      map_without(plane_.map, ranks.begin(), static_cast<std::int32_t>(ranks.size()), &members_) != AVRM_OK ||
      intern(members_.get()) != AVRM_OK) {
    return false;
  }
  const avrm_rankmap_t *const members = members_.get();
  const std::uint32_t number = consensus_.number();
  const std::uint32_t seed = plane_.context + number * 7919;
  Creation &creation = creation_.emplace(&whole_, survivors_tag(number % kMostNumber + 1));
  creation.watch(members);
  const std::int32_t place = rank_in(members, gpid_of(&plane_, plane_.rank));
  group_channel_.emplace(creation.channel(), place, members->size, RankAt{this});
  // All have agreed on the dead, and agree on the number of those that have spares.
  const avrm_status_t status = arrange(ranks, creation.made());
  creation.run(
      conclude(*group_channel_, nullptr, creation, status, static_cast<std::uint64_t>(active_), seed, creation.made()));
  return true;
}

avrm_status_t Survivors::arrange(const Array<std::int32_t> &dead, Made *made) noexcept {
  if (is_inter()) {
    return divide(dead, made);
  }
  avrm_status_t status = AVRM_OK;
  if (active_ == 0) {
    made->map = copy_of(members_.get());
  } else {
    status = map_with_spares(plane_.map, active_, dead.begin(), static_cast<std::int32_t>(dead.size()), &made->map);
    status = status != AVRM_OK ? status : intern(made->map.get());
  }
  if (status == AVRM_OK) {
    made->rank = rank_in(made->map.get(), gpid_of(&plane_, plane_.rank));
  }
  return status;
}

// The groups of an intercommunicator without the dead, which are places.
avrm_status_t Survivors::divide(const Array<std::int32_t> &dead, Made *made) noexcept {
  Array<std::int32_t> own(device()->instance->memory);
  Array<std::int32_t> remote(device()->instance->memory);
  std::int32_t before = 0;
  for (const std::int32_t place : dead) {
    if (is_own(place)) {
      own.append(place - own_start_);
      before += place < plane_.rank ? 1 : 0;
    } else {
      remote.append(own_start_ == 0 ? place - own_size_ : place);
    }
  }
  if (own.failed() || remote.failed()) {
    return AVRM_ERR_NO_MEMORY;
  }
  made->rank = plane_.rank - own_start_ - before;
  const avrm_status_t status = map_without(comm()->own, own.begin(), static_cast<std::int32_t>(own.size()), &made->map);
  return status != AVRM_OK
             ? status
             : map_without(comm()->map, remote.begin(), static_cast<std::int32_t>(remote.size()), &made->remote);
}

// True if nobody of one of the groups is left, by the last verdict.
bool Survivors::has_lost_a_group() noexcept {
  std::int32_t own = own_size_;
  std::int32_t remote = plane_.map->size - own_size_;
  for (const Mark &mark : consensus_.dead()) {
    --(is_own(mark.rank) ? own : remote);
  }
  return own == 0 || remote == 0;
}

void Survivors::drop_creation() noexcept {
  if (creation_) {
    const std::uint32_t context = creation_->made()->context;
    const bool was_made = creation_->is_done() && creation_->status() == AVRM_OK;
    creation_.reset();
    group_channel_.reset();
    if (was_made) {
      device()->contexts.give(context);
    }
  }
  members_ = nullptr;
}

void Survivors::end(avrm_status_t status) noexcept {
  if (status == AVRM_OK && stage_ == Stage::kSettling) {
    creation_.reset(); // taken
    group_channel_.reset();
  }
  drop_creation();
  stage_ = Stage::kIdle;
  const DeviceGuard guard(device());
  finish(request_, status, 0, 0);
}

avrm_status_t Survivors::acknowledge(std::int32_t count, std::int32_t *acked_p) noexcept {
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
  const DeviceGuard guard(device());
  comm()->acknowledged =
      static_cast<std::int32_t>(std::count_if(acknowledged_.begin(), acknowledged_.end(),
                                              [this](std::int32_t place) { return !is_inter() || !is_own(place); }));
  return AVRM_OK;
}

} // namespace avrankmap::detail
