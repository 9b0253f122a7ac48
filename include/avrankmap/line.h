// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address words of an implicit AV (av.h) as one function of the lpid, word + lpid * step, with
// exceptions. Exceptions are the lpids to which the function does not apply: those on the local
// node (they are not reached over the network), those whose words follow another function, and
// those that are not set yet. They are one range of lpids, or one range in each of many periods of
// equal length, as when processes are distributed to nodes cyclically. If there is no such pattern,
// all lpids from the first exception to the last count as exceptions. In every case one
// multiplication decides whether a word is an exception.
//
// Bound rankmaps and fast-path handles refer to the line of their AV. Its fields never change
// except `limit`, which is raised when the AV gets a table, so that every lpid becomes an
// exception. A reader that loaded the old limit uses the word from before the change.
//
// Only inline functions and the library use this header. Its functions are thread-safe.
#ifndef AVRANKMAP_LINE_H
#define AVRANKMAP_LINE_H

#include "avrankmap/base.h"

AVRM_BEGIN_DECLS

/// A line. It lives as long as its AV. The fields are for the inline functions.
typedef struct avrm_line {
  uint64_t word; ///< address word of lpid 0
  int64_t step;  ///< difference between the words of consecutive lpids
  /// A word is an exception if (word - origin) * factor modulo 2^64 is below the limit.
  uint64_t origin;
  uint64_t factor;
  uint64_t limit;
} avrm_line_t;

/// Returns true if a word that the line's function gives for some lpid is an exception. Cost: 5
/// instructions.
AVRM_INLINE bool avrm_i_is_exception(const avrm_line_t *line, uint64_t word) AVRM_NOEXCEPT;

/// Computes the word of an lpid. Returns false for an exception, whose word is in the AV.
AVRM_INLINE bool avrm_i_word_on(const avrm_line_t *line, int64_t lpid, uint64_t *word_p) AVRM_NOEXCEPT;

// A line is stored where a pointer to a table of AVEs is expected, as the address of the line + 1.
AVRM_INLINE bool avrm_i_is_line(uintptr_t place) AVRM_NOEXCEPT;
AVRM_INLINE const avrm_line_t *avrm_i_line_at(uintptr_t place) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/line_inl.h"

#endif
