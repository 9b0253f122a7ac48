// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/error.h"

#include <cstdio>

namespace avrankmap::detail::ucx {

avrm_status_t status_of(ucs_status_t native) noexcept {
  switch (native) {
  case UCS_OK: return AVRM_OK;
  case UCS_ERR_NO_RESOURCE:
  case UCS_ERR_BUSY: return AVRM_ERR_AGAIN;
  case UCS_ERR_NO_MEMORY: return AVRM_ERR_NO_MEMORY;
  case UCS_ERR_MESSAGE_TRUNCATED: return AVRM_ERR_TRUNCATED;
  case UCS_ERR_CANCELED: return AVRM_ERR_CANCELLED;
  // Statuses with which transports report a lost peer. tcp cannot connect to a peer that ended
  // before first contact. A segment that cannot be attached, or memory that cannot be copied,
  // belonged to a process that has ended.
  case UCS_ERR_CONNECTION_RESET:
  case UCS_ERR_ENDPOINT_TIMEOUT:
  case UCS_ERR_TIMED_OUT:
  case UCS_ERR_NOT_CONNECTED:
  case UCS_ERR_REJECTED:
  case UCS_ERR_UNREACHABLE:
  case UCS_ERR_SHMEM_SEGMENT: return AVRM_ERR_PEER;
  default: return UCS_IS_LINK_ERROR(native) || UCS_IS_ENDPOINT_ERROR(native) ? AVRM_ERR_PEER : AVRM_ERR_TRANSPORT;
  }
}

void ErrorText::set(const char *what, const char *transports, ucs_status_t native) noexcept {
  (void)std::snprintf(text_, sizeof text_, "%s (%s): %s (%d)", what, transports, ucs_status_string(native),
                      static_cast<int>(native));
}

ErrorText &open_error() noexcept {
  static thread_local ErrorText text;
  return text;
}

} // namespace avrankmap::detail::ucx
