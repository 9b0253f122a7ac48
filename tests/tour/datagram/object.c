// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The function that a shared object with the netmod exports (AVRM_NETMOD_SYMBOL).
#include "datagram.h"

const avrm_netmod_ops_t *avrm_netmod(void);
const avrm_netmod_ops_t *avrm_netmod(void) { return datagram_netmod(); }
