// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The target side of windows: requests of peers in active messages, and failed peers.
#ifndef AVRANKMAP_SRC_RMA_WINDOW_SERVICE_H
#define AVRANKMAP_SRC_RMA_WINDOW_SERVICE_H

#include "rma/window.h"

namespace avrankmap::detail {

// Implement Upcalls::on_active and Upcalls::reject_active.
[[nodiscard]] bool handle_active(avrm_device_t *device, const ActiveHeader &header, const void *payload,
                                 std::size_t bytes) noexcept;
[[nodiscard]] bool reject_active(avrm_device_t *device, const ActiveHeader &header, bool only_extends) noexcept;
// Answers peers that asked for a window before it was created or its creation failed. Called again
// by progress if there is no room for the answers.
void answer_early_requests(avrm_device_t *device) noexcept;
// Completes operations that wait for answers of failed processes.
void fail_one_sided(avrm_device_t *device) noexcept;
// Forgets peers' requests for windows that were never created.
void drop_early_requests(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
