// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/plot.h"

#include "counters/subprocess.h"
#include "papers/driver/store.h"
#include "papers/experiment/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr std::size_t kLineOfText = 76; ///< characters below a picture

/// A gnuplot string, without markup.
std::string quoted(const std::string &text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? std::string("''") : std::string(1, c);
  }
  return quoted + "'";
}

/// A gnuplot string of several lines.
std::string quoted_lines(const std::string &text) {
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '\n' ? "\\n" : (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  }
  return quoted + "\"";
}

/// The text in lines of at most `width` characters, where its words allow it; those that are longer
/// are broken behind punctuation.
std::string wrapped(const std::string &text, std::size_t width) {
  constexpr const char *kPunctuation = "-,:;";
  std::string lines;
  std::string line;
  const auto add = [&](const std::string &part) {
    if (!line.empty() && line.find_last_not_of(' ') + 1 + part.size() > width) {
      lines += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
      line.clear();
    }
    line += part;
  };
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t length = word.size();
    for (std::size_t end = word.find_first_of(kPunctuation); length > width && end != std::string::npos;
         end = word.find_first_of(kPunctuation)) {
      add(word.substr(0, end + 1));
      word.erase(0, end + 1);
    }
    add(word);
    line += ' ';
  }
  return lines + line.substr(0, line.find_last_not_of(' ') + 1);
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

/// A system has one colour in all pictures, its versions shades of it: the first row whose words a
/// name holds. What is no system takes colours that no system has. People with any colour vision
/// can tell those of a picture apart on white, also by dashes, marks and patterns.
struct Colour {
  const char *words;
  const char *rgb;
};
constexpr Colour kColours[] = { // systems
    {"MPICH of the paper", "#d98200"},
    {"avrankmap", "#0057b8"},
    {"ours", "#0057b8"},
    {"AV-Rankmap", "#0f9d8a"},
    {"strict", "#0f9d8a"},
    {"VC", "#b3261e"},
    {"MPICH 4.1", "#8a4b00"},
    {"MPICH 4", "#d98200"},
    {"MPICH 5", "#7b3fa0"},
    {"Open MPI, sparse", "#8a8f94"},
    {"Open MPI", "#3c4043"},
    // schemes of the paper on Cartesian groups
    {"plain table", "#8d7b4a"},
    {"mapping function", "#c2185b"},
    {"linear 8", "#7c8b00"},
    {"linear 16", "#b9c24a"},
    {"128 x 8", "#00a3c4"},
    {"that paper's scheme", "#00a3c4"},
    // problems
    {"N = 3", "#c2185b"},
    {"N = 5", "#7c8b00"},
    {"N = 7", "#00a3c4"},
    {"2,048 atoms", "#7c8b00"},
    {"16,384 atoms", "#00a3c4"},
    {"256 atoms", "#c2185b"}};

std::vector<std::string> colours_of(const std::vector<Series> &series) {
  constexpr std::array kFurther = {"#c2185b", "#7c8b00", "#00a3c4", "#8d7b4a", "#e58fa0", "#5c3d99"};
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

/// The height of a picture of lines, as far as they reach; of its logarithms if its axis has these.
double height_of(const Plot &plot) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const Series &line : plot.series) {
    for (const auto &[x, y] : line.points) {
      least = std::min(least, y);
      most = std::max(most, y);
    }
  }
  return plot.log_y && least > 0 ? std::log(most / least) : most;
}

/// The height of a line at x, between its points; nothing outside.
std::optional<double> height_at(const Series &line, double x, const Plot &plot) {
  const auto scaled = [&](double number, bool log) { return log && number > 0 ? std::log(number) : number; };
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const auto &[right, above] = line.points[i];
    if (right == x) {
      return scaled(above, plot.log_y);
    }
    if (i != 0 && line.points[i - 1].first < x && x < right) {
      const auto &[left, below] = line.points[i - 1];
      const double share =
          (scaled(x, plot.log_x) - scaled(left, plot.log_x)) / (scaled(right, plot.log_x) - scaled(left, plot.log_x));
      return scaled(below, plot.log_y) + share * (scaled(above, plot.log_y) - scaled(below, plot.log_y));
    }
  }
  return std::nullopt;
}

