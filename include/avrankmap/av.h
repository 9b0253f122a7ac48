// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Address vectors (AV): one table of AVEs per process group, and the directory pgid -> AV
// (AV-Rankmap paper, IV-B, IV-C).
//
//   instance --- directory --- pgid 0 --> AV [lpid 0][lpid 1] ... [lpid size-1]  own MPI_COMM_WORLD
//                          \-- pgid 1 --> AV [lpid 0] ...             a spawned or connected world
//
// An AV is created with its size and reads as "not yet connected" everywhere. Any thread may fill
// it in any order. Its memory never moves, so translation takes no lock and no atomic
// read-modify-write, whatever is created, filled or released meanwhile. The number of process
// groups is limited only by the type of the pgid.
//
// The element of a process that no address is known of (tests/tour/address_vectors.c):
//
//   must(avrm_ofi_pack_far(far, (uint32_t)(lpid / per_node), &ave));
//   must(avrm_av_set(av, lpid, &ave));
//
// The address word of a rank, whose process connects when it is met (tests/tour/address_vectors.c):
//
//   uint64_t word = avrm_rankmap_word(map, rank);
//   if (!avrm_ofi_is_network(word) && !avrm_ofi_is_local(word)) // not connected yet
//     word = connect_to(av, avrm_rankmap_lpid(map, rank), avrm_rankmap_node(map, rank));
//
// An AV lives until it is released and neither a bound rankmap nor avrm_av_hold keeps it. No pgid
// is used twice in an instance: a group or a rankmap that has outlived its world compares unequal
// to those of every later world and cannot be bound to one. The pgids are 0, 1, 2, ... while no AV
// goes, afterwards any numbers up to 2^31 - 1, and make a poor index of an array. An instance can
// have 2^31 AVs in the course of its life.
//
// Bytes: 64 + 12 per process (AVRM_MEM_AV), rounded up to pages where pages are chosen. Pages that
// no element was written to are not resident. Network addresses of processes on the far side take
// 8 bytes each in a table of their own, made on first use.
//
// An *implicit* AV has no table as long as it can do without. Where elements are set in the order
// of lpids, as bulk insertion does, libfabric's table-type address vectors return 0, 1, 2, ...: the
// address word is a regular function of lpid. So is the node id where processes are laid out in
// blocks, cyclically or in planes. Both may be regular in pieces only. The AV detects these
// functions as it is filled and keeps them as short lists of runs. The function of most lpids is
// the AV's line (line.h), all others are its exceptions: those of the own node, and those that are
// not set. Exceptions are one stretch of lpids, or one in each of many equal periods; if there are
// several of other sorts, it is all from the first to the last. Rankmaps of all forms translate by
// the line, without a load of an AVE, but call the AV for exceptions. An affine map that lies in
// one run has the function of that run instead.
//
//   elements are set               the AV
//   next lpid, any value           stays implicit; at most a run longer
//   an lpid again, same value      stays as it is
//   anything else, or too many     writes everything into a table (12 bytes per process), then sets
//   runs: 1,024 of words, 128      the element there
//   of node ids, 1/4 of a table
//
// The last row happens under readers. The memory that they read stays in place, and each finds the
// old element or the new one, like with any other write. Rankmaps that were bound before call the
// AV from then on; bound again they are as fast as with any table. So bind rankmaps after the
// addresses are set, or bind them again.
//
// An implicit AV (tests/tour/address_vectors.c):
//
//   options.kind = AVRM_AV_IMPLICIT;
//   must(avrm_av_create(instance, size, &options, &av));
//
// A map over an implicit AV is bound (tests/tour/address_vectors.c):
//
//   must(avrm_rankmap_bind(&map)); // after the addresses are set
//
// Bytes of an implicit AV: some 800, 16 per run of words, 40 per run of node ids (doubled by
// growth).
#ifndef AVRANKMAP_AV_H
#define AVRANKMAP_AV_H

#include "avrankmap/ave.h"
#include "avrankmap/instance.h"

AVRM_BEGIN_DECLS

/// Address vector of one process group. The fields are for the inline functions; callers must not
/// write them.
typedef struct avrm_av {
  avrm_ave_t *elements; ///< `size` elements by lpid, 64-aligned; null while the AV is implicit
  int32_t size;         ///< number of processes, 1 .. 2^31 - 1
  int32_t pgid;         ///< process group id, 0 for the first AV, never used again
  /// Further addresses of each peer (addresses.h).
  const uint64_t *further;
} avrm_av_t;

