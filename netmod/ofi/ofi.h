// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The libfabric netmod. Endpoints are reliable datagram (FI_EP_RDM). Messages are libfabric's
// tagged ones, active messages its untagged ones, puts and gets its RMA.
//
// Provider: that of the configuration, otherwise that of FI_PROVIDER, which libfabric itself reads,
// otherwise the first that libfabric offers for these hints. ofi_rxd, and shm before libfabric
// 1.19, lose or mismatch tagged messages and are refused; use the posix shmmod for shared memory. A
// provider without RMA, or whose writes cannot report visibility (FI_DELIVERY_COMPLETE), lacks the
// capability, and the core emulates it.
//
// Where address space is limited (RLIMIT_AS), ofi_rxm's pools of buffers are allocated by `open`,
// which fails if 70 MB are not free. Otherwise the first long message allocates them: 34 MB,
// and 21 of 145 ms of the processor's time (libfabric 1.17, AMD EPYC).
#ifndef AVRANKMAP_NETMOD_OFI_OFI_H
#define AVRANKMAP_NETMOD_OFI_OFI_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// Returns the operations of the libfabric netmod, a constant.
const avrm_netmod_ops_t *avrm_netmod_ofi(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
