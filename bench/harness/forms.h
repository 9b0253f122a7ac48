// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The compressed forms beside the plain table: what communicators of the papers and of real codes become in an instance
// that looks for the fewest bytes, how many these are, and how fast they are translated.
#ifndef AVRANKMAP_BENCH_HARNESS_FORMS_H
#define AVRANKMAP_BENCH_HARNESS_FORMS_H

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct Form {
  std::string name;
  std::int32_t ranks = 0;
  std::string mode;
  std::uint64_t bytes = 0;     ///< of the map, the fixed part included
  std::uint64_t bytes_lut = 0; ///< of the same as a plain table (lut or mlut)
  // Translations per second over those of the plain table, all ranks in random order, medians of pairs.
  double rate_vs_lut = 0;    ///< one call per rank, none of which waits for another
  double chained_vs_lut = 0; ///< the same, but each has to wait for the one before
  double bulk_vs_lut = 0;    ///< avrm_rankmap_words
};

/// @param rounds  repetitions that medians are taken over
std::vector<Form> measure_forms(int rounds);

} // namespace avrankmap::bench

#endif
