// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Directory of a window: base, key, size and displacement unit of every rank's part, without tables
// per rank.
//
//   form      base and key of a rank              bytes, beside the 104 of the directory
//   uniform   the same for all                    0
//   regular   base + rank * step, one key         0
//   records   one record per target met           at most 43 per target and 1.6 KB in all; from 100
//                                                 targets on 40 per target if sizes and units are
//                                                 known or all alike; nothing for others
//   tables    each field in a form of its own     never more than an array
//
// Forms are chosen per field. In tables that is a rule of the rank, a rule with exceptions, runs of
// rules, or a few bits per rank. Records have no sizes and units that are known otherwise.
//
// A window whose targets are asked when they are met (tests/tour/component.c):
//
//   avrm_directory_t targets;
//   must(avrm_directory_create(instance, size, &targets)); // nothing is known
//   if (!avrm_directory_target(&targets, rank, &base, &key)) {
//     const avrm_part_t part = ask_target(rank);
//     must(avrm_directory_learn(&targets, rank, &part));
//   }
//
// Records: chunks that never move hold them. The index has heads of chains, sorted by the hash of
// the rank; the higher bits of the hash choose the head. When the index grows, each chain is split
// where it is, since the records of the upper half are its tail. So no link ever changes but for a
// record that is put in front of another. Threads may be reading the old index, so it stays until
// the directory is destroyed; all old ones together are smaller than the last. The index grows
// while all together takes less than 40 bytes per record. A chunk is left with room to spare when
// the first size or unit appears that its records have no place for.
//
//   heads  [ . | . | . | . ]     chunk  [record record record ...| sizes | units]
//            |   \-> record -> record -> end
//            \-> record -> (the same)
//
// Thread-safety: avrm_directory_learn is for one thread at a time. Any number of threads may look
// up meanwhile, without locks or atomic read-modify-writes: they find the record or do not.
#ifndef AVRANKMAP_DIRECTORY_H
#define AVRANKMAP_DIRECTORY_H

#include "avrankmap/parts.h"
#include "avrankmap/rankmap.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// How a directory finds base and key.
typedef enum avrm_directory_form {
  AVRM_DIRECTORY_UNIFORM = 0, ///< one base, one key
  AVRM_DIRECTORY_REGULAR = 1, ///< base + rank * step, one key
  AVRM_DIRECTORY_RECORDS = 2, ///< of those that were learned
  AVRM_DIRECTORY_TABLES = 3,  ///< of all, by a call
} avrm_directory_form_t;

/// A record; for the inline functions.
typedef struct avrm_directory_record {
  uint64_t base;
  uint64_t key;
  uint32_t rank;
  int32_t next; ///< in the chain
} avrm_directory_record_t;

/// Base and key; for the inline functions.
typedef struct avrm_directory_place {
  uint64_t base;
  uint64_t key;
} avrm_directory_place_t;

/// A directory: 104 bytes, which lie where its owner wants them. They may be moved as bytes while
/// no thread uses them. The fields are for the inline functions. Zero bytes are no directory; to
/// destroy them does nothing.
typedef struct avrm_directory {
  uint64_t base;             ///< uniform and regular: of rank 0
  uint64_t base_step;        ///< regular: per rank
  uint64_t key;              ///< uniform and regular
  const int32_t *heads;      ///< records and tables: the index; chunks are listed before it
  uint8_t form;              ///< avrm_directory_form_t
  uint8_t is_plain;          ///< all fields follow their rules
  uint8_t tabled;            ///< bits: fields that tables know of all ranks
  uint8_t rules;             ///< bits: fields whose rules hold for all ranks
  uint32_t ranks;            ///< number of ranks
  uint64_t key_step;         ///< per rank; 0 if uniform or regular
  uint64_t size;             ///< rule of sizes, of rank 0
  uint64_t size_step;        ///< per rank
  uint32_t unit;             ///< rule of units, of rank 0
  uint32_t unit_step;        ///< per rank
  void *tables;              ///< known fields that follow no rule
  uint64_t bytes;            ///< of the records and their index
  uint32_t count;            ///< records
  uint32_t chunks;           ///< chunks of records
  avrm_instance_t *instance; ///< null: no directory
} avrm_directory_t;

static_assert(sizeof(void *) != 8 || sizeof(avrm_directory_t) == 104, "as said above");

// ------------------------------------------------------------------------------------------------
// Creation. Each function fills in a directory that the caller has the memory of, whatever its
// bytes are, and writes nothing there if it returns an error. It returns AVRM_ERR_NULL, and
// AVRM_ERR_SIZE if the number of ranks is negative. The instance must outlive the directory.
// ------------------------------------------------------------------------------------------------

