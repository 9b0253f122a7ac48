// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The choice of a form for a map that is not regular: by the cost of translation, and by the bytes
// that a slower form saves (avrm_cost_t).
#ifndef AVRANKMAP_SRC_RANKMAP_CREATE_CHOOSE_H
#define AVRANKMAP_SRC_RANKMAP_CREATE_CHOOSE_H

#include <cstdint>
#include <optional>

#include "rankmap/map.h"

namespace avrankmap::detail {

class RunList;
struct Cart;

// A mapping that is to become a map: the data that forms decide by and are made from.
struct Source {
  avrm_instance_t *instance = nullptr;
  std::int32_t size = 0;
  std::int32_t groups = 1;
  std::int32_t pgid = -1;        // if there is one group
  std::int64_t max_lpid = 0;     // for a cart
  const RunList *runs = nullptr; // canonical; null: more than are worth listing
  const Cart *cart = nullptr;    // null: the mapping is no cart
};

// How a map that is smaller than a plain table translates, in order of the cost.
enum class Cost : std::uint8_t { kArithmetic, kSearch };
inline constexpr int kCosts = 2;

// How a form would represent a source.
struct Offer {
  std::uint64_t bytes;                             // beside the 56 of the rankmap
  Cost cost;                                       // a dearer offer must be smaller
  MapOwner (*make)(const Source &source) noexcept; // null without memory
};

// The offer that the instance's cost class prefers to the plain table, if there is one.
[[nodiscard]] std::optional<Offer> best_offer(const Source &source) noexcept;

// With more runs than this, segments are never smaller than a plain table.
[[nodiscard]] std::int64_t most_segments(std::int32_t size, std::int32_t groups) noexcept;

// With more runs than this, no form by runs saves what the cost class of the source's instance asks
// for; 0 if no form at all does. Uses its instance, size and groups.
[[nodiscard]] std::int64_t most_runs(const Source &source) noexcept;

// Turns a map that has an mlut of its own into the form that its instance's cost class asks for.
// The map must not be of one process group. @return AVRM_OK, AVRM_ERR_NO_MEMORY (the map is as it
// was). O(size).
[[nodiscard]] avrm_status_t compress(MapOwner *map) noexcept;

} // namespace avrankmap::detail

#endif