/// At how many points of two lines, and of how many that both have, these are about as high.
std::pair<int, int> near_points(const Series &one, const Series &other, double little, const Plot &plot) {
  std::pair<int, int> near{0, 0};
  for (const Series *const line : {&one, &other}) {
    for (const auto &[x, y] : line->points) {
      const auto here = height_at(one, x, plot);
      const auto there = height_at(other, x, plot);
      if (here && there) {
        near.first += std::abs(*here - *there) <= little ? 1 : 0;
        ++near.second;
      }
    }
  }
  return near;
}

/// "dup, ours; split, ours", but "dup, ours, table AV; implicit AV": without the parts, up to a
/// comma, with which both begin.
std::string both_names(const std::string &one, const std::string &other) {
  const auto differ = std::mismatch(one.begin(), one.end(), other.begin(), other.end()).second;
  const std::size_t comma = std::string(other.begin(), differ).rfind(", ");
  return one + "; " + (comma == std::string::npos ? other : other.substr(comma + 2));
}

/// Lines that cannot be told apart become one, with all of their names.
Plot joined(Plot plot) {
  constexpr double kNothing = 0.006; // of the height: less than the width of a line
  const double nothing = kNothing * height_of(plot);
  std::vector<Series> lines;
  for (Series &line : plot.series) {
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Series &other) {
      const auto [near, all] = near_points(other, line, nothing, plot);
      return other.points.size() == line.points.size() && all == 2 * static_cast<int>(line.points.size()) &&
             near == all;
    });
    if (same == lines.end()) {
      lines.push_back(std::move(line));
    } else {
      same->name = both_names(same->name, line.name);
      same->ours = same->ours || line.ours;
    }
  }
  plot.series = std::move(lines);
  return plot;
}

/// Groups of lines of which `is_on` holds in pairs, by their names.
template <class IsOn> std::vector<std::string> groups_of(const std::vector<Series> &series, IsOn is_on) {
  std::vector<std::string> groups;
  std::vector<bool> named(series.size());
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::vector<const Series *> group{&series[i]};
    std::string names = fmt::format("\"{}\"", series[i].name);
    for (std::size_t k = i + 1; k < series.size(); ++k) {
      if (!named[i] && !named[k] &&
          std::all_of(group.begin(), group.end(), [&](const Series *line) { return is_on(*line, series[k]); })) {
        group.push_back(&series[k]);
        names += fmt::format(" and \"{}\"", series[k].name);
        named[k] = true;
      }
    }
    if (group.size() > 1) {
      groups.push_back(std::move(names));
    }
  }
  return groups;
}

/// Which lines a reader cannot tell apart, everywhere or in three quarters of their points; empty
/// if all are apart.
std::string coincidences(const Plot &plot) {
  constexpr double kLittle = 0.015; // of the height: about the size of a mark
  const double little = kLittle * height_of(plot);
  std::vector<std::string> parts;
  const auto add = [&](const char *words, const std::vector<std::string> &groups) {
    if (!groups.empty()) {
      parts.push_back(fmt::format("{}: {}", words, fmt::join(groups, "; ")));
    }
  };
  add("Too close to tell apart on this scale", groups_of(plot.series, [&](const Series &one, const Series &other) {
        const auto [near, all] = near_points(one, other, little, plot);
        return all != 0 && near == all;
      }));
  add("Mostly too close to tell apart", groups_of(plot.series, [&](const Series &one, const Series &other) {
        const auto [near, all] = near_points(one, other, little, plot);
        return all >= 4 && near != all && near * 4 >= all * 3;
      }));
  return fmt::format("{}", fmt::join(parts, ". "));
}

/// "512", "4k", "1M": in powers of two where they are multiples of 1,024.
std::string short_number(double number) {
  const double thousand = std::fmod(number, 1024) == 0 ? 1024 : 1000;
  const double million = thousand * thousand;
  return number < 1000       ? fmt::format("{:.0f}", number)
         : number >= million ? fmt::format("{:.0f}M", number / million)
                             : fmt::format("{:.0f}k", number / thousand);
}

/// The name of a category; short if it is a number of processes: "768k" of "786,432".
std::string category_text(const std::string &name) {
  std::string digits = name;
  std::erase(digits, ',');
  const bool is_number = !digits.empty() && digits.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? short_number(std::stod(digits)) : name;
}

