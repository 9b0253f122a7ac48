// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Rankmap: the function rank -> (pgid, lpid) of one communicator in one of its forms, and
// the inline translation from a rank to an address (AV-Rankmap paper, IV-C).
//
//   mode      lpid of a rank                                   bytes, beside the 56 of the rankmap
//   direct    rank                                             0
//   offset    offset + rank                                    0
//   stride    offset + rank * stride, stride of any sign       0
//   blocked   offset + (rank / block) * stride + rank % block  0
//   lut       table[rank]                                      16 + 4 per rank
//   mlut      pair[rank].lpid, in process group                16 + 8 per rank
//             pair[rank].pgid                                  + 16 per process group
//   segments  offset + (rank - first) * stride of the last     16 + 16 per segment
//             segment that begins at or before the rank, in    + 12 per process group,
//             its process group                                + 8 + 8 per segment at most,
//                                                              2 from 64 on (a directory)
//   cart      offset + sum of coordinate * stride, in 2 to 8   8 + 16 per dimension but the first
//             dimensions, the rank counting them in mixed
//             radix
//   less      that of the rank in a blocked map or a cart,   80 + 4 per removed rank, 6 if many,
//             some of whose ranks are removed                + the cart's
//
// Maps of equal content share their tables and segments by reference count; a dup of a cart shares
// its dimensions, that of a less its list. A less is made by avrm_rankmap_create_without only.
//
// A rankmap is pure integers: it is created, composed and queried without any address vector.
// Binding it to the address vectors of its process groups is one separate step. Binding checks that
// every lpid lies inside its AV, takes a reference on each AV, and folds AV base, offset and the
// 12-byte scale into the fields of the hot path. Direct, offset and stride become one case: base +
// rank * step.
//
// A map from an array of lpids (tests/tour/rankmaps.c):
//
//   const int32_t lpids[4] = {10, 7, 4, 1}; // a stride of -3: the array is not kept
//   must(avrm_rankmap_create_lpids(instance, world->pgid, 4, lpids, AVRM_RANKMAP_UNIQUE, &map));
//
// The address of a rank, once the map is bound (tests/tour/rankmaps.c):
//
//   const uint64_t word = avrm_rankmap_word(map, rank); // the hot path
//   if (avrm_ofi_is_network(word))
//     return avrm_ofi_address(word);
//
// The map of two of its ranks (tests/tour/rankmaps.c):
//
//   const int32_t parent_ranks[2] = {3, 2};
//   must(avrm_rankmap_create_child(parent, 2, parent_ranks, 0, &child));
//
// The hot path reads the rankmap, then the table if there is one, then the AVE. It has one dispatch
// on the map's class and no lock, division or atomic. Direct, offset and stride (one affine case),
// lut and mlut are inline; other forms, and maps over implicit AVs, take a call of a function of
// the form.
//
// With an implicit AV (av.h) a map of any form but less has the AV's line (line.h) folded in when
// it is bound, and loads no AVE. Ranks that are exceptions of the line, as those of the own node,
// ask the AV.
//
// Thread-safety: a rankmap is immutable but for bind, unbind and destroy, which must not overlap
// any other use of the same rankmap. Any number of threads may translate through it, create others
// from it, and bind others that share its table. Several threads may create maps at once.
//
// Composition never deepens translation: a child is a map to (pgid, lpid), not to its parent.
#ifndef AVRANKMAP_RANKMAP_H
#define AVRANKMAP_RANKMAP_H

#include "avrankmap/av.h"
#include "avrankmap/line.h"

AVRM_BEGIN_DECLS

// X(name, label): the modes.
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

