// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of a directory: chunks that hold them, and the index that finds them (directory.h).
#ifndef AVRANKMAP_SRC_WINDOW_TABLE_RECORDS_H
#define AVRANKMAP_SRC_WINDOW_TABLE_RECORDS_H

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

} // namespace avrankmap::detail

#endif
