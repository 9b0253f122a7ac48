// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/memory_use.h"

#include "harness/schemes.h"

#include <span>
#include <type_traits>
#include <utility>

namespace avrankmap::bench {
namespace {

/// The communicators of one application: ranks in the world, and in each communicator those of the library's own.
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

template <Scheme S> class Builder {
public:
  explicit Builder(std::int32_t processes) {
    scheme_.add_world(processes);
    world_bytes_ = scheme_.bytes();
  }

  MemoryUse build(const Plan &plan) {
    std::vector<Comm> comms;
    comms.push_back(scheme_.make_world(0));
    // Only the world is looked at again; an index, since the vector grows.
    add_own(comms, 0, plan.parts.front());
    for (std::size_t part = 1; part < plan.parts.size(); ++part) {
      for (int copy = 0; copy < plan.parts[part].copies; ++copy) {
        comms.push_back(plan.parts[part].duplicate ? scheme_.dup(comms.front())
                                                   : scheme_.make_child(comms.front(), plan.parts[part].world_ranks));
        add_own(comms, comms.size() - 1, plan.parts[part]);
      }
    }
    MemoryUse use{plan.name, S::kName, scheme_.bytes(), world_bytes_, static_cast<int>(comms.size()), {}};
    if constexpr (std::is_same_v<S, AvrankmapScheme>) {
      for (const Comm &comm : comms) {
        ++use.modes[avrm_mode_label(S::mode(comm))];
      }
    }
    return use;
  }

private:
  using Comm = typename S::Comm;

  void add_own(std::vector<Comm> &comms, std::size_t of, const Plan::Part &part) {
    for (const auto *ranks : {&part.node, &part.node_roots}) {
      comms.push_back(scheme_.make_child(comms[of], *ranks));
    }
  }

  S scheme_;
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
  Schemes::for_each([&](auto type) {
    Builder<typename decltype(type)::type> builder(processes);
    for (const Plan &plan : plans) {
      uses.push_back(builder.build(plan));
    }
  });
  return uses;
}

} // namespace avrankmap::bench
