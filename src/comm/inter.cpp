// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Intercommunicators: making one of two groups, making one group of both, and splitting both sides.
#include "comm/inter.h"

#include <algorithm>

#include "comm/map_message.h"
#include "comm/wishes.h"

namespace avrankmap::detail {

namespace {

// Exchanges the leaders' bytes and broadcasts the other leader's in the own group. An error is
// local, and must be settled before the leaders talk again.
Task swap(Channel &channel, const Bridge &bridge, const void *own, std::size_t own_bytes, void *other,
          std::size_t other_bytes) noexcept {
  avrm_status_t status = AVRM_OK;
  if (channel.rank() == bridge.leader) {
    status = co_await exchange(*bridge.channel, bridge.partner, own, own_bytes, bridge.partner, other, other_bytes);
  }
  const avrm_status_t told = co_await broadcast(channel, bridge.leader, other, other_bytes);
  co_return status != AVRM_OK ? status : told;
}

// The other group's map, if some of the processes are of another world.
Task learn_by_letter(Channel &channel, const Bridge &bridge, Site &site, const avrm_rankmap_t *own,
                     MapOwner *map_p) noexcept {
  Letter mine(channel.memory());
  Letter theirs(channel.memory());
  avrm_status_t status = channel.rank() == bridge.leader ? site.write_letter(own, &mine) : AVRM_OK;
  const std::uint64_t bytes = mine.bytes();
  std::uint64_t their_bytes = 0;
  status = co_await settle(channel, &bridge, status);
  if (status == AVRM_OK) {
    status = co_await swap(channel, bridge, &bytes, sizeof bytes, &their_bytes, sizeof their_bytes);
    // The leader reports below if it has no letter.
    if (status == AVRM_OK && their_bytes > Letter::kMost) {
      status = AVRM_ERR_MISMATCH;
    }
    if (status == AVRM_OK && their_bytes != 0 && !theirs.resize(their_bytes)) {
      status = AVRM_ERR_NO_MEMORY;
    }
    status = co_await settle(channel, &bridge, status);
  }
  if (status == AVRM_OK) {
    status = co_await swap(channel, bridge, mine.data(), bytes, theirs.data(), their_bytes);
    status = co_await settle(channel, &bridge, status); // agree before reading it
  }
  co_return status != AVRM_OK ? status : site.read_letter(theirs, map_p);
}

// The other group's map.
Task learn_map(Channel &channel, const Bridge &bridge, Site &site, const avrm_rankmap_t *own,
               MapOwner *map_p) noexcept {
  const bool leads = channel.rank() == bridge.leader;
  MapHeader mine{};
  MapHeader theirs{};
  avrm_status_t status = AVRM_OK;
  if (leads) {
    mine = header_of(own);
    mine.by_letter = site.crosses_worlds() ? 1 : 0;
    status =
        co_await exchange(*bridge.channel, bridge.partner, &mine, sizeof mine, bridge.partner, &theirs, sizeof theirs);
    theirs.by_letter |= mine.by_letter;
  }
  status = co_await broadcast_outcome(channel, bridge.leader, status, &theirs);
  if (status == AVRM_OK && theirs.by_letter != 0) {
    co_return co_await learn_by_letter(channel, bridge, site, own, map_p);
  }
  if (status == AVRM_OK && theirs.runs < 0) {
    status = AVRM_ERR_MISMATCH;
  }
  // One more of each, since there may be none.
  const Scratch<Run> own_runs(channel.memory(), static_cast<std::size_t>(mine.runs) + 1);
  const Scratch<Run> their_runs(channel.memory(), static_cast<std::size_t>(std::max(theirs.runs, 0)) + 1);
  if (status == AVRM_OK && !(own_runs && their_runs)) {
    status = AVRM_ERR_NO_MEMORY;
  }
  status = co_await settle(channel, &bridge, status);
  if (status != AVRM_OK) {
    co_return status;
  }
  if (mine.runs != 0) {
    write_runs(own, own_runs.data());
  }
  status = co_await swap(channel, bridge, own_runs.data(), static_cast<std::size_t>(mine.runs) * sizeof(Run),
                         their_runs.data(), static_cast<std::size_t>(theirs.runs) * sizeof(Run));
  co_return status != AVRM_OK ? status : map_from_message(own->instance, theirs, their_runs.data(), map_p);
}

avrm_status_t check_apart(const avrm_rankmap_t *a, const avrm_rankmap_t *b) noexcept {
  avrm_group_t *one = nullptr;
  avrm_group_t *other = nullptr;
  avrm_group_t *both = nullptr;
  avrm_status_t status = avrm_group_create(a, &one);
  if (status == AVRM_OK) {
    status = avrm_group_create(b, &other);
  }
  if (status == AVRM_OK) {
    status = avrm_group_intersection(one, other, &both);
  }
  if (status == AVRM_OK && avrm_group_size(both) != 0) {
    status = AVRM_ERR_DUPLICATE;
  }
  avrm_group_destroy(both);
  avrm_group_destroy(other);
  avrm_group_destroy(one);
  return status;
}

} // namespace

Task make_inter(Channel &channel, const Bridge &bridge, Site &site, const Parent &local, std::uint32_t seed,
                Made *made) noexcept {
  avrm_status_t status = co_await learn_map(channel, bridge, site, local.map, &made->remote);
  if (status == AVRM_OK) {
    status = check_apart(local.map, made->remote.get());
  }
  if (status == AVRM_OK) {
    made->map = copy_of(local.map);
    status = made->map == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  made->rank = channel.rank();
  co_return co_await conclude(channel, &bridge, site, status, 0, seed, made);
}

Task make_joined(Channel &channel, const Bridge &bridge, Site &site, const Parent &local, avrm_status_t status,
                 std::uint32_t seed, Made *made) noexcept {
  status = co_await broadcast_outcome(channel, bridge.leader, status, &seed);
  if (status != AVRM_OK) {
    co_return status;
  }
  co_return co_await make_inter(channel, bridge, site, local, seed, made);
}

Task make_merged(Channel &channel, const Bridge &bridge, Site &site, const Parent &parent, bool high,
                 Made *made) noexcept {
  // All of a group say the same.
  const std::int32_t mine = high ? 1 : 0;
  std::int32_t theirs = 0;
  avrm_status_t status = co_await swap(channel, bridge, &mine, sizeof mine, &theirs, sizeof theirs);
  bool first = mine < theirs;
  if (mine == theirs) {
    const avrm_gpid_t own = avrm_rankmap_gpid(parent.map, 0);
    const avrm_gpid_t other = avrm_rankmap_gpid(parent.remote, 0);
    first = site.comes_first(own, other);
  }
  const avrm_rankmap_t *const parts[] = {first ? parent.map : parent.remote, first ? parent.remote : parent.map};
  if (status == AVRM_OK) {
    avrm_rankmap_t map{};
    status = avrm_rankmap_create_concat(2, parts, AVRM_RANKMAP_DEFAULT, &map);
    made->map = MapOwner(map);
    made->rank = channel.rank() + (first ? 0 : parent.remote->size);
  }
  co_return co_await conclude(channel, &bridge, site, status, 0, parent.context, made);
}

Task make_inter_split(Channel &channel, const Bridge &bridge, Site &site, const Parent &parent, std::int32_t colour,
                      std::int32_t key, Made *made) noexcept {
  const auto own_size = static_cast<std::size_t>(parent.map->size);
  const auto other_size = static_cast<std::size_t>(parent.remote->size);
  const Scratch<Wish> own(channel.memory(), own_size);
  const Scratch<Wish> other(channel.memory(), other_size);
  const Scratch<std::int32_t> ranks(channel.memory(), std::max(own_size, other_size));
  avrm_status_t status = co_await settle(channel, &bridge, own && other && ranks ? AVRM_OK : AVRM_ERR_NO_MEMORY);
  if (status != AVRM_OK) {
    co_return status;
  }
  const Wish mine{colour, key};
  status = co_await allgather(channel, &mine, sizeof mine, own.data());
  // In any case: the other leader waits for it.
  const avrm_status_t swapped =
      co_await swap(channel, bridge, own.data(), own_size * sizeof(Wish), other.data(), other_size * sizeof(Wish));
  status = status != AVRM_OK ? status : swapped;
  if (status == AVRM_OK && colour != AVRM_UNDEFINED) {
    std::int32_t nowhere = kNobody;
    status = part_by_wishes(parent.remote, other.data(), colour, kNobody, ranks.data(), &made->remote, &nowhere);
    if (status == AVRM_OK && made->remote != nullptr) {
      status = part_by_wishes(parent.map, own.data(), colour, channel.rank(), ranks.data(), &made->map, &made->rank);
    }
  }
  co_return co_await conclude(channel, &bridge, site, status, 0, parent.context, made);
}

} // namespace avrankmap::detail