// X(name): the classes. A class is a case of the translation: a mode, or several that translate
// alike, and what the map is bound to. rankmap_inl.h has the first three inline; each of the others
// has a row of functions (src/rankmap/translate.cpp).
#define AVRM_CLASS_LIST(X)                                                                                             \
  X(AVRM_CLASS_AFFINE) /* direct, offset, stride */                                                                    \
  X(AVRM_CLASS_LUT)                                                                                                    \
  X(AVRM_CLASS_MLUT)                                                                                                   \
  X(AVRM_CLASS_BLOCKED)                                                                                                \
  X(AVRM_CLASS_CART)                                                                                                   \
  X(AVRM_CLASS_SEGMENTS)                                                                                               \
  /* The same, bound to implicit AVs (av.h), whose lines (line.h) the map has. */                                      \
  X(AVRM_CLASS_IMPLICIT) /* affine */                                                                                  \
  X(AVRM_CLASS_IMPLICIT_LUT)                                                                                           \
  X(AVRM_CLASS_IMPLICIT_MLUT)                                                                                          \
  X(AVRM_CLASS_IMPLICIT_BLOCKED)                                                                                       \
  X(AVRM_CLASS_IMPLICIT_CART)                                                                                          \
  X(AVRM_CLASS_IMPLICIT_SEGMENTS)                                                                                      \
  /* Asks the AV by lpid: a less, and maps bound to an implicit AV that has no line. */                                \
  X(AVRM_CLASS_THROUGH)

typedef enum avrm_class {
#define AVRM_I_CLASS_ENUM(name) name,
  AVRM_CLASS_LIST(AVRM_I_CLASS_ENUM)
#undef AVRM_I_CLASS_ENUM
} avrm_class_t;

/// One pair of an mlut: the process group as an index into the table's list of groups.
typedef struct avrm_pair {
  uint32_t lpid;
  uint32_t slot;
} avrm_pair_t;

/// One segment: the ranks from `first` up to the next segment's first. lpid = start + rank * stride
/// modulo 2^32.
typedef struct avrm_segment {
  uint32_t first;
  uint32_t start;
  uint32_t stride; ///< two's complement
  uint32_t slot;   ///< process group, as in a pair
} avrm_segment_t;

/// One dimension of a cart. From the last dimension down, factor times the remaining fraction of
/// the rank is this coordinate, and a fraction for the next dimension.
typedef struct avrm_cart {
  uint64_t factor; ///< last dimension: ceil(2^64 / ranks per step of it); others: the extent
  /// lpids that each step of the coordinate adds to rank * stride of the map, modulo 2^64.
  uint64_t step;
} avrm_cart_t;

/// A rankmap: 56 bytes, which lie where its owner wants them: in a communicator object, on a stack,
/// in an array. The fields are for the inline functions; callers must not read or write them and
/// use avrm_rankmap_describe. Zero bytes are no rankmap; to destroy them does nothing.
///
/// A bound rankmap must stay where it is, since its AVs may know its address. Any other may be
/// moved as bytes, after which the old bytes are no rankmap any more.
///
/// An alignment of 8 is enough. Affine, lut and mlut translations read bytes 0 .. 23 of the map. So
/// a map that begins in the first 40 bytes of a cache line costs one line; anywhere else it costs
/// two.
typedef struct avrm_rankmap {
  uint8_t klass; ///< avrm_class_t
  uint8_t mode;  ///< avrm_mode_t
  uint8_t bound; ///< 1 between bind and unbind
  int32_t size;  ///< number of ranks, 0 .. 2^31 - 1

  /// What a map is bound to, by class; zero if it is not bound.
  union {
    const char *base;        ///< affine: the AVE of rank 0
    uint64_t word;           ///< affine, with an implicit AV: the address word of rank 0
    const avrm_ave_t *table; ///< others of one process group: the AV's table
    const avrm_line_t *line; ///< the same with an implicit AV: its line
    /// mlut, segments: by slot, the AV's table or, if it is implicit, its line (avrm_i_is_line).
    const avrm_ave_t *const *tables;
  } at;

  /// The map itself, by mode.
  union {
    struct { // direct, offset, stride
      /// From a rank's AVE to the next one's, in bytes; bound to a line, from word to word.
      int64_t step;
      const avrm_line_t *line; ///< if bound to an implicit AV
      int32_t stride;          ///< lpids from a rank to the next
    } affine;
    struct {
      uint64_t reciprocal; ///< ceil(2^64 / block)
      int32_t stride;      ///< lpids from a block's first rank to the next one's
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
      /// Places of segments by stretch, in bytes from here; then the segments.
      const uint32_t *rank_index;
      const int32_t *pgids; ///< by slot
      int32_t count;        ///< number of segments
      uint8_t shift;        ///< a stretch has 2^shift ranks
      bool searched;        ///< some stretch has parts of more than two segments
    } segments;
    struct {
      const avrm_cart_t *dimensions; ///< all but the first, the last one first
      int32_t count;                 ///< number of dimensions, the first included
      int32_t stride;                ///< lpids per step of the first dimension, modulo 2^32
      int32_t max_lpid;              ///< the greatest lpid
    } cart;
    struct avrm_less *less; ///< its list, of the library
  } as;

  int32_t pgid;              ///< process group; -1 if there are several or none
  int32_t offset;            ///< direct to blocked, cart: lpid of rank 0; others: 0
  avrm_instance_t *instance; ///< where it was created; null: no rankmap
} avrm_rankmap_t;