/// Pages behind an AV. Anything but the default rounds the AV up to whole pages.
typedef enum avrm_av_pages {
  AVRM_AV_PAGES_DEFAULT = 0,     ///< the system's default
  AVRM_AV_PAGES_TRANSPARENT = 1, ///< transparent huge pages by madvise; advice, hence never fails
  AVRM_AV_PAGES_HUGE = 2,        ///< 2 MiB pages of the system's pool; fails if it is too small
} avrm_av_pages_t;

/// Representation of an AV.
typedef enum avrm_av_kind {
  AVRM_AV_TABLE = 0,    ///< 12 bytes per process
  AVRM_AV_IMPLICIT = 1, ///< functions of lpid, as long as they hold; then a table
} avrm_av_kind_t;

typedef struct avrm_av_options {
  /// Codec of the address words. It decides the order in which avrm_av_set writes the halves of a
  /// word.
  avrm_codec_t codec;
  avrm_av_pages_t pages;
  /// Binds the table's memory to this NUMA node if bind_numa is set.
  uint32_t numa_node;
  bool bind_numa;
  /// If an implicit AV makes a table, it uses the pages and the node of these options.
  avrm_av_kind_t kind;
} avrm_av_options_t;

/// Description of an AV at the moment, for people and tools.
typedef struct avrm_av_info {
  avrm_av_kind_t kind; ///< AVRM_AV_TABLE also for one that was implicit once
  int32_t size;        ///< number of processes
  int32_t filled;      ///< implicit: lpids below are set; else 0
  int32_t word_runs;   ///< implicit: pieces of the function for address words; else 0
  int32_t node_runs;   ///< implicit: pieces of the function for node ids; else 0
  uint64_t bytes;      ///< as avrm_av_bytes
} avrm_av_info_t;

/// The node ids of a stretch of processes: lpid is on node `node` + ((lpid - first) / block) modulo
/// nodes. It ends where the next one begins.
typedef struct avrm_node_run {
  int32_t first; ///< its first lpid
  int32_t node;  ///< node id of this process, 0 or more
  int32_t block; ///< processes that follow one another on a node, at least 1
  int32_t nodes; ///< at least 1; for block layouts any number that suffices, up to 2^31 - 1 - node
} avrm_node_run_t;

