// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/create/shrink.h"

#include <utility>

#include "comm_algorithms/conclude.h"
#include "comm_algorithms/create/from_group.h"
#include "rankmap/create/intern.h"
#include "rankmap/create/spares.h"
#include "rankmap/create/without.h"

namespace avrankmap::detail {

namespace {

constexpr std::uint64_t kGood = ~std::uint64_t{0}; // the vote on a creation

std::int32_t count_of(const Array<std::int32_t> &places) noexcept { return static_cast<std::int32_t>(places.size()); }

} // namespace

void Shrinking::begin(const MemberOrder &all, std::int32_t active) noexcept {
  all_ = all;
  active_ = active;
  stage_ = Stage::kFinding;
  consensus_.begin({kGood, AVRM_OK, nullptr, 0});
}

Shrinking::Step Shrinking::next() noexcept {
  if (stage_ == Stage::kCreating || !consensus_.is_over()) {
    return Step::kWait;
  }
  status_ = consensus_.status();
  if (status_ == AVRM_OK && stage_ == Stage::kSettling && consensus_.value() == kGood) {
    made_ = nullptr; // now the owner's
    return Step::kEnd;
  }
  if (made_ != nullptr && made_->context != Contexts::kNone) {
    // All members have agreed not to use it.
    contexts_->give(std::exchange(made_->context, Contexts::kNone));
  }
  drop();
  stage_ = Stage::kFinding;
  if (status_ == AVRM_OK && all_.is_inter() && has_lost_a_group()) {
    status_ = AVRM_ERR_PEER;
  }
  if (status_ != AVRM_OK) {
    return Step::kEnd;
  }
  if (!find_members(all_.map->instance->memory)) {
    return Step::kWait; // retry until there is memory, as the others wait for this process
  }
  stage_ = Stage::kCreating;
  return Step::kCreate;
}

std::int32_t Shrinking::PlaceOf::operator()(std::int32_t member) const noexcept {
  return rank_in(whole->all_.map, avrm_rankmap_gpid(whole->members_.get(), member));
}

// All members have agreed on the dead. The creation also verifies that all pass the same `active`.
Task Shrinking::create(Channel &channel, CreationHost &site, CreationResult *made) noexcept {
  contexts_ = &site.contexts();
  made_ = made;
  const avrm_rankmap_t *const members = members_.get();
  channel_.emplace(channel, rank_in(members, avrm_rankmap_gpid(all_.map, all_.place)), members->size, PlaceOf{this});
  const std::uint32_t seed = all_.context + consensus_.number() * 7919;
  const avrm_status_t status = arrange(all_.map->instance->memory, made);
  return conclude(*channel_, nullptr, site, status, static_cast<std::uint64_t>(active_), seed, made);
}

// A process that has lost a peer votes to start again; any other error ends the call in all
// processes.
void Shrinking::settle(avrm_status_t created) noexcept {
  stage_ = Stage::kSettling;
  consensus_.begin({created == AVRM_OK ? kGood : 0, created == AVRM_ERR_PEER ? AVRM_OK : created, nullptr, 0});
}

void Shrinking::drop() noexcept {
  made_ = nullptr;
  channel_.reset();
  members_ = nullptr;
}

// Lists the dead of the last agreement, in ascending order. Returns false if memory is exhausted.
bool Shrinking::list_dead(Array<std::int32_t> *places) noexcept {
  for (const Mark &mark : consensus_.dead()) {
    places->append(mark.rank);
  }
  return !places->failed();
}

// True if all members of one of the groups are dead.
bool Shrinking::has_lost_a_group() noexcept {
  std::int32_t own = all_.own->size;
  std::int32_t remote = all_.remote->size;
  for (const Mark &mark : consensus_.dead()) {
    --(all_.is_own(mark.rank) ? own : remote);
  }
  return own == 0 || remote == 0;
}

bool Shrinking::find_members(Memory &memory) noexcept {
  Array<std::int32_t> dead(memory);
  return list_dead(&dead) && map_without(all_.map, dead.begin(), count_of(dead), &members_) == AVRM_OK &&
         intern(members_.get()) == AVRM_OK;
}

// Creates the map or maps, and finds the rank of this process.
avrm_status_t Shrinking::arrange(Memory &memory, CreationResult *made) noexcept {
  Array<std::int32_t> dead(memory);
  if ((all_.is_inter() || active_ != 0) && !list_dead(&dead)) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (all_.is_inter()) {
    return divide(dead, memory, made);
  }
  avrm_status_t status = AVRM_OK;
  if (active_ == 0) {
    made->map = copy_of(members_.get());
  } else {
    status = map_with_spares(all_.map, active_, dead.begin(), count_of(dead), &made->map);
    status = status != AVRM_OK ? status : intern(made->map.get());
  }
  if (status == AVRM_OK) {
    made->rank = rank_in(made->map.get(), avrm_rankmap_gpid(all_.map, all_.place));
  }
  return status;
}

// Creates the maps of an intercommunicator's groups without the dead.
avrm_status_t Shrinking::divide(const Array<std::int32_t> &dead, Memory &memory, CreationResult *made) noexcept {
  Array<std::int32_t> own(memory);
  Array<std::int32_t> remote(memory);
  std::int32_t before = 0;
  for (const std::int32_t place : dead) {
    if (all_.is_own(place)) {
      own.append(place - all_.own_start);
      before += place < all_.place ? 1 : 0;
    } else {
      remote.append(all_.own_start == 0 ? place - all_.own->size : place);
    }
  }
  if (own.failed() || remote.failed()) {
    return AVRM_ERR_NO_MEMORY;
  }
  made->rank = all_.place - all_.own_start - before;
  avrm_status_t status = map_without(all_.own, own.begin(), count_of(own), &made->map);
  status = status != AVRM_OK ? status : intern(made->map.get());
  status = status != AVRM_OK ? status : map_without(all_.remote, remote.begin(), count_of(remote), &made->remote);
  return status != AVRM_OK ? status : intern(made->remote.get());
}

} // namespace avrankmap::detail
