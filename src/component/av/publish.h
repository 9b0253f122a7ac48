// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Writing an AVE while other threads may be reading it.
//
// Readers load the 8-byte address word with one instruction, but it is only 4-aligned: it may
// straddle a cache line, and no architecture guarantees that such a load is atomic. Readers may
// therefore see any mix of old and new halves, and checks would cost them instructions. Instead,
// words are encoded so that nearly all mixes read as "not yet connected" (ave.h), and the writer
// changes one half at a time (a 4-aligned half is always read completely).
//
// Connecting a peer, and any other change of a word that is not a network address with two halves,
// takes two stores, the half with the flag last. A mix may be a far-side word whose unused half has
// bits of another word; it reads as that far-side word. If the high half stays the same, one store
// is sufficient.
//
// The remaining changes would mix two network addresses: replacing an endpoint, and libfabric
// addresses of 2^32 - 1 or more, which no provider returns. In these cases the word reads as "not
// yet connected" in between. Every other thread must have seen this before the next step, even
// within a load in progress. A process-wide memory barrier ensures this, and only the writer pays
// for it:
//
//   UCX         low, high := 0   | barrier | high := new | low := new
//   libfabric   high := all ones | barrier | low := new  | barrier | high := new
#ifndef AVRANKMAP_SRC_AV_PUBLISH_H
#define AVRANKMAP_SRC_AV_PUBLISH_H

#include <cstdint>

#include "avrankmap/ave.h"

namespace avrankmap::detail {

// Writes `count` elements. Two threads must not write the same element concurrently.
void publish(avrm_codec_t codec, avrm_ave_t *elements, const avrm_ave_t *values, std::int64_t count) noexcept;

// Returns when every running thread of the process has passed a full memory barrier. Kernels before
// 4.14 execute a slower global barrier. Without the system call (before 4.3, or in a sandbox) only
// a fence is executed, which is sufficient wherever a load is single-copy atomic.
void process_barrier() noexcept;

} // namespace avrankmap::detail

#endif
