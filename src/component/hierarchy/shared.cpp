// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "hierarchy/shared.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "hierarchy/placed_pieces.h"
#include "rankmap/create/intern.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kAlignment = alignof(HierarchyHeader);

void write_placed_pieces(const PieceList &list, std::uint32_t *words) noexcept {
  auto *placed = reinterpret_cast<PlacedPiece *>(words);
  std::uint32_t first = 0;
  for (const Piece &piece : list) {
    *placed++ = {first,
                 static_cast<std::uint32_t>(piece.node),
                 static_cast<std::int32_t>(piece.step),
                 piece.block,
                 piece.phase,
                 piece.period};
    first += piece.count;
  }
}

// Calls visit(node, count) for successive ranges of ranks, each on one node.
template <typename Visit>
void for_each_stay(const PieceList &list, const std::uint32_t *nodes, std::uint32_t size, Visit visit) noexcept {
  if (!list.overflows()) {
    for (const Piece &piece : list) {
      for_each_block(piece, visit);
    }
    return;
  }
  for (std::uint32_t rank = 0; rank < size;) {
    const std::uint32_t first = rank;
    while (rank < size && nodes[rank] == nodes[first]) {
      ++rank;
    }
    visit(std::int64_t{nodes[first]}, rank - first);
  }
}

// True if the ranks of each node are consecutive. Nodes are numbered in the order of their lowest
// ranks.
[[nodiscard]] bool are_ascending(const PieceList &list, const std::uint32_t *nodes,
                                 const avrm_hierarchy_t &of) noexcept {
  if (list.overflows()) {
    return std::is_sorted(nodes, nodes + of.size);
  }
  std::uint64_t blocks = 0;
  for (const Piece &piece : list) {
    blocks += blocks_of(piece);
  }
  return blocks == of.nodes;
}

void write_starts(const PieceList &list, const std::uint32_t *nodes, std::uint32_t size,
                  std::uint32_t *starts) noexcept {
  std::uint32_t rank = 0;
  for_each_stay(list, nodes, size, [&](std::int64_t /*node*/, std::uint32_t count) {
    *starts++ = rank;
    rank += count;
  });
}

// Writes one level and sorts the nodes by its bit. `room` has space for the same number of nodes.
void write_level(std::uint32_t *nodes, std::uint32_t *room, std::uint32_t size, std::uint32_t shift,
                 std::uint32_t *words) noexcept {
  std::uint32_t set = 0;
  std::uint32_t clear = 0;
  for (std::uint32_t i = 0; i <= size; ++i) {
    std::uint32_t *const group = words + 1 + std::size_t{i / kGroupBits} * kGroupWords;
    if (i % kGroupBits == 0) {
      group[0] = set;
    }
    if (i == size) {
      break;
    }
    if ((nodes[i] >> shift & 1) != 0) {
      group[1 + i % kGroupBits / 32] |= std::uint32_t{1} << (i % 32);
      room[set++] = nodes[i];
    } else {
      nodes[clear++] = nodes[i];
    }
  }
  words[0] = clear;
  std::copy_n(room, set, nodes + clear);
}

// Makes the hierarchy share an equal block that is interned, or interns its own.
[[nodiscard]] avrm_status_t make_known(avrm_instance_t *instance, HierarchyHeader **header_p) noexcept {
  Interned &interned = instance->interned;
  HierarchyHeader *const own = *header_p;
  if (!interned.enabled) {
    return AVRM_OK;
  }
  const std::size_t bytes = static_cast<std::size_t>(own->words) * 4;
  const std::uint32_t hash = static_cast<std::uint32_t>(hash_bytes(words_of(own), bytes, own->size)) | 1;
  const std::scoped_lock guard(interned.lock);
  void *const like = interned.hierarchies.find(hash, [own, bytes](const void *other) {
    const auto *const known = static_cast<const HierarchyHeader *>(other);
    return known->size == own->size && known->levels == own->levels && known->words == own->words &&
           std::memcmp(words_of(known), words_of(own), bytes) == 0;
  });
  if (like == nullptr) {
    own->hash = hash;
    return interned.hierarchies.insert(hash, own) ? AVRM_OK : AVRM_ERR_NO_MEMORY;
  }
  *header_p = static_cast<HierarchyHeader *>(like);
  (*header_p)->sharers.fetch_add(1, std::memory_order_relaxed);
  return AVRM_OK;
}

