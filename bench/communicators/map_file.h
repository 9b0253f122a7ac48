// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A communicator from a text file: one rank per line, in rank order, as an lpid of process group 0
// or as pgid:lpid.
//
//     # walker 0 and a helper of another world
//     1
//     4
//     1:17      # comments may follow, blank lines do not count
//
// Lines may end in CR LF. pgid is 0 .. 2147483647, lpid 0 .. 2147483646, both decimal. As in any
// communicator, no process occurs twice.
#ifndef AVRANKMAP_BENCH_COMMUNICATORS_MAP_FILE_H
#define AVRANKMAP_BENCH_COMMUNICATORS_MAP_FILE_H

#include "avrankmap/rankmap.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace avrankmap::bench {

/// Why a map file was refused.
struct MapFileError {
  std::int64_t line = 0; ///< counted from 1; 0 when the file as a whole is at fault
  std::string text;      ///< what is wrong, without the place
};

using MapFileResult = std::variant<std::vector<avrm_gpid_t>, MapFileError>;

/// The processes in the text of a map file, by rank: at least one.
MapFileResult parse_map(std::string_view text);

/// The same from a file.
MapFileResult read_map_file(const std::string &path);

/// "FILE:LINE: what is wrong", or "FILE: what is wrong".
std::string describe(const MapFileError &error, std::string_view path);

} // namespace avrankmap::bench

#endif
