// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results as text for a terminal, and as the document bench/papers/RESULTS.md.
#ifndef AVRANKMAP_BENCH_PAPERS_DRIVER_PRESENTATION_H
#define AVRANKMAP_BENCH_PAPERS_DRIVER_PRESENTATION_H

#include "papers/driver/store.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// A table in Markdown; empty for a table without rows.
std::string markdown_table(const Table &table);
/// Listings as columns of one text, each under its title and number of instructions.
std::string side_by_side(const std::vector<Listing> &listings);

/// One result: its title, conditions, table, listings, note and conclusions.
std::string terminal_text(const Stored &stored);

/// The part of a table that a page shows: at most seven columns and sixteen rows. Those in which
/// the paper states a value come first; their order is kept.
Table shown_part(const Table &table);

/// All results as Markdown, experiments in the given order: a table of verdicts, then a section of
/// each. Those that are not run are listed with
/// their reasons. `link` returns the path of a plot's picture as the document names it, or nothing
/// if there is none.
std::string document(const std::vector<Experiment> &experiments,
                     const std::function<std::optional<Stored>(const std::string &id)> &find,
                     const std::function<std::optional<std::string>(const std::string &id, const Plot &plot)> &link);

/// The numbers of the papers' texts as Markdown.
std::string document_of_texts(const std::function<std::optional<Stored>(const std::string &id)> &find);

} // namespace avrankmap::bench

#endif
