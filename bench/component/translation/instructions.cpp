// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/instructions.h"

#include "avrankmap/avrankmap.h"
#include "counters/single_step.h"
#include "schemes/probes.h"
#include "support/require.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kWorld = 65536;
constexpr std::int32_t kTable = 490; // ranks of samples that have a table

using Processes = std::vector<avrm_gpid_t>;

/// Two worlds of addresses, in an instance that looks for the fewest bytes or keeps tables as they
/// are.
class Worlds {
public:
  explicit Worlds(avrm_cost_t cost) {
    avrm_instance_options_t options{};
    options.cost = cost;
    require(avrm_instance_create(&options, &instance_));
    for (avrm_av_t *&av : avs_) {
      require(avrm_av_create(instance_, kWorld, nullptr, &av));
      for (std::int32_t lpid = 0; lpid < kWorld; ++lpid) {
        avrm_ave_t ave{};
        require(avrm_ofi_pack(static_cast<std::uint64_t>(lpid), 0, &ave));
        require(avrm_av_set(av, lpid, &ave));
      }
    }
  }
  ~Worlds() {
    avrm_rankmap_destroy(&map_);
    for (avrm_av_t *const av : avs_) {
      avrm_av_release(av);
    }
    (void)avrm_instance_destroy(instance_);
  }
  Worlds(const Worlds &) = delete;
  Worlds &operator=(const Worlds &) = delete;

  /// The map of these processes, but for those at some ranks, until the next one is made.
  const avrm_rankmap_t *make(const Processes &processes, const std::vector<std::int32_t> &removed) {
    avrm_rankmap_destroy(&map_);
    avrm_rankmap_t all{};
    require(
        avrm_rankmap_create_gpids(instance_, static_cast<std::int32_t>(processes.size()), processes.data(), 0, &all));
    const avrm_status_t status = avrm_rankmap_create_without(&all, static_cast<std::int32_t>(removed.size()),
                                                             removed.data(), AVRM_RANKMAP_DEFAULT, &map_);
    avrm_rankmap_destroy(&all);
    require(status);
    require(avrm_rankmap_bind(&map_));
    return &map_;
  }

private:
  avrm_instance_t *instance_ = nullptr;
  avrm_av_t *avs_[2] = {};
  avrm_rankmap_t map_{};
};

Processes regular(std::int32_t size, std::int32_t offset, std::int32_t stride, std::int32_t block = 1) {
  Processes processes;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    processes.push_back({0, offset + rank / block * stride + rank % block});
  }
  return processes;
}

/// A transposed box: its first dimension is the one that counts slowest in the world.
Processes box(const std::vector<std::int32_t> &extents) {
  const std::int32_t size = std::accumulate(extents.begin(), extents.end(), 1, std::multiplies<>());
  Processes processes;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    std::int32_t lpid = 0;
    std::int32_t rest = rank;
    for (const std::int32_t extent : extents) {
      lpid = lpid * extent + rest % extent;
      rest /= extent;
    }
    processes.push_back({0, lpid});
  }
  return processes;
}

/// Runs of unequal lengths and strides, in the worlds in turn.
Processes runs(std::int32_t count, std::int32_t worlds) {
  Processes processes;
  for (std::int32_t run = 0; run < count; ++run) {
    for (std::int32_t i = 0; i < 20 + run % 5; ++i) {
      processes.push_back({run % worlds, 60 * run + (run % 2 + 1) * i});
    }
  }
  return processes;
}

Processes scattered(std::int32_t worlds) {
  constexpr std::int64_t kPrime = 997; // squares below half of it are all different
  Processes processes;
  for (std::int64_t rank = 0; rank < kTable; ++rank) {
    processes.push_back(
        {static_cast<std::int32_t>(rank % 3 % worlds), static_cast<std::int32_t>(rank * rank % kPrime)});
  }
  return processes;
}

/// So many of 10,000 ranks, in ascending order.
std::vector<std::int32_t> every(std::int32_t count) {
  std::vector<std::int32_t> ranks;
  for (std::int32_t i = 0; i < count; ++i) {
    ranks.push_back(5 + 9990 / count * i);
  }
  return ranks;
}

struct Sample {
  avrm_mode_t mode;
  const char *name;
  Processes processes;
  std::uint64_t bytes; ///< that it takes in addition to the map's own
  avrm_cost_t cost = AVRM_COST_BYTES;
  std::vector<std::int32_t> removed{}; ///< ranks that the map is without; not the last one
};

constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};

std::vector<Sample> samples() {
  return {{AVRM_MODE_DIRECT, "", regular(1000, 0, 1), 0},
          {AVRM_MODE_OFFSET, "", regular(1000, 500, 1), 0},
          {AVRM_MODE_STRIDE, "", regular(1000, 5, 9), 0},
          {AVRM_MODE_BLOCKED, "", regular(1000, 7, 20, 6), 0},
          {AVRM_MODE_CART, "3-D", box({9, 8, 7}), 8 + 2 * 16},
          {AVRM_MODE_CART, "5-D", box({3, 4, 3, 2, 3}), 8 + 4 * 16},
          {AVRM_MODE_SEGMENTS, "2 runs", runs(2, 2), 16 + 2 * 16 + 2 * 12},
          {AVRM_MODE_SEGMENTS, "31 runs", runs(31, 1), 16 + 31 * 16 + 12 + 44 * 4},
          {AVRM_MODE_SEGMENTS, "1,000 runs", runs(1000, 1), kAnyBytes},
          {AVRM_MODE_LUT, "", scattered(1), 16 + 4 * kTable, AVRM_COST_SPEED},
          {AVRM_MODE_MLUT, "", scattered(2), 16 + 8 * kTable + 2 * 16, AVRM_COST_SPEED},
          {AVRM_MODE_LESS, "blocked, 10 removed", regular(10000, 7, 20, 6), 48 + 4 * 10, AVRM_COST_BYTES, every(10)},
          {AVRM_MODE_LESS, "3-D, 1,000 removed", box({25, 16, 25}), kAnyBytes, AVRM_COST_BYTES, every(1000)}};
}

std::string name_of(const FormCost &cost) {
  return cost.sample.empty() ? cost.form : fmt::format("{}, {}", cost.form, cost.sample);
}

Json run(Session &session) { return measure_forms_cost(session.note); }

std::vector<TextTable> tables(const Json &rows) {
  TextTable table(1, "Forms: bytes without the map's own 56, and instructions from (rankmap, rank) to the address "
                     "word, single-stepped");
  table.row({"form", "ranks", "bytes", "instructions"});
  for (const FormCost &cost : rows_of<FormCost>(rows)) {
    table.row({name_of(cost), std::to_string(cost.ranks), grouped(cost.bytes), std::to_string(cost.instructions)});
  }
  return {table};
}

void judge(const Json &rows, Budgets &budgets) {
  Budgets::Values &divisions = budgets.at_most(0, "divisions, rank to address");
  for (const FormCost &cost : rows_of<FormCost>(rows)) {
    divisions.add(static_cast<double>(cost.divisions), name_of(cost));
  }
}

} // namespace

std::vector<FormCost> measure_forms_cost(const Log &note) {
  Worlds small(AVRM_COST_BYTES);
  Worlds plain(AVRM_COST_SPEED);
  std::vector<FormCost> costs;
  for (const Sample &sample : samples()) {
    const avrm_rankmap_t *const map =
        (sample.cost == AVRM_COST_BYTES ? small : plain).make(sample.processes, sample.removed);
    avrm_rankmap_info_t info{};
    require(avrm_rankmap_describe(map, &info));
    const std::uint64_t bytes = info.own_bytes + info.table_bytes - sizeof(avrm_rankmap_t);
    const char *const form = avrm_mode_label(sample.mode);
    if (info.mode != sample.mode || (sample.bytes != kAnyBytes && bytes != sample.bytes)) {
      throw std::runtime_error(fmt::format("a sample of {} {} became {} of {} bytes instead of {}", form, sample.name,
                                           avrm_mode_label(info.mode), bytes, sample.bytes));
    }
    const std::int32_t ranks = avrm_rankmap_size(map);
    const auto word = static_cast<std::uint64_t>(sample.processes.back().lpid) + 1;
    require(avrm_bench_word(map, ranks - 1) == word, "a sample of a form has a wrong address");
    const auto counted =
        counters::count_call(avrm_bench_word, [&] { static_cast<void>(avrm_bench_word(map, ranks - 1)); });
    if (!counted.ok()) {
      note("instruction counts are left out: " + counted.message());
      return {};
    }
    costs.push_back(
        {form, sample.name, ranks, bytes, counted->instructions, counted->count(counters::InstructionKind::divide)});
  }
  return costs;
}

const Measurement kInstructions = {"instructions", nullptr, true, run, tables, judge};

} // namespace avrankmap::bench
