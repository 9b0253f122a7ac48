// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The properties of the codecs that the address vector needs. ave.cpp implements them, beside the
// codecs themselves.
#ifndef AVRANKMAP_SRC_AV_CODEC_H
#define AVRANKMAP_SRC_AV_CODEC_H

#include <bit>
#include <cstdint>

#include "avrankmap/ave.h"

namespace avrankmap::detail {

// True for the number of a codec.
[[nodiscard]] bool is_codec(int number) noexcept;

// Indices in avrm_ave_t::w of the halves of the address word.
inline constexpr int kLowHalf = std::endian::native == std::endian::little ? 0 : 1;
inline constexpr int kHighHalf = 1 - kLowHalf;

// The order in which the halves of a word are written while other threads read it (publish.h).
struct WriteOrder {
  int flag_half;            // written last
  int other_half;           // written before it
  std::uint32_t far_marker; // with this flag half any word reads as "not yet connected"
  bool clears_both;         // so does any word with an other half of 0
};
[[nodiscard]] WriteOrder write_order_of(avrm_codec_t codec) noexcept;

// True if every mix of halves that the two stores of `word` over `old_word` show, the other half
// first, is one of the two or reads as "not yet connected", also together with other such changes.
[[nodiscard]] bool halves_need_no_barrier(avrm_codec_t codec, std::uint64_t old_word, std::uint64_t word) noexcept;

} // namespace avrankmap::detail

#endif
