// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The common part of the schemes that we compare with. A scheme keeps the addresses of processes
// and the mappings of communicators in the data structures of one published MPI implementation,
// written afresh from its description, and walks them on the way from (communicator, rank) to a
// network address as that implementation does.
//
//   vc-vcrt      MPICH 3.2: a pointer table per communicator, 480 bytes per process (vc_vcrt.h)
//   mpich4       MPICH 4.0.2: a switch over 12 modes, 72 bytes per process; 4,104 in
//                4.1 to 4.3 (mpich4.h)
//   mpich5       MPICH 5: offset and stride, or 8 bytes per rank; 32 bytes per process (mpich5.h)
//   ompi         Open MPI as shipped: 8 bytes per rank, and an object per contacted process
//   ompi-sparse  Open MPI with --enable-sparse-groups: a chain of parents (ompi_sparse.h)
//   raw          addresses translated beforehand: the limit (raw.h)
//
// Where a description leaves a choice, the one that makes the scheme faster or smaller is taken.
// Their processes are not looked up by name, their communicators have one group, and reference
// counts are plain integers.
//
// A communicator is the object that the original hands around by pointer: the hot functions take it
// by reference and spend no instruction on reaching it. What the original keeps in a global
// variable sits in the communicator, where reading it also takes one load, so that several schemes
// can exist at once.
//
// Not thread-safe. Arguments are not checked. Exhausted memory is std::bad_alloc.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "avrankmap/rankmap.h"

/// Functions of the hot path: their cost is to be counted in the loop that uses them.
#define AVRM_BENCH_HOT __attribute__((always_inline)) inline

namespace avrankmap::bench {

using Gpid = avrm_gpid_t;

/// Network address of a process, the same in all schemes. Within a process group the addresses are
/// dense, as insertion indices of an address vector are.
constexpr std::uint64_t address_of(Gpid process) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(process.pgid)) << 40) +
         static_cast<std::uint32_t>(process.lpid);
}

/// Returned by address() for a peer that is not reached through the network.
inline constexpr std::uint64_t kNotNetwork = ~std::uint64_t{0};

/// Tells the compiler what the scheme's own test has established, so that a caller that compares
/// the result of address() with kNotNetwork is compiled to that one test.
AVRM_BENCH_HOT std::uint64_t known_network(std::uint64_t address) {
  if (address == kNotNetwork) {
    AVRM_UNREACHABLE();
  }
  return address;
}

/// Operations of a scheme.
///
///   kName                       name in tables
///   kCommBytes                  bytes that each communicator adds, without tables
///   add_world(size)             a process group: the address structures of `size` processes, all
///                               of them reached through the network. Returns its pgid: 0, 1, ...
///   make_world(pgid)            communicator of a whole process group
///   make_child(parent, ranks)   communicator creation from an indirect mapping array: rank r of
///                               the child is rank ranks[r] of the parent; not empty, no rank twice
///   make_merged(processes)      communicator of any processes; not empty, no process twice
///   dup(comm)                   duplicate; shares what the original shares
///   address(comm, rank)         hot: the network address with the transport test that the original
///                               makes on its put path, or kNotNetwork
///   address_word(comm, rank)    hot: the same without the test, as the paper counts
///                               it in Table III
///   bytes()                     bytes of all live structures, counted as they are allocated
///
/// The communicators of a scheme must not outlive it.
template <class S>
concept Scheme = requires(S scheme, const S &frozen, const typename S::Comm &comm, std::int32_t number,
                          std::span<const std::int32_t> ranks, std::span<const Gpid> processes) {
  { S::kName } -> std::convertible_to<const char *>;
  { S::kCommBytes } -> std::convertible_to<std::uint64_t>;
  requires std::movable<typename S::Comm>;
  { comm.size() } -> std::same_as<std::int32_t>;
  { scheme.add_world(number) } -> std::same_as<std::int32_t>;
  { scheme.make_world(number) } -> std::same_as<typename S::Comm>;
  { scheme.make_child(comm, ranks) } -> std::same_as<typename S::Comm>;
  { scheme.make_merged(processes) } -> std::same_as<typename S::Comm>;
  { scheme.dup(comm) } -> std::same_as<typename S::Comm>;
  { S::address(comm, number) } -> std::same_as<std::uint64_t>;
  { S::address_word(comm, number) } -> std::same_as<std::uint64_t>;
  { frozen.bytes() } -> std::same_as<std::uint64_t>;
};

} // namespace avrankmap::bench