/// Creates the AV of a process group. Its pgid is one that the instance has not used before.
/// @param size     number of processes, 1 .. 2^31 - 1
/// @param options  null for the defaults
/// @param av_p     receives the AV; to be released by avrm_av_release
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE, AVRM_ERR_OPTION (unknown codec, pages or kind;
///         pages or NUMA binding together with the caller's allocator hooks, which decide such
///         things themselves), AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (no such NUMA node, no huge
///         pages), AVRM_ERR_LIMIT (no pgid is left)
/// Thread-safe. Cost: one block; no page of the table is touched. Where no earlier AV's place is
/// free and the number of AVs has reached a power of two, also 16 bytes times twice that number
/// (AVRM_MEM_INSTANCE).
avrm_status_t avrm_av_create(avrm_instance_t *instance, int32_t size, const avrm_av_options_t *options,
                             avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Releases an AV: its pgid can no longer be found, held or bound. The memory is freed when the
/// last rankmap that is bound to the AV is unbound or destroyed, and the last hold is dropped. Null
/// is allowed and does nothing. Thread-safe.
void avrm_av_release(avrm_av_t *av) AVRM_NOEXCEPT;

/// Releases an AV as soon as no rankmap is bound to it and nobody holds it, perhaps at once. Until
/// then it can be found, held and bound, which puts the end off: so a world lives as long as its
/// communicators. The caller may call avrm_av_release before that end, if it knows that the AV is
/// still there, for instance because it holds it. Null is allowed and does nothing. Thread-safe.
void avrm_av_release_when_unbound(avrm_av_t *av) AVRM_NOEXCEPT;

/// Finds the AV of a pgid and holds it, in one step: until avrm_av_drop it stays as if a rankmap
/// were bound to it. For groups, ports and whatever else refers to a world without a bound rankmap.
/// An AV may be held many times. A hold does not make avrm_av_release wait: it only keeps the
/// memory.
/// @param av_p  receives the AV; to be let go by avrm_av_drop
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PGID_UNKNOWN (never used, or negative),
///         AVRM_ERR_PGID_RELEASED
/// Thread-safe. Cost: a lock.
avrm_status_t avrm_av_hold(avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Ends one hold of an AV. The last one frees an AV that was released and is not bound. Null is
/// allowed and does nothing. Thread-safe. Cost: a lock.
void avrm_av_drop(avrm_av_t *av) AVRM_NOEXCEPT;

/// The AV of a pgid. The result is borrowed: it is valid until the AV is released.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PGID_UNKNOWN (never used, or negative),
///         AVRM_ERR_PGID_RELEASED
/// Thread-safe, lock-free. If another thread may release the AV meanwhile, use avrm_av_hold.
avrm_status_t avrm_av_find(const avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Goes through the pgids that can be found, in an order of its own, each once. Those that are
/// there from the first call to the last are all met; others that come or go meanwhile may be.
///
/// The processes of all worlds (tests/tour/address_vectors.c):
///
///   int32_t pgid = -1;
///   while (avrm_av_next(instance, pgid, &pgid) == AVRM_OK && pgid >= 0)
///     if (avrm_av_hold(instance, pgid, &av) == AVRM_OK) {
///       count += av->size;
///       avrm_av_drop(av);
///     }
///
/// @param pgid    a result of this function, whether its AV is still there or not; -1 to begin
/// @param pgid_p  receives the next pgid, -1 at the end
/// @return AVRM_OK, AVRM_ERR_NULL
/// Thread-safe, lock-free. Cost: all calls together pass over the directory once, which has at most
/// twice as many entries as there ever were AVs at a time, and at least 4.
avrm_status_t avrm_av_next(const avrm_instance_t *instance, int32_t pgid, int32_t *pgid_p) AVRM_NOEXCEPT;

/// Attaches a pointer of the caller's to an AV, in place of one that was attached before: an MPI
/// library's own object of the world, its name, whatever is to be found from a pgid.
/// @param user    any value; null for none
/// @param at_end  called once with `user` when the AV ends, after it can no longer be found: the
///                place to free `user`. Null for none. Not called for a pointer that was replaced.
///                The instance's lock is held, so it must not call the library.
/// @return AVRM_OK, AVRM_ERR_NULL (av), AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe. Cost: a lock; the first time in the life of an AV the block of its extra data, some
/// 300 bytes (AVRM_MEM_AV), which far addresses use, too.
avrm_status_t avrm_av_set_user(avrm_av_t *av, void *user, void (*at_end)(void *user)) AVRM_NOEXCEPT;

/// The pointer of avrm_av_set_user; null if there is none, or av is null. Thread-safe, lock-free.
void *avrm_av_user(const avrm_av_t *av) AVRM_NOEXCEPT;

/// Writes one element: connects, moves or (with an all-zero element) disconnects a peer.
/// Readers that translate to the same lpid meanwhile see the old address word, or "not yet
/// connected", or the new one, never a mix. The node id is a load of its own and is written first.
/// Where a word takes two loads (32-bit processors, and those that load 4-aligned data in two), a
/// reader may see a mix if the same element is written three times during one read. Writers of
/// different elements need no coordination; of the same one, the later call wins.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID; for an implicit AV also what making its table may
///         return: AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (nothing is changed)
/// Thread-safe. Cost: a lock and a few stores, tens of nanoseconds. Moving or disconnecting a UCX
/// endpoint takes a process-wide memory barrier as well, a libfabric address of 2^32 - 1 or more
/// two of them: system calls that interrupt the other threads of the process. Once in the life of
/// an implicit AV, O(size).
avrm_status_t avrm_av_set(avrm_av_t *av, int32_t lpid, const avrm_ave_t *ave) AVRM_NOEXCEPT;

/// Writes elements first .. first + count - 1; like `count` calls of avrm_av_set with the barriers
/// shared.
/// @param count  0 or more
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (negative count), AVRM_ERR_LPID (nothing is
///         written), and as avrm_av_set for an implicit AV
avrm_status_t avrm_av_set_range(avrm_av_t *av, int32_t first, int32_t count, const avrm_ave_t *aves) AVRM_NOEXCEPT;

/// Writes one element if nobody has changed it: like avrm_av_set where the element's address word
/// is still `expected`, else nothing is written. So of several threads that connect one peer
/// exactly one succeeds, and the others learn its word.
///
/// The word of a peer that is connected now (tests/tour/address_vectors.c):
///
///   must(avrm_ofi_pack(insert(lpid), node, &ave));
///   must(avrm_av_set_if(av, lpid, 0, &ave, &found));
///   return found == 0 ? avrm_ave_word(&ave) : found; // or of the thread that was first
///
/// @param expected  an address word that was read before; 0: not connected yet
/// @param found_p   receives the word that was there: if it is `expected`, the element was written
/// @return as avrm_av_set; after an error *found_p is not written
/// Thread-safe. Cost: as avrm_av_set.
avrm_status_t avrm_av_set_if(avrm_av_t *av, int32_t lpid, uint64_t expected, const avrm_ave_t *ave,
                             uint64_t *found_p) AVRM_NOEXCEPT;

/// Declares the node ids of all processes, set or not, where the launcher tells them in advance: a
/// block layout is one run, {0, 0, processes per node, 2^31 - 1}. Hierarchies (hierarchy.h) of maps
/// over this AV read the runs and no element, whatever was set before or is later; the caller
/// vouches that both say the same. avrm_rankmap_node keeps reading elements.
/// @param count  number of runs, 1 .. 65,536; the first run begins at 0, each next one behind the
///               one before
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (count, or nodes), AVRM_ERR_LPID (firsts that do
///         not rise from 0 to below the AV's size), AVRM_ERR_BLOCK (block < 1), AVRM_ERR_RANGE
///         (node ids below 0 or above 2^31 - 1), AVRM_ERR_BUSY (there is a declaration),
///         AVRM_ERR_NO_MEMORY; after an error nothing is changed
/// Thread-safe. Cost: O(count). Bytes: 8 + 24 per run, and some 300 for the first address or
/// declaration of an AV.
avrm_status_t avrm_av_declare_nodes(avrm_av_t *av, int32_t count, const avrm_node_run_t *runs) AVRM_NOEXCEPT;

/// Makes the table of an implicit AV now, for code that reads elements in place (avrm_av_ave,
/// avrm_rankmap_ave). Does nothing if there is one. Other threads may be reading meanwhile.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (pages or node of the
///         options; nothing is changed)
/// Thread-safe. Cost: O(size).
avrm_status_t avrm_av_make_table(avrm_av_t *av) AVRM_NOEXCEPT;

/// Keeps the network address of a process on the far side, whose element has no room for it: for
/// active messages, lookups, and windows without shared memory. The addresses stand in a table by
/// local rank, which the far word contains, so nothing is searched.
/// @param local_rank  0 .. size-1: of AVRM_FAR_LOCAL or AVRM_FAR_SELF
/// @param address     fi_addr_t or ucp_ep_h, by the AV's codec
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_ADDRESS_SENTINEL and
///         AVRM_ERR_ADDRESS_BIT as avrm_ave_pack, AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe, also beside readers: they find the old address or the new one. Cost: a lock. Bytes:
/// 8 per local rank up to the next power of two (from 8 on; pieces without an address are left
/// out), and some 300 for the first address of an AV.
avrm_status_t avrm_av_set_far_address(avrm_av_t *av, uint32_t local_rank, uint64_t address) AVRM_NOEXCEPT;

/// The network address of a process on the far side.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK (local_rank is outside 0 .. size-1),
///         AVRM_ERR_NOT_NETWORK (none was set)
/// Thread-safe, lock-free. Cost: O(1).
avrm_status_t avrm_av_far_address(const avrm_av_t *av, uint32_t local_rank, uint64_t *address_p) AVRM_NOEXCEPT;

/// The network address of a process whichever side it is on, from its address word: the word's own,
/// or that of avrm_av_set_far_address.
/// @param word  an address word of this AV
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_NETWORK (not connected, or no far address was set)
/// Thread-safe, lock-free. Cost: O(1).
avrm_status_t avrm_av_network_address(const avrm_av_t *av, uint64_t word, uint64_t *address_p) AVRM_NOEXCEPT;

/// Reads one element, with checks. @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID. Thread-safe.
avrm_status_t avrm_av_get(const avrm_av_t *av, int32_t lpid, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Bytes that an AV holds, all tables included; 0 for null. Thread-safe.
uint64_t avrm_av_bytes(const avrm_av_t *av) AVRM_NOEXCEPT;

/// Describes an AV. @return AVRM_OK, AVRM_ERR_NULL. Thread-safe; while the AV is being filled, the
/// numbers are not one snapshot.
avrm_status_t avrm_av_describe(const avrm_av_t *av, avrm_av_info_t *info_p) AVRM_NOEXCEPT;

/// The element of an lpid, unchecked: lpid must be in 0 .. size-1, and the AV must have a table.
/// Cost: 3 instructions, no branch.
AVRM_INLINE const avrm_ave_t *avrm_av_ave(const avrm_av_t *av, int32_t lpid) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/av_inl.h"

#endif
