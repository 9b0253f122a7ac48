// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// All processes report to the root of a tree over all of them, and the root releases them. A
// release proves that the report has arrived. The release itself is not answered, so it is longer
// than the messages that transports inject or buffer: its send completes only once the receiver has
// it.
//
// Therefore a receiver must not give up the release once its sender has begun to send it, even if a
// member dies. The sender first offers it, and sends it when the receiver has accepted the offer.
// Until then both give up when they learn of a death. A process that has accepted waits for the
// release, or for a refusal from a sender that has given up.
#include "comm_algorithms/disconnect.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kReleaseBytes = std::size_t{64} << 10;
constexpr unsigned char kRelease[kReleaseBytes] = {}; // of all other messages, one byte

Exchange send_byte(Channel &channel, std::int32_t dest) noexcept { return send(channel, dest, kRelease, 1); }

Task give_release(Channel &breakable, Channel &lasting, std::int32_t dest) noexcept {
  avrm_status_t status = co_await send_byte(breakable, dest);
  if (status != AVRM_OK) {
    co_return status;
  }
  unsigned char accepted = 0;
  status = co_await receive(breakable, dest, &accepted, sizeof accepted);
  if (status == AVRM_OK) {
    co_return co_await send(lasting, dest, kRelease, sizeof kRelease);
  }
  (void)co_await send_byte(lasting, dest); // a refusal, since it may have accepted
  co_return status;
}

// A release is recognised by its length.
Task get_release(Channel &breakable, Channel &lasting, std::int32_t source) noexcept {
  unsigned char byte = 0;
  avrm_status_t status = co_await receive(breakable, source, &byte, sizeof byte);
  if (status == AVRM_OK) {
    status = co_await send_byte(breakable, source);
  }
  if (status != AVRM_OK) {
    co_return status;
  }
  status = co_await receive(lasting, source, &byte, sizeof byte);
  if (status == AVRM_OK) {
    co_return AVRM_ERR_PEER; // refused
  }
  co_return status == AVRM_ERR_TRUNCATED ? AVRM_OK : status;
}

} // namespace

Task disconnect_barrier(Channel &channel, Channel &lasting, const LeaderChannels *leaders, bool first) noexcept {
  const std::int32_t size = channel.size();
  const std::int32_t rank = channel.rank();
  constexpr std::int32_t kPartner = 0; // the root of the other group
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
    status = co_await send_byte(channel, parent);
    if (status == AVRM_OK) {
      status = co_await get_release(channel, lasting, parent);
    }
  } else if (status == AVRM_OK && leaders != nullptr) {
    if (first) {
      status = co_await receive(leaders->breakable, kPartner, &report, sizeof report);
      if (status == AVRM_OK) {
        status = co_await give_release(leaders->breakable, leaders->lasting, kPartner);
      }
    } else {
      status = co_await send_byte(leaders->breakable, kPartner);
      if (status == AVRM_OK) {
        status = co_await get_release(leaders->breakable, leaders->lasting, kPartner);
      }
    }
  }
  for (reach /= 2; reach >= 1 && status == AVRM_OK; reach /= 2) {
    if (rank + reach < size) {
      status = co_await give_release(channel, lasting, static_cast<std::int32_t>(rank + reach));
    }
  }
  co_return status;
}

} // namespace avrankmap::detail
