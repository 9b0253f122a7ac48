// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/memory/memory_use.h"

#include "schemes/counted_schemes.h"
#include "schemes/schemes.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <span>
#include <type_traits>
#include <utility>

namespace avrankmap::bench {
namespace {

/// The communicators of one application: ranks in the world, and in each communicator those of the
/// library's own.
struct Plan {
  struct Part {
    bool duplicate = false; // of the world
    int copies = 1;
    std::vector<std::int32_t> world_ranks; // empty for a duplicate
    std::vector<std::int32_t> node;
    std::vector<std::int32_t> node_roots;
  };
  std::string name;
  std::vector<Part> parts; // the world itself first
};

Plan make_plan(std::int32_t processes, const SurveyApplication &application) {
  const auto own = [&](const Members &members) {
    Plan::Part part;
    part.node = node_ranks(members, application.processes_per_node, application.viewer);
    part.node_roots = node_root_ranks(members, application.processes_per_node);
    return part;
  };
  Plan plan{application.name, {own({processes})}};
  for (const SurveyComm &comm : application.comms) {
    Plan::Part part = own(comm.members);
    part.copies = comm.copies;
    part.duplicate = comm.kind == SurveyKind::kDup || comm.kind == SurveyKind::kTopology;
    if (!part.duplicate) {
      part.world_ranks = comm.members.list();
    }
    plan.parts.push_back(std::move(part));
  }
  return plan;
}

/// Those whose rates are measured, and MPICH 4's other build, which differs in bytes alone. Of Open
/// MPI, which makes the objects of processes at first contact, none was contacted.
using Measured = SchemeList<AvrankmapScheme, AvrankmapImplicit, VcVcrt, Mpich4, Mpich4Ucx, Mpich5, OmpiAtStart,
                            OmpiSparseAtStart, Raw>;

template <Scheme S> class Builder {
public:
  explicit Builder(std::int32_t processes) : processes_(processes) {
    scheme_.add_world(processes);
    world_bytes_ = scheme_.bytes();
  }

  MemoryUse build(const Plan &plan) {
    std::vector<Comm> comms = make(plan, [](const Comm & /*made*/) {});
    MemoryUse use{plan.name, S::kName, processes_, scheme_.bytes(), world_bytes_, static_cast<int>(comms.size()), {}};
    if constexpr (std::is_same_v<S, AvrankmapScheme>) {
      for (const Comm &comm : comms) {
        ++use.modes[avrm_mode_label(S::mode(comm))];
      }
    }
    return use;
  }

  /// Bytes that each communicator adds, in the order in which they are made. Tells on_made of each.
  template <class OnMade> std::vector<std::uint64_t> bytes_of_each(const Plan &plan, OnMade on_made) {
    std::vector<std::uint64_t> bytes;
    std::uint64_t before = scheme_.bytes();
    const std::vector<Comm> comms = make(plan, [&](const Comm &made) {
      const std::uint64_t now = scheme_.bytes();
      bytes.push_back(now - before);
      before = now;
      on_made(made);
    });
    return bytes;
  }

  using Comm = typename S::Comm;

private:
  /// Makes all communicators, one after the other.
  template <class OnMade> std::vector<Comm> make(const Plan &plan, OnMade on_made) {
    std::vector<Comm> comms;
    const auto add = [&](Comm made) { on_made(comms.emplace_back(std::move(made))); };
    // Of the last one; an index, since the vector grows.
    const auto add_own = [&](const Plan::Part &part) {
      if constexpr (kIsOpenMpi<S>) {
        return;
      }
      const std::size_t of = comms.size() - 1;
      for (const auto *ranks : {&part.node, &part.node_roots}) {
        add(scheme_.make_child(comms[of], *ranks));
      }
    };
    add(scheme_.make_world(0));
    add_own(plan.parts.front());
    for (std::size_t part = 1; part < plan.parts.size(); ++part) {
      for (int copy = 0; copy < plan.parts[part].copies; ++copy) {
        add(plan.parts[part].duplicate ? scheme_.dup(comms.front())
                                       : scheme_.make_child(comms.front(), plan.parts[part].world_ranks));
        add_own(plan.parts[part]);
      }
    }
    return comms;
  }

  S scheme_;
  std::int32_t processes_;
  std::uint64_t world_bytes_ = 0;
};

} // namespace

SurveyApplication split_experiment(std::int32_t processes, int communicators) {
  return {"split",
          "the even ranks of the world, again and again",
          16,
          0,
          {{SurveyKind::kStride, {processes / 2, 0, 2}, communicators}}};
}

SurveyApplication dup_experiment(std::int32_t processes, int communicators) {
  return {"dup", "duplicates of the world", 16, 0, {{SurveyKind::kDup, {processes}, communicators}}};
}

std::vector<MemoryUse> measure_memory(std::int32_t processes, const std::vector<SurveyApplication> &applications) {
  std::vector<Plan> plans;
  for (const SurveyApplication &application : applications) {
    plans.push_back(make_plan(processes, application));
  }
  std::vector<MemoryUse> uses;
  Measured::for_each([&](auto type) {
    Builder<typename decltype(type)::type> builder(processes);
    for (const Plan &plan : plans) {
      uses.push_back(builder.build(plan));
    }
  });
  const std::vector<MemoryUse> built = uses;
  for (MemoryUse use : built) {
    if (use.scheme == Mpich4::kName) {
      use.scheme = Mpich41OfiEntry::kName;
      use.bytes = mpich41_bytes(use.bytes, processes);
      use.world_bytes = mpich41_bytes(use.world_bytes, processes);
      uses.push_back(std::move(use));
    }
  }
  return uses;
}

std::vector<ModelUse> measure_models(std::int32_t processes, const std::vector<SurveyApplication> &applications) {
  std::vector<ModelUse> uses;
  for (const SurveyApplication &application : applications) {
    const Plan plan = make_plan(processes, application);
    std::vector<std::string> models;
    const std::vector<std::uint64_t> strict = Builder<StrictScheme>(processes).bytes_of_each(
        plan, [&](const StrictScheme::Comm &made) { models.emplace_back(avrm_mode_label(StrictScheme::mode(made))); });
    const std::vector<std::uint64_t> vcrts =
        Builder<VcVcrt>(processes).bytes_of_each(plan, [](const VcVcrt::Comm & /*made*/) {});
    const std::size_t first = uses.size();
    for (std::size_t comm = 0; comm < models.size(); ++comm) {
      auto use = std::find_if(uses.begin() + static_cast<std::ptrdiff_t>(first), uses.end(),
                              [&](const ModelUse &one) { return one.model == models[comm]; });
      if (use == uses.end()) {
        use = uses.insert(use, {application.name, models[comm]});
      }
      ++use->communicators;
      use->vcrt_bytes += vcrts[comm];
      use->strict_bytes += strict[comm];
    }
  }
  return uses;
}

namespace {

constexpr std::int32_t kProcesses = 786432; // of the whole machine in the paper
constexpr int kCommunicators = 100;

const MemoryUse *find(const std::vector<MemoryUse> &uses, const std::string &application, const std::string &scheme) {
  const auto use = std::find_if(uses.begin(), uses.end(),
                                [&](const MemoryUse &u) { return u.application == application && u.scheme == scheme; });
  return use == uses.end() ? nullptr : &*use;
}

std::vector<std::string> schemes_of(const std::vector<MemoryUse> &uses) {
  return distinct(uses, [](const MemoryUse &use) { return use.scheme; });
}

Json run_bytes(Session & /*session*/) {
  std::vector<MemoryUse> uses = measure_memory(kProcesses, {split_experiment(kProcesses, kCommunicators)});
  for (MemoryUse &use : measure_memory(kProcesses, {dup_experiment(kProcesses, kCommunicators)})) {
    uses.push_back(std::move(use));
  }
  return uses;
}

std::vector<TextTable> tables_of_bytes(const Json &rows) {
  const auto uses = rows_of<MemoryUse>(rows);
  TextTable table(1,
                  fmt::format("Bytes per process, addresses included: {} processes, {} communicators, node and "
                              "node-roots communicators among them",
                              grouped(static_cast<std::uint64_t>(uses.front().processes)), uses.front().communicators));
  table.row({"", "split", "dup"});
  for (const std::string &scheme : schemes_of(uses)) {
    std::vector<std::string> cells{scheme};
    for (const char *const experiment : {"split", "dup"}) {
      const MemoryUse *const use = find(uses, experiment, scheme);
      cells.push_back(use == nullptr ? "-" : grouped(use->bytes));
    }
    table.row(std::move(cells));
  }
  return {table};
}

void judge_bytes(const Json &rows, Budgets &budgets) {
  // Whatever is not 12 bytes per process is shared out among the rankmaps.
  Budgets::Values &table = budgets.at_most(64, "bytes per rankmap, in addition to 12 per process, 100 communicators");
  Budgets::Values &implicit = budgets.at_most(65536, "bytes per process, implicit AV, 100 communicators");
  for (const MemoryUse &use : rows_of<MemoryUse>(rows)) {
    if (use.scheme == AvrankmapScheme::kName) {
      table.add((static_cast<double>(use.bytes) - 12.0 * use.processes) / use.communicators, use.application);
    } else if (use.scheme == AvrankmapImplicit::kName) {
      implicit.add(static_cast<double>(use.bytes), use.application);
    }
  }
}

Json run_survey(Session & /*session*/) { return measure_memory(kProcesses, survey(kProcesses)); }

std::vector<TextTable> tables_of_survey(const Json &rows) {
  const auto uses = rows_of<MemoryUse>(rows);
  const std::vector<std::string> schemes = schemes_of(uses);
  TextTable table(2, fmt::format("Survey (Table I): bytes per process of all communicators, without addresses, {} "
                                 "processes",
                                 grouped(static_cast<std::uint64_t>(uses.front().processes))));
  std::vector<std::string> header{"", "modes, ours", "communicators"};
  header.insert(header.end(), schemes.begin(), schemes.end());
  table.row(std::move(header));
  for (const std::string &name : distinct(uses, [](const MemoryUse &use) { return use.application; })) {
    std::vector<std::string> cells{name, "", ""};
    for (const std::string &scheme : schemes) {
      const MemoryUse *const use = find(uses, name, scheme);
      cells.push_back(use == nullptr ? "-" : grouped(use->bytes - use->world_bytes));
      if (use != nullptr && !use->modes.empty()) {
        std::vector<std::string> modes;
        for (const auto &[mode, count] : use->modes) {
          modes.push_back(fmt::format("{} {}", count, mode));
        }
        cells[1] = fmt::format("{}", fmt::join(modes, ", "));
        cells[2] = std::to_string(use->communicators);
      }
    }
    table.row(std::move(cells));
  }
  return {table};
}

} // namespace

const Measurement kBytesPerProcess = {"bytes_per_process", nullptr, true, run_bytes, tables_of_bytes, judge_bytes};
const Measurement kSurvey = {"survey", nullptr, true, run_survey, tables_of_survey};

} // namespace avrankmap::bench