/// Marks of an axis of numbers that double: powers of two, at most as many as fit. A last number
/// that is a multiple of 1,024 has a mark, which replaces one that it would overlap.
std::string tics_of_doubling(const std::vector<Series> &series) {
  constexpr int kMost = 14;
  constexpr double kWidthOfMark = 0.065; // of the axis
  double first = std::numeric_limits<double>::infinity();
  double last = 0;
  for (const Series &line : series) {
    for (const auto &[x, y] : line.points) {
      first = std::min(first, x);
      last = std::max(last, x);
    }
  }
  const int least = static_cast<int>(std::floor(std::log2(first)));
  const int most = static_cast<int>(std::ceil(std::log2(last)));
  const int step = (most - least) / kMost + 1;
  std::vector<double> marks;
  for (int power = least; power <= most; power += step) {
    marks.push_back(std::exp2(power));
  }
  if (std::fmod(last, 1024) == 0 && marks.back() != last) {
    std::erase_if(marks, [&](double mark) {
      return std::abs(std::log2(last / mark)) < kWidthOfMark * static_cast<double>(most - least);
    });
    marks.push_back(last);
  }
  std::string tics;
  for (const double x : marks) {
    tics += fmt::format("{}'{}' {:.0f}", tics.empty() ? "" : ", ", short_number(x), x);
  }
  // A little wider than the numbers: marks at the very ends would be lost.
  return fmt::format("set logscale x 2\nset xtics norotate ({})\nset xrange [{:.9g}:{:.9g}]\n", tics, first * 0.999,
                     last * 1.001);
}

/// Lines of one colour differ by dashes.
std::string lines(const Plot &plot) {
  const std::vector<std::string> colours = colours_of(plot.series);
  const std::string said = coincidences(plot);
  std::string text = plot.log_x ? tics_of_doubling(plot.series) : "";
  text += said.empty() ? ""
                       : fmt::format("set xlabel {}\n", quoted_lines(plot.x_label + "\n" + wrapped(said, kLineOfText)));
  text += "plot ";
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

/// The name and the last value of each line at its right end. Labels that would overlap move down.
std::string end_labels(const std::vector<Series> &series, const std::vector<std::string> &colours) {
  std::vector<std::size_t> by_height(series.size());
  std::iota(by_height.begin(), by_height.end(), 0);
  const auto last = [&](std::size_t i) { return series[i].points.back(); };
  std::sort(by_height.begin(), by_height.end(), [&](auto a, auto b) { return last(a).second > last(b).second; });
  constexpr double kHeightOfText = 2.2; // as a factor on the axis
  double y = 1e300;
  std::string text;
  for (const std::size_t i : by_height) {
    y = std::min(last(i).second, y / kHeightOfText);
    const std::string label = fmt::format("{}: {}", series[i].name, bytes_text(last(i).second));
    text +=
        fmt::format("set label {} at {:.9g}, {:.9g} left offset 1, 0 textcolor rgb '{}'\n",
                    quoted(series[i].ours ? fmt::format("{{/:Bold {}}}", label) : label), last(i).first, y, colours[i]);
  }
  return text;
}

/// The line from which a band goes up to that of series i; nothing if that is a line.
std::optional<std::size_t> lower_edge(const std::vector<Series> &series, std::size_t i) {
  for (std::size_t from = 0; from < series.size() && !series[i].band_from.empty(); ++from) {
    if (series[from].name == series[i].band_from && series[from].points.size() == series[i].points.size()) {
      return from;
    }
  }
  return std::nullopt;
}

/// Whether a band is drawn in place of this line.
bool is_edge(const std::vector<Series> &series, std::size_t i) {
  if (lower_edge(series, i)) {
    return true;
  }
  for (std::size_t above = 0; above < series.size(); ++above) {
    if (lower_edge(series, above) == i) {
      return true;
    }
  }
  return false;
}

std::string band_block(const Series &above, const Series &below, std::size_t i) {
  std::string text = fmt::format("$band{} << EOD\n", i);
  for (std::size_t k = 0; k < above.points.size(); ++k) {
    text +=
        fmt::format("{:.9g} {:.9g} {:.9g}\n", above.points[k].first, below.points[k].second, above.points[k].second);
  }
  return text + "EOD\n";
}

/// Paler where one of its edges is projected.
std::string band_text(const Series &above, const Series &below, std::size_t i, const std::string &colour) {
  const std::size_t last = above.points.size() - 1;
  const std::size_t measured = last - std::max(above.projected, below.projected);
  const auto part = [&](std::size_t from, std::size_t to, double opacity) {
    return fmt::format("$band{} every ::{}::{} using 1:2:3 with filledcurves fill transparent solid {} noborder "
                       "linecolor rgb '{}'",
                       i, from, to, opacity, colour);
  };
  return part(0, measured, 0.4) + (measured == last ? "" : ", \\\n  " + part(measured, last, 0.2));
}

std::string line_text(const Series &line, std::size_t i, const std::string &colour) {
  const double width = line.ours ? 3 : 1.5;
  const std::size_t measured = line.points.size() - line.projected;
  std::string text = fmt::format("$data{} every ::0::{} using 1:2 with linespoints pointtype 7 pointsize {} "
                                 "linewidth {} linecolor rgb '{}'",
                                 i, measured - 1, line.ours ? 0.6 : 0.4, width, colour);
  if (line.projected != 0) {
    text += fmt::format(", \\\n  $data{} every ::{} using 1:2 with lines dashtype 2 linewidth {} linecolor rgb '{}'", i,
                        measured - 1, width, colour);
  }
  return text;
}

std::string labelled_lines(const Plot &plot) {
  const std::vector<std::string> colours = colours_of(plot.series);
  std::string tics;
  for (const auto &[x, y] : plot.series.front().points) {
    tics += fmt::format("{}'{}' {:.0f}", tics.empty() ? "" : ", ", short_number(x), x);
  }
  std::string text = fmt::format(
      "unset key\nset title ''\nset label {} at screen 0.02, 0.95 left\nset tmargin 3\nset rmargin 32\nset border 3\n"
      "set tics nomirror out scale 0.5\nunset mytics\nset format y '%.0s %cB'\nset logscale x 2\nset xtics norotate "
      "({})\n"
      "set grid xtics ytics back linetype 1 linewidth 1 linecolor rgb '#dddddd'\n",
      quoted(fmt::format("{{/:Bold {}}}", plot.title)), tics);
  text += fmt::format("set xlabel {}\n", quoted_lines(wrapped(plot.x_label, 70)));
  text += end_labels(plot.series, colours);
  std::vector<std::string> drawn;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const Series &line = plot.series[i];
    if (const std::optional<std::size_t> from = lower_edge(plot.series, i)) {
      text += band_block(line, plot.series[*from], i);
      drawn.insert(drawn.begin(), band_text(line, plot.series[*from], i, colours[*from]));
    }
    if (!is_edge(plot.series, i)) {
      drawn.push_back(line_text(line, i, colours[i]));
    }
  }
  return text + fmt::format("plot {}\n", fmt::join(drawn, ", \\\n  "));
}

