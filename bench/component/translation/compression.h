// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The compressed forms and the plain table: what communicators of the papers and of real codes
// become in an instance that looks for the fewest bytes, how many these are, and how fast they
// are translated.
#ifndef AVRANKMAP_BENCH_COMPONENT_TRANSLATION_COMPRESSION_H
#define AVRANKMAP_BENCH_COMPONENT_TRANSLATION_COMPRESSION_H

#include "measurement/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace avrankmap::bench {

struct CompressedForm {
  std::string name;
  std::int32_t ranks = 0;
  std::string mode;
  std::uint64_t bytes = 0;     ///< of the map, the fixed part included
  std::uint64_t bytes_lut = 0; ///< of the same as a plain table (lut or mlut)
  // Translations per second over those of the plain table, all ranks in random order,
  // medians of pairs.
  double rate_vs_lut = 0;    ///< one call per rank, none of which waits for another
  double chained_vs_lut = 0; ///< the same, but each has to wait for the one before
  double bulk_vs_lut = 0;    ///< avrm_rankmap_words
};
AVRM_BENCH_ROW(CompressedForm, name, ranks, mode, bytes, bytes_lut, rate_vs_lut, chained_vs_lut, bulk_vs_lut);

/// @param rounds  repetitions that medians are taken over
std::vector<CompressedForm> measure_compression(int rounds);

extern const Measurement kCompression;

} // namespace avrankmap::bench

#endif