static_assert(sizeof(void *) != 8 || sizeof(avrm_rankmap_t) == 56, "a rankmap of 64 bits has 56 bytes");

/// Description of a rankmap, for people and tools.
typedef struct avrm_rankmap_info {
  avrm_mode_t mode;
  int32_t size;
  int32_t pgid;       ///< -1 if there are several
  int32_t offset;     ///< lpid of rank 0; 0 for other maps than direct .. blocked
  int32_t stride;     ///< 0 for other maps
  int32_t block;      ///< 1 but for blocked; 0 for other maps
  int32_t segments;   ///< number of segments; 0 but for segments
  int32_t dimensions; ///< 2 .. 8 for cart and the base of a less (2 if that is blocked), else 0
  int32_t removed;    ///< number of ranks removed from the base; 0 but for less
  /// Of these dimensions, the one that counts fastest first: number of coordinates, the last one of
  /// which may be short of ranks, and lpids per step. 0 without dimensions.
  int32_t extents[8];
  int64_t strides[8];
  int32_t process_groups; ///< number of process groups of its table, 0 for an empty map
  bool bound;             ///< bound to its AVs
  bool folded;            ///< bound to implicit AVs, and calls them for exceptions only
  /// Entries of its table, more than its ranks for a part; 0 if it has no entry per rank.
  int32_t table_entries;
  /// Number of rankmaps that share the table or dimensions, this one included; 0 without.
  uint32_t table_sharers;
  uint64_t own_bytes;   ///< bytes of the rankmap itself
  uint64_t table_bytes; ///< bytes of its table or dimensions, which all sharers have together
  /// Bytes of its inverse (inverse.h), which all sharers of the table have together, as
  /// AVRM_MEM_CACHE counts them: 0 until a call has built one, and where none takes memory.
  uint64_t inverse_bytes;
} avrm_rankmap_info_t;

/// Flags of creation.
typedef enum avrm_rankmap_flags {
  AVRM_RANKMAP_DEFAULT = 0,
  /// Returns AVRM_ERR_DUPLICATE for a map in which a process occurs twice (groups and communicators
  /// forbid it). Regular maps are checked by arithmetic, and carts if it shows that they
  /// have no process twice. Tables cost O(n) time and one bit per lpid of scratch, or a sort where
  /// that would be more. Segments cost 16 bytes of scratch each, and a bit per lpid or a sort.
  AVRM_RANKMAP_UNIQUE = 1,
} avrm_rankmap_flags_t;

