// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The null network as a netmod: it issues everything and delivers nothing. A template for new
// netmods.
#ifndef AVRANKMAP_NETMOD_NULL_NULL_H
#define AVRANKMAP_NETMOD_NULL_NULL_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// The operations of the null netmod. Sends (including synchronous ones) and puts are written to a
/// work queue and complete at once. Receives stay pending until they are cancelled. Gets complete
/// and leave the buffer unchanged. Peers' addresses are numbers in the order of insertion.
const avrm_netmod_ops_t *avrm_netmod_null(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
