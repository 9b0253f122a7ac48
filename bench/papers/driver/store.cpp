// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/store.h"

#include "counters/subprocess.h"
#include "papers/conclusions/conclusions.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <system_error>

namespace avrankmap::bench {
namespace {

using Json = nlohmann::ordered_json;

Json value_to_json(const Value &value) {
  if (const auto *number = std::get_if<double>(&value)) {
    return *number;
  }
  if (const auto *text = std::get_if<std::string>(&value)) {
    return *text;
  }
  return nullptr;
}

Value value_from_json(const Json &json) {
  if (json.is_null()) {
    return {};
  }
  if (json.is_string()) {
    return json.get<std::string>();
  }
  return json.get<double>();
}

Json cell_to_json(const Cell &cell) {
  return {{"here", value_to_json(cell.here)}, {"paper", value_to_json(cell.paper)}};
}

Cell cell_from_json(const Json &json) { return {value_from_json(json.at("here")), value_from_json(json.at("paper"))}; }

Json table_to_json(const Table &table) {
  Json rows = Json::array();
  for (const Row &row : table.rows) {
    Json cells = Json::array();
    for (const Cell &cell : row.cells) {
      cells.push_back(cell_to_json(cell));
    }
    rows.push_back({{"label", row.label}, {"cells", std::move(cells)}});
  }
  return {{"corner", table.corner}, {"columns", table.columns}, {"rows", std::move(rows)}};
}

Table table_from_json(const Json &json) {
  Table table{json.at("corner"), json.at("columns"), {}};
  for (const Json &row : json.at("rows")) {
    table.rows.push_back({row.at("label"), {}});
    for (const Json &cell : row.at("cells")) {
      table.rows.back().cells.push_back(cell_from_json(cell));
    }
  }
  return table;
}

Json plot_to_json(const Plot &plot) {
  Json series = Json::array();
  for (const Series &line : plot.series) {
    series.push_back({{"name", line.name},
                      {"ours", line.ours},
                      {"points", line.points},
                      {"projected", line.projected},
                      {"stacked", line.stacked},
                      {"band_from", line.band_from}});
  }
  return {{"name", plot.name},
          {"title", plot.title},
          {"x_label", plot.x_label},
          {"y_label", plot.y_label},
          {"log_x", plot.log_x},
          {"log_y", plot.log_y},
          {"categories", plot.categories},
          {"series", std::move(series)},
          {"labelled", plot.labelled},
          {"levels", plot.levels}};
}

Plot plot_from_json(const Json &json) {
  Plot plot{json.at("name"),     json.at("title"), json.at("x_label"),    json.at("y_label"),
            json.at("log_x"),    json.at("log_y"), json.at("categories"), {},
            json.at("labelled"), json.at("levels")};
  for (const Json &line : json.at("series")) {
    plot.series.push_back({line.at("name"), line.at("points"), line.at("ours"), line.value("projected", std::size_t{0}),
                           line.at("stacked"), line.value("band_from", "")});
  }
  return plot;
}

Json machine_to_json(const Machine &machine) {
  return {{"processor", machine.processor},
          {"cpus", machine.cpus},
          {"caches", machine.caches},
          {"memory", machine.memory},
          {"virtual_machine", machine.virtual_machine},
          {"huge_pages", machine.huge_pages},
          {"kernel", machine.kernel},
          {"compiler", machine.compiler}};
}

Machine machine_from_json(const Json &json) {
  Machine machine;
  machine.processor = json.at("processor");
  machine.cpus = json.at("cpus");
  machine.caches = json.at("caches").get<std::vector<std::string>>();
  machine.memory = json.at("memory");
  machine.virtual_machine = json.at("virtual_machine");
  machine.huge_pages = json.at("huge_pages");
  machine.kernel = json.at("kernel");
  machine.compiler = json.at("compiler");
  return machine;
}

Effort effort_from(const std::string &text) {
  for (const Effort effort : {Effort::kTiny, Effort::kQuick, Effort::kFull}) {
    if (text == label(effort)) {
      return effort;
    }
  }
  throw std::runtime_error("no effort: " + text);
}

bool same(const std::string &one, const std::string &other) { return !one.empty() && one == other; }

bool comparable(const Conditions &one, const Conditions &other) {
  return one.effort == other.effort && machine_to_json(one.machine) == machine_to_json(other.machine);
}

} // namespace

const char *label(Effort effort) {
  switch (effort) {
  case Effort::kTiny: return "tiny";
  case Effort::kQuick: return "quick";
  case Effort::kFull: return "full";
  }
  return "?";
}

std::string file_stem(const std::string &id) {
  std::string stem = id;
  std::replace(stem.begin(), stem.end(), '/', '-');
  return stem;
}

std::string plot_file(const std::string &id, const Plot &plot, const std::string &extension) {
  return file_stem(id) + plot.name + "." + extension;
}

nlohmann::ordered_json to_json(const Stored &stored) {
  Json plots = Json::array();
  for (const Plot &plot : stored.result.plots) {
    plots.push_back(plot_to_json(plot));
  }
  Json listings = Json::array();
  for (const Listing &listing : stored.result.listings) {
    listings.push_back(
        {{"title", listing.title}, {"instructions", cell_to_json(listing.instructions)}, {"text", listing.text}});
  }
  return {{"id", stored.id},
          {"title", stored.title},
          {"machine", machine_to_json(stored.conditions.machine)},
          {"commit", stored.conditions.commit},
          {"effort", label(stored.conditions.effort)},
          {"sources", stored.sources},
          {"command", stored.command},
          {"load", stored.load},
          {"foreign", stored.foreign},
          {"spread", stored.spread},
          {"seconds", stored.seconds},
          {"processor_seconds", stored.processor_seconds},
          {"peak_resident", stored.peak_resident},
          {"table", table_to_json(stored.result.table)},
          {"plots", std::move(plots)},
          {"listings", std::move(listings)},
          {"note", stored.result.note},
          {"conclusions", conclude(stored.id, stored.result)},
          {"omissions", stored.result.omissions}};
}

Stored stored_from_json(const nlohmann::ordered_json &json) {
  Stored stored;
  stored.id = json.at("id");
  stored.title = json.at("title");
  stored.conditions = {machine_from_json(json.at("machine")), json.at("commit"), effort_from(json.at("effort"))};
  stored.sources = json.at("sources");
  stored.command = json.at("command");
  stored.load = json.at("load");
  stored.foreign = json.value("foreign", -1.0);
  stored.spread = json.at("spread");
  stored.seconds = json.at("seconds");
  stored.processor_seconds = json.at("processor_seconds");
  stored.peak_resident = json.at("peak_resident");
  stored.result.table = table_from_json(json.at("table"));
  for (const Json &plot : json.at("plots")) {
    stored.result.plots.push_back(plot_from_json(plot));
  }
  for (const Json &listing : json.at("listings")) {
    stored.result.listings.push_back(
        {listing.at("title"), cell_from_json(listing.at("instructions")), listing.at("text")});
  }
  stored.result.note = json.at("note");
  stored.result.omissions = json.at("omissions").get<std::vector<std::string>>();
  return stored;
}

void write_file(const std::filesystem::path &file, const std::string &text) {
  const std::filesystem::path part = file.string() + ".part";
  std::ofstream stream(part, std::ios::binary);
  stream << text;
  stream.close();
  std::error_code error;
  if (stream) {
    std::filesystem::rename(part, file, error);
  }
  if (!stream || error) {
    throw std::runtime_error(file.string() + ": cannot be written");
  }
}

Store::Store(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error || !std::filesystem::is_directory(folder_)) {
    throw std::runtime_error(folder_.string() +
                             ": is no folder and cannot be made one: " + (error ? error.message() : "it is a file"));
  }
  // Fails now rather than after all experiments.
  write_file(folder_ / ".writable", "");
  std::filesystem::remove(folder_ / ".writable", error);
}

std::optional<Stored> Store::find(const std::string &id) const {
  const std::optional<std::string> text = counters::read_file(folder_ / (file_stem(id) + ".json"));
  if (!text) {
    return std::nullopt;
  }
  try {
    return stored_from_json(Json::parse(*text));
  } catch (const std::exception &) {
    return std::nullopt; // written by another version, or not a result
  }
}

std::optional<Stored> Store::find(const std::string &id, const Conditions &conditions,
                                  const std::string &sources) const {
  std::optional<Stored> stored = find(id);
  const bool is_it = stored && comparable(stored->conditions, conditions) &&
                     (same(stored->conditions.commit, conditions.commit) || same(stored->sources, sources));
  return is_it ? std::move(stored) : std::nullopt;
}

void Store::save(const Stored &stored) const {
  write_file(folder_ / (file_stem(stored.id) + ".json"), to_json(stored).dump(1) + '\n');
}

} // namespace avrankmap::bench
