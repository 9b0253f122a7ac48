// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Out-of-line translation, based on the one function that each form provides: F::place returns the
// slot and the lpid of a rank. Forms with faster implementations hide the functions of Translated.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_BULK_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_BULK_H

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "rankmap/create/runs.h"

namespace avrankmap::detail {

// Slot and lpid of a rank.
struct RankPlace {
  std::uint32_t slot;
  std::int32_t lpid;
};

// Translation by calling the AV (translate.cpp).
[[nodiscard]] std::uint64_t word_by_av(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept;
[[nodiscard]] const avrm_ave_t *ave_by_av(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept;
[[nodiscard]] std::uint32_t node_by_av(const avrm_rankmap_t *map, avrm_gpid_t process) noexcept;

// ---- parts of forms, to inherit from ----

template <typename F> struct Translated {
  static avrm_gpid_t process(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    const RankPlace place = F::place(map, rank);
    return {F::pgid(map, place.slot), place.lpid};
  }
  // For maps that are bound to tables.
  static const avrm_ave_t *ave(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    const RankPlace place = F::place(map, rank);
    return F::table(map, place.slot) + place.lpid;
  }
  // For maps that are bound to the lines of implicit AVs.
  static std::uint64_t word_on_line(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    const RankPlace place = F::place(map, rank);
    const avrm_line_t *const line = F::line(map, place.slot);
    if (line == nullptr) {
      return avrm_ave_word(F::table(map, place.slot) + place.lpid);
    }
    std::uint64_t word = 0;
    return avrm_i_word_on(line, place.lpid, &word) ? word : word_by_av(map, {F::pgid(map, place.slot), place.lpid});
  }
  static void words(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                    std::uint64_t *words) noexcept {
    const avrm_rankmap_t copy = *map; // the compiler knows that stores to `words` do not change it
    const bool has_line = map->klass == F::kFoldedClass;
    for (std::size_t i = 0; i < count; ++i) {
      words[i] = has_line ? F::word_on_line(&copy, ranks[i]) : avrm_ave_word(F::ave(&copy, ranks[i]));
    }
  }
  static void gpids(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                    avrm_gpid_t *gpids) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      gpids[i] = F::process(map, ranks[i]);
    }
  }
};

// Translation that prefetches the AVEs of large maps. The instructions that find a segment would
// leave few loads of AVEs in flight at once. There are therefore two passes: the first one
// prefetches the AVEs, the second one reads them. If the AVEs are in the caches, two passes take
// 1.3 times as long.
template <typename F> struct TranslatedAhead : Translated<F> {
  static void words(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                    std::uint64_t *words) noexcept {
    constexpr std::int32_t kFar = 65536; // larger maps may have AVEs outside the caches
    constexpr std::size_t kAtOnce = 128;
    if (map->size < kFar || map->klass == F::kFoldedClass) {
      return Translated<F>::words(map, count, ranks, words);
    }
    const avrm_rankmap_t copy = *map;
    for (std::size_t first = 0; first < count; first += kAtOnce) {
      const std::size_t end = std::min(first + kAtOnce, count);
      for (std::size_t i = first; i < end; ++i) {
        const avrm_ave_t *const ave = F::ave(&copy, ranks[i]);
        __builtin_prefetch(ave);
        words[i] = reinterpret_cast<std::uintptr_t>(ave);
      }
      for (std::size_t i = first; i < end; ++i) {
        words[i] = avrm_ave_word(reinterpret_cast<const avrm_ave_t *>(static_cast<std::uintptr_t>(words[i])));
      }
    }
  }
};

// ---- functions of classes ----

// The functions of a class. The header of each form specialises this template, with a kRow, for
// each class of the form.
template <avrm_class_t kClass> struct Translation;

// Maps of a form that are bound to tables, or not bound.
template <typename F> struct OnTables {
  static constexpr avrm_i_translation_t kRow = {
      [](const avrm_rankmap_t *map, std::int32_t rank) { return avrm_ave_word(F::ave(map, rank)); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return F::ave(map, rank); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return avrm_ave_node(F::ave(map, rank)); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return F::process(map, rank); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return F::place(map, rank).lpid; }};
};

// Maps of a form that are bound to the lines of implicit AVs.
template <typename F> struct OnLines {
  static constexpr avrm_i_translation_t kRow = {
      [](const avrm_rankmap_t *map, std::int32_t rank) { return F::word_on_line(map, rank); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return ave_by_av(map, F::process(map, rank)); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return node_by_av(map, F::process(map, rank)); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return F::process(map, rank); },
      [](const avrm_rankmap_t *map, std::int32_t rank) { return F::place(map, rank).lpid; }};
};

// ---- runs of forms, to inherit from ----

// For forms whose F::run_at finds runs without reading every rank.
template <typename F> struct KnowsRuns {
  static constexpr bool kKnowsRuns = true;
  static Run longest_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return rest_of(F::run_at(map, rank), rank);
  }
};

// For forms of that kind in which a run of F::run_at may continue the previous run.
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

// For tables, whose runs are found by reading every rank.
template <typename F> struct ScannedForRuns {
  static constexpr bool kKnowsRuns = false;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return scan_run(rank, map->size, [map](std::int32_t r) { return F::process(map, r); });
  }
  static Run longest_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept { return run_at(map, rank); }
};

} // namespace avrankmap::detail

#endif
