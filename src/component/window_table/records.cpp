// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "window_table/records.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

#include "av/instance.h"
#include "window_table/known_fields.h"

namespace avrankmap::detail {

namespace {

using Record = avrm_directory_record_t;

// The index grows only if records and index then take at most this many bytes per record.
// directory.h promises 40 bytes; the difference leaves room for the next chunk.
constexpr std::uint64_t kMostBytesPerRecord = 38;
// A chunk has room for one sixteenth of the number of existing records, within these bounds. The
// first chunk has room for one record, because the second record may show that sizes differ.
constexpr std::uint32_t kLeastRoom = 12;
constexpr std::uint32_t kMostRoom = 80;
static_assert(kMostRoom * sizeof(Record) <= AVRM_I_DIRECTORY_MASK);
// Heads of the first index, for a window with few targets, such as the neighbours in a grid.
constexpr std::uint32_t kLeastHeads = 16;
// Words of the header, which is between the addresses of chunks and the heads.
constexpr std::int64_t kHeaderWords = 4;
constexpr std::uint32_t kMostChunks = (std::uint32_t{1} << (31 - AVRM_I_DIRECTORY_BITS)) - kHeaderWords;

// Located before the heads and after the list of chunks, in pointer-sized words (directory_inl.h).
struct Header {
  alignas(void *) std::uint32_t room; // number of chunks that can be listed
  std::int32_t *older;                // heads of the previous index
  std::uintptr_t heads;               // number of heads, a power of two
  const Record *none;
};
static_assert(sizeof(Header) == kHeaderWords * sizeof(void *));

// Located before the records of a chunk. Sizes and units that do not follow their rules are stored
// after the records.
struct Chunk {
  std::uint16_t room;
  std::uint8_t has_sizes;
  std::uint8_t unit_bytes; // 0, 2 or 4
  std::uint32_t used;      // number of records; not for concurrent readers

