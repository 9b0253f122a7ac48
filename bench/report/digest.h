// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The main results in few lines: on one screen, and as tables of the documents.
#ifndef AVRANKMAP_BENCH_REPORT_DIGEST_H
#define AVRANKMAP_BENCH_REPORT_DIGEST_H

#include "measurement/rows.h"

#include <string>

namespace avrankmap::bench {

inline constexpr int kScreenLines = 40;

/// Rates, instructions, bytes, transports and budgets that fail, on at most kScreenLines lines less
/// those of `ending`, which follows them.
std::string screen_text(const Json &results, const std::string &ending);

/// A document with its generated parts written anew. They stand between
///
///     <!-- generated: NAME -->
///     <!-- end -->
///
/// where NAME is one of the digest's tables (machine, rates, forms, bytes, fastpath, transports,
/// budgets) or a measurement's name, for all of its tables. Throws std::runtime_error if a part has
/// no end, is unknown, or has nothing in these results.
std::string update_document(const std::string &document, const Json &results);

} // namespace avrankmap::bench

#endif