/// Marks of an axis from 0: five to ten, "500k", "1.5M".
std::string marks_of_thousands(double top) {
  const double power = std::pow(10, std::floor(std::log10(top / 5)));
  const double multiple = top / 5 / power;
  const double step = power * (multiple >= 5 ? 5 : multiple >= 2 ? 2 : 1);
  std::string marks = "'0' 0";
  for (double y = step; y <= top; y += step) {
    marks += y < 1e6 ? fmt::format(", '{:g}k' {:.0f}", y / 1e3, y) : fmt::format(", '{:g}M' {:.0f}", y / 1e6, y);
  }
  return fmt::format("set ytics ({})\n", marks);
}

/// The axis from 0, so high that it has all levels; those as horizontal lines with their names.
std::string axis_and_levels(const Plot &plot) {
  std::string text;
  double top = 0;
  for (const auto &[y, name] : plot.levels) {
    top = std::max(top, y * 1.1);
    text +=
        fmt::format("set arrow from graph 0, first {0:.9g} to graph 1, first {0:.9g} nohead dashtype 3 linecolor rgb "
                    "'#5f6368'\nset label {1} at graph 0.01, first {0:.9g} offset 0, 0.5 textcolor rgb '#5f6368'\n",
                    y, quoted(name));
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    for (const auto &[x, y] : tops_of(plot.series, i)) {
      top = std::max(top, y * 1.05);
      least = std::min(least, y);
    }
  }
  text += plot.log_y ? "" : fmt::format("set yrange [0:{}]\n", top == 0 ? "*" : fmt::format("{:.9g}", top));
  text += least >= 1 && top > 1e5 && !plot.log_y ? marks_of_thousands(top) : "";
  return text;
}

