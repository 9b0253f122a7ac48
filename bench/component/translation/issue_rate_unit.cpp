// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Issue rates as measurements: of the communicators of all modes, and of the user's map file.
#include "component/translation/issue_rate.h"

#include "schemes/avrankmap_scheme.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace avrankmap::bench {
namespace {

IssueOptions options_of(const Session &session) {
  if (session.quick) {
    return {{16, 786432}, 5, 0.002, 0.015, session.filter};
  }
  return {{2, 16, 4096, 65536, 786432, 4194304}, 7, 0.01, 0.3, session.filter};
}

Json run(Session &session) { return measure_issue_rates(options_of(session), session.progress, session.note); }

Json run_map(Session &session) {
  return session.map.empty() ? Json::array()
                             : Json(measure_issue_rates_of(session.map, options_of(session), session.note));
}

/// All rates of one operation: modes and schemes by peers and order, with our ratios below each
/// mode.
class OperationTable {
public:
  OperationTable(const std::vector<IssueRate> &rates, const std::string &op, const std::string &title)
      : op_(op), table_(2, fmt::format("{}: {}, million operations per second, null network", title, op)) {
    std::copy_if(rates.begin(), rates.end(), std::back_inserter(rates_),
                 [&](const IssueRate &r) { return r.op == op; });
    columns_ = distinct(rates_, [](const IssueRate &r) { return Column(r.peers, r.order); });
    std::vector<std::string> heads{"mode", "scheme"};
    for (const auto &[peers, order] : columns_) {
      heads.push_back(fmt::format("{} {}", grouped(static_cast<std::uint64_t>(peers)), order));
    }
    table_.row(std::move(heads));
    for (const std::string &mode : distinct(rates_, [](const IssueRate &r) { return r.mode; })) {
      add_mode(mode);
    }
    table_.note("vc-vcrt calls the function in the VC (MPICH 3.2); vc-lean is inlined like all others: translation "
                "against translation.");
  }
  [[nodiscard]] const TextTable &table() const { return table_; }

private:
  using Column = std::pair<std::int32_t, std::string>;

  void add_mode(const std::string &mode) {
    table_.gap();
    std::vector<IssueRate> of_mode;
    std::copy_if(rates_.begin(), rates_.end(), std::back_inserter(of_mode),
                 [&](const IssueRate &r) { return r.mode == mode; });
    std::string label = mode;
    for (const std::string &scheme : distinct(of_mode, [](const IssueRate &r) { return r.scheme; })) {
      add_row(std::exchange(label, ""), scheme == mode ? AvrankmapScheme::kName : scheme, of_mode, scheme,
              [](const IssueRate &r) { return fmt::format("{:.1f}", r.rate / 1e6); });
    }
    const auto add_ratio = [&](const char *name, std::optional<double> IssueRate::*ratio) {
      add_row("", name, of_mode, mode, [&](const IssueRate &r) { return optional_text(r.*ratio, "{:.2f}x"); });
    };
    add_ratio("ours / vc-vcrt", &IssueRate::ratio_to_vc_vcrt);
    add_ratio("ours / vc-lean", &IssueRate::ratio_to_vc_lean);
    add_ratio("ours / raw", &IssueRate::ratio_to_raw);
  }

  template <class Cell>
  void add_row(std::string mode, std::string name, const std::vector<IssueRate> &rates, const std::string &scheme,
               Cell cell) {
    std::vector<std::string> cells{std::move(mode), std::move(name)};
    for (const Column &column : columns_) {
      const auto rate = std::find_if(rates.begin(), rates.end(), [&](const IssueRate &r) {
        return r.scheme == scheme && r.peers == column.first && r.order == column.second;
      });
      cells.push_back(rate == rates.end() ? "-" : cell(*rate));
    }
    table_.row(std::move(cells));
  }

