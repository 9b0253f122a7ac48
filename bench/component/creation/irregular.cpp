// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/creation/irregular.h"

#include "avrankmap/group.h"
#include "support/require.h"
#include "support/statistics.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <numeric>
#include <random>

namespace avrankmap::bench {
namespace {

using Ranks = std::vector<std::int32_t>;

Ranks shuffled_blocks(std::int32_t n, std::int32_t block) {
  Ranks order(static_cast<std::size_t>(n / block));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 engine(static_cast<std::uint64_t>(n));
  std::shuffle(order.begin(), order.end(), engine);
  Ranks ranks;
  for (const std::int32_t number : order) {
    for (std::int32_t i = 0; i < block; ++i) {
      ranks.push_back(number * block + i);
    }
  }
  return ranks;
}

Ranks swapped_pairs(std::int32_t n) {
  Ranks ranks;
  for (std::int32_t rank = 0; rank < n; ++rank) {
    ranks.push_back(rank ^ 1);
  }
  return ranks;
}

/// False for a rank that is not in 0 .. size - 1. By itself: compilers must not know the size.
[[gnu::noinline]] bool copy_checked(const Ranks &ranks, std::uint32_t size, std::uint32_t *copy) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto rank = static_cast<std::uint32_t>(ranks[i]);
    if (rank >= size) {
      return false;
    }
    copy[i] = rank;
  }
  return true;
}

/// Processor time of this thread, so that other threads and processes do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void must(avrm_status_t status) { require(status, "a map or a group cannot be made"); }

IrregularCreation measure(std::string order, const Ranks &ranks, int rounds) {
  const auto n = static_cast<std::int32_t>(ranks.size());
  std::vector<avrm_gpid_t> gpids;
  for (const std::int32_t rank : ranks) {
    gpids.push_back({0, rank});
  }
  avrm_instance_t *instance = nullptr;
  avrm_rankmap_t world{};
  avrm_group_t *all = nullptr;
  must(avrm_instance_create(nullptr, &instance));
  must(avrm_rankmap_create_direct(instance, 0, n, &world));
  must(avrm_group_create(&world, &all));

  const auto map = [](auto create) {
    avrm_rankmap_t made{};
    must(create(&made));
    avrm_rankmap_destroy(&made);
  };
  const std::function<void()> ways[] = {
      [&] {
        auto *const copy = static_cast<std::uint32_t *>(std::malloc(ranks.size() * sizeof(std::uint32_t)));
        require(copy != nullptr && copy_checked(ranks, static_cast<std::uint32_t>(n), copy), "a copy failed");
        benchmark::DoNotOptimize(copy);
        std::free(copy);
      },
      [&] {
        avrm_group_t *group = nullptr;
        must(avrm_group_incl(all, n, ranks.data(), &group));
        avrm_group_destroy(group);
      },
      [&] { map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_child(&world, n, ranks.data(), 0, map_p); }); },
      [&] {
        map([&](avrm_rankmap_t *map_p) {
          return avrm_rankmap_create_child(&world, n, ranks.data(), AVRM_RANKMAP_UNIQUE, map_p);
        });
      },
      [&] {
        map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_lpids(instance, 0, n, ranks.data(), 0, map_p); });
      },
      [&] {
        map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_gpids(instance, n, gpids.data(), 0, map_p); });
      },
  };
  constexpr std::size_t kWays = std::size(ways);
  std::vector<double> times[kWays]; // of the copy in seconds, of the others over that of its round
  const int repetitions = std::max(1, 60000 / n);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t way = 0; way < kWays; ++way) {
      const double before = processor_seconds();
      for (int i = 0; i < repetitions; ++i) {
        ways[way]();
      }
      const double time = (processor_seconds() - before) / repetitions;
      times[way].push_back(way == 0 ? time : time / times[0].back());
    }
  }
  avrm_group_destroy(all);
  avrm_rankmap_destroy(&world);
  must(avrm_instance_destroy(instance));
  return {std::move(order), n, median(times[0]), median(times[1]), median(times[2]), median(times[3]), median(times[4]),
          median(times[5])};
}

} // namespace

std::vector<IrregularCreation> measure_irregular_creation(const std::vector<std::int32_t> &sizes, int rounds) {
  std::vector<IrregularCreation> all;
  for (const std::int32_t n : sizes) {
    all.push_back(measure("random", shuffled_blocks(n, 1), rounds));
    all.push_back(measure("swapped pairs", swapped_pairs(n), rounds));
    if (n > 16) {
      all.push_back(measure("blocks of 16", shuffled_blocks(n, 16), rounds));
    }
  }
  return all;
}

namespace {

Json run(Session &session) {
  return measure_irregular_creation({16, 64, 256, 1024, 4096, 32768, 262144, 786432}, session.choose(11, 51));
}

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(2, "Creation from irregular ranks, time over a copy with a range check");
  table.row({"ranks", "order", "copy", "incl", "child", "unique child", "lpids", "gpids"});
  const auto ratio = [](double value) { return fmt::format("{:.2f}", value); };
  for (const IrregularCreation &row : rows_of<IrregularCreation>(rows)) {
    table.row({grouped(static_cast<std::uint64_t>(row.n)), row.order, fmt::format("{:.2f} us", row.seconds_copy * 1e6),
               ratio(row.incl), ratio(row.child), ratio(row.unique_child), ratio(row.lpids), ratio(row.gpids)});
  }
  return {table};
}

} // namespace

const Measurement kIrregularRanks = {"irregular_ranks", nullptr, true, run, tables, nullptr};

} // namespace avrankmap::bench
