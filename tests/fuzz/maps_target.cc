// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A byte string as a sequence of operations on rankmaps and groups: detection, composition,
// merging, algebra. Each map must agree at every rank with a plain table of its processes. Tables
// come from a small pool and in several process groups, so that most maps share theirs with others.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "avrankmap/avrankmap.h"
#include "tests/fuzz/input.h"

namespace {

using avrankmap::fuzz::Input;

constexpr std::int32_t kMost = 96; // ranks of a map
constexpr std::size_t kMaps = 6;
constexpr std::int32_t kGroups = 3;

using Process = std::pair<std::int32_t, std::int32_t>; // pgid, lpid
using Table = std::vector<Process>;

struct MapDestroyer {
  void operator()(avrm_rankmap_t *map) const {
    avrm_rankmap_destroy(map);
    delete map;
  }
};
struct GroupDestroyer {
  void operator()(avrm_group_t *group) const { avrm_group_destroy(group); }
};
using Map = std::unique_ptr<avrm_rankmap_t, MapDestroyer>;
using Group = std::unique_ptr<avrm_group_t, GroupDestroyer>;

struct Twin {
  Map map;
  Table table;
};

bool has_duplicates(const Table &table) { return std::set<Process>(table.begin(), table.end()).size() != table.size(); }

// The first rank of a process, or AVRM_UNDEFINED.
std::int32_t rank_in(const Table &table, const Process &process) {
  const auto found = std::find(table.begin(), table.end(), process);
  return found == table.end() ? AVRM_UNDEFINED : static_cast<std::int32_t>(found - table.begin());
}

void check(const avrm_rankmap_t *map, const Table &table) {
  AVRM_MUST(static_cast<std::size_t>(avrm_rankmap_size(map)) == table.size());
  AVRM_MUST(avrm_rankmap_validate(map, nullptr));
  for (std::size_t rank = 0; rank < table.size(); ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, static_cast<std::int32_t>(rank));
    AVRM_MUST(Process(process.pgid, process.lpid) == table[rank]);
    std::int32_t first = -1;
    AVRM_MUST(avrm_rankmap_rank(map, process, &first) == AVRM_OK);
    AVRM_MUST(first == rank_in(table, table[rank]));
  }
}

// Processes of the same lpids in all process groups have the ranks that the table says.
void check_other_groups(const avrm_rankmap_t *map, const Table &table) {
  std::vector<avrm_gpid_t> processes;
  for (const Process &process : table) {
    for (std::int32_t pgid = 0; pgid < kGroups; ++pgid) {
      processes.push_back({pgid, process.second});
    }
  }
  std::vector<std::int32_t> ranks(processes.size());
  AVRM_MUST(avrm_rankmap_ranks(map, processes.size(), processes.data(), ranks.data()) == AVRM_OK);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    AVRM_MUST(ranks[i] == rank_in(table, {processes[i].pgid, processes[i].lpid}));
  }
}

class Session {
public:
  Session(Input input, bool strict, avrm_cost_t cost) : input_(input) {
    const avrm_instance_options_t options{nullptr, strict, cost, false};
    AVRM_MUST(avrm_instance_create(&options, &instance_) == AVRM_OK);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    for (Twin &twin : twins_) {
      twin.map.reset();
    }
    AVRM_MUST(avrm_instance_drop_caches(instance_) == AVRM_OK);
    AVRM_MUST(avrm_instance_destroy(instance_) == AVRM_OK); // nothing leaked
  }

  void run() {
    for (int steps = 0; steps < 64 && !input_.empty(); ++steps) {
      step();
    }
  }

private:
  Twin &any() { return twins_[input_.below(kMaps)]; }

  // Keeps the result of a creation, if it is as expected.
  void keep(avrm_status_t status, const avrm_rankmap_t *made, Table table, bool should) {
    AVRM_MUST((status == AVRM_OK) == should);
    AVRM_MUST((made->instance != nullptr) == should);
    if (!should) {
      return;
    }
    check(made, table);
    Twin &twin = any();
    twin.map.reset(new avrm_rankmap_t(*made));
    twin.table = std::move(table);
  }

