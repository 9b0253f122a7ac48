// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From processes and from ranks of one group to ranks of another.
#include <optional>

#include "group/group.h"

using namespace avrankmap::detail;

namespace {

// Up to so many processes are looked up without memory from the allocator.
constexpr std::size_t kFew = 64;

constexpr avrm_gpid_t kNobody{-1, -1}; // not in any group

} // namespace

avrm_status_t avrm_group_rank(const avrm_group_t *group, avrm_gpid_t process, int32_t *rank_p) noexcept {
  if (group == nullptr || rank_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  return avrm_rankmap_ranks(&group->map, 1, &process, rank_p);
}

avrm_status_t avrm_group_translate_ranks(const avrm_group_t *a, size_t count, const int32_t *ranks,
                                         const avrm_group_t *b, int32_t *b_ranks) noexcept {
  if (a == nullptr || b == nullptr || (count > 0 && (ranks == nullptr || b_ranks == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (instance_of(a) != instance_of(b)) {
    return AVRM_ERR_INSTANCE;
  }
  const std::int32_t size = size_of(a);
  const auto is_valid = [size](std::int32_t rank) { return (rank >= 0 && rank < size) || rank == AVRM_PROC_NULL; };
  if (!std::all_of(ranks, ranks + count, is_valid)) {
    return AVRM_ERR_RANK;
  }
  avrm_gpid_t few[kFew];
  std::optional<Scratch<avrm_gpid_t>> many;
  avrm_gpid_t *processes = few;
  if (count > kFew) {
    many.emplace(memory_of(a), count);
    processes = many->data();
    if (processes == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  std::transform(ranks, ranks + count, processes, [a](std::int32_t rank) {
    return rank == AVRM_PROC_NULL ? kNobody : avrm_rankmap_gpid(&a->map, rank);
  });
  const avrm_status_t status = avrm_rankmap_ranks(&b->map, count, processes, b_ranks);
  for (std::size_t i = 0; status == AVRM_OK && i < count; ++i) {
    if (processes[i].pgid == kNobody.pgid) {
      b_ranks[i] = AVRM_PROC_NULL;
    }
  }
  return status;
}
