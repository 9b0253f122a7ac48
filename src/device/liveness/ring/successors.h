// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The processes that a process watches: the next two living ones of the world. Since dead processes
// do not return, the next one to be watched follows all earlier ones, except after go_back_to.
#ifndef AVRANKMAP_SRC_LIVENESS_RING_SUCCESSORS_H
#define AVRANKMAP_SRC_LIVENESS_RING_SUCCESSORS_H

#include <cstdint>

#include "comm_algorithms/channel/channel.h"

namespace avrankmap::detail {

class Successors {
public:
  static constexpr int kCount = 2; // one, and a spare

  Successors(std::int32_t rank, std::int32_t size) noexcept : rank_(rank), size_(size) {}

  // Returns the next process to be watched in place of one that died or left; kNobody if there is
  // none.
  template <typename HasDied> [[nodiscard]] std::int32_t next(HasDied has_died) noexcept {
    while (distance_ < size_) {
      const auto lpid = static_cast<std::int32_t>((rank_ + distance_) % size_);
      ++distance_;
      if (!has_died(lpid)) {
        return lpid;
      }
    }
    return kNobody;
  }

  // Makes process `lpid` and those after it candidates again.
  void go_back_to(std::int32_t lpid) noexcept { distance_ = (std::int64_t{lpid} - rank_ + size_) % size_; }

private:
  std::int32_t rank_;
  std::int32_t size_;
  std::int64_t distance_ = 1; // of the next candidate
};

} // namespace avrankmap::detail

#endif
