// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Where the library's memory comes from, and how much of it there is.
//
// Every byte that an instance holds passes through one allocator (the caller's hooks, or the built-in one) and is
// counted by kind, live and peak, in release builds too. The count equals the sum of the sizes that the allocator was
// asked for, to the byte; what the allocator adds for itself is its own affair.
#ifndef AVRANKMAP_MEMORY_H
#define AVRANKMAP_MEMORY_H

#include "avrankmap/status.h"

// X(name, label): what a block is for.
#define AVRM_MEM_KIND_LIST(X)                                                                                          \
  X(AVRM_MEM_INSTANCE, "instance") /* the instance itself and its directory of process groups */                       \
  X(AVRM_MEM_AV, "av")             /* address vectors: 64 bytes + 12 per process; implicit ones av.h */                \
  X(AVRM_MEM_RANKMAP, "rankmap")   /* rankmaps: 56 bytes each, and 16 per dimension of a cart but the first */         \
  X(AVRM_MEM_LUT, "lut")           /* look-up tables of lpids: 16 bytes + 4 per rank */                                \
  X(AVRM_MEM_MLUT, "mlut")         /* look-up tables of (pgid, lpid) pairs: 8 bytes per rank + 16 per process group */ \
  X(AVRM_MEM_SEGMENTS, "segments") /* lists of segments: 16 bytes each + 28 .. */                                      \
  X(AVRM_MEM_GROUP, "group")       /* groups: 16 bytes each, beside their rankmaps */                                  \
  X(AVRM_MEM_COMM, "communicator") /* communicators, windows and what finds them */                                    \
  X(AVRM_MEM_MESSAGE, "message")   /* requests, and messages that wait to be matched or sent */                        \
  X(AVRM_MEM_CACHE, "cache")       /* anything that can be dropped and rebuilt */                                      \
  X(AVRM_MEM_SCRATCH, "scratch")   /* temporary, gone when the call returns */

AVRM_BEGIN_DECLS

typedef enum avrm_mem_kind {
#define AVRM_I_MEM_ENUM(name, label) name,
  AVRM_MEM_KIND_LIST(AVRM_I_MEM_ENUM)
#undef AVRM_I_MEM_ENUM
      AVRM_MEM_TOTAL ///< all kinds together; for queries only. Also the number of kinds.
} avrm_mem_kind_t;

/// Allocator hooks. Both functions may be called from any thread at any time, must not call back into the library and
/// must not throw.
typedef struct avrm_allocator {
  /// Returns `size` (> 0) bytes aligned to `alignment` (a power of two, at most 64) and filled with zeros, or null.
  /// Zeros matter: an element of all zeros reads as "not yet connected", and pages that were never touched cost
  /// nothing; so pass on fresh zero pages from the system as they are, and do not clear them again.
  void *(*allocate)(void *user, size_t size, size_t alignment, avrm_mem_kind_t kind);
  /// Takes back a block, with the size, alignment and kind that it was allocated with.
  void (*release)(void *user, void *block, size_t size, size_t alignment, avrm_mem_kind_t kind);
  /// Handed to both.
  void *user;
} avrm_allocator_t;

/// Bytes and blocks of one kind.
typedef struct avrm_mem_usage {
  uint64_t live_bytes;  ///< held now
  uint64_t peak_bytes;  ///< the most that was held at once
  uint64_t live_blocks; ///< number of blocks held now
} avrm_mem_usage_t;

/// Label of a kind, for example "lut"; "total" for AVRM_MEM_TOTAL, "?" for anything else. A constant; thread-safe.
const char *avrm_mem_kind_label(avrm_mem_kind_t kind) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
