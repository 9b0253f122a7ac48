// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of tables of operations (netmod.h, shmmod.h): sizes, versions, required operations.
#ifndef AVRANKMAP_SRC_CORE_TRANSPORT_TABLE_H
#define AVRANKMAP_SRC_CORE_TRANSPORT_TABLE_H

#include "avrankmap/device/shmmod.h"

namespace avrankmap::detail {

// A status, and for errors a text for users.
struct TableVerdict {
  avrm_status_t status = AVRM_OK;
  char text[160] = "";
};

// Checks whether a device can use a caller's table.
[[nodiscard]] TableVerdict check_table(const avrm_netmod_ops_t &ops) noexcept;
[[nodiscard]] TableVerdict check_table(const avrm_shmmod_ops_t &ops) noexcept;

// Checks whether an open netmod has the operations of its capabilities, and sufficient limits.
[[nodiscard]] TableVerdict check_open_netmod(const avrm_netmod_t &net) noexcept;

// Returns the table itself if it has all operations; otherwise *copy, completed from it.
[[nodiscard]] const avrm_netmod_ops_t *whole_table(const avrm_netmod_ops_t *ops, avrm_netmod_ops_t *copy) noexcept;
[[nodiscard]] const avrm_shmmod_ops_t *whole_table(const avrm_shmmod_ops_t *ops, avrm_shmmod_ops_t *copy) noexcept;

} // namespace avrankmap::detail

#endif
