// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Subsets of a group by rank.
#include "group/distinct.h"
#include "group/group.h"
#include "group/leave_out.h"
#include "group/select.h"
#include "group/take.h"
#include "rankmap/create/compose.h"
#include "rankmap/create/duplicates.h"
#include "rankmap/create/intern.h"
#include "rankmap/patterns/detect.h"
#include "rankmap/vector_loops.h"

using namespace avrankmap::detail;

namespace {

avrm_status_t check_arguments(const avrm_group_t *group, std::int32_t count, const void *array,
                              avrm_group_t *const *group_p) noexcept {
  if (group == nullptr || group_p == nullptr || (array == nullptr && count > 0)) {
    return AVRM_ERR_NULL;
  }
  return count < 0 ? AVRM_ERR_SIZE : AVRM_OK;
}

bool is_rank(const avrm_group_t *group, std::int64_t rank) noexcept { return rank >= 0 && rank < size_of(group); }

// Appends the given ranks. Returns AVRM_OK or AVRM_ERR_RANK.
avrm_status_t append_named(const avrm_group_t *group, std::int32_t count, const std::int32_t *ranks,
                           ProcessList *named) noexcept {
  for (std::int32_t i = 0; i < count; ++i) {
    if (!is_rank(group, ranks[i])) {
      return AVRM_ERR_RANK;
    }
    named->append({0, 1, 0, ranks[i], 1});
  }
  return AVRM_OK;
}

// Appends the ranks of ranges. Returns AVRM_OK, AVRM_ERR_STRIDE, AVRM_ERR_RANGE or AVRM_ERR_RANK.
avrm_status_t append_named(const avrm_group_t *group, std::int32_t count, const avrm_range_t *ranges,
                           ProcessList *named) noexcept {
  for (std::int32_t i = 0; i < count; ++i) {
    const avrm_range_t &range = ranges[i];
    if (range.stride == 0) {
      return AVRM_ERR_STRIDE;
    }
    const std::int64_t way = std::int64_t{range.last} - range.first;
    if (way != 0 && (way > 0) != (range.stride > 0)) {
      return AVRM_ERR_RANGE;
    }
    const std::int64_t steps = way / range.stride;
    if (!is_rank(group, range.first) || !is_rank(group, range.first + steps * range.stride)) {
      return AVRM_ERR_RANK;
    }
    named->append({0, static_cast<std::int32_t>(steps + 1), 0, range.first, steps == 0 ? 1 : range.stride});
  }
  return AVRM_OK;
}

enum class Named : std::uint8_t { kTaken, kLeftOut };

template <typename Item>
avrm_status_t create_part(const avrm_group_t *group, std::int32_t count, const Item *items, Named what,
                          avrm_group_t **group_p) noexcept {
  avrm_status_t status = check_arguments(group, count, items, group_p);
  if (status != AVRM_OK) {
    return status;
  }
  ProcessList named(memory_of(group));
  status = append_named(group, count, items, &named);
  if (status == AVRM_OK) {
    status = check_distinct(named, size_of(group));
  }
  if (status != AVRM_OK) {
    return status;
  }
  if (what == Named::kLeftOut && named.size() == 1 && is_one_run(group)) {
    const Run &ranks = *named.begin();
    const Run run = part_of(run_at(&group->map, 0), ranks.offset, ranks.stride, ranks.count);
    status = leave_out_run(group, run, group_p);
    if (status != AVRM_ERR_UNSUPPORTED) {
      return status;
    }
  }
  if (what == Named::kLeftOut && are_few_of_many_runs(group, named.total())) {
    Array<std::int32_t> ranks(memory_of(group));
    for (const Run &run : named) {
      for (std::int32_t i = 0; i < run.count; ++i) {
        ranks.append(static_cast<std::int32_t>(lpid_at(run, i)));
      }
    }
    return leave_out(group, &ranks, group_p);
  }
  ProcessList list(memory_of(group));
  ProcessList part(memory_of(group));
  list.append(&group->map);
  if (what == Named::kTaken) {
    take(list, named, &part);
  } else if (size_of(group) > 0) {
    ProcessList all(memory_of(group));
    ProcessList rest(memory_of(group));
    all.append({0, size_of(group), 0, 0, 1});
    select(all, named, Keep::kOthers, &rest);
    take(list, rest, &part);
  }
  return finish_group(instance_of(group), part, group_p);
}

} // namespace

avrm_status_t avrm_group_incl(const avrm_group_t *group, int32_t count, const int32_t *ranks,
                              avrm_group_t **group_p) noexcept {
  avrm_status_t status = check_arguments(group, count, ranks, group_p);
  if (status != AVRM_OK || count == 0) {
    return finish_group(status, status == AVRM_OK ? new_map(instance_of(group)) : MapOwner(), group_p);
  }
  MapOwner map;
  const std::optional<Regular> rule = regular_from(detect(ranks, static_cast<std::size_t>(count)), count);
  if (rule) {
    const Range range = range_of(*rule);
    if (range.min < 0 || range.max >= size_of(group)) {
      return AVRM_ERR_RANK;
    }
    status = has_duplicates(*rule) ? AVRM_ERR_DUPLICATE : compose_regular(&group->map, simplified(*rule), &map);
  } else if (count > size_of(group)) {
    status =
        are_ranks<false>(size_of(group), static_cast<std::size_t>(count), ranks) ? AVRM_ERR_DUPLICATE : AVRM_ERR_RANK;
  } else {
    status = compose_irregular(&group->map, count, ranks, &map);
    if (status == AVRM_OK) {
      status = knows_runs(map.get())
                   ? check_unique(map.get())
                   : check_distinct(memory_of(group), count, ranks, static_cast<std::uint64_t>(size_of(group)));
    }
  }
  if (status == AVRM_OK) {
    status = intern(map.get());
  }
  return finish_group(status, std::move(map), group_p);
}

avrm_status_t avrm_group_excl(const avrm_group_t *group, int32_t count, const int32_t *ranks,
                              avrm_group_t **group_p) noexcept {
  return create_part(group, count, ranks, Named::kLeftOut, group_p);
}

avrm_status_t avrm_group_range_incl(const avrm_group_t *group, int32_t count, const avrm_range_t *ranges,
                                    avrm_group_t **group_p) noexcept {
  return create_part(group, count, ranges, Named::kTaken, group_p);
}

avrm_status_t avrm_group_range_excl(const avrm_group_t *group, int32_t count, const avrm_range_t *ranges,
                                    avrm_group_t **group_p) noexcept {
  return create_part(group, count, ranges, Named::kLeftOut, group_p);
}
