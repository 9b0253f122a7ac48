// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/issue_rate.h"

#include "schemes/issue_path.h"
#include "schemes/schemes.h"
#include "support/machine.h"
#include "support/statistics.h"
#include "support/timing.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <regex>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace avrankmap::bench {
namespace {

using Ranks = std::span<const std::int32_t>;

/// A communicator as one scheme keeps it, ready to be issued on.
struct Subject {
  std::string scheme;
  std::string mode;
  std::function<void(IssueContext &, Op, Ranks)> issue;
};

/// Whether anybody wants to see a scheme.
using Wanted = std::function<bool(const char *scheme)>;

/// The structures of one scheme: its worlds and the communicators made so far.
class Host {
public:
  virtual ~Host() = default;
  /// Builds a communicator, checks its addresses, and appends one subject for each way to issue
  /// that is wanted.
  virtual void make(const Shape &shape, std::vector<Subject> &subjects, const Wanted &wanted) = 0;
};

template <Scheme S> class HostOf final : public Host {
public:
  explicit HostOf(const std::vector<std::int32_t> &worlds) {
    for (const std::int32_t size : worlds) {
      scheme_.add_world(size);
    }
    if constexpr (ByFunctions<S>) {
      scheme_.set_functions(null_functions<S>());
    }
    world_.push_back(scheme_.make_world(0));
  }

  static bool any_wanted(const Wanted &wanted) {
    return wanted(S::kName) || (std::is_same_v<S, VcVcrt> && wanted(VcLean::kName)) ||
           (std::is_same_v<S, OmpiSparse> && wanted(OmpiDense::kName));
  }

  void make(const Shape &shape, std::vector<Subject> &subjects, const Wanted &wanted) override {
    comms_.push_back(shape.parent_ranks.empty() ? scheme_.make_merged(shape.processes)
                                                : scheme_.make_child(world_.front(), shape.parent_ranks));
    const Comm &comm = comms_.back();
    verify(comm, shape);
    if (wanted(S::kName)) {
      subjects.push_back(subject<S>(comm, shape));
    }
    if constexpr (std::is_same_v<S, VcVcrt>) {
      if (wanted(VcLean::kName)) {
        subjects.push_back(subject<VcLean>(comm, shape));
      }
    }
    if constexpr (std::is_same_v<S, OmpiSparse>) {
      if (wanted(OmpiDense::kName)) {
        comms_.push_back(scheme_.make_merged(shape.processes)); // a dense group
        verify(comms_.back(), shape);
        subjects.push_back(subject<OmpiDense>(comms_.back(), shape));
      }
    }
  }

private:
  using Comm = typename S::Comm;

  /// The communicator, issued on in the way of `Way`.
  template <Scheme Way> static Subject subject(const Comm &comm, const Shape &shape) {
    Subject made{Way::kName, shape.mode, [&comm](IssueContext &context, Op op, Ranks ranks) {
                   op == Op::kPut ? issue_all<Way, Op::kPut>(context, comm, ranks)
                                  : issue_all<Way, Op::kIsend>(context, comm, ranks);
                 }};
    if constexpr (std::is_same_v<S, AvrankmapScheme>) {
      made.scheme = made.mode = avrm_mode_label(S::mode(comm));
      if (!shape.mode.empty() && shape.mode != made.mode) {
        throw std::runtime_error(fmt::format("the {} communicator got the mode {}", shape.mode, made.mode));
      }
    }
    return made;
  }

  /// Checks every rank. Only where that would take more than a second (a walk through a bitmap at
  /// each translation): one rank in so many, so that it does not.
  static void verify(const Comm &comm, const Shape &shape) {
    constexpr std::size_t kTrial = 64;
    const std::size_t size = shape.processes.size();
    const auto check = [&](std::size_t rank) {
      if (S::address(comm, static_cast<std::int32_t>(rank)) != address_of(shape.processes[rank])) {
        throw std::runtime_error(fmt::format("{}: wrong address of rank {} of the {} communicator of {} ranks",
                                             S::kName, rank, shape.mode, size));
      }
    };
    const double trial = seconds_of([&] {
      for (std::size_t i = 0; i < kTrial; ++i) {
        check(size * i / kTrial);
      }
    });
    const double all = trial / kTrial * static_cast<double>(size);
    const auto step = static_cast<std::size_t>(std::max(1.0, std::ceil(all)));
    for (std::size_t rank = 0; rank < size; rank += step) {
      check(rank);
    }
  }

  // The scheme goes last: communicators must not outlive it.
  S scheme_;
  std::deque<Comm> world_; // one; a deque because communicators have no empty state
  std::deque<Comm> comms_;
};

/// The hosts of all schemes, each made when it is first needed.
class Hosts {
public:
  explicit Hosts(std::vector<std::int32_t> worlds) : worlds_(std::move(worlds)) {}

