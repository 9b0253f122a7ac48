// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What few address vectors have beside their elements; made on first use.
#ifndef AVRANKMAP_SRC_AV_EXTRAS_H
#define AVRANKMAP_SRC_AV_EXTRAS_H

#include "av/growing_array.h"

namespace avrankmap::detail {

struct Extras {
  // By local rank: the address word of a process that is reached through shared memory; 0: none.
  GrowingArray<std::uint64_t, 3> far_words;

  // Bytes, this object included. Lock-free.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return sizeof *this + far_words.bytes(); }
  // No thread may be reading any more.
  void release(Memory &memory) noexcept { far_words.release(memory); }
};

} // namespace avrankmap::detail

#endif