  static bool fits(const Table &table, std::int64_t low, std::int64_t high) {
    return table.empty() || (low >= 0 && high <= INT32_MAX - 1);
  }

  void step() {
    switch (input_.below(15)) {
    case 0: return regular();
    case 1: return from_table();
    case 2: return child();
    case 3: return child_regular();
    case 4: return concat();
    case 5: return merged();
    case 6: return set_operation();
    case 7: return selection();
    case 8: return dup();
    case 9: return translate();
    case 10: return from_runs();
    case 11: return without();
    case 12: return from_pool();
    case 13: return ask();
    default: return through_runs();
    }
  }

  void regular() {
    const std::int32_t size = input_.between(-1, kMost);
    const std::int32_t pgid = input_.between(0, 2);
    const auto offset = static_cast<std::int32_t>(input_.edgy());
    const auto stride = static_cast<std::int32_t>(input_.edgy());
    const std::int32_t block = input_.between(-1, 9);
    Table table;
    std::int64_t low = INT64_MAX;
    std::int64_t high = INT64_MIN;
    for (std::int64_t rank = 0; rank < size && block > 0; ++rank) {
      const std::int64_t lpid = offset + rank / block * stride + rank % block;
      low = std::min(low, lpid);
      high = std::max(high, lpid);
      table.emplace_back(pgid, static_cast<std::int32_t>(lpid));
    }
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_blocked(instance_, pgid, size, offset, stride, block, &map);
    keep(status, &map, table, size >= 0 && block > 0 && stride != 0 && fits(table, low, high));
  }

  void from_table() {
    const auto size = static_cast<std::size_t>(input_.between(1, kMost));
    const bool several = input_.below(2) == 0;
    const bool unique = input_.below(4) == 0;
    const std::uint32_t range = 1 + input_.below(200);
    Table table;
    std::vector<avrm_gpid_t> gpids;
    std::vector<std::int32_t> lpids;
    while (table.size() < size) {
      // A run, so that there are patterns.
      const std::int32_t pgid = several ? input_.between(0, kGroups - 1) : 1;
      auto lpid = static_cast<std::int32_t>(input_.below(range));
      const std::int32_t step = input_.between(-2, 3);
      for (std::uint32_t left = 1 + input_.below(12); left != 0 && table.size() < size && lpid >= 0; --left) {
        table.emplace_back(pgid, lpid);
        gpids.push_back({pgid, lpid});
        lpids.push_back(lpid);
        lpid += step;
      }
    }
    avrm_rankmap_t map{};
    const unsigned flags = unique ? AVRM_RANKMAP_UNIQUE : AVRM_RANKMAP_DEFAULT;
    const auto count = static_cast<std::int32_t>(size);
    const avrm_status_t status = several ? avrm_rankmap_create_gpids(instance_, count, gpids.data(), flags, &map)
                                         : avrm_rankmap_create_lpids(instance_, 1, count, lpids.data(), flags, &map);
    const bool should = !unique || !has_duplicates(table);
    keep(status, &map, std::move(table), should);
  }

  // One of a few irregular tables, whole or some of its ranks, in one process group or two.
  void from_pool() {
    const std::int32_t factor = 3 + 4 * input_.between(0, 2);
    const std::int32_t size = 24 + 24 * input_.between(0, 2);
    const std::int32_t pgid = input_.between(0, kGroups - 1);
    const bool several = input_.below(3) == 0;
    std::vector<avrm_gpid_t> gpids;
    Table table;
    for (std::int32_t i = 0; i < size; ++i) {
      table.emplace_back(several && i % 3 == 0 ? 1 : pgid, factor * i * i % 97);
      gpids.push_back({table.back().first, table.back().second});
    }
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_gpids(instance_, size, gpids.data(), AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, std::move(table), true);
  }