  /// Builds a communicator in each scheme that is wanted.
  void make(const Shape &shape, std::vector<Subject> &subjects, const Wanted &wanted) {
    std::size_t index = 0;
    Schemes::for_each([&](auto type) {
      using S = typename decltype(type)::type;
      hosts_.resize(std::max(hosts_.size(), index + 1));
      std::unique_ptr<Host> &host = hosts_[index++];
      if (HostOf<S>::any_wanted(wanted)) {
        if (!host) {
          host = std::make_unique<HostOf<S>>(worlds_);
        }
        host->make(shape, subjects, wanted);
      }
    });
  }

private:
  std::vector<std::int32_t> worlds_;
  std::vector<std::unique_ptr<Host>> hosts_; // by position of the scheme in the list
};

/// Generous estimate of what all schemes together take.
std::uint64_t estimated_bytes(const std::vector<std::int32_t> &worlds, std::uint64_t ranks_in_all) {
  constexpr std::uint64_t kPerProcess = 480 + 72 + 32 + 168 + 12;
  constexpr std::uint64_t kPerRank = 5 * 8 + 16;
  std::uint64_t processes = 0;
  for (const std::int32_t size : worlds) {
    processes += static_cast<std::uint64_t>(size);
  }
  return processes * kPerProcess + (ranks_in_all + static_cast<std::uint64_t>(worlds.front())) * kPerRank;
}

/// One benchmark and what came of it.
struct Case {
  const Subject *subject;
  Op op;
  const char *order;
  Ranks ranks;
  std::size_t position = 0;    // in `ranks`, of the next operation
  std::int64_t operations = 0; // in one measurement
  std::vector<double> seconds; // per operation, by round

