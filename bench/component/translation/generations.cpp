// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "component/translation/generations.h"

#include "schemes/issue_path.h"
#include "schemes/schemes.h"
#include "support/in_turn.h"

#include <deque>
#include <memory>
#include <numeric>
#include <stdexcept>

namespace avrankmap::bench {
namespace {

// Of the communicator of each generation: of few, Open MPI makes a bitmap.
constexpr std::int32_t kRanks = 1024;
constexpr std::int32_t kPeers = 16; // that are addressed
constexpr std::size_t kPass = 1024; // operations

/// The world and its descendants, each of every third rank of the one before, all kept: a sparse
/// group needs its parents. Strides of powers of two would put the objects of all peers into one
/// set of a cache.
template <Scheme S> class Line {
public:
  Line(int generation, bool dense) {
    std::int32_t stride = 1;
    for (int i = 0; i < generation; ++i) {
      stride *= 3;
    }
    const std::int32_t world = kRanks * stride;
    scheme_.add_world(world);
    if constexpr (ByFunctions<S>) {
      scheme_.set_functions(null_functions<S>());
    }
    comms_.push_back(scheme_.make_world(0));
    std::vector<std::int32_t> thirds;
    for (std::int32_t size = world / 3; size >= kRanks && !dense; size /= 3) {
      thirds.resize(static_cast<std::size_t>(size));
      for (std::int32_t rank = 0; rank < size; ++rank) {
        thirds[static_cast<std::size_t>(rank)] = 3 * rank;
      }
      comms_.push_back(scheme_.make_child(comms_.back(), thirds));
    }
    if (dense) {
      std::vector<Gpid> members;
      for (std::int32_t rank = 0; rank < kRanks; ++rank) {
        members.push_back({0, rank * stride});
      }
      comms_.push_back(scheme_.make_merged(members));
    }
    for (std::int32_t rank = 0; rank < kRanks; ++rank) {
      if (S::address(comms_.back(), rank) != address_of({0, rank * stride})) {
        throw std::runtime_error(std::string(S::kName) + ": wrong address after generations");
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

std::vector<GenerationRate> measure_generations(int generations, int rounds, double seconds) {
  std::vector<std::int32_t> ranks(kPass);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i] = static_cast<std::int32_t>(i) % kPeers;
  }
  const auto context = std::make_unique<IssueContext>();
  std::vector<GenerationRate> rates;
  for (int generation = 0; generation <= generations; ++generation) {
    const Line<OmpiSparse> sparse(generation, false);
    const Line<OmpiSparse> dense(generation, true);
    const Line<VcVcrt> vc(generation, false);
    const Line<AvrankmapScheme> ours(generation, false);
    const auto passes = [&](const auto &line) {
      return [&](std::int64_t count) {
        for (; count > 0; --count) {
          line.put(*context, ranks);
        }
      };
    };
    passes(sparse)(1);
    passes(dense)(1);
    passes(vc)(1);
    passes(ours)(1);
    const auto times = time_in_turn({passes(sparse), passes(dense), passes(vc), passes(ours)}, rounds, seconds);
    const char *const names[] = {"ompi-sparse", "ompi-dense", "vc-vcrt", "avrankmap"};
    for (std::size_t i = 0; i < times.size(); ++i) {
      rates.push_back(
          {generation, names[i], static_cast<double>(kPass) / median(times[i]), median_ratio(times[1], times[i])});
    }
  }
  return rates;
}

} // namespace avrankmap::bench
