// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Loops over ranks around one case of the hot switch, for forms.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_BULK_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_BULK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rankmap/create/runs.h"

namespace avrankmap::detail {

// A case of the hot switch (rankmap_inl.h).
using Case = std::uint64_t (*)(const avrm_rankmap_t *, std::int64_t, avrm_i_want_t);

template <Case kCase>
void words_by(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks, std::uint64_t *words) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    words[i] = kCase(map, ranks[i], AVRM_I_WANT_WORD);
  }
}

// The same in two passes for large maps: the first one prefetches the elements, the second one
// reads them. Finding a segment takes so many instructions that few loads of elements would be
// under way at once. Where the elements are in the caches, two passes take 1.3 times as long.
template <Case kCase>
void words_fetched_ahead(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                         std::uint64_t *words) noexcept {
  constexpr std::int32_t kFar = 65536; // ranks from which on elements may be outside the caches
  constexpr std::size_t kAtOnce = 128;
  if (map->size < kFar) {
    return words_by<kCase>(map, count, ranks, words);
  }
  const avrm_rankmap_t copy = *map; // the compiler knows that stores to `words` do not change it
  for (std::size_t first = 0; first < count; first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, count);
    for (std::size_t i = first; i < end; ++i) {
      const std::uint64_t element = kCase(&copy, ranks[i], AVRM_I_WANT_AVE);
      __builtin_prefetch(reinterpret_cast<const void *>(static_cast<std::uintptr_t>(element)));
      words[i] = element;
    }
    for (std::size_t i = first; i < end; ++i) {
      words[i] = avrm_ave_word(reinterpret_cast<const avrm_ave_t *>(static_cast<std::uintptr_t>(words[i])));
    }
  }
}

template <Case kCase>
void gpids_by(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks, avrm_gpid_t *gpids) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    gpids[i] = avrm_i_gpid(kCase(map, ranks[i], AVRM_I_WANT_GPID));
  }
}

// ---- parts of forms, to inherit from ----

// Maps of the form are always translated by one case, bound to tables or not bound.
template <Case kCase> struct TranslatedBy {
  static std::uint64_t process(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return kCase(map, rank, AVRM_I_WANT_GPID);
  }
  static void words(const avrm_rankmap_t *map, avrm_class_t /*klass*/, std::size_t count, const std::int32_t *ranks,
                    std::uint64_t *words) noexcept {
    words_by<kCase>(map, count, ranks, words);
  }
  static void gpids(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                    avrm_gpid_t *gpids) noexcept {
    gpids_by<kCase>(map, count, ranks, gpids);
  }
};

// The same, and maps over an implicit AV by another case.
using FoldedCase = bool (*)(const avrm_rankmap_t *, std::int64_t, std::uint64_t *);
template <Case kCase, avrm_class_t kClass, FoldedCase kFoldedCase> struct TranslatedByOrFolded : TranslatedBy<kCase> {
  static void words(const avrm_rankmap_t *map, avrm_class_t klass, std::size_t count, const std::int32_t *ranks,
                    std::uint64_t *words) noexcept {
    if (klass != kClass) {
      return words_by<kCase>(map, count, ranks, words);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (!kFoldedCase(map, ranks[i], &words[i])) {
        words[i] = avrm_i_cold(map, ranks[i], AVRM_I_WANT_WORD);
      }
    }
  }
};

// As TranslatedBy, where elements of large maps are worth fetching ahead.
template <Case kCase> struct TranslatedAhead : TranslatedBy<kCase> {
  static void words(const avrm_rankmap_t *map, avrm_class_t /*klass*/, std::size_t count, const std::int32_t *ranks,
                    std::uint64_t *words) noexcept {
    words_fetched_ahead<kCase>(map, count, ranks, words);
  }
};

// F::run_at finds runs without looking at every rank.
template <typename F> struct KnowsRuns {
  static constexpr bool kKnowsRuns = true;
  static Run longest_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return rest_of(F::run_at(map, rank), rank);
  }
};

// The same where a run of F::run_at may continue the one before it.
template <typename F> struct MergesRuns {
  static constexpr bool kKnowsRuns = true;
  static Run longest_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    Run run = rest_of(F::run_at(map, rank), rank);
    while (run.count < map->size - rank) {
      const std::int32_t end = rank + run.count;
      const Run next = rest_of(F::run_at(map, end), end);
      if (next.pgid != run.pgid || (run.count > 1 && last_lpid(run) + run.stride != next.offset)) {
        break;
      }
      if (run.count == 1) {
        run.stride = next.offset - run.offset;
      }
      run.count += next.count == 1 || next.stride == run.stride ? next.count : 1;
    }
    return run;
  }
};

// The runs of a table are found by looking at every rank.
template <Case kCase> struct ScannedForRuns {
  static constexpr bool kKnowsRuns = false;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return scan_run(rank, map->size, [map](std::int32_t r) { return avrm_i_gpid(kCase(map, r, AVRM_I_WANT_GPID)); });
  }
  static Run longest_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept { return run_at(map, rank); }
};

} // namespace avrankmap::detail

#endif
