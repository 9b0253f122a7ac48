// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rankmap: the function rank -> (pgid, lpid) of one communicator, stored in the form that suits it,
// and the inline translation from a rank to an address word (AV-Rankmap paper, IV-C).
//
//   mode      lpid of a rank                                   bytes in addition to the map's 56
//   direct    rank                                             0
//   offset    offset + rank                                    0
//   stride    offset + rank * stride, stride of either sign    0
//   blocked   offset + (rank / block) * stride + rank % block  0
//   lut       table[rank]                                      16 + 4 per rank
//   mlut      pair[rank].lpid, in process group                16 + 8 per rank
//             pgids[pair[rank].slot]                           + 16 per process group
//   segments  offset + (rank - first) * stride of the last     16 + 16 per segment
//             segment that begins at or before the rank, in    + 12 per process group,
//             the segment's process group                      + an index: at most 8 + 8 per
//                                                              segment, or 2 per segment if there
//                                                              are 64 or more
//   cart      offset + sum of coordinate * stride, in 2 to 8   8 + 16 per dimension except the
//             dimensions; the coordinates are the digits of    first
//             the rank in a mixed radix
//   less      that of the rank-th remaining rank of the base,  48 + 4 per removed rank (up to 6 if
//             which is a blocked map or a cart                 32 or more) + the cart's bytes
//
// A *less* map is another map, its *base*, less (that is, without) some of its ranks. It stores a
// list of the removed ranks; the remaining ranks keep their order.
//
// Maps with equal content share their tables and segments by reference count, unless the instance
// does not intern (instance.h). A duplicate always shares them, as well as the dimensions of a cart
// and the list of a less map. Less maps are created only by avrm_rankmap_create_without,
// avrm_group_excl, avrm_group_range_excl and avrm_group_difference.
//
// A rankmap is created, composed and queried without an address vector. Binding it to the AVs of
// its process groups is a separate step. It checks that every lpid is inside its AV, takes a
// reference on each AV, and precomputes the fields that the hot path reads.
//
// Create a map from an array of lpids (tests/tour/rankmaps.c):
//
//   const int32_t lpids[4] = {10, 7, 4, 1}; // a stride of -3: the array is not kept
//   must(avrm_rankmap_create_lpids(instance, world->pgid, 4, lpids, AVRM_RANKMAP_UNIQUE, &map));
//
// Look up the address of a rank once the map is bound (tests/tour/rankmaps.c):
//
//   const uint64_t word = avrm_rankmap_word(map, rank); // the hot path
//   if (avrm_ofi_is_network(word))
//     return avrm_ofi_address(word);
//
// Create the map of two ranks of a parent (tests/tour/rankmaps.c):
//
//   const int32_t parent_ranks[2] = {3, 2};
//   must(avrm_rankmap_create_child(parent, 2, parent_ranks, 0, &child));
//
// Translation reads the rankmap, then the table if there is one, then the AVE. It takes one to
// three branches on the map's class, and no lock, division or atomic operation. Direct, offset and
// stride (which are one affine case), lut and mlut are inline; all other forms, and maps over
// implicit AVs, take one function call.
//
// Over an implicit AV (av.h), binding stores the AV's line, the linear function from lpid to
// address word (line.h), in a map of any form except less, so that translation loads no AVE. Ranks
// that are exceptions to the line, for example ranks on the local node, are looked up in the AV.
//
// A child maps directly to (pgid, lpid) and does not refer to its parent. The cost of translation
// therefore does not depend on how many communicators lie between the map and the world.
//
// Thread-safety: a rankmap changes only in bind, unbind and destroy, which must not run
// concurrently with any other use of the same rankmap. Any number of threads may translate with it,
// create other maps from it, and bind maps that share its table. Maps may be created concurrently.
#ifndef AVRANKMAP_RANKMAP_H
#define AVRANKMAP_RANKMAP_H

#include "avrankmap/av.h"
#include "avrankmap/line.h"

AVRM_BEGIN_DECLS

