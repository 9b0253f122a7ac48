// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/map.h"

#include <new>

#include "rankmap/forms.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = 64; // the hot part in one cache line

constexpr auto kTailBytes = by_mode([]<typename F>() { return F::tail_bytes; });
constexpr auto kCopy = by_mode([]<typename F>() { return F::copy; });
constexpr auto kDrop = by_mode([]<typename F>() { return F::drop; });
constexpr auto kGroups = by_mode([]<typename F>() { return F::groups; });
constexpr auto kDescribe = by_mode([]<typename F>() { return F::describe; });

std::size_t own_bytes(const avrm_rankmap_t *map) noexcept {
  return sizeof(avrm_rankmap_t) + kTailBytes[map->mode](map);
}

} // namespace

MapOwner new_map(avrm_instance_t *instance, std::size_t tail_bytes) noexcept {
  void *const block = instance->memory.allocate(sizeof(avrm_rankmap_t) + tail_bytes, kAlignment, AVRM_MEM_RANKMAP);
  if (block == nullptr) {
    return nullptr;
  }
  // cppcheck-suppress legacyUninitvar ; it takes the placement for a use
  auto *const map = new (block) avrm_rankmap_t{};
  map->instance = instance;
  return MapOwner(map);
}

MapOwner copy_of(const avrm_rankmap_t *map) noexcept { return kCopy[map->mode](map); }

std::int32_t groups_of(const avrm_rankmap_t *map) noexcept { return kGroups[map->mode](map); }

} // namespace avrankmap::detail

using namespace avrankmap::detail;

void avrm_rankmap_destroy(avrm_rankmap_t *map) noexcept {
  if (map == nullptr) {
    return;
  }
  if (map->bound != 0) {
    avrm_rankmap_unbind(map);
  }
  kDrop[map->mode](map);
  map->instance->memory.release(map, own_bytes(map), kAlignment, AVRM_MEM_RANKMAP);
}

avrm_status_t avrm_rankmap_dup(const avrm_rankmap_t *map, avrm_rankmap_t **map_p) noexcept {
  if (map == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  MapOwner copy = copy_of(map);
  if (copy == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  *map_p = copy.release();
  return AVRM_OK;
}

const char *avrm_mode_label(avrm_mode_t mode) noexcept {
  switch (mode) {
#define AVRM_LABEL(name, label)                                                                                        \
  case name: return label;
    AVRM_MODE_LIST(AVRM_LABEL)
#undef AVRM_LABEL
  }
  return "?";
}

avrm_status_t avrm_rankmap_describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info_p) noexcept {
  if (map == nullptr || info_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  avrm_rankmap_info_t info{};
  info.mode = mode_of(map);
  info.size = map->size;
  info.pgid = map->pgid;
  info.process_groups = groups_of(map);
  info.bound = map->bound != 0;
  info.own_bytes = own_bytes(map);
  kDescribe[map->mode](map, &info);
  *info_p = info;
  return AVRM_OK;
}
