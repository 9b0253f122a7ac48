// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Layout of the match bits of a job's messages (request.h): the source rank has as many bits as the
// job's size needs, at least 24, and the context id has the rest. Plane, synchronous bit and tag
// have the same position in every job. Jobs can only connect if their layouts are equal.
//
// Communicators have the lower context ids. The upper ones, a 32nd of all, are for creations
// without a parent (comm_calls.cpp). Each creation is identified by a number that takes the bits of
// plane, context id and tag.
#ifndef AVRANKMAP_SRC_CORE_MATCH_BITS_H
#define AVRANKMAP_SRC_CORE_MATCH_BITS_H

#include <bit>
#include <cstdint>

#include "avrankmap/device/request.h"

namespace avrankmap::detail {

class MatchBits {
public:
  // Layout of jobs with up to 16,777,216 processes.
  MatchBits() noexcept = default;
  explicit MatchBits(std::int32_t size) noexcept
      : rank_bits_(static_cast<std::uint32_t>(
            std::bit_width(static_cast<std::uint32_t>(size - 1) | std::uint32_t{1} << (kLeastRankBits - 1)))) {}

  friend bool operator==(const MatchBits &, const MatchBits &) = default;

  [[nodiscard]] std::uint32_t rank_bits() const noexcept { return rank_bits_; }
  [[nodiscard]] std::int32_t most_rank() const noexcept {
    return static_cast<std::int32_t>((std::uint64_t{1} << rank_bits_) - 1);
  }
  // Returns the greatest context id of a communicator.
  [[nodiscard]] std::uint32_t most_context() const noexcept { return contexts() - creation_contexts() - 1; }
  // Return the numbers of all context ids and of those for creations without a parent: powers of
  // two.
  [[nodiscard]] std::uint32_t contexts() const noexcept {
    return std::uint32_t{1} << (kRankAndContextBits - rank_bits_);
  }
  [[nodiscard]] std::uint32_t creation_contexts() const noexcept { return contexts() / 32; }
  // `plane` is 0 .. 3.
  [[nodiscard]] std::uint64_t pack(std::uint32_t plane, std::uint32_t context, std::int32_t source) const noexcept {
    return std::uint64_t{plane} << AVRM_MATCH_PLANE_SHIFT |
           std::uint64_t{context} << (AVRM_MATCH_SOURCE_SHIFT + rank_bits_) | of_source(source);
  }
  [[nodiscard]] static std::uint64_t of_source(std::int32_t source) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(source)} << AVRM_MATCH_SOURCE_SHIFT;
  }
  [[nodiscard]] std::uint64_t source_mask() const noexcept { return of_source(most_rank()); }
  [[nodiscard]] std::int32_t source(std::uint64_t match) const noexcept {
    return static_cast<std::int32_t>((match & source_mask()) >> AVRM_MATCH_SOURCE_SHIFT);
  }

private:
  static constexpr std::uint32_t kLeastRankBits = 24;
  static constexpr std::uint32_t kRankAndContextBits = AVRM_MATCH_PLANE_SHIFT - 1 - AVRM_MATCH_SOURCE_SHIFT;

  std::uint32_t rank_bits_ = kLeastRankBits;
};

} // namespace avrankmap::detail

#endif