/// "Too small to be seen: ...", of series of bars; empty if all can be seen.
std::string invisible(const Plot &plot) {
  double top = 0;
  std::vector<double> highest;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    highest.push_back(0);
    for (const auto &[x, y] : plot.series[i].points) {
      highest.back() = std::max(highest.back(), y);
    }
    for (const auto &[x, y] : tops_of(plot.series, i)) {
      top = std::max(top, y);
    }
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    if (highest[i] < top / 250) {
      names.push_back(fmt::format("\"{}\"", plot.series[i].name));
    }
  }
  return names.empty() || plot.log_y ? "" : fmt::format("Too small to be seen: {}", fmt::join(names, ", "));
}

/// Bars of one category next to each other; stacked ones on top of each other.
std::string bars(const Plot &plot) {
  constexpr std::size_t kLineOfNames = 84; // characters below the axis
  const std::size_t width_of_name = std::max<std::size_t>(6, kLineOfNames / plot.categories.size() - 1);
  std::string tics;
  std::ptrdiff_t lines = 1; // of the names
  for (std::size_t i = 0; i < plot.categories.size(); ++i) {
    const std::string name = wrapped(category_text(plot.categories[i]), width_of_name);
    lines = std::max(lines, 1 + std::count(name.begin(), name.end(), '\n'));
    tics += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted_lines(name), i);
  }
  const auto stacks = std::count_if(plot.series.begin(), plot.series.end(), [](const Series &s) { return !s.stacked; });
  const double width = 0.8 / static_cast<double>(std::max<std::ptrdiff_t>(1, stacks));
  const std::string said = wrapped(invisible(plot), kLineOfText);
  const std::string label = plot.x_label + (plot.x_label.empty() || said.empty() ? "" : "\n") + said;
  const std::ptrdiff_t below = label.empty() ? 1 : 3 + std::count(label.begin(), label.end(), '\n');
  std::string text =
      fmt::format("set xlabel {}\n", quoted_lines(label)) +
      fmt::format("set xtics ({}) norotate scale 0\nset xrange [-0.6:{}]\nset boxwidth {:.4f}\nset bmargin {}\n", tics,
                  static_cast<double>(plot.categories.size()) - 0.4, width, lines + below);
  const std::vector<std::string> colours = colours_of(plot.series);
  std::vector<std::string> drawn; // a series hides the lower part of those on top of it
  std::vector<std::string> names; // in their order, which is not that of drawing
  std::ptrdiff_t stack = -1;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    stack += plot.series[i].stacked ? 0 : 1;
    const double shift = width * (static_cast<double>(stack) - static_cast<double>(stacks - 1) / 2);
    const auto before = std::count(colours.begin(), colours.begin() + static_cast<std::ptrdiff_t>(i), colours[i]);
    const std::string look = fmt::format("with boxes fill {} linecolor rgb '{}'",
                                         before == 0 ? "solid" : fmt::format("pattern {}", 3 + before), colours[i]);
    drawn.insert(drawn.begin(), fmt::format("$data{} using ($1+{:.4f}):2 {} notitle", i, shift, look));
    names.push_back(fmt::format("NaN {} title {}", look, quoted(plot.series[i].name)));
  }
  return text + fmt::format("plot {}, \\\n  {}\n", fmt::join(drawn, ", \\\n  "), fmt::join(names, ", \\\n  "));
}

} // namespace

std::string gnuplot_script(const Plot &of, const std::string &terminal, const std::filesystem::path &file) {
  const Plot plot = of.labelled || !of.categories.empty() ? of : joined(of);
  const bool svg = terminal == "svg";
  // The PNG is the same picture with half as many dots again.
  const std::string size = plot.labelled ? (svg ? "800,460" : "1200,690") : svg ? "640,420" : "960,630";
  std::string text =
      fmt::format("set terminal {} size {} font 'sans-serif,{}' background 'white' {}{}\n", svg ? "svg" : "pngcairo",
                  size, plot.labelled ? 13 : 12, plot.labelled ? "enhanced" : "noenhanced",
                  svg ? "" : " fontscale 1.5 linewidth 1.5 pointscale 1.5");
  text += fmt::format("set output {}\n{}set xlabel {}\nset ylabel {}\n", quoted(file.string()),
                      plot.labelled ? "" : fmt::format("set multiplot layout 1,1 title {}\n", quoted(plot.title)),
                      quoted(plot.x_label), quoted(plot.y_label));
  text += "set key tmargin center horizontal Left reverse samplen 3\nset rmargin 3\nset border 3\nset tics nomirror\n"
          "set grid ytics linecolor rgb '#bbbbbb'\n";
  text += plot.log_y ? "set logscale y 10\n" : "";
  return text + axis_and_levels(plot) + data_blocks(plot) +
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