  /// Issues the next `count` operations.
  void issue(IssueContext &context, std::int64_t count) {
    while (count > 0) {
      const std::size_t part = std::min(static_cast<std::size_t>(count), ranks.size() - position);
      subject->issue(context, op, ranks.subspan(position, part));
      position = (position + part) % ranks.size();
      count -= static_cast<std::int64_t>(part);
    }
  }
};

const char *label(Op op) { return op == Op::kPut ? "put" : "isend"; }

constexpr Op kOps[] = {Op::kPut, Op::kIsend};
constexpr const char *kOrders[] = {"rr", "random"};

std::string benchmark_name(Op op, const std::string &scheme, const std::string &mode, std::int32_t peers,
                           const char *order) {
  const std::string which = scheme == mode || scheme == AvrankmapScheme::kName ? mode : scheme + "/" + mode;
  return fmt::format("BM_Issue/{}/{}/{}/{}", label(op), which, peers, order);
}

/// Whether the filter lets any benchmark of a scheme on a communicator pass.
bool wanted(const std::regex &filter, const std::string &scheme, const std::string &mode, std::int32_t peers) {
  return std::any_of(std::begin(kOps), std::end(kOps), [&](Op op) {
    return std::any_of(std::begin(kOrders), std::end(kOrders), [&](const char *order) {
      return std::regex_search(benchmark_name(op, scheme, mode, peers, order), filter);
    });
  });
}

/// Seconds per operation, estimated from `count` operations or more at eight places of the order: a
/// scheme that searches takes longer for some ranks than for others.
double estimated_cost(IssueContext &context, Case &c, std::int64_t count) {
  constexpr std::size_t kPlaces = 8;
  const std::int64_t each = (count + std::int64_t{kPlaces} - 1) / std::int64_t{kPlaces};
  const double seconds = seconds_of([&] {
    for (std::size_t place = 0; place < kPlaces; ++place) {
      c.position = c.ranks.size() * place / kPlaces;
      c.issue(context, each);
    }
  });
  c.position = 0;
  return seconds / static_cast<double>(each * std::int64_t{kPlaces});
}

/// As many operations as last for `seconds`; then whole passes over the ranks, unless one takes
/// more than `at_most`.
std::int64_t choose_operations(IssueContext &context, Case &c, double seconds, double at_most) {
  std::int64_t trial = 16;
  double cost = estimated_cost(context, c, trial);
  while (cost * static_cast<double>(trial) < seconds / 4) {
    trial *= 4;
    cost = estimated_cost(context, c, trial);
  }
  const auto pass = static_cast<double>(c.ranks.size());
  const double wanted = std::ceil(seconds / cost / pass) * pass;
  return static_cast<std::int64_t>(std::max(1.0, wanted * cost <= at_most ? wanted : at_most / cost));
}

void run_case(benchmark::State &state, IssueContext &context, Case &c) {
  c.issue(context, c.operations);
  while (state.KeepRunningBatch(c.operations)) {
    c.issue(context, c.operations);
  }
  state.SetItemsProcessed(state.iterations());
}

/// Takes the results in, prints nothing.
class Collector final : public benchmark::BenchmarkReporter {
public:
  explicit Collector(std::map<std::string, Case> &cases) : cases_(cases) {}
  bool ReportContext(const Context & /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      cases_.at(run.run_name.function_name)
          .seconds.push_back(run.cpu_accumulated_time / static_cast<double>(run.iterations));
    }
  }

private:
  std::map<std::string, Case> &cases_;
};

void initialize_benchmark_once() {
  static const bool done = [] {
    char name[] = "avrm_bench";
    char *arguments[] = {name, nullptr};
    int count = 1;
    benchmark::Initialize(&count, arguments);
    return true;
  }();
  static_cast<void>(done);
}

/// Measures these subjects, those of one communicator next to each other.
std::vector<IssueRate> measure(const std::vector<Subject> &subjects, std::int32_t peers, const IssueOptions &options) {
  initialize_benchmark_once();
  const Orders orders = make_orders(peers);
  const auto context = std::make_unique<IssueContext>();
  const std::regex filter(options.filter);

  std::map<std::string, Case> cases;
  std::vector<const Case *> in_order;
  for (auto first = subjects.begin(); first != subjects.end();) {
    const auto last = std::find_if(first, subjects.end(), [&](const Subject &s) { return s.mode != first->mode; });
    for (const Op op : kOps) {
      for (const char *const order : kOrders) {
        for (auto subject = first; subject != last; ++subject) {
          const Ranks ranks(order == kOrders[0] ? orders.round_robin : orders.random);
          Case c{&*subject, op, order, ranks, 0, 0, {}};
          const std::string name = benchmark_name(op, subject->scheme, subject->mode, peers, order);
          if (!std::regex_search(name, filter)) {
            continue;
          }
          c.operations = choose_operations(*context, c, options.seconds, options.seconds_at_most);
          Case &kept = cases.emplace(name, std::move(c)).first->second;
          in_order.push_back(&kept);
          benchmark::RegisterBenchmark(
              name.c_str(), [&](benchmark::State &state, Case *which) { run_case(state, *context, *which); }, &kept)
              ->Iterations(kept.operations);
        }
      }
    }
    first = last;
  }
  if (in_order.empty()) {
    return {};
  }

  Collector collector(cases);
  const int rounds = peers <= 65536 ? 2 * options.rounds + 1 : options.rounds;
  for (int round = 0; round < rounds; ++round) {
    benchmark::RunSpecifiedBenchmarks(&collector, "all");
  }
  benchmark::ClearRegisteredBenchmarks();
  if (context->net.far_puts + context->net.far_isends != 0) {
    throw std::runtime_error("operations went to the far side of the transport test");
  }

  std::vector<IssueRate> rates;
  for (const Case *c : in_order) {
    const Subject &s = *c->subject;
    IssueRate row{peers, c->order, label(c->op), s.scheme, s.mode, 1 / median(c->seconds), rounds, {}, {}, {}};
    if (s.scheme == s.mode || s.scheme == AvrankmapImplicit::kName) {
      const auto ratio_to = [&](const char *scheme) -> std::optional<double> {
        for (const Case *other : in_order) {
          if (other->subject->scheme == scheme && other->subject->mode == s.mode && other->op == c->op &&
              other->ranks.data() == c->ranks.data()) {
            return median_ratio(other->seconds, c->seconds);
          }
        }
        return std::nullopt;
      };
      row.ratio_to_vc_vcrt = ratio_to(VcVcrt::kName);
      row.ratio_to_vc_lean = ratio_to(VcLean::kName);
      row.ratio_to_raw = ratio_to(Raw::kName);
    }
    rates.push_back(std::move(row));
  }
  return rates;
}

