// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Set operations on two groups.
#include "group/leave_out.h"
#include "group/select.h"

using namespace avrankmap::detail;

namespace {

// Two groups as runs.
struct Operands {
  Operands(const avrm_group_t *a_group, const avrm_group_t *b_group) noexcept
      : a(memory_of(a_group)), b(memory_of(a_group)) {
    a.append(&a_group->map);
    b.append(&b_group->map);
  }
  ProcessList a;
  ProcessList b;
};

template <typename Output>
avrm_status_t check_arguments(const avrm_group_t *a, const avrm_group_t *b, const Output *output) noexcept {
  if (a == nullptr || b == nullptr || output == nullptr) {
    return AVRM_ERR_NULL;
  }
  return instance_of(a) == instance_of(b) ? AVRM_OK : AVRM_ERR_INSTANCE;
}

avrm_status_t create_selection(const avrm_group_t *a, const avrm_group_t *b, Keep keep,
                               avrm_group_t **group_p) noexcept {
  const avrm_status_t status = check_arguments(a, b, group_p);
  if (status != AVRM_OK) {
    return status;
  }
  const Operands operands(a, b);
  ProcessList result(memory_of(a));
  select(operands.a, operands.b, keep, &result);
  return finish_group(instance_of(a), result, group_p);
}

// Creates the difference of a group of many runs and a few processes.
avrm_status_t create_difference_by_ranks(const avrm_group_t *a, const avrm_group_t *b,
                                         avrm_group_t **group_p) noexcept {
  const auto count = static_cast<std::size_t>(size_of(b));
  Array<std::int32_t> ranks(memory_of(a));
  Array<std::int32_t> places(memory_of(a)); // ranks in a
  if (!ranks.make_room(count) || !places.make_room(count)) {
    return AVRM_ERR_NO_MEMORY;
  }
  for (std::int32_t rank = 0; rank < size_of(b); ++rank) {
    ranks.append(rank);
    places.append(AVRM_UNDEFINED);
  }
  const avrm_status_t status = avrm_group_translate_ranks(b, count, ranks.begin(), a, places.begin());
  if (status != AVRM_OK) {
    return status;
  }
  places.truncate(std::remove(places.begin(), places.end(), AVRM_UNDEFINED));
  return leave_out(a, &places, group_p);
}

} // namespace

avrm_status_t avrm_group_compare(const avrm_group_t *a, const avrm_group_t *b,
                                 avrm_comparison_t *comparison_p) noexcept {
  const avrm_status_t status = check_arguments(a, b, comparison_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (size_of(a) != size_of(b)) {
    *comparison_p = AVRM_UNEQUAL;
    return AVRM_OK;
  }
  const Operands operands(a, b);
  if (operands.a.failed() || operands.b.failed()) {
    return error_of(operands.a, operands.b);
  }
  // Equal maps have equal lists of runs (rankmap/create/runs.h).
  if (std::equal(operands.a.begin(), operands.a.end(), operands.b.begin(), operands.b.end())) {
    *comparison_p = AVRM_IDENT;
    return AVRM_OK;
  }
  ProcessList rest(memory_of(a));
  select(operands.a, operands.b, Keep::kOthers, &rest);
  if (rest.failed()) {
    return rest.status();
  }
  *comparison_p = rest.empty() ? AVRM_SIMILAR : AVRM_UNEQUAL;
  return AVRM_OK;
}

avrm_status_t avrm_group_union(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) noexcept {
  const avrm_status_t status = check_arguments(a, b, group_p);
  if (status != AVRM_OK) {
    return status;
  }
  Operands operands(a, b);
  ProcessList rest(memory_of(a));
  select(operands.b, operands.a, Keep::kOthers, &rest);
  operands.a.append(rest);
  return finish_group(instance_of(a), operands.a, group_p);
}

avrm_status_t avrm_group_intersection(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) noexcept {
  return create_selection(a, b, Keep::kMembers, group_p);
}

avrm_status_t avrm_group_difference(const avrm_group_t *a, const avrm_group_t *b, avrm_group_t **group_p) noexcept {
  const avrm_status_t status = check_arguments(a, b, group_p);
  if (status != AVRM_OK) {
    return status;
  }
  if (is_one_run(a) && is_one_run(b)) {
    const avrm_status_t without = leave_out_run(a, run_at(&b->map, 0), group_p);
    if (without != AVRM_ERR_UNSUPPORTED) {
      return without;
    }
  }
  if (are_few_of_many_runs(a, size_of(b))) {
    return create_difference_by_ranks(a, b, group_p);
  }
  return create_selection(a, b, Keep::kOthers, group_p);
}