// ------------------------------------------------------------------------------------------------
// Creation. Each function fills in a rankmap that the caller has the memory of, whatever its bytes
// are, and writes nothing there if it returns an error; map_p must not be one of the parents. It
// returns AVRM_ERR_NULL (for an array only if its size is not 0), AVRM_ERR_SIZE (negative) and
// AVRM_ERR_NO_MEMORY where they apply, AVRM_ERR_OPTION for an unknown flag, AVRM_ERR_DUPLICATE with
// AVRM_RANKMAP_UNIQUE. pgid is any number from 0, else AVRM_ERR_PGID_UNKNOWN; binding checks
// whether there is such a process group. A map of size 0 is direct and of no process group.
//
// The mode is the simplest that holds: a stride of 1 is an offset, an offset of 0 is direct, a
// block of the stride's length is an offset. Any other map takes the form that the instance's cost
// class asks for (instance.h): by default a lut or mlut unless a slower form saves a page; with
// AVRM_COST_BYTES the smallest, with AVRM_COST_SPEED always a lut or mlut. Cost: O(1) unless an
// array goes in; no memory for direct, offset, stride and blocked, else one block of AVRM_MEM_LUT,
// AVRM_MEM_MLUT, AVRM_MEM_SEGMENTS or, for a cart, AVRM_MEM_RANKMAP.
// ------------------------------------------------------------------------------------------------

