// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out how large messages are copied faster on this machine: by the system, from memory to
// memory (copy.cpp), or by both processes, through the ring. On a virtual Zen 4, 64 KiB messages
// move at 10 GB/s by the system and at 2 through the ring; a Zen 5 copies 11 GB/s by the system and
// 38 through shared memory. So the first messages of each class of sizes try both, and the median
// time per byte of each way decides.
//
// A trial begins with a message that is taken while no other is under way, and ends when it and
// those that followed it have arrived, so a burst of messages counts by its rate. Followers of a
// trial of the ring take the ring as well; copies by this process would hold it up.
//
// Through the ring a message needs a sender that makes progress. If senders let this process wait
// several times in a row, messages of that class are read from their memory from then on.
#ifndef AVRANKMAP_SHMMOD_POSIX_WAYS_H
#define AVRANKMAP_SHMMOD_POSIX_WAYS_H

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "posix/ring.h"

namespace avrankmap::detail::posix {

enum class Way : std::uint8_t { kCopy, kRing };

class Ways {
public:
  static constexpr std::uint8_t kTrials = 5; // of each way
  // Bytes of trials before them, which do not count. The memory of a ring is new to the system in
  // its first round.
  static constexpr std::uint64_t kWarmUps[] = {1, kRingBytes};
  static constexpr std::uint8_t kMaxWaits = 4;
  static constexpr std::uint32_t kMessages = 64; // of a trial

  struct Choice {
    Way way;
    bool is_timed; // as part of a trial, or to watch senders after the trials
  };

  // Ends all trials.
  void fix(Way way) noexcept {
    for (Class &of_size : classes_) {
      of_size.way = way;
      of_size.left[0] = of_size.left[1] = 0;
      of_size.is_fixed = true;
    }
  }

  // A message is taken. No other is under way if it may begin a trial, at a time in nanoseconds.
  [[nodiscard]] Choice take(std::uint64_t bytes, bool begins, std::uint64_t now) noexcept {
    Class &of_size = classes_[index_of(bytes)];
    if (begins) {
      trial_ = {&of_size, of_size.next(), now, 0, 1, 1};
      return {trial_.way, true};
    }
    if (trial_.of_size == nullptr || trial_.taken == kMessages) {
      return {of_size.way, false};
    }
    const bool follows = trial_.way == Way::kRing && trial_.of_size->tries_ring();
    const Way way = follows ? Way::kRing : of_size.way;
    if (way != trial_.way) {
      trial_ = {};
      return {way, false};
    }
    ++trial_.taken;
    ++trial_.under_way;
    return {way, true};
  }

  // A message that is timed has arrived.
  void took(std::uint64_t bytes, std::uint64_t now) noexcept {
    if (trial_.of_size == nullptr) {
      return;
    }
    trial_.bytes += bytes;
    if (--trial_.under_way == 0) {
      trial_.of_size->count(trial_.way, trial_.bytes, now - trial_.began);
      trial_ = {};
    }
  }
  // A message that is timed will not arrive, or in another way.
  void lost() noexcept { trial_ = {}; }

private:
  static constexpr std::uint64_t kLong = 4; // times the system's copy

  struct Class {
    std::uint64_t costs[2][kTrials]{};                     // by way, in ns per KiB
    std::uint64_t warm_up[2] = {kWarmUps[0], kWarmUps[1]}; // bytes that are left
    std::uint8_t left[2] = {kTrials, kTrials};
    std::uint8_t waits = 0; // in a row
    Way way = Way::kCopy;
    bool is_fixed = false;

    [[nodiscard]] bool tries_ring() const noexcept { return left[0] == 0 && left[1] != 0; }
    // The ring comes last: the first messages of a process may be the only ones, and their senders
    // may not make progress.
    [[nodiscard]] Way next() const noexcept { return tries_ring() ? Way::kRing : way; }

    [[nodiscard]] std::uint64_t median(Way of_way) const noexcept {
      std::uint64_t sorted[kTrials];
      std::copy_n(costs[static_cast<std::size_t>(of_way)], kTrials, sorted);
      std::nth_element(std::begin(sorted), std::begin(sorted) + kTrials / 2, std::end(sorted));
      return sorted[kTrials / 2];
    }

    void count(Way of_way, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
      const auto index = static_cast<std::size_t>(of_way);
      const std::uint64_t cost = nanoseconds * 1024 / bytes;
      if (left[index] != 0 && warm_up[index] != 0) {
        warm_up[index] -= std::min(warm_up[index], bytes);
      } else if (left[index] != 0) {
        costs[index][--left[index]] = cost;
        way = left[1] == 0 && median(Way::kRing) < median(Way::kCopy) ? Way::kRing : Way::kCopy;
      } else if (of_way == Way::kRing && !is_fixed) {
        waits = cost > kLong * median(Way::kCopy) ? waits + 1 : 0;
        way = waits >= kMaxWaits ? Way::kCopy : way;
      }
    }
  };

  struct Trial {
    Class *of_size = nullptr; // of its first message; null if nothing is timed
    Way way = Way::kCopy;
    std::uint64_t began = 0;
    std::uint64_t bytes = 0; // that have arrived
    std::uint32_t taken = 0; // messages
    std::uint32_t under_way = 0;
  };

  // Up to 64 KiB, 256 KiB, 1 MiB, and more.
  static constexpr std::uint64_t kEnds[] = {std::uint64_t{64} << 10, std::uint64_t{256} << 10, std::uint64_t{1} << 20};
  [[nodiscard]] static std::size_t index_of(std::uint64_t bytes) noexcept {
    return static_cast<std::size_t>(std::lower_bound(std::begin(kEnds), std::end(kEnds), bytes) - std::begin(kEnds));
  }

  Class classes_[std::size(kEnds) + 1];
  Trial trial_;
};

} // namespace avrankmap::detail::posix

#endif
