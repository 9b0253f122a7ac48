// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/rebuilt_comms.h"

#include "baseline/mpich5.h"
#include "baseline/vc_vcrt.h"
#include "support/owned_map.h"
#include "support/require.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

namespace avrankmap::survey {
namespace {

using bench::Mpich5;
using bench::require;
using bench::VcVcrt;

template <auto destroy> struct Destroyer {
  template <class T> void operator()(T *object) const noexcept { destroy(object); }
};
using Instance = std::unique_ptr<avrm_instance_t, Destroyer<avrm_instance_destroy>>;
using Av = std::unique_ptr<avrm_av_t, Destroyer<avrm_av_release>>;
using Map = bench::OwnedMap;

avrm_rankmap_info_t describe(const Map &map) {
  avrm_rankmap_info_t info;
  require(avrm_rankmap_describe(map.get(), &info), "avrm_rankmap_describe");
  return info;
}

/// Two instances of our component, strict or not.
class Component {
public:
  Component(bool strict, const avrm_allocator_t *allocator)
      : held_(create(strict, allocator)), scratch_(create(strict, allocator)) {}

  void add_world(std::int32_t size) {
    avrm_av_t *av = nullptr;
    require(avrm_av_create(held_.get(), size, nullptr, &av), "avrm_av_create");
    worlds_.emplace_back(av);
    std::vector<avrm_ave_t> part(static_cast<std::size_t>(std::min(size, 1 << 12)));
    for (std::int32_t first = 0; first < size;) {
      const std::int32_t count = std::min(size - first, static_cast<std::int32_t>(part.size()));
      for (std::int32_t i = 0; i < count; ++i) {
        require(avrm_ofi_pack(bench::address_of({av->pgid, first + i}), 0, &part[static_cast<std::size_t>(i)]),
                "avrm_ofi_pack");
      }
      require(avrm_av_set_range(av, first, count, part.data()), "avrm_av_set_range");
      first += count;
    }
  }

  /// Map of a list of processes, whose bytes count.
  [[nodiscard]] Map detected(std::span<const avrm_gpid_t> processes) const { return count(detect(held_, processes)); }
  /// Counts the bytes of a map that it has made.
  [[nodiscard]] Map count(Map map) const { return bench::counted(std::move(map), map_bytes_.get()); }
  /// The same in another instance: it shares nothing with the maps that are kept, and its bytes do
  /// not count.
  [[nodiscard]] Map trial(std::span<const avrm_gpid_t> processes) const { return detect(scratch_, processes); }

  [[nodiscard]] std::uint64_t bytes() const {
    require(avrm_instance_drop_caches(held_.get()), "avrm_instance_drop_caches");
    avrm_mem_usage_t usage;
    require(avrm_instance_mem_usage(held_.get(), AVRM_MEM_TOTAL, &usage), "avrm_instance_mem_usage");
    return usage.live_bytes + *map_bytes_;
  }

private:
  static Instance create(bool strict, const avrm_allocator_t *allocator) {
    avrm_instance_options_t options{};
    options.allocator = allocator;
    options.strict = strict;
    options.cost = AVRM_COST_BYTES;
    avrm_instance_t *instance = nullptr;
    require(avrm_instance_create(&options, &instance), "avrm_instance_create");
    return Instance(instance);
  }

  static Map detect(const Instance &instance, std::span<const avrm_gpid_t> processes) {
    return bench::make_map(avrm_rankmap_create_gpids, instance.get(), static_cast<std::int32_t>(processes.size()),
                           processes.data(), static_cast<unsigned>(AVRM_RANKMAP_UNIQUE));
  }

