// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Umbrella header of the component, which maps (communicator, rank) to a network address.
#ifndef AVRANKMAP_AVRANKMAP_H
#define AVRANKMAP_AVRANKMAP_H

#include "avrankmap/addresses.h"
#include "avrankmap/av.h"
#include "avrankmap/ave.h"
#include "avrankmap/convert.h"
#include "avrankmap/dims.h"
#include "avrankmap/directory.h"
#include "avrankmap/group.h"
#include "avrankmap/hierarchy.h"
#include "avrankmap/instance.h"
#include "avrankmap/inverse.h"
#include "avrankmap/memory.h"
#include "avrankmap/parts.h"
#include "avrankmap/rankmap.h"
#include "avrankmap/status.h"
#include "avrankmap/version.h"

#endif
