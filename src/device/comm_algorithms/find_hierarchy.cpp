// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/find_hierarchy.h"

#include <algorithm>
#include <limits>
#include <new>
#include <type_traits>

#include "comm_algorithms/channel/collectives.h"
#include "comm_algorithms/context_agreement.h"
#include "hierarchy/by_rule.h"

namespace avrankmap::detail {

namespace {

static_assert(std::is_trivially_copyable_v<Piece> && sizeof(Piece) == 32, "pieces are sent as they are");

// Header of a list. The receiver does not trust it.
struct Announcement {
  std::uint32_t count; // 0: the nodes are irregular, or an error
  std::int32_t status;
};
static_assert(is_message<Announcement> && is_message<Piece>);

struct Room {
  explicit Room(Memory &memory) noexcept : list(memory, kMostSentPieces) {}

  void start_again(Memory &memory) noexcept {
    list.~PieceList();
    new (&list) PieceList(memory, kMostSentPieces);
  }

  PieceList list;
  avrm_status_t status = AVRM_OK; // the worst of the subtree
  bool irregular = false;
  Piece pieces[kMostSentPieces]; // those of a message
};

class RoomOwner {
public:
  explicit RoomOwner(Memory &memory) noexcept : memory_(memory) {
    void *const block = memory.allocate(sizeof(Room), alignof(Room), AVRM_MEM_SCRATCH);
    room_ = block == nullptr ? nullptr : new (block) Room(memory);
  }
  ~RoomOwner() {
    if (room_ != nullptr) {
      room_->~Room();
      memory_.release(room_, sizeof(Room), alignof(Room), AVRM_MEM_SCRATCH);
    }
  }
  RoomOwner(const RoomOwner &) = delete;
  RoomOwner &operator=(const RoomOwner &) = delete;

