// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device with the state of all its parts, in one block. The core knows only its own part.
#ifndef AVRANKMAP_SRC_DEVICE_WHOLE_H
#define AVRANKMAP_SRC_DEVICE_WHOLE_H

#include "comm_calls/pending.h"
#include "core/device.h"
#include "dynamic/state.h"
#include "p2p/matcher.h"
#include "rma/window.h"

namespace avrankmap::detail {

struct WholeDevice : avrm_device {
  // cppcheck-suppress uninitMemberVar ; on purpose
  WholeDevice(avrm_instance_t *component, const Upcalls &calls) noexcept
      : avrm_device(component, calls), matcher_part(component->memory), creations_part(this, component->memory) {
    matcher = &matcher_part;
    windows = &windows_part;
    creations = &creations_part;
    dynamic = &dynamic_part;
  }

  Matcher matcher_part;
  Windows windows_part;
  PendingCreations creations_part;
  DynamicState dynamic_part;
};

} // namespace avrankmap::detail

#endif
