// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results for people: on a terminal, and as the document bench/RESULTS.md.
#ifndef AVRANKMAP_BENCH_EXPERIMENTS_PRESENTATION_H
#define AVRANKMAP_BENCH_EXPERIMENTS_PRESENTATION_H

#include "experiments/store.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A number as it is read: thousands apart, three digits where there is a fraction.
std::string number_text(double number);
/// A value; "-" for none.
std::string value_text(const Value &value);

/// One result: its title, its rows as a table, listings, reading and notes.
std::string terminal_text(const Stored &stored);

/// All results as Markdown, experiments in the order given; of those without a result their reason. `link` gives the path of a
/// plot's picture as the document shall name it, or nothing if there is none.
std::string document(const std::vector<Experiment> &experiments,
                     const std::function<std::optional<Stored>(const std::string &id)> &find,
                     const std::function<std::optional<std::string>(const std::string &id, const Plot &plot)> &link);

} // namespace avrankmap::bench

#endif
