// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Reaching a part of a window natively, for the fast path.
#ifndef AVRANKMAP_SRC_RMA_ONE_SIDED_H
#define AVRANKMAP_SRC_RMA_ONE_SIDED_H

#include "rma/window.h"

namespace avrankmap::detail {

// Finds the remote address, key (for the communicator's queue, if it has one) and size of a peer's
// part, for native puts of the fast path. From then on every flush of this peer asks the netmod.
// AVRM_ERR_UNSUPPORTED if the netmod has no put without a request for it.
[[nodiscard]] avrm_status_t reach_natively(avrm_window_t *window, std::int32_t rank, std::uint64_t *remote_p,
                                           std::uint64_t *key_p, std::uint64_t *bytes_p) noexcept;

} // namespace avrankmap::detail

#endif
