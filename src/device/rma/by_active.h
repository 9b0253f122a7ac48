// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets by active messages, for parts that are not mapped, if the network has no operation
// for them.
#ifndef AVRANKMAP_SRC_RMA_BY_ACTIVE_H
#define AVRANKMAP_SRC_RMA_BY_ACTIVE_H

#include "rma/one_sided.h"

namespace avrankmap::detail {

// `origin` and `remote` have the same number of bytes, which is not 0.
[[nodiscard]] avrm_status_t put_by_active(avrm_window_t *window, Target *target, const Data &origin, const Data &remote,
                                          PutEnd end, avrm_request_t **request_p) noexcept;
[[nodiscard]] avrm_status_t get_by_active(avrm_window_t *window, Target *target, const Data &origin, const Data &remote,
                                          avrm_request_t **request_p) noexcept;

} // namespace avrankmap::detail

#endif
