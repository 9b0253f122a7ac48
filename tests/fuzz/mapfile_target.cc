// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Texts that users write: map files, and a planned job's list of communicators. Each is refused
// with a printable reason, or means what it says. The first byte chooses the kind; the rest of a
// map file is its text.
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "avrankmap/instance.h"
#include "communicators/map_file.h"
#include "tests/fuzz/input.h"
#include "tools/plan/plan.h"

namespace {

using avrankmap::fuzz::Input;
using Processes = std::vector<avrm_gpid_t>;

bool is_printable(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

bool same(const Processes &one, const Processes &other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const avrm_gpid_t &a, const avrm_gpid_t &b) { return a.pgid == b.pgid && a.lpid == b.lpid; });
}

// The communicator that the text describes.
void build(const Processes &processes) {
  avrm_instance_t *instance = nullptr;
  AVRM_MUST(avrm_instance_create(nullptr, &instance) == AVRM_OK);
  avrm_rankmap_t map{};
  AVRM_MUST(avrm_rankmap_create_gpids(instance, static_cast<std::int32_t>(processes.size()), processes.data(), 0,
                                      &map) == AVRM_OK);
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(&map, static_cast<std::int32_t>(rank));
    AVRM_MUST(process.pgid == processes[rank].pgid && process.lpid == processes[rank].lpid);
  }
  avrm_rankmap_destroy(&map);
  AVRM_MUST(avrm_instance_destroy(instance) == AVRM_OK);
}

void map_file(Input &input) {
  const std::vector<std::uint8_t> bytes = input.bytes(SIZE_MAX);
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  const auto read = avrankmap::bench::parse_map(text);
  if (const auto *const error = std::get_if<avrankmap::bench::MapFileError>(&read)) {
    const auto lines = std::count(text.begin(), text.end(), '\n') + 1;
    AVRM_MUST(error->line >= 0 && error->line <= lines);
    AVRM_MUST(is_printable(describe(*error, "map")));
    return;
  }
  const auto &processes = std::get<Processes>(read);
  AVRM_MUST(!processes.empty() && processes.size() <= bytes.size());
  std::string again;
  for (const avrm_gpid_t &process : processes) {
    again += std::to_string(process.pgid) + ':' + std::to_string(process.lpid) + '\n';
  }
  const auto same_text = avrankmap::bench::parse_map(again);
  AVRM_MUST(std::holds_alternative<Processes>(same_text) && same(std::get<Processes>(same_text), processes));
  build(processes);
}

// Jobs of which a fuzzer can build many.
constexpr std::int32_t kMostProcesses = 1 << 12;

void check(const avrankmap::planner::Request &request, const avrankmap::planner::Job &job) {
  for (const auto &comm : expand(request, job, 0)) {
    AVRM_MUST(comm.others >= 0);
    std::set<std::int32_t> ranks(comm.world_ranks.begin(), comm.world_ranks.end());
    AVRM_MUST(ranks.size() == comm.world_ranks.size());
    AVRM_MUST(ranks.empty() || (*ranks.begin() >= 0 && *ranks.rbegin() < job.processes && ranks.count(job.rank) == 1));
  }
}

void plan(Input &input) {
  avrankmap::planner::Job job;
  job.processes = static_cast<std::int32_t>(input.edgy());
  job.per_node = static_cast<std::int32_t>(input.edgy());
  job.rank = static_cast<std::int32_t>(input.edgy());
  const std::vector<std::uint8_t> bytes = input.bytes(SIZE_MAX);
  std::vector<avrankmap::planner::Request> requests;
  try {
    requests = avrankmap::planner::parse({reinterpret_cast<const char *>(bytes.data()), bytes.size()}, job);
  } catch (const std::invalid_argument &error) {
    AVRM_MUST(*error.what() != '\0');
    return;
  }
  AVRM_MUST(job.processes >= 1 && job.per_node >= 1 && job.rank >= 0 && job.rank < job.processes);
  for (const auto &request : requests) {
    AVRM_MUST(request.count >= 1);
    if (job.processes <= kMostProcesses) {
      check(request, job);
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  input.number<std::uint8_t>() % 2 == 0 ? map_file(input) : plan(input);
  return 0;
}
