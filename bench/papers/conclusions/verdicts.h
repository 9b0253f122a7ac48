// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an experiment shows of the paper's statement, in one word and one sentence, computed from
// its cells. The statement is the one that the paper draws from its table or figure.
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
  std::string sentence; ///< names the rows that it was computed from
  std::string theirs;   ///< the paper's number
  std::string here;     ///< the same here
};

/// Of an experiment whose result lacks what the statement is about: kNotMeasurable.
Verdict judge(const std::string &id, const Result &result);

} // namespace avrankmap::bench

#endif
