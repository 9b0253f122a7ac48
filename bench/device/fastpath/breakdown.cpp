// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/fastpath/breakdown.h"

#include <algorithm>
#include <string_view>

namespace avrankmap::bench {
namespace {

using Count = std::optional<std::int64_t>;

struct Counts {
  Count put;
  Count isend;
};

Counts counts_of(const std::vector<FastpathCountRow> &counts, std::string_view network, std::string_view name) {
  const auto found = std::find_if(counts.begin(), counts.end(), [&](const FastpathCountRow &row) {
    return row.network == network && row.name == name;
  });
  return found == counts.end() ? Counts{} : Counts{found->put, found->isend};
}

Count difference(const Count &more, const Count &less) { return more && less ? Count(*more - *less) : std::nullopt; }

/// Text for a part; `more` and `less` name the rows whose difference it is, `less` null:
/// all of `more`.
struct Description {
  const char *section;
  const char *reason;
  const char *more;
  const char *less;
  Counts paper;
};

constexpr const char *kMandatory = "no-err-single-ipo";

const Description kDescriptions[] = {
    {"2", "error checks", "default", "no-err", {72, 74}},
    {"2", "thread-safety check", "no-err", "no-err-single", {14, 6}},
    {"2", "function call, network unknown", "no-err-single", "datatype at run time", {25, 23}},
    {"2", "redundant run-time checks", "datatype at run time", kMandatory, {62, 59}},
    {"2", "mandatory", kMandatory, nullptr, {44, 59}},
    {"3.1", "global rank", kMandatory, "global rank", {10, 10}},
    {"3.2", "virtual address", kMandatory, "virtual address", {3, std::nullopt}},
    {"3.3", "predefined handle", kMandatory, "predefined handle", {8, 8}},
    {"3.4", "no PROC_NULL", kMandatory, "no PROC_NULL", {3, 3}},
    {"3.5", "no request", kMandatory, "no request", {std::nullopt, 10}},
    {"3.6", "no match", kMandatory, "no match", {std::nullopt, 5}},
};

} // namespace

std::vector<FastpathPart> break_down(const std::vector<FastpathCountRow> &counts, std::string_view network) {
  std::vector<FastpathPart> parts;
  for (const Description &description : kDescriptions) {
    const Counts more = counts_of(counts, network, description.more);
    const Counts less = description.less == nullptr ? Counts{0, 0} : counts_of(counts, network, description.less);
    FastpathPart part{description.section,
                      description.reason,
                      difference(more.put, less.put),
                      description.paper.put,
                      difference(more.isend, less.isend),
                      description.paper.isend};
    if (part.put || part.isend) {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

} // namespace avrankmap::bench
