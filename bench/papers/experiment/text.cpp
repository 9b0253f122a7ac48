// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/experiment/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <variant>

namespace avrankmap::bench {
namespace {

/// Separates the thousands before a decimal point.
std::string grouped_digits(std::string digits) {
  for (std::size_t place = std::min(digits.find('.'), digits.size()); place > 3; place -= 3) {
    digits.insert(place - 3, 1, ',');
  }
  return digits;
}

/// A value of this machine, rounded, or one of the paper's, with all its digits. Empty for none.
std::string value_text(const Value &value, bool of_paper) {
  if (const auto *number = std::get_if<double>(&value)) {
    return of_paper ? grouped_digits(fmt::format("{:.10g}", *number)) : number_text(*number);
  }
  const auto *text = std::get_if<std::string>(&value);
  return text == nullptr ? std::string() : *text;
}

} // namespace

std::string number_text(double number) {
  if (!std::isfinite(number)) {
    return fmt::format("{}", number);
  }
  const double size = std::abs(number);
  const bool fraction = size != std::floor(size) && size < 1000;
  return fmt::format("{}{}", number < 0 ? "-" : "",
                     fraction ? fmt::format("{:.3g}", size) : grouped_digits(fmt::format("{:.0f}", size)));
}

std::string bytes_text(double bytes) {
  const char *unit = "B";
  for (const char *const greater : {"kB", "MB", "GB", "TB"}) {
    if (bytes >= 1000) {
      bytes /= 1000;
      unit = greater;
    }
  }
  return fmt::format("{:.{}f} {}", bytes, bytes < 9.95 ? 1 : 0, unit);
}

std::string cell_text(const Cell &cell) {
  const std::string here = value_text(cell.here, false);
  const std::string paper = value_text(cell.paper, true);
  return paper.empty() ? here : fmt::format("{} ({})", here.empty() ? "-" : here, paper);
}

} // namespace avrankmap::bench
