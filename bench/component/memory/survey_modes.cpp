// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/memory/survey_modes.h"

#include "avrankmap/avrankmap.h"
#include "support/owned_map.h"
#include "support/require.h"

#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

const char *label(SurveyKind kind) {
  switch (kind) {
  case SurveyKind::kDup: return "duplicate";
  case SurveyKind::kOffset: return "offset";
  case SurveyKind::kStride: return "stride";
  case SurveyKind::kIrregular: return "irregular";
  case SurveyKind::kTopology: return "topology";
  case SurveyKind::kIntercomm: return "intercomm";
  }
  return "?";
}

/// An instance of one setting, with the map of the world.
class Setting {
public:
  Setting(bool strict, std::int32_t processes) {
    avrm_instance_options_t options{};
    options.strict = strict;
    options.cost = AVRM_COST_BYTES;
    require(avrm_instance_create(&options, &instance_));
    require(avrm_rankmap_create_direct(instance_, 0, processes, &world_));
  }
  ~Setting() {
    avrm_rankmap_destroy(&world_);
    (void)avrm_instance_destroy(instance_);
  }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;

  [[nodiscard]] const avrm_rankmap_t *world() const { return &world_; }

private:
  avrm_instance_t *instance_ = nullptr;
  avrm_rankmap_t world_{};
};

OwnedMap child_of(const avrm_rankmap_t *parent, const std::vector<std::int32_t> &ranks) {
  return make_map(avrm_rankmap_create_child, parent, static_cast<std::int32_t>(ranks.size()), ranks.data(),
                  static_cast<unsigned>(AVRM_RANKMAP_DEFAULT));
}

OwnedMap duplicate_of(const avrm_rankmap_t *map) { return make_map(avrm_rankmap_dup, map); }

ModeAndBytes describe(const avrm_rankmap_t *map) {
  avrm_rankmap_info_t info{};
  require(avrm_rankmap_describe(map, &info));
  return {avrm_mode_label(info.mode), info.own_bytes + info.table_bytes};
}

/// The three maps of a communicator in one setting.
std::vector<ModeAndBytes> maps_of(const Setting &setting, const std::vector<std::int32_t> *world_ranks,
                                  const std::vector<std::int32_t> &node, const std::vector<std::int32_t> &node_roots) {
  const OwnedMap itself =
      world_ranks == nullptr ? duplicate_of(setting.world()) : child_of(setting.world(), *world_ranks);
  return {describe(itself.get()), describe(child_of(itself.get(), node).get()),
          describe(child_of(itself.get(), node_roots).get())};
}

} // namespace

std::vector<SurveyMode> survey_modes(std::int32_t processes, const std::vector<SurveyApplication> &applications) {
  const Setting strict(true, processes);
  const Setting extended(false, processes);
  std::vector<SurveyMode> modes;
  for (const SurveyApplication &application : applications) {
    const auto add = [&](std::string name, const Members &members, bool duplicate, int copies) {
      const std::vector<std::int32_t> world_ranks = members.list();
      const std::vector<std::int32_t> node = node_ranks(members, application.processes_per_node, application.viewer);
      const std::vector<std::int32_t> node_roots = node_root_ranks(members, application.processes_per_node);
      const auto *const ranks = duplicate ? nullptr : &world_ranks;
      const std::vector<ModeAndBytes> of_strict = maps_of(strict, ranks, node, node_roots);
      const std::vector<ModeAndBytes> of_extended = maps_of(extended, ranks, node, node_roots);
      const std::pair<const char *, std::size_t> parts[] = {
          {"itself", world_ranks.size()}, {"node", node.size()}, {"node roots", node_roots.size()}};
      for (std::size_t i = 0; i < std::size(parts); ++i) {
        modes.push_back({application.name, name, parts[i].first, copies, static_cast<std::int32_t>(parts[i].second),
                         of_strict[i], of_extended[i]});
      }
    };
    add("world", {processes}, true, 1);
    for (const SurveyComm &comm : application.comms) {
      const bool duplicate = comm.kind == SurveyKind::kDup || comm.kind == SurveyKind::kTopology;
      add(std::string(label(comm.kind)) + ", " + std::to_string(comm.members.size) + " ranks", comm.members, duplicate,
          comm.copies);
    }
  }
  return modes;
}

namespace {

constexpr std::int32_t kProcesses = 786432;

/// Mode and bytes; both settings where they are not the same.
std::string cell(const SurveyMode &mode) {
  const auto text = [](const ModeAndBytes &map) { return fmt::format("{} {}", map.mode, map.bytes); };
  return mode.strict == mode.extended ? text(mode.strict)
                                      : fmt::format("{} -> {}", text(mode.strict), text(mode.extended));
}

Json run(Session & /*session*/) { return survey_modes(kProcesses, survey(kProcesses)); }

std::vector<TextTable> tables(const Json &rows) {
  constexpr std::size_t kParts = 3;
  const auto modes = rows_of<SurveyMode>(rows);
  TextTable table(5, "Survey: mode and bytes of each communicator; strict -> extended where they differ");
  table.row({"", "communicator", "itself", "node", "node roots"});
  std::string application;
  for (std::size_t i = 0; i + kParts <= modes.size(); i += kParts) {
    const SurveyMode &first = modes[i];
    const bool is_new = std::exchange(application, first.application) != first.application;
    table.row({is_new ? first.application : "",
               first.copies == 1 ? first.communicator : fmt::format("{} x {}", first.copies, first.communicator),
               cell(first), cell(modes[i + 1]), cell(modes[i + 2])});
  }
  return {table};
}

} // namespace

const Measurement kSurveyModes = {"survey_modes", nullptr, true, run, tables};

} // namespace avrankmap::bench
