// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of directory.h. tests/component/instructions/component_test.cc checks their instruction
// counts.
//
// A slot (a head or a link) locates a record. Its upper bits, which are negative, select one of the
// words before the heads; its lower AVRM_I_DIRECTORY_BITS bits are a byte offset from the address
// in that word:
//
//   ... chunk 1, chunk 0, room for chunks, older index, number of heads, no record | heads
//
// Slot 0 ends a chain: it leads to a record with an invalid rank, as do all slots of the index that
// directories without records share. A slot is stored only after everything that it leads to is in
// place.
#ifndef AVRANKMAP_DIRECTORY_INL_H
#define AVRANKMAP_DIRECTORY_INL_H

#include "avrankmap/directory.h"

#define AVRM_I_DIRECTORY_BITS 11
#define AVRM_I_DIRECTORY_MASK ((1 << AVRM_I_DIRECTORY_BITS) - 1)
#define AVRM_I_DIRECTORY_HASH 0x9e3779b1U // odd: no two ranks have the same hash

AVRM_BEGIN_DECLS

AVRM_INLINE int32_t avrm_directory_ranks(const avrm_directory_t *directory) AVRM_NOEXCEPT {
  return (int32_t)directory->ranks;
}

AVRM_INLINE avrm_directory_form_t avrm_directory_form(const avrm_directory_t *directory) AVRM_NOEXCEPT {
  return (avrm_directory_form_t)directory->form;
}

/// Loads a slot, which may change at any time, with acquire order, so that the record it leads to
/// is visible.
AVRM_INLINE_ALWAYS int32_t avrm_i_directory_slot(const int32_t *slot) AVRM_NOEXCEPT {
  return __atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

AVRM_INLINE_ALWAYS const int32_t *avrm_i_directory_heads(const avrm_directory_t *directory) AVRM_NOEXCEPT {
  return __atomic_load_n(&directory->heads, __ATOMIC_ACQUIRE);
}

AVRM_INLINE_ALWAYS const avrm_directory_record_t *avrm_i_directory_record(const int32_t *heads,
                                                                          int64_t slot) AVRM_NOEXCEPT {
  const char *const *const words = (const char *const *)(const void *)heads - 1;
  return (const avrm_directory_record_t *)(const void *)(words[slot >> AVRM_I_DIRECTORY_BITS] +
                                                         (slot & AVRM_I_DIRECTORY_MASK));
}

/// Returns the first record of the chain for a rank.
AVRM_INLINE_ALWAYS const avrm_directory_record_t *avrm_i_directory_first(const avrm_directory_t *directory,
                                                                         int32_t rank) AVRM_NOEXCEPT {
  const int32_t *const heads = avrm_i_directory_heads(directory);
  const uint32_t hash = (uint32_t)rank * AVRM_I_DIRECTORY_HASH;
  // The number of heads, a power of two. Unlike a shift, a multiplication needs no particular
  // register.
  const uint64_t count = *(const uintptr_t *)(const void *)((const char *)heads - 2 * sizeof(void *));
  return avrm_i_directory_record(heads, avrm_i_directory_slot(heads + (hash * count >> 32)));
}

AVRM_INLINE_ALWAYS bool avrm_directory_target(const avrm_directory_t *directory, int32_t rank, uint64_t *base_p,
                                              uint64_t *key_p) AVRM_NOEXCEPT {
  if (directory->form == AVRM_DIRECTORY_UNIFORM) {
    *base_p = directory->base;
    *key_p = directory->key;
    return true;
  }
  if (directory->form == AVRM_DIRECTORY_REGULAR) {
    *base_p = directory->base + (uint64_t)(int64_t)rank * directory->base_step;
    *key_p = directory->key;
    return true;
  }
  const avrm_directory_record_t *record = avrm_i_directory_first(directory, rank);
  if (AVRM_UNLIKELY(record->rank != (uint32_t)rank)) {
    // Returned by value: an output parameter would cost all forms a stack frame.
    if (directory->form == AVRM_DIRECTORY_TABLES) {
      const avrm_directory_place_t target = avrm_i_directory_target(directory, rank);
      *base_p = target.base;
      *key_p = target.key;
      return true;
    }
    record = avrm_i_directory_search(directory, rank);
    if (record == NULL) {
      return false;
    }
  }
  *base_p = record->base;
  *key_p = record->key;
  return true;
}

AVRM_INLINE bool avrm_directory_find(const avrm_directory_t *directory, int32_t rank,
                                     avrm_part_t *part_p) AVRM_NOEXCEPT {
  if (AVRM_UNLIKELY(!directory->is_plain)) {
    return avrm_i_directory_find(directory, rank, part_p);
  }
  part_p->base = directory->base + (uint64_t)(int64_t)rank * directory->base_step;
  part_p->key = directory->key + (uint64_t)(int64_t)rank * directory->key_step;
  part_p->size = directory->size + (uint64_t)(int64_t)rank * directory->size_step;
  part_p->unit = directory->unit + (uint32_t)rank * directory->unit_step;
  return true;
}

AVRM_INLINE uint64_t avrm_directory_size(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT {
  if (AVRM_LIKELY(directory->is_plain)) {
    return directory->size + (uint64_t)(int64_t)rank * directory->size_step;
  }
  return avrm_i_directory_size(directory, rank);
}

AVRM_INLINE uint32_t avrm_directory_unit(const avrm_directory_t *directory, int32_t rank) AVRM_NOEXCEPT {
  if (AVRM_LIKELY(directory->is_plain)) {
    return directory->unit + (uint32_t)rank * directory->unit_step;
  }
  return avrm_i_directory_unit(directory, rank);
}

AVRM_END_DECLS

#endif
