// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What an operation of MPICH does before it calls libfabric, for counting instructions.
#ifndef AVRANKMAP_TESTS_ADAPTER_MPICH5_PROBES_H
#define AVRANKMAP_TESTS_ADAPTER_MPICH5_PROBES_H

#include "tests/adapter/mpich5/ofi_impl.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The root address of a rank, or its local rank if shared memory reaches it.
uint64_t avrm_test_mpich5_root(MPIR_Comm *comm, int rank);

/// The same of a rank in the own world, for windows.
uint64_t avrm_test_mpich5_direct(int rank);

/// The same with one of several addresses, for the root endpoint of this process.
uint64_t avrm_test_mpich5_further(MPIR_Comm *comm, int rank, int vci, int nic);

#ifdef __cplusplus
}
#endif

#endif
