// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The put and isend paths from (communicator, rank) to a descriptor in the null network's ring. One
// template for all schemes, so that translation is the only thing in which they differ, with one
// exception: VcVcrt calls the function that it finds in the VC, as MPICH 3.2 does, and that call is
// part of what is measured. Its twin VcLean issues like all others, on the same structures; so it
// is VcLean that compares translation with translation.
//
//   put    translate, test the transport, target address from window base and displacement, write
//          the descriptor with its 8 bytes of payload
//   isend  translate, test the transport, match bits from context id, own rank and tag, write
//          the descriptor
#ifndef AVRANKMAP_BENCH_SCHEMES_ISSUE_PATH_H
#define AVRANKMAP_BENCH_SCHEMES_ISSUE_PATH_H

#include "baseline/scheme.h"
#include "null/null_net.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace avrankmap::bench {

enum class Op { kPut, kIsend };

/// A window's description: it is symmetric, so base and key are the same for every target.
struct Window {
  std::uint64_t base = 0x100000;
  std::uint64_t rkey = 42;
  std::uint64_t displacement_unit = 8;
};

/// A communicator's fields for matching.
struct Matching {
  std::uint16_t context_id = 7;
  std::int32_t rank = 3;
};

/// The arguments that an application hands over, the same for every operation.
struct Arguments {
  std::uint64_t value = 0x0123456789abcdef; ///< 8 bytes to put or send
  std::uint64_t displacement = 5;           ///< in the target's window
  std::uint64_t request = 0;                ///< the object that completion would be written to
  std::int32_t tag = 99;
};

/// 16 bits of context id, 24 of source rank, 24 of tag.
constexpr std::uint64_t match_bits(std::uint16_t context_id, std::int32_t source, std::int32_t tag) {
  return std::uint64_t{context_id} << 48 | static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 24 |
         static_cast<std::uint32_t>(tag);
}

/// Everything that operations work on, apart from the communicator.
struct IssueContext {
  avrm_null_net_t net{};
  Window window;
  Matching matching;
  Arguments arguments;
};

/// Writes the descriptor of a put.
AVRM_BENCH_HOT void write_put(IssueContext &context, std::uint64_t address) {
  const Window &window = context.window;
  const Arguments &arguments = context.arguments;
  std::uint64_t payload;
  std::memcpy(&payload, &arguments.value, sizeof payload);
  avrm_null_put(&context.net, address, window.base + arguments.displacement * window.displacement_unit, window.rkey,
                sizeof payload, payload, &arguments.value, &context.arguments.request);
}

/// Writes the descriptor of a message.
AVRM_BENCH_HOT void write_isend(IssueContext &context, std::uint64_t address) {
  const Matching &matching = context.matching;
  const Arguments &arguments = context.arguments;
  avrm_null_isend(&context.net, address, match_bits(matching.context_id, matching.rank, arguments.tag), 0,
                  &arguments.value, 0, sizeof arguments.value, &context.arguments.request);
}

/// The argument of a scheme's hot functions: the communicator, or a type of the scheme's own.
template <Scheme S> AVRM_BENCH_HOT const auto &hot_object(const typename S::Comm &comm) {
  if constexpr (requires { S::hot(comm); }) {
    return S::hot(comm);
  } else {
    return comm;
  }
}

/// Schemes whose operations are issued by functions that they keep per peer.
template <class S>
concept ByFunctions = requires {
  requires S::kByFunctions;
};

/// One operation to one rank.
template <Scheme S, Op op, class Hot>
AVRM_BENCH_HOT void issue(IssueContext &context, const Hot &comm, std::int32_t rank) {
  if constexpr (ByFunctions<S>) {
    const auto &vc = S::connection(comm, rank);
    const auto start = op == Op::kPut ? vc.start.put : vc.start.isend;
    if (vc.state != S::kActive || start == nullptr) [[unlikely]] {
      avrm_null_far(&context.net, op == Op::kPut ? AVRM_NULL_PUT : AVRM_NULL_ISEND);
      return;
    }
    start(&context, vc);
  } else {
    const std::uint64_t address = S::address(comm, rank);
    if (address == kNotNetwork) [[unlikely]] {
      avrm_null_far(&context.net, op == Op::kPut ? AVRM_NULL_PUT : AVRM_NULL_ISEND);
      return;
    }
    if constexpr (op == Op::kPut) {
      write_put(context, address);
    } else {
      write_isend(context, address);
    }
  }
}

/// The functions that a scheme of this kind keeps for peers on the null network.
template <ByFunctions S> typename S::Functions null_functions() {
  using Vc = typename S::Vc;
  return {[](void *context, const Vc &vc) { write_put(*static_cast<IssueContext *>(context), vc.network.address); },
          [](void *context, const Vc &vc) { write_isend(*static_cast<IssueContext *>(context), vc.network.address); }};
}

/// Issues one operation to each of `ranks`. Between two operations the compiler must forget what it
/// knows of memory, as it does between two calls from an application; else it would keep parts of
/// the translation in registers.
template <Scheme S, Op op>
[[gnu::noinline]] void issue_all(IssueContext &context, const typename S::Comm &comm,
                                 std::span<const std::int32_t> ranks) {
  const auto &hot = hot_object<S>(comm);
  for (const std::int32_t rank : ranks) {
    __asm__ volatile("" : : : "memory");
    issue<S, op>(context, hot, rank);
  }
}

} // namespace avrankmap::bench

#endif
