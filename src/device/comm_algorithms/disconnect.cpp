// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All processes report to the root of a tree over all of them, and the root releases them. A
// release proves that the report has arrived. The release itself is not answered, so it is longer
// than the messages that transports inject or buffer: its send completes only once the receiver has
// it.
#include "comm_algorithms/disconnect.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kReleaseBytes = std::size_t{64} << 10;
constexpr unsigned char kRelease[kReleaseBytes] = {};

Exchange give_release(Channel &channel, std::int32_t dest) noexcept {
  return send(channel, dest, kRelease, sizeof kRelease);
}

// Only the arrival of a release matters, not its contents.
Task get_release(Channel &channel, Channel &way, std::int32_t source) noexcept {
  (void)channel; // holds the frame
  Transfer transfer;
  transfer.source = source;
  const avrm_status_t status = co_await Exchange(way, transfer);
  co_return status == AVRM_ERR_TRUNCATED ? AVRM_OK : status;
}

} // namespace

Task disconnect_barrier(Channel &channel, const Bridge *bridge, bool first) noexcept {
  const std::int32_t size = channel.size();
  const std::int32_t rank = channel.rank();
  avrm_status_t status = AVRM_OK;
  unsigned char report = 1;
  std::int64_t reach = 1; // distance to the parent; children are at all lower powers of two
  for (; reach < size && (rank & reach) == 0 && status == AVRM_OK; reach *= 2) {
    if (rank + reach < size) {
      status = co_await receive(channel, static_cast<std::int32_t>(rank + reach), &report, sizeof report);
    }
  }
  if (status == AVRM_OK && rank != 0) {
    const auto parent = static_cast<std::int32_t>(rank - reach);
    status = co_await send(channel, parent, &report, sizeof report);
    if (status == AVRM_OK) {
      status = co_await get_release(channel, channel, parent);
    }
  } else if (status == AVRM_OK && bridge != nullptr) {
    Channel &way = *bridge->channel;
    if (first) {
      status = co_await receive(way, bridge->partner, &report, sizeof report);
      if (status == AVRM_OK) {
        status = co_await give_release(way, bridge->partner);
      }
    } else {
      status = co_await send(way, bridge->partner, &report, sizeof report);
      if (status == AVRM_OK) {
        status = co_await get_release(channel, way, bridge->partner);
      }
    }
  }
  for (reach /= 2; reach >= 1 && status == AVRM_OK; reach /= 2) {
    if (rank + reach < size) {
      status = co_await give_release(channel, static_cast<std::int32_t>(rank + reach));
    }
  }
  co_return status;
}

} // namespace avrankmap::detail
