// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "group/take.h"

namespace avrankmap::detail {

void take(const ProcessList &list, const ProcessList &ranks, ProcessList *out) noexcept {
  if (list.failed() || ranks.failed()) {
    return out->fail(error_of(list, ranks));
  }
  const Run *current = list.begin();
  const auto has = [](const Run &run, std::int64_t rank) {
    return rank >= run.first_rank && rank - run.first_rank < run.count;
  };
  for (const Run &run : ranks) {
    for (std::int64_t done = 0; done < run.count;) {
      const std::int64_t rank = lpid_at(run, done);
      if (!has(*current, rank) && current + 1 != list.end()) {
        ++current; // the rank is often in the next run
      }
      if (!has(*current, rank)) {
        current = std::upper_bound(list.begin(), list.end(), rank,
                                   [](std::int64_t wanted, const Run &at) { return wanted < at.first_rank; }) -
                  1;
      }
      // Number of the following ranks that are in the same run.
      const std::int64_t before = rank - current->first_rank;
      const std::int64_t room =
          run.stride > 0 ? (current->count - 1 - before) / run.stride : before / -std::int64_t{run.stride};
      const std::int64_t count = std::min<std::int64_t>(run.count - done, room + 1);
      out->append(part_of(*current, before, run.stride, count));
      done += count;
    }
  }
}

} // namespace avrankmap::detail
