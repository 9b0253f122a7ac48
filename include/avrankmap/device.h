// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Umbrella header of the device: messages, windows and communicators over real networks. It does
// not include the fast path (avrankmap/device/fastpath.h), which a program may bind to a netmod
// before including it.
#ifndef AVRANKMAP_DEVICE_H
#define AVRANKMAP_DEVICE_H

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/boot.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/datatype.h"
#include "avrankmap/device/device.h"
#include "avrankmap/device/dynamic.h"
#include "avrankmap/device/environment.h"
#include "avrankmap/device/event.h"
#include "avrankmap/device/ft.h"
#include "avrankmap/device/probe.h"
#include "avrankmap/device/request.h"
#include "avrankmap/device/topo.h"

#endif
