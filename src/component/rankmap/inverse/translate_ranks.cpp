// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation from ranks of one map to ranks of another.
#include <algorithm>
#include <optional>

#include "avrankmap/inverse.h"
#include "rankmap/inverse/affine_inverse.h"
#include "rankmap/map.h"
#include "rankmap/vector_loops.h"

using namespace avrankmap::detail;

namespace {

// Number of ranks that are translated at a time. Arrays of this length are on the stack.
constexpr std::size_t kAtOnce = 128;

constexpr avrm_gpid_t kNobody{-1, -1}; // not in any map

// Returns the processes of up to kAtOnce ranks of a map; kNobody for AVRM_PROC_NULL.
void processes_of(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                  avrm_gpid_t *processes) noexcept {
  if (map->size == 0) {
    std::fill_n(processes, count, kNobody);
    return;
  }
  std::int32_t valid[kAtOnce];
  std::transform(ranks, ranks + count, valid, [](std::int32_t rank) { return rank == AVRM_PROC_NULL ? 0 : rank; });
  (void)avrm_rankmap_gpids(map, count, valid, processes);
  for (std::size_t i = 0; i < count; ++i) {
    if (ranks[i] == AVRM_PROC_NULL) {
      processes[i] = kNobody;
    }
  }
}

void restore_nobody(std::size_t count, const avrm_gpid_t *processes, std::int32_t *ranks) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    if (processes[i].pgid == kNobody.pgid) {
      ranks[i] = AVRM_PROC_NULL;
    }
  }
}

// Translates to a map whose inverse needs no memory.
void translate_to_regular(const avrm_rankmap_t *a, std::size_t count, const std::int32_t *ranks,
                          const avrm_rankmap_t *b, std::int32_t *b_ranks) noexcept {
  if (is_affine(a) && is_affine(b) && a->pgid == b->pgid) {
    AffineInverse(form_of(b)).after(form_of(a)).translate(count, ranks, b_ranks);
    return;
  }
  avrm_gpid_t processes[kAtOnce];
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const std::size_t some = std::min(kAtOnce, count - first);
    processes_of(a, some, ranks + first, processes);
    (void)avrm_rankmap_ranks(b, some, processes, b_ranks + first);
    restore_nobody(some, processes, b_ranks + first);
  }
}

} // namespace

avrm_status_t avrm_rankmap_translate_ranks(const avrm_rankmap_t *from, size_t count, const int32_t *ranks,
                                           const avrm_rankmap_t *to, int32_t *to_ranks) noexcept {
  if (from == nullptr || to == nullptr || (count > 0 && (ranks == nullptr || to_ranks == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (from->instance != to->instance) {
    return AVRM_ERR_INSTANCE;
  }
  if (!are_ranks<true>(from->size, count, ranks)) {
    return AVRM_ERR_RANK;
  }
  if (count == 0) {
    return AVRM_OK;
  }
  if (is_regular(to)) {
    translate_to_regular(from, count, ranks, to, to_ranks);
    return AVRM_OK;
  }
  avrm_gpid_t few[kAtOnce];
  std::optional<Scratch<avrm_gpid_t>> many;
  avrm_gpid_t *processes = few;
  if (count > kAtOnce) {
    many.emplace(from->instance->memory, count);
    processes = many->data();
    if (processes == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
  }
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    processes_of(from, std::min(kAtOnce, count - first), ranks + first, processes + first);
  }
  const avrm_status_t status = avrm_rankmap_ranks(to, count, processes, to_ranks);
  if (status == AVRM_OK) {
    restore_nobody(count, processes, to_ranks);
  }
  return status;
}
