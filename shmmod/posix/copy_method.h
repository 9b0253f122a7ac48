// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Finds out which method copies large messages faster on this machine: the system, from memory to
// memory (copy.cpp), or both processes, through the ring. On a virtual Zen 4, the system copies 64
// KiB messages at 10 GB/s, and the ring at 2 GB/s; on a Zen 5, the system copies 11 GB/s, and
// shared memory 38 GB/s. So the first messages of each size class try both methods, and the median
// time per byte decides.
//
// A trial begins with a message that is taken while no other is in progress, and ends when it and
// the messages that followed it have arrived, so a burst of messages is measured by its rate.
// Messages that are taken during a trial of the ring also use the ring, because copies by this
// process would delay it.
//
// A message through the ring needs a sender that makes progress. If this process has had to wait
// for senders several times in succession, it reads later messages of that class from the senders'
// memory.
#ifndef AVRANKMAP_SHMMOD_POSIX_COPY_METHOD_H
#define AVRANKMAP_SHMMOD_POSIX_COPY_METHOD_H

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "posix/ring.h"

namespace avrankmap::detail::posix {

enum class CopyMethod : std::uint8_t { kCopy, kRing };

class CopyMethodChoice {
public:
  static constexpr std::uint8_t kTrials = 5; // per method
  // By method: bytes of initial trials that are not counted. During the first lap of a ring, the
  // system has to provide its memory.
  static constexpr std::uint64_t kWarmUps[] = {1, kRingBytes};
  static constexpr std::uint8_t kMaxWaits = 4;
  static constexpr std::uint32_t kMessages = 64; // maximum per trial

  struct Choice {
    CopyMethod method;
    bool is_timed; // as part of a trial, or later to detect slow senders
  };

  // Fixes the method of all size classes and ends all trials.
  void fix(CopyMethod method) noexcept {
    for (Class &of_size : classes_) {
      of_size.method = method;
      of_size.left[0] = of_size.left[1] = 0;
      of_size.is_fixed = true;
    }
  }

  // Chooses the method for a message that is taken. `begins`: no other message is in progress, so
  // this one may begin a trial. `now`: nanoseconds.
  [[nodiscard]] Choice take(std::uint64_t bytes, bool begins, std::uint64_t now) noexcept {
    Class &of_size = classes_[index_of(bytes)];
    if (begins) {
      trial_ = {&of_size, of_size.next(), now, 0, 1, 1};
      return {trial_.method, true};
    }
    if (trial_.of_size == nullptr || trial_.taken == kMessages) {
      return {of_size.method, false};
    }
    const bool follows = trial_.method == CopyMethod::kRing && trial_.of_size->tries_ring();
    const CopyMethod method = follows ? CopyMethod::kRing : of_size.method;
    if (method != trial_.method) {
      trial_ = {};
      return {method, false};
    }
    ++trial_.taken;
    ++trial_.under_way;
    return {method, true};
  }

  // Called when a timed message has arrived.
  void took(std::uint64_t bytes, std::uint64_t now) noexcept {
    if (trial_.of_size == nullptr) {
      return;
    }
    trial_.bytes += bytes;
    if (--trial_.under_way == 0) {
      trial_.of_size->count(trial_.method, trial_.bytes, now - trial_.began);
      trial_ = {};
    }
  }
  // Called when a timed message will not arrive, or arrives by another method.
  void lost() noexcept { trial_ = {}; }

private:
  static constexpr std::uint64_t kLong = 4; // times the cost of a system copy

  struct Class {
    std::uint64_t costs[2][kTrials]{};                     // by method, in ns per KiB
    std::uint64_t warm_up[2] = {kWarmUps[0], kWarmUps[1]}; // bytes that are left
    std::uint8_t left[2] = {kTrials, kTrials};
    std::uint8_t waits = 0; // consecutive
    CopyMethod method = CopyMethod::kCopy;
    bool is_fixed = false;

    [[nodiscard]] bool tries_ring() const noexcept { return left[0] == 0 && left[1] != 0; }
    // The ring is tried last: the first messages of a process may be the only ones, and their
    // senders may not make progress.
    [[nodiscard]] CopyMethod next() const noexcept { return tries_ring() ? CopyMethod::kRing : method; }

    [[nodiscard]] std::uint64_t median(CopyMethod of_method) const noexcept {
      std::uint64_t sorted[kTrials];
      std::copy_n(costs[static_cast<std::size_t>(of_method)], kTrials, sorted);
      std::nth_element(std::begin(sorted), std::begin(sorted) + kTrials / 2, std::end(sorted));
      return sorted[kTrials / 2];
    }

    void count(CopyMethod of_method, std::uint64_t bytes, std::uint64_t nanoseconds) noexcept {
      const auto index = static_cast<std::size_t>(of_method);
      const std::uint64_t cost = nanoseconds * 1024 / bytes;
      if (left[index] != 0 && warm_up[index] != 0) {
        warm_up[index] -= std::min(warm_up[index], bytes);
      } else if (left[index] != 0) {
        costs[index][--left[index]] = cost;
        method = left[1] == 0 && median(CopyMethod::kRing) < median(CopyMethod::kCopy) ? CopyMethod::kRing
                                                                                       : CopyMethod::kCopy;
      } else if (of_method == CopyMethod::kRing && !is_fixed) {
        waits = cost > kLong * median(CopyMethod::kCopy) ? waits + 1 : 0;
        method = waits >= kMaxWaits ? CopyMethod::kCopy : method;
      }
    }
  };

  struct Trial {
    Class *of_size = nullptr; // of its first message; null if nothing is timed
    CopyMethod method = CopyMethod::kCopy;
    std::uint64_t began = 0;
    std::uint64_t bytes = 0; // that have arrived
    std::uint32_t taken = 0; // messages
    std::uint32_t under_way = 0;
  };

  // Size classes: up to 64 KiB, up to 256 KiB, up to 1 MiB, and longer.
  static constexpr std::uint64_t kEnds[] = {std::uint64_t{64} << 10, std::uint64_t{256} << 10, std::uint64_t{1} << 20};
  [[nodiscard]] static std::size_t index_of(std::uint64_t bytes) noexcept {
    return static_cast<std::size_t>(std::lower_bound(std::begin(kEnds), std::end(kEnds), bytes) - std::begin(kEnds));
  }

  Class classes_[std::size(kEnds) + 1];
  Trial trial_;
};

} // namespace avrankmap::detail::posix

#endif
