// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Mode less: another map, the base, less (that is, without) some of its ranks; the remaining ranks
// keep their order. For communicators of survivors, if the parent has more blocks or rows than
// failed members. The rankmap points to a list, which duplicates of the map share:
//
//   +-------------------+------+-----+------+--------------+
//   | avrm_less (48)    | key0 | ... | keyn | rank index,  |
//   | with the base     | 4    |     | 4    | 4 per entry  |
//   +-------------------+------+-----+------+--------------+
//
// Key i is removed rank i minus i: the number of ranks of this map before it. Rank r of this map is
// thus rank r + n of the base, where n is the number of keys not greater than r. Lists of at least
// 32 keys have a rank index (rank_index.h): entry k is the number of keys below k * 2^shift.
//
// While avrm_rankmap_create_without searches for the best form, a base may have any form. The
// function chooses less only if the base is blocked or a cart, has one process group and contains
// no process twice.
//
// Translation through a map of this form calls its AV. A program that never creates such a map does
// not link its operations, which are reached through a pointer in the list.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_LESS_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_LESS_H

#include <atomic>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

namespace avrankmap::detail {

// Operations that code for maps of any form reaches through a pointer.
struct LessOperations {
  MapOwner (*copy)(const avrm_rankmap_t *map) noexcept;
  void (*drop)(avrm_rankmap_t *map) noexcept;
  void (*max_lpids)(const avrm_rankmap_t *map, std::int32_t *max_lpids) noexcept;
  void (*exact_max_lpids)(const avrm_rankmap_t *map, std::int32_t *max_lpids) noexcept;
  Run (*run_at)(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
  Run (*longest_run)(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
  avrm_gpid_t (*process)(const avrm_rankmap_t *map, std::int32_t rank) noexcept;
};

} // namespace avrankmap::detail

struct avrm_less {
  const avrankmap::detail::LessOperations *operations = nullptr;
  // The fields of the base that differ from the map's (base_of).
  decltype(avrm_rankmap_t::as) base_as{};
  std::int32_t base_offset = 0;
  std::uint8_t base_klass = 0;
  std::uint8_t base_mode = 0;
  std::uint8_t shift = 0; // shift of the rank index; 0 if there is none
  std::int32_t count = 0; // number of removed ranks
  std::atomic<std::uint32_t> sharers{1};
};
static_assert(sizeof(void *) != 8 || sizeof(avrm_less) == 48);

namespace avrankmap::detail {

[[nodiscard]] inline bool is_less(const avrm_rankmap_t *map) noexcept { return map->mode == AVRM_MODE_LESS; }

// The base of a less map, not bound. The list owns the base's table, if there is one.
[[nodiscard]] inline avrm_rankmap_t base_of(const avrm_rankmap_t *map) noexcept {
  const avrm_less *const less = map->as.less;
  avrm_rankmap_t base{};
  base.klass = less->base_klass;
  base.mode = less->base_mode;
  base.size = map->size + less->count;
  base.as = less->base_as;
  base.pgid = map->pgid;
  base.offset = less->base_offset;
  base.instance = map->instance;
  return base;
}

// Rank in the base of removed rank number i.
[[nodiscard]] inline std::int32_t removed_rank(const avrm_less *less, std::int64_t i) noexcept {
  return static_cast<std::int32_t>(reinterpret_cast<const std::uint32_t *>(less + 1)[i] + i);
}

// Bytes, in addition to the rankmap, of a less map with `count` removed ranks, without the data of
// its base.
[[nodiscard]] std::uint64_t less_bytes(std::int32_t size, std::int32_t count) noexcept;

// Creates a base without some of its ranks, which are in ascending order, at least one and not all
// of them. Null if out of memory.
[[nodiscard]] MapOwner new_less_map(const avrm_rankmap_t *base, const std::int32_t *ranks, std::int32_t count) noexcept;

struct LessForm : NoTable, NoOffer, NeverStrict, OneGroup, NothingToUnfold {
  static MapOwner copy(const avrm_rankmap_t *map) noexcept { return map->as.less->operations->copy(map); }
  static void drop(avrm_rankmap_t *map) noexcept { map->as.less->operations->drop(map); }
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                        std::int32_t *max_lpids) noexcept {
    map->as.less->operations->max_lpids(map, max_lpids);
  }
  // O(runs).
  static void exact_max_lpids(const avrm_rankmap_t *map, std::int32_t /*first*/, std::int32_t /*count*/,
                              std::int32_t *max_lpids) noexcept {
    map->as.less->operations->exact_max_lpids(map, max_lpids);
  }
  static void attach(avrm_rankmap_t * /*map*/, const avrm_ave_t * /*elements*/) noexcept {}
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_THROUGH; }
  // Maps over implicit AVs call their AVs as well.
  static constexpr avrm_class_t kFoldedClass = AVRM_CLASS_THROUGH;
  static bool fold(avrm_rankmap_t * /*map*/) noexcept { return false; }
  static bool has_line(const avrm_rankmap_t * /*map*/) noexcept { return false; }
  static avrm_status_t check_unique(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_OK; }
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
  static constexpr bool kKnowsRuns = true;
  static Run run_at(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return map->as.less->operations->run_at(map, rank);
  }
  static Run longest_run(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return map->as.less->operations->longest_run(map, rank);
  }
  static avrm_gpid_t process(const avrm_rankmap_t *map, std::int32_t rank) noexcept {
    return map->as.less->operations->process(map, rank);
  }
  static void words(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                    std::uint64_t *words) noexcept;
  static void gpids(const avrm_rankmap_t *map, std::size_t count, const std::int32_t *ranks,
                    avrm_gpid_t *gpids) noexcept;
};

template <> struct Form<AVRM_MODE_LESS> : LessForm {};

} // namespace avrankmap::detail

#endif