  // What others asked before, or will ask, must not matter.
  void ask() {
    if (const Twin &twin = any(); twin.map != nullptr) {
      check_other_groups(twin.map.get(), twin.table);
    }
    if (input_.below(8) == 0) {
      AVRM_MUST(avrm_instance_drop_caches(instance_) == AVRM_OK);
    }
  }

  // Runs as they may come from another process.
  void from_runs() {
    std::vector<avrm_run_t> runs;
    Table table;
    bool sound = true;
    for (std::uint32_t left = input_.below(9); left != 0; --left) {
      const std::int32_t count =
          input_.below(16) == 0 ? static_cast<std::int32_t>(input_.edgy()) : input_.between(1, 10);
      const avrm_run_t run{count, input_.between(-1, 40) % 3, static_cast<std::int32_t>(input_.edgy()),
                           static_cast<std::int32_t>(input_.edgy())};
      const std::int64_t last = run.lpid + std::int64_t{run.stride} * (std::int64_t{run.count} - 1);
      sound = sound && run.count > 0 && run.pgid >= 0 && fits({{}}, run.lpid, run.lpid) &&
              (run.count == 1 || fits({{}}, last, last));
      for (std::int64_t i = 0; sound && i < run.count && table.size() <= kMost; ++i) {
        table.emplace_back(run.pgid, static_cast<std::int32_t>(run.lpid + i * run.stride));
      }
      runs.push_back(run);
    }
    if (sound && table.size() > kMost) {
      return; // too large to be checked
    }
    runs.reserve(1); // never null
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_runs(instance_, static_cast<std::int32_t>(runs.size()),
                                                          runs.data(), AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, std::move(table), sound);
  }

  void through_runs() {
    const Twin &a = any();
    if (a.map == nullptr) {
      return;
    }
    std::size_t count = 0;
    AVRM_MUST(avrm_rankmap_runs(a.map.get(), 0, nullptr, &count) == AVRM_OK);
    AVRM_MUST(count <= a.table.size());
    std::vector<avrm_run_t> runs(count + 1);
    AVRM_MUST(avrm_rankmap_runs(a.map.get(), count, runs.data(), &count) == AVRM_OK);
    Table table = a.table;
    avrm_rankmap_t map{};
    const avrm_status_t status =
        avrm_rankmap_create_runs(instance_, static_cast<std::int32_t>(count), runs.data(), AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, std::move(table), true);
  }

  // Ranks of a map, sometimes with one that it does not have.
  std::vector<std::int32_t> some_ranks(const Table &table, bool *sound_p) {
    std::vector<std::int32_t> ranks;
    const auto size = static_cast<std::int32_t>(table.size());
    std::int32_t rank = input_.between(0, size);
    const std::int32_t step = input_.between(-2, 3);
    for (std::int32_t left = input_.between(1, kMost / 2); left != 0; --left) {
      ranks.push_back(rank);
      rank = input_.below(4) != 0 ? rank + step : input_.between(0, std::max(size, 1) - 1);
    }
    *sound_p = std::all_of(ranks.begin(), ranks.end(), [size](std::int32_t r) { return r >= 0 && r < size; });
    return ranks;
  }

  static Table selected(const Table &table, const std::vector<std::int32_t> &ranks) {
    Table result;
    for (const std::int32_t rank : ranks) {
      result.push_back(table[static_cast<std::size_t>(rank)]);
    }
    return result;
  }

  void child() {
    const Twin &parent = any();
    if (parent.map == nullptr) {
      return;
    }
    bool sound = false;
    const std::vector<std::int32_t> ranks = some_ranks(parent.table, &sound);
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_child(parent.map.get(), static_cast<std::int32_t>(ranks.size()),
                                                           ranks.data(), AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, sound ? selected(parent.table, ranks) : Table{}, sound);
  }

