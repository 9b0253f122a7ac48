// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/application_patterns.h"

#include "avrankmap/avrankmap.h"
#include "baseline/translation_caches.h"
#include "communicators/torus.h"
#include "schemes/issue_path.h"
#include "support/in_turn.h"
#include "support/owned_map.h"
#include "support/require.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

/// Our maps of the communicators, and the table of addresses that all ways share.
class Maps {
public:
  explicit Maps(const ApplicationPattern &pattern) {
    const avrm_instance_options_t options{nullptr, false, AVRM_COST_BYTES, false};
    require(avrm_instance_create(&options, &instance_));
    const std::int32_t size = std::accumulate(pattern.world.begin(), pattern.world.end(), 1, std::multiplies<>());
    require(avrm_av_create(instance_, size, nullptr, &av_));
    for (std::int32_t lpid = 0; lpid < size; ++lpid) {
      avrm_ave_t ave{};
      require(avrm_ofi_pack(address_of({0, lpid}), 0, &ave));
      require(avrm_av_set(av_, lpid, &ave));
    }
    for (const PatternComm &comm : pattern.comms) {
      maps_.push_back(make_map(avrm_rankmap_create_lpids, instance_, av_->pgid,
                               static_cast<std::int32_t>(comm.world_ranks.size()), comm.world_ranks.data(),
                               static_cast<unsigned>(AVRM_RANKMAP_DEFAULT)));
      require(avrm_rankmap_bind(maps_.back().get()));
    }
  }
  ~Maps() {
    maps_.clear();
    avrm_av_release(av_);
    (void)avrm_instance_destroy(instance_);
  }
  Maps(const Maps &) = delete;
  Maps &operator=(const Maps &) = delete;

  [[nodiscard]] const avrm_rankmap_t *map(std::size_t comm) const { return maps_[comm].get(); }
  [[nodiscard]] const avrm_ave_t *elements() const { return av_->elements; }

private:
  avrm_instance_t *instance_ = nullptr;
  avrm_av_t *av_ = nullptr;
  std::vector<OwnedMap> maps_;
};

/// Hands one message per peer to the network; as between calls from an application, nothing is
/// kept in registers.
template <class WordOf>
void issue_phase(IssueContext &context, const std::vector<std::int32_t> &ranks, WordOf &&word_of) {
  for (const std::int32_t rank : ranks) {
    __asm__ volatile("" : : : "memory");
    write_isend(context, avrm_ofi_address(word_of(rank)));
  }
}

/// The communicators of the pattern in the other paper's library.
template <class Cache> class Theirs {
public:
  Theirs(const ApplicationPattern &pattern, const Maps &maps, bool table) : pattern_(pattern), maps_(maps) {
    for (const PatternComm &comm : pattern.comms) {
      const std::optional<CartesianVcrt> vcrt = CartesianVcrt::compress(pattern.world, comm.world_ranks);
      if (!vcrt) {
        throw std::runtime_error(comm.name + " is no part of the rectangle");
      }
      comms_.push_back(table ? std::make_unique<CachedVcrt<Cache>>(*vcrt, comm.world_ranks.data())
                             : std::make_unique<CachedVcrt<Cache>>(*vcrt));
      for (std::size_t rank = 0; rank < comm.world_ranks.size(); ++rank) {
        const auto r = static_cast<std::int32_t>(rank);
        if (comms_.back()->translate(r) != comm.world_ranks[rank] ||
            avrm_rankmap_gpid(maps.map(comms_.size() - 1), r).lpid != comm.world_ranks[rank]) {
          throw std::runtime_error("wrong process in " + comm.name);
        }
      }
    }
  }

  void pass(IssueContext &context) const {
    const avrm_ave_t *const elements = maps_.elements();
    for (const PatternPhase &phase : pattern_.phases) {
      CachedVcrt<Cache> &comm = *comms_[phase.comm];
      issue_phase(context, phase.ranks,
                  [&](std::int32_t rank) { return avrm_ave_word(elements + comm.translate(rank)); });
    }
  }

  /// Calls of the mapping function so far.
  [[nodiscard]] std::uint64_t misses() const {
    std::uint64_t sum = 0;
    for (const auto &comm : comms_) {
      sum += comm->misses();
    }
    return sum;
  }

private:
  const ApplicationPattern &pattern_;
  const Maps &maps_;
  std::vector<std::unique_ptr<CachedVcrt<Cache>>> comms_;
};

} // namespace