  // Of the maps themselves.
  std::unique_ptr<std::uint64_t> map_bytes_ = std::make_unique<std::uint64_t>(0);
  Instance held_;
  Instance scratch_;
  std::vector<Av> worlds_;
};

/// A child of one or both groups of a communicator; null if a process is in neither.
Map compose(std::span<const avrm_rankmap_t *const> parents, std::span<const avrm_gpid_t> processes) {
  std::vector<std::int32_t> ranks(processes.size(), AVRM_UNDEFINED);
  std::vector<std::int32_t> which(processes.size(), 0);
  std::vector<std::int32_t> found(processes.size());
  for (std::size_t parent = 0; parent < parents.size(); ++parent) {
    require(avrm_rankmap_ranks(parents[parent], processes.size(), processes.data(), found.data()),
            "avrm_rankmap_ranks");
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] == AVRM_UNDEFINED && found[i] != AVRM_UNDEFINED) {
        ranks[i] = found[i];
        which[i] = static_cast<std::int32_t>(parent);
      }
    }
  }
  if (std::find(ranks.begin(), ranks.end(), AVRM_UNDEFINED) != ranks.end()) {
    return {};
  }
  const auto size = static_cast<std::int32_t>(processes.size());
  constexpr unsigned kFlags = AVRM_RANKMAP_UNIQUE;
  if (std::all_of(which.begin(), which.end(), [&](std::int32_t parent) { return parent == which.front(); })) {
    return bench::make_map(avrm_rankmap_create_child, parents[static_cast<std::size_t>(which.front())], size,
                           ranks.data(), kFlags);
  }
  return bench::make_map(avrm_rankmap_create_merged, static_cast<std::int32_t>(parents.size()), parents.data(), size,
                         which.data(), ranks.data(), kFlags);
}

PerScheme operator-(const PerScheme &a, const PerScheme &b) {
  PerScheme result;
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::minus<>());
  return result;
}

PerScheme operator+(const PerScheme &a, const PerScheme &b) {
  PerScheme result;
  std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::plus<>());
  return result;
}

/// Bytes per process in the tables of addresses.
constexpr PerScheme kBytesPerProcess{sizeof(avrm_ave_t), sizeof(avrm_ave_t), sizeof(VcVcrt::Vc),
                                     sizeof(Mpich5::AvEntry)};

} // namespace

struct RebuiltComms::Schemes {
  explicit Schemes(const avrm_allocator_t *allocator) : components{{{true, allocator}, {false, allocator}}} {}

  std::array<Component, 2> components;
  VcVcrt vc_vcrt;
  Mpich5 mpich5;
};

/// A group of a communicator in all schemes.
struct Part {
  std::array<Map, 2> maps;
  std::optional<VcVcrt::Comm> vc_vcrt;
  std::optional<Mpich5::Comm> mpich5;
  std::array<avrm_rankmap_info_t, 2> infos{};
  bool mpich5_table = false;

  void give_back() noexcept {
    for (Map &map : maps) {
      map.reset();
    }
    vc_vcrt.reset();
    mpich5.reset();
  }

  /// Bytes by which the part's tables grow in the larger world. A scheme that allocated or freed no
  /// more than a communicator without a table (`moved`) has no table of its own here.
  [[nodiscard]] PerScheme growth(const PerScheme &moved, const Projection &projection) const {
    PerScheme growth{};
    for (std::size_t i = 0; i < infos.size(); ++i) {
      growth[i] = moved[i] > infos[i].own_bytes ? projection.growth(infos[i]) : 0;
    }
    const auto size = static_cast<std::uint64_t>(infos[0].size);
    growth[2] = moved[2] > VcVcrt::kCommBytes ? projection.growth(size, sizeof(VcVcrt::Vc *)) : 0;
    growth[3] = moved[3] > Mpich5::kCommBytes && mpich5_table ? projection.growth(size, sizeof(Mpich5::Lpid)) : 0;
    return growth;
  }
};

struct RebuiltComms::Comm {
  Part local;
  std::optional<Part> remote;
  std::int64_t number = 0;
};

RebuiltComms::RebuiltComms(std::int32_t processes, std::int32_t target, const avrm_allocator_t *allocator)
    : schemes_(std::make_unique<Schemes>(allocator)), projection_(processes, std::max(target, 1)) {
  summary_.processes = processes;
  summary_.target = target;
  add_process_group(processes);
}

RebuiltComms::~RebuiltComms() = default;

PerScheme RebuiltComms::bytes() const {
  return {schemes_->components[0].bytes(), schemes_->components[1].bytes(), schemes_->vc_vcrt.bytes(),
          schemes_->mpich5.bytes()};
}

