// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Modes packed lut and packed mlut: tables with as many bits per rank as the range of the lpids
// needs. With several process groups a field also has the bits of the slot, above those of the
// lpid. Shared by reference count; a map may use a contiguous part.
//
//   +------------------------+-------------------+--------------------------------------+
//   | packed mlut, per slot: | header (16 bytes) | fields of `bits` bits, little-endian |
//   | AV table, pgid, max    |                   |                                      |
//   +------------------------+-------------------+--------------------------------------+
//
// One unaligned load of 64 bits reads a field, so up to 7 bytes of padding follow the last one. All
// bits behind the last field are zero, so that equal tables are equal bytes.
#ifndef AVRANKMAP_SRC_RANKMAP_FORMS_PACKED_H
#define AVRANKMAP_SRC_RANKMAP_FORMS_PACKED_H

#include <atomic>

#include "rankmap/forms/bulk.h"
#include "rankmap/forms/form.h"

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

// Width of the widest field that one load covers, whichever bit of a byte it begins at.
inline constexpr std::int32_t kMostPackedBits = 57;

[[nodiscard]] PackedWidth packed_width(std::int64_t min_lpid, std::int64_t max_lpid, std::int32_t groups) noexcept;
// Bytes of a table of fields of `bits` bits. `groups` is 1 for a packed lut.
[[nodiscard]] std::uint64_t packed_bytes(std::int32_t count, std::int32_t bits, std::int32_t groups) noexcept;
[[nodiscard]] std::uint64_t packed_bytes_of(const avrm_rankmap_t *map) noexcept;

// Bits of a field.
[[nodiscard]] inline std::int32_t packed_bits(const avrm_rankmap_t *map) noexcept {
  return map->mode == AVRM_MODE_PACKED_LUT ? static_cast<std::int32_t>(map->u.step) : map->stride;
}
// Mask of the fields of a packed lut, which are at most 31 bits wide.
[[nodiscard]] constexpr std::int32_t packed_mask(std::int32_t bits) noexcept {
  return static_cast<std::int32_t>((std::uint32_t{1} << bits) - 1);
}

[[nodiscard]] PackedHeader *packed_header(const avrm_rankmap_t *map) noexcept;
// The arrays before the header of a packed mlut.
[[nodiscard]] const avrm_ave_t **packed_tables(const avrm_rankmap_t *map) noexcept;
// A packed map with a table of its own, from a sealed lut or mlut map whose lpids are in min_lpid
// .. max_lpid. Null without memory.
[[nodiscard]] MapOwner new_packed_map(const avrm_rankmap_t *plain, std::int64_t min_lpid,
                                      std::int64_t max_lpid) noexcept;

// The operations that are the same for packed luts and packed mluts.
struct PackedForm : NeverStrict {
  static MapOwner copy(const avrm_rankmap_t *map) noexcept;
  static void drop(avrm_rankmap_t *map) noexcept;
  static void describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info) noexcept;
  static avrm_status_t intern(avrm_rankmap_t *map) noexcept;
  static const char *fault(const avrm_rankmap_t *map) noexcept;
  static avrm_status_t ranks(const avrm_rankmap_t *map, std::size_t count, const avrm_gpid_t *processes,
                             std::int32_t *ranks) noexcept;
};

struct PackedLutForm : PackedForm,
                       FoldedByBase<AVRM_CLASS_IMPLICIT_PACKED_LUT>,
                       OneGroup,
                       StartsAtOffset,
                       TranslatedAhead<avrm_i_packed_lut>,
                       ScannedForRuns<avrm_i_packed_lut> {
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  // O(size) for a part of a table, else O(1).
  static void exact_max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                              std::int32_t *max_lpids) noexcept;
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_PACKED_LUT; }
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static std::optional<Offer> offer(const Source &source) noexcept;
  static avrm_status_t part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                            MapOwner *map_p) noexcept;
};

struct PackedMlutForm : PackedForm,
                        FoldedBySlots<AVRM_CLASS_IMPLICIT_PACKED_MLUT, packed_tables>,
                        Slots<packed_tables>,
                        TranslatedAhead<avrm_i_packed_mlut>,
                        ScannedForRuns<avrm_i_packed_mlut> {
  static std::int32_t groups(const avrm_rankmap_t *map) noexcept;
  // O(size) for a part of a table, else O(count).
  static void max_lpids(const avrm_rankmap_t *map, std::int32_t first, std::int32_t count,
                        std::int32_t *max_lpids) noexcept;
  static constexpr auto exact_max_lpids = max_lpids;
  static avrm_class_t natural_class(const avrm_rankmap_t * /*map*/) noexcept { return AVRM_CLASS_PACKED_MLUT; }
  static avrm_status_t check_unique(const avrm_rankmap_t *map) noexcept;
  static std::optional<Offer> offer(const Source &source) noexcept;
  static avrm_status_t part(const avrm_rankmap_t *parent, std::int32_t first, std::int32_t count,
                            MapOwner *map_p) noexcept;
};

template <> struct Form<AVRM_MODE_PACKED_LUT> : PackedLutForm {};
template <> struct Form<AVRM_MODE_PACKED_MLUT> : PackedMlutForm {};

} // namespace avrankmap::detail

#endif
