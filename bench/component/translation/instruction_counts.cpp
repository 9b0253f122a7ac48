// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/instruction_counts.h"

#include "communicators/shapes.h"
#include "component/dispatch/dispatch.h"
#include "counters/single_step.h"
#include "schemes/probes.h"
#include "schemes/schemes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPeers = 64;
constexpr std::int32_t kRank = 37;

// Table III by mode (direct, offset, stride, lut, mlut), and VC-VCRT's seven instructions.
struct PaperRow {
  std::string_view path;
  std::array<int, 5> counts;
};
constexpr PaperRow kPaper[] = {
    {"dispatch/switch", {9, 11, 13, 11, 15}},
    {"dispatch/hybrid", {8, 12, 16, 18, 21}},
    {"dispatch/goto_called", {22, 24, 26, 24, 28}},
    {"vc-vcrt", {7, 7, 7, 7, 7}},
};

std::optional<int> paper_count(std::string_view path, avrm_mode_t mode) {
  constexpr avrm_mode_t kModes[] = {AVRM_MODE_DIRECT, AVRM_MODE_OFFSET, AVRM_MODE_STRIDE, AVRM_MODE_LUT,
                                    AVRM_MODE_MLUT};
  const auto row =
      std::find_if(std::begin(kPaper), std::end(kPaper), [&](const PaperRow &r) { return r.path == path; });
  const auto column = std::find(std::begin(kModes), std::end(kModes), mode);
  if (row == std::end(kPaper) || column == std::end(kModes)) {
    return std::nullopt;
  }
  return row->counts[static_cast<std::size_t>(column - std::begin(kModes))];
}

template <Scheme S> struct Built {
  S scheme;
  typename S::Comm comm;
  explicit Built(const Shape &shape) : comm(make(scheme, shape)) {}

  static typename S::Comm make(S &scheme, const Shape &shape) {
    for (const std::int32_t size : world_sizes(kPeers)) {
      scheme.add_world(size);
    }
    return shape.parent_ranks.empty() ? scheme.make_merged(shape.processes)
                                      : scheme.make_child(scheme.make_world(0), shape.parent_ranks);
  }
};

/// Takes counts until one cannot be made.
class Counter {
public:
  /// Counts probe(object, kRank), which has to return `expected`.
  template <class T>
  void count(std::string path, avrm_mode_t mode, std::uint64_t (*probe)(const T *, std::int32_t) noexcept,
             const T *object, std::uint64_t expected) {
    if (!failure_.empty()) {
      return;
    }
    if (probe(object, kRank) != expected) {
      throw std::runtime_error(fmt::format("{}, {}: wrong address", path, avrm_mode_label(mode)));
    }
    const auto counted = counters::count_call(probe, [&] { static_cast<void>(probe(object, kRank)); });
    if (!counted.ok()) {
      failure_ = counted.message();
      return;
    }
    const std::optional<int> paper = paper_count(path, mode);
    counts_.push_back({std::move(path), avrm_mode_label(mode), counted->instructions, paper});
  }

  template <Scheme S>
  void count_scheme(const Shape &shape, avrm_mode_t mode,
                    std::uint64_t (*probe)(const typename S::Comm *, std::int32_t) noexcept) {
    const Built<S> built(shape);
    count<typename S::Comm>(S::kName, mode, probe, &built.comm, address_of(shape.processes[kRank]));
  }

  /// All of them; none if one could not be made.
  std::vector<InstructionCount> take(const Log &note) {
    if (!failure_.empty()) {
      note("instruction counts left out: " + failure_);
      counts_.clear();
    }
    return std::move(counts_);
  }

private:
  std::vector<InstructionCount> counts_;
  std::string failure_;
};

} // namespace

std::vector<InstructionCount> count_instructions_of_all(const Log &note) {
  Counter counter;
  for (int number = 0; number <= AVRM_MODE_MLUT; ++number) {
    const auto mode = static_cast<avrm_mode_t>(number);
    const Shape shape = make_shape(mode, kPeers);
    const Built<AvrankmapScheme> built(shape);
    if (AvrankmapScheme::mode(built.comm) != mode) {
      throw std::runtime_error(fmt::format("the {} communicator got another mode", avrm_mode_label(mode)));
    }
    const avrm_rankmap_t *const map = &built.comm.map();
    const std::uint64_t word = address_of(shape.processes[kRank]) + 1;
    counter.count(AvrankmapScheme::kName, mode, &avrm_bench_word, map, word);
#define AVRM_BENCH_COUNT_WAY(way) counter.count("dispatch/" #way, mode, &avrm_bench_dispatch_##way, map, word);
    AVRM_BENCH_DISPATCH_LIST(AVRM_BENCH_COUNT_WAY)
#undef AVRM_BENCH_COUNT_WAY
    counter.count_scheme<VcVcrt>(shape, mode, &avrm_bench_word_vc_vcrt);
    counter.count_scheme<Mpich4>(shape, mode, &avrm_bench_word_mpich4);
    counter.count_scheme<Mpich5>(shape, mode, &avrm_bench_word_mpich5);
    counter.count_scheme<OmpiDense>(shape, mode, &avrm_bench_word_ompi);
    counter.count_scheme<OmpiSparse>(shape, mode, &avrm_bench_word_ompi_sparse);
    counter.count_scheme<Raw>(shape, mode, &avrm_bench_word_raw);
  }
  return counter.take(note);
}

namespace {

Json run(Session &session) { return count_instructions_of_all(session.note); }

std::vector<TextTable> tables(const Json &rows) {
  const auto counts = rows_of<InstructionCount>(rows);
  const auto modes = distinct(counts, [](const InstructionCount &c) { return c.mode; });
  TextTable table(1, "Instructions, (communicator, rank) to address word, by scheme and by way to dispatch; in "
                     "brackets: Table III of the paper");
  std::vector<std::string> header{""};
  header.insert(header.end(), modes.begin(), modes.end());
  table.row(std::move(header));
  for (const std::string &path : distinct(counts, [](const InstructionCount &c) { return c.path; })) {
    std::vector<std::string> cells{path};
    for (const std::string &mode : modes) {
      const auto count = std::find_if(counts.begin(), counts.end(),
                                      [&](const InstructionCount &c) { return c.path == path && c.mode == mode; });
      cells.push_back(count == counts.end() ? "-"
                      : count->paper        ? fmt::format("{} [{}]", count->instructions, *count->paper)
                                            : std::to_string(count->instructions));
    }
    table.row(std::move(cells));
  }
  return {table};
}

} // namespace

const Measurement kInstructionStudy = {"instruction_study", nullptr, true, run, tables};

} // namespace avrankmap::bench
