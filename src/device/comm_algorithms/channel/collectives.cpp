// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/channel/collectives.h"

#include <algorithm>
#include <cstring>

namespace avrankmap::detail {

Task barrier(Channel &channel) noexcept {
  const std::int64_t size = channel.size();
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    const auto to = static_cast<std::int32_t>((channel.rank() + distance) % size);
    const auto from = static_cast<std::int32_t>((channel.rank() + size - distance) % size);
    const avrm_status_t status = co_await exchange(channel, to, nullptr, 0, from, nullptr, 0);
    if (status != AVRM_OK) {
      co_return status;
    }
  }
  co_return AVRM_OK;
}

Task broadcast(Channel &channel, std::int32_t root, void *data, std::size_t bytes) noexcept {
  const std::int64_t size = channel.size();
  const std::int64_t place = (channel.rank() - std::int64_t{root} + size) % size; // 0 in the root
  std::int64_t distance = 1;
  while (distance < size && (place & distance) == 0) {
    distance *= 2;
  }
  if (place != 0) {
    const auto from = static_cast<std::int32_t>((place - distance + root) % size);
    const avrm_status_t status = co_await receive(channel, from, data, bytes);
    if (status != AVRM_OK) {
      co_return status;
    }
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (place + distance < size) {
      const auto to = static_cast<std::int32_t>((place + distance + root) % size);
      const avrm_status_t status = co_await send(channel, to, data, bytes);
      if (status != AVRM_OK) {
        co_return status;
      }
    }
  }
  co_return AVRM_OK;
}

Task allgather(Channel &channel, const void *own, std::size_t bytes, void *all) noexcept {
  const std::int64_t size = channel.size();
  auto *const blocks = static_cast<char *>(all); // until the rotation, block i is from rank + i
  if (bytes != 0) {
    std::memcpy(blocks, own, bytes);
  }
  for (std::int64_t have = 1; have < size; have *= 2) {
    const auto count = static_cast<std::size_t>(std::min(have, size - have));
    const auto to = static_cast<std::int32_t>((channel.rank() + size - have) % size);
    const auto from = static_cast<std::int32_t>((channel.rank() + have) % size);
    const avrm_status_t status = co_await exchange(channel, to, blocks, count * bytes, from,
                                                   blocks + static_cast<std::size_t>(have) * bytes, count * bytes);
    if (status != AVRM_OK) {
      co_return status;
    }
  }
  const std::size_t shift = static_cast<std::size_t>((size - channel.rank()) % size) * bytes;
  std::rotate(blocks, blocks + shift, blocks + static_cast<std::size_t>(size) * bytes);
  co_return AVRM_OK;
}

} // namespace avrankmap::detail
