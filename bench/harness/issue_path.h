// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The put and isend paths from (communicator, rank) to a descriptor in the null network's ring: one template for all
// schemes, so that translation is the only thing in which they differ.
//
//   put    translate, test the transport, target address from window base and displacement, write the descriptor with
//          its 8 bytes of payload
//   isend  translate, test the transport, match bits from context id, own rank and tag, write the descriptor
#ifndef AVRANKMAP_BENCH_HARNESS_ISSUE_PATH_H
#define AVRANKMAP_BENCH_HARNESS_ISSUE_PATH_H

#include "baseline/scheme.h"
#include "null/null_net.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace avrankmap::bench {

enum class Op { kPut, kIsend };

/// What a window knows: it is symmetric, so base and key are the same for every target.
struct Window {
  std::uint64_t base = 0x100000;
  std::uint64_t rkey = 42;
  std::uint64_t displacement_unit = 8;
};

/// What a communicator knows about itself for matching.
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

/// What a scheme's hot functions start from: the communicator, or what the scheme says it is.
template <Scheme S> AVRM_BENCH_HOT const auto &hot_object(const typename S::Comm &comm) {
  if constexpr (requires { S::hot(comm); }) {
    return S::hot(comm);
  } else {
    return comm;
  }
}

template <Scheme S, class Hot>
AVRM_BENCH_HOT void issue_put(avrm_null_net_t &net, const Hot &comm, const Window &window, Arguments &arguments,
                              std::int32_t rank) {
  const std::uint64_t address = S::address(comm, rank);
  if (address == kNotNetwork) [[unlikely]] {
    avrm_null_far(&net, AVRM_NULL_PUT);
    return;
  }
  std::uint64_t payload;
  std::memcpy(&payload, &arguments.value, sizeof payload);
  avrm_null_put(&net, address, window.base + arguments.displacement * window.displacement_unit, window.rkey,
                sizeof payload, payload, &arguments.value, &arguments.request);
}

template <Scheme S, class Hot>
AVRM_BENCH_HOT void issue_isend(avrm_null_net_t &net, const Hot &comm, const Matching &matching, Arguments &arguments,
                                std::int32_t rank) {
  const std::uint64_t address = S::address(comm, rank);
  if (address == kNotNetwork) [[unlikely]] {
    avrm_null_far(&net, AVRM_NULL_ISEND);
    return;
  }
  avrm_null_isend(&net, address, match_bits(matching.context_id, matching.rank, arguments.tag), 0, &arguments.value, 0,
                  sizeof arguments.value, &arguments.request);
}

/// Everything that operations work on, beside the communicator.
struct IssueContext {
  avrm_null_net_t net{};
  Window window;
  Matching matching;
  Arguments arguments;
};

/// Issues one operation to each of `ranks`. Between two operations the compiler must forget what it knows of memory, as it
/// does between two calls from an application; else it would keep parts of the translation in registers.
template <Scheme S, Op op>
[[gnu::noinline]] void issue_all(IssueContext &context, const typename S::Comm &comm,
                                 std::span<const std::int32_t> ranks) {
  const auto &hot = hot_object<S>(comm);
  for (const std::int32_t rank : ranks) {
    __asm__ volatile("" : : : "memory");
    if constexpr (op == Op::kPut) {
      issue_put<S>(context.net, hot, context.window, context.arguments, rank);
    } else {
      issue_isend<S>(context.net, hot, context.matching, context.arguments, rank);
    }
  }
}

} // namespace avrankmap::bench

#endif
