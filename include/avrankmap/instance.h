// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An instance is an independent copy of the component: an allocator, its memory accounting, and the
// directory of the process groups that this process can reach. Instances share nothing, so one
// process can hold several devices, each with its own. The only global state is cached facts about
// the system.
//
// Query the bytes that an instance holds (tests/tour/instances.c):
//
//   must(avrm_instance_mem_usage(instance, AVRM_MEM_AV, &av)); // 64 bytes + 12 per process
//   must(avrm_instance_mem_usage(instance, AVRM_MEM_TOTAL, &all));
#ifndef AVRANKMAP_INSTANCE_H
#define AVRANKMAP_INSTANCE_H

#include "avrankmap/memory.h"
#include "avrankmap/version.h"

AVRM_BEGIN_DECLS

/// An instance: an allocator, its accounting, and process groups.
typedef struct avrm_instance avrm_instance_t;

/// Cost class: how to store a rankmap that has no regular mode (direct, offset, stride, blocked).
/// The plain table (lut or mlut) is fastest. Carts, segments and less maps (rankmap.h), each slower
/// than the one before, take fewer bytes where they apply. No class chooses a form that is larger
/// than the plain table.
typedef enum avrm_cost {
  /// The default. A slower form is chosen only if it saves at least a page (AVRM_COST_PAGE bytes)
  /// over each faster one. Maps of fewer than 1,024 ranks in one process group, or 512 in several,
  /// therefore keep their plain table.
  AVRM_COST_BALANCED = 0,
  /// The smallest form; the faster one if two are equally small.
  AVRM_COST_BYTES = 1,
  /// Always the plain table, never compressed.
  AVRM_COST_SPEED = 2,
} avrm_cost_t;

/// Bytes that a slower form must save with AVRM_COST_BALANCED, whatever the system's page size.
#define AVRM_COST_PAGE 4096

/// Options of avrm_instance_create. All zero: the defaults.
typedef struct avrm_instance_options {
  /// Allocator, copied. Null selects the built-in one: malloc for small blocks and, at any size,
  /// for rankmaps' tables, segments and scratch memory; fresh pages for other blocks of 64 KiB or
  /// more.
  const avrm_allocator_t *allocator;
  /// Chooses modes only by the published method: Table II of the AV-Rankmap paper as printed, then
  /// a scan for an affine or blocked form if the result would be a table. By default a closed form,
  /// wherever one exists, replaces a table.
  bool strict;
  /// Cost class. A strict instance ignores it.
  avrm_cost_t cost;
  /// Disables interning: rankmaps with equal tables, and hierarchies with equal content, share a
  /// copy only if one was created from the other. A strict instance never interns.
  bool no_interning;
} avrm_instance_options_t;

/// Called by avrm_instance_create with the version of the headers with which the caller was
/// compiled.
avrm_status_t avrm_i_instance_create(const avrm_instance_options_t *options, avrm_instance_t **instance_p,
                                     uint64_t headers) AVRM_NOEXCEPT;

/// Creates an instance.
/// @param options     null for the defaults
/// @param instance_p  receives the instance; destroy it with avrm_instance_destroy
/// @return AVRM_OK, AVRM_ERR_VERSION (headers and library differ), AVRM_ERR_NULL (instance_p, or an
///         allocator with a null function), AVRM_ERR_OPTION (cost), AVRM_ERR_NO_MEMORY
/// Thread-safe. Cost: one block of AVRM_MEM_INSTANCE.
AVRM_INLINE avrm_status_t avrm_instance_create(const avrm_instance_options_t *options,
                                               avrm_instance_t **instance_p) AVRM_NOEXCEPT {
  return avrm_i_instance_create(options, instance_p, AVRM_I_HEADERS);
}

/// Destroys an instance. Null is a no-op. No other call on the instance may run concurrently.
/// @return AVRM_OK, AVRM_ERR_BUSY (an object that takes memory of the instance still exists;
///         nothing is changed)
/// Such objects are address vectors (unless released and neither held nor bound), groups, rankmaps
/// of the modes lut, mlut, segments, cart and less, hierarchies other than layouts, and directories
/// of windows in the form "records" or "tables". Other rankmaps and hierarchies may be destroyed
/// after the instance, but not used.
avrm_status_t avrm_instance_destroy(avrm_instance_t *instance) AVRM_NOEXCEPT;

/// Returns the memory that an instance holds: of one kind, or in total with AVRM_MEM_TOTAL.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (kind)
/// Thread-safe, lock-free. Each of the three numbers was exact at some moment during the call, not
/// necessarily the same one.
avrm_status_t avrm_instance_mem_usage(const avrm_instance_t *instance, avrm_mem_kind_t kind,
                                      avrm_mem_usage_t *usage_p) AVRM_NOEXCEPT;

/// Returns true if the instance was created strict. `instance` must not be null. Thread-safe.
bool avrm_instance_is_strict(const avrm_instance_t *instance) AVRM_NOEXCEPT;

/// Returns the cost class of the instance. `instance` must not be null. Thread-safe.
avrm_cost_t avrm_instance_cost(const avrm_instance_t *instance) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