struct Form {
  std::uint32_t levels; // as in the header
  std::uint64_t words;
};

[[nodiscard]] Form smallest_form(const avrm_hierarchy_t &of, const PieceList &list,
                                 const std::uint32_t *nodes) noexcept {
  const auto levels = static_cast<std::uint32_t>(std::bit_width(of.nodes - 1));
  Form form{levels, levels * level_words(of.size)};
  if (!list.overflows() && list.count() * kPlacedPieceWords < form.words) {
    form = {kPlacedPieces, list.count() * kPlacedPieceWords};
  }
  return of.nodes <= form.words && are_ascending(list, nodes, of) ? Form{0, of.nodes} : form;
}

// Allocates the block of a form, with zeroed words.
[[nodiscard]] HierarchyHeader *allocate_form(Memory &memory, std::uint32_t size, const Form &form) noexcept {
  const std::size_t bytes = sizeof(HierarchyHeader) + static_cast<std::size_t>(form.words) * 4;
  void *const block = memory.allocate(bytes, kAlignment, AVRM_MEM_COMM);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = new (block) HierarchyHeader;
  header->levels = form.levels;
  header->size = size;
  header->words = form.words;
  return header;
}

// Writes the levels of a packed form. Returns false if out of memory.
[[nodiscard]] bool write_levels(Memory &memory, const PieceList &list, std::uint32_t *nodes,
                                HierarchyHeader *header) noexcept {
  const std::uint32_t size = header->size;
  const Scratch<std::uint32_t> room(memory, size);
  const Scratch<std::uint32_t> written(memory, list.overflows() ? 1 : size);
  if (!room || !written) {
    return false;
  }
  if (!list.overflows()) {
    nodes = written.data();
    std::uint32_t *at = nodes;
    for_each_stay(list, nullptr, size, [&at](std::int64_t node, std::uint32_t count) {
      at = std::fill_n(at, count, static_cast<std::uint32_t>(node));
    });
  }
  for (std::uint32_t level = 0; level < header->levels; ++level) {
    write_level(nodes, room.data(), size, header->levels - 1 - level, words_of(header) + level * level_words(size));
  }
  return true;
}

// Returns the node of a rank and, on request, its local rank there. The hierarchy must not be a
// layout.
[[nodiscard]] std::int32_t locate(const avrm_hierarchy_t *hierarchy, std::int32_t rank,
                                  std::int32_t *local_p) noexcept {
  const HierarchyHeader *const header = header_of(hierarchy);
  if (header->levels == kPlacedPieces) {
    const PlacedPieces placed_pieces(header);
    const std::int32_t found = placed_pieces.node(static_cast<std::uint32_t>(rank));
    if (local_p != nullptr) {
      *local_p = placed_pieces.count(found, static_cast<std::uint32_t>(rank));
    }
    return found;
  }
  auto place = static_cast<std::uint32_t>(rank);
  std::uint32_t first = 0; // position of the node's first rank
  std::uint32_t node = 0;
  if (header->levels == 0) {
    const std::uint32_t *const starts = words_of(header);
    node = static_cast<std::uint32_t>(std::upper_bound(starts, starts + header->words, place) - starts) - 1;
    first = starts[node];
  }
  for (std::uint32_t i = 0; i < header->levels; ++i) {
    const Level level(header, i);
    const bool bit = level.bit(place);
    node = 2 * node + (bit ? 1 : 0);
    place = level.down(place, bit);
    first = local_p == nullptr ? 0 : level.down(first, bit);
  }
  if (local_p != nullptr) {
    *local_p = static_cast<std::int32_t>(place - first);
  }
  return static_cast<std::int32_t>(node);
}

} // namespace

