// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/projection.h"

namespace avrankmap::survey {

std::uint64_t Projection::scaled(std::uint64_t count) const {
  if (target_ <= processes_) {
    return count;
  }
  // Counts are below 2^33: a table may have one entry per rank of each of several worlds.
  const auto processes = static_cast<std::uint64_t>(processes_);
  const std::uint64_t whole = count / processes * static_cast<std::uint64_t>(target_);
  const std::uint64_t rest = count % processes * static_cast<std::uint64_t>(target_);
  return whole + (rest + processes - 1) / processes;
}

std::uint64_t Projection::growth(const avrm_rankmap_info_t &info) const {
  const auto entries = static_cast<std::uint64_t>(info.table_entries);
  switch (info.mode) {
  case AVRM_MODE_DIRECT:
  case AVRM_MODE_OFFSET:
  case AVRM_MODE_STRIDE:
  case AVRM_MODE_BLOCKED:
  case AVRM_MODE_CART: return 0;
  case AVRM_MODE_LUT: return growth(entries, 4);
  case AVRM_MODE_MLUT: return growth(entries, 8);
  case AVRM_MODE_LESS: return growth(static_cast<std::uint64_t>(info.removed), sizeof(std::int32_t));
  case AVRM_MODE_SEGMENTS: return growth(static_cast<std::uint64_t>(info.segments), sizeof(avrm_segment_t));
  }
  return 0;
}

} // namespace avrankmap::survey
