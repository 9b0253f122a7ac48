// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What the bytes of a communicator that was seen among few processes would be among many. A regular mode stays as it is. A
// table grows with its share of the world: a communicator of half of 16 processes is taken for one of half of 786,432, with
// as irregular an order. The fields of a packed table grow by the bits that the factor has, and segments grow in number.
// The number of communicators per process stays. One run cannot tell whether an application does so; two of different
// sizes can.
#ifndef AVRANKMAP_BENCH_SURVEY_PROJECTION_H
#define AVRANKMAP_BENCH_SURVEY_PROJECTION_H

#include "avrankmap/rankmap.h"

#include <cstdint>

namespace avrankmap::survey {

class Projection {
public:
  /// From a world of `processes` to one of `target`; both at least 1.
  Projection(std::int32_t processes, std::int32_t target) : processes_(processes), target_(target) {}

  [[nodiscard]] std::int32_t target() const { return target_; }

  /// A number of ranks, segments or processes in the larger world, rounded up; the same number if the world is not larger.
  [[nodiscard]] std::uint64_t scaled(std::uint64_t count) const;

  /// Bytes by which the table of a map would be larger.
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
