// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The wire format of groups (group_message.cpp): a header, worlds, runs of processes, and their
// cards.
#ifndef AVRANKMAP_SRC_COMM_CALLS_GROUP_MESSAGE_WIRE_H
#define AVRANKMAP_SRC_COMM_CALLS_GROUP_MESSAGE_WIRE_H

#include <cstdint>

#include "core/peers/world_name.h"
#include "launch/job_secret.h"

namespace avrankmap::detail {

struct GroupMessageHeader {
  static constexpr std::uint32_t kMagic = 0x6176726c; // "avrl"

  std::uint32_t magic;
  std::uint32_t codec;
  std::uint32_t is_local; // addresses are valid on one machine only
  std::uint32_t pitch;    // bytes per card, a multiple of 8
  std::uint64_t machine;
  std::int32_t size;
  std::int32_t worlds;
  std::int32_t runs;
  std::uint32_t rank_bits; // number of bits for a rank in match bits
};

struct GroupMessageWorld {
  WorldName name;
  JobSecret secret;
  std::int32_t size;
  std::int32_t unused;
};

struct GroupMessageRun {
  std::int32_t count;
  std::int32_t world; // index of its world
  std::int32_t offset;
  std::int32_t stride;
};

} // namespace avrankmap::detail

#endif
