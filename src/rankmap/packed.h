// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes packed lut and packed mlut: tables with as many bits per rank as the range of the lpids needs, and for several
// process groups those of the slot number above them. Shared by reference count; a map may use a contiguous part.
//
//   +------------------------------------------------------+-------------------+--------------------------------------+
//   | several groups only, per slot: AV table, pgid, max   | header (16 bytes) | fields of `bits` bits, little-endian |
//   +------------------------------------------------------+-------------------+--------------------------------------+
//
// A field is read by one unaligned load of 64 bits, so the last one is followed by up to 7 bytes of padding. All that lies
// behind the last field is zero, so that equal tables are equal bytes.
#ifndef AVRANKMAP_SRC_RANKMAP_PACKED_H
#define AVRANKMAP_SRC_RANKMAP_PACKED_H

#include <atomic>

#include "rankmap/map.h"

namespace avrankmap::detail {

struct PackedHeader {
  std::atomic<std::uint32_t> sharers{1};
  std::int32_t count = 0; // fields
  union {
    std::int32_t max_lpid = 0; // packed lut: greatest lpid
    std::int32_t slots;        // packed mlut: process groups
  };
  std::uint32_t hash = 0; // of the content, once the table is known (intern.h)
};
static_assert(sizeof(PackedHeader) == 16);

// Widths of the parts of a field.
struct PackedWidth {
  std::int32_t lpid_bits;
  std::int32_t slot_bits;
  [[nodiscard]] std::int32_t bits() const noexcept { return lpid_bits + slot_bits; }
};

// Widest field that one load finds wherever it begins in a byte.
inline constexpr std::int32_t kMostPackedBits = 57;

[[nodiscard]] PackedWidth packed_width(std::int64_t min_lpid, std::int64_t max_lpid, std::int32_t groups) noexcept;
// Bytes of a table of fields of `bits` bits. `groups` is 1 for a packed lut.
[[nodiscard]] std::uint64_t packed_bytes(std::int32_t count, std::int32_t bits, std::int32_t groups) noexcept;
[[nodiscard]] std::uint64_t packed_bytes_of(const avrm_rankmap_t *map) noexcept;

// Of a field.
[[nodiscard]] inline std::int32_t packed_bits(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_PACKED_LUT ? static_cast<std::int32_t>(map->u.step) : map->stride;
}
// Of the lpids in a packed lut, whose fields are at most 31 bits wide.
[[nodiscard]] constexpr std::int32_t packed_mask(std::int32_t bits) noexcept {
  return static_cast<std::int32_t>((std::uint32_t{1} << bits) - 1);
}

[[nodiscard]] PackedHeader *packed_header(const avrm_rankmap_t *map) noexcept;
// The arrays before the header of a packed mlut.
[[nodiscard]] const avrm_ave_t **packed_tables(const avrm_rankmap_t *map) noexcept;
// Bytes from the header's end on.
[[nodiscard]] std::size_t packed_field_bytes(const avrm_rankmap_t *map) noexcept;

// By what the table is known: maps that differ in it have tables that mean different things.
[[nodiscard]] std::uint64_t packed_key(const avrm_rankmap_t *map, std::uint32_t hash) noexcept;

// A packed map with a table of its own, from a sealed lut or mlut map whose lpids are in min_lpid .. max_lpid. Null
// without memory.
[[nodiscard]] MapOwner new_packed_map(const avrm_rankmap_t *plain, std::int64_t min_lpid,
                                      std::int64_t max_lpid) noexcept;

// Makes an empty map share `count` fields of the parent's table from its rank `first` on.
void share_packed(avrm_rankmap_t *map, const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count) noexcept;
// Makes a packed map use all of a table that is equal to its own but in another place, and of which it owns a share.
void use_packed(avrm_rankmap_t *map, PackedHeader *header) noexcept;
// Gives up the table of a packed map.
void drop_packed(avrm_rankmap_t *map) noexcept;

// Greatest lpid of the ranks of a packed lut; exact for a part of a table, too. O(size) for a part, else O(1).
[[nodiscard]] std::int32_t packed_max_lpid(const avrm_rankmap_t *map) noexcept;
// The same of a packed mlut for slots first .. first + count - 1; -1 where a part has none. O(size) for a part.
void packed_max_lpids_of(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                         std::int32_t *max_lpids) noexcept;

} // namespace avrankmap::detail

#endif
