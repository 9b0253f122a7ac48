// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing an AVE that other threads may be reading.
//
// Readers load the 8-byte address word by one instruction, but it is only 4-aligned: it may
// straddle a cache line, and no machine promises that such a load is atomic. So readers may see any
// mix of old and new halves, and checks would cost them instructions. Therefore words are encoded
// such that nearly all mixes read as "not yet connected" (ave.h), and the writer changes one half
// at a time (a 4-aligned half is always read whole).
//
// A first connection, and every change of a word that is not a network address with two halves,
// needs two stores, the half with the flag last. A mix may be a far word with bits of another one
// in its unused half, which reads the same. If the high half stays the same, one is enough.
// What remains would mix two network addresses: to change an endpoint, and libfabric addresses from
// 2^32 - 1 on, which no provider returns. There the word says "not yet connected" in between. Every
// other thread must have seen that before the next step, even within a load that is under way. A
// process-wide memory barrier ensures it, and only the writer pays for it:
//
//   UCX         low, high := 0   | barrier | high := new | low := new
//   libfabric   high := all ones | barrier | low := new  | barrier | high := new
#ifndef AVRANKMAP_SRC_AV_PUBLISH_H
#define AVRANKMAP_SRC_AV_PUBLISH_H

#include <cstdint>

#include "avrankmap/ave.h"

namespace avrankmap::detail {

// Writes `count` elements. Writers of the same element must not run at the same time.
void publish(avrm_codec_t codec, avrm_ave_t *elements, const avrm_ave_t *values, std::int64_t count) noexcept;

// Returns when every running thread of the process has passed a full memory barrier. With kernels
// that cannot do that (before 4.14, or in a sandbox) only a fence remains, which is enough wherever
// a load is single-copy atomic.
void process_barrier() noexcept;

} // namespace avrankmap::detail

#endif