  [[nodiscard]] std::size_t bytes() const noexcept {
    return sizeof(Chunk) + room * (sizeof(Record) + (has_sizes != 0 ? sizeof(std::uint64_t) : 0) + unit_bytes);
  }
  [[nodiscard]] Record *records() noexcept { return reinterpret_cast<Record *>(this + 1); }
  [[nodiscard]] std::uint64_t *sizes() noexcept { return reinterpret_cast<std::uint64_t *>(records() + room); }
  [[nodiscard]] void *units() noexcept { return sizes() + (has_sizes != 0 ? room : 0); }
  [[nodiscard]] std::uint32_t unit(std::int64_t i) noexcept {
    return unit_bytes == 2 ? static_cast<std::uint16_t *>(units())[i] : static_cast<std::uint32_t *>(units())[i];
  }
  void set_unit(std::int64_t i, std::uint32_t unit) noexcept {
    if (unit_bytes == 2) {
      static_cast<std::uint16_t *>(units())[i] = static_cast<std::uint16_t>(unit);
    } else {
      static_cast<std::uint32_t *>(units())[i] = unit;
    }
  }
};
static_assert(sizeof(Chunk) == 8 && sizeof(Chunk) % alignof(Record) == 0);

constexpr Record kNone{0, 0, ~std::uint32_t{0}, 0};
constexpr struct {
  Header header;
  std::int32_t heads[2];
} kNoIndex{{0, nullptr, 2, &kNone}, {0, 0}};
static_assert(sizeof kNoIndex == sizeof(Header) + 8);

[[nodiscard]] Header *header_of(const std::int32_t *heads) noexcept {
  return const_cast<Header *>(reinterpret_cast<const Header *>(heads) - 1);
}
// The word of the index that holds the address of the records of chunk `number`.
[[nodiscard]] Record **chunk_word(const std::int32_t *heads, std::uint32_t number) noexcept {
  return reinterpret_cast<Record **>(header_of(heads)) - 1 - number;
}
[[nodiscard]] Chunk *chunk_at(const std::int32_t *heads, std::uint32_t number) noexcept {
  return reinterpret_cast<Chunk *>(*chunk_word(heads, number)) - 1;
}
[[nodiscard]] std::int32_t slot_of(std::uint32_t chunk, std::uint32_t record) noexcept {
  const std::int64_t word = -kHeaderWords - static_cast<std::int64_t>(chunk);
  return static_cast<std::int32_t>(word * (AVRM_I_DIRECTORY_MASK + 1)) +
         static_cast<std::int32_t>(record * sizeof(Record));
}
[[nodiscard]] std::uint32_t hash_of(std::uint32_t rank) noexcept { return rank * AVRM_I_DIRECTORY_HASH; }
// The number of the head for a hash: the upper bits of the hash.
[[nodiscard]] std::uint32_t head_of(std::uint32_t hash, const Header *header) noexcept {
  return static_cast<std::uint32_t>(std::uint64_t{hash} * header->heads >> 32);
}
[[nodiscard]] std::uint32_t heads_in(const Header *header) noexcept {
  return static_cast<std::uint32_t>(header->heads);
}
[[nodiscard]] std::uint64_t index_bytes(std::uint32_t room, std::uint32_t heads) noexcept {
  return room * sizeof(void *) + sizeof(Header) + heads * sizeof(std::int32_t);
}
[[nodiscard]] Memory &memory_of(const avrm_directory_t *directory) noexcept { return directory->instance->memory; }
[[nodiscard]] bool is_no_index(const std::int32_t *heads) noexcept { return heads == kNoIndex.heads; }

[[nodiscard]] std::int32_t load(std::int32_t &slot) noexcept {
  return std::atomic_ref(slot).load(std::memory_order_acquire);
}
void store(std::int32_t &slot, std::int32_t value) noexcept {
  std::atomic_ref(slot).store(value, std::memory_order_release);
}

// True if an index lists the chunk to which a slot leads. A link that is newer than the index may
// lead to a chunk that only a newer index lists.
[[nodiscard]] bool has_chunk(const std::int32_t *heads, std::int32_t slot) noexcept {
  const std::int64_t chunk = -kHeaderWords - (slot >> AVRM_I_DIRECTORY_BITS);
  return slot == 0 ||
         (chunk < header_of(heads)->room && *chunk_word(heads, static_cast<std::uint32_t>(chunk)) != nullptr);
}

// The place of a rank's record in its chain, or where it would be inserted. `at` is the head or
// link that leads to the first record whose hash is not below the rank's.
struct Place {
  const std::int32_t *heads; // heads of the index through which the record was found
  std::int32_t *at;
  std::int32_t slot; // value of *at
  bool found;
};
[[nodiscard]] Place place_of(const avrm_directory_t *directory, std::int32_t rank) noexcept {
  const auto wanted = static_cast<std::uint32_t>(rank);
  const std::uint32_t hash = hash_of(wanted);
  for (;;) {
    auto *const heads = const_cast<std::int32_t *>(avrm_i_directory_heads(directory));
    std::int32_t *at = heads + head_of(hash, header_of(heads));
    for (std::int32_t slot = load(*at); has_chunk(heads, slot); slot = load(*at)) {
      auto *const record = const_cast<Record *>(avrm_i_directory_record(heads, slot));
      if (slot == 0 || record->rank == wanted || hash_of(record->rank) > hash) {
        return {heads, at, slot, record->rank == wanted};
      }
      at = &record->next;
    }
  }
}

// Fills in the heads of a larger index from those of the old one. Links do not change: each new
// head leads to the first record of its part of an old chain, and a part continues into the next
// one.
void fill_heads(std::int32_t *heads, const std::int32_t *old) noexcept {
  const Header *const header = header_of(heads);
  const Header *const old_header = header_of(old);
  const std::uint32_t count = heads_in(old_header);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::int32_t slot = old[i];
    while (slot != 0) {
      const Record *const record = avrm_i_directory_record(old, slot);
      const std::uint32_t hash = hash_of(record->rank);
      if (head_of(hash, old_header) != i) {
        break;
      }
      std::int32_t *const head = heads + head_of(hash, header);
      *head = *head == 0 ? slot : *head;
      slot = record->next;
    }
  }
}

// The number of heads for the next index: two per record, as far as kMostBytesPerRecord allows.
[[nodiscard]] std::uint32_t wanted_heads(const avrm_directory_t *directory, std::uint32_t room,
                                         std::uint64_t chunk_bytes) noexcept {
  const std::uint64_t records = std::uint64_t{directory->count} + 1;
  std::uint32_t heads = std::max(kLeastHeads, heads_in(header_of(directory->heads)));
  while (heads < 2 * records &&
         directory->bytes + chunk_bytes + index_bytes(room, 2 * heads) <= kMostBytesPerRecord * records) {
    heads *= 2;
  }
  return heads;
}

// Creates an index with `count` heads and room for `room` chunks, for the records of the old one,
// which is kept for readers. Null if out of memory.
[[nodiscard]] std::int32_t *new_index(const avrm_directory_t *directory, std::uint32_t room,
                                      std::uint32_t count) noexcept {
  const std::uint64_t before = room * sizeof(void *);
  auto *const block =
      static_cast<std::byte *>(memory_of(directory).allocate(index_bytes(room, count), alignof(void *), AVRM_MEM_COMM));
  if (block == nullptr) {
    return nullptr;
  }
  auto *const header = reinterpret_cast<Header *>(block + before);
  auto *const heads = reinterpret_cast<std::int32_t *>(header + 1);
  auto *const old = const_cast<std::int32_t *>(directory->heads);
  *header = {room, is_no_index(old) ? nullptr : old, count, &kNone};
  if (directory->chunks > 0) {
    std::copy_n(chunk_word(old, directory->chunks - 1), directory->chunks, chunk_word(heads, directory->chunks - 1));
  }
  fill_heads(heads, old);
  return heads;
}

// The layout of a chunk that can hold this part, and any part that the last chunk can hold.
[[nodiscard]] Chunk shape_for(const avrm_directory_t *directory, std::int32_t rank, const avrm_part_t &part,
                              const Chunk *last) noexcept {
  Chunk shape = last == nullptr ? Chunk{} : *last;
  shape.used = 0;
  const avrm_part_t known = known_part(directory, rank);
  if (part.size != known.size) {
    shape.has_sizes = 1;
  }
  if (shape.unit_bytes != 0 || part.unit != known.unit) {
    const std::uint8_t bytes = part.unit <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
    shape.unit_bytes = std::max(shape.unit_bytes, bytes);
  }
  return shape;
}

// Makes room for one more chunk and appends an empty one.
[[nodiscard]] avrm_status_t append_chunk(avrm_directory_t *directory, Chunk shape) noexcept {
  if (directory->chunks == kMostChunks) {
    return AVRM_ERR_LIMIT;
  }
  shape.room =
      static_cast<std::uint16_t>(directory->chunks == 0 ? 1 : std::clamp(directory->count / 16, kLeastRoom, kMostRoom));
  Memory &memory = memory_of(directory);
  void *const block = memory.allocate(shape.bytes(), alignof(Record), AVRM_MEM_COMM);
  if (block == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  auto *heads = const_cast<std::int32_t *>(directory->heads);
  const Header *const header = header_of(heads);
  const bool is_full = directory->chunks == header->room;
  const std::uint32_t room = std::min(kMostChunks, directory->chunks + directory->chunks / 2 + 16);
  const std::uint32_t count = wanted_heads(directory, room, shape.bytes());
  std::uint64_t bytes = shape.bytes();
  if (is_full || count > heads_in(header)) {
    heads = new_index(directory, room, count);
    if (heads == nullptr) {
      memory.release(block, shape.bytes(), alignof(Record), AVRM_MEM_COMM);
      return AVRM_ERR_NO_MEMORY;
    }
    bytes += index_bytes(room, count);
  }
  auto *const chunk = static_cast<Chunk *>(block);
  *chunk = shape;
  *chunk_word(heads, directory->chunks++) = chunk->records();
  directory->bytes += bytes;
  std::atomic_ref(directory->heads).store(heads, std::memory_order_release);
  return AVRM_OK;
}

} // namespace

const std::int32_t *no_heads() noexcept { return kNoIndex.heads; }

const Record *search_record(const avrm_directory_t *directory, std::int32_t rank) noexcept {
  const Place place = place_of(directory, rank);
  return place.found ? avrm_i_directory_record(place.heads, place.slot) : nullptr;
}

bool find_record(const avrm_directory_t *directory, std::int32_t rank, avrm_part_t *part) noexcept {
  const Place place = place_of(directory, rank);
  if (!place.found) {
    return false;
  }
  const Record *const record = avrm_i_directory_record(place.heads, place.slot);
  const auto word = static_cast<std::uint32_t>(-(place.slot >> AVRM_I_DIRECTORY_BITS));
  Chunk *const chunk = chunk_at(place.heads, word - static_cast<std::uint32_t>(kHeaderWords));
  const std::int64_t i = record - chunk->records();
  const avrm_part_t known = known_part(directory, rank);
  *part = {record->base, record->key, chunk->has_sizes != 0 ? chunk->sizes()[i] : known.size,
           chunk->unit_bytes != 0 ? chunk->unit(i) : known.unit};
  return true;
}

avrm_status_t add_record(avrm_directory_t *directory, std::int32_t rank, const avrm_part_t &part) noexcept {
  const std::uint64_t size = directory->size;
  const std::uint32_t unit = directory->unit;
  if (directory->count == 0) { // the first record determines the rules that are not set yet
    directory->size = (directory->rules & kSizeBit) != 0 ? directory->size : part.size;
    directory->unit = (directory->rules & kUnitBit) != 0 ? directory->unit : part.unit;
  }
  Chunk *chunk = directory->chunks == 0 ? nullptr : chunk_at(directory->heads, directory->chunks - 1);
  const Chunk shape = shape_for(directory, rank, part, chunk);
  if (chunk == nullptr || chunk->used == chunk->room || chunk->has_sizes != shape.has_sizes ||
      chunk->unit_bytes != shape.unit_bytes) {
    const avrm_status_t status = append_chunk(directory, shape);
    if (status != AVRM_OK) {
      directory->size = size;
      directory->unit = unit;
      return status;
    }
    chunk = chunk_at(directory->heads, directory->chunks - 1);
  }
  const Place place = place_of(directory, rank);
  const std::uint32_t i = chunk->used++;
  chunk->records()[i] = {part.base, part.key, static_cast<std::uint32_t>(rank), place.slot};
  if (chunk->has_sizes != 0) {
    chunk->sizes()[i] = part.size;
  }
  if (chunk->unit_bytes != 0) {
    chunk->set_unit(i, part.unit);
  }
  ++directory->count;
  store(*place.at, slot_of(directory->chunks - 1, i));
  return AVRM_OK;
}

void release_records(avrm_directory_t *directory) noexcept {
  Memory &memory = memory_of(directory);
  for (std::uint32_t i = 0; i < directory->chunks; ++i) {
    Chunk *const chunk = chunk_at(directory->heads, i);
    memory.release(chunk, chunk->bytes(), alignof(Record), AVRM_MEM_COMM);
  }
  for (const std::int32_t *heads = directory->heads; heads != nullptr && !is_no_index(heads);) {
    Header *const header = header_of(heads);
    heads = header->older;
    memory.release(reinterpret_cast<void **>(header) - header->room, index_bytes(header->room, heads_in(header)),
                   alignof(void *), AVRM_MEM_COMM);
  }
}

bool next_record(const avrm_directory_t *directory, std::uint64_t *place, std::int32_t *rank,
                 avrm_part_t *part) noexcept {
  auto number = static_cast<std::uint32_t>(*place >> 32);
  auto i = static_cast<std::uint32_t>(*place);
  while (number < directory->chunks && i == chunk_at(directory->heads, number)->used) {
    ++number;
    i = 0;
  }
  if (number >= directory->chunks) {
    return false;
  }
  *rank = static_cast<std::int32_t>(chunk_at(directory->heads, number)->records()[i].rank);
  *place = std::uint64_t{number} << 32 | (i + 1);
  return find_record(directory, *rank, part);
}

} // namespace avrankmap::detail
