// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper, figures 3 to 8: the instructions of the translation. Single steps record
// what a call executes; objdump prints it. The translation that is shipped is listed with the
// paper's way to dispatch.
#include "communicators/shapes.h"
#include "component/dispatch/dispatch.h"
#include "counters/single_step.h"
#include "counters/subprocess.h"
#include "papers/experiments/catalogue.h"
#include "schemes/avrankmap_scheme.h"
#include "schemes/probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPeers = 64;
constexpr std::int32_t kRank = 37;

/// An instruction without the comment or the name of a target that objdump appends.
std::string without_remarks(std::string instruction) {
  instruction.erase(std::min({instruction.size(), instruction.find('#'), instruction.find('<')}));
  instruction.erase(instruction.find_last_not_of(" \t") + 1);
  return instruction;
}

/// Text of a function's instructions by offset from its first one; empty if objdump cannot be run.
std::map<std::uint64_t, std::string> disassemble(const std::string &symbol) {
  std::map<std::uint64_t, std::string> lines;
  const auto scratch = counters::ScratchFolder::create();
  const auto objdump = counters::find_program("objdump");
  if (!scratch.ok() || !objdump) {
    return lines;
  }
  const auto end = counters::run_process({*objdump, "--disassemble=" + symbol, "--no-show-raw-insn", "-M", "intel",
                                          std::filesystem::read_symlink("/proc/self/exe").string()},
                                         *scratch);
  if (!end.ok() || !end->succeeded()) {
    return lines;
  }
  std::istringstream text(end->output);
  std::optional<std::uint64_t> first;
  for (std::string line; std::getline(text, line);) {
    char *rest = nullptr;
    const std::uint64_t address = std::strtoull(line.c_str(), &rest, 16);
    if (rest == line.c_str() || rest[0] != ':' || rest[1] != '\t') {
      continue;
    }
    first = first.value_or(address);
    lines[address - *first] = without_remarks(rest + 2);
  }
  return lines;
}

/// The instructions of a call, one numbered line each; no lines if objdump cannot be run.
struct Executed {
  std::uint64_t instructions = 0;
  std::string text;
  std::string failure;
};

template <class T>
Executed execute(const std::string &symbol, std::uint64_t (*probe)(const T *, std::int32_t) noexcept, const T *object) {
  (void)probe(object, kRank);
  const auto counted = counters::count_call(probe, [&] { static_cast<void>(probe(object, kRank)); });
  if (!counted.ok()) {
    return {0, {}, counted.message()};
  }
  Executed executed{counted->instructions, {}, {}};
  const std::map<std::uint64_t, std::string> lines = disassemble(symbol);
  int number = 0;
  for (const counters::Step &step : counted->trace) {
    const counters::InstructionKind kind = step.decode().kind;
    if (lines.empty() || kind == counters::InstructionKind::landing_pad || kind == counters::InstructionKind::ret) {
      continue;
    }
    const auto line = lines.find(step.address - reinterpret_cast<std::uint64_t>(probe));
    executed.text +=
        fmt::format("{:3} {}\n", ++number, line == lines.end() ? "(in a function that it calls)" : line->second);
  }
  if (lines.empty()) {
    executed.failure = "instructions are counted but not listed: objdump cannot be used (Debian and Ubuntu: binutils)";
  }
  return executed;
}

/// Adds a listing, or why there is none.
void show(Result &result, const std::string &title, const Executed &executed, Value paper) {
  if (!executed.failure.empty() &&
      std::find(result.omissions.begin(), result.omissions.end(), executed.failure) == result.omissions.end()) {
    result.omissions.push_back(executed.failure);
  }
  if (executed.instructions != 0) {
    result.listings.push_back({title, {static_cast<double>(executed.instructions), std::move(paper)}, executed.text});
  }
}

/// A rankmap of one mode.
class Map {
public:
  explicit Map(avrm_mode_t mode) : comm_(make(mode)) {}
  [[nodiscard]] const avrm_rankmap_t *get() const { return &comm_.map(); }

private:
  AvrankmapScheme::Comm make(avrm_mode_t mode) {
    for (const std::int32_t size : world_sizes(kPeers)) {
      scheme_.add_world(size);
    }
    return scheme_.make_child(scheme_.make_world(0), make_shape(mode, kPeers).parent_ranks);
  }
  AvrankmapScheme scheme_;
  AvrankmapScheme::Comm comm_;
};

using DispatchProbe = std::uint64_t (*)(const avrm_rankmap_t *, std::int32_t) noexcept;

Result list_dispatch(avrm_mode_t mode, const char *way, DispatchProbe probe, double paper, const std::string &differs) {
  const Map map(mode);
  const std::string label = avrm_mode_label(mode);
  Result result;
  show(result, fmt::format("{}, the paper's {}", label, way),
       execute(fmt::format("avrm_bench_dispatch_{}", way), probe, map.get()), paper);
  show(result, fmt::format("{}, ours", label), execute("avrm_bench_word", &avrm_bench_word, map.get()), {});
  result.note = "Counted by single steps; the paper's way to dispatch runs on our structures. " + differs;
  return result;
}

constexpr const char *kPosition = "Position-independent code: a jump table costs two instructions more.";
constexpr const char *kNoCall = "Neither listing has the call that the paper's table III includes.";

} // namespace

Result run_vc_vcrt_listing(Context & /*context*/) {
  VcVcrt scheme;
  scheme.add_world(world_sizes(kPeers).front());
  const VcVcrt::Comm comm = scheme.make_child(scheme.make_world(0), make_shape(AVRM_MODE_STRIDE, kPeers).parent_ranks);
  Result result;
  show(result, "VC-VCRT", execute("avrm_bench_word_vc_vcrt", &avrm_bench_word_vc_vcrt, &comm), 7.0);
  const Map map(AVRM_MODE_DIRECT);
  show(result, "direct, ours", execute("avrm_bench_word", &avrm_bench_word, map.get()), {});
  result.note =
      "Counted by single steps. In the paper's listing two loads fetch the table, and its entries are indices; "
      "in ours the table is an argument, and its entries are pointers.";
  return result;
}
Result run_switch_direct_listing(Context & /*context*/) {
  return list_dispatch(AVRM_MODE_DIRECT, "switch", &avrm_bench_dispatch_switch, 9, kPosition);
}
Result run_switch_stride_listing(Context & /*context*/) {
  return list_dispatch(AVRM_MODE_STRIDE, "switch", &avrm_bench_dispatch_switch, 13, kPosition);
}
Result run_hybrid_direct_listing(Context & /*context*/) {
  return list_dispatch(AVRM_MODE_DIRECT, "hybrid", &avrm_bench_dispatch_hybrid, 8, kPosition);
}
Result run_hybrid_stride_listing(Context & /*context*/) {
  return list_dispatch(AVRM_MODE_STRIDE, "hybrid", &avrm_bench_dispatch_hybrid, 16,
                       "Three cascaded ifs before a switch, as in the paper's listing.");
}
Result run_goto_direct_listing(Context & /*context*/) {
  return list_dispatch(AVRM_MODE_DIRECT, "goto", &avrm_bench_dispatch_goto, 7, kNoCall);
}
Result run_goto_stride_listing(Context & /*context*/) {
  return list_dispatch(AVRM_MODE_STRIDE, "goto", &avrm_bench_dispatch_goto, 11, kNoCall);
}

} // namespace avrankmap::bench
