// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/instruction.h"

#include <cstddef>

namespace avrankmap::counters {

namespace {

bool is_string_opcode(unsigned opcode) {
  return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

InstructionKind kind_of_two_byte_opcode(unsigned opcode, unsigned modrm, bool rep) {
  if (opcode == 0x05 || opcode == 0x34) // syscall, sysenter
    return InstructionKind::syscall;
  if (opcode >= 0x80 && opcode <= 0x8f)
    return InstructionKind::branch;
  if (opcode == 0x1e && modrm == 0xfa && rep)
    return InstructionKind::landing_pad;
  return InstructionKind::other;
}

InstructionKind kind_of_opcode(unsigned opcode, unsigned modrm) {
  const unsigned extension = (modrm >> 3) & 7U;
  switch (opcode) {
  case 0xe8: return InstructionKind::call;
  case 0xc2:
  case 0xc3: return InstructionKind::ret;
  case 0xe9:
  case 0xeb: return InstructionKind::jump;
  case 0xcd: return modrm == 0x80 ? InstructionKind::syscall : InstructionKind::other;
  case 0xf6:
  case 0xf7: return extension >= 6 ? InstructionKind::divide : InstructionKind::other;
  case 0xff:
    if (extension == 2 || extension == 3)
      return InstructionKind::call;
    return extension == 4 || extension == 5 ? InstructionKind::jump : InstructionKind::other;
  default:
    // 70..7f jcc, e0..e3 loop and jrcxz
    return (opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3) ? InstructionKind::branch
                                                                                    : InstructionKind::other;
  }
}

} // namespace

Instruction classify(std::span<const std::uint8_t> bytes) {
  Instruction result;
  std::size_t at = 0;
  bool rep = false;
  bool more_prefixes = true;
  while (more_prefixes && at < bytes.size()) {
    switch (bytes[at]) {
    case 0xf0:
      result.locked = true;
      ++at;
      break;
    case 0xf2:
    case 0xf3:
      rep = true;
      ++at;
      break;
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67: ++at; break;
    default: more_prefixes = false;
    }
  }
  if (at < bytes.size() && (bytes[at] & 0xf0U) == 0x40) // REX
    ++at;

  // A byte that is not there reads as a harmless one: nop as opcode, 0 as what follows it.
  const auto byte_at = [&](std::size_t i, unsigned otherwise) {
    return i < bytes.size() ? static_cast<unsigned>(bytes[i]) : otherwise;
  };
  const unsigned opcode = byte_at(at, 0x90);
  const unsigned second = byte_at(at + 1, 0);
  if (opcode == 0x0f) {
    result.kind = kind_of_two_byte_opcode(second, byte_at(at + 2, 0), rep);
    return result;
  }
  result.kind = kind_of_opcode(opcode, second);
  result.repeated = rep && is_string_opcode(opcode);
  if ((opcode == 0x86 || opcode == 0x87) && at + 1 < bytes.size() && (second >> 6) != 3)
    result.locked = true;
  return result;
}

} // namespace avrankmap::counters
