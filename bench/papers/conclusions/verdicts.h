// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Verdicts: whether a result agrees with the statement that the paper draws from its table or
// figure, as a word and a sentence that are computed from the result.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_VERDICTS_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_VERDICTS_H

#include "papers/experiment/experiment.h"

#include <string>

namespace avrankmap::bench {

inline constexpr const char *kReproduced = "reproduced";
inline constexpr const char *kPartly = "partly";
inline constexpr const char *kContradicted = "contradicted";
inline constexpr const char *kNotMeasurable = "not measurable here";
inline constexpr const char *kNoPaper = "ours"; ///< an experiment of no paper

struct Verdict {
  std::string word;     ///< one of the above
  std::string sentence; ///< names the rows that the verdict depends on
  std::string paper;    ///< the paper's number
  std::string here;     ///< the same number on this machine
};

/// Returns kNotMeasurable if the result lacks a number that the verdict depends on.
/// @param spread  by how much one number in ten differs from run to run; below 0 if not known
Verdict judge(const std::string &id, const Result &result, double spread = -1);

} // namespace avrankmap::bench

#endif
