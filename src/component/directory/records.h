// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of a directory: chunks that hold them, and the index that finds them (directory.h).
#ifndef AVRANKMAP_SRC_DIRECTORY_RECORDS_H
#define AVRANKMAP_SRC_DIRECTORY_RECORDS_H

#include <cstdint>

#include "avrankmap/directory.h"

namespace avrankmap::detail {

// The index that leads nowhere, shared by all directories without records.
[[nodiscard]] const std::int32_t *no_heads() noexcept;

// The record of a rank, or null.
[[nodiscard]] const avrm_directory_record_t *search_record(const avrm_directory_t *directory,
                                                           std::int32_t rank) noexcept;

// The part of a record. False if there is none.
[[nodiscard]] bool find_record(const avrm_directory_t *directory, std::int32_t rank, avrm_part_t *part) noexcept;

// Adds the record of a rank that has none.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT
[[nodiscard]] avrm_status_t add_record(avrm_directory_t *directory, std::int32_t rank,
                                       const avrm_part_t &part) noexcept;

// The next record from a place on (avrm_directory_next).
[[nodiscard]] bool next_record(const avrm_directory_t *directory, std::uint64_t *place, std::int32_t *rank,
                               avrm_part_t *part) noexcept;

void release_records(avrm_directory_t *directory) noexcept;

// Bits of avrm_directory_t::rules: fields whose rules hold for all ranks.
inline constexpr std::uint8_t kBaseRule = 1;
inline constexpr std::uint8_t kKeyRule = 2;
inline constexpr std::uint8_t kSizeRule = 4;
inline constexpr std::uint8_t kUnitRule = 8;
inline constexpr std::uint8_t kAllRules = kBaseRule | kKeyRule | kSizeRule | kUnitRule;

// A part all of whose fields follow the rules of a directory.
[[nodiscard]] inline avrm_part_t part_by_rule(const avrm_directory_t *directory, std::int32_t rank) noexcept {
  const auto times = static_cast<std::uint64_t>(rank);
  return {directory->base + times * directory->base_step, directory->key + times * directory->key_step,
          directory->size + times * directory->size_step,
          directory->unit + static_cast<std::uint32_t>(rank) * directory->unit_step};
}

} // namespace avrankmap::detail

#endif
