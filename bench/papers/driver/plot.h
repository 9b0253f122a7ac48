// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plots through gnuplot, as SVG and PNG, on white. A system has the same colour in all of them.
// Axes of rates and times begin at 0.
#ifndef AVRANKMAP_BENCH_PAPERS_DRIVER_PLOT_H
#define AVRANKMAP_BENCH_PAPERS_DRIVER_PLOT_H

#include "papers/experiment/experiment.h"

#include <filesystem>
#include <string>

namespace avrankmap::bench {

/// The plot as a gnuplot script for one terminal: "svg" or "png". The script writes `file`.
std::string gnuplot_script(const Plot &plot, const std::string &terminal, const std::filesystem::path &file);

/// Draws a plot into folder/plot_file(id, plot, "svg") and "png". Returns an empty string,
/// or why it was not drawn: gnuplot is not installed, or its error message.
std::string draw(const std::string &id, const Plot &plot, const std::filesystem::path &folder);

} // namespace avrankmap::bench

#endif
