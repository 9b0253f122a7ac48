// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Further addresses of each peer, for example one per network interface or virtual interface. Word
// 0 of a peer is in its element (av.h). Word k, for k >= 1, is one of
//
//   regular      word 0 + d(k)                       0 bytes per peer, about 56 to 128 per k
//                a(k) + lpid * step                  0 bytes per peer, about 56 to 128 per k
//   irregular    stored in a table                   8 bytes per word, see below
//
// If an AV has only one address per peer, all that this costs is one pointer in the AV, whatever
// the number of peers. The AV detects that word k is regular if word 0 of all peers was set before
// and word k is set for all lpids in order. The addresses that a libfabric AV of type FI_AV_TABLE
// returns are regular if they were inserted for all peers one k at a time, or for all k one peer at
// a time. If you connect on demand, declare the rule instead. Words that do not follow a rule,
// whether for some peers or for all, are stored in the table; look-ups return the same words either
// way.
//
// Set the addresses of a second interface (tests/tour/component.c):
//
//   must(avrm_addresses_set(av, 1, 0, size, addresses)); // as fi_av_insert returned them for k = 1
//
// Look up the address of a rank, inline if it is word 0 + d(k) (tests/tour/component.c):
//
//   uint64_t word = avrm_rankmap_word(map, rank); // word 0, which also shows the locality
//   if (avrm_ofi_is_network(word))
//     word = avrm_addresses_word(av, avrm_rankmap_lpid(map, rank), word, 1);
//
// A k is *plain* if the words of all network peers follow one function. Its words are computed
// inline if all smaller k are plain as well, and the functions of all of them are word 0 + d(k), or
// all are a(k) + lpid * step with the same step. If a word deviates, or if word k was detected (not
// declared) to be word 0 + d(k) and word 0 of a peer changes, this k and all greater ones
// permanently take a function call, which first searches the table. For far-side processes use
// avrm_addresses_get; their words are always in the table unless a rule was declared.
//
// The table is allocated in units: one for each peer and each group of words (1, 2-3, 4-7, ...) in
// which the peer has irregular words. A unit takes 8 bytes per word of the group. Indexing it takes
// another 4 to 5 bytes if neighbouring peers also have units, and otherwise up to about 64 bytes
// per level of a tree of degree 16 over the AV's peers. The table consists of blocks of doubling
// size (AVRM_MEM_AV); untouched parts of large blocks are zero pages.
#ifndef AVRANKMAP_ADDRESSES_H
#define AVRANKMAP_ADDRESSES_H

#include "avrankmap/av.h"

AVRM_BEGIN_DECLS

/// Upper bound of the number of words per peer.
#define AVRM_ADDRESSES_MOST 65536

/// Header of the deltas to which avrm_av_t::further points; for the inline function.
typedef struct avrm_further {
  uint64_t after_first; ///< word k = word 0 + delta(k) for k below this; at least 1
  uint64_t by_lpid;     ///< word k = delta(k) + lpid * step for other k below this
  int64_t step;
} avrm_further_t;

/// Kind of a declared rule.
typedef enum avrm_addresses_kind {
  AVRM_ADDRESSES_AFTER_FIRST = 0, ///< address k = address 0 + k * per_word
  AVRM_ADDRESSES_BY_LPID = 1,     ///< address k = base + lpid * per_lpid + k * per_word
} avrm_addresses_kind_t;

/// A rule that is declared by the caller.
typedef struct avrm_addresses_rule {
  avrm_addresses_kind_t kind;
  int64_t per_word;
  int64_t per_lpid; ///< AVRM_ADDRESSES_BY_LPID only
  uint64_t base;    ///< AVRM_ADDRESSES_BY_LPID only
} avrm_addresses_rule_t;

/// Description of the current further addresses, for diagnostics and tools.
typedef struct avrm_addresses_info {
  int32_t count;  ///< words per peer, including word 0; 1 if there are no others
  int32_t plain;  ///< words that are computed inline, including word 0
  uint64_t kept;  ///< words in the table
  uint64_t bytes; ///< bytes of all further addresses, a part of avrm_av_bytes
} avrm_addresses_info_t;