std::int32_t RebuiltComms::add_process_group(std::int32_t size) {
  // Structures from before the first group, such as MPICH 5's directory, count with that group.
  const PerScheme before = summary_.process_groups == 0 ? PerScheme{} : bytes();
  for (Component &component : schemes_->components) {
    component.add_world(size);
  }
  schemes_->vc_vcrt.add_world(size);
  schemes_->mpich5.add_world(size);
  const PerScheme added = bytes() - before;
  PerScheme growth{};
  for (std::size_t i = 0; i < kSchemes; ++i) {
    growth[i] = projection_.growth(static_cast<std::uint64_t>(size), kBytesPerProcess[i]);
  }
  summary_.world_bytes = summary_.world_bytes + added;
  projected_live_ = projected_live_ + added + growth;
  raise(summary_.peak_bytes, bytes());
  raise(summary_.projected_peak_bytes, projected_live_);
  return static_cast<std::int32_t>(summary_.process_groups++);
}

/// Makes the groups of one communicator.
class RebuiltComms::Build {
public:
  Build(RebuiltComms &all, const Comm *parent) : all_(all), parent_(parent) {}

  /// Makes a group and adds its bytes to the row.
  Part part(std::span<const avrm_gpid_t> processes, const Part *twin, Row &row) {
    const PerScheme before = all_.bytes();
    Part part;
    for (std::size_t i = 0; i < part.maps.size(); ++i) {
      part.maps[i] = make(i, processes, twin, row);
      require(avrm_rankmap_bind(part.maps[i].get()), "avrm_rankmap_bind");
      part.infos[i] = describe(part.maps[i]);
    }
    if (twin != nullptr) {
      part.vc_vcrt = all_.schemes_->vc_vcrt.dup(*twin->vc_vcrt);
      part.mpich5 = all_.schemes_->mpich5.dup(*twin->mpich5);
    } else {
      part.vc_vcrt = all_.schemes_->vc_vcrt.make_merged(processes);
      part.mpich5 = all_.schemes_->mpich5.make_merged(processes);
    }
    part.mpich5_table = part.mpich5->has_table();
    const PerScheme added = all_.bytes() - before;
    const PerScheme projected = added + part.growth(added, all_.projection_);
    row.bytes = row.bytes + added;
    row.projected = row.projected + projected;
    check(part, processes, row.composed);
    return part;
  }

private:
  Map make(std::size_t i, std::span<const avrm_gpid_t> processes, const Part *twin, Row &row) {
    const Component &component = all_.schemes_->components[i];
    if (twin != nullptr) {
      row.composed = true;
      return component.count(bench::make_map(avrm_rankmap_dup, twin->maps[i].get()));
    }
    if (parent_ != nullptr) {
      std::vector<const avrm_rankmap_t *> parents{parent_->local.maps[i].get()};
      if (parent_->remote) {
        parents.push_back(parent_->remote->maps[i].get());
      }
      if (Map map = compose(parents, processes)) {
        row.composed = true;
        return component.count(std::move(map));
      }
    }
    return component.detected(processes);
  }

  void check(const Part &part, std::span<const avrm_gpid_t> processes, bool composed) {
    static constexpr const char *kNames[2][2] = {{"strict", "strict, as a child"},
                                                 {"extended", "extended, as a child"}};
    for (std::size_t i = 0; i < part.maps.size(); ++i) {
      all_.check(*part.maps[i], processes, kNames[i][composed ? 1 : 0], true);
      if (composed) {
        all_.check(*all_.schemes_->components[i].trial(processes), processes, kNames[i][0], false);
      }
    }
  }

  RebuiltComms &all_;
  const Comm *parent_;
};