/// X(name, label): the modes.
#define AVRM_MODE_LIST(X)                                                                                              \
  X(AVRM_MODE_DIRECT, "direct")                                                                                        \
  X(AVRM_MODE_OFFSET, "offset")                                                                                        \
  X(AVRM_MODE_STRIDE, "stride")                                                                                        \
  X(AVRM_MODE_BLOCKED, "blocked")                                                                                      \
  X(AVRM_MODE_LUT, "lut")                                                                                              \
  X(AVRM_MODE_MLUT, "mlut")                                                                                            \
  X(AVRM_MODE_SEGMENTS, "segments")                                                                                    \
  X(AVRM_MODE_CART, "cart")                                                                                            \
  X(AVRM_MODE_LESS, "less")

/// Form of a rankmap.
typedef enum avrm_mode {
#define AVRM_I_MODE_ENUM(name, label) name,
  AVRM_MODE_LIST(AVRM_I_MODE_ENUM)
#undef AVRM_I_MODE_ENUM
} avrm_mode_t;

/// A process: process group id and lpid.
typedef struct avrm_gpid {
  int32_t pgid;
  int32_t lpid;
} avrm_gpid_t;

/// X(name): the classes. A class is one case of the translation, given by the mode and the kind of
/// AV that the map is bound to; direct, offset and stride are one case. Each class has a row of
/// functions (src/component/rankmap/translate.cpp). rankmap_inl.h also inlines the first three.
#define AVRM_CLASS_LIST(X)                                                                                             \
  X(AVRM_CLASS_AFFINE) /* direct, offset, stride */                                                                    \
  X(AVRM_CLASS_LUT)                                                                                                    \
  X(AVRM_CLASS_MLUT)                                                                                                   \
  X(AVRM_CLASS_BLOCKED)                                                                                                \
  X(AVRM_CLASS_CART)                                                                                                   \
  X(AVRM_CLASS_SEGMENTS)                                                                                               \
  /* One class per form for maps bound to the lines (line.h) of implicit AVs (av.h). */                                \
  X(AVRM_CLASS_IMPLICIT) /* affine */                                                                                  \
  X(AVRM_CLASS_IMPLICIT_LUT)                                                                                           \
  X(AVRM_CLASS_IMPLICIT_MLUT)                                                                                          \
  X(AVRM_CLASS_IMPLICIT_BLOCKED)                                                                                       \
  X(AVRM_CLASS_IMPLICIT_CART)                                                                                          \
  X(AVRM_CLASS_IMPLICIT_SEGMENTS)                                                                                      \
  /* Look up lpids in the AV: less maps, and maps bound to an implicit AV without a line. */                           \
  X(AVRM_CLASS_THROUGH)

/// Class of a rankmap.
typedef enum avrm_class {
#define AVRM_I_CLASS_ENUM(name) name,
  AVRM_CLASS_LIST(AVRM_I_CLASS_ENUM)
#undef AVRM_I_CLASS_ENUM
} avrm_class_t;

/// One entry of an mlut: an lpid, and its process group as an index into the table's list of
/// groups.
typedef struct avrm_pair {
  uint32_t lpid;
  uint32_t slot;
} avrm_pair_t;

/// One segment: the ranks from `first` up to, but not including, the next segment's first. lpid =
/// start + rank * stride, modulo 2^32.
typedef struct avrm_segment {
  uint32_t first;
  uint32_t start;
  uint32_t stride; ///< two's complement
  uint32_t slot;   ///< process group, as in a pair
} avrm_segment_t;

/// One dimension of a cart. Coordinates are computed from the last dimension down. For each
/// dimension, a running fraction (initially the rank) is multiplied by `factor`. The upper 64 bits
/// of the product are the coordinate, the lower 64 bits the fraction for the next dimension.
typedef struct avrm_cart {
  uint64_t factor; ///< last dimension: ceil(2^64 / ranks per coordinate); others: the extent
  /// lpid = offset + rank * stride + the sum of coordinate * step, modulo 2^32, with the map's
  /// offset and stride.
  uint64_t step;
} avrm_cart_t;

