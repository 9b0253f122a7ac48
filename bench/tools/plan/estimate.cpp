// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/estimate.h"

#include "schemes/schemes.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <type_traits>

namespace avrankmap::planner {
namespace {

using namespace bench;

/// Table II and the paper's modes.
struct Strict : AvrankmapScheme {
  static constexpr const char *kName = "ours, strict";
  explicit Strict(std::int32_t per_node) : AvrankmapScheme(AVRM_AV_TABLE, true, AVRM_COST_BYTES, per_node) {}
};
/// The same modes, with closed forms.
struct Speed : AvrankmapScheme {
  static constexpr const char *kName = "ours, speed";
  explicit Speed(std::int32_t per_node) : AvrankmapScheme(AVRM_AV_TABLE, false, AVRM_COST_SPEED, per_node) {}
};
/// All forms, cart and segments included.
struct Extended : AvrankmapScheme {
  static constexpr const char *kName = "ours, extended";
  explicit Extended(std::int32_t per_node) : AvrankmapScheme(AVRM_AV_TABLE, false, AVRM_COST_BYTES, per_node) {}
};
struct Implicit : AvrankmapScheme {
  static constexpr const char *kName = "ours, extended, implicit AV";
  explicit Implicit(std::int32_t per_node) : AvrankmapScheme(AVRM_AV_IMPLICIT, false, AVRM_COST_BYTES, per_node) {}
};

using Planned = SchemeList<Strict, Speed, Extended, Implicit, VcVcrt, Mpich4, Mpich4Ucx, Mpich5, OmpiAtStart,
                           OmpiSparseAtStart, Raw>;

/// Ranks, in a list of world ranks, of those on one node, and of the first one on each node.
struct Internal {
  std::vector<std::int32_t> node;
  std::vector<std::int32_t> roots;
};

Internal internal_of(const std::vector<std::int32_t> &world_ranks, const Job &job) {
  Internal internal;
  std::vector<bool> seen(static_cast<std::size_t>(job.processes / job.per_node) + 1);
  for (std::size_t rank = 0; rank < world_ranks.size(); ++rank) {
    const std::int32_t node = world_ranks[rank] / job.per_node;
    if (node == job.rank / job.per_node) {
      internal.node.push_back(static_cast<std::int32_t>(rank));
    }
    if (!seen[static_cast<std::size_t>(node)]) {
      seen[static_cast<std::size_t>(node)] = true;
      internal.roots.push_back(static_cast<std::int32_t>(rank));
    }
  }
  return internal;
}

std::vector<std::int32_t> world_of(const Job &job) {
  return expand({"world", Kind::kWorld, {}, 1}, job, 0).front().world_ranks;
}

template <Scheme S> class Builder {
public:
  explicit Builder(const Job &job) : job_(job), scheme_(make(job)) {
    scheme_.add_world(job.processes);
    estimate_.scheme = S::kName;
    estimate_.processes = job.processes;
    estimate_.address_bytes = scheme_.bytes();
  }

  Estimate build(const std::vector<Request> &requests) {
    const Internal of_world = internal_of(world_of(job_), job_);
    comms_.push_back(scheme_.make_world(0));
    add_internal(0, of_world);
    for (const Request &request : requests) {
      for (std::int32_t copy = 0; copy < request.count; ++copy) {
        for (const Communicator &comm : expand(request, job_, copy)) {
          add(comm, of_world);
        }
      }
    }
    estimate_.built = true;
    estimate_.bytes = scheme_.bytes();
    estimate_.per_node = estimate_.bytes * static_cast<std::uint64_t>(job_.per_node);
    estimate_.communicators = static_cast<std::int64_t>(comms_.size());
    if constexpr (IsOurs<S>) {
      for (const Comm &comm : comms_) {
        ++estimate_.modes[avrm_mode_label(S::mode(comm))];
      }
    }
    return std::move(estimate_);
  }

private:
  using Comm = typename S::Comm;

  static S make(const Job &job) {
    if constexpr (std::is_constructible_v<S, std::int32_t>) {
      return S(job.per_node);
    } else {
      return S();
    }
  }

  void add(const Communicator &comm, const Internal &of_world) {
    if (comm.world_ranks.empty()) {
      comms_.push_back(scheme_.dup(comms_.front()));
      add_internal(comms_.size() - 1, of_world);
      return;
    }
    Internal internal = internal_of(comm.world_ranks, job_);
    if (comm.others == 0) {
      comms_.push_back(scheme_.make_child(comms_.front(), comm.world_ranks));
    } else {
      // One other world for all merged communicators of its size.
      const auto [other, is_new] = other_worlds_.try_emplace(comm.others, 0);
      if (is_new) {
        const std::uint64_t before = scheme_.bytes();
        other->second = scheme_.add_world(comm.others);
        estimate_.address_bytes += scheme_.bytes() - before;
        estimate_.processes += comm.others;
      }
      std::vector<Gpid> processes;
      for (const std::int32_t rank : comm.world_ranks) {
        processes.push_back({0, rank});
      }
      for (std::int32_t lpid = 0; lpid < comm.others; ++lpid) {
        processes.push_back({other->second, lpid});
        if (lpid % job_.per_node == 0) {
          internal.roots.push_back(static_cast<std::int32_t>(processes.size()) - 1);
        }
      }
      comms_.push_back(scheme_.make_merged(processes));
    }
    add_internal(comms_.size() - 1, internal);
  }

  // An index, since the vector grows.
  void add_internal(std::size_t of, const Internal &internal) {
    if (job_.internal && !kIsOpenMpi<S>) {
      comms_.push_back(scheme_.make_child(comms_[of], internal.node));
      comms_.push_back(scheme_.make_child(comms_[of], internal.roots));
    }
  }

  const Job &job_;
  S scheme_;
  std::map<std::int32_t, std::int32_t> other_worlds_;
  std::vector<Comm> comms_; // destroyed before the scheme
  Estimate estimate_;
};

/// The ranks in all communicators but duplicates, counted twice for what building one takes; and
/// processes of all worlds.
struct Extent {
  double ranks = 0;
  double processes = 0;
};

Extent extent_of(const Job &job, const std::vector<Request> &requests) {
  Extent extent{0, static_cast<double>(job.processes)};
  const double own = job.internal ? 1.0 / job.per_node : 0;
  for (const Request &request : requests) {
    const double others = request.kind == Kind::kMerged ? request.parameters[0] : 0;
    extent.processes += others;
    extent.ranks += (world_ranks_of(request, job) + others) * (1 + own) * request.count;
    extent.ranks += request.kind == Kind::kDup ? own * job.processes * request.count : 0;
  }
  return extent;
}

/// The most that a scheme can take for each process and for each rank of a communicator, and once.
template <class S> double most_bytes(const Extent &extent) {
  constexpr double kOnce = 64.0 * (1 << 20);
  if constexpr (IsOurs<S>) {
    return 12 * extent.processes + 8 * extent.ranks + kOnce;
  } else {
    const double per_process = std::is_same_v<S, VcVcrt> ? 480 : kIsOpenMpi<S> ? 8 : 72;
    return per_process * extent.processes + 8 * extent.ranks + kOnce;
  }
}

} // namespace

std::vector<Estimate> estimate(const Job &job, const std::vector<Request> &requests, std::uint64_t memory) {
  const Extent extent = extent_of(job, requests);
  // Descriptions of the communicators while they are built.
  const double beside = 16.0 * extent.processes * 3;
  std::vector<Estimate> estimates;
  Planned::for_each([&](auto type) {
    using S = typename decltype(type)::type;
    const double needs = most_bytes<S>(extent) + beside;
    if (needs > static_cast<double>(memory)) {
      Estimate skipped;
      skipped.scheme = S::kName;
      skipped.needs = static_cast<std::uint64_t>(needs);
      estimates.push_back(std::move(skipped));
      return;
    }
    Builder<S> builder(job);
    estimates.push_back(builder.build(requests));
  });
  // MPICH 4.1 to 4.3 differ from 4.0.2 in the entries of their table alone.
  const auto mpich4 =
      std::find_if(estimates.begin(), estimates.end(), [](const Estimate &one) { return one.scheme == Mpich4::kName; });
  Estimate wider = *mpich4;
  wider.scheme = Mpich41OfiEntry::kName;
  for (std::uint64_t *const bytes : {&wider.needs, &wider.bytes, &wider.address_bytes}) {
    *bytes = mpich41_bytes(*bytes, wider.processes);
  }
  wider.per_node = wider.bytes * static_cast<std::uint64_t>(job.per_node);
  estimates.insert(mpich4 + 1, std::move(wider));
  return estimates;
}

std::uint64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    std::uint64_t kilobytes = 0;
    if (words >> name >> kilobytes && name == "MemAvailable:") {
      return kilobytes * 1024;
    }
  }
  return std::numeric_limits<std::uint64_t>::max();
}

} // namespace avrankmap::planner
