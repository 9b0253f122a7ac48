// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An instance is one independent copy of the component: an allocator, its accounting, and the directory of the process
// groups that this process can reach. Instances share nothing, so two devices can live in one process. The library has
// no other state.
#ifndef AVRANKMAP_INSTANCE_H
#define AVRANKMAP_INSTANCE_H

#include "avrankmap/memory.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

typedef struct avrm_instance avrm_instance_t;

/// What the choice of a rankmap's form prefers. Either way no form is larger than the plain table.
typedef enum avrm_cost {
  AVRM_COST_BYTES = 0, ///< the smallest form; among equals the fastest to translate
  AVRM_COST_SPEED = 1, ///< the smallest of the forms that translate in at most 12 instructions: direct .. mlut
} avrm_cost_t;

typedef struct avrm_instance_options {
  /// Allocator to use; null for the built-in one (malloc-like for small blocks, fresh pages for large ones). Copied.
  const avrm_allocator_t *allocator;
  /// Restricts the choice of modes to the published method: Table II of the AV-Rankmap paper as printed, then the
  /// scan that reduces an irregular result. Off by default; then closed forms replace tables wherever algebra has one.
  bool strict;
  /// Ignored by a strict instance, which has the paper's modes only.
  avrm_cost_t cost;
  /// Turns interning off: rankmaps with equal tables then share one copy only where one is made of the other. A strict
  /// instance never interns.
  bool no_interning;
} avrm_instance_options_t;

/// What avrm_instance_create calls: with the version of the headers that the caller was compiled with.
avrm_status_t avrm_i_instance_create(const avrm_instance_options_t *options, avrm_instance_t **instance_p,
                                     uint32_t headers) AVRM_NOEXCEPT;

/// Creates an instance.
/// @param options     null for the defaults
/// @param instance_p  receives the instance; to be destroyed by avrm_instance_destroy
/// @return AVRM_OK, AVRM_ERR_VERSION (these headers are not those of the library), AVRM_ERR_NULL (instance_p, or an allocator
///         with a null function), AVRM_ERR_OPTION (cost), AVRM_ERR_NO_MEMORY
/// Thread-safe. Cost: one block of AVRM_MEM_INSTANCE.
AVRM_INLINE avrm_status_t avrm_instance_create(const avrm_instance_options_t *options,
                                               avrm_instance_t **instance_p) AVRM_NOEXCEPT {
  return avrm_i_instance_create(options, instance_p, AVRM_I_HEADERS);
}

/// Destroys an instance. Null is allowed and does nothing.
/// @return AVRM_OK, or AVRM_ERR_BUSY while a rankmap or an unreleased address vector of it exists (nothing is changed).
/// No other call on the instance may run at the same time.
avrm_status_t avrm_instance_destroy(avrm_instance_t *instance) AVRM_NOEXCEPT;

/// Bytes held by an instance, of one kind or AVRM_MEM_TOTAL.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (kind)
/// Thread-safe, lock-free; each number is exact at some moment during the call, the three are not one snapshot.
avrm_status_t avrm_instance_mem_usage(const avrm_instance_t *instance, avrm_mem_kind_t kind,
                                      avrm_mem_usage_t *usage_p) AVRM_NOEXCEPT;

/// True if the instance was created strict. Thread-safe. `instance` must not be null.
bool avrm_instance_is_strict(const avrm_instance_t *instance) AVRM_NOEXCEPT;

/// The cost class that the instance was created with. Thread-safe. `instance` must not be null.
avrm_cost_t avrm_instance_cost(const avrm_instance_t *instance) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