/// A rankmap: 56 bytes, in memory that the caller provides: in a communicator object, on a stack or
/// in an array. The fields are for the inline functions. Callers must not read or write them; to
/// inspect a map, use avrm_rankmap_describe. An all-zero struct is not a rankmap; destroying it is
/// a no-op.
///
/// A bound rankmap must not be moved. An unbound one may be moved by copying its bytes; the old
/// bytes must not be used or destroyed afterwards.
///
/// 8-byte alignment is sufficient. avrm_rankmap_word reads bytes 0 .. 23 of an affine map, lut or
/// mlut. They are in one cache line if the map begins at offset 40 or less within a line, and in
/// two otherwise.
typedef struct avrm_rankmap {
  uint8_t klass; ///< an avrm_class_t
  uint8_t mode;  ///< an avrm_mode_t
  uint8_t bound; ///< 1 while the map is bound
  int32_t size;  ///< number of ranks, 0 .. 2^31 - 1

  /// Target of the binding, by class; zero if the map is not bound.
  union {
    const char *base;        ///< affine: the AVE of rank 0
    uint64_t word;           ///< affine over an implicit AV: the address word of rank 0
    const avrm_ave_t *table; ///< other forms, one process group: the AV's table
    const avrm_line_t *line; ///< other forms over an implicit AV: its line
    /// mlut, segments: by slot, the AV's table, or its line if the AV is implicit (avrm_i_is_line).
    const avrm_ave_t *const *tables;
  } at;

  /// The map itself, by mode.
  union {
    struct { // direct, offset, stride
      /// Bytes from the AVE of one rank to the AVE of the next; if bound to a line, the difference
      /// between their address words.
      int64_t step;
      const avrm_line_t *line; ///< the line if bound to an implicit AV
      int32_t stride;          ///< lpids from one rank to the next
    } affine;
    struct {
      uint64_t reciprocal; ///< ceil(2^64 / block)
      int32_t stride;      ///< lpids from the first rank of a block to that of the next
      int32_t block;       ///< ranks per block
    } blocked;
    struct {
      const uint32_t *lpids; ///< by rank
      int32_t first;         ///< index of rank 0 in the table that the map shares
    } lut;
    struct {
      const avrm_pair_t *pairs; ///< by rank
      const int32_t *pgids;     ///< by slot
      int32_t first;            ///< index of rank 0 in the table that the map shares
    } mlut;
    struct {
      /// For each stretch of ranks, the position of its first segment, in bytes from here. The
      /// segments follow.
      const uint32_t *rank_index;
      const int32_t *pgids; ///< by slot
      int32_t count;        ///< number of segments
      uint8_t shift;        ///< a stretch has 2^shift ranks
      bool searched;        ///< some stretch overlaps more than two segments
    } segments;
    struct {
      const avrm_cart_t *dimensions; ///< all except the first, beginning with the last
      int32_t count;                 ///< number of dimensions, the first included
      int32_t stride;                ///< lpids per step of the first dimension, modulo 2^32
      int32_t max_lpid;              ///< the greatest lpid of the map
    } cart;
    struct avrm_less *less; ///< the list of removed ranks; internal
  } as;

  int32_t pgid;              ///< process group; -1 if there are several, or none
  int32_t offset;            ///< direct .. blocked, cart: lpid of rank 0; otherwise 0
  avrm_instance_t *instance; ///< where it was created; null if this is not a rankmap
} avrm_rankmap_t;

static_assert(sizeof(void *) != 8 || sizeof(avrm_rankmap_t) == 56, "a rankmap takes 56 bytes on 64-bit processors");

/// Description of a rankmap, for diagnostics and tools.
typedef struct avrm_rankmap_info {
  avrm_mode_t mode;
  int32_t size;
  int32_t pgid;       ///< -1 if there are several, or none
  int32_t offset;     ///< direct .. blocked: lpid of rank 0; otherwise 0
  int32_t stride;     ///< direct .. blocked: stride; otherwise 0
  int32_t block;      ///< blocked: ranks per block; direct .. stride: 1; otherwise 0
  int32_t segments;   ///< segments: number of segments; otherwise 0
  int32_t dimensions; ///< cart and the base of a less map: 2 .. 8 (2 if the base is blocked);
                      ///< otherwise 0
  int32_t removed;    ///< less: number of ranks removed from the base; otherwise 0
  /// For each dimension of the cart or base: its number of coordinates, and the lpids per step. The
  /// dimension that varies fastest comes first, and the last one may end in an incomplete step.
  /// Entries from index `dimensions` on are 0.
  int32_t extents[8];
  int64_t strides[8];
  /// Number of process groups in the whole table or list of segments, if the map has either;
  /// otherwise 1, or 0 if the map is empty.
  int32_t process_groups;
  bool bound;  ///< bound to its AVs
  bool folded; ///< bound to implicit AVs, and looks up only exceptions in them
  /// Entries of its table; more than `size` if the map uses only part of a table. 0 if it has no
  /// table with an entry per rank.
  int32_t table_entries;
  /// Number of rankmaps, including this one, that share the table, segments, dimensions or list of
  /// removed ranks; 0 if the map has none of these.
  uint32_t table_sharers;
  uint64_t own_bytes;   ///< bytes of the rankmap itself
  uint64_t table_bytes; ///< bytes of the shared data to which table_sharers refers
  /// Bytes of its inverse (inverse.h), shared by all maps that share the table, as counted in
  /// AVRM_MEM_CACHE. 0 until a call has built the inverse, and for forms whose inverse takes no
  /// memory.
  uint64_t inverse_bytes;
} avrm_rankmap_info_t;

