// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Out-of-line translation: the table through which the inline functions call, and checked functions
// for one or many ranks.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rankmap/bind/implicit_bind.h"
#include "rankmap/forms/forms.h"
#include "rankmap/vector_loops.h"

namespace avrankmap::detail {

namespace {

constexpr auto kProcess = by_mode([]<typename F>() { return F::process; });

} // namespace

std::uint64_t word_by_av(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept {
  return map->instance->process_groups.held(process.pgid)->word(process.lpid);
}

const avrm_ave_t *ave_by_av(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept {
  const avrm_ave_t *const table = map->instance->process_groups.held(process.pgid)->table();
  return table != nullptr ? table + process.lpid : nullptr;
}

std::uint32_t node_by_av(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept {
  return map->instance->process_groups.held(process.pgid)->node(process.lpid);
}

// Maps of any mode that look up each rank in its AV.
template <> struct Translation<AVRM_CLASS_THROUGH> {
  static avrm_gpid_t process(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return kProcess[map->mode](map, rank);
  }
  static constexpr avrm_i_translation_t kRow = {
      [](const avrm_rankmap_t *map, std::int32_t rank) { return word_by_av(map, process(map, rank)); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return ave_by_av(map, process(map, rank)); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return node_by_av(map, process(map, rank)); }, process,
      [](const avrm_rankmap_t *map, std::int32_t rank) { return process(map, rank).lpid; }};
};

} // namespace avrankmap::detail

using namespace avrankmap::detail;

const avrm_i_translation_t avrm_i_translations[] = {
#define AVRM_ROW_OF(name) Translation<name>::kRow,
    AVRM_CLASS_LIST(AVRM_ROW_OF)
#undef AVRM_ROW_OF
};

namespace {

constexpr auto kWords = by_mode([]<typename F>() { return F::words; });
constexpr auto kGpids = by_mode([]<typename F>() { return F::gpids; });

bool is_rank(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
  return static_cast<std::uint32_t>(rank) < static_cast<std::uint32_t>(map->size);
}

avrm_status_t check(const avrm_rankmap_t *map, std::int32_t rank, const void *result) noexcept {
  if (map == nullptr || result == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  return is_rank(map, rank) ? AVRM_OK : AVRM_ERR_RANK;
}

} // namespace

avrm_status_t avrm_rankmap_ave_checked(const avrm_rankmap_t *map, int32_t rank, const avrm_ave_t **ave_p) noexcept {
  const avrm_status_t status = check(map, rank, ave_p);
  if (status != AVRM_OK) {
    return status;
  }
  const avrm_ave_t *const ave = avrm_rankmap_ave(map, rank);
  if (ave == nullptr) {
    return AVRM_ERR_UNSUPPORTED;
  }
  *ave_p = ave;
  return AVRM_OK;
}

avrm_status_t avrm_rankmap_word_checked(const avrm_rankmap_t *map, int32_t rank, uint64_t *word_p) noexcept {
  const avrm_status_t status = check(map, rank, word_p);
  if (status == AVRM_OK) {
    *word_p = avrm_rankmap_word(map, rank);
  }
  return status;
}

avrm_status_t avrm_rankmap_gpid_checked(const avrm_rankmap_t *map, int32_t rank, avrm_gpid_t *gpid_p) noexcept {
  if (map == nullptr || gpid_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (!is_rank(map, rank)) {
    return AVRM_ERR_RANK;
  }
  *gpid_p = avrm_rankmap_gpid(map, rank);
  return AVRM_OK;
}

avrm_status_t avrm_rankmap_words(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 uint64_t *words) noexcept {
  if (map == nullptr || (count > 0 && (ranks == nullptr || words == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (map->bound == 0) {
    return AVRM_ERR_NOT_BOUND;
  }
  if (!are_ranks<false>(map->size, count, ranks)) {
    return AVRM_ERR_RANK;
  }
  if (map->klass != AVRM_CLASS_THROUGH || natural_class(map) == AVRM_CLASS_THROUGH) {
    kWords[map->mode](map, count, ranks, words);
  } else {
    std::transform(ranks, ranks + count, words, [map](std::int32_t rank) { return avrm_rankmap_word(map, rank); });
  }
  return AVRM_OK;
}

avrm_status_t avrm_rankmap_gpids(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 avrm_gpid_t *gpids) noexcept {
  if (map == nullptr || (count > 0 && (ranks == nullptr || gpids == nullptr))) {
    return AVRM_ERR_NULL;
  }
  if (!are_ranks<false>(map->size, count, ranks)) {
    return AVRM_ERR_RANK;
  }
  kGpids[map->mode](map, count, ranks, gpids);
  return AVRM_OK;
}
