// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// All schemes that the component is compared with. Umbrella header; scheme.h says what they
// have in common.
#pragma once

#include "baseline/groups.h"
#include "baseline/mpich4.h"
#include "baseline/mpich5.h"
#include "baseline/ompi_sparse.h"
#include "baseline/raw.h"
#include "baseline/scheme.h"
#include "baseline/translation_caches.h"
#include "baseline/vc_vcrt.h"
#include "baseline/world_rectangles.h"
