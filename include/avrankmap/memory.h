// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory hooks and accounting.
//
// All memory of an instance comes from one allocator: the caller's hooks or the built-in one. Live
// and peak bytes are counted by kind, also in release builds. The counts equal the sum of the sizes
// requested from the allocator, to the byte; the allocator's own overhead is not included.
//
//   kind                contents
//   AVRM_MEM_INSTANCE   the instance; tables to find process groups, shared data, inverses, peers
//   AVRM_MEM_AV         address vectors: 64 bytes + 12 per process; for implicit ones and far
//                       addresses see av.h; if peers have several addresses each,
//                       see addresses.h
//   AVRM_MEM_RANKMAP    carts: 8 bytes + 16 per dimension except the first; lists of removed
//                       ranks (sizes in rankmap.h)
//   AVRM_MEM_LUT        tables of lpids: 16 bytes + 4 per rank
//   AVRM_MEM_MLUT       tables of (pgid, lpid): 16 bytes + 8 per rank + 16 per process group
//   AVRM_MEM_SEGMENTS   lists of segments (sizes in rankmap.h)
//   AVRM_MEM_GROUP      groups: 56 bytes each
//   AVRM_MEM_COMM       communicators, windows, and the tables to find them; hierarchies and
//                       directories of windows
//   AVRM_MEM_MESSAGE    requests, and messages that wait to be matched or sent
//   AVRM_MEM_CACHE      data that the library can drop and rebuild
//   AVRM_MEM_SCRATCH    temporary data, freed before the call returns
//
// An allocation hook (tests/tour/instances.c):
//
//   void *const block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
//   if (block != NULL)
//     *(uint64_t *)user += size; // atomically if there are several threads
//   return block == NULL ? NULL : memset(block, 0, size);
//
// Create an instance with hooks (tests/tour/instances.c):
//
//   const avrm_allocator_t hooks = {allocate, release, &bytes};
//   avrm_instance_options_t options = {0};
//   avrm_instance_t *instance;
//   options.allocator = &hooks;
//   options.cost = AVRM_COST_BYTES;
//   must(avrm_instance_create(&options, &instance));
#ifndef AVRANKMAP_MEMORY_H
#define AVRANKMAP_MEMORY_H

#include "avrankmap/status.h"

/// X(name, label): the kinds of memory.
#define AVRM_MEM_KIND_LIST(X)                                                                                          \
  X(AVRM_MEM_INSTANCE, "instance")                                                                                     \
  X(AVRM_MEM_AV, "av")                                                                                                 \
  X(AVRM_MEM_RANKMAP, "rankmap")                                                                                       \
  X(AVRM_MEM_LUT, "lut")                                                                                               \
  X(AVRM_MEM_MLUT, "mlut")                                                                                             \
  X(AVRM_MEM_SEGMENTS, "segments")                                                                                     \
  X(AVRM_MEM_GROUP, "group")                                                                                           \
  X(AVRM_MEM_COMM, "communicator")                                                                                     \
  X(AVRM_MEM_MESSAGE, "message")                                                                                       \
  X(AVRM_MEM_CACHE, "cache")                                                                                           \
  X(AVRM_MEM_SCRATCH, "scratch")

AVRM_BEGIN_DECLS

/// Kinds of memory, by which usage is counted.
typedef enum avrm_mem_kind {
#define AVRM_I_MEM_ENUM(name, label) name,
  AVRM_MEM_KIND_LIST(AVRM_I_MEM_ENUM)
#undef AVRM_I_MEM_ENUM
      AVRM_MEM_TOTAL ///< all kinds together, for queries only; equals the number of kinds
} avrm_mem_kind_t;

/// Allocator hooks. The library may call both functions from any thread at any time. They must not
/// call the library and must not throw.
typedef struct avrm_allocator {
  /// Returns `size` (> 0) zeroed bytes aligned to `alignment` (a power of two, at most 64), or
  /// null. Large blocks are best taken from calloc or mmap and not cleared again: pages that the
  /// system provides zeroed take no memory until they are used.
  void *(*allocate)(void *user, size_t size, size_t alignment, avrm_mem_kind_t kind);
  /// Frees a block. Size, alignment and kind are those with which it was allocated.
  void (*release)(void *user, void *block, size_t size, size_t alignment, avrm_mem_kind_t kind);
  /// Passed to both functions.
  void *user;
} avrm_allocator_t;

/// Bytes and blocks of one kind.
typedef struct avrm_mem_usage {
  uint64_t live_bytes;  ///< allocated now
  uint64_t peak_bytes;  ///< maximum of live_bytes so far
  uint64_t live_blocks; ///< blocks allocated now
} avrm_mem_usage_t;

/// Returns the label of a kind, for example "lut"; "total" for AVRM_MEM_TOTAL; "?" for any other
/// value. Thread-safe. The string is a constant.
const char *avrm_mem_kind_label(avrm_mem_kind_t kind) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