/// A directory of `ranks` ranks of which nothing is known: records. Cost: O(1), no memory.
avrm_status_t avrm_directory_create(avrm_instance_t *instance, int32_t ranks,
                                    avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// Each field is a rule: first->field + rank * step->field, modulo 2^64 (unit: 2^32). All parts are
/// known.
/// @param step  null: all parts are alike
/// Uniform or regular, or tables if the key has a step. Cost: O(1), no memory.
avrm_status_t avrm_directory_create_regular(avrm_instance_t *instance, int32_t ranks, const avrm_part_t *first,
                                            const avrm_part_t *step, avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// From the parts of all ranks; the array is only read. Each field takes its smallest form: a rule,
/// a rule with exceptions, runs of rules, or as many bits per rank as its values differ in. All of
/// them together take no more than the array. parts may be null if ranks is 0.
/// @return also AVRM_ERR_NO_MEMORY. Cost: O(ranks).
avrm_status_t avrm_directory_create_parts(avrm_instance_t *instance, int32_t ranks, const avrm_part_t *parts,
                                          avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// From a summary of all ranks (parts.h). Each field that has runs is known of all ranks, in its
/// smallest form; all of these together take no more than an array of parts. If base or key is
/// irregular, the form is that of records. If any field is irregular, parts are learned in
/// addition, for avrm_directory_find, and must agree with the known fields.
/// @return also AVRM_ERR_RANGE (it does not begin at rank 0), AVRM_ERR_NO_MEMORY. Cost: O(runs),
///         O(ranks) for fields in bits per rank
avrm_status_t avrm_directory_create_summary(avrm_instance_t *instance, const avrm_parts_t *parts,
                                            avrm_directory_t *directory_p) AVRM_NOEXCEPT;

/// Destroys a directory, whose bytes become zero. Null is allowed and does nothing.
void avrm_directory_destroy(avrm_directory_t *directory) AVRM_NOEXCEPT;

/// Learns the part of one rank. A part never changes: to learn the same again does nothing.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_MISMATCH (another part is known, or the
///         part does not follow a rule that the directory has), AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT
///         (more than 80 million records); nothing is changed after an error
/// One thread at a time, also beside readers. Cost: O(1) on average.
avrm_status_t avrm_directory_learn(avrm_directory_t *directory, int32_t rank, const avrm_part_t *part) AVRM_NOEXCEPT;

/// Looks whether the parts of all ranks, which were learned one by one, follow rules: then the
/// directory becomes uniform or regular, and its records are freed. Rules are never guessed for
/// ranks of which nothing was learned.
/// @return true if the directory is uniform or regular in all fields now, or was before
/// Not beside readers or learners. Cost: O(1) if some part is unknown, else O(ranks).
bool avrm_directory_recognise(avrm_directory_t *directory) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Questions, hot. Unchecked: ranks are in 0 .. ranks-1. Thread-safe, lock-free.
// ------------------------------------------------------------------------------------------------

/// Number of ranks.
AVRM_INLINE int32_t avrm_directory_ranks(const avrm_directory_t *directory) AVRM_NOEXCEPT;
/// How base and key are found; only avrm_directory_recognise changes it.
AVRM_INLINE avrm_directory_form_t avrm_directory_form(const avrm_directory_t *directory) AVRM_NOEXCEPT;
/// Base and key of a rank's part. False, and nothing is written, if it is not known. Cost: 4
/// instructions if uniform, 7 if regular, 16 for the first record of a chain; a call for the others
/// and for tables.
AVRM_INLINE_ALWAYS bool avrm_directory_target(const avrm_directory_t *directory, int32_t rank, uint64_t *base_p,
                                              uint64_t *key_p) AVRM_NOEXCEPT;
/// All of a rank's part. False, and nothing is written, if it is not known. Inline if uniform or
/// regular in all fields, else a call.
AVRM_INLINE bool avrm_directory_find(const avrm_directory_t *directory, int32_t rank,
                                     avrm_part_t *part_p) AVRM_NOEXCEPT;
/// Bytes of a rank's part; 0 if they are not known.
AVRM_INLINE uint64_t avrm_directory_size(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
/// Displacement unit of a rank's part; 0 if it is not known.
AVRM_INLINE uint32_t avrm_directory_unit(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;

// ------------------------------------------------------------------------------------------------
// Introspection
// ------------------------------------------------------------------------------------------------

/// Goes through the records that were learned: writes the next one and moves *place_p, which is 0
/// at the beginning. False if there is none. Not while a thread learns.
bool avrm_directory_next(const avrm_directory_t *directory, uint64_t *place_p, int32_t *rank_p,
                         avrm_part_t *part_p) AVRM_NOEXCEPT;

/// Bytes beside the directory (AVRM_MEM_COMM); 0 if uniform or regular and for null. Not while a
/// thread learns.
uint64_t avrm_directory_bytes(const avrm_directory_t *directory) AVRM_NOEXCEPT;

// For the inline functions: the rest of the records, null for a rank that has none; base and key
// of tables; and fields of any form.
const avrm_directory_record_t *avrm_i_directory_search(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
avrm_directory_place_t avrm_i_directory_target(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
bool avrm_i_directory_find(const avrm_directory_t *directory, int32_t rank, avrm_part_t *part_p) AVRM_NOEXCEPT;
uint64_t avrm_i_directory_size(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;
uint32_t avrm_i_directory_unit(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT;

AVRM_END_DECLS

#include "avrankmap/directory_inl.h"

#endif
