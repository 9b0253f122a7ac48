// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fields that a directory knows for all ranks: those that follow rules, and tables of other
// fields. The remaining fields are known for the ranks that were learned (records.h).
#ifndef AVRANKMAP_SRC_WINDOW_TABLE_KNOWN_FIELDS_H
#define AVRANKMAP_SRC_WINDOW_TABLE_KNOWN_FIELDS_H

#include <cstdint>

#include "avrankmap/directory.h"
#include "window_table/fields.h"

namespace avrankmap::detail {

// Bit mask of fields in avrm_directory_t::rules and ::tabled.
inline constexpr std::uint8_t kBaseBit = 1;
inline constexpr std::uint8_t kKeyBit = 2;
inline constexpr std::uint8_t kSizeBit = 4;
inline constexpr std::uint8_t kUnitBit = 8;
inline constexpr std::uint8_t kAllBits = kBaseBit | kKeyBit | kSizeBit | kUnitBit;
// In ::tabled: the tables are an array of parts.
inline constexpr std::uint8_t kIsArray = 16;

// A part with all fields computed by the directory's rules.
[[nodiscard]] inline avrm_part_t part_by_rule(const avrm_directory_t *directory, std::int32_t rank) noexcept {
  const auto times = static_cast<std::uint64_t>(rank);
  return {directory->base + times * directory->base_step, directory->key + times * directory->key_step,
          directory->size + times * directory->size_step,
          directory->unit + static_cast<std::uint32_t>(rank) * directory->unit_step};
}

// Bit mask of the fields that are known for all ranks.
[[nodiscard]] inline std::uint8_t known_fields(const avrm_directory_t *directory) noexcept {
  return (directory->rules | directory->tabled) & kAllBits;
}

// A part with the known fields of a rank. The other fields are computed by their rules.
[[nodiscard]] avrm_part_t known_part(const avrm_directory_t *directory, std::int32_t rank) noexcept;

// Adds the fields that their sources know to a directory that knows none yet, and chooses its form.
// After an error nothing is changed.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY
[[nodiscard]] avrm_status_t know_fields(avrm_directory_t *directory, const FieldSource (&sources)[kFields]) noexcept;

// Bytes of the tables.
[[nodiscard]] std::uint64_t table_bytes(const avrm_directory_t *directory) noexcept;
void release_tables(avrm_directory_t *directory) noexcept;

} // namespace avrankmap::detail

#endif
