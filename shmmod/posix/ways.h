// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out how large messages are copied faster on this machine: by the system, from memory to
// memory (copy.cpp), or by both processes, through the ring. On a virtual Zen 4, 64 KiB messages
// move at 10 GB/s by the system and at 2 through the ring; a Zen 5 copies 11 GB/s by the system and
// 38 through shared memory. So the first messages of each class of sizes try both, and the median
// time per byte of each way decides.
//
// A trial lasts from the first message that is taken while no other is under way until none is
// under way again, so a burst of messages counts by its rate. Those that follow the first of a
// trial of the ring take the ring as well; copies by this process would hold it up.
//
// Through the ring a message needs a sender that makes progress. If senders let this process wait
// several times in a row, messages of that class are read from their memory from then on.
#ifndef AVRANKMAP_SHMMOD_POSIX_WAYS_H
#define AVRANKMAP_SHMMOD_POSIX_WAYS_H

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace avrankmap::detail::posix {

enum class Way : std::uint8_t { kCopy, kRing };

class Ways {
public:
  static constexpr std::uint8_t kTrials = 5; // of each way
  // Trials before them that do not count. The memory of a ring is new to the system in its first
  // round.
  static constexpr std::uint8_t kWarmUps[] = {1, 8};
  static constexpr std::uint8_t kPatience = 4;
  static constexpr std::uint32_t kMessages = 32; // end a trial, even if others are under way

  // Ends all trials.
  void fix(Way way) noexcept {
    for (Class &of_size : classes_) {
      of_size.way = way;
      of_size.left[0] = of_size.left[1] = 0;
      of_size.is_fixed = true;
    }
  }

  // Returns the way of a message that is taken at a time in nanoseconds, which matters only if it
  // may begin a trial.
  [[nodiscard]] Way take(std::uint64_t bytes, bool begins, std::uint64_t now) noexcept {
    Class &of_size = classes_[index_of(bytes)];
    if (begins) {
      trial_ = {&of_size, of_size.next(), now, 0, 0};
      return trial_.way;
    }
    const bool follows = trial_.of_size != nullptr && trial_.way == Way::kRing && trial_.of_size->tries_ring();
    const Way way = follows ? Way::kRing : of_size.way;
    if (way != trial_.way) {
      trial_ = {};
    }
    return way;
  }

  // True if the message that was taken last is part of a trial, or is watched after the trials.
  [[nodiscard]] bool is_timing() const noexcept { return trial_.of_size != nullptr; }
  void stop_timing() noexcept { trial_ = {}; }

  // So many bytes that were taken as part of the trial have arrived in a message.
  void took(std::uint64_t bytes, bool was_last, std::uint64_t now) noexcept {
    trial_.bytes += bytes;
    if (was_last || ++trial_.messages == kMessages) {
      trial_.of_size->count(trial_.way, (now - trial_.began) * 1024 / trial_.bytes);
      trial_ = {};
    }
  }

private:
  static constexpr std::uint64_t kLong = 4; // times the system's copy

  struct Class {
    std::uint64_t costs[2][kTrials]{}; // by way, in ns per KiB
    std::uint8_t left[2] = {kWarmUps[0] + kTrials, kWarmUps[1] + kTrials};
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

    void count(Way of_way, std::uint64_t cost) noexcept {
      const auto index = static_cast<std::size_t>(of_way);
      if (left[index] != 0) {
        costs[index][--left[index] % kTrials] = cost;
        way = left[1] == 0 && median(Way::kRing) < median(Way::kCopy) ? Way::kRing : Way::kCopy;
      } else if (of_way == Way::kRing && !is_fixed) {
        waits = cost > kLong * median(Way::kCopy) ? waits + 1 : 0;
        way = waits >= kPatience ? Way::kCopy : way;
      }
    }
  };

  struct Trial {
    Class *of_size = nullptr; // of its first message; null if nothing is timed
    Way way = Way::kCopy;
    std::uint64_t began = 0;
    std::uint64_t bytes = 0; // that have arrived
    std::uint32_t messages = 0;
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