/// Flags for the creation of rankmaps.
typedef enum avrm_rankmap_flags {
  AVRM_RANKMAP_DEFAULT = 0, ///< no flag
  /// Return AVRM_ERR_DUPLICATE for a map in which a process occurs twice, which groups and
  /// communicators do not allow. Regular maps are checked by arithmetic, as are carts whose strides
  /// prove that no process occurs twice. A table of n ranks costs O(n) time and one bit of scratch
  /// per lpid, or a sort if the bits would take more memory. Segments cost 16 bytes of scratch
  /// each. If there is more than one segment for every 4,096 lpids or so, or if the lpid ranges of
  /// segments overlap, they also cost one bit per lpid or a sort of all ranks.
  AVRM_RANKMAP_UNIQUE = 1,
} avrm_rankmap_flags_t;

/// Returns the process of a rank.
typedef avrm_gpid_t (*avrm_rankmap_process_t)(void *context, int32_t rank);

// ------------------------------------------------------------------------------------------------
// Creation. Each function initialises *map_p, whose previous content is irrelevant; after an error
// *map_p is unchanged. map_p must not be one of the parents.
//
// In addition to the errors named for each function, they may return AVRM_ERR_NULL (a null array is
// an error only if its size is not 0), AVRM_ERR_SIZE (a negative size or count),
// AVRM_ERR_NO_MEMORY, AVRM_ERR_OPTION (an unknown flag), AVRM_ERR_PGID_UNKNOWN (a negative pgid)
// and, with AVRM_RANKMAP_UNIQUE, AVRM_ERR_DUPLICATE. avrm_rankmap_bind checks whether the process
// groups exist. A map of size 0 has mode direct and no process group.
//
// A map that is direct, offset, stride or blocked has the simplest of these modes: a stride of 1
// becomes an offset, an offset of 0 becomes direct, and blocks whose length equals the stride
// become an offset. The mode of any other map depends on the instance's cost class (instance.h). By
// default it is lut or mlut unless a slower form saves at least a page. With AVRM_COST_BYTES it is
// that of the smallest form, with AVRM_COST_SPEED always lut or mlut.
//
// Cost: O(1) for functions without an array, unless stated otherwise. Direct, offset, stride and
// blocked maps take no memory; others take one block of kind AVRM_MEM_LUT, AVRM_MEM_MLUT,
// AVRM_MEM_SEGMENTS or, for a cart or a less map, AVRM_MEM_RANKMAP. All functions are thread-safe.
// ------------------------------------------------------------------------------------------------

