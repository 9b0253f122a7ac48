// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/plot.h"

#include "counters/subprocess.h"
#include "papers/driver/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

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

/// The heights up to which the bars of a series reach: those of the series below it and its own.
std::vector<std::pair<double, double>> tops_of(const std::vector<Series> &series, std::size_t i) {
  std::vector<std::pair<double, double>> tops = series[i].points;
  for (std::size_t below = i; series[below].stacked; --below) {
    for (std::size_t k = 0; k < tops.size(); ++k) {
      tops[k].second += series[below - 1].points[k].second;
    }
  }
  return tops;
}

std::string data_blocks(const Plot &plot) {
  std::string text;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    text += fmt::format("$data{} << EOD\n", i);
    for (const auto &[x, y] : tops_of(plot.series, i)) {
      text += fmt::format("{:.9g} {:.9g}\n", x, y);
    }
    text += "EOD\n";
  }
  return text;
}

/// A system has one colour in all pictures, its versions and settings shades of it: the first row
/// whose words a name holds. Others take the remaining colours in turn. People with any colour
/// vision can tell them apart on white.
struct Colour {
  const char *words;
  const char *rgb;
};
constexpr Colour kColours[] = {{"implicit", "#0b6e4f"},         {"avrankmap", "#0057b8"},  {"ours", "#0057b8"},
                               {"Open MPI, sparse", "#8a8f94"}, {"Open MPI", "#3c4043"},   {"MPICH 4.1", "#8a4b00"},
                               {"MPICH 4", "#d98200"},          {"MPICH 5", "#7b3fa0"},    {"VC", "#b3261e"},
                               {"strict", "#4f9bd9"},           {"plain table", "#3c4043"}};

std::vector<std::string> colours_of(const std::vector<Series> &series) {
  constexpr std::array kFurther = {"#8a5a00", "#7b3fa0", "#5f6368", "#b3261e", "#00796b", "#c2185b"};
  std::vector<std::string> colours;
  std::size_t further = 0;
  for (const Series &line : series) {
    const auto *const known = std::find_if(std::begin(kColours), std::end(kColours), [&](const Colour &colour) {
      return line.name.find(colour.words) != std::string::npos;
    });
    colours.emplace_back(known != std::end(kColours) ? known->rgb : kFurther[further++ % kFurther.size()]);
  }
  return colours;
}

/// Lines of one colour differ by dashes.
std::string lines(const Plot &plot) {
  const std::vector<std::string> colours = colours_of(plot.series);
  std::string text = plot.log_y ? "plot " : "set yrange [0:*]\nplot ";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series &line = plot.series[i];
    const auto before = std::count(colours.begin(), colours.begin() + static_cast<std::ptrdiff_t>(i), colours[i]);
    text += fmt::format("{}$data{} using 1:2 with linespoints dashtype {} pointtype {} pointsize 0.7 linewidth {} "
                        "linecolor rgb '{}' title {}",
                        i == 0 ? "" : ", \\\n  ", i, 1 + before % 5, 1 + i, line.ours ? 2.5 : 1.4, colours[i],
                        quoted(line.name));
  }
  return text + "\n";
}

/// "24 kB".
std::string bytes_text(double bytes) {
  const char *unit = "B";
  for (const char *const greater : {"kB", "MB", "GB"}) {
    if (bytes >= 1000) {
      bytes /= 1000;
      unit = greater;
    }
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, unit);
}

/// "4k", "1M": processes, in powers of two where they are multiples of 1,024.
std::string processes_text(double number) {
  const double thousand = std::fmod(number, 1024) == 0 ? 1024 : 1000;
  const double million = thousand * thousand;
  return number >= million ? fmt::format("{:.0f}M", number / million) : fmt::format("{:.0f}k", number / thousand);
}

/// The name and the last value of each line at its right end. Labels that would overlap move down.
std::string end_labels(const std::vector<Series> &series, const std::vector<std::string> &colours) {
  std::vector<std::size_t> by_height(series.size());
  std::iota(by_height.begin(), by_height.end(), 0);
  const auto last = [&](std::size_t i) { return series[i].points.back(); };
  std::sort(by_height.begin(), by_height.end(), [&](auto a, auto b) { return last(a).second > last(b).second; });
  constexpr double kLineOfText = 2.2; // its height, as a factor on the axis
  double y = 1e300;
  std::string text;
  for (const std::size_t i : by_height) {
    y = std::min(last(i).second, y / kLineOfText);
    const std::string label = fmt::format("{}: {}", series[i].name, bytes_text(last(i).second));
    text +=
        fmt::format("set label {} at {:.9g}, {:.9g} left offset 1, 0 textcolor rgb '{}'\n",
                    quoted(series[i].ours ? fmt::format("{{/:Bold {}}}", label) : label), last(i).first, y, colours[i]);
  }
  return text;
}

