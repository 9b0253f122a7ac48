// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The extents of a Cartesian grid of processes, with the semantics of MPI_Dims_create.
//
// "As close to each other as possible", which is all that MPI says, is taken to mean: of all ways to write the number of
// processes as a product, the one in which the largest and the smallest extent are the least apart; among those the one
// with the largest smallest extent, then the largest next to smallest, and so on. These are the extents that MPICH 4
// gives. Open MPI does not look at all ways, and gives others now and then.
#ifndef AVRANKMAP_DIMS_H
#define AVRANKMAP_DIMS_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

/// Fills in the extents that are 0, so that the product of all extents is the number of processes. Those that are not 0
/// stay; those that are filled in do not increase from one to the next.
/// @param processes  1 .. 2^31 - 1
/// @param count      number of dimensions; with 0 nothing is done
/// @param dims       extents; null only if count is 0
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (processes is not positive, count or an extent is negative),
///         AVRM_ERR_DIMENSIONS (the extents that are not 0 do not divide the number of processes, or none is 0 and their
///         product is another number); after an error dims is as it was.
/// Thread-safe. No memory. Cost: finds the divisors by trial up to the square root, then a search that few products
/// survive: microseconds to a millisecond.
avrm_status_t avrm_dims_create(int32_t processes, int32_t count, int32_t *dims) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