  void without() {
    const Twin &parent = any();
    if (parent.map == nullptr) {
      return;
    }
    bool sound = false;
    std::vector<std::int32_t> ranks = some_ranks(parent.table, &sound);
    const std::set<std::int32_t> distinct(ranks.begin(), ranks.end());
    sound = sound && distinct.size() == ranks.size();
    Table table;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(parent.table.size()); ++rank) {
      if (!distinct.contains(rank)) {
        table.push_back(parent.table[static_cast<std::size_t>(rank)]);
      }
    }
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_without(parent.map.get(), static_cast<std::int32_t>(ranks.size()),
                                                             ranks.data(), AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, std::move(table), sound);
  }

  void child_regular() {
    const Twin &parent = any();
    if (parent.map == nullptr) {
      return;
    }
    const std::int32_t size = input_.between(1, kMost);
    const std::int32_t offset = input_.between(-1, kMost);
    const std::int32_t stride = input_.between(-4, 6);
    const std::int32_t block = input_.between(0, 5);
    const auto end = static_cast<std::int64_t>(parent.table.size());
    std::vector<std::int32_t> ranks;
    for (std::int32_t i = 0; i < size && block > 0; ++i) {
      ranks.push_back(offset + i / block * stride + i % block);
    }
    const bool sound = block > 0 && stride != 0 &&
                       std::all_of(ranks.begin(), ranks.end(), [end](std::int64_t r) { return r >= 0 && r < end; });
    avrm_rankmap_t map{};
    const avrm_status_t status =
        avrm_rankmap_create_child_regular(parent.map.get(), size, offset, stride, block, AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, sound ? selected(parent.table, ranks) : Table{}, sound);
  }

  void concat() {
    const Twin &a = any();
    const Twin &b = any();
    if (a.map == nullptr || b.map == nullptr || a.table.size() + b.table.size() > kMost) {
      return;
    }
    const avrm_rankmap_t *const both[] = {a.map.get(), b.map.get()};
    Table table = a.table;
    table.insert(table.end(), b.table.begin(), b.table.end());
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_concat(2, both, AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, std::move(table), true);
  }

  void merged() {
    const Twin &a = any();
    const Twin &b = any();
    if (a.map == nullptr || b.map == nullptr || a.table.empty() || b.table.empty()) {
      return;
    }
    const avrm_rankmap_t *const both[] = {a.map.get(), b.map.get()};
    Table table;
    std::vector<std::int32_t> which;
    std::vector<std::int32_t> ranks;
    for (std::int32_t left = input_.between(1, kMost / 2); left != 0; --left) {
      which.push_back(input_.between(0, 1));
      const Table &from = which.back() == 0 ? a.table : b.table;
      ranks.push_back(input_.between(0, static_cast<std::int32_t>(from.size()) - 1));
      table.push_back(from[static_cast<std::size_t>(ranks.back())]);
    }
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_create_merged(2, both, static_cast<std::int32_t>(table.size()),
                                                            which.data(), ranks.data(), AVRM_RANKMAP_DEFAULT, &map);
    keep(status, &map, std::move(table), true);
  }

  // The group of a map without duplicates.
  static Group group_of(const Twin &twin) {
    if (twin.map == nullptr) {
      return nullptr;
    }
    avrm_group_t *group = nullptr;
    const avrm_status_t status = avrm_group_create(twin.map.get(), &group);
    AVRM_MUST(status == (has_duplicates(twin.table) ? AVRM_ERR_DUPLICATE : AVRM_OK));
    return Group(group);
  }

  void keep_group(avrm_status_t status, avrm_group_t *made, Table table, bool should) {
    const Group group(made);
    AVRM_MUST((status == AVRM_OK) == should);
    if (!should) {
      return;
    }
    AVRM_MUST(static_cast<std::size_t>(avrm_group_size(made)) == table.size());
    avrm_rankmap_t map{};
    const avrm_status_t dup = avrm_rankmap_dup(avrm_group_map(made), &map);
    keep(dup, &map, std::move(table), true);
  }

  void set_operation() {
    const Twin &a = any();
    const Twin &b = any();
    const Group group_a = group_of(a);
    const Group group_b = group_of(b);
    if (group_a == nullptr || group_b == nullptr) {
      return;
    }
    const std::set<Process> in_a(a.table.begin(), a.table.end());
    const std::set<Process> in_b(b.table.begin(), b.table.end());
    avrm_comparison_t comparison = AVRM_UNEQUAL;
    AVRM_MUST(avrm_group_compare(group_a.get(), group_b.get(), &comparison) == AVRM_OK);
    AVRM_MUST(comparison == (a.table == b.table ? AVRM_IDENT : in_a == in_b ? AVRM_SIMILAR : AVRM_UNEQUAL));
    Table table;
    avrm_group_t *made = nullptr;
    avrm_status_t status = AVRM_OK;
    switch (input_.below(3)) {
    case 0:
      table = a.table;
      std::copy_if(b.table.begin(), b.table.end(), std::back_inserter(table),
                   [&in_a](const Process &process) { return !in_a.contains(process); });
      status = avrm_group_union(group_a.get(), group_b.get(), &made);
      break;
    case 1:
      std::copy_if(a.table.begin(), a.table.end(), std::back_inserter(table),
                   [&in_b](const Process &process) { return in_b.contains(process); });
      status = avrm_group_intersection(group_a.get(), group_b.get(), &made);
      break;
    default:
      std::copy_if(a.table.begin(), a.table.end(), std::back_inserter(table),
                   [&in_b](const Process &process) { return !in_b.contains(process); });
      status = avrm_group_difference(group_a.get(), group_b.get(), &made);
    }
    keep_group(status, made, std::move(table), true);
  }

  void selection() {
    const Twin &a = any();
    const Group group = group_of(a);
    if (group == nullptr) {
      return;
    }
    bool sound = false;
    const std::vector<std::int32_t> ranks = some_ranks(a.table, &sound);
    const std::set<std::int32_t> distinct(ranks.begin(), ranks.end());
    sound = sound && distinct.size() == ranks.size();
    avrm_group_t *made = nullptr;
    const auto count = static_cast<std::int32_t>(ranks.size());
    if (input_.below(2) == 0) {
      const avrm_status_t status = avrm_group_incl(group.get(), count, ranks.data(), &made);
      keep_group(status, made, sound ? selected(a.table, ranks) : Table{}, sound);
      return;
    }
    Table table;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(a.table.size()); ++rank) {
      if (!distinct.contains(rank)) {
        table.push_back(a.table[static_cast<std::size_t>(rank)]);
      }
    }
    const avrm_status_t status = avrm_group_excl(group.get(), count, ranks.data(), &made);
    keep_group(status, made, std::move(table), sound);
  }

  void dup() {
    const Twin &a = any();
    if (a.map == nullptr) {
      return;
    }
    Table table = a.table;
    avrm_rankmap_t map{};
    const avrm_status_t status = avrm_rankmap_dup(a.map.get(), &map);
    keep(status, &map, std::move(table), true);
  }

  void translate() {
    const Twin &a = any();
    const Twin &b = any();
    const Group from = group_of(a);
    const Group to = group_of(b);
    if (from == nullptr || to == nullptr) {
      return;
    }
    std::vector<std::int32_t> ranks;
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(a.table.size()); ++rank) {
      ranks.push_back(rank);
    }
    std::vector<std::int32_t> translated(ranks.size());
    AVRM_MUST(avrm_group_translate_ranks(from.get(), ranks.size(), ranks.data(), to.get(), translated.data()) ==
              AVRM_OK);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      AVRM_MUST(translated[i] == rank_in(b.table, a.table[i]));
    }
  }

  Input input_;
  avrm_instance_t *instance_ = nullptr;
  Twin twins_[kMaps];
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  constexpr avrm_cost_t kCosts[] = {AVRM_COST_SPEED, AVRM_COST_SPEED, AVRM_COST_BYTES, AVRM_COST_BALANCED};
  const auto kind = input.below(4);
  Session(input, kind == 0, kCosts[kind]).run();
  return 0;
}