  std::string op_;
  std::vector<IssueRate> rates_;
  std::vector<Column> columns_;
  TextTable table_;
};

std::vector<TextTable> tables_titled(const Json &rows, const char *title) {
  const auto rates = rows_of<IssueRate>(rows);
  std::vector<TextTable> tables;
  for (const std::string &op : distinct(rates, [](const IssueRate &r) { return r.op; })) {
    tables.push_back(OperationTable(rates, op, title).table());
  }
  return tables;
}

std::vector<TextTable> tables(const Json &rows) { return tables_titled(rows, "Issue rate"); }

std::vector<TextTable> tables_of_map(const Json &rows) { return tables_titled(rows, "Issue rate of the map file"); }

/// A budget on the ratio of our rate to another one, over both operations.
struct Limit {
  const char *what;
  double least;
  std::int32_t peers;
  const char *order; ///< null: both
  bool implicit;
  std::set<std::string_view> modes;
  std::optional<double> IssueRate::*ratio;
};

void judge(const Json &rows, Budgets &budgets) {
  const std::set<std::string_view> affine{"direct", "offset", "stride"};
  const std::set<std::string_view> affine_and_lut{"direct", "offset", "stride", "lut"};
  const std::set<std::string_view> regular{"direct", "offset", "stride", "blocked"};
  const std::set<std::string_view> tables{"lut", "mlut"};
  constexpr std::int32_t kFew = 16;
  constexpr std::int32_t kMany = 786432;
  const Limit limits[] = {
      {"16 peers, over VC-VCRT, affine and lut", 1.0, kFew, nullptr, false, affine_and_lut,
       &IssueRate::ratio_to_vc_vcrt},
      {"16 peers, over VC-VCRT, mlut", 0.75, kFew, nullptr, false, {"mlut"}, &IssueRate::ratio_to_vc_vcrt},
      {"16 peers, over VC-VCRT, blocked", 0.5, kFew, nullptr, false, {"blocked"}, &IssueRate::ratio_to_vc_vcrt},
      {"16 peers, over raw, affine", 0.8, kFew, nullptr, false, affine, &IssueRate::ratio_to_raw},
      {"786,432 round robin, over raw, regular", 0.6, kMany, "rr", false, regular, &IssueRate::ratio_to_raw},
      {"786,432 round robin, over VC-VCRT, tables", 1.4, kMany, "rr", false, tables, &IssueRate::ratio_to_vc_vcrt},
      {"786,432 random, over VC-VCRT, regular", 2.0, kMany, "random", false, regular, &IssueRate::ratio_to_vc_vcrt},
      {"786,432 random, over VC-VCRT, tables", 1.4, kMany, "random", false, tables, &IssueRate::ratio_to_vc_vcrt},
      {"786,432 random, implicit AV, over raw, affine", 1.0, kMany, "random", true, affine, &IssueRate::ratio_to_raw},
      {"786,432 random, implicit AV, over raw, lut", 0.6, kMany, "random", true, {"lut"}, &IssueRate::ratio_to_raw},
  };
  const auto rates = rows_of<IssueRate>(rows);
  for (const Limit &limit : limits) {
    Budgets::Values &values = budgets.at_least(limit.least, fmt::format("issue rate, {}", limit.what));
    for (const IssueRate &rate : rates) {
      const bool ours = limit.implicit ? rate.scheme == AvrankmapImplicit::kName : rate.scheme == rate.mode;
      if (ours && rate.peers == limit.peers && (limit.order == nullptr || rate.order == limit.order) &&
          limit.modes.contains(rate.mode) && (rate.*limit.ratio).has_value()) {
        values.add(*(rate.*limit.ratio), fmt::format("{}, {}, {}", rate.mode, rate.op, rate.order));
      }
    }
  }
}

} // namespace

const Measurement kIssueRates = {
    "issue_rate", "BM_Issue/<put|isend>/[<scheme>/]<mode>/<peers>/<rr|random>", true, run, tables, judge};
const Measurement kMapRates = {"map", "those of issue_rate, on the map file", true, run_map, tables_of_map};

} // namespace avrankmap::bench
