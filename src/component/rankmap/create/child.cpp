// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of the map of a child communicator from one parent.
#include "rankmap/create/compose.h"
#include "rankmap/create/finish.h"

using namespace avrankmap::detail;

namespace {

avrm_status_t create_from_regular(const avrm_rankmap_t *parent, const Regular &inner, unsigned flags,
                                  avrm_rankmap_t *map_p) noexcept {
  const Range range = range_of(inner);
  if (range.min < 0 || range.max >= parent->size) {
    return AVRM_ERR_RANK;
  }
  MapOwner map;
  const avrm_status_t status = compose_regular(parent, simplified(inner), &map);
  return finish(status, std::move(map), flags, map_p);
}

avrm_status_t check_arguments(const avrm_rankmap_t *parent, std::int32_t size, unsigned flags,
                              const avrm_rankmap_t *map_p) noexcept {
  if (parent == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (size < 0) {
    return AVRM_ERR_SIZE;
  }
  return flags_known(flags) ? AVRM_OK : AVRM_ERR_OPTION;
}

} // namespace

avrm_status_t avrm_rankmap_create_child(const avrm_rankmap_t *parent, int32_t size, const int32_t *parent_ranks,
                                        unsigned flags, avrm_rankmap_t *map_p) noexcept {
  avrm_status_t status =
      parent_ranks == nullptr && size > 0 ? AVRM_ERR_NULL : check_arguments(parent, size, flags, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (size == 0) {
    return finish_empty(parent->instance, map_p);
  }
  const Pattern pattern = detect(parent_ranks, static_cast<std::size_t>(size));
  if (const std::optional<Regular> inner = regular_from(pattern, size)) {
    return create_from_regular(parent, *inner, flags, map_p);
  }
  MapOwner map;
  status = compose_irregular(parent, size, parent_ranks, &map);
  return finish(status, std::move(map), flags, map_p);
}

avrm_status_t avrm_rankmap_create_child_regular(const avrm_rankmap_t *parent, int32_t size, int32_t offset,
                                                int32_t stride, int32_t block, unsigned flags,
                                                avrm_rankmap_t *map_p) noexcept {
  const avrm_status_t status = check_arguments(parent, size, flags, map_p);
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
    return finish_empty(parent->instance, map_p);
  }
  return create_from_regular(parent, {size, offset, stride, block}, flags, map_p);
}
