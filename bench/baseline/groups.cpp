// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "baseline/groups.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace avrankmap::bench {

namespace {

/// The common part of all of them, once they can tell the rank in b of each process of a, and the
/// other way round.
template <class RankInB, class RankInA>
Processes put_together(GroupOperation operation, const Processes &a, const Processes &b, RankInB rank_in_b,
                       RankInA rank_in_a) {
  Processes result;
  switch (operation) {
  case GroupOperation::kUnion:
    result = a;
    for (std::size_t i = 0; i < b.size(); ++i) {
      if (rank_in_a(i) < 0) {
        result.push_back(b[i]);
      }
    }
    break;
  case GroupOperation::kIntersection:
  case GroupOperation::kDifference:
    for (std::size_t i = 0; i < a.size(); ++i) {
      if ((rank_in_b(i) >= 0) == (operation == GroupOperation::kIntersection)) {
        result.push_back(a[i]);
      }
    }
    break;
  case GroupOperation::kTranslate:
    for (std::size_t i = 0; i < a.size(); ++i) {
      result.push_back(rank_in_b(i));
    }
    break;
  }
  return result;
}

/// Address i stands for process i.
const std::int64_t *address_of(std::int64_t process) {
  return reinterpret_cast<const std::int64_t *>(static_cast<std::uintptr_t>(process + 1) * sizeof(std::int64_t));
}
std::int64_t process_of(const std::int64_t *address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) / sizeof(std::int64_t)) - 1;
}

} // namespace

// ---- Open MPI ----

OmpiGroup::OmpiGroup(const Processes &processes) {
  std::transform(processes.begin(), processes.end(), std::back_inserter(processes_), address_of);
}

std::int64_t OmpiGroup::rank_of(const std::int64_t *process) const {
  const auto found = std::find(processes_.begin(), processes_.end(), process);
  return found == processes_.end() ? -1 : found - processes_.begin();
}

Processes OmpiGroup::apply(GroupOperation operation, const OmpiGroup &a, const OmpiGroup &b) {
  const auto numbers = [](const OmpiGroup &group) {
    Processes processes;
    std::transform(group.processes_.begin(), group.processes_.end(), std::back_inserter(processes), process_of);
    return processes;
  };
  return put_together(
      operation, numbers(a), numbers(b), [&](std::size_t i) { return b.rank_of(a.processes_[i]); },
      [&](std::size_t i) { return a.rank_of(b.processes_[i]); });
}

// ---- MPICH 5 ----

Mpich5Group::Mpich5Group(const Processes &processes) { adopt(processes); }

void Mpich5Group::adopt(Processes processes) {
  size_ = static_cast<std::int64_t>(processes.size());
  const std::int64_t offset = processes.empty() ? 0 : processes[0];
  const std::int64_t stride = processes.size() < 2 ? 1 : processes[1] - processes[0];
  for (std::size_t i = 0; i < processes.size(); ++i) {
    if (processes[i] != offset + static_cast<std::int64_t>(i) * stride) {
      map_ = std::move(processes);
      return;
    }
  }
  stride_ = Stride{offset, stride};
}

std::int64_t Mpich5Group::rank_of(std::int64_t process) const {
  if (stride_) {
    const std::int64_t distance = process - stride_->offset;
    const std::int64_t rank = distance / stride_->stride;
    return distance % stride_->stride == 0 && rank >= 0 && rank < size_ ? rank : -1;
  }
  const auto found = std::find(map_.begin(), map_.end(), process);
  return found == map_.end() ? -1 : found - map_.begin();
}

std::int64_t Mpich5Group::process_at(std::int64_t rank) const {
  return stride_ ? stride_->offset + rank * stride_->stride : map_[static_cast<std::size_t>(rank)];
}

Processes Mpich5Group::apply(GroupOperation operation, const Mpich5Group &a, const Mpich5Group &b) {
  const Processes of_a = a.processes();
  const Processes of_b = b.processes();
  return put_together(
      operation, of_a, of_b, [&](std::size_t i) { return b.rank_of(of_a[i]); },
      [&](std::size_t i) { return a.rank_of(of_b[i]); });
}

Mpich5Group Mpich5Group::without(const Mpich5Group &group, const Mpich5Group &dead) {
  Processes rest;
  rest.reserve(static_cast<std::size_t>(group.size_));
  for (std::int64_t rank = 0; rank < group.size_; ++rank) {
    const std::int64_t process = group.process_at(rank);
    if (dead.rank_of(process) < 0) {
      rest.push_back(process);
    }
  }
  Mpich5Group result;
  result.adopt(std::move(rest));
  return result;
}

std::uint64_t Mpich5Group::bytes() const {
  constexpr std::uint64_t kPointer = 8;
  constexpr std::uint64_t kGroup = 48;
  return kPointer + kGroup + map_.size() * sizeof(std::int64_t);
}

Processes Mpich5Group::processes() const {
  Processes processes(static_cast<std::size_t>(size_));
  for (std::int64_t rank = 0; rank < size_; ++rank) {
    processes[static_cast<std::size_t>(rank)] = process_at(rank);
  }
  return processes;
}

void Mpich5Group::translate(const Mpich5Group &a, const std::vector<std::int32_t> &ranks, const Mpich5Group &b,
                            std::vector<std::int32_t> &result) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    result[i] = static_cast<std::int32_t>(b.rank_of(a.process_at(ranks[i])));
  }
}

// ---- MPICH 4 ----

std::vector<std::int32_t> Mpich4Group::sorted() const {
  std::vector<std::int32_t> ranks(processes_.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [this](std::int32_t x, std::int32_t y) {
    return processes_[static_cast<std::size_t>(x)] < processes_[static_cast<std::size_t>(y)];
  });
  return ranks;
}

Processes Mpich4Group::apply(GroupOperation operation, const Mpich4Group &a, const Mpich4Group &b) {
  const std::vector<std::int32_t> order_a = a.sorted();
  const std::vector<std::int32_t> order_b = b.sorted();
  std::vector<std::int32_t> rank_in_b(order_a.size(), -1);
  std::vector<std::int32_t> rank_in_a(order_b.size(), -1);
  for (std::size_t i = 0, j = 0; i < order_a.size() && j < order_b.size();) {
    const auto in_a = static_cast<std::size_t>(order_a[i]);
    const auto in_b = static_cast<std::size_t>(order_b[j]);
    if (a.processes_[in_a] == b.processes_[in_b]) {
      rank_in_b[in_a] = order_b[j++];
      rank_in_a[in_b] = order_a[i++];
    } else if (a.processes_[in_a] < b.processes_[in_b]) {
      ++i;
    } else {
      ++j;
    }
  }
  return put_together(
      operation, a.processes_, b.processes_, [&](std::size_t i) { return rank_in_b[i]; },
      [&](std::size_t i) { return rank_in_a[i]; });
}

} // namespace avrankmap::bench
