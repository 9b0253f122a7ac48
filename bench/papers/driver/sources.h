// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Of which sources a result is. An experiment depends on the file that runs it, on what that
// includes in bench/ and on the sources of those headers, and on the library: on its core, or
// on all of it where the device is measured. A digest of their code, without comments, is stored
// with the result and published in RESULTS.md. If it differs from that of the tree, the result is
// stale: the experiment may yield other numbers now.
#ifndef AVRANKMAP_BENCH_PAPERS_DRIVER_SOURCES_H
#define AVRANKMAP_BENCH_PAPERS_DRIVER_SOURCES_H

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace avrankmap::bench {

/// Files of a tree, relative to its root, that an experiment depends on. Empty for one that is not
/// known.
std::set<std::filesystem::path> sources_of(const std::filesystem::path &root, const std::string &id);

/// 16 hexadecimal digits over names and code of these files; empty for no files.
std::string digest_of(const std::filesystem::path &root, const std::set<std::filesystem::path> &sources);

/// The line of a document that holds the digest of a result: a comment.
std::string recorded_line(const std::string &id, const std::string &digest);

enum class Freshness { kCurrent, kStale, kNotRecorded };
struct PublishedResult {
  std::string id;
  Freshness freshness;
};
/// The results that a document publishes, compared with the tree.
std::vector<PublishedResult> check_document(const std::string &document, const std::filesystem::path &root);

/// "31 of 43 results are of these sources. Stale: ...; not recorded: ..."
std::string freshness_text(const std::vector<PublishedResult> &results);

} // namespace avrankmap::bench

#endif
