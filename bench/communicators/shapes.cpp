// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators/shapes.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kSmallestLut = 4;
constexpr std::int32_t kSmallestBlocked = 8;
constexpr std::size_t kShortestOrder = 1024;

using Generator = std::mt19937_64;

/// std::shuffle is free to differ between libraries; this is not.
template <class Iterator> void shuffle(Iterator first, Iterator last, Generator &generator) {
  for (auto left = last - first; left > 1; --left) {
    const auto other = static_cast<std::int64_t>(generator() % static_cast<std::uint64_t>(left));
    std::swap(first[left - 1], first[other]);
  }
}

std::vector<std::int32_t> strided(std::int32_t size, std::int32_t offset, std::int32_t stride) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size));
  for (std::int32_t rank = 0; rank < size; ++rank) {
    ranks[static_cast<std::size_t>(rank)] = offset + rank * stride;
  }
  return ranks;
}

std::vector<std::int32_t> blocked(std::int32_t size) {
  const std::int32_t block = std::min(16, size / 4);
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(size));
  for (std::int32_t rank = 0; rank < size; ++rank) {
    ranks[static_cast<std::size_t>(rank)] = rank / block * (2 * block) + rank % block;
  }
  return ranks;
}

Shape child_of_world(avrm_mode_t mode, std::vector<std::int32_t> ranks) {
  Shape shape{avrm_mode_label(mode), std::move(ranks), {}};
  for (const std::int32_t rank : shape.parent_ranks) {
    shape.processes.push_back({0, rank});
  }
  return shape;
}

} // namespace

std::vector<std::int32_t> world_sizes(std::int32_t peers) { return {2 * peers, std::max(1, peers / 2)}; }

Shape make_shape(avrm_mode_t mode, std::int32_t peers) {
  Generator generator(static_cast<std::uint64_t>(peers));
  switch (mode) {
  case AVRM_MODE_DIRECT: return child_of_world(mode, strided(peers, 0, 1));
  case AVRM_MODE_OFFSET: return child_of_world(mode, strided(peers, peers, 1));
  case AVRM_MODE_STRIDE: return child_of_world(mode, strided(peers, 1, 2));
  case AVRM_MODE_BLOCKED: return child_of_world(mode, peers < kSmallestBlocked ? strided(0, 0, 1) : blocked(peers));
  case AVRM_MODE_LUT: {
    std::vector<std::int32_t> ranks = strided(peers < kSmallestLut ? 0 : peers, 1, 2);
    shuffle(ranks.begin(), ranks.end(), generator);
    return child_of_world(mode, std::move(ranks));
  }
  case AVRM_MODE_MLUT: {
    std::vector<avrm_gpid_t> processes;
    const std::int32_t of_second = world_sizes(peers).back();
    for (std::int32_t i = 0; i < peers - of_second; ++i) {
      processes.push_back({0, 4 * i});
    }
    for (std::int32_t i = 0; i < of_second; ++i) {
      processes.push_back({1, i});
    }
    shuffle(processes.begin(), processes.end(), generator);
    return make_shape(avrm_mode_label(mode), std::move(processes));
  }
  default: break; // what is compared are the plain modes
  }
  return {};
}

Shape make_shape(std::string mode, std::vector<avrm_gpid_t> processes) {
  return {std::move(mode), {}, std::move(processes)};
}

Orders make_orders(std::int32_t size) {
  const auto count = static_cast<std::size_t>(size);
  const std::size_t length = (kShortestOrder + count - 1) / count * count;
  Orders orders;
  orders.round_robin.resize(length);
  for (std::size_t i = 0; i < length; ++i) {
    orders.round_robin[i] = static_cast<std::int32_t>(i % count);
  }
  Generator generator(static_cast<std::uint64_t>(size) + 1);
  orders.random = orders.round_robin;
  for (auto part = orders.random.begin(); part != orders.random.end(); part += size) {
    shuffle(part, part + size, generator);
  }
  return orders;
}

} // namespace avrankmap::bench
