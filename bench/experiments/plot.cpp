// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "experiments/plot.h"

#include "counters/subprocess.h"
#include "experiments/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace avrankmap::bench {
namespace {

/// A gnuplot string, without markup.
std::string quoted(const std::string &text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string data_blocks(const Plot &plot) {
  std::string text;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    text += fmt::format("$data{} << EOD\n", i);
    for (const auto &[x, y] : plot.series[i].points) {
      text += fmt::format("{:.9g} {:.9g}\n", x, y);
    }
    text += "EOD\n";
  }
  return text;
}

std::string lines(const Plot &plot) {
  std::string text = "plot ";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series &line = plot.series[i];
    text += fmt::format("{}$data{} using 1:2 with linespoints dashtype {} pointtype {} pointsize 0.8 linewidth {} "
                        "linecolor rgb 'black' title {}",
                        i == 0 ? "" : ", \\\n  ", i, line.ours ? 1 : 2 + i % 4, 1 + i, line.ours ? 2.5 : 1.2,
                        quoted(line.name));
  }
  return text + "\n";
}

/// Bars of one category side by side.
std::string bars(const Plot &plot) {
  std::string tics;
  for (std::size_t i = 0; i < plot.categories.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(plot.categories[i]), i);
  }
  const double width = 0.8 / static_cast<double>(std::max<std::size_t>(1, plot.series.size()));
  std::string text =
      fmt::format("set xtics ({}) {}\nset xrange [-0.6:{}]\nset boxwidth {:.4f}\nset style fill pattern 0 "
                  "border lt -1\n",
                  tics, plot.categories.size() > 6 ? "rotate by -35" : "",
                  static_cast<double>(plot.categories.size()) - 0.4, width);
  text += plot.log_y ? "" : "set yrange [0:*]\n";
  text += "plot ";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const double shift = width * (static_cast<double>(i) - static_cast<double>(plot.series.size() - 1) / 2);
    // Pattern 3 is solid: ours.
    text += fmt::format("{}$data{} using ($1+{:.4f}):2 with boxes fill pattern {} linecolor rgb 'black' title {}",
                        i == 0 ? "" : ", \\\n  ", i, shift,
                        plot.series[i].ours ? 3 : std::array{0, 1, 2, 4, 5, 6, 7}[i % 7], quoted(plot.series[i].name));
  }
  return text + "\n";
}

} // namespace

std::string gnuplot_script(const Plot &plot, const std::string &terminal, const std::filesystem::path &file) {
  std::string text = terminal == "svg"
                         ? "set terminal svg size 640,420 font 'sans,12' background 'white' noenhanced\n"
                         : "set terminal pngcairo size 960,630 font 'sans,12' background 'white' noenhanced\n";
  text += fmt::format("set output {}\nset title {}\nset xlabel {}\nset ylabel {}\n", quoted(file.string()),
                      quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
  text += "set key outside below\nset rmargin 6\nset grid ytics linecolor rgb '#bbbbbb'\n";
  // Powers of ten print as such; sizes of communicators are powers of two.
  text += plot.log_x ? "set logscale x 2\nset format x '%.0f'\nset xtics rotate by -35\n" : "";
  text += plot.log_y ? "set logscale y 10\n" : "";
  return text + data_blocks(plot) + (plot.categories.empty() ? lines(plot) : bars(plot));
}

std::string draw(const std::string &id, const Plot &plot, const std::filesystem::path &folder) {
  if (!counters::find_program("gnuplot")) {
    return "no plots: gnuplot is not installed (Debian and Ubuntu: gnuplot-nox)";
  }
  const auto scratch = counters::ScratchFolder::create();
  if (!scratch.ok()) {
    return "no plots: " + scratch.message();
  }
  for (const std::string terminal : {"svg", "png"}) {
    const std::filesystem::path script = scratch->path() / "script";
    write_file(script, gnuplot_script(plot, terminal, folder / plot_file(id, plot, terminal)));
    const auto end = counters::run_process({*counters::find_program("gnuplot"), script.string()}, *scratch);
    if (!end.ok() || !end->succeeded()) {
      return fmt::format("{} was not drawn: {}", plot_file(id, plot, terminal),
                         end.ok() ? end->describe() : end.message());
    }
  }
  return {};
}

} // namespace avrankmap::bench
