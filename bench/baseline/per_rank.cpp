// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "baseline/per_rank.h"

namespace avrankmap::bench {

namespace {

/// Each node has the same number of consecutive ranks.
bool is_canonical(const std::int32_t *node, std::int32_t size) {
  const std::int32_t nodes = node[size - 1] + 1;
  std::int32_t rank = 0;
  while (rank < size && size % nodes == 0 && node[rank] == rank / (size / nodes)) {
    ++rank;
  }
  return rank == size;
}

} // namespace

void PerRankTables::add_nodes(std::int32_t size, std::int32_t stride, std::int32_t per_node, bool if_needed) {
  auto node = memory_.take_array<std::int32_t>(static_cast<std::size_t>(size));
  auto local = memory_.take_array<std::int32_t>(static_cast<std::size_t>(size));
  std::int32_t last = -1; // node id of the rank before
  std::int32_t number = -1;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    const auto id = static_cast<std::int32_t>(std::int64_t{rank} * stride / per_node);
    number += id == last ? 0 : 1;
    last = id;
    node.get()[rank] = number;
    local.get()[rank] = number == 0 ? rank : -1; // this process is rank 0
  }
  if (!if_needed || !is_canonical(node.get(), size)) {
    kept_.emplace_back(std::move(node));
    kept_.emplace_back(std::move(local));
  }
}

void PerRankTables::add_addresses(std::int32_t processes, std::int32_t each) {
  const std::size_t count = static_cast<std::size_t>(processes) * static_cast<std::size_t>(each);
  auto addresses = memory_.take_array<std::uint64_t>(count);
  for (std::size_t i = 0; i < count; ++i) {
    addresses.get()[i] = i;
  }
  kept_.emplace_back(std::move(addresses));
}

} // namespace avrankmap::bench