/// Declares word k of all lpids for k in 1 .. count - 1. With AVRM_ADDRESSES_AFTER_FIRST the words
/// follow word 0, now and later: when a peer's element is set, its other words are set as well. The
/// words of a far-side process follow its far address (avrm_av_set_far_address).
/// @param count  number of words including word 0, 2 .. AVRM_ADDRESSES_MOST
/// @param rule   the rule, copied
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (count), AVRM_ERR_OPTION (kind),
///         AVRM_ERR_ADDRESS_BIT or AVRM_ERR_ADDRESS_SENTINEL (an AVRM_ADDRESSES_BY_LPID rule yields
///         such an address; an AVRM_ADDRESSES_AFTER_FIRST rule is checked only for an odd per_word
///         with the UCX codec), AVRM_ERR_BUSY (a further word was set or declared before),
///         AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe. Cost: a lock, O(count), independent of the number of peers.
avrm_status_t avrm_addresses_declare(avrm_av_t *av, int32_t count, const avrm_addresses_rule_t *rule) AVRM_NOEXCEPT;

/// Sets word k of the lpids first .. first + count - 1. Words may be set in any order, and their
/// number need not be announced.
/// @param k          1 .. AVRM_ADDRESSES_MOST - 1
/// @param count      0 or more
/// @param addresses  fi_addr_t or ucp_ep_h as numbers, according to the AV's codec; never null
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANGE (k), AVRM_ERR_SIZE (negative count),
///         AVRM_ERR_LPID, AVRM_ERR_ADDRESS_SENTINEL and AVRM_ERR_ADDRESS_BIT as avrm_ave_pack,
///         AVRM_ERR_NO_MEMORY; after an error nothing is changed, including the AV's memory
/// Thread-safe, also concurrently with readers, which find the old word or the new one. Cost: a
/// lock, O(count).
avrm_status_t avrm_addresses_set(avrm_av_t *av, int32_t k, int32_t first, int32_t count,
                                 const uint64_t *addresses) AVRM_NOEXCEPT;

/// Clears all further words of a peer until they are set again, including those that a declared
/// rule gives it: connecting the peer again does not restore them. The element is unchanged; the
/// peer may be disconnected before or after.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID, AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe, also concurrently with readers. Cost: a lock, O(words).
avrm_status_t avrm_addresses_clear(avrm_av_t *av, int32_t lpid) AVRM_NOEXCEPT;

/// Returns network address k of any process, including one on the far side. For k = 0 it is the
/// address in the element, or the far address.
/// @param k  0 .. AVRM_ADDRESSES_MOST - 1
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID, AVRM_ERR_RANGE (k is out of range),
///         AVRM_ERR_NOT_NETWORK (the process has no such address)
/// Thread-safe, lock-free.
avrm_status_t avrm_addresses_get(const avrm_av_t *av, int32_t lpid, int32_t k, uint64_t *address_p) AVRM_NOEXCEPT;

/// Describes the further addresses. While words are being set, the numbers are not a consistent
/// snapshot.
/// @return AVRM_OK, AVRM_ERR_NULL
/// Thread-safe.
avrm_status_t avrm_addresses_describe(const avrm_av_t *av, avrm_addresses_info_t *info_p) AVRM_NOEXCEPT;

/// Returns address word k of a peer, to be decoded like word 0. Unchecked: lpid must be in 0 ..
/// size-1, and word0 must be its address word and hold a network address.
/// @param k  0 returns word0. A word that was not set reads as 0, "not yet connected", unless a
///           rule gives it
/// Thread-safe, lock-free. Cost: 3 loads for word 0 + d(k); 5 loads, all independent of word 0, for
/// a(k) + lpid * step; a function call if word k is not computed inline (see "plain" above).
AVRM_INLINE uint64_t avrm_addresses_word(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/addresses_inl.h"

#endif
