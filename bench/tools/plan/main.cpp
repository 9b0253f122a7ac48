// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/text_table.h"
#include "tools/plan/estimate.h"
#include "tools/plan/usage.h"
#if AVRM_HAVE_DEVICE
#include "device/job_memory/whole_device.h"
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace avrankmap::planner;
using avrankmap::bench::grouped;
using Json = nlohmann::ordered_json;

Json to_json(const Job &job, const std::string &list, const std::vector<Estimate> &estimates) {
  Json json{{"processes", job.processes},
            {"per_node", job.per_node},
            {"rank", job.rank},
            {"internal", job.internal},
            {"kinds", list},
            {"schemes", Json::array()}};
  for (const Estimate &estimate : estimates) {
    Json one{{"scheme", estimate.scheme}, {"built", estimate.built}};
    if (estimate.built) {
      one["bytes"] = estimate.bytes;
      one["address_bytes"] = estimate.address_bytes;
      one["communicator_bytes"] = estimate.bytes - estimate.address_bytes;
      one["bytes_per_node"] = estimate.per_node;
      one["communicators"] = estimate.communicators;
      one["modes"] = Json(estimate.modes);
    } else {
      one["needs"] = estimate.needs;
    }
    json["schemes"].push_back(std::move(one));
  }
  return json;
}

std::string to_text(const Job &job, const std::vector<Estimate> &estimates) {
  avrankmap::bench::TextTable table(1);
  table.row({"scheme", "addresses", "communicators", "bytes per process", "bytes per node"});
  std::string modes;
  std::int64_t communicators = 0;
  for (const Estimate &estimate : estimates) {
    if (!estimate.built) {
      table.row({estimate.scheme, fmt::format("not built: it may need {} bytes", grouped(estimate.needs))});
      continue;
    }
    communicators = estimate.communicators;
    table.row({estimate.scheme, grouped(estimate.address_bytes), grouped(estimate.bytes - estimate.address_bytes),
               grouped(estimate.bytes), grouped(estimate.per_node)});
    if (!estimate.modes.empty()) {
      modes += fmt::format("  modes of {}:", estimate.scheme);
      const char *separator = " ";
      for (const auto &[mode, count] : estimate.modes) {
        modes += fmt::format("{}{} {}", separator, count, mode);
        separator = ", ";
      }
      modes += '\n';
    }
  }
  return fmt::format("Process {} of {}, {} per node, {} communicators with {}the world:\n\n", job.rank,
                     grouped(static_cast<std::uint64_t>(job.processes)), job.per_node, communicators,
                     job.internal ? "the library's own and " : "") +
         table.text() + '\n' + modes;
}

#if AVRM_HAVE_DEVICE
/// The whole device of the job, measured as far as it fits, with smaller jobs, from which the
/// rest is projected, and a larger one.
std::string whole_device_text(const Job &job, bool json) {
  using namespace avrankmap::bench;
  WholeOptions options;
  options.processes = {1024, 65536, 786432, job.processes, 1 << 24, 100000000};
  std::sort(options.processes.begin(), options.processes.end());
  options.processes.erase(std::unique(options.processes.begin(), options.processes.end()), options.processes.end());
  options.per_node = job.per_node;
  options.memory = avrankmap::planner::available_memory() / 2;
  const auto say = [](const std::string &text) { fmt::print(stderr, "{}\n", text); };
  const std::vector<WholeDevice> rows = measure_whole_device(options, say, say);
  if (json) {
    return Json(rows).dump(1) + '\n';
  }
  return "Resident bytes per process; ~ projected:\n\n" + whole_device_table(rows, "", 1).text() +
         fmt::format("\nPer node of {}:\n\n", job.per_node) +
         whole_device_table(rows, "", static_cast<std::uint64_t>(job.per_node)).text();
}
#endif

} // namespace

int main(int argc, char **argv) {
  CLI::App app;
  Job job;
  std::string list;
  std::optional<std::int32_t> rank;
  bool bare = false;
  bool json = false;
  [[maybe_unused]] bool whole = false;
  bool help = false;
  app.set_help_flag();
  app.add_flag("-h,--help", help);
  app.add_option("--procs", job.processes);
  app.add_option("--ppn", job.per_node);
  app.add_option("--rank", rank);
  app.add_flag("--bare", bare);
  app.add_flag("--json", json);
#if AVRM_HAVE_DEVICE
  app.add_flag("--whole", whole);
#endif
  app.add_option("kinds", list);
  CLI11_PARSE(app, argc, argv);
  if (help || app.count("--procs") == 0) {
    fmt::print(help ? stdout : stderr, "{}", usage());
    return help ? 0 : 2;
  }

  try {
    job.internal = !bare;
    if (rank) {
      job.rank = *rank;
    } else if (job.processes > 0 && job.per_node > 0) {
      job.rank = job.processes / 2 / job.per_node * job.per_node;
    }
    const std::vector<Request> requests = parse(list, job);
#if AVRM_HAVE_DEVICE
    if (whole) {
      fmt::print("{}", whole_device_text(job, json));
      return 0;
    }
#endif
    const std::vector<Estimate> estimates = estimate(job, requests, available_memory() / 10 * 9);
    fmt::print("{}", json ? to_json(job, list, estimates).dump(1) + '\n' : to_text(job, estimates));
  } catch (const std::invalid_argument &error) {
    fmt::print(stderr, "avrm-plan: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "avrm-plan: memory is exhausted\n");
    return 1;
  } catch (const std::exception &error) {
    fmt::print(stderr, "avrm-plan: {}\n", error.what());
    return 1;
  }
  return 0;
}
