// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schemes/avrankmap_scheme.h"
#include "support/require.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPerNode = 16; // processes are laid out in blocks

} // namespace

// Translation in the plain modes is what is compared here; the smaller forms are
// measured elsewhere.
AvrankmapScheme::AvrankmapScheme(avrm_av_kind_t kind) : AvrankmapScheme(kind, false, AVRM_COST_SPEED, kPerNode) {}

AvrankmapScheme::AvrankmapScheme(avrm_av_kind_t kind, bool strict, avrm_cost_t cost, std::int32_t per_node)
    : AvrankmapScheme(kind, avrm_instance_options_t{nullptr, strict, cost, false}, per_node) {}

AvrankmapScheme::AvrankmapScheme(avrm_av_kind_t kind, const avrm_instance_options_t &options, std::int32_t per_node)
    : kind_(kind), per_node_(per_node) {
  avrm_instance_t *instance = nullptr;
  require(avrm_instance_create(&options, &instance), "avrm_instance_create");
  instance_.reset(instance);
}

std::int32_t AvrankmapScheme::add_world(std::int32_t size) {
  avrm_av_options_t options{};
  options.kind = kind_;
  avrm_av_t *av = nullptr;
  require(avrm_av_create(instance_.get(), size, &options, &av), "avrm_av_create");
  worlds_.emplace_back(av);

  std::vector<avrm_ave_t> part(static_cast<std::size_t>(std::min(size, 1 << 14)));
  for (std::int32_t first = 0; first < size;) {
    const std::int32_t count = std::min(size - first, static_cast<std::int32_t>(part.size()));
    for (std::int32_t i = 0; i < count; ++i) {
      require(avrm_ofi_pack(address_of({av->pgid, first + i}), static_cast<std::uint32_t>((first + i) / per_node_),
                            &part[static_cast<std::size_t>(i)]),
              "avrm_ofi_pack");
    }
    require(avrm_av_set_range(av, first, count, part.data()), "avrm_av_set_range");
    first += count;
  }
  avrm_av_info_t info;
  require(avrm_av_describe(av, &info), "avrm_av_describe");
  if (info.kind != kind_) {
    throw std::runtime_error("an address vector is not of the kind that is to be measured");
  }
  return av->pgid;
}

AvrankmapScheme::Comm AvrankmapScheme::make_world(std::int32_t pgid) {
  avrm_av_t *av = nullptr;
  require(avrm_av_find(instance_.get(), pgid, &av), "avrm_av_find");
  return bound(make_map(avrm_rankmap_create_direct, instance_.get(), pgid, av->size));
}

AvrankmapScheme::Comm AvrankmapScheme::make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks) {
  return bound(make_map(avrm_rankmap_create_child, &parent.map(), static_cast<std::int32_t>(parent_ranks.size()),
                        parent_ranks.data(), static_cast<unsigned>(AVRM_RANKMAP_DEFAULT)));
}

AvrankmapScheme::Comm AvrankmapScheme::make_merged(std::span<const Gpid> processes) {
  return bound(make_map(avrm_rankmap_create_gpids, instance_.get(), static_cast<std::int32_t>(processes.size()),
                        processes.data(), static_cast<unsigned>(AVRM_RANKMAP_DEFAULT)));
}

AvrankmapScheme::Comm AvrankmapScheme::dup(const Comm &comm) { return bound(make_map(avrm_rankmap_dup, &comm.map())); }

std::uint64_t AvrankmapScheme::bytes_of(avrm_mem_kind_t kind) const {
  avrm_mem_usage_t usage;
  require(avrm_instance_mem_usage(instance_.get(), kind, &usage), "avrm_instance_mem_usage");
  return usage.live_bytes;
}

avrm_mode_t AvrankmapScheme::mode(const Comm &comm) {
  avrm_rankmap_info_t info;
  require(avrm_rankmap_describe(&comm.map(), &info), "avrm_rankmap_describe");
  return info.mode;
}

AvrankmapScheme::Comm AvrankmapScheme::bound(OwnedMap map) const {
  require(avrm_rankmap_bind(map.get()), "avrm_rankmap_bind");
  return Comm(counted(std::move(map), map_bytes_.get()));
}

} // namespace avrankmap::bench
