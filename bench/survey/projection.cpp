// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "survey/projection.h"

#include <algorithm>
#include <bit>

namespace avrankmap::survey {
namespace {

/// Bytes before the one in which the last of `entries` fields begins; the table has 8 more from
/// there on.
std::uint64_t packed_bytes(std::uint64_t entries, unsigned bits) { return (entries - 1) * bits / 8; }

} // namespace

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
  const auto bits = static_cast<unsigned>(info.bits);
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
  case AVRM_MODE_PACKED_LUT:
  case AVRM_MODE_PACKED_MLUT: {
    const std::uint64_t widest = info.mode == AVRM_MODE_PACKED_LUT ? 32 : 64;
    const auto more = static_cast<unsigned>(std::bit_width(scaled(1) - 1));
    const auto wide = static_cast<unsigned>(std::min<std::uint64_t>(bits + more, widest));
    return packed_bytes(scaled(entries), wide) - packed_bytes(entries, bits);
  }
  }
  return 0;
}

} // namespace avrankmap::survey
