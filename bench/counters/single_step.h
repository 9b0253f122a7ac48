// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Exact instruction counts of one function call: a forked child makes the call, the parent
// single-steps it with ptrace and writes down every instruction that the processor executes in user
// space, callees included. Nothing is sampled and nothing is estimated, so the same code on the
// same input gives the same number on every machine. Each step costs some 50 us: this counts a
// call, not a benchmark.
//
//     avrankmap::counters::Result<StepCount> count = count_call(&probe, [&] { probe(map, rank); });
//
// The function must exist as such: declare it extern "C" and noinline, in another translation unit
// than the callable, or the compiler may inline it, clone it or drop the call, and the answer is
// then "was never called". Call it once before counting if it reaches another shared object, so
// that the dynamic linker's lazy binding is not counted.
//
// Available on x86-64 Linux, where ptrace is allowed, outside valgrind, without sanitizers;
// elsewhere the result says why not.
#pragma once

#include "counters/instruction.h"
#include "counters/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace avrankmap::counters {

struct StepOptions {
  // End at this address, which is not counted, rather than at the return.
  const void *stop_at = nullptr;
  // Functions that are not counted, and do not run: each returns 0 at once. So what is counted
  // calls a network that takes everything, and nothing leaves the process.
  std::vector<const void *> stubs = {};
  std::uint64_t max_steps = 200'000; // more than this is a failure
  unsigned time_limit_s = 60;        // as is a call that takes longer; 0 waits for ever
};

struct StepCount {
  static constexpr const char *source = "single-step (exact)";

  // Instructions executed from the function's first on, without landing pads and without the
  // `ret` that ends it.
  std::uint64_t instructions = 0;
  // Those before the first call of a stub. All of them if there was none.
  std::uint64_t before = 0;
  // endbr64, kept apart so that builds with and without -fcf-protection compare.
  std::uint64_t landing_pads = 0;
  // 1, or 0 when the function was left some other way or stop_at ended it.
  std::uint64_t final_rets = 0;

  std::uint64_t stubbed = 0; // calls of stubs

  std::vector<Step> trace; // all of the above, in order

  // How many of the instructions are of this kind; final ret included.
  [[nodiscard]] std::uint64_t count(InstructionKind kind) const;
  [[nodiscard]] std::uint64_t locked() const;

  // One line per executed instruction: its offset from the function's first one, its bytes, its
  // kind where that is not InstructionKind::other. Offsets are those of a disassembly; print it
  // when a pinned count changes.
  [[nodiscard]] std::string listing() const;
};

// Runs run(arg) in a forked child, and counts the first call of the function at `entry`. run
// must not throw.
Result<StepCount> count_instructions(const void *entry, void (*run)(void *), void *arg,
                                     const StepOptions &options = {});

template <class Function, class Callable>
Result<StepCount> count_call(Function *entry, Callable &&callable, const StepOptions &options = {}) {
  static_assert(std::is_function_v<Function>, "the first argument is the function whose instructions are counted");
  using Plain = std::remove_reference_t<Callable>;
  void *arg = const_cast<void *>(static_cast<const void *>(&callable));
  return count_instructions(
      reinterpret_cast<const void *>(entry), [](void *p) { (*static_cast<Plain *>(p))(); }, arg, options);
}

} // namespace avrankmap::counters
