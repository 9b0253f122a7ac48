// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The passive side of windows: requests of peers by active message, and failed peers.
#ifndef AVRANKMAP_SRC_RMA_WINDOW_SERVICE_H
#define AVRANKMAP_SRC_RMA_WINDOW_SERVICE_H

#include "rma/window.h"

namespace avrankmap::detail {

void handle_active(avrm_device_t *device, const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept;
// Answers peers that asked for a window before it was created. `window` is null if its
// creation failed.
void answer_early_requests(avrm_device_t *device, std::uint64_t id, avrm_window_t *window) noexcept;
// Completes operations that wait for answers of failed processes.
void fail_one_sided(avrm_device_t *device) noexcept;
// Forgets peers' requests for windows that were never created.
void drop_early_requests(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
