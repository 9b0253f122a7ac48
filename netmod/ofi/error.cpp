// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ofi/error.h"

#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include <cerrno>
#include <cstdio>

namespace avrankmap::detail::ofi {

avrm_status_t status_of(int error, bool cancel_was_asked) noexcept {
  switch (error) {
  case 0: return AVRM_OK;
  case FI_EAGAIN: return AVRM_ERR_AGAIN;
  case FI_ENOMEM: return AVRM_ERR_NO_MEMORY;
  case FI_ETRUNC: return AVRM_ERR_TRUNCATED;
  case FI_ECANCELED: return cancel_was_asked ? AVRM_ERR_CANCELLED : AVRM_ERR_PEER;
  case FI_ECONNREFUSED:
  case FI_ECONNABORTED:
  case FI_ECONNRESET:
  case FI_ENOTCONN:
  case FI_ESHUTDOWN:
  case FI_EHOSTDOWN:
  case FI_EHOSTUNREACH:
  case FI_ENETUNREACH:
  case FI_ETIMEDOUT:
  case ESRCH: // libfabric's shared memory: the process does not exist
  case EPIPE: return AVRM_ERR_PEER;
  default: return AVRM_ERR_TRANSPORT;
  }
}

void ErrorText::set(const char *text) noexcept { (void)std::snprintf(text_, sizeof text_, "%s", text); }

void ErrorText::set(const char *call, const char *provider, int error, const char *detail) noexcept {
  const bool has_detail = detail != nullptr && *detail != '\0';
  (void)std::snprintf(text_, sizeof text_, "%s (%s): %s (%d)%s%s", call, provider, fi_strerror(error), error,
                      has_detail ? "; " : "", has_detail ? detail : "");
}

ErrorText &open_error() noexcept {
  static thread_local ErrorText text;
  return text;
}

} // namespace avrankmap::detail::ofi
