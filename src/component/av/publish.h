// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing an AVE that other threads may be reading.
//
// Readers load the 8-byte address word by one instruction, but it is only 4-aligned: it may
// straddle a cache line, and no machine promises that such a load is atomic. So readers may see any
// mix of old and new halves, and checks would cost them instructions. Therefore the writer changes
// one half at a time (a 4-aligned half is always read whole) and keeps every mix on the far side:
// the half that holds the transport bit says "far" while the other one changes. Between two such
// steps every other thread must have seen the first one, even within a load that is under way. A
// process-wide memory barrier ensures that, and only the writer pays for it.
//
//   libfabric   high := all ones | barrier | low := new | barrier | high := new
//   UCX         low := 0         | barrier | high := new | barrier | low := new
//
// If the high half stays the same, as for every address below 2^32 - 1 (which providers return), a
// single store to the low half is enough. A change of the high half alone takes all steps:
// otherwise a load under way could join the high half of one write with the low half that an
// earlier or later single store replaces.
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
