// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translates UCX's statuses, and keeps its messages for users.
#ifndef AVRANKMAP_NETMOD_UCX_ERROR_H
#define AVRANKMAP_NETMOD_UCX_ERROR_H

#include <ucs/type/status.h>

#include "avrankmap/status.h"

namespace avrankmap::detail::ucx {

[[nodiscard]] avrm_status_t status_of(ucs_status_t native) noexcept;

// The message of the last error.
class ErrorText {
public:
  [[nodiscard]] const char *get() const noexcept { return text_; }
  // Example: "ucp_tag_send_nbx (tcp,self): Connection reset by remote peer (-25)"
  void set(const char *what, const char *transports, ucs_status_t native) noexcept;

private:
  char text_[256] = "no error";
};

// Returns the message of this thread's last `open` that failed: no netmod then exists to keep it.
[[nodiscard]] ErrorText &open_error() noexcept;

} // namespace avrankmap::detail::ucx

#endif
