// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translates libfabric's error numbers to statuses, and keeps its messages for users.
#ifndef AVRANKMAP_NETMOD_OFI_ERROR_H
#define AVRANKMAP_NETMOD_OFI_ERROR_H

#include <sys/types.h>

#include "avrankmap/status.h"

namespace avrankmap::detail::ofi {

// Returns the status for the (positive) error number of a call or completion. A cancellation that
// was not requested means that the provider drops operations of a broken connection.
[[nodiscard]] avrm_status_t status_of(int error, bool cancel_was_asked) noexcept;

// The message of the last error.
class ErrorText {
public:
  [[nodiscard]] const char *get() const noexcept { return text_; }
  void set(const char *text) noexcept;
  // Example: "fi_tsend (tcp;ofi_rxm): Connection refused (111)". `detail` may be null.
  void set(const char *call, const char *provider, int error, const char *detail) noexcept;

private:
  char text_[256] = "no error";
};

// Returns the message of this thread's last `open` that failed: no netmod then exists to keep it.
[[nodiscard]] ErrorText &open_error() noexcept;

} // namespace avrankmap::detail::ofi

#endif
