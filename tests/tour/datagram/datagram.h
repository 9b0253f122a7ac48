// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An example of a netmod: Unix datagrams between processes of one machine. README.md explains it
// step by step.
#ifndef AVRANKMAP_TESTS_TOUR_DATAGRAM_H
#define AVRANKMAP_TESTS_TOUR_DATAGRAM_H

#include <avrankmap/device/binding.h>

AVRM_BEGIN_DECLS

// The netmod's operations, for netmod_ops of avrm_device_options_t.
const avrm_netmod_ops_t *datagram_netmod(void) AVRM_NOEXCEPT;

// The `tinject` of these operations.
avrm_status_t datagram_tinject(avrm_netmod_t *netmod, const void *buffer, size_t bytes, uint64_t handle,
                               uint64_t match);

// Binds the fast path to the netmod. If the network is full, the library's function continues.
static inline avrm_status_t datagram_fp_tinject(const void *buffer, size_t bytes, uint64_t handle, uint64_t match,
                                                avrm_netmod_t *netmod) AVRM_NOEXCEPT {
  const avrm_status_t status = datagram_tinject(netmod, buffer, bytes, handle, match);
  return status == AVRM_OK ? AVRM_OK : avrm_i_fp_tinject(buffer, bytes, handle, match, netmod);
}
#define DATAGRAM_BINDING                                                                                               \
  { "datagram", AVRM_CODEC_OFI, datagram_fp_tinject, avrm_i_fp_table_put_inject }

AVRM_END_DECLS

#endif
