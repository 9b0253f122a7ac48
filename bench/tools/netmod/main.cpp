// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// avrm-netmod-test (README.md).
#include <dlfcn.h>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/transports.h"
#include "tools/netmod/checks.h"
#include "tools/netmod/run.h"

namespace {

using namespace avrankmap::netmod_test;

// The netmod stays loaded until the program ends.
const avrm_netmod_ops_t *load(const std::string &file) {
  void *const object = dlopen(std::filesystem::canonical(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    throw std::runtime_error(dlerror());
  }
  const auto entry = reinterpret_cast<avrm_netmod_entry_t>(dlsym(object, AVRM_NETMOD_SYMBOL));
  if (entry == nullptr) {
    throw std::runtime_error(fmt::format("{} exports no {}", file, AVRM_NETMOD_SYMBOL));
  }
  const avrm_netmod_ops_t *const ops = entry();
  if (ops == nullptr) {
    throw std::runtime_error(fmt::format("{} of {} returned null", AVRM_NETMOD_SYMBOL, file));
  }
  return ops;
}

std::vector<std::string> names_of_checks() {
  std::vector<std::string> names;
  for (const Check &check : all_checks()) {
    names.emplace_back(check.name);
  }
  return names;
}

int print(const Report &report, bool only_broken) {
  if (!report.unavailable.empty()) {
    fmt::print("The netmod cannot be opened: {}\n", report.unavailable);
    return 77;
  }
  int held = 0;
  int untried = 0;
  for (std::size_t i = 0; i < kSentenceCount; ++i) {
    const Finding &finding = report.findings[i];
    held += finding.verdict == Verdict::kHolds ? 1 : 0;
    untried += finding.verdict == Verdict::kUntried ? 1 : 0;
    const char *const word = finding.verdict == Verdict::kHolds    ? "holds    "
                             : finding.verdict == Verdict::kBroken ? "BROKEN   "
                                                                   : "not tried";
    if (finding.verdict == Verdict::kBroken) {
      fmt::print("{} {}\n          {}\n", word, kSentences[i], finding.observation);
    } else if (!only_broken) {
      fmt::print("{} {}\n", word, kSentences[i]);
      if (finding.verdict == Verdict::kUntried && !finding.observation.empty()) {
        fmt::print("          {}\n", finding.observation);
      }
    }
  }
  fmt::print("{} sentences hold, {} are broken, {} were not tried\n", held, report.broken(), untried);
  if (report.broken() == 0 && report.lacks_resources) {
    fmt::print("Some checks ended early: a process lacked memory or descriptors\n");
    return 77;
  }
  return report.broken() == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Runs the contract of avrankmap/device/netmod.h between processes of this machine.");
  std::string file;
  std::string netmod;
  Settings settings;
  bool only_broken = false;
  auto *const choice = app.add_option_group("netmod");
  choice->add_option("--object", file, "Shared object that exports " AVRM_NETMOD_SYMBOL)->check(CLI::ExistingFile);
  choice->add_option("--netmod", netmod, fmt::format("Netmod of this build: {}", avrankmap::detail::netmod_names()));
  choice->require_option(1);
  app.add_option("--provider", settings.provider, "Provider, in the notation of the netmod");
  app.add_option("--seconds", settings.seconds, "After which an operation counts as one that never ends")
      ->check(CLI::Range(0.01, 3600.0))
      ->capture_default_str();
  app.add_option("--check", settings.check, "Run this check only")->check(CLI::IsMember(names_of_checks()));
  app.add_flag("--broken", only_broken, "Print the broken sentences only");
  app.footer("Exits with 0 if no sentence is broken, 1 if one is, 2 for wrong options, 77 if the netmod does not open "
             "or a process lacks memory or descriptors.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    settings.ops = file.empty() ? avrankmap::detail::find_netmod(netmod.c_str()) : load(file);
    if (settings.ops == nullptr) {
      fmt::print(stderr, "there is no netmod {}: this build has {}\n", netmod, avrankmap::detail::netmod_names());
      return 2;
    }
    return print(run_checks(settings), only_broken);
  } catch (const std::exception &error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
