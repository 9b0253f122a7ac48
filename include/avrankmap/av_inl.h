// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies of av.h.
#ifndef AVRANKMAP_AV_INL_H
#define AVRANKMAP_AV_INL_H

#include "avrankmap/av.h"

AVRM_BEGIN_DECLS

AVRM_INLINE const avrm_ave_t *avrm_av_ave(const avrm_av_t *av, int32_t lpid) AVRM_NOEXCEPT {
  return av->elements + (uint32_t)lpid;
}

AVRM_END_DECLS

#endif
