// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of maps from parameters and from plain tables.
#include "rankmap/create/finish.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/create/lpids.h"

using namespace avrankmap::detail;

namespace {

avrm_status_t create_regular(avrm_instance_t *instance, std::int32_t pgid, const Regular &form, unsigned flags,
                             avrm_rankmap_t *map_p) noexcept {
  const Range range = range_of(form);
  if (range.min < 0 || range.max > kMaxLpid) {
    return AVRM_ERR_OVERFLOW;
  }
  return finish_regular(instance, pgid, simplified(form), flags, map_p);
}

avrm_status_t check_arguments(const avrm_instance_t *instance, std::int32_t pgid, std::int32_t size,
                              const avrm_rankmap_t *map_p) noexcept {
  if (instance == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (size < 0) {
    return AVRM_ERR_SIZE;
  }
  return pgid < 0 ? AVRM_ERR_PGID_UNKNOWN : AVRM_OK;
}

} // namespace

avrm_status_t avrm_rankmap_create_direct(avrm_instance_t *instance, int32_t pgid, int32_t size,
                                         avrm_rankmap_t *map_p) noexcept {
  return avrm_rankmap_create_blocked(instance, pgid, size, 0, 1, 1, map_p);
}

avrm_status_t avrm_rankmap_create_offset(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                         avrm_rankmap_t *map_p) noexcept {
  return avrm_rankmap_create_blocked(instance, pgid, size, offset, 1, 1, map_p);
}

avrm_status_t avrm_rankmap_create_stride(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                         int32_t stride, avrm_rankmap_t *map_p) noexcept {
  return avrm_rankmap_create_blocked(instance, pgid, size, offset, stride, 1, map_p);
}

avrm_status_t avrm_rankmap_create_blocked(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                          int32_t stride, int32_t block, avrm_rankmap_t *map_p) noexcept {
  const avrm_status_t status = check_arguments(instance, pgid, size, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (stride == 0) {
    return AVRM_ERR_STRIDE;
  }
  if (block < 1) {
    return AVRM_ERR_BLOCK;
  }
  if (size == 0) {
    return finish_empty(instance, map_p);
  }
  return create_regular(instance, pgid, {size, offset, stride, block}, AVRM_RANKMAP_DEFAULT, map_p);
}

avrm_status_t avrm_rankmap_create_lpids(avrm_instance_t *instance, int32_t pgid, int32_t size, const int32_t *lpids,
                                        unsigned flags, avrm_rankmap_t *map_p) noexcept {
  avrm_status_t status = lpids == nullptr && size > 0 ? AVRM_ERR_NULL : check_arguments(instance, pgid, size, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (!flags_known(flags)) {
    return AVRM_ERR_OPTION;
  }
  if (size == 0) {
    return finish_empty(instance, map_p);
  }
  if (const std::optional<Regular> form = regular_from(detect(lpids, static_cast<std::size_t>(size)), size)) {
    return create_regular(instance, pgid, *form, flags, map_p);
  }
  MapOwner map;
  status = map_of_lpids(instance, pgid, size, lpids, &map);
  return finish(status, std::move(map), flags, map_p);
}

avrm_status_t avrm_rankmap_create_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                        unsigned flags, avrm_rankmap_t *map_p) noexcept {
  avrm_status_t status = gpids == nullptr && size > 0 ? AVRM_ERR_NULL : check_arguments(instance, 0, size, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (!flags_known(flags)) {
    return AVRM_ERR_OPTION;
  }
  if (size == 0) {
    return finish_empty(instance, map_p);
  }
  MapOwner map;
  status = gather_array(
      instance, size, [gpids](std::int32_t rank) { return gpids[rank]; }, &map);
  return finish(status, std::move(map), flags, map_p);
}
