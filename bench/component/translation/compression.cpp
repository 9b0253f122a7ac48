// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/compression.h"

#include "avrankmap/avrankmap.h"
#include "communicators/shapes.h"
#include "support/require.h"
#include "support/statistics.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

using Processes = std::vector<avrm_gpid_t>;

constexpr std::int32_t kWorld = 786432;
constexpr std::int32_t kMerged = 100000;

/// An instance with its worlds, and one map at a time.
class Side {
public:
  explicit Side(avrm_cost_t cost) {
    avrm_instance_options_t options{};
    options.cost = cost;
    require(avrm_instance_create(&options, &instance_));
    for (const std::int32_t size : {kWorld, kMerged}) {
      avrm_av_t *av = nullptr;
      require(avrm_av_create(instance_, size, nullptr, &av));
      avs_.push_back(av);
      for (std::int32_t lpid = 0; lpid < size; ++lpid) {
        avrm_ave_t ave{};
        require(avrm_ofi_pack(static_cast<std::uint64_t>(lpid), 0, &ave));
        require(avrm_av_set(av, lpid, &ave));
      }
    }
  }
  ~Side() {
    avrm_rankmap_destroy(&map_);
    for (avrm_av_t *const av : avs_) {
      avrm_av_release(av);
    }
    (void)avrm_instance_destroy(instance_);
  }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  const avrm_rankmap_t *make(const Processes &processes) {
    avrm_rankmap_destroy(&map_);
    require(
        avrm_rankmap_create_gpids(instance_, static_cast<std::int32_t>(processes.size()), processes.data(), 0, &map_));
    require(avrm_rankmap_bind(&map_));
    return &map_;
  }

private:
  avrm_instance_t *instance_ = nullptr;
  std::vector<avrm_av_t *> avs_;
  avrm_rankmap_t map_{};
};

[[gnu::noinline]] std::uint64_t translate_each(const avrm_rankmap_t *map, std::span<const std::int32_t> ranks) {
  std::uint64_t sum = 0;
  for (const std::int32_t rank : ranks) {
    __asm__ volatile("" : : : "memory"); // as between two calls from an application
    sum += avrm_rankmap_word(map, rank);
  }
  return sum;
}

[[gnu::noinline]] std::uint64_t translate_chained(const avrm_rankmap_t *map, std::span<const std::int32_t> ranks) {
  std::uint64_t word = 0;
  for (const std::int32_t rank : ranks) {
    __asm__ volatile("" : : : "memory");
    // 0 of network addresses.
    word = avrm_rankmap_word(map, rank + static_cast<std::int32_t>(word >> 63));
  }
  return word;
}

std::uint64_t translate_in_bulk(const avrm_rankmap_t *map, std::span<const std::int32_t> ranks) {
  static std::vector<std::uint64_t> words;
  words.resize(ranks.size());
  require(avrm_rankmap_words(map, ranks.size(), ranks.data(), words.data()));
  return words.back();
}

using Translate = std::uint64_t (*)(const avrm_rankmap_t *, std::span<const std::int32_t>);

double seconds_of(Translate translate, const avrm_rankmap_t *map, std::span<const std::int32_t> ranks) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const std::uint64_t sum = translate(map, ranks);
  __asm__ volatile("" : : "r"(sum)); // wanted
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The same after a pass that is not timed: what the one before has left in the caches belongs
/// to another map.
double warm_seconds_of(Translate translate, const avrm_rankmap_t *map, std::span<const std::int32_t> ranks) {
  seconds_of(translate, map, ranks);
  return seconds_of(translate, map, ranks);
}

/// Rate over that of the table. Either goes first every other time.
double rate_over(Translate translate, const avrm_rankmap_t *map, const avrm_rankmap_t *table,
                 std::span<const std::int32_t> ranks, int rounds) {
  std::vector<double> own;
  std::vector<double> others;
  for (int round = 0; round < rounds; ++round) {
    if (round % 2 == 0) {
      own.push_back(warm_seconds_of(translate, map, ranks));
    }
    others.push_back(warm_seconds_of(translate, table, ranks));
    if (round % 2 != 0) {
      own.push_back(warm_seconds_of(translate, map, ranks));
    }
  }
  return median_ratio(others, own);
}

struct Case {
  const char *name;
  Processes processes;
};

Processes of_world(const std::vector<std::int32_t> &lpids) {
  Processes processes;
  for (const std::int32_t lpid : lpids) {
    processes.push_back({0, lpid});
  }
  return processes;
}

