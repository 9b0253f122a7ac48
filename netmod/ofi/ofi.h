// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The libfabric netmod. Endpoints are reliable datagram (FI_EP_RDM). Messages use libfabric's
// tagged interface, active messages its untagged one, and puts and gets its RMA interface.
//
// The provider is the one in the configuration, otherwise the one in FI_PROVIDER, which libfabric
// itself reads, otherwise the first that libfabric offers for the hints of this netmod. ofi_rxd,
// and shm before libfabric 1.19, lose or mismatch tagged messages and are refused; use the posix
// shmmod for shared memory. If the provider has no RMA, or its writes cannot report visibility
// (FI_DELIVERY_COMPLETE), the netmod does not offer the capability, and the core emulates it.
//
// Where address space is limited (RLIMIT_AS), ofi_rxm's pools of buffers are allocated by `open`,
// which fails if 70 MB are not free. Otherwise the first long message allocates them, which takes
// 34 MB and 21 ms of processor time (libfabric 1.17, AMD EPYC).
#ifndef AVRANKMAP_NETMOD_OFI_OFI_H
#define AVRANKMAP_NETMOD_OFI_OFI_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

/// Returns the operations of the libfabric netmod, a constant.
const avrm_netmod_ops_t *avrm_netmod_ofi(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
