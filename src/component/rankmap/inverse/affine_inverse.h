// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The inverse of an affine map for many processes: one multiplication and one rotation.
//
// Numbers are taken modulo 2^32, where every odd number has an inverse. lpid -> rank is
//
//   ((lpid - offset) * inverse) rotated to the right by t      |stride| = odd * 2^t
//
// with the inverse of odd, negated if the stride is negative. For the lpid of a rank, this is the
// rank: after the multiplication the difference is rank * 2^t. Both steps permute the 2^32 numbers,
// and the lpids of ranks yield all numbers below the size. Every other lpid therefore yields a
// number that is not a rank, which one comparison with the size detects.
#ifndef AVRANKMAP_SRC_RANKMAP_INVERSE_AFFINE_INVERSE_H
#define AVRANKMAP_SRC_RANKMAP_INVERSE_AFFINE_INVERSE_H

#include <cstddef>
#include <cstdint>

#include "rankmap/patterns/regular.h"

namespace avrankmap::detail {

class AffineInverse {
public:
  // For a map with block 1.
  explicit AffineInverse(const Regular &map) noexcept;

  // Returns the translation from ranks of another map, `inner`, to ranks of this map. `inner` must
  // also have block 1.
  [[nodiscard]] AffineInverse after(const Regular &inner) const noexcept;

  // Returns the ranks of processes as avrm_rankmap_ranks does, for a map of process group pgid.
  void ranks_of(std::int32_t pgid, std::size_t count, const avrm_gpid_t *processes, std::int32_t *ranks) const noexcept;
  // Returns the ranks of lpids; AVRM_PROC_NULL yields AVRM_PROC_NULL. The arrays may be the same.
  void translate(std::size_t count, const std::int32_t *lpids, std::int32_t *ranks) const noexcept;

private:
  void translate_here(std::size_t count, const std::int32_t *lpids, std::int32_t *ranks) const noexcept;
  void translate_avx2(std::size_t count, const std::int32_t *lpids, std::int32_t *ranks) const noexcept;
  // AVRM_UNDEFINED if no rank has this lpid.
  [[nodiscard]] std::int32_t rank_of(std::int32_t lpid) const noexcept {
    const std::uint32_t number = static_cast<std::uint32_t>(lpid) * factor_ + start_;
    const std::uint32_t rank = number >> shift_ | number << (-shift_ & 31);
    return rank < size_ ? static_cast<std::int32_t>(rank) : AVRM_UNDEFINED;
  }

  std::uint32_t factor_;
  std::uint32_t start_ = 0;
  std::uint32_t shift_;
  std::uint32_t size_;
};

} // namespace avrankmap::detail

#endif
