// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Address vectors (AV): one table of address vector elements (AVE, ave.h) per process group, and
// the lookup of an AV by pgid (AV-Rankmap paper, IV-B, IV-C).
//
//   instance --- directory --- pgid 0 --> AV [lpid 0][lpid 1] ... [lpid size-1]  own MPI_COMM_WORLD
//                          \-- pgid 1 --> AV [lpid 0] ...             a spawned or connected world
//
// An AV has a fixed size. All its elements are "not yet connected" at first, and any thread may set
// them in any order. An AV's memory never moves, so translation needs no lock and no atomic
// read-modify-write, even while other threads create, fill and release AVs. The number of process
// groups is limited only by the type of the pgid.
//
// Set an element to a value without a network address (tests/tour/address_vectors.c):
//
//   must(avrm_ofi_pack_far(far, (uint32_t)(lpid / per_node), &ave));
//   must(avrm_av_set(av, lpid, &ave));
//
// Translate a rank, and connect its process on first use (tests/tour/address_vectors.c):
//
//   uint64_t word = avrm_rankmap_word(map, rank);
//   if (!avrm_ofi_is_network(word) && !avrm_ofi_is_local(word)) // not connected yet
//     word = connect_to(av, avrm_rankmap_lpid(map, rank), avrm_rankmap_node(map, rank));
//
// An AV is freed once it has been released and no bound rankmap or hold (avrm_av_hold) keeps it. An
// instance never reuses a pgid, so a group or rankmap that outlives its world cannot be mistaken
// for one of a later world, nor can the rankmap be bound to the later world. The pgids are 0, 1, 2,
// ... until an AV is released, and arbitrary numbers up to 2^31 - 1 afterwards: do not index arrays
// by them. An instance can create 2^31 AVs in its lifetime.
//
// Memory: 64 bytes, and 12 per process (AVRM_MEM_AV), rounded up to whole pages if the options
// select the kind of pages or a NUMA node. In an AV of 64 KiB or more, pages in which no element
// was set are not resident (built-in allocator). The network addresses of processes whose elements
// have no room for them, those of its own node (*far side*, ave.h), take 8 bytes each in a separate
// table, which is allocated on first use.
//
// An *implicit* AV stores no table while it can compute its elements. libfabric's table-type
// address vectors return 0, 1, 2, ... for processes inserted in the order of their lpids, so the
// address word is a linear function of the lpid. The node id follows a formula as well if the
// processes are laid out in blocks, cyclically or in planes. Either function may be piecewise:
// several pieces, each of the kind just described. The AV detects them while it is filled and
// stores them as short lists of runs. The function of the longest run of address words is the AV's
// line (line.h). The lpids to which it does not apply are its exceptions: those on the local node,
// those of runs with another function, and those that are not set. Rankmaps of all forms except
// `less` compute address words from the line, without loading an AVE, and look up exceptions in the
// AV by a function call. An affine map that lies within one run uses the function of that run
// instead.
//
//   element set                  effect on the AV
//   next lpid, any value         stays implicit; at most one more run of words and one of node ids
//   earlier lpid, same value     unchanged
//   anything else, or one run    writes all elements to a table (12 bytes per process), then sets
//   too many                     the element there
//
// There may be at most 1,024 runs of words and 128 of node ids, and neither list may take more than
// 1/4 of the bytes that the AV's table would take.
//
// An implicit AV may make its table while other threads read. The memory that they read stays in
// place, and each reader finds either the old element or the new one. Once the AV has a table,
// rankmaps that were already bound look up every word in the AV by a function call; unbinding and
// binding them again makes them as fast as over any other table. Bind rankmaps after the addresses
// are set. If some were bound before, unbind them and bind them again.
//
// Create an implicit AV (tests/tour/address_vectors.c):
//
//   options.kind = AVRM_AV_IMPLICIT;
//   must(avrm_av_create(instance, size, &options, &av));
//
// Bind a map over an implicit AV (tests/tour/address_vectors.c):
//
//   must(avrm_rankmap_bind(&map)); // after the addresses are set
//
// Memory of an implicit AV: about 800 bytes with up to 4 runs of each kind; beyond that at most 64
// per run of words and 160 per run of node ids, as the lists grow by doubling and old copies are
// kept.
#ifndef AVRANKMAP_AV_H
#define AVRANKMAP_AV_H