std::size_t ApplicationPattern::messages() const {
  std::size_t sum = 0;
  for (const PatternPhase &phase : phases) {
    sum += phase.ranks.size();
  }
  return sum;
}

ApplicationPattern fft_pattern(std::int32_t side) {
  ApplicationPattern pattern{"3-D FFT", {side, side}, {{"row", {}}, {"column", {}}}, {}};
  const std::int32_t middle = side / 2;
  std::vector<std::int32_t> others;
  for (std::int32_t i = 0; i < side; ++i) {
    pattern.comms[0].world_ranks.push_back(middle * side + i);
    pattern.comms[1].world_ranks.push_back(i * side + middle);
    if (i != middle) {
      others.push_back(i);
    }
  }
  pattern.phases = {{0, others}, {1, others}, {1, others}, {0, others}};
  return pattern;
}

ApplicationPattern amg_pattern(const Extents &grid) {
  const Torus torus{grid};
  ApplicationPattern pattern{"AMG", Extents(grid.rbegin(), grid.rend()), {{"grid", torus.reversed()}}, {}};
  const auto place = [](std::int32_t i, std::int32_t extent) { return (i + extent) % extent; };
  std::vector<PatternPhase> down;
  for (std::int32_t distance = 1; 2 * distance < *std::min_element(grid.begin(), grid.end()); distance *= 2) {
    PatternPhase level{0, {}};
    for (std::int32_t z = -distance; z <= distance; z += distance) {
      for (std::int32_t y = -distance; y <= distance; y += distance) {
        for (std::int32_t x = -distance; x <= distance; x += distance) {
          if (x != 0 || y != 0 || z != 0) {
            level.ranks.push_back(place(grid[0] / 2 + x, grid[0]) +
                                  grid[0] *
                                      (place(grid[1] / 2 + y, grid[1]) + grid[1] * place(grid[2] / 2 + z, grid[2])));
          }
        }
      }
    }
    down.push_back(std::move(level));
  }
  pattern.phases = down;
  pattern.phases.insert(pattern.phases.end(), down.rbegin(), down.rend());
  return pattern;
}

std::vector<PatternCost> measure_pattern(const ApplicationPattern &pattern, int rounds, double seconds) {
  const Maps maps(pattern);
  const Theirs<NoCache> table(pattern, maps, true);
  const Theirs<NoCache> function(pattern, maps, false);
  const Theirs<PaperCache> cache(pattern, maps, false);
  const auto context = std::make_unique<IssueContext>();
  const auto passes = [&](const auto &theirs) {
    return [&](std::int64_t count) {
      for (; count > 0; --count) {
        theirs.pass(*context);
      }
    };
  };
  const auto ours = [&](std::int64_t count) {
    for (; count > 0; --count) {
      for (const PatternPhase &phase : pattern.phases) {
        const avrm_rankmap_t *const map = maps.map(phase.comm);
        issue_phase(*context, phase.ranks, [&](std::int32_t rank) { return avrm_rankmap_word(map, rank); });
      }
    }
  };
  const auto times = time_in_turn({passes(table), passes(function), passes(cache), ours}, rounds, seconds);
  const std::uint64_t before = cache.misses();
  cache.pass(*context);
  const auto messages = static_cast<double>(pattern.messages());
  const double misses = static_cast<double>(cache.misses() - before) / messages;

  const char *const names[] = {"plain table", "mapping function", "128 x 8", "ours"};
  std::vector<PatternCost> costs;
  for (std::size_t i = 0; i < times.size(); ++i) {
    costs.push_back({names[i], median(times[i]) / messages * 1e9, median_ratio(times[i], times[0]),
                     i == 1   ? 1
                     : i == 2 ? misses
                              : 0});
  }
  return costs;
}

} // namespace avrankmap::bench
