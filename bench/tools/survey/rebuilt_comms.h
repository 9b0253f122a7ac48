// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The communicators of one process of an MPI program, rebuilt in four schemes at once: our
// component in a strict instance and in an ordinary one, VC-VCRT and MPICH 5 (baseline/). The
// structures of each scheme are allocated and kept as long as the program keeps the communicator;
// their bytes are those that are really allocated.
//
// Each map is made from the plain list of its processes, and again as a child of the parent if the
// parent is known. Both maps are compared with the list, member by member, in both directions. The
// addresses of the bound map are compared as well.
//
// This file does not use MPI: communicators are numbers, processes are (pgid, lpid). It is not
// thread-safe. Functions throw std::bad_alloc when memory is exhausted and std::runtime_error when
// another call of the component fails. Communicators from before the call stay valid then, but
// bytes of a half-built one may have been counted.
#ifndef AVRANKMAP_BENCH_TOOLS_SURVEY_REBUILT_COMMS_H
#define AVRANKMAP_BENCH_TOOLS_SURVEY_REBUILT_COMMS_H

#include "avrankmap/avrankmap.h"
#include "tools/survey/made.h"
#include "tools/survey/projection.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace avrankmap::survey {

/// The schemes, in the order of every array below.
inline constexpr std::size_t kSchemes = 4;
inline constexpr std::array<const char *, kSchemes> kSchemeNames{"strict", "extended", "vc-vcrt", "mpich5"};
using PerScheme = std::array<std::uint64_t, kSchemes>;

/// Raises each of `most` to the value in `now` if that is greater.
inline void raise(PerScheme &most, const PerScheme &now) {
  for (std::size_t i = 0; i < kSchemes; ++i) {
    most[i] = std::max(most[i], now[i]);
  }
}

/// A communicator that the program has created.
struct Creation {
  std::uint64_t handle = 0;
  std::uint64_t parent = 0; ///< handle of the parent; 0 if there is none
  Made made = Made::kFirstSeen;
  std::string call; ///< the function that created it
  /// by rank, as the MPI library translates them; not empty
  std::span<const avrm_gpid_t> processes;
  std::span<const avrm_gpid_t> remote; ///< the other group of an intercommunicator, else empty
};

/// A communicator in the report.
struct Row {
  std::int64_t number = 0; ///< counted from 0, in order of creation
  std::int64_t parent = -1;
  Made made = Made::kFirstSeen;
  std::string call;
  std::int32_t size = 0;
  std::int32_t remote_size = 0;
  /// of the map with the peers; the remote group's in an intercommunicator
  avrm_mode_t strict = AVRM_MODE_DIRECT;
  avrm_mode_t extended = AVRM_MODE_DIRECT;
  bool composed = false; ///< made as a child of its parent
  PerScheme bytes{};     ///< added by its creation
  PerScheme projected{}; ///< `bytes` in the larger world
};

/// A rank that a map and the MPI library translate differently.
struct Mismatch {
  std::int64_t number = 0; ///< of the communicator
  std::string map;         ///< which of its maps, and which query
  std::int32_t rank = 0;
  avrm_gpid_t expected{};
  avrm_gpid_t found{};
  std::vector<avrm_gpid_t> processes; ///< all members, so that a test can rebuild it
};

/// Communicators from the same call with the same sizes and modes; they share a line in the text.
struct Alike {
  std::string call;
  std::int32_t size;
  std::int32_t remote_size;
  avrm_mode_t strict;
  avrm_mode_t extended;

  friend auto operator<=>(const Alike &, const Alike &) = default;
};
struct AlikeTotal {
  std::int64_t count = 0;
  PerScheme bytes{};
};

struct Summary {
  std::int32_t processes = 0;
  std::int32_t target = 0; ///< of the projection; 0 if there is none
  std::int64_t made = 0;   ///< without predefined ones and null handles
  std::int64_t null = 0;   ///< creations that returned MPI_COMM_NULL to this process
  std::int64_t live = 0;   ///< at present, with the predefined ones
  std::int64_t most_live = 0;
  std::int64_t process_groups = 0;
  std::uint64_t members_checked = 0;
  std::uint64_t mismatched = 0; ///< members; `mismatches` has the first one of each map
  PerScheme world_bytes{};      ///< of the addresses of all processes
  PerScheme peak_bytes{};       ///< highest sum so far, addresses included
  PerScheme projected_peak_bytes{};
  std::map<std::string, std::int64_t> by_made; ///< without predefined ones, like `made`
  std::map<std::string, std::int64_t> by_strict_mode;
  std::map<std::string, std::int64_t> by_extended_mode;
  std::map<Alike, AlikeTotal> alike;
  std::vector<Row> rows;            ///< the first kMostRows of them
  std::vector<Mismatch> mismatches; ///< the first kMostMismatches of them
};

inline constexpr std::size_t kMostRows = 10'000;
inline constexpr std::size_t kMostMismatches = 16;

class RebuiltComms {
public:
  /// @param processes  size of the program's world, process group 0
  /// @param target     number of processes to project to; 0 for none
  /// @param allocator  for the instances of the component; null for its own
  RebuiltComms(std::int32_t processes, std::int32_t target, const avrm_allocator_t *allocator = nullptr);
  RebuiltComms(const RebuiltComms &) = delete;
  RebuiltComms &operator=(const RebuiltComms &) = delete;
  ~RebuiltComms();

  /// Adds a process group and returns its pgid: 1, 2, ...
  std::int32_t add_process_group(std::int32_t size);

  /// Enters a communicator. Removes an older one with the same handle: the program must have freed
  /// it in a way that is not watched.
  void add(const Creation &creation);
  /// Counts a creation that returned MPI_COMM_NULL to this process.
  void add_null() noexcept { ++summary_.null; }
  /// Removes a communicator that the program frees. Ignores an unknown handle.
  void remove(std::uint64_t handle) noexcept;
  /// Replaces the handle of a communicator. `to` must be unknown.
  void rename(std::uint64_t from, std::uint64_t to);
  [[nodiscard]] bool knows(std::uint64_t handle) const noexcept { return comms_.contains(handle); }

  [[nodiscard]] const Summary &summary() const noexcept { return summary_; }

private:
  struct Schemes;
  struct Comm;
  class Build;

  [[nodiscard]] PerScheme bytes() const;
  void check(const avrm_rankmap_t &map, std::span<const avrm_gpid_t> processes, const char *which, bool bound);
  void mismatch(const char *which, std::int32_t rank, avrm_gpid_t expected, avrm_gpid_t found,
                std::span<const avrm_gpid_t> processes);
  void release(Comm &comm) noexcept;

  std::unique_ptr<Schemes> schemes_; // outlives the communicators
  std::map<std::uint64_t, std::unique_ptr<Comm>> comms_;
  Projection projection_;
  Summary summary_;
  PerScheme projected_live_{};
  std::int64_t next_number_ = 0;
  std::vector<std::int32_t> ranks_; // reused by check()
};

} // namespace avrankmap::survey

#endif
