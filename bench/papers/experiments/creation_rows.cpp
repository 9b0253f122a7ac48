// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/experiments/creation_rows.h"

#include "papers/conclusions/names.h"
#include "papers/experiment/tables.h"

#include <iterator>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr double kMicro = 1e6;

} // namespace

Table creation_table() {
  return {"microseconds",
          {"VC-VCRT", "strict", kOursTable, kOursImplicit, kStrictMapsOver, kWholeCreation, kStrictWhole, kOursWhole,
           kTableMapsOver, kImplicitMapsOver},
          {}};
}

void add_maps(Table &table, const std::string &label, const MapTimes &times) {
  const std::pair<const char *, double> cells[] = {
      {"VC-VCRT", times.vc_vcrt * kMicro},
      {"strict", times.strict * kMicro},
      {kOursTable, times.table * kMicro},
      {kOursImplicit, times.implicit * kMicro},
      {kStrictMapsOver, times.strict / times.vc_vcrt},
      {kTableMapsOver, times.table / times.vc_vcrt},
      {kImplicitMapsOver, times.implicit / times.vc_vcrt},
  };
  for (const auto &[column, number] : cells) {
    cell_of(table, label, column).here = number;
  }
}

Plot creation_bars(std::string name, std::string title) {
  return {std::move(name),
          std::move(title),
          "",
          "microseconds per process",
          false,
          false,
          {},
          {{"with maps of VC-VCRT (computed)", {}, false},
           {"with strict maps (computed)", {}, false},
           {kOursTable, {}, true},
           {std::string(kOursImplicit) + " (computed)", {}, true}}};
}

void add_real_creation(Table &table, Plot &bars, const RealCreation &creation) {
  add_maps(table, creation.label, creation.maps);
  const auto with = [&](double maps) { return creation.seconds - creation.maps.table + maps; };
  const double theirs = with(creation.maps.vc_vcrt);
  const double strict = with(creation.maps.strict);
  const auto above = [&](double own) { return (own / theirs - 1) * 100; };
  cell_of(table, creation.label, kWholeCreation).here = creation.seconds * kMicro;
  cell_of(table, creation.label, kStrictWhole) = {above(strict), creation.paper};
  cell_of(table, creation.label, kOursWhole).here = above(creation.seconds);
  const auto x = static_cast<double>(bars.categories.size());
  bars.categories.push_back(creation.category);
  const double values[] = {theirs, strict, creation.seconds, with(creation.maps.implicit)};
  for (std::size_t i = 0; i < std::size(values); ++i) {
    bars.series[i].points.emplace_back(x, values[i] * kMicro);
  }
}

} // namespace avrankmap::bench
