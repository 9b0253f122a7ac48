// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/exchange_window_parts.h"

#include <algorithm>

#include "comm_algorithms/channel/collectives.h"

namespace avrankmap::detail {

namespace {

// Header of a summary. The receiver does not trust it.
struct Announcement {
  std::uint32_t bytes; // 0 after an error
  std::int32_t status;
};

struct Room {
  unsigned char bytes[AVRM_PARTS_BYTES];
  avrm_parts_t behind;
};

// The worse of two statuses.
[[nodiscard]] avrm_status_t worse(avrm_status_t a, avrm_status_t b) noexcept { return std::min(a, b); }

// Announces a summary, and writes it unless there was an error.
[[nodiscard]] Announcement announce(avrm_status_t status, const avrm_parts_t *parts, unsigned char *bytes) noexcept {
  if (status != AVRM_OK) {
    return {0, static_cast<std::int32_t>(status)};
  }
  (void)avrm_parts_write(parts, bytes);
  return {static_cast<std::uint32_t>(avrm_parts_bytes(parts)), AVRM_OK};
}

[[nodiscard]] avrm_status_t status_in(const Announcement &told) noexcept {
  const bool fits = told.bytes <= AVRM_PARTS_BYTES && (told.bytes != 0) == (told.status == AVRM_OK);
  return fits ? status_of(told.status) : AVRM_ERR_MISMATCH;
}

// Receives the summaries of the subtree and sends their concatenation to the parent. *status is the
// worst status of the subtree; the task itself returns the status of the messages. A member without
// room contributes no summary: what it receives overwrites its own.
Task gather(Channel &channel, Room *room, avrm_parts_t *all, avrm_status_t *status) noexcept {
  unsigned char *const bytes = room != nullptr ? room->bytes : reinterpret_cast<unsigned char *>(all);
  const std::int32_t rank = channel.rank();
  Announcement told{};
  for (std::int64_t distance = 1; distance < channel.size(); distance *= 2) {
    if ((rank & distance) != 0) {
      const auto parent = static_cast<std::int32_t>(rank - distance);
      told = announce(*status, all, bytes);
      const avrm_status_t sent = co_await send(channel, parent, &told, sizeof told);
      if (sent != AVRM_OK || told.bytes == 0) {
        co_return sent;
      }
      co_return co_await send(channel, parent, bytes, told.bytes);
    }
    if (rank + distance >= channel.size()) {
      continue;
    }
    const auto child = static_cast<std::int32_t>(rank + distance);
    avrm_status_t received = co_await receive(channel, child, &told, sizeof told);
    const avrm_status_t theirs = received == AVRM_OK ? status_in(told) : received;
    if (theirs == AVRM_OK) {
      received = co_await receive(channel, child, bytes, told.bytes);
    }
    if (received != AVRM_OK) {
      co_return received;
    }
    *status = worse(*status, theirs);
    if (*status == AVRM_OK) {
      const bool fits = avrm_parts_read(bytes, told.bytes, &room->behind) == AVRM_OK &&
                        avrm_parts_append(all, &room->behind) == AVRM_OK;
      *status = fits ? AVRM_OK : AVRM_ERR_MISMATCH;
    }
  }
  co_return AVRM_OK;
}

[[nodiscard]] bool is_of_all(const avrm_parts_t *parts, const Channel &channel) noexcept {
  return parts->first == 0 && parts->count == static_cast<std::uint32_t>(channel.size());
}

Task exchange_in(Channel &channel, Room *room, avrm_status_t status, avrm_parts_t *all) noexcept {
  const avrm_status_t gathered = co_await gather(channel, room, all, &status);
  if (gathered != AVRM_OK) {
    co_return gathered;
  }
  Announcement told{};
  if (channel.rank() == 0) {
    status = status == AVRM_OK && !is_of_all(all, channel) ? AVRM_ERR_MISMATCH : status;
    told = announce(status, all, room != nullptr ? room->bytes : nullptr);
  }
  avrm_status_t sent = co_await broadcast(channel, 0, &told, sizeof told);
  status = sent == AVRM_OK ? status_in(told) : sent;
  if (status != AVRM_OK) {
    co_return status;
  }
  if (room == nullptr) { // a summary without this member's part cannot be valid
    co_return AVRM_ERR_MISMATCH;
  }
  sent = co_await broadcast(channel, 0, room->bytes, told.bytes);
  if (sent != AVRM_OK) {
    co_return sent;
  }
  status = avrm_parts_read(room->bytes, told.bytes, all);
  co_return status == AVRM_OK && !is_of_all(all, channel) ? AVRM_ERR_MISMATCH : status;
}

} // namespace

Task exchange_window_parts(Channel &channel, avrm_status_t mine, avrm_part_t own, avrm_parts_t *all_p) noexcept {
  static_assert(sizeof *all_p >= AVRM_PARTS_BYTES, "room for data that is discarded");
  const Scratch<Room> room(channel.memory(), 1);
  if (mine == AVRM_OK) {
    mine = room ? avrm_parts_of(channel.rank(), &own, all_p) : AVRM_ERR_NO_MEMORY;
  }
  co_return co_await exchange_in(channel, room.data(), mine, all_p);
}

} // namespace avrankmap::detail
