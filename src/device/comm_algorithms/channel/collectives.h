// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The collective operations that the creation of communicators needs, each with a logarithmic
// number of messages per process.
#ifndef AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_COLLECTIVES_H
#define AVRANKMAP_SRC_COMM_ALGORITHMS_CHANNEL_COLLECTIVES_H

#include "comm_algorithms/channel/task.h"

namespace avrankmap::detail {

// Each operation is collective over the channel. A process returns the first error that it
// encounters.

// No process returns before all have called it. Algorithm: dissemination.
Task barrier(Channel &channel) noexcept;

// Copies `bytes` bytes from `data` of the root to `data` of every other process. Algorithm:
// binomial tree.
Task broadcast(Channel &channel, std::int32_t root, void *data, std::size_t bytes) noexcept;

// Converts a status received in a message. Returns AVRM_ERR_MISMATCH if it is invalid, because the
// sender then executes a different operation.
[[nodiscard]] constexpr avrm_status_t status_of(std::int32_t word) noexcept {
  switch (word) {
#define AVRM_CASE(name, value, text)                                                                                   \
  case name: return name;
    AVRM_STATUS_LIST(AVRM_CASE)
#undef AVRM_CASE
  default: return AVRM_ERR_MISMATCH;
  }
}

// The type of a status that follows a T without padding.
template <typename T>
using StatusWord = std::conditional_t<alignof(T) == alignof(std::int64_t), std::int64_t, std::int32_t>;

// Broadcasts the root's *value and status. All processes return that status.
template <typename T>
Task broadcast_outcome(Channel &channel, std::int32_t root, avrm_status_t status, T *value) noexcept {
  struct Told {
    T value;
    StatusWord<T> status;
  };
  static_assert(is_message<Told>);
  Told told{*value, status};
  const avrm_status_t carried = co_await broadcast(channel, root, &told, sizeof told);
  *value = told.value;
  co_return carried != AVRM_OK ? carried : status_of(static_cast<std::int32_t>(told.status));
}

// Gathers `bytes` bytes from each process, ordered by rank, in `all` of every process. Algorithm:
// Bruck.
Task allgather(Channel &channel, const void *own, std::size_t bytes, void *all) noexcept;

// Combines the *value of all processes with combine(T *into, const T &other), which must be
// associative and commutative. Algorithm: recursive doubling, with the processes beyond the last
// power of two folded onto others.
template <typename T, typename Combine> Task allreduce(Channel &channel, T *value, Combine combine) noexcept {
  static_assert(is_message<T>);
  const std::int32_t rank = channel.rank();
  std::int32_t core = 1; // the greatest power of two that is not greater than the size
  while (core <= channel.size() / 2) {
    core *= 2;
  }
  T other{};
  if (rank >= core) {
    const avrm_status_t given = co_await send(channel, rank - core, value, sizeof *value);
    if (given != AVRM_OK) {
      co_return given;
    }
    co_return co_await receive(channel, rank - core, value, sizeof *value);
  }
  const bool folds = rank + core < channel.size();
  if (folds) {
    const avrm_status_t status = co_await receive(channel, rank + core, &other, sizeof other);
    if (status != AVRM_OK) {
      co_return status;
    }
    combine(value, other);
  }
  for (std::int32_t distance = 1; distance < core; distance *= 2) {
    const T mine = *value;
    const std::int32_t peer = rank ^ distance;
    const avrm_status_t status = co_await exchange(channel, peer, &mine, sizeof mine, peer, &other, sizeof other);
    if (status != AVRM_OK) {
      co_return status;
    }
    combine(value, other);
  }
  if (folds) {
    co_return co_await send(channel, rank + core, value, sizeof *value);
  }
  co_return AVRM_OK;
}

// Replaces *value with the values of all lower ranks, combined in rank order with combine(T *lower,
// const T &higher), which must be associative. Rank 0 keeps its *value. With `from_above`, combines
// the values of all higher ranks instead, from the last rank down.
template <typename T, typename Combine>
Task exclusive_scan(Channel &channel, T *value, Combine combine, bool from_above = false) noexcept {
  static_assert(is_message<T>);
  const std::int32_t size = channel.size();
  const std::int32_t rank = from_above ? size - 1 - channel.rank() : channel.rank();
  const auto real = [size, from_above](std::int32_t r) { return from_above ? size - 1 - r : r; };
  T all = *value; // of the ranks rank - distance + 1 .. rank
  T below{};      // as `all`, without this rank
  bool has_below = false;
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    const auto step = static_cast<std::int32_t>(distance);
    const T mine = all;
    T other{};
    const bool sends = rank < size - step;
    const bool receives = rank >= step;
    avrm_status_t status = AVRM_OK;
    if (sends && receives) {
      status =
          co_await exchange(channel, real(rank + step), &mine, sizeof mine, real(rank - step), &other, sizeof other);
    } else if (sends) {
      status = co_await send(channel, real(rank + step), &mine, sizeof mine);
    } else if (receives) {
      status = co_await receive(channel, real(rank - step), &other, sizeof other);
    }
    if (status != AVRM_OK) {
      co_return status;
    }
    if (receives) {
      T lower = other;
      combine(&lower, all);
      all = lower;
      if (has_below) {
        combine(&other, below);
      }
      below = other;
      has_below = true;
    }
  }
  if (has_below) {
    *value = below;
  }
  co_return AVRM_OK;
}

} // namespace avrankmap::detail

#endif
