// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Channels of a subset of another channel's processes.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_CHANNELS_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_CHANNELS_H

#include "comm_algorithms/channel/channel.h"

namespace avrankmap::detail {

// `size` consecutive ranks of a channel, starting at `first`. This process is one of them.
class RangeChannel final : public Channel {
public:
  RangeChannel(Channel &whole, std::int32_t first, std::int32_t size) noexcept
      : Channel(whole.memory(), whole.frames(), whole.rank() - first, size), whole_(whole), first_(first) {}

  bool start(Transfer *transfer) noexcept override {
    if (transfer->dest >= 0) {
      transfer->dest += first_;
    }
    if (transfer->source >= 0) {
      transfer->source += first_;
    }
    return whole_.start(transfer);
  }

private:
  Channel &whole_;
  std::int32_t first_;
};

// A subset in any order: rank i of this channel is rank rank_at(i) of the whole.
template <typename RankAt> class GroupChannel final : public Channel {
public:
  GroupChannel(Channel &whole, std::int32_t place, std::int32_t size, RankAt rank_at) noexcept
      : Channel(whole.memory(), whole.frames(), place, size), whole_(whole), rank_at_(rank_at) {}

  bool start(Transfer *transfer) noexcept override {
    if (transfer->dest >= 0) {
      transfer->dest = rank_at_(transfer->dest);
    }
    if (transfer->source >= 0) {
      transfer->source = rank_at_(transfer->source);
    }
    return whole_.start(transfer);
  }

private:
  Channel &whole_;
  RankAt rank_at_;
};

} // namespace avrankmap::detail

#endif
