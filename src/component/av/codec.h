// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The properties of the codecs that the address vector needs. They are implemented in ave.cpp, next
// to the codecs.
#ifndef AVRANKMAP_SRC_AV_CODEC_H
#define AVRANKMAP_SRC_AV_CODEC_H

#include <bit>
#include <cstdint>

#include "avrankmap/ave.h"

namespace avrankmap::detail {

// True if `number` is the value of a codec.
[[nodiscard]] bool is_codec(int number) noexcept;

// Indices in avrm_ave_t::w of the halves of the address word.
inline constexpr int kLowHalf = std::endian::native == std::endian::little ? 0 : 1;
inline constexpr int kHighHalf = 1 - kLowHalf;

// The order in which the halves of a word are written while other threads read it (publish.h).
struct WriteOrder {
  int flag_half;            // written last
  int other_half;           // written before it
  std::uint32_t far_marker; // flag half with which every word reads as "not yet connected"
  bool clears_both;         // true if 0 in the other half has that effect too
};
[[nodiscard]] WriteOrder write_order_of(avrm_codec_t codec) noexcept;

// True if no reader sees a wrong word while `word` is stored over `old_word` in two steps, the
// other half first: every mix of halves reads as one of the two words, or as "not yet connected".
// This also holds for a sequence of such changes.
[[nodiscard]] bool halves_need_no_barrier(avrm_codec_t codec, std::uint64_t old_word, std::uint64_t word) noexcept;

} // namespace avrankmap::detail

#endif
