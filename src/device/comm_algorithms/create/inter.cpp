// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two groups exchange their maps and become an intercommunicator or one group. Splits of both
// groups of an intercommunicator.
#include "comm_algorithms/create/inter.h"

#include <algorithm>

#include "comm_algorithms/create/colours_and_keys.h"
#include "comm_algorithms/map_message.h"

namespace avrankmap::detail {

namespace {

// Exchanges bytes between the leaders, and each broadcasts the other leader's bytes in its group.
// An error is local: agree on it before the leaders communicate again.
Task swap(Channel &channel, const Bridge &bridge, const void *own, std::size_t own_bytes, void *other,
          std::size_t other_bytes) noexcept {
  avrm_status_t status = AVRM_OK;
  if (channel.rank() == bridge.leader) {
    status = co_await exchange(*bridge.channel, bridge.partner, own, own_bytes, bridge.partner, other, other_bytes);
  }
  const avrm_status_t told = co_await broadcast(channel, bridge.leader, other, other_bytes);
  co_return status != AVRM_OK ? status : told;
}

// Leaders exchange groups in pieces of this many bytes. The lengths that they announce are not
// trusted: memory is allocated only for what has arrived.
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;

std::uint64_t piece_at(std::uint64_t at, std::uint64_t bytes) noexcept {
  return std::min(bytes - std::min(at, bytes), kPiece);
}

// Lengths in bytes of the leaders' messages.
struct Lengths {
  std::uint64_t theirs;
  std::uint64_t longer; // the greater of the two
};

// swap for messages that may be long or empty; `own` is the leader's. `status` and the returned
// status are local.
Task swap_pieces(Channel &channel, const Bridge &bridge, avrm_status_t status, Lengths lengths,
                 const unsigned char *own, std::uint64_t own_bytes, GroupMessage *theirs) noexcept {
  std::uint64_t at = 0;
  do {
    const std::uint64_t expected = piece_at(at, lengths.theirs);
    if (status == AVRM_OK && expected != 0 && !theirs->grow(at + expected, lengths.theirs)) {
      status = AVRM_ERR_NO_MEMORY;
    }
    status = co_await agree_on_status(channel, &bridge, status);
    if (status != AVRM_OK || lengths.longer == 0) {
      break;
    }
    const std::uint64_t said = piece_at(at, own_bytes);
    status = co_await swap(channel, bridge, said == 0 ? nullptr : own + at, said,
                           expected == 0 ? nullptr : theirs->data() + at, expected);
    at += kPiece;
  } while (at < lengths.longer);
  co_return status;
}

// Receives the other group's map if some of the processes are in another world.
Task receive_group_message(Channel &channel, const Bridge &bridge, CreationHost &site, const avrm_rankmap_t *own,
                           MapOwner *map_p) noexcept {
  GroupMessage mine(channel.memory());
  GroupMessage theirs(channel.memory());
  avrm_status_t status = channel.rank() == bridge.leader ? site.write_group_message(own, &mine) : AVRM_OK;
  status = co_await agree_on_status(channel, &bridge, status);
  if (status == AVRM_OK) {
    Lengths lengths{};
    if (channel.rank() == bridge.leader) {
      const std::uint64_t bytes = mine.bytes();
      status = co_await exchange(*bridge.channel, bridge.partner, &bytes, sizeof bytes, bridge.partner, &lengths.theirs,
                                 sizeof lengths.theirs);
      lengths.longer = std::max(bytes, lengths.theirs);
      // If the other leader sends no group message, an empty one is read below.
      status = status == AVRM_OK && lengths.theirs > GroupMessage::kMost ? AVRM_ERR_MISMATCH : status;
    }
    status = co_await broadcast_outcome(channel, bridge.leader, status, &lengths);
    status = co_await swap_pieces(channel, bridge, status, lengths, mine.data(), mine.bytes(), &theirs);
    status = co_await agree_on_status(channel, &bridge, status); // agree before reading it
  }
  co_return status != AVRM_OK ? status : site.read_group_message(theirs, map_p);
}

// The first message of the other group's leader, which a leader passes on to its own group.
struct Heard {
  MapHeader header;
  Lengths runs;
  std::uint64_t has_nobody; // 1: the leader has no connection to the other one
};

// The other group.
struct Other {
  bool is_out_of_reach = false; // the groups are not connected; neither waits for the other
  bool high = false;            // it comes last
  MapOwner map;
};

// Receives the other group. `high`: this process's group comes last.
Task learn_map(Channel &channel, const Bridge &bridge, CreationHost &site, const avrm_rankmap_t *own, bool high,
               Other *other) noexcept {
  const bool leads = channel.rank() == bridge.leader;
  MapHeader mine{};
  Heard theirs{};
  avrm_status_t status = AVRM_OK;
  if (leads && bridge.channel == nullptr) {
    theirs.has_nobody = 1;
    status = bridge.status;
  } else if (leads) {
    mine = header_of(own);
    mine.by_group_message = site.crosses_worlds() ? 1 : 0;
    mine.high = high ? 1 : 0;
    status = co_await exchange(*bridge.channel, bridge.partner, &mine, sizeof mine, bridge.partner, &theirs.header,
                               sizeof theirs.header);
    theirs.header.by_group_message |= mine.by_group_message;
    theirs.runs.theirs = static_cast<std::uint64_t>(std::max(theirs.header.runs, 0)) * sizeof(Run);
    theirs.runs.longer = std::max(theirs.runs.theirs, static_cast<std::uint64_t>(mine.runs) * sizeof(Run));
  }
  status = co_await broadcast_outcome(channel, bridge.leader, status, &theirs);
  other->is_out_of_reach = theirs.has_nobody != 0;
  other->high = theirs.header.high != 0;
  if (other->is_out_of_reach) {
    co_return status;
  }
  if (status == AVRM_OK && theirs.header.by_group_message != 0) {
    co_return co_await receive_group_message(channel, bridge, site, own, &other->map);
  }
  if (status == AVRM_OK && theirs.header.runs < 0) {
    status = AVRM_ERR_MISMATCH;
  }
  GroupMessage own_runs(channel.memory());
  GroupMessage their_runs(channel.memory());
  if (status == AVRM_OK && mine.runs != 0) {
    if (own_runs.resize(static_cast<std::uint64_t>(mine.runs) * sizeof(Run))) {
      write_runs(own, reinterpret_cast<Run *>(own_runs.data()));
    } else {
      status = AVRM_ERR_NO_MEMORY;
    }
  }
  status = co_await swap_pieces(channel, bridge, status, theirs.runs, own_runs.data(), own_runs.bytes(), &their_runs);
  co_return status != AVRM_OK
      ? status
      : map_from_message(own->instance, theirs.header, reinterpret_cast<const Run *>(their_runs.data()), &other->map);
}

avrm_status_t check_disjoint(const avrm_rankmap_t *a, const avrm_rankmap_t *b) noexcept {
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

// As learn_map, but returns AVRM_ERR_DUPLICATE if the groups overlap.
Task learn_other(Channel &channel, const Bridge &bridge, CreationHost &site, const avrm_rankmap_t *own, bool high,
                 Other *other) noexcept {
  const avrm_status_t status = co_await learn_map(channel, bridge, site, own, high, other);
  co_return status == AVRM_OK ? check_disjoint(own, other->map.get()) : status;
}

// True if this process's group comes before the other one.
bool comes_first(const CreationHost &site, const avrm_rankmap_t *own, bool high, const avrm_rankmap_t *other,
                 bool other_high) noexcept {
  return high != other_high ? other_high : site.comes_first(avrm_rankmap_gpid(own, 0), avrm_rankmap_gpid(other, 0));
}

// Creates the map of both groups, of which `own` comes first or last.
avrm_status_t unite(const avrm_rankmap_t *own, const avrm_rankmap_t *other, bool own_first, std::int32_t rank,
                    CreationResult *made) noexcept {
  const avrm_rankmap_t *const parts[] = {own_first ? own : other, own_first ? other : own};
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_concat(2, parts, AVRM_RANKMAP_DEFAULT, &map);
  if (status == AVRM_OK) {
    made->map = MapOwner(map);
    made->rank = rank + (own_first ? 0 : other->size);
  }
  return status;
}

} // namespace

Task make_inter(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, std::uint32_t seed,
                CreationResult *made) noexcept {
  Other other;
  avrm_status_t status = co_await learn_other(channel, bridge, site, local.map, false, &other);
  if (other.is_out_of_reach) {
    co_return status;
  }
  if (status == AVRM_OK) {
    made->remote = std::move(other.map);
    made->map = copy_of(local.map);
    status = made->map == nullptr ? AVRM_ERR_NO_MEMORY : AVRM_OK;
  }
  made->rank = channel.rank();
  co_return co_await conclude(channel, &bridge, site, status, 0, seed, made);
}

Task make_joined(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, avrm_status_t status,
                 std::uint32_t seed, CreationResult *made) noexcept {
  status = co_await broadcast_outcome(channel, bridge.leader, status, &seed);
  if (status != AVRM_OK) {
    co_return status;
  }
  co_return co_await make_inter(channel, bridge, site, local, seed, made);
}

Task make_united(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &local, bool high,
                 std::uint32_t seed, CreationResult *made) noexcept {
  Other other;
  avrm_status_t status = co_await learn_other(channel, bridge, site, local.map, high, &other);
  if (other.is_out_of_reach) {
    co_return status;
  }
  if (status == AVRM_OK) {
    const bool first = comes_first(site, local.map, high, other.map.get(), other.high);
    status = unite(local.map, other.map.get(), first, channel.rank(), made);
  }
  constexpr std::uint64_t kUnited = 1; // differs from the value that make_inter passes
  co_return co_await conclude(channel, &bridge, site, status, kUnited, seed, made);
}

Task make_merged(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &parent, bool high,
                 CreationResult *made) noexcept {
  // `high` is the same in all processes of a group.
  const std::int32_t mine = high ? 1 : 0;
  std::int32_t theirs = 0;
  avrm_status_t status = co_await swap(channel, bridge, &mine, sizeof mine, &theirs, sizeof theirs);
  if (status == AVRM_OK) {
    const bool first = comes_first(site, parent.map, high, parent.remote, theirs != 0);
    status = unite(parent.map, parent.remote, first, channel.rank(), made);
  }
  co_return co_await conclude(channel, &bridge, site, status, 0, parent.context, made);
}

Task make_inter_split(Channel &channel, const Bridge &bridge, CreationHost &site, const Parent &parent,
                      std::int32_t colour, std::int32_t key, CreationResult *made) noexcept {
  const auto own_size = static_cast<std::size_t>(parent.map->size);
  const auto other_size = static_cast<std::size_t>(parent.remote->size);
  const Scratch<ColourAndKey> own(channel.memory(), own_size);
  const Scratch<ColourAndKey> other(channel.memory(), other_size);
  const Scratch<std::int32_t> ranks(channel.memory(), std::max(own_size, other_size));
  avrm_status_t status =
      co_await agree_on_status(channel, &bridge, own && other && ranks ? AVRM_OK : AVRM_ERR_NO_MEMORY);
  if (status != AVRM_OK) {
    co_return status;
  }
  const ColourAndKey mine{colour, key};
  status = co_await allgather(channel, &mine, sizeof mine, own.data());
  // Swap even after an error, because the other leader waits for it.
  const avrm_status_t swapped = co_await swap(channel, bridge, own.data(), own_size * sizeof(ColourAndKey),
                                              other.data(), other_size * sizeof(ColourAndKey));
  status = status != AVRM_OK ? status : swapped;
  if (status == AVRM_OK && colour != AVRM_UNDEFINED) {
    std::int32_t nowhere = kNobody;
    status = part_by_colour(parent.remote, other.data(), colour, kNobody, ranks.data(), &made->remote, &nowhere);
    if (status == AVRM_OK && made->remote != nullptr) {
      status = part_by_colour(parent.map, own.data(), colour, channel.rank(), ranks.data(), &made->map, &made->rank);
    }
  }
  co_return co_await conclude(channel, &bridge, site, status, 0, parent.context, made);
}

} // namespace avrankmap::detail
