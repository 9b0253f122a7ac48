// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Splits a communicator by gathering all colours and keys, or by sorting.
#include "comm_algorithms/create/split.h"

#include <utility>

#include "comm_algorithms/channel/channels.h"
#include "comm_algorithms/create/colours_and_keys.h"
#include "comm_algorithms/create/from_group.h"
#include "comm_algorithms/create/sorted_split.h"

namespace avrankmap::detail {

namespace {

// Up to this many processes gather; with more, they sort. Sorting sends O(log^2 P) consecutive
// messages, gathering O(log P), the longest of which has 8 * P / 2 bytes. With messages of 1 us and
// 10 GB/s, gathering takes a third of the time with 16,384 processes (66 us and 199 us) and half
// with 65,536, but needs 12 bytes of temporary memory per process. The limit bounds this memory
// (192 KiB), not the time. With 2 to 16 real processes gathering took 0.4 to 0.7 of the time.
// Measured by bench/run.sh --filter 'BM_Creation/(crossover|real)'.
constexpr std::int32_t kMostToGather = 16384;

Task gather_and_find(Channel &channel, const Parent &parent, std::int32_t colour, std::int32_t key,
                     CreationResult *made) noexcept {
  const auto size = static_cast<std::size_t>(channel.size());
  const Scratch<ColourAndKey> colours_and_keys(channel.memory(), size);
  const Scratch<std::int32_t> ranks(channel.memory(), size);
  avrm_status_t status =
      co_await agree_on_status(channel, nullptr, colours_and_keys && ranks ? AVRM_OK : AVRM_ERR_NO_MEMORY);
  if (status != AVRM_OK) {
    co_return status;
  }
  const ColourAndKey mine{colour, key};
  status = co_await allgather(channel, &mine, sizeof mine, colours_and_keys.data());
  if (status == AVRM_OK && colour != AVRM_UNDEFINED) {
    status = part_by_colour(parent.map, colours_and_keys.data(), colour, channel.rank(), ranks.data(), &made->map,
                            &made->rank);
  }
  co_return status;
}

} // namespace

Task find_part(Channel &channel, const Parent &parent, std::int32_t colour, std::int32_t key, SplitMethod method,
               CreationResult *made) noexcept {
  const bool gathers =
      method == SplitMethod::kGather || (method == SplitMethod::kChoose && channel.size() <= kMostToGather);
  if (gathers) {
    co_return co_await gather_and_find(channel, parent, colour, key, made);
  }
  co_return co_await sort_and_find(channel, parent, colour, key, made);
}

Task make_split(Channel &channel, CreationHost &site, const Parent &parent, std::int32_t colour, std::int32_t key,
                SplitMethod method, CreationResult *made) noexcept {
  const avrm_status_t status = co_await find_part(channel, parent, colour, key, method, made);
  co_return co_await conclude(channel, nullptr, site, status, 0, parent.context, made);
}

Task make_part_split(Channel &channel, CreationHost &site, const Parent &parent, avrm_status_t status,
                     std::int32_t node, std::int32_t part, std::int32_t key, CreationResult *made) noexcept {
  // The status is agreed on first, since an error usually occurs in all processes.
  status = co_await agree_on_status(channel, nullptr, status);
  CreationResult on_node;
  if (status == AVRM_OK) {
    status = co_await find_part(channel, parent, node, 0, SplitMethod::kChoose, &on_node);
    status = co_await agree_on_status(channel, nullptr, status);
  }
  if (status == AVRM_OK) {
    const Parent whole{on_node.map.get(), nullptr, parent.context};
    GroupChannel processes(channel, on_node.rank, whole.map->size, [&parent, &whole](std::int32_t place) {
      return rank_in(parent.map, avrm_rankmap_gpid(whole.map, place));
    });
    status = co_await find_part(processes, whole, part, key, SplitMethod::kChoose, made);
  }
  co_return co_await conclude(channel, nullptr, site, status, 0, parent.context, made);
}

} // namespace avrankmap::detail
