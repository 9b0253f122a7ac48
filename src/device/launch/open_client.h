// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Joins the job of a launcher as its client. Each function is in a separate folder, and only in
// builds that found the client library (AVRM_HAVE_PMIX, AVRM_HAVE_PMI2).
#ifndef AVRANKMAP_SRC_LAUNCH_OPEN_CLIENT_H
#define AVRANKMAP_SRC_LAUNCH_OPEN_CLIENT_H

#include <chrono>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "launch/boot.h"

namespace avrankmap::detail {

// Return AVRM_OK, AVRM_ERR_BOOT, AVRM_ERR_SYSTEM, AVRM_ERR_NO_MEMORY, or AVRM_ERR_TIMEOUT (the
// limit passed before all processes had called this; 0: no limit).
[[nodiscard]] avrm_status_t open_pmix(std::chrono::seconds limit, std::unique_ptr<avrm_boot> *boot_p) noexcept;
[[nodiscard]] avrm_status_t open_pmi2(std::chrono::seconds limit, std::unique_ptr<avrm_boot> *boot_p) noexcept;

// Implements both: creates a Boot, whose `join` returns a status or throws.
template <typename Boot>
avrm_status_t open_client(std::chrono::seconds limit, std::unique_ptr<avrm_boot> *boot_p) noexcept {
  try {
    auto boot = std::make_unique<Boot>();
    boot->open_limit = limit;
    const avrm_status_t status = boot->join();
    if (status == AVRM_OK) {
      *boot_p = std::move(boot);
    }
    return status;
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  } catch (const std::system_error &) { // no thread can be created
    return AVRM_ERR_SYSTEM;
  }
}

} // namespace avrankmap::detail

#endif
