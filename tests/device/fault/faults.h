// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls that fail on request. The linker sends the library's calls to the system, libfabric, UCX,
// PMIx, PMI-2 and operator new through functions of these tests, which fail when it is their turn.
// Only calls of the thread that armed the faults count.
#ifndef AVRANKMAP_TESTS_FAULT_FAULTS_H
#define AVRANKMAP_TESTS_FAULT_FAULTS_H

#include <cstdint>

namespace avrankmap::test {

// Families of calls that may fail. Several may be combined.
enum Family : unsigned {
  kMemory = 1,      // operator new, and the allocator hooks of CountingAllocator's user
  kSystem = 2,      // system calls, but for kCopies
  kTransport = 4,   // functions of libfabric and UCX
  kCompletions = 8, // operations that libfabric or UCX took and that end with an error
  kBoot = 16,       // functions of PMIx and PMI-2
  kQueue = 32,      // looks at libfabric's completion queue
  kClosing = 64,    // closing of libfabric's objects
  kLate = 128,      // polls of libfabric and UCX, whose completions come with a later one
  kCopies = 256,    // reading another process's memory
};

// The kind of failure. Each library has its own error codes for it. kAgainForMemory is kAgain by a
// transport that has just found no memory.
enum class Fault { kNoMemory, kHard, kPeer, kAgain, kAgainForMemory };

struct Faults {
  unsigned families = 0; // 0: no call counts, none fails
  Fault fault = Fault::kHard;
  std::int64_t left = 0;     // calls that pass before one fails
  std::int64_t in_a_row = 1; // calls that fail then
  std::uint64_t calls = 0;   // that counted
  std::uint64_t failed = 0;
  const char *call = ""; // the first that failed
};

// The faults of this thread.
[[nodiscard]] Faults &faults() noexcept;
// True if this call is to fail.
[[nodiscard]] bool is_due(unsigned family, const char *call) noexcept;

// Lets `left` calls of these families pass, then `in_a_row` fail.
void arm(unsigned families, Fault fault, std::int64_t left, std::int64_t in_a_row = 1) noexcept;
// Ends the failures. The counts remain.
void disarm() noexcept;

} // namespace avrankmap::test

#endif
