// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An instance is one independent copy of the component: an allocator, its memory accounting, and
// the directory of the process groups that this process can reach. Instances share nothing, so one
// process can hold several devices. The component has no global state.
//
// The bytes that an instance holds (tests/tour/instances.c):
//
//   must(avrm_instance_mem_usage(instance, AVRM_MEM_AV, &av)); // 64 bytes, and 12 per process
//   must(avrm_instance_mem_usage(instance, AVRM_MEM_TOTAL, &all));
#ifndef AVRANKMAP_INSTANCE_H
#define AVRANKMAP_INSTANCE_H

#include "avrankmap/memory.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

typedef struct avrm_instance avrm_instance_t;

/// Which form a rankmap takes that no regular mode (direct to blocked) describes. The plain table,
/// lut or mlut, is the fastest; cart and segments, slower in this order, take fewer bytes where
/// they apply. No class chooses a form larger than the plain table.
typedef enum avrm_cost {
  /// The default. A slower form is taken only if it saves a page (AVRM_COST_PAGE bytes) or more
  /// against each faster one. So maps of fewer than 1024 ranks in one process group, or 512 in
  /// several, keep their plain table.
  AVRM_COST_BALANCED = 0,
  /// The smallest form; among forms of equal size the fastest.
  AVRM_COST_BYTES = 1,
  /// Always the plain table. Tables are never compressed.
  AVRM_COST_SPEED = 2,
} avrm_cost_t;

/// Bytes that a slower form saves at least with AVRM_COST_BALANCED, whatever the system's pages.
#define AVRM_COST_PAGE 4096

typedef struct avrm_instance_options {
  /// Allocator, copied. Null selects the built-in one: like malloc for small blocks, fresh pages
  /// for large ones.
  const avrm_allocator_t *allocator;
  /// Restricts the modes to the published method: Table II of the AV-Rankmap paper as printed, then
  /// the scan that reduces irregular results. By default closed forms replace tables wherever there
  /// is one.
  bool strict;
  /// Cost class. A strict instance ignores it.
  avrm_cost_t cost;
  /// Disables interning. Rankmaps with equal tables then share one copy only if one was created
  /// from the other. A strict instance never interns.
  bool no_interning;
} avrm_instance_options_t;

/// Called by avrm_instance_create with the version of the headers that the caller was compiled
/// with.
avrm_status_t avrm_i_instance_create(const avrm_instance_options_t *options, avrm_instance_t **instance_p,
                                     uint64_t headers) AVRM_NOEXCEPT;

/// Creates an instance.
/// @param options     null for the defaults
/// @param instance_p  receives the instance; free it with avrm_instance_destroy
/// @return AVRM_OK, AVRM_ERR_VERSION (headers and library differ), AVRM_ERR_NULL (instance_p, or an
///         allocator with a null function), AVRM_ERR_OPTION (cost), AVRM_ERR_NO_MEMORY
/// Thread-safe. Cost: one block of AVRM_MEM_INSTANCE.
AVRM_INLINE avrm_status_t avrm_instance_create(const avrm_instance_options_t *options,
                                               avrm_instance_t **instance_p) AVRM_NOEXCEPT {
  return avrm_i_instance_create(options, instance_p, AVRM_I_HEADERS);
}

/// Destroys an instance. Null is allowed.
/// @return AVRM_OK, AVRM_ERR_BUSY (an address vector that is not released, is held or has a bound
///         rankmap, a group, a rankmap with a table or dimensions, or a hierarchy that is no layout
///         exists; nothing is changed). A rankmap or hierarchy that refers to nothing holds nothing
///         of the instance: it does not count, and it may be destroyed later, but not used
/// No other call on the instance may run at the same time.
avrm_status_t avrm_instance_destroy(avrm_instance_t *instance) AVRM_NOEXCEPT;

/// Returns the memory that an instance holds, of one kind or, with AVRM_MEM_TOTAL, of all kinds.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (kind)
/// Thread-safe, lock-free. Each number was exact at some moment during the call; the three are not
/// one snapshot.
avrm_status_t avrm_instance_mem_usage(const avrm_instance_t *instance, avrm_mem_kind_t kind,
                                      avrm_mem_usage_t *usage_p) AVRM_NOEXCEPT;

/// Returns true if the instance was created strict. `instance` must not be null. Thread-safe.
bool avrm_instance_is_strict(const avrm_instance_t *instance) AVRM_NOEXCEPT;

/// Returns the cost class of the instance. `instance` must not be null. Thread-safe.
avrm_cost_t avrm_instance_cost(const avrm_instance_t *instance) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
