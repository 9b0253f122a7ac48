// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A bare channel that addresses one rank of a communicator after another: what translation costs
// where the network is real. All ranks live in the other process. A lookup gives the address of a
// rank: lookup[rank].
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_RANK_CHANNEL_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_RANK_CHANNEL_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace avrankmap::bench {

/// Ranks that are addressed: 0 .. so many - 1.
inline constexpr std::int32_t kRankChannelPeers = 16;

template <class Channel, class Lookup> class RankChannel {
public:
  /// The lookup is made of the channel, which knows the address of the other process, and of
  /// the arguments.
  template <class... Arguments>
  explicit RankChannel(std::unique_ptr<Channel> channel, Arguments &&...arguments)
      : channel_(std::move(channel)), lookup_(*channel_, std::forward<Arguments>(arguments)...) {}
  void isend(const void *buffer, std::size_t bytes, int tag) {
    channel_->isend_to(lookup_[next_], buffer, bytes, tag);
    next_ = next_ + 1 == kRankChannelPeers ? 0 : next_ + 1;
  }
  void irecv(void *buffer, std::size_t bytes, int tag) { channel_->irecv(buffer, bytes, tag); }
  void put(const void *buffer, std::size_t bytes) { channel_->put(buffer, bytes); }
  void wait_all() { channel_->wait_all(); }
  void flush() { channel_->flush(); }
  void progress() { channel_->progress(); }

private:
  std::unique_ptr<Channel> channel_;
  Lookup lookup_;
  std::int32_t next_ = 0;
};

} // namespace avrankmap::bench

#endif