void RebuiltComms::add(const Creation &creation) {
  remove(creation.handle);
  const auto found = comms_.find(creation.parent);
  const Comm *const parent = creation.parent != 0 && found != comms_.end() ? found->second.get() : nullptr;

  Row row;
  row.number = next_number_;
  row.parent = parent != nullptr ? parent->number : -1;
  row.made = creation.made;
  row.call = creation.call;
  row.size = static_cast<std::int32_t>(creation.processes.size());
  row.remote_size = static_cast<std::int32_t>(creation.remote.size());

  const bool dup = creation.made == Made::kDup && parent != nullptr && parent->local.infos[0].size == row.size &&
                   parent->remote.has_value() == !creation.remote.empty();
  Build build(*this, parent);
  auto comm = std::make_unique<Comm>();
  comm->number = row.number;
  comm->local = build.part(creation.processes, dup ? &parent->local : nullptr, row);
  if (!creation.remote.empty()) {
    comm->remote = build.part(creation.remote, dup ? &*parent->remote : nullptr, row);
  }
  const Part &peers = comm->remote ? *comm->remote : comm->local;
  row.strict = peers.infos[0].mode;
  row.extended = peers.infos[1].mode;

  AlikeTotal &alike = summary_.alike[{row.call, row.size, row.remote_size, row.strict, row.extended}];
  std::int64_t uncounted = 0;
  std::int64_t &by_made = row.made == Made::kPredefined ? uncounted : summary_.by_made[label(row.made)];
  std::int64_t &by_strict = summary_.by_strict_mode[avrm_mode_label(row.strict)];
  std::int64_t &by_extended = summary_.by_extended_mode[avrm_mode_label(row.extended)];
  comms_.emplace(creation.handle, std::move(comm));
  projected_live_ = projected_live_ + row.projected;
  ++alike.count;
  alike.bytes = alike.bytes + row.bytes;
  ++by_made;
  ++by_strict;
  ++by_extended;
  ++next_number_;
  summary_.made += row.made == Made::kPredefined ? 0 : 1;
  ++summary_.live;
  summary_.most_live = std::max(summary_.most_live, summary_.live);
  raise(summary_.peak_bytes, bytes());
  raise(summary_.projected_peak_bytes, projected_live_);
  if (summary_.rows.size() < kMostRows) {
    summary_.rows.push_back(std::move(row));
  }
}

void RebuiltComms::remove(std::uint64_t handle) noexcept {
  const auto found = comms_.find(handle);
  if (found == comms_.end()) {
    return;
  }
  release(*found->second);
  comms_.erase(found);
  --summary_.live;
}

void RebuiltComms::rename(std::uint64_t from, std::uint64_t to) {
  auto node = comms_.extract(from);
  if (!node.empty()) {
    node.key() = to;
    comms_.insert(std::move(node));
  }
}

void RebuiltComms::release(Comm &comm) noexcept {
  for (Part *part : {&comm.local, comm.remote ? &*comm.remote : nullptr}) {
    if (part == nullptr) {
      continue;
    }
    // The growth leaves with its table. Others may still share the table: then it was not freed.
    const PerScheme before = bytes();
    part->give_back();
    const PerScheme freed = before - bytes();
    projected_live_ = projected_live_ - (freed + part->growth(freed, projection_));
  }
}

void RebuiltComms::check(const avrm_rankmap_t &map, std::span<const avrm_gpid_t> processes, const char *which,
                         bool bound) {
  const auto same = [](avrm_gpid_t a, avrm_gpid_t b) { return a.pgid == b.pgid && a.lpid == b.lpid; };
  const std::uint64_t before = summary_.mismatched;
  const char *reason = nullptr;
  if (!avrm_rankmap_validate(&map, &reason)) {
    ++summary_.mismatched;
    mismatch(reason, 0, processes.front(), {-1, -1}, processes);
  }
  const auto report = [&](std::int32_t rank, avrm_gpid_t found, const char *how) {
    if (summary_.mismatched++ == before) {
      mismatch((std::string(which) + how).c_str(), rank, processes[static_cast<std::size_t>(rank)], found, processes);
    }
  };
  if (avrm_rankmap_size(&map) != static_cast<std::int32_t>(processes.size())) {
    report(0, {-1, -1}, ": size");
    return;
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto rank = static_cast<std::int32_t>(i);
    const avrm_gpid_t found = avrm_rankmap_gpid(&map, rank);
    if (!same(found, processes[i])) {
      report(rank, found, "");
    } else if (bound && avrm_ofi_address(avrm_rankmap_word(&map, rank)) != bench::address_of(processes[i])) {
      report(rank, found, ": address");
    }
  }
  ranks_.resize(processes.size());
  require(avrm_rankmap_ranks(&map, processes.size(), processes.data(), ranks_.data()), "avrm_rankmap_ranks");
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (ranks_[i] != static_cast<std::int32_t>(i)) {
      report(static_cast<std::int32_t>(i), {-1, ranks_[i]}, ": inverse");
    }
  }
  summary_.members_checked += processes.size();
}

void RebuiltComms::mismatch(const char *which, std::int32_t rank, avrm_gpid_t expected, avrm_gpid_t found,
                            std::span<const avrm_gpid_t> processes) {
  if (summary_.mismatches.size() < kMostMismatches) {
    summary_.mismatches.push_back({next_number_, which, rank, expected, found, {processes.begin(), processes.end()}});
  }
}

} // namespace avrankmap::survey