/// lpid = rank.
avrm_status_t avrm_rankmap_create_direct(avrm_instance_t *instance, int32_t pgid, int32_t size,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// lpid = offset + rank. AVRM_ERR_OVERFLOW if an lpid would leave 0 .. 2^31 - 2.
avrm_status_t avrm_rankmap_create_offset(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// lpid = offset + rank * stride. AVRM_ERR_STRIDE (0), AVRM_ERR_OVERFLOW.
avrm_status_t avrm_rankmap_create_stride(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                         int32_t stride, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// lpid = offset + (rank / block) * stride + rank % block. AVRM_ERR_STRIDE, AVRM_ERR_BLOCK (< 1),
/// AVRM_ERR_OVERFLOW.
avrm_status_t avrm_rankmap_create_blocked(avrm_instance_t *instance, int32_t pgid, int32_t size, int32_t offset,
                                          int32_t stride, int32_t block, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// From a plain table of lpids, which is only read: detects the pattern, keeps a table only if
/// there is none. AVRM_ERR_OVERFLOW if an lpid is negative or 2^31 - 1. Cost: one pass over the
/// array, and a copy if irregular.
avrm_status_t avrm_rankmap_create_lpids(avrm_instance_t *instance, int32_t pgid, int32_t size, const int32_t *lpids,
                                        unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// From a plain table of (pgid, lpid) pairs, which is only read. AVRM_ERR_OVERFLOW if an lpid is
/// negative or 2^31 - 1, AVRM_ERR_PGID_UNKNOWN if a pgid is negative.
avrm_status_t avrm_rankmap_create_gpids(avrm_instance_t *instance, int32_t size, const avrm_gpid_t *gpids,
                                        unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// A second rankmap of the same mapping; shares the table. Not bound. Cost: O(1).
avrm_status_t avrm_rankmap_dup(const avrm_rankmap_t *map, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Child of one parent from an indirect mapping array: rank r of the child is rank parent_ranks[r]
/// of the parent. Detects the array's pattern, composes it with the parent's mode by the paper's
/// Table II (strict) or a closed form, and reduces an irregular result to a regular mode if it is
/// one. A child that takes a contiguous part of a parent with a table shares the parent's table
/// (Table II, footnote a).
/// AVRM_ERR_RANK if an entry is outside the parent. Cost: one pass over the array; one more over a
/// new table.
avrm_status_t avrm_rankmap_create_child(const avrm_rankmap_t *parent, int32_t size, const int32_t *parent_ranks,
                                        unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// The same when the caller knows the pattern: rank r of the child is rank offset + (r / block) *
/// stride + r % block of the parent. Reads no array, and writes none if there is a closed form.
/// Reversal is offset = size - 1, stride = -1, block = 1. AVRM_ERR_STRIDE, AVRM_ERR_BLOCK,
/// AVRM_ERR_RANK.
avrm_status_t avrm_rankmap_create_child_regular(const avrm_rankmap_t *parent, int32_t size, int32_t offset,
                                                int32_t stride, int32_t block, unsigned flags,
                                                avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// The parent without some of its ranks; the others keep their order. Removed ranks at the ends
/// shorten the parent. Of one that is blocked, a cart or a less, the rest is a less where that
/// saves what the instance's cost class asks for: a less of a less is one of its base. A less is
/// never made of another form, of a parent with a process at two ranks, of one block or one step of
/// the last dimension, nor where more ranks are removed between the ends than remain.
/// @param count  number of ranks to remove
/// @param ranks  the ranks, each once, in any order: AVRM_ERR_RANK, AVRM_ERR_DUPLICATE
/// Cost: O(k) if a less is made, for k removed ranks in all, O(k log k) if `ranks` is not in order;
/// else that of a pass over the parent's segments, blocks or rows, at worst over its ranks.
avrm_status_t avrm_rankmap_create_without(const avrm_rankmap_t *parent, int32_t count, const int32_t *ranks,
                                          unsigned flags, avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Child of several parents: rank r of the child is rank ranks[r] of parents[which[r]].
/// @param count  number of parents, at least 1, all of one instance (else AVRM_ERR_INSTANCE)
/// AVRM_ERR_RANK if an entry of `which` or `ranks` is out of range.
avrm_status_t avrm_rankmap_create_merged(int32_t count, const avrm_rankmap_t *const *parents, int32_t size,
                                         const int32_t *which, const int32_t *ranks, unsigned flags,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Child of several parents, one after the other, as MPI_Intercomm_merge makes it. AVRM_ERR_LIMIT
/// if the sizes add up to more than 2^31 - 1.
avrm_status_t avrm_rankmap_create_concat(int32_t count, const avrm_rankmap_t *const *parents, unsigned flags,
                                         avrm_rankmap_t *map_p) AVRM_NOEXCEPT;

/// Destroys a rankmap; unbinds it first if it is bound. The last rankmap that shares a table frees
/// it. The bytes of the rankmap become zero, which may be destroyed again. Null is allowed and does
/// nothing.
void avrm_rankmap_destroy(avrm_rankmap_t *map) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Binding
// ------------------------------------------------------------------------------------------------

/// Binds a rankmap to the AVs that its instance's directory has for its pgids. The AVs stay until
/// the rankmap is unbound, and the rankmap must stay at its address until then. A map over an
/// implicit AV that has no line yet is bound, too, and translates by a call: `folded` of
/// avrm_rankmap_describe is false then.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_ALREADY_BOUND, AVRM_ERR_PGID_UNKNOWN,
///         AVRM_ERR_PGID_RELEASED, AVRM_ERR_LPID (an lpid outside its AV)
/// Cost: O(process groups); O(size) for a part of a shared table some entry of which is outside the
/// AV.
avrm_status_t avrm_rankmap_bind(avrm_rankmap_t *map) AVRM_NOEXCEPT;

/// Undoes avrm_rankmap_bind. @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND
avrm_status_t avrm_rankmap_unbind(avrm_rankmap_t *map) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Translation, hot. Unchecked: map must be bound (but for avrm_rankmap_gpid and avrm_rankmap_lpid)
// and rank in 0 .. size-1. Thread-safe.
//
// Affine maps, luts and mluts are computed inline; all others by one call through a table of
// functions. Text per use: at most 168 bytes.
// ------------------------------------------------------------------------------------------------

/// Address word of a rank, to be tested and decoded by the codec of the transport (ave.h).
AVRM_INLINE uint64_t avrm_rankmap_word(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// AVE of a rank, for address and locality together. Null while the rank's AV is implicit; if the
/// map has folded the AV in, null as long as the AV has no table. Use the two other functions then.
AVRM_INLINE const avrm_ave_t *avrm_rankmap_ave(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Node id of a rank.
AVRM_INLINE uint32_t avrm_rankmap_node(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Process of a rank. Needs no binding.
AVRM_INLINE avrm_gpid_t avrm_rankmap_gpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// lpid of a rank in its process group. For maps of one process group, whose pgid the caller knows,
/// this is cheaper than avrm_rankmap_gpid. Needs no binding.
AVRM_INLINE int32_t avrm_rankmap_lpid(const avrm_rankmap_t *map, int32_t rank) AVRM_NOEXCEPT;

/// Number of ranks.
AVRM_INLINE int32_t avrm_rankmap_size(const avrm_rankmap_t *map) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Translation, checked and in bulk. Thread-safe.
// ------------------------------------------------------------------------------------------------

/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK
avrm_status_t avrm_rankmap_word_checked(const avrm_rankmap_t *map, int32_t rank, uint64_t *word_p) AVRM_NOEXCEPT;
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK, AVRM_ERR_UNSUPPORTED (the AV
///         is implicit, so there is no AVE)
avrm_status_t avrm_rankmap_ave_checked(const avrm_rankmap_t *map, int32_t rank, const avrm_ave_t **ave_p) AVRM_NOEXCEPT;
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK
avrm_status_t avrm_rankmap_gpid_checked(const avrm_rankmap_t *map, int32_t rank, avrm_gpid_t *gpid_p) AVRM_NOEXCEPT;

/// Address words of `count` ranks, in any order, repetitions allowed. ranks and words must not
/// overlap; they may be null if count is 0.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK (no word is written)
/// Cost: O(count), O(count log n) for n segments or removed ranks; no dispatch inside the loop.
/// Segments of 65,536 ranks or more fetch elements ahead.
avrm_status_t avrm_rankmap_words(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 uint64_t *words) AVRM_NOEXCEPT;

/// Processes of `count` ranks; like avrm_rankmap_words, but needs no binding.
avrm_status_t avrm_rankmap_gpids(const avrm_rankmap_t *map, size_t count, const int32_t *ranks,
                                 avrm_gpid_t *gpids) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Introspection. Thread-safe.
// ------------------------------------------------------------------------------------------------

/// Label of a mode, for example "stride"; "?" for any other value.
const char *avrm_mode_label(avrm_mode_t mode) AVRM_NOEXCEPT;

/// Describes a rankmap. Builds nothing. Thread-safe, also while another thread builds or drops its
/// inverse. @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_rankmap_describe(const avrm_rankmap_t *map, avrm_rankmap_info_t *info_p) AVRM_NOEXCEPT;

/// The process groups of a map's ranks, each once, in no particular order. Of a part of a shared
/// table exactly those of its own ranks.
/// @param room     number of pgids that fit into `pgids`; 0 to learn the count alone
/// @param pgids    receives the first `room` of them at most; null if room is 0
/// @param count_p  receives their number, which may be greater than room
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (room is negative)
/// Cost: O(process groups); O(size) for a part of a shared table, for every 1024 groups of the
/// table.
avrm_status_t avrm_rankmap_pgids(const avrm_rankmap_t *map, int32_t room, int32_t *pgids,
                                 int32_t *count_p) AVRM_NOEXCEPT;

/// The AV of a rank of a bound map, whether its world was released or not: avrm_av_find does not
/// find it after that. The result is borrowed: it is valid while the map is bound.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NOT_BOUND, AVRM_ERR_RANK
/// Lock-free. Cost: that of avrm_rankmap_gpid, and two loads.
avrm_status_t avrm_rankmap_av(const avrm_rankmap_t *map, int32_t rank, avrm_av_t **av_p) AVRM_NOEXCEPT;

/// Checks every invariant of a rankmap that can be checked from outside: ranges, mode against
/// parameters, class against mode, table header against entries, binding. O(size).
/// @param reason_p  receives a constant text, null if the map is sound; may itself be null
/// @return true if the map is sound
bool avrm_rankmap_validate(const avrm_rankmap_t *map, const char **reason_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/rankmap_inl.h"

#endif
