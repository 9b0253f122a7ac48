// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/cache_misses.h"

#include "communicators/shapes.h"
#include "counters/cachegrind.h"
#include "counters/hw_counters.h"
#include "schemes/issue_path.h"
#include "schemes/schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

/// A communicator on which puts can be issued, and all that it needs.
class Rig {
public:
  Rig(const std::string &scheme, std::int32_t peers) {
    avrm_mode_t mode = AVRM_MODE_STRIDE;
    const bool is_vc = scheme == VcVcrt::kName || scheme == VcLean::kName;
    if (!is_vc) {
      int number = 0;
      while (number <= AVRM_MODE_MLUT && scheme != avrm_mode_label(static_cast<avrm_mode_t>(number))) {
        ++number;
      }
      if (number > AVRM_MODE_MLUT) {
        throw std::invalid_argument(fmt::format("there is no scheme '{}'", scheme));
      }
      mode = static_cast<avrm_mode_t>(number);
    }
    const Shape shape = make_shape(mode, peers);
    if (shape.processes.empty()) {
      throw std::invalid_argument(fmt::format("there is no {} communicator of {} ranks", scheme, peers));
    }
    ranks_ = make_orders(peers).round_robin;
    if (scheme == VcVcrt::kName) {
      build<VcVcrt>(shape, peers);
    } else if (is_vc) {
      build<VcLean>(shape, peers);
    } else {
      build<AvrankmapScheme>(shape, peers);
    }
  }

  void put(std::uint64_t operations) {
    while (operations > 0) {
      const std::size_t part = std::min<std::uint64_t>(operations, ranks_.size());
      issue_(std::span(ranks_).first(part));
      operations -= part;
    }
  }

private:
  template <Scheme S> void build(const Shape &shape, std::int32_t peers) {
    struct Kept {
      S scheme;
      std::vector<typename S::Comm> comms; // goes before the scheme
    };
    const auto kept = std::make_shared<Kept>();
    for (const std::int32_t size : world_sizes(peers)) {
      kept->scheme.add_world(size);
    }
    if constexpr (ByFunctions<S>) {
      kept->scheme.set_functions(null_functions<S>());
    }
    if (shape.parent_ranks.empty()) {
      kept->comms.push_back(kept->scheme.make_merged(shape.processes));
    } else {
      kept->comms.push_back(kept->scheme.make_child(kept->scheme.make_world(0), shape.parent_ranks));
    }
    issue_ = [this, kept](std::span<const std::int32_t> ranks) {
      issue_all<S, Op::kPut>(*context_, kept->comms.front(), ranks);
    };
  }

  std::unique_ptr<IssueContext> context_ = std::make_unique<IssueContext>();
  std::vector<std::int32_t> ranks_;
  std::function<void(std::span<const std::int32_t>)> issue_;
};

// As on the paper's Blues (Xeon E5-2670), with the eighth of its last level that one core of eight
// has, rounded to a power of two.
constexpr counters::CacheGeometry kL1{32 * 1024, 8, 64};
constexpr counters::CacheGeometry kL2{256 * 1024, 8, 64};
constexpr counters::CacheGeometry kL3{2 * 1024 * 1024, 16, 64};

/// Peers of a communicator whose structures outgrow the first levels.
constexpr std::int32_t kOutgrows = 4096;

/// Puts in the shorter of the two runs: several times round the communicator, so that its cold
/// misses are over.
std::uint64_t operations_for(std::int32_t peers) { return std::max(20000, 2 * peers); }

std::optional<CacheMisses> by_processor(const std::string &scheme, std::int32_t peers, std::string &why_not) {
  auto counters = counters::HwCounters::open_standard();
  if (!counters.ok()) {
    why_not = counters.message();
    return std::nullopt;
  }
  Rig rig(scheme, peers);
  // As many as the paper issues, since this costs nothing here.
  constexpr std::uint64_t kOperations = 8'000'000;
  CacheMisses misses{peers, scheme, {}, {}, {}, false, counters::HwReading::source};
  rig.put(kOperations);
  for (const int weight : {-1, 1}) {
    if (const auto failure = counters->start()) {
      why_not = failure->reason;
      return std::nullopt;
    }
    rig.put(weight < 0 ? kOperations : 2 * kOperations);
    const auto readings = counters->stop();
    if (!readings.ok()) {
      why_not = readings.message();
      return std::nullopt;
    }
    for (const counters::HwReading &reading : *readings) {
      std::optional<double> *const level = reading.name == "l1d_misses"  ? &misses.l1d
                                           : reading.name == "l2_misses" ? &misses.l2
                                           : reading.name == "l3_misses" ? &misses.last_level
                                                                         : nullptr;
      if (level != nullptr) {
        *level = level->value_or(0) + weight * static_cast<double>(reading.count) / kOperations;
      }
    }
  }
  return misses;
}