  [[nodiscard]] Room *get() const noexcept { return room_; }

private:
  Memory &memory_;
  Room *room_;
};

// Finishes the list, and announces it unless there was an error.
[[nodiscard]] Announcement announce(Room *room) noexcept {
  room->list.finish();
  if (room->list.failed()) {
    room->status = std::min(room->status, AVRM_ERR_NO_MEMORY);
  }
  if (room->status != AVRM_OK || room->irregular || room->list.overflows()) {
    return {0, static_cast<std::int32_t>(room->status)};
  }
  std::copy(room->list.begin(), room->list.end(), room->pieces);
  return {static_cast<std::uint32_t>(room->list.count()), AVRM_OK};
}

[[nodiscard]] avrm_status_t status_in(const Announcement &told) noexcept {
  const bool fits = told.count <= kMostSentPieces && (told.count == 0 || told.status == AVRM_OK);
  return fits ? status_of(told.status) : AVRM_ERR_MISMATCH;
}

[[nodiscard]] std::size_t bytes_of(const Announcement &told) noexcept { return told.count * sizeof(Piece); }

// Receives the list of a child, which covers `ranks` ranks. The task returns the status of the
// messages.
Task receive_list(Channel &channel, Room *room, std::int32_t child, std::uint32_t ranks) noexcept {
  Announcement told{};
  avrm_status_t received = co_await receive(channel, child, &told, sizeof told);
  if (received != AVRM_OK) {
    co_return received;
  }
  const avrm_status_t theirs = status_in(told);
  room->status = std::min(room->status, theirs);
  if (theirs != AVRM_OK) {
    co_return AVRM_OK;
  }
  if (told.count == 0) {
    room->irregular = true;
    co_return AVRM_OK;
  }
  received = co_await receive(channel, child, room->pieces, bytes_of(told));
  if (received == AVRM_OK && !append_received(room->pieces, told.count, ranks, &room->list)) {
    room->status = std::min(room->status, AVRM_ERR_MISMATCH);
  }
  co_return received;
}

// Receives the lists of the subtree and sends their concatenation to the parent.
Task gather(Channel &channel, Room *room) noexcept {
  const std::int32_t rank = channel.rank();
  for (std::int64_t distance = 1; distance < channel.size(); distance *= 2) {
    if ((rank & distance) != 0) {
      const auto parent = static_cast<std::int32_t>(rank - distance);
      const Announcement told = announce(room);
      const avrm_status_t sent = co_await send(channel, parent, &told, sizeof told);
      if (sent != AVRM_OK || told.count == 0) {
        co_return sent;
      }
      co_return co_await send(channel, parent, room->pieces, bytes_of(told));
    }
    if (rank + distance < channel.size()) {
      const auto child = static_cast<std::int32_t>(rank + distance);
      const auto ranks = static_cast<std::uint32_t>(std::min<std::int64_t>(distance, channel.size() - child));
      const avrm_status_t received = co_await receive_list(channel, room, child, ranks);
      if (received != AVRM_OK) {
        co_return received;
      }
    }
  }
  co_return AVRM_OK;
}

// The node of a rank; negative if a list is too short.
[[nodiscard]] std::int64_t number_at(const PieceList &list, std::uint32_t rank) noexcept {
  for (const Piece &piece : list) {
    if (rank < piece.count) {
      return piece.node + piece.step * ((std::int64_t{rank} + piece.phase) / piece.block % piece.period);
    }
    rank -= piece.count;
  }
  return -1;
}

Task find_irregular(Channel &channel, avrm_instance_t *instance, std::int32_t node,
                    avrm_hierarchy_t *hierarchy_p) noexcept {
  const Scratch<std::uint32_t> numbers(channel.memory(), static_cast<std::size_t>(channel.size()));
  avrm_status_t status = co_await agree_on_status(channel, nullptr, numbers ? AVRM_OK : AVRM_ERR_NO_MEMORY);
  if (status == AVRM_OK) {
    status = co_await allgather(channel, &node, sizeof node, numbers.data());
  }
  co_return status != AVRM_OK ? status : create_of_numbers(instance, channel.size(), numbers.data(), hierarchy_p);
}

} // namespace

bool append_received(const Piece *pieces, std::size_t count, std::uint32_t ranks, PieceList *list) noexcept {
  constexpr std::int64_t kMostNode = std::numeric_limits<std::int32_t>::max();
  constexpr std::uint64_t kMostRound = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t sum = 0;
  for (const Piece *piece = pieces; piece != pieces + count; ++piece) {
    const std::uint64_t round = std::uint64_t{piece->block} * piece->period;
    sum += piece->count;
    if (piece->count == 0 || round == 0 || round > kMostRound || piece->phase >= round || sum > ranks ||
        piece->node < 0 || piece->node > kMostNode || piece->step < -kMostNode || piece->step > kMostNode) {
      return false;
    }
    // Cannot overflow: the factors are below 2^31 and 2^32.
    const std::int64_t last = piece->node + piece->step * (std::int64_t{piece->period} - 1);
    if (last < 0 || last > kMostNode) {
      return false;
    }
    list->push(*piece);
  }
  return sum == ranks;
}

Task find_hierarchy(Channel &channel, avrm_instance_t *instance, std::int32_t node,
                    avrm_hierarchy_t *hierarchy_p) noexcept {
  const RoomOwner owner(channel.memory());
  Room *const room = owner.get();
  avrm_status_t status = co_await agree_on_status(channel, nullptr, room != nullptr ? AVRM_OK : AVRM_ERR_NO_MEMORY);
  if (status != AVRM_OK) {
    co_return status;
  }
  room->list.push(node, 1);
  status = co_await gather(channel, room);
  if (status != AVRM_OK) {
    co_return status;
  }
  const bool is_root = channel.rank() == 0;
  Announcement told = is_root ? announce(room) : Announcement{};
  status = co_await broadcast(channel, 0, &told, sizeof told);
  status = status == AVRM_OK ? status_in(told) : status;
  if (status != AVRM_OK) {
    co_return status;
  }
  if (told.count == 0) {
    co_return co_await find_irregular(channel, instance, node, hierarchy_p);
  }
  status = co_await broadcast(channel, 0, room->pieces, bytes_of(told));
  if (status != AVRM_OK) {
    co_return status;
  }
  room->start_again(channel.memory());
  const PieceList &all = room->list;
  const bool sound = append_received(room->pieces, told.count, static_cast<std::uint32_t>(channel.size()), &room->list);
  room->list.finish();
  if (all.failed()) {
    co_return AVRM_ERR_NO_MEMORY;
  }
  if (!sound || all.overflows() || number_at(all, static_cast<std::uint32_t>(channel.rank())) != node) {
    co_return AVRM_ERR_MISMATCH;
  }
  co_return create_of_list(instance, channel.size(), all, hierarchy_p);
}

} // namespace avrankmap::detail
