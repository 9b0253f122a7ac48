// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reaching a part of a window natively, for the fast path.
#ifndef AVRANKMAP_SRC_RMA_ONE_SIDED_H
#define AVRANKMAP_SRC_RMA_ONE_SIDED_H

#include "core/queue.h"
#include "rma/window.h"

namespace avrankmap::detail {

// Finds a peer's part for native puts of the fast path, and the way there.
// AVRM_ERR_UNSUPPORTED if the netmod has no put without a request for it.
[[nodiscard]] avrm_status_t know_part(avrm_window_t *window, std::int32_t rank, avrm_part_t *part_p,
                                      Way *way_p) noexcept;

} // namespace avrankmap::detail

#endif
