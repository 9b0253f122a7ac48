// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/create/from_group.h"

#include "comm_algorithms/create/digest.h"

namespace avrankmap::detail {

namespace {

// Finds the rank in `group` of the process with rank `rank` in `map`; kNobody if it is not a
// member.
avrm_status_t place_in(const avrm_group_t *group, const avrm_rankmap_t *map, std::int32_t rank,
                       std::int32_t *place_p) noexcept {
  std::int32_t place = AVRM_UNDEFINED;
  const avrm_status_t status = avrm_group_rank(group, avrm_rankmap_gpid(map, rank), &place);
  *place_p = place == AVRM_UNDEFINED ? kNobody : place;
  return status;
}

avrm_status_t part_from_group(const Parent &parent, std::int32_t rank, const avrm_group_t *group,
                              CreationResult *made) noexcept {
  avrm_status_t status = check_part_of(group, parent.map);
  if (status == AVRM_OK) {
    status = place_in(group, parent.map, rank, &made->rank);
  }
  if (status == AVRM_OK && made->rank != kNobody) {
    made->map = copy_of(avrm_group_map(group));
  }
  return status;
}

} // namespace

avrm_status_t check_part_of(const avrm_group_t *group, const avrm_rankmap_t *whole_map) noexcept {
  avrm_group_t *whole = nullptr;
  avrm_status_t status = avrm_group_create(whole_map, &whole);
  avrm_group_t *rest = nullptr;
  if (status == AVRM_OK) {
    status = avrm_group_difference(group, whole, &rest);
  }
  if (status == AVRM_OK && avrm_group_size(rest) != 0) {
    status = AVRM_ERR_RANK;
  }
  avrm_group_destroy(rest);
  avrm_group_destroy(whole);
  return status;
}

std::int32_t rank_in(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept {
  std::int32_t rank = AVRM_UNDEFINED;
  if (avrm_rankmap_rank(map, process, &rank) == AVRM_OK) {
    return rank == AVRM_UNDEFINED ? kNobody : rank;
  }
  for (rank = map->size - 1; rank >= 0; --rank) {
    const avrm_gpid_t other = avrm_rankmap_gpid(map, rank);
    if (other.pgid == process.pgid && other.lpid == process.lpid) {
      break;
    }
  }
  return rank;
}

Task make_dup(Channel &channel, const Bridge *bridge, CreationHost &site, const Parent &parent,
              CreationResult *made) noexcept {
  made->map = copy_of(parent.map);
  if (parent.remote != nullptr) {
    made->remote = copy_of(parent.remote);
  }
  made->rank = channel.rank();
  co_return co_await conclude(channel, bridge, site, AVRM_OK, 0, parent.context, made);
}

Task make_from_group(Channel &channel, CreationHost &site, const Parent &parent, const avrm_group_t *group,
                     CreationResult *made) noexcept {
  const avrm_status_t status = part_from_group(parent, channel.rank(), group, made);
  co_return co_await conclude(channel, nullptr, site, status, 0, parent.context, made);
}

Task make_in_group(Channel &channel, CreationHost &site, const avrm_group_t *group, std::uint64_t name,
                   CreationResult *made) noexcept {
  const avrm_rankmap_t *const members = avrm_group_map(group);
  const std::uint64_t digest = digest_of(members, [&site](std::int32_t pgid) { return site.number_of(pgid); });
  return make_among(channel, site, members, digest ^ name, static_cast<std::uint32_t>(name), made);
}

Task make_among(Channel &channel, CreationHost &site, const avrm_rankmap_t *members, std::uint64_t digest,
                std::uint32_t seed, CreationResult *made) noexcept {
  made->map = copy_of(members);
  made->rank = channel.rank();
  co_return co_await conclude(channel, nullptr, site, AVRM_OK, digest, seed, made);
}

} // namespace avrankmap::detail
