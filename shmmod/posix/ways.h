// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out how large messages are copied faster on this machine: by the system, from memory to
// memory (copy.cpp), or by both processes, through the ring. On a virtual Zen 4, 64 KiB messages
// move at 10 GB/s by the system and at 2 through the ring; a Zen 5 copies 11 GB/s by the system and
// 38 through shared memory. So the first messages of each class of sizes try both, and the least
// time of each way decides. A message is timed if it is the only one under way.
//
// Through the ring a message needs a sender that makes progress. If senders let this process wait
// several times in a row, messages of that class are read from their memory from then on.
#ifndef AVRANKMAP_SHMMOD_POSIX_WAYS_H
#define AVRANKMAP_SHMMOD_POSIX_WAYS_H

#include <algorithm>
#include <cstdint>

namespace avrankmap::detail::posix {

enum class Way : std::uint8_t { kCopy, kRing };

class Ways {
public:
  static constexpr std::uint8_t kTrials = 4; // of each way
  static constexpr std::uint8_t kPatience = 4;

  // Ends all trials.
  void fix(Way way) noexcept {
    for (Class &of_size : classes_) {
      of_size.way = way;
      of_size.left[0] = of_size.left[1] = 0;
      of_size.is_fixed = true;
    }
  }

  // The way of a message that is not timed.
  [[nodiscard]] Way best(std::uint64_t bytes) const noexcept { return at(bytes).way; }
  // The way of a message that will be. The ring comes last: the first messages of a process may be
  // the only ones, and their senders may not make progress.
  [[nodiscard]] Way next(std::uint64_t bytes) const noexcept {
    const Class &of_size = at(bytes);
    if (of_size.left[0] != 0) {
      return Way::kCopy;
    }
    return of_size.left[1] != 0 ? Way::kRing : of_size.way;
  }

  // A message has arrived.
  void took(Way way, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
    Class &of_size = classes_[index_of(bytes)];
    const auto index = static_cast<std::size_t>(way);
    const std::uint64_t cost = nanoseconds * 1024 / bytes;
    if (of_size.left[index] != 0) {
      of_size.least[index] = std::min(of_size.least[index], cost);
      --of_size.left[index];
      of_size.way = of_size.left[1] == 0 && of_size.least[1] < of_size.least[0] ? Way::kRing : Way::kCopy;
    } else if (way == Way::kRing && !of_size.is_fixed) {
      of_size.waits = cost > kLong * of_size.least[0] ? of_size.waits + 1 : 0;
      of_size.way = of_size.waits >= kPatience ? Way::kCopy : of_size.way;
    }
  }

private:
  static constexpr std::uint64_t kLong = 4; // times the system's copy

  struct Class {
    std::uint64_t least[2] = {~std::uint64_t{0}, ~std::uint64_t{0}}; // by way, in ns per KiB
    std::uint8_t left[2] = {kTrials, kTrials};
    std::uint8_t waits = 0; // in a row
    Way way = Way::kCopy;
    bool is_fixed = false;
  };

  // Up to 64 KiB, 256 KiB, 1 MiB, and more.
  static constexpr std::uint64_t kEnds[] = {std::uint64_t{64} << 10, std::uint64_t{256} << 10, std::uint64_t{1} << 20};
  [[nodiscard]] static std::size_t index_of(std::uint64_t bytes) noexcept {
    return static_cast<std::size_t>(std::lower_bound(std::begin(kEnds), std::end(kEnds), bytes) - std::begin(kEnds));
  }
  [[nodiscard]] const Class &at(std::uint64_t bytes) const noexcept { return classes_[index_of(bytes)]; }

  Class classes_[std::size(kEnds) + 1];
};

} // namespace avrankmap::detail::posix

#endif
