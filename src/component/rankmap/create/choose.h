// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a form for a map that is not regular (patterns/regular.h): by the cost of
// translation, and by the bytes that a slower form saves (avrm_cost_t).
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_CHOOSE_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_CHOOSE_H

#include <cstdint>
#include <optional>

#include "rankmap/map.h"

namespace avrankmap::detail {

class RunList;
struct Cart;

// Input for the creation of a map: the data from which forms are chosen and created.
struct Source {
  avrm_instance_t *instance = nullptr;
  std::int32_t size = 0;
  std::int32_t groups = 1;
  std::int32_t pgid = -1;        // needed if there is one process group
  std::int64_t max_lpid = 0;     // needed for a cart
  const RunList *runs = nullptr; // canonical; null if there are too many to list
  const Cart *cart = nullptr;    // null if the mapping is not a cart
};

// Cost of translation through maps that are smaller than a plain table, in ascending order.
enum class Cost : std::uint8_t { kArithmetic, kSearch };
inline constexpr int kCosts = 2;

// The representation of a source in some form.
struct Offer {
  std::uint64_t bytes;                             // in addition to the rankmap's 56
  Cost cost;                                       // a more expensive offer must be smaller
  MapOwner (*make)(const Source &source) noexcept; // returns null if out of memory
};

// The offer that the instance's cost class prefers to the plain table, if there is one.
[[nodiscard]] std::optional<Offer> best_offer(const Source &source) noexcept;

// With more runs than this, segments are never smaller than a plain table.
[[nodiscard]] std::int64_t most_segments(std::int32_t size, std::int32_t groups) noexcept;

// With more runs than this, no form based on runs saves what the instance's cost class demands; 0
// if no form does at all. Uses the source's instance, size and groups.
[[nodiscard]] std::int64_t most_runs(const Source &source) noexcept;

// Converts a map that has its own mlut to the form that the instance's cost class demands. The map
// must have several process groups.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY (the map is unchanged)
// O(size).
[[nodiscard]] avrm_status_t compress(MapOwner *map) noexcept;

} // namespace avrankmap::detail

#endif
