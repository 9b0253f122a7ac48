// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Directory of a window: the base, key, size and displacement unit of every rank's part, without an
// array of all parts.
//
//   form      base and key of a rank              bytes in addition to the directory's 104
//   uniform   equal for all ranks                 0
//   regular   base + rank * step, one key         0
//   records   one record per learned target       at most 43 per target + 1.6 KB; if sizes and
//                                                 units are known or all equal, and there are 100
//                                                 or more targets, at most 40 per target in total
//   tables    each field in its own form          never more than an array of parts
//
// In the form "tables", each field is stored in one of four ways: a rule (a linear function of the
// rank), a rule with exceptions, runs of rules, or a few bits per rank. Records omit sizes and
// units that are known for all ranks or have been equal in all records so far.
//
// Ask targets for their parts when they are first accessed (tests/tour/component.c):
//
//   avrm_directory_t targets;
//   must(avrm_directory_create(instance, size, &targets)); // nothing is known
//   if (!avrm_directory_target(&targets, rank, &base, &key)) {
//     const avrm_part_t part = ask_target(rank);
//     must(avrm_directory_learn(&targets, rank, &part));
//   }
//
// Thread-safety: avrm_directory_learn must not run in two threads at once on the same directory.
// Any number of threads may look up ranks concurrently with it, without locks or atomic
// read-modify-writes. A lookup may or may not find a record that is being added, but never finds
// part of one.
#ifndef AVRANKMAP_DIRECTORY_H
#define AVRANKMAP_DIRECTORY_H

#include "avrankmap/parts.h"
#include "avrankmap/rankmap.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// Form in which a directory stores bases and keys.
typedef enum avrm_directory_form {
  AVRM_DIRECTORY_UNIFORM = 0, ///< one base and one key
  AVRM_DIRECTORY_REGULAR = 1, ///< base + rank * step, one key
  AVRM_DIRECTORY_RECORDS = 2, ///< records of the parts that were learned
  AVRM_DIRECTORY_TABLES = 3,  ///< tables of all ranks, read by a function call
} avrm_directory_form_t;

/// A record, for the inline functions.
typedef struct avrm_directory_record {
  uint64_t base;
  uint64_t key;
  uint32_t rank;
  int32_t next; ///< slot of the next record in the chain
} avrm_directory_record_t;

/// Base and key, for the inline functions.
typedef struct avrm_directory_place {
  uint64_t base;
  uint64_t key;
} avrm_directory_place_t;

/// A directory: 104 bytes, in memory that the caller provides. It may be moved by copying its bytes
/// while no thread uses it. The fields are for the inline functions. An all-zero struct is not a
/// directory; destroying it is a no-op.
typedef struct avrm_directory {
  uint64_t base;             ///< uniform and regular: base of rank 0
  uint64_t base_step;        ///< regular: difference per rank
  uint64_t key;              ///< uniform and regular
  const int32_t *heads;      ///< records and tables: heads of hash chains (directory_inl.h)
  uint8_t form;              ///< an avrm_directory_form_t
  uint8_t is_plain;          ///< all fields follow their rules
  uint8_t tabled;            ///< bit mask of fields that tables store for all ranks
  uint8_t rules;             ///< bit mask of fields whose rules hold for all ranks
  uint32_t ranks;            ///< number of ranks
  uint64_t key_step;         ///< difference per rank; 0 if uniform or regular
  uint64_t size;             ///< rule of sizes: value of rank 0
  uint64_t size_step;        ///< rule of sizes: difference per rank
  uint32_t unit;             ///< rule of units: value of rank 0
  uint32_t unit_step;        ///< rule of units: difference per rank
  void *tables;              ///< known fields that follow no rule
  uint64_t bytes;            ///< bytes of the records and their index
  uint32_t count;            ///< number of records
  uint32_t chunks;           ///< number of chunks of records
  avrm_instance_t *instance; ///< null if this is not a directory
} avrm_directory_t;

static_assert(sizeof(void *) != 8 || sizeof(avrm_directory_t) == 104, "a directory takes 104 bytes (64-bit)");

// ------------------------------------------------------------------------------------------------
// Creation. Each function initialises *directory_p, whose previous content is irrelevant; after an
// error it is unchanged. In addition to the errors named for each function, all of them return
// AVRM_ERR_NULL if a required pointer is null, and AVRM_ERR_SIZE if the number of ranks is
// negative. The instance must outlive the directory. All are thread-safe.
// ------------------------------------------------------------------------------------------------

