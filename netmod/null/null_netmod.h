// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The null network as a netmod: everything is issued and nothing arrives. The template for new netmods.
#ifndef AVRANKMAP_NETMOD_NULL_NULL_NETMOD_H
#define AVRANKMAP_NETMOD_NULL_NULL_NETMOD_H

#include "avrankmap/netmod.h"

AVRM_BEGIN_DECLS

/// The null netmod. Sends and puts are written to a work queue and complete at once; receives stay posted until they are
/// cancelled; gets complete and leave the buffer as it is. Peers' addresses are numbers in order of insertion.
const avrm_netmod_ops_t *avrm_netmod_null(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
