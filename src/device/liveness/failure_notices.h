// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Notices of failures in this world, which all of its processes must get: each process that first
// learns of a death informs log2 P others (liveness/spreading.h). A process may have died before it
// passed on notices, so its predecessor reports all deaths to the next living process.
//
// A process does not record which processes it has informed, only those that it could not inform.
// The memory for this does not depend on the number of deaths.
#ifndef AVRANKMAP_SRC_LIVENESS_FAILURE_NOTICES_H
#define AVRANKMAP_SRC_LIVENESS_FAILURE_NOTICES_H

#include <algorithm>
#include <cstdint>
#include <utility>

#include "liveness/spreading.h"

namespace avrankmap::detail {

// Consecutive lpids.
struct FailedRange {
  std::int32_t first;
  std::int32_t count;
};

class FailureNotices {
public:
  // Adds a death of which this process has not learned from the launcher, which would inform the
  // others as well.
  void add(std::int32_t lpid) noexcept {
    if (count_ != 0 && lpid - deaths_[count_ - 1].first == deaths_[count_ - 1].count) {
      ++deaths_[count_ - 1].count;
    } else if (count_ == kMost) {
      all_ = true;
    } else {
      deaths_[count_++] = {lpid, 1};
    }
  }

  // Sends the pending notices. for_all(visit) calls visit(deaths) for all known deaths. tell(lpid,
  // deaths) returns false if the notice could not be sent; that process is then recorded as missed,
  // and `repeat` reports all deaths to it.
  template <typename HasDied, typename ForAll, typename Tell>
  void spread(std::int32_t rank, std::int32_t size, HasDied has_died, ForAll for_all, Tell tell) noexcept {
    if (!has_untold() && (next_ == kNobody || !has_died(next_))) {
      return;
    }
    // Sending a notice may find another death, which `add` then records for the next call.
    const bool all = std::exchange(all_, false);
    FailedRange deaths[kMost];
    const int count = std::exchange(count_, 0);
    std::copy_n(deaths_, count, deaths);
    std::int32_t next = kNobody;
    Spreading tree(rank, size);
    tree.begin();
    tree.spread(has_died, [&](std::int32_t lpid) {
      bool is_told = true;
      const auto say = [&](const FailedRange &deaths) { is_told = is_told && tell(lpid, deaths); };
      const bool is_next = next == kNobody; // the nearest one is visited first
      next = is_next ? lpid : next;
      if (all || (is_next && next != next_)) {
        for_all(say);
      } else {
        std::for_each_n(deaths, count, say);
      }
      if (!is_told) {
        miss(lpid);
      }
      return true;
    });
    next_ = next;
  }
  // Reports all deaths to the processes that were missed. Those that cannot be informed now remain
  // recorded.
  template <typename HasDied, typename ForAll, typename Tell>
  void repeat(HasDied has_died, ForAll for_all, Tell tell) noexcept {
    const auto is_over = [&](std::int32_t lpid) {
      bool is_told = true;
      if (!has_died(lpid)) {
        for_all([&](const FailedRange &deaths) { is_told = is_told && tell(lpid, deaths); });
      }
      return is_told;
    };
    missed_count_ = static_cast<int>(std::remove_if(missed_, missed_ + missed_count_, is_over) - missed_);
  }

  // True if some notice is still pending.
  [[nodiscard]] bool has_untold() const noexcept { return count_ != 0 || all_; }
  [[nodiscard]] bool has_missed() const noexcept { return missed_count_ != 0; }

private:
  static constexpr int kMost = 8;       // ranges; with more, all known deaths are reported
  static constexpr int kMostMissed = 8; // with more, the next spread reports all deaths

  void miss(std::int32_t lpid) noexcept {
    if (std::find(missed_, missed_ + missed_count_, lpid) != missed_ + missed_count_) {
      return;
    }
    if (missed_count_ == kMostMissed) {
      all_ = true;
    } else {
      missed_[missed_count_++] = lpid;
    }
  }

  FailedRange deaths_[kMost] = {}; // not reported yet
  int count_ = 0;
  bool all_ = false;
  std::int32_t missed_[kMostMissed] = {};
  int missed_count_ = 0;
  std::int32_t next_ = kNobody; // the next living process, which knows of all deaths
};

} // namespace avrankmap::detail

#endif
