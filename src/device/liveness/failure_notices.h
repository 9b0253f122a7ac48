// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Notices of failures in the own world, which all of it must get: each process that hears of a
// death for the first time tells log2 P others (liveness/spreading.h). A process that has died may
// not have passed on notices that it was sent, so its predecessor tells the next one that lives all
// deaths.
//
// A process keeps no list of whom it told of which death, and the same for any number of deaths.
#ifndef AVRANKMAP_SRC_LIVENESS_FAILURE_NOTICES_H
#define AVRANKMAP_SRC_LIVENESS_FAILURE_NOTICES_H

#include <cstdint>

#include "liveness/spreading.h"

namespace avrankmap::detail {

// Consecutive lpids.
struct FailedRange {
  std::int32_t first;
  std::int32_t count;
};

class FailureNotices {
public:
  // This process hears of a death, and not from the launcher, which tells the others, too.
  void add(std::int32_t lpid) noexcept {
    if (count_ != 0 && lpid - deaths_[count_ - 1].first == deaths_[count_ - 1].count) {
      ++deaths_[count_ - 1].count;
    } else if (count_ == kMost) {
      all_ = true;
    } else {
      deaths_[count_++] = {lpid, 1};
    }
  }

  // Tells others what there is to tell. has_died(lpid); for_all(visit) calls visit(deaths) for all
  // deaths that are known; tell(lpid, deaths) returns false if nothing could be sent: then all of
  // it is repeated by a later call.
  template <typename HasDied, typename ForAll, typename Tell>
  void spread(std::int32_t rank, std::int32_t size, HasDied has_died, ForAll for_all, Tell tell) noexcept {
    if (!has_untold() && (next_ == kNobody || !has_died(next_))) {
      return;
    }
    bool is_told = true;
    std::int32_t next = kNobody;
    Spreading tree(rank, size);
    tree.begin();
    tree.spread(has_died, [&](std::int32_t lpid) {
      const auto say = [&](const FailedRange &deaths) { is_told = tell(lpid, deaths) && is_told; };
      const bool is_next = next == kNobody; // the nearest one comes first
      next = is_next ? lpid : next;
      if (all_ || (is_next && next != next_)) {
        for_all(say);
      } else {
        for (int i = 0; i < count_; ++i) {
          say(deaths_[i]);
        }
      }
      return true;
    });
    next_ = next;
    count_ = 0;
    all_ = !is_told;
  }

  // Something could not be sent, or was not yet.
  [[nodiscard]] bool has_untold() const noexcept { return count_ != 0 || all_; }

private:
  static constexpr int kMost = 8; // runs; with more, all that is known is told

  FailedRange deaths_[kMost] = {}; // untold
  int count_ = 0;
  bool all_ = false;
  std::int32_t next_ = kNobody; // knows all that was told; nobody before any notice
};

} // namespace avrankmap::detail

#endif
