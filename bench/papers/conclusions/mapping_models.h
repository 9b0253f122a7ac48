// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Conclusions on the models of applications' communicators, table I of the AV-Rankmap paper.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_MAPPING_MODELS_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_MAPPING_MODELS_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

/// A cell with a mark in the paper.
struct MarkedCell {
  std::string name; ///< application, column and the model here
  bool as_marked;   ///< the map has the column's model
  /// The application's shape is from the marks, so that the model cannot differ.
  bool shaped_by_mark;
};
/// Those before Intercomm, recorded runs left out.
std::vector<MarkedCell> marked_cells(const Table &table);

std::vector<std::string> on_mapping_models(const Result &result);

} // namespace avrankmap::bench

#endif
