// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How a program without us opens a network for messages.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_OPENING_BARE_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_OPENING_BARE_H

#include "device/transports/list.h"

#include <functional>

namespace avrankmap::bench {

/// Opens an endpoint of libfabric or a worker of UCX, which stays open. Calls after_query() behind
/// the library's first call. False if this build or this machine lacks the transport.
bool open_bare(const Transport &transport, const std::function<void()> &after_query);

} // namespace avrankmap::bench

#endif
