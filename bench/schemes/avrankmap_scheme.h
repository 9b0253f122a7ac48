// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Our own component in the shape of the schemes that it is compared with (baseline/scheme.h). The
// mode is whatever the component chooses for a communicator.
#ifndef AVRANKMAP_BENCH_SCHEMES_AVRANKMAP_SCHEME_H
#define AVRANKMAP_BENCH_SCHEMES_AVRANKMAP_SCHEME_H

#include "avrankmap/avrankmap.h"
#include "baseline/scheme.h"
#include "support/owned_map.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace avrankmap::bench {

class AvrankmapScheme {
  template <auto destroy> struct Destroyer {
    template <class T> void operator()(T *object) const noexcept { destroy(object); }
  };
  template <class T, auto destroy> using Owned = std::unique_ptr<T, Destroyer<destroy>>;

public:
  static constexpr const char *kName = "avrankmap";
  static constexpr std::uint64_t kCommBytes = sizeof(avrm_rankmap_t);

  /// A bound rankmap.
  class Comm {
  public:
    explicit Comm(OwnedMap map) : map_(std::move(map)) {}
    [[nodiscard]] std::int32_t size() const { return avrm_rankmap_size(map_.get()); }
    [[nodiscard]] const avrm_rankmap_t &map() const { return *map_; }

  private:
    OwnedMap map_;
  };

  /// A failed call of the component is a std::runtime_error with the text of its status,
  /// here and below.
  explicit AvrankmapScheme(avrm_av_kind_t kind = AVRM_AV_TABLE);
  /// With other forms than the plain modes.
  /// @param per_node  processes are laid out in blocks of so many
  AvrankmapScheme(avrm_av_kind_t kind, bool strict, avrm_cost_t cost, std::int32_t per_node);
  /// In an instance of these options.
  AvrankmapScheme(avrm_av_kind_t kind, const avrm_instance_options_t &options, std::int32_t per_node);

  std::int32_t add_world(std::int32_t size);
  Comm make_world(std::int32_t pgid);
  Comm make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks);
  Comm make_merged(std::span<const Gpid> processes);
  Comm dup(const Comm &comm);

  /// The argument of the hot path: the rankmap itself, not the C++ object that owns it.
  static const avrm_rankmap_t &hot(const Comm &comm) { return comm.map(); }

  AVRM_BENCH_HOT static std::uint64_t address_word(const avrm_rankmap_t &map, std::int32_t rank) {
    return avrm_rankmap_word(&map, rank);
  }
  AVRM_BENCH_HOT static std::uint64_t address(const avrm_rankmap_t &map, std::int32_t rank) {
    const std::uint64_t word = avrm_rankmap_word(&map, rank);
    return AVRM_LIKELY(avrm_ofi_is_network(word)) ? avrm_ofi_address(word) : kNotNetwork;
  }
  AVRM_BENCH_HOT static std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return address_word(comm.map(), rank);
  }
  AVRM_BENCH_HOT static std::uint64_t address(const Comm &comm, std::int32_t rank) { return address(comm.map(), rank); }

  [[nodiscard]] std::uint64_t bytes() const { return map_bytes() + bytes_of(AVRM_MEM_TOTAL); }
  /// Of the rankmaps themselves, which lie in the communicators, not in the component's memory.
  [[nodiscard]] std::uint64_t map_bytes() const { return *map_bytes_; }
  [[nodiscard]] std::uint64_t bytes_of(avrm_mem_kind_t kind) const;

  static avrm_mode_t mode(const Comm &comm);

private:
  [[nodiscard]] Comm bound(OwnedMap map) const;

  avrm_av_kind_t kind_;
  std::int32_t per_node_;
  // As map_bytes.
  std::unique_ptr<std::uint64_t> map_bytes_ = std::make_unique<std::uint64_t>(0);
  // Destroyed last to first: the instance refuses to go before its address vectors.
  Owned<avrm_instance_t, avrm_instance_destroy> instance_;
  std::vector<Owned<avrm_av_t, avrm_av_release>> worlds_;
};

/// The same with address vectors that have no table as long as addresses and nodes are functions of
/// the lpid, which they are here.
class AvrankmapImplicit : public AvrankmapScheme {
public:
  static constexpr const char *kName = "avrankmap-implicit";

  AvrankmapImplicit() : AvrankmapScheme(AVRM_AV_IMPLICIT) {}
};

/// Either of the two.
template <class S>
concept IsOurs = std::derived_from<S, AvrankmapScheme>;

static_assert(Scheme<AvrankmapScheme>);
static_assert(Scheme<AvrankmapImplicit>);

} // namespace avrankmap::bench

#endif
