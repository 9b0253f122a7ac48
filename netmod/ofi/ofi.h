// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The libfabric netmod. Endpoints are reliable datagram (FI_EP_RDM); two-sided messages are libfabric's tagged ones,
// active messages its untagged ones, puts and gets its RMA.
//
// Provider: the configuration's, else FI_PROVIDER, which libfabric itself obeys, else the first that libfabric offers
// for what is asked of it. A provider without RMA, or whose writes cannot say that they are visible
// (FI_DELIVERY_COMPLETE), is used all the same; the capabilities then say so and the core emulates.
#ifndef AVRANKMAP_NETMOD_OFI_OFI_H
#define AVRANKMAP_NETMOD_OFI_OFI_H

#include "avrankmap/netmod.h"

AVRM_BEGIN_DECLS

/// The operations of the libfabric netmod. A constant.
const avrm_netmod_ops_t *avrm_netmod_ofi(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
