// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The intersection of two arithmetic sequences.
#ifndef AVRANKMAP_SRC_GROUP_RUN_ARITHMETIC_H
#define AVRANKMAP_SRC_GROUP_RUN_ARITHMETIC_H

#include <cstdint>
#include <optional>

#include "group/process_list.h"
#include "rankmap/forms/cart.h"

namespace avrankmap::detail {

// Indices first, first + step, ... of a run, `count` of them; none if count is 0.
struct RunIndices {
  std::int64_t first;
  std::int64_t step;
  std::int64_t count;
};

// The indices of `run` whose processes are also in `other`: an arithmetic sequence, by the Chinese
// remainder theorem. O(log stride).
[[nodiscard]] RunIndices common_indices(const Run &run, const Run &other) noexcept;

// `run` without the processes of `other`, as rows, for example a run without every third process; a
// list of runs would have about one run per removed process. Nothing if the result has another
// form. O(log stride).
[[nodiscard]] std::optional<Cart> rows_without(const Run &run, const Run &other) noexcept;

} // namespace avrankmap::detail

#endif