/// Creates the map lpid = rank.
/// @param size  number of ranks, 0 .. 2^31 - 1, here and below
avrm_status_t avrm_rankmap_create_direct(avrm_instance_t *instance, int32_t pgid, int32_t size,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates the map lpid = offset + rank.
/// @return also AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 - 2)
avrm_status_t avrm_rankmap_create_offset(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates the map lpid = offset + rank * stride.
/// @return also AVRM_ERR_STRIDE (stride is 0), AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 - 2)
avrm_status_t avrm_rankmap_create_stride(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                         int32_t stride, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates the map lpid = offset + (rank / block) * stride + rank % block.
/// @return also AVRM_ERR_STRIDE (stride is 0), AVRM_ERR_BLOCK (block < 1), AVRM_ERR_OVERFLOW (an
///         lpid outside 0 .. 2^31 - 2)
avrm_status_t avrm_rankmap_create_blocked(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                          int32_t stride, int32_t block, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a map from an array of lpids, indexed by rank. Detects the pattern: affine and blocked
/// maps keep no table; any other map has the form that the instance's cost class prefers. The array
/// is only read, and may be freed after the call.
/// @return also AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 - 2)
/// Cost: O(size); one pass over the array if the map is affine or blocked.
avrm_status_t avrm_rankmap_create_lpids(avrm_instance_t *instance, int32_t pgid, int32_t size, const int32_t *lpids,
                                        unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a map from an array of (pgid, lpid) pairs, indexed by rank. Detects the pattern as
/// avrm_rankmap_create_lpids does. The array is only read, and may be freed after the call.
/// @return also AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 - 2), AVRM_ERR_PGID_UNKNOWN (a
///         negative pgid)
/// Cost: O(size).
avrm_status_t avrm_rankmap_create_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                        unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a map from a function that returns the process of each rank. The function is called once
/// for each rank, in order, and not again after it has returned an invalid process. To report a
/// failure, it returns a negative pgid. Detects the pattern as avrm_rankmap_create_gpids does, and
/// creates the same map.
/// @param process  must not be null, and must not throw
/// @param context  passed to `process`
/// @return also AVRM_ERR_OVERFLOW (an lpid outside 0 .. 2^31 - 2), AVRM_ERR_PGID_UNKNOWN (a
///         negative pgid)
/// Cost: O(size). Scratch memory: none if the ranks follow one formula (affine, blocked or cart);
/// about 40 bytes per segment if segments have 32 or more ranks on average; otherwise 8 bytes per
/// rank, and up to 2 more per rank for a list of segments.
avrm_status_t avrm_rankmap_create_function(avrm_instance_t *instance, int32_t size, avrm_rankmap_process_t process,
                                           void *context, unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Duplicates a rankmap. The duplicate shares the table and is not bound. Cost: O(1).
avrm_status_t avrm_rankmap_dup(const avrm_rankmap_t *map, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a child of one parent from an indirect mapping array: rank r of the child is rank
/// parent_ranks[r] of the parent. Detects the pattern of the array and composes it with the
/// parent's mode, by a closed form or, in a strict instance, by Table II of the paper. A result
/// that would be a table is first scanned for an affine or blocked form; if it has one, that is
/// used. Otherwise the cost class decides between the table, a cart and segments. A child that is a
/// contiguous range of a parent with a table shares that table (Table II, footnote a).
/// @return also AVRM_ERR_RANK (an entry is not a rank of the parent)
/// Cost: O(size); one pass over the array if it is affine or blocked and composes with the parent
/// by a closed form.
avrm_status_t avrm_rankmap_create_child(const avrm_rankmap_t *parent, int32_t size, const int32_t *parent_ranks,
                                        unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a child of one parent from parameters: rank r of the child is rank offset + (r / block)
/// * stride + r % block of the parent. For example, offset = size - 1, stride = -1, block = 1
/// reverses the parent.
/// @return also AVRM_ERR_STRIDE (stride is 0), AVRM_ERR_BLOCK (block < 1), AVRM_ERR_RANK (the
///         formula yields a number that is not a rank of the parent)
/// Cost: O(1) if the result is a closed form or a contiguous part of the parent's table; otherwise
/// O(size) if the parent or the result is a table, and O(n) if neither is, where n is the number of
/// the parent's blocks, rows or segments from which the child takes ranks.
avrm_status_t avrm_rankmap_create_child_regular(const avrm_rankmap_t *parent, int32_t size, int32_t offset,
                                                int32_t stride, int32_t block, unsigned flags,
                                                avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a child that has all ranks of the parent except some; the remaining ranks keep their
/// order. A blocked map, a cart or a less map yields a less map if that saves as much as the
/// instance's cost class demands, compared with the best other form for the same ranks; the child
/// is never larger than that form. Removed ranks at the end are not listed: the base becomes
/// shorter instead. The same applies to removed ranks at the start that fill whole blocks or, in a
/// cart, whole steps of the last dimension. A less map made from another refers to the same base. A
/// less map also requires that the strides of the base prove that no process occurs twice; that the
/// shortened base is longer than one block or, in a cart, one step of the last dimension; and that
/// the ranks in the list do not outnumber those that remain.
/// @param count  number of ranks to remove
/// @param ranks  the ranks to remove, in any order, each once
/// @return also AVRM_ERR_RANK (not a rank of the parent), AVRM_ERR_DUPLICATE (a rank is listed
///         twice)
/// Cost: for a less map with k removed ranks, O(k) memory and O(k log k) time, or O(k) time if
/// `ranks` is in ascending order. For any other result, one pass over the parent's segments, blocks
/// or rows of a cart, or in the worst case over its ranks.
avrm_status_t avrm_rankmap_create_without(const avrm_rankmap_t *parent, int32_t count, const int32_t *ranks,
                                          unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates a child of several parents: rank r of the child is rank ranks[r] of parents[which[r]].
/// @param count  number of parents, at least 1
/// @return also AVRM_ERR_SIZE (count < 1), AVRM_ERR_INSTANCE (the parents belong to
///         different instances), AVRM_ERR_RANK (an entry of `which` or `ranks` is out of range)
/// Cost: O(size).
avrm_status_t avrm_rankmap_create_merged(int32_t count, const avrm_rankmap_t *const *parents, int32_t size,
                                         const int32_t *which, const int32_t *ranks, unsigned flags,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Creates the concatenation of several parents, as MPI_Intercomm_merge does.
/// @param count  number of parents, at least 1
/// @return also AVRM_ERR_SIZE (count < 1), AVRM_ERR_INSTANCE (the parents belong to
///         different instances), AVRM_ERR_LIMIT (more than 2^31 - 1 ranks)
/// Cost: O(count) if the result is affine or blocked; otherwise O(blocks, rows or segments of the
/// parents), or O(size) if a parent or the result has a table.
avrm_status_t avrm_rankmap_create_concat(int32_t count, const avrm_rankmap_t *const *parents, unsigned flags,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Destroys a rankmap, and unbinds it first if it is bound. A shared table is freed with the last
/// rankmap that uses it. The bytes of the rankmap become zero, so that destroying it again is a
/// no-op, as is destroying null.
void avrm_rankmap_destroy(avrm_rankmap_t *map) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Binding
// ------------------------------------------------------------------------------------------------

/// Binds a rankmap to the AVs of its process groups. These AVs are kept until the rankmap is
/// unbound; until then the rankmap must not be moved. Binding also succeeds while an implicit AV
/// has no line; translation then looks up each lpid in its AV, and avrm_rankmap_describe returns
/// `folded` as false, until the map is unbound and bound again.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_ALREADY_BOUND, AVRM_ERR_PGID_UNKNOWN,
///         AVRM_ERR_PGID_RELEASED, AVRM_ERR_LPID (an lpid outside its AV)
/// Cost: a lock, O(process groups), and for a segments map O(segments) per 1,024 groups, rounded
/// up. A map that uses only part of a shared table may cost more: for part of an mlut, O(size) per
/// 1,024 groups of the table, rounded up; for part of a lut, O(size) if an lpid elsewhere in the
/// table is outside the AV.
avrm_status_t avrm_rankmap_bind(avrm_rankmap_t *map) AVRM_NOEXCEPT;

/// Unbinds a rankmap from its AVs. A released AV is freed when its last binding or hold ends.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND
/// Cost: that of avrm_rankmap_bind.
avrm_status_t avrm_rankmap_unbind(avrm_rankmap_t *map) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Translation, hot path. Arguments are not checked: the map must be bound (except for
// avrm_rankmap_gpid, avrm_rankmap_lpid and avrm_rankmap_size), and rank must be in 0 .. size-1.
// Thread-safe, lock-free.
//
// Affine maps, luts and mluts are translated inline; all others by one call through a table of
// functions. Each use adds at most 168 bytes to the caller's code.
// ------------------------------------------------------------------------------------------------

/// Returns the address word of a rank, to be tested and decoded by the functions of the transport's
/// codec (ave.h).
AVRM_INLINE uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Returns the AVE of a rank, which holds its address and its node id. Returns null while the
/// rank's AV is implicit; use avrm_rankmap_word and avrm_rankmap_node instead.
AVRM_INLINE const avrm_ave_t *avrm_rankmap_ave(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Returns the node id of a rank.
AVRM_INLINE uint32_t avrm_rankmap_node(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Returns the process of a rank. The map need not be bound.
AVRM_INLINE avrm_gpid_t avrm_rankmap_gpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Returns the lpid of a rank in its process group. For maps of one process group, whose pgid the
/// caller knows, this is cheaper than avrm_rankmap_gpid. The map need not be bound.
AVRM_INLINE int32_t avrm_rankmap_lpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Returns the number of ranks.
AVRM_INLINE int32_t avrm_rankmap_size(const avrm_rankmap_t *map) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Translation, checked and in bulk. Thread-safe.
// ------------------------------------------------------------------------------------------------

/// Returns the address word of a rank, as avrm_rankmap_word does, in *word_p.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (not in 0 .. size-1)
avrm_status_t avrm_rankmap_word_checked(const avrm_rankmap_t *map, int32_t rank, uint64_t *word_p) AVRM_NOEXCEPT;
/// Returns the AVE of a rank in *ave_p.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (not in 0 .. size-1),
///         AVRM_ERR_UNSUPPORTED (the AV is implicit and has no AVEs)
avrm_status_t avrm_rankmap_ave_checked(const avrm_rankmap_t *map, int32_t rank, const avrm_ave_t **ave_p) AVRM_NOEXCEPT;
/// Returns the process of a rank in *gpid_p. The map need not be bound.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK (not in 0 .. size-1)
avrm_status_t avrm_rankmap_gpid_checked(const avrm_rankmap_t *map, int32_t rank, avrm_gpid_t *gpid_p) AVRM_NOEXCEPT;

/// Returns the address words of `count` ranks, which may be in any order and may repeat. The arrays
/// must not overlap; they may be null if count is 0.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (nothing is written)
/// Cost: O(count), or O(count log n) for n segments or removed ranks. The class of the map is
/// tested once, not for each rank, unless an implicit AV has no line. AVEs are prefetched for a
/// segments map of at least 65,536 ranks.
avrm_status_t avrm_rankmap_words(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 uint64_t *words) AVRM_NOEXCEPT;

/// Returns the processes of `count` ranks, which may be in any order and may repeat. The map need
/// not be bound. The arrays must not overlap; they may be null if count is 0.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK (nothing is written)
/// Cost: that of avrm_rankmap_words.
avrm_status_t avrm_rankmap_gpids(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 avrm_gpid_t *gpids) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Introspection. Thread-safe.
// ------------------------------------------------------------------------------------------------

/// Returns the label of a mode, for example "stride", or "?" for any other value. The string is a
/// constant.
const char *avrm_mode_label(avrm_mode_t mode) AVRM_NOEXCEPT;

/// Describes a rankmap. Builds no inverse. May run while another thread builds or drops the
/// inverse.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_rankmap_describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info_p) AVRM_NOEXCEPT;

/// Returns the process groups of a map's ranks, each once, in no particular order. For a map that
/// uses only part of a shared table, only the groups of its own ranks are returned.
/// @param room     capacity of `pgids`; 0 to query the number only
/// @param pgids    receives at most `room` pgids; may be null if room is 0
/// @param count_p  receives the number of process groups, which may exceed room
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (room is negative)
/// Cost: O(process groups); for part of a shared table O(size) per 1,024 groups of the table.
avrm_status_t avrm_rankmap_pgids(const avrm_rankmap_t *map, int32_t room, int32_t *pgids,
                                 int32_t *count_p) AVRM_NOEXCEPT;

/// Returns the AV of a rank of a bound map in *av_p, even after the AV was released and
/// avrm_av_find no longer finds it. The result is borrowed: it is valid while the map is bound.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (not in 0 .. size-1)
/// Lock-free. Cost: that of avrm_rankmap_gpid, and two loads.
avrm_status_t avrm_rankmap_av(const avrm_rankmap_t *map, int32_t rank, avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Checks whether a rankmap is consistent: ranges, mode against parameters, class against mode,
/// table header against entries, binding. Cost: O(size).
/// @param reason_p  receives a constant string that describes the violation, or null if the map is
///                  valid; may itself be null
/// @return true if the map is valid
bool avrm_rankmap_validate(const avrm_rankmap_t *map, const char **reason_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/rankmap_inl.h"

#endif
