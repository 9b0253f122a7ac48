// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The functions that address_instructions_test.cc counts. Compiled as C with -O2 -fPIC whatever the
// build type, which is how the inline functions end up inside a libmpi.so.
#ifndef AVRANKMAP_TESTS_AV_ADDRESS_PROBES_H
#define AVRANKMAP_TESTS_AV_ADDRESS_PROBES_H

#include "avrankmap/addresses.h"

AVRM_BEGIN_DECLS

// Word k, and what that would be with one address per peer.
uint64_t avrm_test_count_further(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k);
uint64_t avrm_test_count_only(const avrm_av_t *av, int32_t lpid, uint64_t word0, size_t k);

// Word 0 from the element.
uint64_t avrm_test_count_element(const avrm_av_t *av, int32_t lpid);

// From an address word to a network address, or to the local rank of a peer on the own node, which
// are passed on to the next two functions. These are defined elsewhere.
int avrm_test_count_ofi_send(uint64_t word);
int avrm_test_count_ucx_send(uint64_t word);
int avrm_test_count_network(uint64_t address);
int avrm_test_count_local(uint32_t local_rank);

AVRM_END_DECLS

#endif
