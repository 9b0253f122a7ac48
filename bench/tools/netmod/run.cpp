// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/netmod/run.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include <fmt/format.h>

#include "avrankmap/device/boot.h"
#include "core/transport_table.h"
#include "tools/netmod/checks.h"

namespace avrankmap::netmod_test {

namespace {

struct Run {
  const Settings *settings;
  Shared *shared;
  std::size_t first; // check
  std::size_t end;   // behind the last one
};

constexpr int kUnavailable = 77;

bool applies(const Check &check, const Settings &settings, unsigned capabilities) {
  const avrm_netmod_ops_t &ops = *settings.ops;
  if (!settings.check.empty() && settings.check != check.name) {
    return false;
  }
  const bool delivers = (capabilities & AVRM_NETMOD_DELIVERS) != 0;
  if (check.body == lost_messages && delivers) {
    return false;
  }
  return (capabilities & check.capabilities) == check.capabilities && (check.applies == nullptr || check.applies(ops));
}

// One process: runs the checks of a stage with one netmod.
int run_side(avrm_boot_t *boot, void *user) {
  const Run &run = *static_cast<const Run *>(user);
  Shared &shared = *run.shared;
  watch_calls(shared, run.settings->seconds);
  Side side(*run.settings, shared, avrm_boot_rank(boot), avrm_boot_size(boot));
  if (!side.open()) {
    return kUnavailable;
  }
  for (std::size_t i = run.first; i < run.end; ++i) {
    const Check &check = all_checks()[i];
    if (!applies(check, *run.settings, shared.capabilities)) {
      continue;
    }
    shared.next_check = static_cast<int>(i);
    check.body(side);
    side.settle();
    if (side.net != nullptr && check.stage != Stage::kDeath) {
      side.barrier();
    }
    for (const Sentence sentence : check.sentences) {
      side.tried(sentence);
    }
  }
  if (side.net != nullptr) {
    side.close();
  }
  return 0;
}

// Runs checks of one stage from `first` on. Returns where to go on.
std::size_t run_stage(const Settings &settings, Shared &shared, std::size_t first, Report *report) {
  const std::span<const Check> checks = all_checks();
  const Stage stage = checks[first].stage;
  std::size_t end = first + 1;
  while (stage == Stage::kTogether && end < checks.size() && checks[end].stage == stage) {
    ++end;
  }
  for (auto &here : shared.here) {
    here = 0;
  }
  shared.word = 0;
  shared.breached = 0;
  shared.next_check = static_cast<int>(first);
  Run run{&settings, &shared, first, end};
  avrm_fork_options_t options{};
  options.size = stage == Stage::kDeath ? 3 : 2;
  options.per_node = 1;
  options.timeout_ms = static_cast<std::int32_t>(settings.seconds * 30000);
  options.kill_on_failure = stage == Stage::kDeath ? 0 : 1;
  std::int32_t codes[kSidesMost] = {};
  const avrm_status_t status = avrm_boot_fork_run(&options, run_side, &run, codes);
  const auto reached = static_cast<std::size_t>(shared.next_check);
  if (status != AVRM_OK && status != AVRM_ERR_TIMEOUT) {
    throw std::runtime_error(fmt::format("processes cannot be forked: {}", avrm_status_name(status)));
  }
  if (shared.breached == kLacking) {
    report->lacks_resources = true;
    for (const Sentence sentence : checks[reached].sentences) {
      report->findings[static_cast<std::size_t>(sentence)].observation =
          fmt::format("{} ({})", shared.observation, checks[reached].name);
    }
    return reached + 1;
  }
  if (shared.breached != 0) {
    Finding &finding = report->findings[static_cast<std::size_t>(shared.breached - 1)];
    if (finding.verdict != Verdict::kBroken) {
      finding = {Verdict::kBroken, fmt::format("{} ({})", shared.observation, checks[reached].name)};
    }
    return reached + 1;
  }
  if (shared.unavailable != 0) {
    report->unavailable = fmt::format("{}: {}", avrm_status_text(static_cast<avrm_status_t>(shared.unavailable.load())),
                                      shared.observation);
    return checks.size();
  }
  const bool has_died = std::any_of(codes, codes + (stage == Stage::kDeath ? 2 : options.size),
                                    [](std::int32_t code) { return code != 0; });
  if (has_died) { // within a check, by a signal
    const Sentence subject = checks[reached].sentences.empty() ? Sentence::kOnce : checks[reached].sentences.back();
    Finding &finding = report->findings[static_cast<std::size_t>(subject)];
    finding = {Verdict::kBroken,
               fmt::format("a process ended with codes {} and {} ({})", codes[0], codes[1], checks[reached].name)};
    return reached + 1;
  }
  return end;
}

class SharedMemory {
public:
  SharedMemory() : memory_(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (memory_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
  }
  ~SharedMemory() { munmap(memory_, sizeof(Shared)); }
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;
  Shared &operator*() const { return *new (memory_) Shared(); }

private:
  void *memory_;
};

} // namespace

int Report::broken() const {
  return static_cast<int>(std::count_if(findings.begin(), findings.end(),
                                        [](const Finding &finding) { return finding.verdict == Verdict::kBroken; }));
}

Report run_checks(const Settings &settings) {
  Report report;
  report.findings.resize(kSentenceCount);
  const detail::TableVerdict verdict = detail::check_table(*settings.ops);
  if (verdict.status != AVRM_OK) {
    const Sentence sentence = verdict.status == AVRM_ERR_VERSION ? Sentence::kVersion : Sentence::kTable;
    report.findings[static_cast<std::size_t>(sentence)] = {Verdict::kBroken, verdict.text};
    return report;
  }
  avrm_netmod_ops_t copy;
  Settings whole = settings;
  whole.ops = detail::whole_table(settings.ops, &copy);
  const SharedMemory memory;
  Shared &shared = *memory;
  for (std::size_t next = 0; next < all_checks().size();) {
    // Processes of their own are not forked in vain.
    const Check &check = all_checks()[next];
    const bool is_wanted = settings.check.empty() || check.stage == Stage::kTogether || settings.check == check.name;
    next = is_wanted ? run_stage(whole, shared, next, &report) : next + 1;
  }
  for (std::size_t i = 0; i < kSentenceCount; ++i) {
    if (shared.tried[i] != 0 && report.findings[i].verdict == Verdict::kUntried) {
      report.findings[i].verdict = Verdict::kHolds;
    }
  }
  return report;
}

} // namespace avrankmap::netmod_test
