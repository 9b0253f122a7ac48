// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Just enough x86-64 decoding to say what a hot path must not contain: calls, divisions, locked
// operations, system calls. Everything else is one kind.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace avrankmap::counters {

enum class InstructionKind {
  landing_pad, // endbr64, which -fcf-protection puts where an indirect branch may land
  call,
  ret,
  divide, // div and idiv: the integer ones, whose latency a translation cannot afford
  branch, // conditional jumps
  jump,   // unconditional jumps, direct and indirect
  syscall,
  other,
};

struct Instruction {
  InstructionKind kind = InstructionKind::other;
  bool locked = false;   // lock prefix, or xchg with memory, which locks without one
  bool repeated = false; // string instruction with a rep prefix: one instruction, many iterations
};

// Precondition: bytes starts at an instruction. An instruction longer than what is given is
// InstructionKind::other.
Instruction classify(std::span<const std::uint8_t> bytes);

// One executed instruction: where, and the bytes from there on (at most 15, the longest that an
// instruction can be; fewer where memory ends).
struct Step {
  std::uint64_t address = 0;
  std::array<std::uint8_t, 15> bytes{};
  std::uint8_t byte_count = 0;

  [[nodiscard]] Instruction decode() const { return classify(std::span(bytes).first(byte_count)); }

  friend bool operator==(const Step &, const Step &) = default;
};

} // namespace avrankmap::counters
