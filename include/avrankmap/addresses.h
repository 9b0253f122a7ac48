// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Several addresses per peer: one per network interface and virtual interface, say. Word 0 of a
// peer stands in its element (av.h). Word k, for k from 1 on, is
//
//   regular      word 0 + d(k)                       0 bytes per peer, 8 per k
//                a(k) + lpid * step                  0 bytes per peer, 8 per k
//   irregular    kept in a table                     8 bytes per word, see below
//
// Those who have one address per peer pay one pointer per AV. The AV detects which k are regular as
// their words are set, if word 0 of all peers is set before and word k of all lpids in order: as
// libfabric's tables number addresses that are inserted one k after the other, or one peer after
// the other. Whoever connects on demand declares the rule instead. Words that do not follow go to
// the table, with the same results: of a few peers, or of all.
//
// The addresses of a second interface (tests/tour/component.c):
//
//   must(avrm_addresses_set(av, 1, 0, size, addresses)); // what fi_av_insert returned for k = 1
//
// The one of a rank, inline if it is word 0 + d(k) (tests/tour/component.c):
//
//   uint64_t word = avrm_rankmap_word(map, rank); // word 0: the locality is known, too
//   if (avrm_ofi_is_network(word))
//     word = avrm_addresses_word(av, avrm_rankmap_lpid(map, rank), word, 1);
//
// A k whose network peers all follow one function is *plain*: its words are computed inline. As
// soon as one does not, or an element changes under a detected function of word 0, this k and those
// above it take a call, for good: it first looks into the table. Words of processes on the far side
// are always in the table, unless a rule was declared, and no inline path asks for them; use
// avrm_addresses_get.
//
// Table: per peer and per group of words 1, 2-3, 4-7, ... that it has irregular words of: 8 bytes
// per word of the group, and 4 to 5 bytes if its neighbours have some, too, some 64 per 4 bits of
// the size if not. All of it lies in blocks that double (AVRM_MEM_AV) and are zero pages where
// large.
#ifndef AVRANKMAP_ADDRESSES_H
#define AVRANKMAP_ADDRESSES_H

#include "avrankmap/av.h"

AVRM_BEGIN_DECLS

/// Words per peer are fewer than this.
#define AVRM_ADDRESSES_MOST 65536

/// Header of the deltas that avrm_av_t::further points to; for the inline function.
typedef struct avrm_further {
  uint64_t after_first; ///< for k below: word k = word 0 + delta(k); at least 1
  uint64_t by_lpid;     ///< for other k below: word k = delta(k) + lpid * step
  int64_t step;
} avrm_further_t;

typedef enum avrm_addresses_kind {
  AVRM_ADDRESSES_AFTER_FIRST = 0, ///< address k = address 0 + k * per_word
  AVRM_ADDRESSES_BY_LPID = 1,     ///< address k = base + lpid * per_lpid + k * per_word
} avrm_addresses_kind_t;

/// A rule that the caller knows.
typedef struct avrm_addresses_rule {
  avrm_addresses_kind_t kind;
  int64_t per_word;
  int64_t per_lpid; ///< AVRM_ADDRESSES_BY_LPID only
  uint64_t base;    ///< AVRM_ADDRESSES_BY_LPID only
} avrm_addresses_rule_t;

/// Description of the further addresses at the moment, for people and tools.
typedef struct avrm_addresses_info {
  int32_t count;  ///< words per peer, word 0 included; 1 if there are no others
  int32_t plain;  ///< words that are computed inline, word 0 included
  uint64_t kept;  ///< words in the table
  uint64_t bytes; ///< of all this; part of avrm_av_bytes
} avrm_addresses_info_t;

/// Declares word k of all lpids, for k in 1 .. count - 1. With AVRM_ADDRESSES_AFTER_FIRST the words
/// follow word 0, now and later: whoever connects a peer sets its element, and all words are there;
/// those of a process on the far side follow its far address (avrm_av_set_far_address).
/// @param count  number of words, word 0 included: 2 .. AVRM_ADDRESSES_MOST
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (count), AVRM_ERR_OPTION (kind),
///         AVRM_ERR_ADDRESS_BIT or AVRM_ERR_ADDRESS_SENTINEL (the rule gives such an address),
///         AVRM_ERR_BUSY (a further word was set or declared before), AVRM_ERR_NO_MEMORY
/// Thread-safe. Cost: O(count), whatever the number of peers.
avrm_status_t avrm_addresses_declare(avrm_av_t *av, int32_t count, const avrm_addresses_rule_t *rule) AVRM_NOEXCEPT;

/// Sets word k of the lpids first .. first + count - 1. Any k, in any order: there is no number of
/// words to be announced.
/// @param k          1 .. AVRM_ADDRESSES_MOST - 1
/// @param count      0 or more
/// @param addresses  fi_addr_t or ucp_ep_h as numbers, by the AV's codec
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANGE (k), AVRM_ERR_SIZE (negative count),
///         AVRM_ERR_LPID, AVRM_ERR_ADDRESS_SENTINEL and AVRM_ERR_ADDRESS_BIT as avrm_ave_pack,
///         AVRM_ERR_NO_MEMORY; nothing is changed after an error, the bytes of the AV included
/// Thread-safe, also beside readers: they find the old word or the new one. Cost: a lock, O(count).
avrm_status_t avrm_addresses_set(avrm_av_t *av, int32_t k, int32_t first, int32_t count,
                                 const uint64_t *addresses) AVRM_NOEXCEPT;

/// Forgets all further words of a peer, until they are set again. Those that a declared rule gives
/// stay away when the peer is connected later. The element stays: a peer may be disconnected before
/// or after.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID, AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe, also beside readers. Cost: O(words).
avrm_status_t avrm_addresses_clear(avrm_av_t *av, int32_t lpid) AVRM_NOEXCEPT;

/// The network address k of a process, on whichever side it is: k = 0 is its element's or its far
/// address.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID, AVRM_ERR_RANGE (k is outside 0 ..
///         AVRM_ADDRESSES_MOST - 1), AVRM_ERR_NOT_NETWORK (it has none)
/// Thread-safe, lock-free.
avrm_status_t avrm_addresses_get(const avrm_av_t *av, int32_t lpid, int32_t k, uint64_t *address_p) AVRM_NOEXCEPT;

/// Describes the further addresses. @return AVRM_OK, AVRM_ERR_NULL. Thread-safe; while words are
/// being set, the numbers are not one snapshot.
avrm_status_t avrm_addresses_describe(const avrm_av_t *av, avrm_addresses_info_t *info_p) AVRM_NOEXCEPT;

/// Address word k of a peer, to be decoded as word 0 is. Unchecked: lpid must be in 0 .. size-1,
/// and word0 must be its address word, and a network address.
/// @param k  0 gives word0; a word that was not set reads as "not yet connected", 0, unless a rule
///           gives it
/// Thread-safe. Cost: 3 loads for word 0 + d(k), one more for a(k) + lpid * step, which does not
/// need word 0; a call for irregular words.
AVRM_INLINE uint64_t avrm_addresses_word(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/addresses_inl.h"

#endif
