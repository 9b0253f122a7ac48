// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs, and lists of them, in the notation of tests.
#ifndef AVRANKMAP_TESTS_GROUP_SEQUENCES_H
#define AVRANKMAP_TESTS_GROUP_SEQUENCES_H

#include <cstdint>
#include <vector>

#include "group/process_list.h"

namespace avrankmap::test {

// `count` processes of one group, `stride` apart.
struct Sequence {
  std::int32_t pgid;
  std::int32_t offset;
  std::int32_t stride;
  std::int32_t count;

  operator detail::Run() const { // NOLINT: stands for the run in calls
    return {0, count, pgid, offset, count == 1 ? 1 : stride};
  }
  [[nodiscard]] std::int64_t at(std::int64_t i) const { return offset + i * stride; }
};
using Sequences = std::vector<Sequence>;

struct Listed : detail::ProcessList {
  Listed(detail::Memory &memory, const Sequences &sequences) : ProcessList(memory) {
    for (const Sequence &sequence : sequences) {
      append(sequence);
    }
  }
};

} // namespace avrankmap::test

#endif
