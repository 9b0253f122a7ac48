// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A form: the operations on maps of one mode that are not on the hot path.
//
// A form is a struct of static functions, one for each operation below, in the form's own pair of
// files; Form<mode> is the form of a mode. Each operation is called through its own table, indexed
// by mode, which by_mode (forms.h) creates from the forms. A mode without a form, or a form without
// an operation, is a compile-time error. With a table per operation instead of a struct of pointers
// per form, a linker can drop the operations that a program does not use.
//
//   operation          table in           returns or does
//   copy               map.cpp            a second map of the same mapping, not bound
//   drop               map.cpp            releases the data of the map
//   groups             map.cpp            number of process groups; for a part, those of its table
//   describe           map.cpp            writes the fields that depend on the form
//   tables             bind.cpp           the array of AV tables by slot; null if maps of the form
//                                         have one process group and no slots
//   pgids              used_groups.h      the pgids by slot; null without slots
//   attach             bind.cpp           sets map->at of a map bound to tables, given the elements
//                                         of the AV
//   max_lpids          used_groups.h      for each slot of a range: the greatest lpid, or -1 if the
//                                         map uses none. Without slots the value is in slot 0, and
//                                         may be that of the whole table
//   exact_max_lpids    bind.cpp           the greatest lpids of exactly the ranks of the map
//   natural_class      implicit_bind.cpp  class of a map that is not bound, or bound to tables
//   kFoldedClass       implicit_bind.cpp  class of a map over an implicit AV
//   fold               implicit_bind.cpp  binds the map to the lines of its AVs. Returns false and
//                                         changes at most map->at if an implicit AV has no line
//   unfold             implicit_bind.cpp  reverts what fold wrote, except map->at
//   has_line           implicit_bind.cpp  for validation: whether the lines belong to the map's AVs
//   ranks              inverse.cpp        ranks of processes, as in avrm_rankmap_ranks
//   check_unique       duplicates.cpp     AVRM_ERR_DUPLICATE if a process occurs twice
//   intern             intern.cpp         shares an equal table, or registers the map's own
//   fault              validate.cpp       text of the first violated invariant, or null. Size,
//                                         instance, binding and mode were checked before
//   kKnowsRuns         runs.cpp           whether run_at finds runs without reading every rank
//   run_at             runs.cpp           a run that contains a rank
//   longest_run        runs.cpp           the longest run that begins at a rank
//   process            translate.cpp      the process of a rank
//   words              translate.cpp      address words of ranks of a bound map. Not called if its
//                                         class is AVRM_CLASS_THROUGH, unless that is its natural
//                                         class
//   gpids              translate.cpp      processes of ranks
//   offer              choose.cpp         the bytes of a map in this form; nothing if the map
//                                         cannot have the form. Plain tables make no offer: the
//                                         other forms are compared with them
//   part               compose.cpp        the map of a contiguous range of a parent's ranks, which
//                                         shares the parent's table or is simpler.
//                                         AVRM_ERR_UNSUPPORTED if tables have no parts
//   kModel             compose.cpp        the Model (strict_compose.h) of these maps when a strict
//                                         instance composes them
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_FORM_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_FORM_H

#include <optional>

#include "av/address_vector.h"
#include "rankmap/create/choose.h"
#include "rankmap/map.h"
#include "rankmap/patterns/strict_compose.h"