#include "avrankmap/ave.h"
#include "avrankmap/instance.h"

AVRM_BEGIN_DECLS

/// Address vector of one process group. The fields are for the inline functions and for callers to
/// read; callers must not write them.
typedef struct avrm_av {
  avrm_ave_t *elements; ///< `size` elements, by lpid, 64-byte aligned; null if implicit
  int32_t size;         ///< number of processes, 1 .. 2^31 - 1
  int32_t pgid;         ///< process group id; 0 for the first AV of an instance; never reused
  /// Further addresses of each peer (addresses.h); internal.
  const uint64_t *further;
} avrm_av_t;

/// Pages of an AV's memory. Any value except the default rounds the AV up to whole pages.
typedef enum avrm_av_pages {
  AVRM_AV_PAGES_DEFAULT = 0,     ///< the system's default
  AVRM_AV_PAGES_TRANSPARENT = 1, ///< transparent huge pages by madvise, which is only advice and
                                 ///< never fails
  AVRM_AV_PAGES_HUGE = 2,        ///< 2 MiB pages from the system's pool, all provided at creation;
                                 ///< fails if the pool, or its part on the NUMA node, has too few
} avrm_av_pages_t;

/// Representation of an AV.
typedef enum avrm_av_kind {
  AVRM_AV_TABLE = 0,    ///< 12 bytes per process
  AVRM_AV_IMPLICIT = 1, ///< computed from lpid while possible, then a table
} avrm_av_kind_t;

/// Options of avrm_av_create. All zero: the defaults.
typedef struct avrm_av_options {
  /// Codec of the address words: how the AV decodes them, and in which order avrm_av_set writes
  /// their halves.
  avrm_codec_t codec;
  avrm_av_pages_t pages;
  /// NUMA node to which the table's memory is bound if bind_numa is true.
  uint32_t numa_node;
  bool bind_numa;
  /// Representation. An implicit AV applies `pages` and `numa_node` to its table if it makes one.
  avrm_av_kind_t kind;
} avrm_av_options_t;

/// Description of an AV's current state, for diagnostics and tools.
typedef struct avrm_av_info {
  avrm_av_kind_t kind; ///< current kind: AVRM_AV_TABLE once an implicit AV has made its table
  int32_t size;        ///< number of processes
  int32_t filled;      ///< implicit: all lpids below this one are set; otherwise 0
  int32_t word_runs;   ///< implicit: number of runs of address words; otherwise 0
  int32_t node_runs;   ///< implicit: number of runs of node ids; otherwise 0
  uint64_t bytes;      ///< the result of avrm_av_bytes
} avrm_av_info_t;

/// The node ids of consecutive processes: lpid is on node `node` + ((lpid - first) / block) %
/// nodes. The run ends where the next one begins.
typedef struct avrm_node_run {
  int32_t first; ///< first lpid of the run
  int32_t node;  ///< node id of process `first`, 0 or more
  int32_t block; ///< consecutive processes on one node, at least 1
  /// Number of nodes after which the layout repeats, at least 1; `node` + `nodes` - 1 is at most
  /// 2^31 - 1. For a block layout, which does not repeat, any number that is not less than the
  /// run's number of nodes.
  int32_t nodes;
} avrm_node_run_t;