std::string labelled_lines(const Plot &plot) {
  const std::vector<std::string> colours = colours_of(plot.series);
  std::string tics;
  for (const auto &[x, y] : plot.series.front().points) {
    tics += fmt::format("{}'{}' {:.0f}", tics.empty() ? "" : ", ", processes_text(x), x);
  }
  std::string text = fmt::format(
      "unset key\nset title ''\nset label {} at screen 0.02, 0.95 left\nset tmargin 3\nset rmargin 32\nset border 3\n"
      "set tics nomirror out scale 0.5\nunset mytics\nset format y '%.0s %cB'\nset xtics norotate ({})\n"
      "set grid xtics ytics back linetype 1 linewidth 1 linecolor rgb '#dddddd'\n",
      quoted(fmt::format("{{/:Bold {}}}", plot.title)), tics);
  text += end_labels(plot.series, colours) + "plot ";
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series &line = plot.series[i];
    const double width = line.ours ? 3 : 1.5;
    const std::size_t measured = line.points.size() - line.projected;
    text += fmt::format("{}$data{} every ::0::{} using 1:2 with linespoints pointtype 7 pointsize {} linewidth {} "
                        "linecolor rgb '{}'",
                        i == 0 ? "" : ", \\\n  ", i, measured - 1, line.ours ? 0.6 : 0.4, width, colours[i]);
    if (line.projected != 0) {
      text += fmt::format(", \\\n  $data{} every ::{} using 1:2 with lines dashtype 2 linewidth {} linecolor rgb '{}'",
                          i, measured - 1, width, colours[i]);
    }
  }
  return text + "\n";
}

/// Horizontal lines, named at their right ends.
std::string levels(const Plot &plot) {
  std::string text;
  for (const auto &[y, name] : plot.levels) {
    text +=
        fmt::format("set arrow from graph 0, first {0:.9g} to graph 1, first {0:.9g} nohead dashtype 3 linecolor rgb "
                    "'#5f6368'\nset label {1} at graph 0.01, first {0:.9g} offset 0, 0.5 textcolor rgb '#5f6368'\n",
                    y, quoted(name));
  }
  return text;
}

/// Bars of one category side by side; stacked ones on top of each other.
std::string bars(const Plot &plot) {
  constexpr std::size_t kLineOfNames = 60; // characters that fit beside each other
  std::string tics;
  std::size_t names = 0;
  for (std::size_t i = 0; i < plot.categories.size(); ++i) {
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(plot.categories[i]), i);
    names = std::max(names, plot.categories[i].size() * plot.categories.size());
  }
  const auto stacks = std::count_if(plot.series.begin(), plot.series.end(), [](const Series &s) { return !s.stacked; });
  const double width = 0.8 / static_cast<double>(std::max<std::ptrdiff_t>(1, stacks));
  std::string text = fmt::format("set xtics ({}) {}\nset xrange [-0.6:{}]\nset boxwidth {:.4f}\n", tics,
                                 names > kLineOfNames ? "rotate by -35" : "",
                                 static_cast<double>(plot.categories.size()) - 0.4, width);
  text += plot.log_y ? "" : "set yrange [0:*]\n";
  text += "set key invert\n";
  const std::vector<std::string> colours = colours_of(plot.series);
  std::vector<std::string> drawn; // a series hides the lower part of those on top of it
  std::ptrdiff_t stack = -1;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    stack += plot.series[i].stacked ? 0 : 1;
    const double shift = width * (static_cast<double>(stack) - static_cast<double>(stacks - 1) / 2);
    const auto before = std::count(colours.begin(), colours.begin() + static_cast<std::ptrdiff_t>(i), colours[i]);
    drawn.insert(drawn.begin(),
                 fmt::format("$data{} using ($1+{:.4f}):2 with boxes fill {} linecolor rgb '{}' title {}", i, shift,
                             before == 0 ? "solid" : fmt::format("pattern {}", 3 + before), colours[i],
                             quoted(plot.series[i].name)));
  }
  return text + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
}

} // namespace

std::string gnuplot_script(const Plot &plot, const std::string &terminal, const std::filesystem::path &file) {
  const std::string size = plot.labelled ? "800,460" : terminal == "svg" ? "640,420" : "960,630";
  std::string text = fmt::format("set terminal {} size {} font 'sans-serif,{}' background 'white' {}\n",
                                 terminal == "svg" ? "svg" : "pngcairo", size, plot.labelled ? 13 : 12,
                                 plot.labelled ? "enhanced" : "noenhanced");
  text += fmt::format("set output {}\nset title {}\nset xlabel {}\nset ylabel {}\n", quoted(file.string()),
                      quoted(plot.title), quoted(plot.x_label), quoted(plot.y_label));
  text += "set key outside below\nset rmargin 6\nset grid ytics linecolor rgb '#bbbbbb'\n";
  // Sizes of communicators are powers of two.
  text += plot.log_x ? "set logscale x 2\nset format x '%.0f'\nset xtics rotate by -35\n" : "";
  text += plot.log_y ? "set logscale y 10\n" : "";
  return text + levels(plot) + data_blocks(plot) +
         (plot.labelled             ? labelled_lines(plot)
          : plot.categories.empty() ? lines(plot)
                                    : bars(plot));
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