std::optional<CacheMisses> by_cachegrind(const std::string &program, const std::string &scheme, std::int32_t peers,
                                         std::string &why_not) {
  const auto command = [&](std::uint64_t operations) {
    return std::vector<std::string>{program, kCacheLoopCommand, scheme, std::to_string(peers),
                                    std::to_string(operations)};
  };
  const auto measure = [&](const counters::CacheModel &model) {
    // Only functions of this program and the library, avrankmap::... and avrm_...: what the loader
    // does depends on the arguments.
    return counters::measure_per_iteration(command, operations_for(peers), "avr", model);
  };
  const auto with_l2 = measure({kL1, kL2});
  const auto with_l3 = measure({kL1, kL3});
  for (const auto *const cost : {&with_l2, &with_l3}) {
    if (!cost->ok()) {
      why_not = cost->message();
      return std::nullopt;
    }
  }
  return CacheMisses{peers,
                     scheme,
                     with_l3->d1_misses,
                     with_l2->ll_misses,
                     with_l3->ll_misses,
                     true,
                     fmt::format("cachegrind (simulated, L1D {} KiB, L2 {} KiB, L3 {} KiB)", kL1.size / 1024,
                                 kL2.size / 1024, kL3.size / 1024)};
}

} // namespace

void run_cache_loop(const CacheLoop &loop) { Rig(loop.scheme, loop.peers).put(loop.operations); }

std::vector<CacheMisses> measure_cache_misses(const std::string &program, const std::vector<std::int32_t> &sizes,
                                              const Log &progress, const Log &note) {
  std::vector<CacheMisses> all;
  bool have_counters = true;
  for (const std::int32_t peers : sizes) {
    progress(fmt::format("cache misses, {} peers", peers));
    std::vector<std::string> schemes{VcVcrt::kName, VcLean::kName};
    for (int mode = 0; mode <= AVRM_MODE_MLUT; ++mode) {
      if (!make_shape(static_cast<avrm_mode_t>(mode), peers).processes.empty()) {
        schemes.emplace_back(avrm_mode_label(static_cast<avrm_mode_t>(mode)));
      }
    }
    for (const std::string &scheme : schemes) {
      std::string why_not;
      std::optional<CacheMisses> misses = by_cachegrind(program, scheme, peers, why_not);
      if (!misses) {
        note("cache misses left out: " + why_not);
        return all;
      }
      all.push_back(*std::move(misses));
      if (peers < kOutgrows || !have_counters) {
        continue;
      }
      misses = by_processor(scheme, peers, why_not);
      have_counters = misses.has_value();
      if (have_counters) {
        all.push_back(*std::move(misses));
      } else {
        note("the processor's counters cannot be used alongside the simulation: " + why_not);
      }
    }
  }
  return all;
}

namespace {

Json run(Session &session) {
  if (session.quick) {
    session.note("cache misses are left out by --quick");
    return Json::array();
  }
  return measure_cache_misses(session.program, {2, 16, 65536}, session.progress, session.note);
}

std::vector<TextTable> tables(const Json &rows) {
  const auto all = rows_of<CacheMisses>(rows);
  TextTable table(1, "Cache misses per put, round robin (Table IV), " + all.front().source);
  table.row({"", "peers", "L1D", "L2", "L3", "simulated"});
  for (const CacheMisses &misses : all) {
    table.row({misses.scheme, grouped(static_cast<std::uint64_t>(misses.peers)), optional_text(misses.l1d, "{:.4f}"),
               optional_text(misses.l2, "{:.4f}"), optional_text(misses.last_level, "{:.4f}"),
               misses.simulated ? "yes" : "no"});
  }
  return {table};
}

} // namespace

const Measurement kCacheMisses = {"cache_misses_per_put", nullptr, true, run, tables};

} // namespace avrankmap::bench