/// Creates the AV of a process group, with a pgid that the instance has not used before.
/// @param size     number of processes, 1 .. 2^31 - 1
/// @param options  null for the defaults
/// @param av_p     receives the AV; release it with avrm_av_release
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE, AVRM_ERR_OPTION (unknown codec, pages or kind;
///         pages or NUMA binding in an instance with allocator hooks, which are responsible for
///         both), AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (no such NUMA node, or no huge pages),
///         AVRM_ERR_LIMIT (all pgids have been used)
/// Thread-safe. Cost: one allocation; a table of less than 64 KiB is cleared, and a larger one is
/// not touched (built-in allocator) unless it takes AVRM_AV_PAGES_HUGE. If there are already 4, 8,
/// 16, ... AVs and no slot of a freed AV is available, also 32 bytes per existing AV
/// (AVRM_MEM_INSTANCE).
avrm_status_t avrm_av_create(avrm_instance_t *instance, int32_t size, const avrm_av_options_t *options,
                             avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Releases an AV: its pgid can no longer be found, held or bound. The memory is freed as soon as
/// no rankmap is bound to the AV and no hold remains, possibly before this call returns; do not use
/// the pointer afterwards unless one of these keeps the AV. Null is a no-op. Thread-safe.
void avrm_av_release(avrm_av_t *av) AVRM_NOEXCEPT;

/// Releases an AV as soon as no rankmap is bound to it and it is not held, which may be
/// immediately. Until then it can be found, held and bound, and each of these bindings and holds
/// defers the release: a world lives as long as its communicators. The caller may still call
/// avrm_av_release if it knows that the AV has not been released yet, for example because it has a
/// hold on the AV. Null is a no-op. Thread-safe.
void avrm_av_release_when_unbound(avrm_av_t *av) AVRM_NOEXCEPT;

/// Finds the AV of a pgid and holds it, in one step: it is kept until avrm_av_drop, as if a rankmap
/// were bound to it. Use it for groups, ports and other objects that refer to a world but have no
/// bound rankmap. An AV may be held any number of times. A hold keeps the memory, but does not
/// defer avrm_av_release.
/// @param av_p  receives the AV; drop it with avrm_av_drop
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PGID_UNKNOWN (never used, or negative),
///         AVRM_ERR_PGID_RELEASED
/// Thread-safe. Cost: a lock.
avrm_status_t avrm_av_hold(avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Drops one hold of an AV; call it once for each hold. Dropping the last one frees an AV that was
/// released and is not bound. Null is a no-op. Thread-safe. Cost: a lock.
void avrm_av_drop(avrm_av_t *av) AVRM_NOEXCEPT;

/// Finds the AV of a pgid. The result is borrowed: it is valid until the AV is released. If another
/// thread may release the AV concurrently, use avrm_av_hold.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PGID_UNKNOWN (never used, or negative),
///         AVRM_ERR_PGID_RELEASED
/// Thread-safe, lock-free. Cost: O(1).
avrm_status_t avrm_av_find(const avrm_instance_t *instance, int32_t pgid, avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Iterates over the pgids that can be found, each once, in no particular order. Those that exist
/// from the first call to the last are all returned; those created or released in between may or
/// may not be returned.
///
/// Count the processes of all worlds (tests/tour/address_vectors.c):
///
///   int32_t pgid = -1;
///   while (avrm_av_next(instance, pgid, &pgid) == AVRM_OK && pgid >= 0)
///     if (avrm_av_hold(instance, pgid, &av) == AVRM_OK) {
///       count += av->size;
///       avrm_av_drop(av);
///     }
///
/// @param pgid    the previous result, whose AV may have been released since; -1 to begin
/// @param pgid_p  receives the next pgid, or -1 at the end
/// @return AVRM_OK, AVRM_ERR_NULL
/// Thread-safe, lock-free. Cost: a complete iteration passes once over the instance's table of
/// process groups, which has at most twice as many entries as there were AVs at any one time, and
/// at least 4.
avrm_status_t avrm_av_next(const avrm_instance_t *instance, int32_t pgid, int32_t *pgid_p) AVRM_NOEXCEPT;

/// Attaches a user-defined pointer to an AV, for example the address of the MPI library's own
/// object for this world. It replaces the pointer that was attached before.
/// @param user    any value; null to detach
/// @param at_end  called once with `user` when the AV is freed and can no longer be found, to free
///                `user`; may be null. Not called for a pointer that was replaced. It runs under
///                the instance's lock and must not call the library.
/// @return AVRM_OK, AVRM_ERR_NULL (av), AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe. Cost: a lock; the first call for an AV also allocates a block of about 300 bytes
/// (AVRM_MEM_AV), which far addresses, further addresses and declared nodes also use.
avrm_status_t avrm_av_set_user(avrm_av_t *av, void *user, void (*at_end)(void *user)) AVRM_NOEXCEPT;

/// Returns the pointer of avrm_av_set_user, or null if there is none or av is null. Thread-safe,
/// lock-free.
void *avrm_av_user(const avrm_av_t *av) AVRM_NOEXCEPT;

/// Sets one element: connects a peer, changes its address, or, if the address word of *ave is 0,
/// disconnects it. Threads that concurrently translate a rank to this lpid read the old address
/// word, "not yet connected" or the new word, but never a mix, with one exception: where loading a
/// word takes two accesses (32-bit processors, and those that split loads of data aligned to 4
/// bytes), a reader may see a mix if the element is written three times during one read. The node
/// id is read separately and is written first. Writers of different elements need no coordination;
/// of two writers of the same element, the later one prevails.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID; AVRM_ERR_NO_MEMORY for an implicit AV that has to
///         extend its lists or make its table, and for any AV with further addresses (addresses.h);
///         AVRM_ERR_UNSUPPORTED for an implicit AV that has to make its table, if the pages or the
///         NUMA node of its options are not available; after an error nothing is changed
/// Thread-safe. Cost: a lock and a few stores, tens of nanoseconds, and O(k) if the process
/// has k further words without a declared rule (addresses.h). Disconnecting a UCX endpoint, or
/// replacing it by one whose upper 32 bits differ, also takes one process-wide memory barrier;
/// setting, replacing or disconnecting a libfabric address of 2^32 - 1 or more takes up to two;
/// changing an element takes up to one more if further addresses of the peer are computed from its
/// old word or stored in the table of further words. Each barrier is a system call that interrupts
/// the other threads of the process. An implicit AV makes its table once, in O(size).
avrm_status_t avrm_av_set(avrm_av_t *av, int32_t lpid, const avrm_ave_t *ave) AVRM_NOEXCEPT;

/// Sets the elements first .. first + count - 1, as `count` calls of avrm_av_set do, but with at
/// most as many memory barriers as one call.
/// @param count  0 or more; 0 changes nothing
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (negative count), AVRM_ERR_LPID,
///         AVRM_ERR_NO_MEMORY and AVRM_ERR_UNSUPPORTED as avrm_av_set; after an error nothing is
///         changed
/// Thread-safe. Cost: a lock, O(count).
avrm_status_t avrm_av_set_range(avrm_av_t *av, int32_t first, int32_t count, const avrm_ave_t *aves) AVRM_NOEXCEPT;

/// Sets one element as avrm_av_set does, but only if its address word is still `expected`;
/// otherwise writes nothing. If several threads connect the same peer, exactly one of them
/// succeeds, and the others receive its word.
///
/// Connect a peer, or return the word of a thread that was faster (tests/tour/address_vectors.c):
///
///   must(avrm_ofi_pack(insert(lpid), node, &ave));
///   must(avrm_av_set_if(av, lpid, 0, &ave, &found));
///   return found == 0 ? avrm_ave_word(&ave) : found; // found is 0 unless another thread was first
///
/// @param expected  an address word that was read before; 0 for "not yet connected"
/// @param found_p   receives the previous word; the element was written if this word equals
///                  `expected`
/// @return as avrm_av_set; after an error *found_p is unchanged
/// Thread-safe. Cost: that of avrm_av_set.
avrm_status_t avrm_av_set_if(avrm_av_t *av, int32_t lpid, uint64_t expected, const avrm_ave_t *ave,
                             uint64_t *found_p) AVRM_NOEXCEPT;

/// Declares the node ids of all processes, including those not set yet, for launchers that provide
/// them in advance. A block layout is one run, {0, 0, processes per node, 2^31 - 1}. Hierarchies
/// (hierarchy.h) of maps over this AV then read the runs instead of elements; the caller must
/// ensure that both agree. avrm_rankmap_node still reads elements.
/// @param count  number of runs, 1 .. 65,536; the first one begins at lpid 0, and each other one at
///               a greater lpid than the one before it
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (count, or nodes), AVRM_ERR_LPID (the `first`
///         fields of the runs do not start at 0, do not ascend, or are not all below the AV's
///         size), AVRM_ERR_BLOCK (block < 1), AVRM_ERR_RANGE (node ids below 0 or above 2^31 - 1),
///         AVRM_ERR_BUSY (nodes were declared before), AVRM_ERR_NO_MEMORY; after an error nothing
///         is changed
/// Thread-safe. Cost: O(count). Memory: 8 bytes and 24 per run, plus about 300 if the AV had no far
/// or further address, declaration or user pointer before.
avrm_status_t avrm_av_declare_nodes(avrm_av_t *av, int32_t count, const avrm_node_run_t *runs) AVRM_NOEXCEPT;

/// Makes the table of an implicit AV now, for code that reads elements in place (avrm_av_ave,
/// avrm_rankmap_ave). Does nothing if the AV has a table. Other threads may read concurrently.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (pages or NUMA node of
///         the options; nothing is changed)
/// Thread-safe. Cost: O(size).
avrm_status_t avrm_av_make_table(avrm_av_t *av) AVRM_NOEXCEPT;

/// Stores the network address of a far-side process (one of the local node, ave.h), whose element
/// has no room for it. The address is needed for active messages, fi_av_lookup, and windows without
/// shared memory. The addresses are in a table indexed by local rank. The address word contains the
/// local rank, so no search is needed.
/// @param local_rank  0 .. size-1: the one in the process's element (AVRM_FAR_LOCAL, AVRM_FAR_SELF)
/// @param address     fi_addr_t or ucp_ep_h, according to the AV's codec
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_ADDRESS_SENTINEL and
///         AVRM_ERR_ADDRESS_BIT as avrm_ave_pack, AVRM_ERR_NO_MEMORY (nothing is changed)
/// Thread-safe, even while other threads read; they find the old address or the new one. Cost: a
/// lock. Memory: the table consists of pieces for the local ranks 0 .. 7, 8 .. 15, 16 .. 31, 32 ..
/// 63 and so on; a piece takes 8 bytes per rank once one of its addresses is set. The first far or
/// further address, declaration or user pointer of an AV takes about 300 bytes more.
avrm_status_t avrm_av_set_far_address(avrm_av_t *av, uint32_t local_rank, uint64_t address) AVRM_NOEXCEPT;

/// Returns the network address of a far-side process.
/// @param local_rank  0 .. size-1
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK (local_rank is outside 0 .. size-1),
///         AVRM_ERR_NOT_NETWORK (no address was set)
/// Thread-safe, lock-free. Cost: O(1).
avrm_status_t avrm_av_far_address(const avrm_av_t *av, uint32_t local_rank, uint64_t *address_p) AVRM_NOEXCEPT;

/// Returns the network address of any process from its address word: the address in the word, or
/// the one set by avrm_av_set_far_address.
/// @param word  an address word of this AV
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_NETWORK (not connected, or no far address was set)
/// Thread-safe, lock-free. Cost: O(1).
avrm_status_t avrm_av_network_address(const avrm_av_t *av, uint64_t word, uint64_t *address_p) AVRM_NOEXCEPT;

/// Returns a copy of one element.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_LPID (not in 0 .. size-1)
/// Thread-safe, lock-free.
avrm_status_t avrm_av_get(const avrm_av_t *av, int32_t lpid, avrm_ave_t *ave_p) AVRM_NOEXCEPT;

/// Returns the bytes that an AV takes, including all its tables; 0 for null. Thread-safe.
uint64_t avrm_av_bytes(const avrm_av_t *av) AVRM_NOEXCEPT;

/// Describes an AV. While the AV is being filled, the numbers are not a consistent snapshot.
/// @return AVRM_OK, AVRM_ERR_NULL
/// Thread-safe.
avrm_status_t avrm_av_describe(const avrm_av_t *av, avrm_av_info_t *info_p) AVRM_NOEXCEPT;

/// Returns the element of an lpid, unchecked: lpid must be in 0 .. size-1, and the AV must have a
/// table. Thread-safe. Cost: 3 instructions, no branch.
AVRM_INLINE const avrm_ave_t *avrm_av_ave(const avrm_av_t *av, int32_t lpid) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/av_inl.h"

#endif
