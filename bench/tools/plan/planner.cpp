// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "support/text_table.h"
#include "tools/plan/estimate.h"
#if AVRM_HAVE_DEVICE
#include "device/whole/whole_device.h"
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

constexpr const char *kKindsHelp =
    "list of KIND[:PARAMETER][:COUNT], for example dup:100,split-rows:1024,cart3:64x64x192. Kinds: world, dup, "
    "split-rows:K, "
    "split-columns:K, split-colours:K (drawn at random), cart2:XxY and cart3:XxYxZ (the grid, its lines and planes), "
    "node, "
    "node-roots, random (order), merged:M (with another world of M), failed:K (the world without K)";

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
/// The whole device of the job, measured as far as it fits, beside smaller jobs, from which the
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
  CLI::App app(
      "Bytes that the processes of a job will hold to reach each other, in each scheme, by the communicators that they "
      "make. The structures of one process are built and measured.");
  Job job;
  std::string list;
  std::optional<std::int32_t> rank;
  bool bare = false;
  bool json = false;
  [[maybe_unused]] bool whole = false;
  app.add_option("--procs", job.processes, "number of processes")->required();
  app.add_option("--ppn", job.per_node, "processes per node (default 1)");
  app.add_option("--rank", rank,
                 "process whose communicators are counted (default: the first of the node in the middle)");
  app.add_flag("--bare", bare, "without the node and node-roots communicators that a library makes beside each");
  app.add_flag("--json", json, "print JSON");
#if AVRM_HAVE_DEVICE
  app.add_flag("--whole", whole,
               "instead of `kinds`: a whole device, with 4 addresses per peer, 100 communicators with their nodes, and "
               "10 windows with 1,000 targets met");
#endif
  app.add_option("kinds", list, kKindsHelp);
  CLI11_PARSE(app, argc, argv);

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
    fmt::print(stderr, "avrm_planner: {}\n", error.what());
    return 2;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "avrm_planner: memory is exhausted\n");
    return 1;
  } catch (const std::exception &error) {
    fmt::print(stderr, "avrm_planner: {}\n", error.what());
    return 1;
  }
  return 0;
}
