// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Creation of maps from several parents.
#include <limits>

#include "rankmap/create/finish.h"
#include "rankmap/create/from_processes.h"
#include "rankmap/create/runs.h"
#include "rankmap/patterns/closed_form.h"

using namespace avrankmap::detail;

namespace {

avrm_status_t check_arguments(std::int32_t count, const avrm_rankmap_t *const *parents, unsigned flags,
                              const avrm_rankmap_t *map_p) noexcept {
  if (parents == nullptr || map_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (count <= 0) {
    return AVRM_ERR_SIZE;
  }
  for (std::int32_t i = 0; i < count; ++i) {
    if (parents[i] == nullptr) {
      return AVRM_ERR_NULL;
    }
    if (parents[i]->instance != parents[0]->instance) {
      return AVRM_ERR_INSTANCE;
    }
  }
  return flags_known(flags) ? AVRM_OK : AVRM_ERR_OPTION;
}

// Returns all parents as one regular map, and stores its process group, if each parent continues
// the previous one.
std::optional<Regular> concatenated_form(std::int32_t count, const avrm_rankmap_t *const *parents,
                                         std::int32_t *pgid_p) noexcept {
  std::optional<Regular> form;
  for (std::int32_t i = 0; i < count; ++i) {
    const avrm_rankmap_t *const parent = parents[i];
    if (parent->size == 0) {
      continue;
    }
    if (!is_regular(parent) || (form && parent->pgid != *pgid_p)) {
      return std::nullopt;
    }
    form = form ? concatenated(*form, form_of(parent)) : form_of(parent);
    if (!form) {
      return std::nullopt;
    }
    *pgid_p = parent->pgid;
  }
  return form;
}

// Creates the map of all parents from their runs. Returns AVRM_ERR_LIMIT if there are too many
// runs.
avrm_status_t concatenate_runs(std::int32_t count, const avrm_rankmap_t *const *parents, std::int32_t size,
                               MapOwner *map_p) noexcept {
  avrm_instance_t *const instance = parents[0]->instance;
  std::int64_t groups = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    groups += groups_of(parents[i]);
  }
  RunList runs(instance->memory, most_segments(size, static_cast<std::int32_t>(std::min<std::int64_t>(groups, size))));
  for (std::int32_t i = 0; i < count; ++i) {
    const avrm_status_t status = for_each_run(parents[i], [&runs](const Run &run) { return runs.push(run); });
    if (status != AVRM_OK) {
      return status;
    }
  }
  return map_from_runs(instance, runs, map_p);
}

// The concatenated processes of several maps. Ranks must be requested in ascending order, as
// map_from_processes does.
class Concatenation {
public:
  explicit Concatenation(const avrm_rankmap_t *const *parents) noexcept : parents_(parents) {}

  avrm_gpid_t operator()(std::int32_t rank) noexcept {
    if (rank == 0) {
      current_ = 0;
      first_ = 0;
    }
    while (rank - first_ >= parents_[current_]->size) {
      first_ += parents_[current_]->size;
      ++current_;
    }
    return avrm_rankmap_gpid(parents_[current_], rank - first_);
  }

private:
  const avrm_rankmap_t *const *parents_;
  std::int32_t current_ = 0;
  std::int32_t first_ = 0; // first rank of the current parent
};

} // namespace

avrm_status_t avrm_rankmap_create_merged(int32_t count, const avrm_rankmap_t *const *parents, int32_t size,
                                         const int32_t *which, const int32_t *ranks, unsigned flags,
                                         avrm_rankmap_t *map_p) noexcept {
  const bool has_arrays = which != nullptr && ranks != nullptr;
  avrm_status_t status = !has_arrays && size > 0 ? AVRM_ERR_NULL : check_arguments(count, parents, flags, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (size < 0) {
    return AVRM_ERR_SIZE;
  }
  if (size == 0) {
    return finish_empty(parents[0]->instance, map_p);
  }
  for (std::int32_t i = 0; i < size; ++i) {
    if (which[i] < 0 || which[i] >= count || ranks[i] < 0 || ranks[i] >= parents[which[i]]->size) {
      return AVRM_ERR_RANK;
    }
  }
  MapOwner map;
  status = map_from_processes(
      parents[0]->instance, size,
      [=](std::int32_t rank) { return avrm_rankmap_gpid(parents[which[rank]], ranks[rank]); }, &map);
  return finish(status, std::move(map), flags, map_p);
}

avrm_status_t avrm_rankmap_create_concat(int32_t count, const avrm_rankmap_t *const *parents, unsigned flags,
                                         avrm_rankmap_t *map_p) noexcept {
  avrm_status_t status = check_arguments(count, parents, flags, map_p);
  if (status != AVRM_OK) {
    return status;
  }
  avrm_instance_t *const instance = parents[0]->instance;
  std::int64_t size = 0;
  for (std::int32_t i = 0; i < count; ++i) {
    size += parents[i]->size;
  }
  if (size > std::numeric_limits<std::int32_t>::max()) {
    return AVRM_ERR_LIMIT;
  }
  if (size == 0) {
    return finish_empty(instance, map_p);
  }
  MapOwner map;
  status = AVRM_ERR_LIMIT;
  if (!instance->strict) {
    std::int32_t pgid = -1;
    if (const std::optional<Regular> form = concatenated_form(count, parents, &pgid)) {
      return finish_regular(instance, pgid, *form, flags, map_p);
    }
    status = concatenate_runs(count, parents, static_cast<std::int32_t>(size), &map);
  }
  if (status == AVRM_ERR_LIMIT) {
    status = map_from_processes(instance, static_cast<std::int32_t>(size), Concatenation(parents), &map);
  }
  return finish(status, std::move(map), flags, map_p);
}
