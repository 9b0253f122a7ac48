// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of a directory: the chunks that store them and the index that finds them.
//
// Chunks never move. The index is an array of heads of chains. A chain is sorted by the hash of the
// rank, whose upper bits select the head. When the index grows, each chain is split in place, since
// the records of its upper half are its tail. A link therefore changes only when a record is
// inserted before another one. Threads may be reading the old index, so it is kept, and included in
// avrm_directory_bytes, until the directory is destroyed. The index grows as long as everything
// together takes less than 40 bytes per record. A chunk is abandoned before it is full when the
// first size or unit appears for which its records have no room.
//
//   heads  [ . | . | . | . ]     chunk  [record record record ...| sizes | units]
//            |   \-> record -> record -> end
//            \-> record -> (likewise)
#ifndef AVRANKMAP_SRC_WINDOW_TABLE_RECORDS_H
#define AVRANKMAP_SRC_WINDOW_TABLE_RECORDS_H

#include <cstdint>

#include "avrankmap/directory.h"

namespace avrankmap::detail {

// The empty index, shared by all directories without records.
[[nodiscard]] const std::int32_t *no_heads() noexcept;

// The record of a rank, or null.
[[nodiscard]] const avrm_directory_record_t *search_record(const avrm_directory_t *directory,
                                                           std::int32_t rank) noexcept;

// The part in a rank's record. False if the rank has no record.
[[nodiscard]] bool find_record(const avrm_directory_t *directory, std::int32_t rank, avrm_part_t *part) noexcept;

// Adds the record of a rank that has none.
// @return AVRM_OK, AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT
[[nodiscard]] avrm_status_t add_record(avrm_directory_t *directory, std::int32_t rank,
                                       const avrm_part_t &part) noexcept;

// Finds the next record at or after a position (avrm_directory_next).
[[nodiscard]] bool next_record(const avrm_directory_t *directory, std::uint64_t *place, std::int32_t *rank,
                               avrm_part_t *part) noexcept;

void release_records(avrm_directory_t *directory) noexcept;

} // namespace avrankmap::detail

#endif