bool fits(std::uint64_t bytes, const std::string &what, const Log &note) {
  const std::uint64_t available = available_memory();
  if (bytes <= available / 10 * 9) {
    return true;
  }
  note(fmt::format("{} left out: {:.1f} GB needed for all schemes, {:.1f} GB of memory available", what,
                   static_cast<double>(bytes) / 1e9, static_cast<double>(available) / 1e9));
  return false;
}

} // namespace

std::vector<IssueRate> measure_issue_rates(const IssueOptions &options, const Log &progress, const Log &note) {
  const std::regex filter(options.filter);
  std::vector<IssueRate> rates;
  for (const std::int32_t peers : options.peers) {
    const std::vector<std::int32_t> worlds = world_sizes(peers);
    if (!fits(estimated_bytes(worlds, AVRM_MODE_MLUT * static_cast<std::uint64_t>(peers)),
              fmt::format("{} peers", peers), note)) {
      continue;
    }
    Hosts hosts(worlds);
    std::vector<Subject> subjects;
    for (int mode = 0; mode <= AVRM_MODE_MLUT; ++mode) {
      const Shape shape = make_shape(static_cast<avrm_mode_t>(mode), peers);
      if (!shape.processes.empty()) {
        hosts.make(shape, subjects, [&](const char *scheme) { return wanted(filter, scheme, shape.mode, peers); });
      }
    }
    if (!subjects.empty()) {
      progress(fmt::format("issue rate, {} peers", peers));
    }
    for (IssueRate &rate : measure(subjects, peers, options)) {
      rates.push_back(std::move(rate));
    }
  }
  return rates;
}

std::vector<IssueRate> measure_issue_rates_of(std::vector<avrm_gpid_t> processes, const IssueOptions &options,
                                              const Log &note) {
  // Process groups are numbered afresh, from 0, in the order of their pgids.
  std::map<std::int32_t, std::int32_t> sizes;
  for (const avrm_gpid_t process : processes) {
    sizes[process.pgid] = std::max(sizes[process.pgid], process.lpid + 1);
  }
  std::vector<std::int32_t> worlds;
  std::map<std::int32_t, std::int32_t> numbers;
  for (const auto &[pgid, size] : sizes) {
    numbers[pgid] = static_cast<std::int32_t>(worlds.size());
    worlds.push_back(size);
  }
  for (avrm_gpid_t &process : processes) {
    process.pgid = numbers[process.pgid];
  }
  if (!fits(estimated_bytes(worlds, processes.size()), "the communicator of the map file", note)) {
    return {};
  }

  const auto peers = static_cast<std::int32_t>(processes.size());
  Hosts hosts(worlds);
  std::vector<Subject> subjects;
  hosts.make(make_shape("", std::move(processes)), subjects, [](const char *) { return true; });
  for (Subject &subject : subjects) {
    subject.mode = subjects.front().mode;
  }
  return measure(subjects, peers, options);
}

} // namespace avrankmap::bench
