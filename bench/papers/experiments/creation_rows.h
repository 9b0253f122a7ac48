// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rows and bars of the time to create a communicator (figures 15 and 16 of the AV-Rankmap paper):
// those that are measured, and those that are computed from them.
#ifndef AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_CREATION_ROWS_H
#define AVRANKMAP_BENCH_PAPERS_EXPERIMENTS_CREATION_ROWS_H

#include "papers/experiment/experiment.h"

#include <string>
#include <vector>

namespace avrankmap::bench {

inline constexpr const char *kOursTable = "ours, table AV";
inline constexpr const char *kOursImplicit = "ours, implicit AV";

/// Seconds to make the maps of one communicator.
struct MapTimes {
  double vc_vcrt = 0;
  double strict = 0;
  double table = 0;    ///< ours with a table AV
  double implicit = 0; ///< ours with an implicit one
};

/// A whole creation between real processes.
struct RealCreation {
  std::string label;    ///< of its row
  std::string category; ///< of its bars
  double seconds = 0;   ///< of ours; its processes have a table AV
  MapTimes maps;
  std::string paper; ///< with AV-Rankmap, % above VC-VCRT
};

/// A table without rows.
Table creation_table();
void add_maps(Table &table, const std::string &label, const MapTimes &times);
/// A plot without bars.
Plot creation_bars(std::string name, std::string title);
/// With other maps a creation takes its time with theirs in place of those that it has, which are
/// of a table AV.
void add_real_creation(Table &table, Plot &bars, const RealCreation &creation);

} // namespace avrankmap::bench

#endif
