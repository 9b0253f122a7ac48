// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// avrankmap: from (communicator, rank) to a network address in a few instructions and a few bytes. Umbrella header.
#ifndef AVRANKMAP_AVRANKMAP_H
#define AVRANKMAP_AVRANKMAP_H

#include "avrankmap/av.h"
#include "avrankmap/ave.h"
#include "avrankmap/dims.h"
#include "avrankmap/group.h"
#include "avrankmap/instance.h"
#include "avrankmap/inverse.h"
#include "avrankmap/memory.h"
#include "avrankmap/rankmap.h"
#include "avrankmap/status.h"
#include "avrankmap/version.h"

#endif