namespace avrankmap::detail {

// Specialised for each mode by its form's header.
template <avrm_mode_t mode> struct Form;

// ---- parts of forms, to inherit from ----

// Maps have no table with an entry per rank that other maps may share in part.
struct NoParts {
  static avrm_status_t part(const avrm_rankmap_t * /*parent*/, std::int32_t /*first*/, std::int32_t /*count*/,
                            MapOwner * /*map_p*/) noexcept {
    return AVRM_ERR_UNSUPPORTED;
  }
};

// Maps have no data that other maps may share.
struct NoTable : NoParts {
  static avrm_status_t intern(avrm_rankmap_t * /*map*/) noexcept { return AVRM_OK; }
};

// The form makes no offer; best_offer never chooses it.
struct NoOffer {
  static std::optional<Offer> offer(const Source & /*source*/) noexcept { return std::nullopt; }
};

// The form is never used in strict mode.
struct NeverStrict {
  static constexpr Model kModel = Model::kMlut;
};

// All ranks are in the process group map->pgid. There are no slots; functions that take a slot
// ignore it.
struct OneGroup {
  static std::int32_t groups(const avrm_rankmap_t *map) noexcept { return map->size == 0 ? 0 : 1; }
  static const avrm_ave_t **tables(const avrm_rankmap_t * /*map*/) noexcept { return nullptr; }
  static const std::int32_t *pgids(const avrm_rankmap_t * /*map*/) noexcept { return nullptr; }
  static void attach(avrm_rankmap_t *map, const avrm_ave_t *elements) noexcept { map->at.table = elements; }
  static std::int32_t pgid(const avrm_rankmap_t *map, std::uint32_t /*slot*/) noexcept { return map->pgid; }
  static const avrm_ave_t *table(const avrm_rankmap_t *map, std::uint32_t /*slot*/) noexcept { return map->at.table; }
  static const avrm_line_t *line(const avrm_rankmap_t *map, std::uint32_t /*slot*/) noexcept { return map->at.line; }
};

// For maps with slots; in implicit_bind.cpp.
[[nodiscard]] bool fold_slots(avrm_rankmap_t *map, const avrm_ave_t **tables) noexcept;
[[nodiscard]] bool has_lines_in_slots(const avrm_rankmap_t *map, const avrm_ave_t *const *tables) noexcept;

// Ranks refer to their process group by a slot. kTables(map) returns the AV tables by slot. An
// implicit AV is represented by the address of its line plus 1.
template <typename F, const avrm_ave_t **(*kTables)(const avrm_rankmap_t *)> struct Slots {
  static const avrm_ave_t **tables(const avrm_rankmap_t *map) noexcept { return kTables(map); }
  static void attach(avrm_rankmap_t *map, const avrm_ave_t * /*elements*/) noexcept { map->at.tables = kTables(map); }
  static std::int32_t pgid(const avrm_rankmap_t *map, std::uint32_t slot) noexcept { return F::pgids(map)[slot]; }
  // Maps that share the slots may replace a line by a table.
  static const avrm_ave_t *table(const avrm_rankmap_t *map, std::uint32_t slot) noexcept {
    return __atomic_load_n(&map->at.tables[slot], __ATOMIC_ACQUIRE);
  }
  // Null if the AV has a table.
  static const avrm_line_t *line(const avrm_rankmap_t *map, std::uint32_t slot) noexcept {
    const auto place = reinterpret_cast<std::uintptr_t>(table(map, slot));
    return avrm_i_is_line(place) ? avrm_i_line_at(place) : nullptr;
  }
};

// Folding writes only map->at.
struct NothingToUnfold {
  static void unfold(avrm_rankmap_t * /*map*/) noexcept {}
};

// Maps of one process group that are bound to the line of its AV.
template <avrm_class_t kClass> struct FoldedByLine : NothingToUnfold {
  static constexpr avrm_class_t kFoldedClass = kClass;
  static bool fold(avrm_rankmap_t *map) noexcept {
    map->at.line = map->instance->process_groups.held(map->pgid)->implicit->line();
    return map->at.line != nullptr;
  }
  static bool has_line(const avrm_rankmap_t *map) noexcept {
    return map->instance->process_groups.held(map->pgid)->implicit->has(map->at.line);
  }
};

// Maps with slots, which contain the lines.
template <avrm_class_t kClass, const avrm_ave_t **(*kTables)(const avrm_rankmap_t *)>
struct FoldedBySlots : NothingToUnfold {
  static constexpr avrm_class_t kFoldedClass = kClass;
  static bool fold(avrm_rankmap_t *map) noexcept { return fold_slots(map, kTables(map)); }
  static bool has_line(const avrm_rankmap_t *map) noexcept { return has_lines_in_slots(map, kTables(map)); }
};

} // namespace avrankmap::detail

#endif