std::vector<std::int32_t> all_of_world() {
  std::vector<std::int32_t> lpids(kWorld);
  std::iota(lpids.begin(), lpids.end(), 0);
  return lpids;
}

std::vector<Case> cases() {
  std::mt19937_64 engine(1);
  std::vector<Case> all;

  std::vector<std::int32_t> roots = {1};
  for (std::int32_t lpid = 4; lpid < kWorld; lpid += 4) {
    roots.push_back(lpid);
  }
  all.push_back({"LSMS node roots: 1, 4, 8, 12, ...", of_world(roots)});

  Processes merged;
  for (const std::int32_t pgid : {0, 1}) {
    for (std::int32_t lpid = 0; lpid < kMerged; ++lpid) {
      merged.push_back({pgid, lpid});
    }
  }
  all.push_back({"two merged worlds of 100,000", std::move(merged)});

  std::vector<std::int32_t> alive = all_of_world();
  std::shuffle(alive.begin(), alive.end(), engine);
  alive.resize(alive.size() - 100);
  std::sort(alive.begin(), alive.end());
  all.push_back({"786,432 minus 100 random ranks", of_world(alive)});

  std::vector<std::int32_t> box; // 64 x 64 x 64 out of 128 x 96 x 64
  for (std::int32_t z = 0; z < 64; ++z) {
    for (std::int32_t y = 0; y < 64; ++y) {
      for (std::int32_t x = 0; x < 64; ++x) {
        box.push_back(x + 128 * (y + 96 * z));
      }
    }
  }
  all.push_back({"box of 64 x 64 x 64 out of 128 x 96 x 64", of_world(box)});

  std::vector<std::int32_t> permuted = all_of_world();
  std::shuffle(permuted.begin(), permuted.end(), engine);
  all.push_back({"random permutation of 786,432", of_world(permuted)});
  return all;
}

} // namespace

std::vector<CompressedForm> measure_compression(int rounds) {
  Side small(AVRM_COST_BYTES);
  Side plain(AVRM_COST_SPEED);
  std::vector<CompressedForm> forms;
  for (const Case &c : cases()) {
    const avrm_rankmap_t *const map = small.make(c.processes);
    const avrm_rankmap_t *const table = plain.make(c.processes);
    const auto ranks = static_cast<std::int32_t>(c.processes.size());
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
      const avrm_gpid_t wanted = c.processes[static_cast<std::size_t>(rank)];
      if (process.pgid != wanted.pgid || process.lpid != wanted.lpid) {
        throw std::runtime_error(std::string("wrong process in the map: ") + c.name);
      }
    }
    avrm_rankmap_info_t info{};
    avrm_rankmap_info_t table_info{};
    require(avrm_rankmap_describe(map, &info));
    require(avrm_rankmap_describe(table, &table_info));

    const Orders orders = make_orders(ranks);
    forms.push_back({c.name, ranks, avrm_mode_label(info.mode), info.own_bytes + info.table_bytes,
                     table_info.own_bytes + table_info.table_bytes,
                     rate_over(translate_each, map, table, orders.random, rounds),
                     rate_over(translate_chained, map, table, orders.random, rounds),
                     rate_over(translate_in_bulk, map, table, orders.random, rounds)});
  }
  return forms;
}

namespace {

Json run(Session &session) { return measure_compression(session.choose(5, 21)); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(
      2, "Compressed forms: bytes of a map, and its rate of translation in random order relative to that of the "
         "plain table: independent translations (rate / table), each depending on the previous one "
         "(chained), and all in one call (in bulk)");
  table.row({"communicator", "mode", "bytes", "as a table", "rate / table", "chained", "in bulk"});
  for (const CompressedForm &form : rows_of<CompressedForm>(rows)) {
    table.row({form.name, form.mode, grouped(form.bytes), grouped(form.bytes_lut),
               fmt::format("{:.2f}x", form.rate_vs_lut), fmt::format("{:.2f}x", form.chained_vs_lut),
               fmt::format("{:.2f}x", form.bulk_vs_lut)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  Budgets::Values &permutation = budgets.at_most(128, "bytes, random permutation, in addition to 4 per rank");
  Budgets::Values &merged = budgets.at_most(128, "bytes, two merged worlds");
  for (const CompressedForm &form : rows_of<CompressedForm>(rows)) {
    if (form.name.starts_with("random permutation")) {
      permutation.add(static_cast<double>(form.bytes) - 4.0 * form.ranks, form.mode);
    } else if (form.name.starts_with("two merged")) {
      merged.add(static_cast<double>(form.bytes), form.mode);
    }
  }
}

} // namespace

const Measurement kCompression = {"compression", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
