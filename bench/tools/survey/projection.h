// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Projects the bytes of a communicator from a small run to a large world. A regular map keeps its
// size. A table grows with its share of the world: half of 16 processes in irregular order become
// half of 786,432 in irregular order. Segments grow in number. The number of communicators per
// process stays the same. Whether an application scales like that, one run cannot show; two runs of
// different sizes can.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_PROJECTION_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_PROJECTION_H

#include "avrankmap/rankmap.h"

#include <cstdint>

namespace avrankmap::survey {

class Projection {
public:
  /// From a world of `processes` to one of `target`; both at least 1.
  Projection(std::int32_t processes, std::int32_t target) : processes_(processes), target_(target) {}

  [[nodiscard]] std::int32_t target() const { return target_; }

  /// Scales a number of ranks, segments or processes to the target, rounded up. Returns `count` if
  /// the target is not larger.
  [[nodiscard]] std::uint64_t scaled(std::uint64_t count) const;

  /// Bytes by which the table of a map grows.
  [[nodiscard]] std::uint64_t growth(const avrm_rankmap_info_t &info) const;
  /// The same for a table of `bytes_per_entry` for each of `entries`.
  [[nodiscard]] std::uint64_t growth(std::uint64_t entries, std::uint64_t bytes_per_entry) const {
    return (scaled(entries) - entries) * bytes_per_entry;
  }

private:
  std::int32_t processes_;
  std::int32_t target_;
};

} // namespace avrankmap::survey

#endif
