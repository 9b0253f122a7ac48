// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Extents of a Cartesian grid of processes, with the semantics of MPI_Dims_create.
//
// MPI asks for extents "as close to each other as possible". This library chooses the factorisation
// with the smallest difference between the largest and the smallest extent; among those, the one
// with the largest smallest extent, then the largest second smallest, and so on. MPICH 4 returns
// the same extents. Open MPI does not search all factorisations and sometimes returns different
// ones.
//
// Compute the extents of a two-dimensional grid (tests/tour/communicators.c):
//
//   must(avrm_dims_create(avrm_comm_size(world), 2, dims)); // {2, 2} for 4 processes
#ifndef AVRANKMAP_DIMS_H
#define AVRANKMAP_DIMS_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

/// Replaces the extents that are 0, so that the product of all extents is the number of processes.
/// Other extents are unchanged. The new extents never increase from one dimension to the next.
/// @param processes  1 .. 2^31 - 1
/// @param count      number of dimensions; 0 is a no-op
/// @param dims       extents; may be null if count is 0
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (processes is not positive, or count or an extent
///         is negative), AVRM_ERR_DIMENSIONS (the product of the given extents does not divide the
///         number of processes, or differs from it while no extent is 0); after an error dims is
///         unchanged
/// Thread-safe. Allocates no memory. Cost: trial division up to the square root and a pruned
/// search, between a microsecond and a millisecond.
avrm_status_t avrm_dims_create(int32_t processes, int32_t count, int32_t *dims) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
