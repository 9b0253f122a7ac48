// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spreads a notice that all living processes of a communicator must get. Each process that has the
// notice informs those at distances 1, 2, 4 and so on, cyclically, which is the fastest way.
// Distance 1 guarantees that the notice reaches every process: each process that has the notice
// makes sure that the next living one also has it. If that one dies, the living process after it is
// informed.
#ifndef AVRANKMAP_SRC_LIVENESS_SPREADING_H
#define AVRANKMAP_SRC_LIVENESS_SPREADING_H

#include "comm_algorithms/channel/channel.h"

namespace avrankmap::detail {

// The state of one process.
class Spreading {
public:
  Spreading(std::int32_t rank, std::int32_t size) noexcept : rank_(rank), size_(size) {}

  // Called when this process has the notice.
  void begin() noexcept {
    for (std::int64_t distance = 1; distance < size_; distance *= 2) {
      untold_ = untold_ << 1 | 1;
    }
  }
  // Calls tell(rank) for each process that must still be informed; `tell` returns false if it must
  // be called again later. Called again after a death, and while has_untold() is true.
  template <typename HasDied, typename Tell> void spread(HasDied has_died, Tell tell) noexcept {
    if (told_ != kNobody && has_died(told_)) {
      untold_ |= 1;
      told_ = kNobody;
    }
    for (int bit = 0; untold_ >> bit != 0; ++bit) {
      if ((untold_ >> bit & 1) == 0) {
        continue;
      }
      const std::int32_t rank = next_living(bit, has_died);
      if (rank != kNobody) {
        if (!tell(rank)) {
          continue;
        }
        told_ = bit == 0 ? rank : told_;
      }
      untold_ &= ~(std::uint32_t{1} << bit);
    }
  }
  [[nodiscard]] bool has_untold() const noexcept { return untold_ != 0; }
  // Called when a process that was informed could not process the notice: informs it again.
  template <typename HasDied> void tell_again(std::int32_t rank, HasDied has_died) noexcept {
    for (int bit = 0; std::int64_t{1} << bit < size_; ++bit) {
      if (next_living(bit, has_died) == rank) {
        untold_ |= std::uint32_t{1} << bit;
      }
    }
  }

private:
  // The first living process at distance 2^bit or more.
  template <typename HasDied> [[nodiscard]] std::int32_t next_living(int bit, HasDied has_died) const noexcept {
    for (std::int64_t distance = std::int64_t{1} << bit; distance < size_; ++distance) {
      const auto rank = static_cast<std::int32_t>((rank_ + distance) % size_);
      if (!has_died(rank)) {
        return rank;
      }
    }
    return kNobody;
  }

  std::int32_t rank_;
  std::int32_t size_;
  std::uint32_t untold_ = 0;    // bit i: the process at distance 2^i must be informed
  std::int32_t told_ = kNobody; // the next living process, once informed
};

} // namespace avrankmap::detail

#endif
