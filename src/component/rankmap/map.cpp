// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "rankmap/map.h"

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/forms/forms.h"

namespace avrankmap::detail {

namespace {

constexpr auto kCopy = by_mode([]<typename F>() { return F::copy; });
constexpr auto kDrop = by_mode([]<typename F>() { return F::drop; });
constexpr auto kGroups = by_mode([]<typename F>() { return F::groups; });
constexpr auto kDescribe = by_mode([]<typename F>() { return F::describe; });

} // namespace

MapOwner &MapOwner::operator=(MapOwner &&other) noexcept {
  if (this != &other) {
    avrm_rankmap_destroy(&map_);
    map_ = other.release();
  }
  return *this;
}

avrm_rankmap_t MapOwner::release() noexcept { return std::exchange(map_, avrm_rankmap_t{}); }

MapOwner new_map(avrm_instance_t *instance) noexcept {
  avrm_rankmap_t map{};
  map.klass = AVRM_CLASS_AFFINE;
  map.mode = AVRM_MODE_DIRECT;
  map.pgid = -1;
  map.as.affine = {AVRM_I_AVE_BYTES, nullptr, 1};
  map.instance = instance;
  return MapOwner(map);
}

MapOwner copy_of(const avrm_rankmap_t *map) noexcept { return kCopy[map->mode](map); }

std::int32_t groups_of(const avrm_rankmap_t *map) noexcept { return kGroups[map->mode](map); }

} // namespace avrankmap::detail

using namespace avrankmap::detail;

void avrm_rankmap_destroy(avrm_rankmap_t *map) noexcept {
  if (map == nullptr || map->instance == nullptr) {
    return;
  }
  if (map->bound != 0) {
    avrm_rankmap_unbind(map);
  }
  kDrop[map->mode](map);
  *map = avrm_rankmap_t{};
}

avrm_status_t avrm_rankmap_dup(const avrm_rankmap_t *map, avrm_rankmap_t *map_p) noexcept {
  if (map == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  *map_p = copy_of(map).release();
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
  info.folded = is_folded(map);
  info.own_bytes = sizeof(avrm_rankmap_t);
  kDescribe[map->mode](map, &info);
  *info_p = info;
  return AVRM_OK;
}
