// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Error codes of MPICH from statuses.
#ifndef AVRANKMAP_ADAPTER_MPICH4_ERROR_H
#define AVRANKMAP_ADAPTER_MPICH4_ERROR_H

#include "avrankmap/avrankmap.h"

int MPIDIU_avrm_error(avrm_status_t status, const char *function, int line);
#define MPIDIU_AVRM_ERROR(status) MPIDIU_avrm_error(status, __func__, __LINE__)

#endif