avrm_status_t share(avrm_hierarchy_t *hierarchy, const PieceList &list, std::uint32_t *nodes) noexcept {
  Memory &memory = hierarchy->instance->memory;
  const Form form = smallest_form(*hierarchy, list, nodes);
  HierarchyHeader *const own = allocate_form(memory, hierarchy->size, form);
  if (own == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  bool written = true;
  switch (form.levels) {
  case kPlacedPieces: write_placed_pieces(list, words_of(own)); break;
  case 0: write_starts(list, nodes, hierarchy->size, words_of(own)); break;
  default: written = write_levels(memory, list, nodes, own);
  }
  HierarchyHeader *shared = own;
  const avrm_status_t status = written ? make_known(hierarchy->instance, &shared) : AVRM_ERR_NO_MEMORY;
  if (status != AVRM_OK || shared != own) {
    memory.release(own, bytes_of(own), kAlignment, AVRM_MEM_COMM);
  }
  hierarchy->shared = shared;
  return status;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_hierarchy_dup(const avrm_hierarchy_t *hierarchy, avrm_hierarchy_t *hierarchy_p) noexcept {
  if (hierarchy == nullptr || hierarchy->instance == nullptr || hierarchy_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (hierarchy->shared != nullptr) {
    const_cast<HierarchyHeader *>(header_of(hierarchy))->sharers.fetch_add(1, std::memory_order_relaxed);
  }
  *hierarchy_p = *hierarchy;
  return AVRM_OK;
}

void avrm_hierarchy_destroy(avrm_hierarchy_t *hierarchy) noexcept {
  if (hierarchy == nullptr) {
    return;
  }
  if (hierarchy->shared != nullptr) {
    auto *const header = const_cast<HierarchyHeader *>(header_of(hierarchy));
    Interned &interned = hierarchy->instance->interned;
    if (give_up_share(&interned, &interned.hierarchies, &header->sharers, header->hash, header)) {
      hierarchy->instance->memory.release(header, bytes_of(header), kAlignment, AVRM_MEM_COMM);
    }
  }
  *hierarchy = avrm_hierarchy_t{};
}

uint64_t avrm_hierarchy_bytes(const avrm_hierarchy_t *hierarchy) noexcept {
  return hierarchy == nullptr || hierarchy->shared == nullptr ? 0 : bytes_of(header_of(hierarchy));
}

int32_t avrm_i_hierarchy_node(const avrm_hierarchy_t *hierarchy, int32_t rank) noexcept {
  return locate(hierarchy, rank, nullptr);
}

int32_t avrm_i_hierarchy_local(const avrm_hierarchy_t *hierarchy, int32_t rank) noexcept {
  std::int32_t local = 0;
  (void)locate(hierarchy, rank, &local);
  return local;
}

int32_t avrm_i_hierarchy_local_on(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t rank) noexcept {
  std::int32_t local = 0;
  return locate(hierarchy, rank, &local) == node ? local : AVRM_UNDEFINED;
}

int32_t avrm_i_hierarchy_node_size(const avrm_hierarchy_t *hierarchy, int32_t node) noexcept {
  const HierarchyHeader *const header = header_of(hierarchy);
  if (header->levels == kPlacedPieces) {
    return PlacedPieces(header).count(node, header->size);
  }
  std::uint32_t first = 0;
  std::uint32_t end = header->size;
  if (header->levels == 0) {
    const std::uint32_t *const starts = words_of(header);
    const auto index = static_cast<std::uint32_t>(node);
    first = starts[index];
    end = index + 1 == header->words ? end : starts[index + 1];
  }
  for (std::uint32_t i = 0; i < header->levels; ++i) {
    const Level level(header, i);
    const bool bit = (static_cast<std::uint32_t>(node) >> (header->levels - 1 - i) & 1) != 0;
    first = level.down(first, bit);
    end = level.down(end, bit);
  }
  return static_cast<std::int32_t>(end - first);
}

int32_t avrm_i_hierarchy_rank(const avrm_hierarchy_t *hierarchy, int32_t node, int32_t local) noexcept {
  const HierarchyHeader *const header = header_of(hierarchy);
  if (header->levels == kPlacedPieces) {
    return PlacedPieces(header).rank(node, local);
  }
  const auto bit_at = [=](std::uint32_t i) {
    return (static_cast<std::uint32_t>(node) >> (header->levels - 1 - i) & 1) != 0;
  };
  std::uint32_t first = header->levels == 0 ? words_of(header)[static_cast<std::uint32_t>(node)] : 0;
  for (std::uint32_t i = 0; i < header->levels; ++i) {
    first = Level(header, i).down(first, bit_at(i));
  }
  std::uint32_t place = first + static_cast<std::uint32_t>(local);
  for (std::uint32_t i = header->levels; i-- > 0;) {
    place = Level(header, i).up(place, bit_at(i));
  }
  return static_cast<std::int32_t>(place);
}
