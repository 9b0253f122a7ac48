// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The address words of an implicit AV as one function of lpid (av.h): word + lpid * step, but for a
// exceptions. These are the lpids whose words are others: those of the own node, which are not
// reached over the network, and those that are not set yet. One multiplication tells whether a word
// is an exception, where it is a stretch of lpids as well as where it is a stretch of each period,
// as with processes that are dealt out to nodes cyclically.
//
// Bound rankmaps and handles of the fast path refer to the line of their AV. Its word and step
// never change, and neither do origin and factor. When the AV gets a table, `limit` grows, so that
// every lpid is an exception. A reader that loaded the old limit uses the word from before.
#ifndef AVRANKMAP_LINE_H
#define AVRANKMAP_LINE_H

#include "avrankmap/base.h"

AVRM_BEGIN_DECLS

/// A line. Only the inline functions use the fields. It lives as long as its AV.
typedef struct avrm_line {
  uint64_t word; ///< of lpid 0
  int64_t step;  ///< from an lpid to the next
  /// A word is an exception if (word - origin) * factor modulo 2^64 is below the limit.
  uint64_t origin;
  uint64_t factor;
  uint64_t limit;
} avrm_line_t;

/// True if a word of the line, or the word that it would be, is an exception. Cost: 5 instructions.
AVRM_INLINE bool avrm_i_is_in_hole(const avrm_line_t *line, uint64_t word) AVRM_NOEXCEPT;

/// The word of an lpid. Returns false for an exception: then the AV has the word.
AVRM_INLINE bool avrm_i_word_on(const avrm_line_t *line, int64_t lpid, uint64_t *word_p) AVRM_NOEXCEPT;

// Where a pointer to a table of AVEs is expected, a line is its address + 1.
AVRM_INLINE bool avrm_i_is_line(uintptr_t place) AVRM_NOEXCEPT;
AVRM_INLINE const avrm_line_t *avrm_i_line_at(uintptr_t place) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/line_inl.h"

#endif
