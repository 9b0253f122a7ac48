// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/dispatch_rates.h"

#include "communicators/shapes.h"
#include "component/dispatch/ways.h"
#include "schemes/issue_path.h"
#include "schemes/schemes.h"
#include "support/in_turn.h"

#include <deque>
#include <memory>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kPeers = 16;

/// Our structures, translated in another way.
template <std::uint64_t (*word_of)(const avrm_rankmap_t *, std::int32_t)> class OtherWay : public AvrankmapScheme {
public:
  AVRM_BENCH_HOT static std::uint64_t address_word(const avrm_rankmap_t &map, std::int32_t rank) {
    return word_of(&map, rank);
  }
  AVRM_BENCH_HOT static std::uint64_t address(const avrm_rankmap_t &map, std::int32_t rank) {
    const std::uint64_t word = word_of(&map, rank);
    return AVRM_LIKELY(avrm_ofi_is_network(word)) ? avrm_ofi_address(word) : kNotNetwork;
  }
  AVRM_BENCH_HOT static std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return address_word(comm.map(), rank);
  }
  AVRM_BENCH_HOT static std::uint64_t address(const Comm &comm, std::int32_t rank) { return address(comm.map(), rank); }
};
using SwitchWay = OtherWay<dispatch::by_switch>;
using HybridWay = OtherWay<dispatch::by_hybrid>;

template <Scheme S> class Host {
public:
  explicit Host(const Shape &shape) {
    for (const std::int32_t size : world_sizes(kPeers)) {
      scheme_.add_world(size);
    }
    if constexpr (ByFunctions<S>) {
      scheme_.set_functions(null_functions<S>());
    }
    comms_.push_back(scheme_.make_world(0));
    comms_.push_back(shape.parent_ranks.empty() ? scheme_.make_merged(shape.processes)
                                                : scheme_.make_child(comms_.front(), shape.parent_ranks));
    for (std::int32_t rank = 0; rank < kPeers; ++rank) {
      if (S::address(comms_.back(), rank) != address_of(shape.processes[static_cast<std::size_t>(rank)])) {
        throw std::runtime_error("wrong address in another way to dispatch");
      }
    }
  }
  void put(IssueContext &context, std::span<const std::int32_t> ranks) const {
    issue_all<S, Op::kPut>(context, comms_.back(), ranks);
  }

private:
  S scheme_;
  std::deque<typename S::Comm> comms_;
};

} // namespace

std::vector<DispatchRate> measure_dispatch_rates(int rounds, double seconds) {
  const Orders orders = make_orders(kPeers);
  const auto context = std::make_unique<IssueContext>();
  std::vector<DispatchRate> rates;
  for (int number = 0; number <= AVRM_MODE_MLUT; ++number) {
    const Shape shape = make_shape(static_cast<avrm_mode_t>(number), kPeers);
    const Host<VcVcrt> vc(shape);
    const Host<VcLean> lean(shape);
    const Host<SwitchWay> by_switch(shape);
    const Host<HybridWay> by_hybrid(shape);
    const Host<AvrankmapScheme> by_ours(shape);
    const auto passes = [&](const auto &host) {
      return [&](std::int64_t count) {
        for (; count > 0; --count) {
          host.put(*context, orders.round_robin);
        }
      };
    };
    const auto times = time_in_turn({passes(vc), passes(lean), passes(by_switch), passes(by_hybrid), passes(by_ours)},
                                    rounds, seconds);
    const char *const names[] = {"vc-vcrt", "vc-lean", "switch", "hybrid", "ours"};
    for (std::size_t i = 0; i < times.size(); ++i) {
      rates.push_back({names[i], shape.mode, static_cast<double>(orders.round_robin.size()) / median(times[i]),
                       median_ratio(times[0], times[i])});
    }
  }
  return rates;
}

} // namespace avrankmap::bench