/// Creates a directory in which nothing is known about any rank. Its form is records. Cost: O(1),
/// no memory.
avrm_status_t avrm_directory_create(avrm_instance_t *instance, int32_t ranks,
                                    avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// Creates a directory in which each field follows a rule: first->field + rank * step->field,
/// modulo 2^64 (unit: 2^32). The form is uniform or regular, or tables if the key has a step.
/// @param step  null if all parts are equal
/// Cost: O(1), no memory.
avrm_status_t avrm_directory_create_regular(avrm_instance_t *instance, int32_t ranks, const avrm_part_t *first,
                                            const avrm_part_t *step, avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// Creates a directory from the parts of all ranks. Each field takes its smallest form: a rule, a
/// rule with exceptions, runs of rules, or, for each rank, only the bits in which the field's
/// values differ. All fields together take no more than the array of parts. The array is only read,
/// and may be freed after the call.
/// @param parts  by rank; may be null if ranks is 0
/// @return also AVRM_ERR_NO_MEMORY
/// Cost: O(ranks).
avrm_status_t avrm_directory_create_parts(avrm_instance_t *instance, int32_t ranks, const avrm_part_t *parts,
                                          avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// Creates a directory from a summary of all ranks (parts.h). Each field that the summary describes
/// by runs is then known for all ranks, in its smallest form; together these fields take no more
/// than an array of parts. A field without runs is irregular (parts.h). If base or key is
/// irregular, the form is records. If any field is irregular, avrm_directory_find returns false for
/// a rank until its part has been learned; parts that are learned must agree with the known fields.
/// @return also AVRM_ERR_RANGE (the summary does not begin at rank 0), AVRM_ERR_NO_MEMORY
/// Cost: O(runs); O(ranks) for fields stored in bits per rank.
avrm_status_t avrm_directory_create_summary(avrm_instance_t *instance, const avrm_parts_t *parts,
                                            avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// Destroys a directory and sets its bytes to zero, so that destroying it again is a no-op, as is
/// destroying null. No other thread may use the directory concurrently.
void avrm_directory_destroy(avrm_directory_t *directory) AVRM_NOEXCEPT;

/// Learns the part of one rank. A part never changes: learning the same part again is a no-op.
/// @return AVRM_OK, AVRM_ERR_NULL (also for an all-zero struct), AVRM_ERR_RANK, AVRM_ERR_MISMATCH
///         (a different part is known, or the part contradicts a field that is known for all
///         ranks), AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (more than 80 million records); after an
///         error nothing is changed
/// One thread at a time, but readers may run concurrently. Cost: O(1) on average.
avrm_status_t avrm_directory_learn(avrm_directory_t *directory, int32_t rank, const avrm_part_t *part) AVRM_NOEXCEPT;

/// Checks whether the parts of all ranks, learned one by one, have one key and otherwise follow
/// rules. If so, the directory becomes uniform or regular, and its records are freed. Rules are
/// never inferred for ranks whose parts were not learned.
/// @return true if all ranks are known to have the same key and the other fields follow rules, even
///         if this was known before the call; otherwise false. Always false for null, and in the
///         form "tables"
/// No other thread may use the directory concurrently. Cost: O(1) if a part is unknown, otherwise
/// O(ranks).
bool avrm_directory_recognise(avrm_directory_t *directory) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Queries, hot path. Arguments are not checked: ranks must be in 0 .. ranks-1, and no pointer may
// be null. Thread-safe, lock-free.
// ------------------------------------------------------------------------------------------------

/// Returns the number of ranks.
AVRM_INLINE int32_t avrm_directory_ranks(const avrm_directory_t *directory) AVRM_NOEXCEPT;
/// Returns the form in which base and key are stored. Only avrm_directory_recognise changes it.
AVRM_INLINE avrm_directory_form_t avrm_directory_form(const avrm_directory_t *directory) AVRM_NOEXCEPT;
/// Returns the base and key of a rank's part. Returns false and writes nothing if they are not
/// known. Cost: 4 instructions if uniform, 7 if regular, 16 for the first record of a chain; a
/// function call for other records and for tables.
AVRM_INLINE_ALWAYS bool avrm_directory_target(const avrm_directory_t *directory, int32_t rank, uint64_t *base_p,
                                              uint64_t *key_p) AVRM_NOEXCEPT;
/// Returns a rank's part with all its fields. Returns false and writes nothing if the part is not
/// known. Inline if all fields are uniform or regular, otherwise a function call.
AVRM_INLINE bool avrm_directory_find(const avrm_directory_t *directory, int32_t rank,
                                     avrm_part_t *part_p) AVRM_NOEXCEPT;
/// Returns the size of a rank's part in bytes; 0 if it is not known.
AVRM_INLINE uint64_t avrm_directory_size(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
/// Returns the displacement unit of a rank's part in bytes; 0 if it is not known.
AVRM_INLINE uint32_t avrm_directory_unit(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Introspection
// ------------------------------------------------------------------------------------------------

/// Iterates over the records that were learned: returns the next one and advances *place_p, which
/// the caller sets to 0 before the first call. Arguments are not checked: no pointer may be null.
/// Must not run concurrently with avrm_directory_learn.
/// @param place_p  the position; do not change it between two calls
/// @param rank_p   receives the rank of the record
/// @param part_p   receives its part
/// @return true; false at the end, in which case nothing is written. Cost: O(1) on average
bool avrm_directory_next(const avrm_directory_t *directory, uint64_t *place_p, int32_t *rank_p,
                         avrm_part_t *part_p) AVRM_NOEXCEPT;

/// Returns the bytes of memory (AVRM_MEM_COMM) that the directory takes in addition to its own 104;
/// 0 if it has neither tables nor records, and for null. A uniform or regular directory has tables
/// or records if its sizes or units follow no rule. Must not run concurrently with
/// avrm_directory_learn.
uint64_t avrm_directory_bytes(const avrm_directory_t *directory) AVRM_NOEXCEPT;

// For the inline functions. Searches the rest of a hash chain; null if the rank has no record.
const avrm_directory_record_t *avrm_i_directory_search(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
// Base and key in the form "tables".
avrm_directory_place_t avrm_i_directory_target(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
// In any form: all fields; only the size; only the unit.
bool avrm_i_directory_find(const avrm_directory_t *directory, int32_t rank, avrm_part_t *part_p) AVRM_NOEXCEPT;
uint64_t avrm_i_directory_size(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
uint32_t avrm_i_directory_unit(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/directory_inl.h"

#endif
