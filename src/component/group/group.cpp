// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation and destruction of groups, and their ranks.
#include "group/group.h"

#include <new>

#include "rankmap/create/duplicates.h"
#include "rankmap/create/intern.h"

namespace avrankmap::detail {

avrm_status_t finish_group(avrm_status_t status, MapOwner map, avrm_group_t **group_p) noexcept {
  if (status != AVRM_OK) {
    return status;
  }
  void *const block = map->instance->memory.allocate(sizeof(avrm_group), alignof(avrm_group), AVRM_MEM_GROUP);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *group_p = new (block) avrm_group{map.release()};
  return AVRM_OK;
}

avrm_status_t finish_group(avrm_instance_t *instance, const ProcessList &list, avrm_group_t **group_p) noexcept {
  MapOwner map = new_map(instance);
  avrm_status_t status = list.status();
  if (status == AVRM_OK && !list.empty()) {
    status = map_from_runs(instance, list.runs(), &map);
  }
  if (status == AVRM_OK) {
    status = intern(map.get());
  }
  return finish_group(status, std::move(map), group_p);
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_group_create_empty(avrm_instance_t *instance, avrm_group_t **group_p) noexcept {
  if (instance == nullptr || group_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return finish_group(AVRM_OK, new_map(instance), group_p);
}

avrm_status_t avrm_group_create(const avrm_rankmap_t *map, avrm_group_t **group_p) noexcept {
  if (map == nullptr || group_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return finish_group(check_unique(map), copy_of(map), group_p);
}

avrm_status_t avrm_group_create_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                      avrm_group_t **group_p) noexcept {
  if (group_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_rankmap_t map{};
  const avrm_status_t status = avrm_rankmap_create_gpids(instance, size, gpids, AVRM_RANKMAP_UNIQUE, &map);
  return finish_group(status, MapOwner(map), group_p);
}

avrm_status_t avrm_group_gpid(const avrm_group_t *group, int32_t rank, avrm_gpid_t *gpid_p) noexcept {
  return group == nullptr ? AVRM_ERR_NULL : avrm_rankmap_gpid_checked(&group->map, rank, gpid_p);
}

avrm_status_t avrm_group_rank(const avrm_group_t *group, avrm_gpid_t process, int32_t *rank_p) noexcept {
  if (group == nullptr || rank_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return avrm_rankmap_rank(&group->map, process, rank_p);
}

avrm_status_t avrm_group_translate_ranks(const avrm_group_t *a, size_t count, const int32_t *ranks,
                                         const avrm_group_t *b, int32_t *b_ranks) noexcept {
  if (a == nullptr || b == nullptr) {
    return AVRM_ERR_NULL;
  }
  return avrm_rankmap_translate_ranks(&a->map, count, ranks, &b->map, b_ranks);
}

avrm_status_t avrm_group_dup(const avrm_group_t *group, avrm_group_t **group_p) noexcept {
  if (group == nullptr || group_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return finish_group(AVRM_OK, copy_of(&group->map), group_p);
}

void avrm_group_destroy(avrm_group_t *group) noexcept {
  if (group == nullptr) {
    return;
  }
  Memory &memory = memory_of(group);
  avrm_rankmap_destroy(&group->map);
  memory.release(group, sizeof(avrm_group), alignof(avrm_group), AVRM_MEM_GROUP);
}

const avrm_rankmap_t *avrm_group_map(const avrm_group_t *group) noexcept {
  return group == nullptr ? nullptr : &group->map;
}

const avrm_group_t *avrm_group_view(const avrm_rankmap_t *map) noexcept {
  static_assert(sizeof(avrm_group) == sizeof(avrm_rankmap_t));
  return reinterpret_cast<const avrm_group_t *>(map);
}

void avrm_group_unwrap(avrm_group_t *group, avrm_rankmap_t *map_p) noexcept {
  Memory &memory = memory_of(group);
  *map_p = group->map;
  memory.release(group, sizeof(avrm_group), alignof(avrm_group), AVRM_MEM_GROUP);
}

int32_t avrm_group_size(const avrm_group_t *group) noexcept { return group == nullptr ? 0 : size_of(group); }
