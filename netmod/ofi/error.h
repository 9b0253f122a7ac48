// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// From libfabric's error numbers to statuses; and its words, kept for people.
#ifndef AVRANKMAP_NETMOD_OFI_ERROR_H
#define AVRANKMAP_NETMOD_OFI_ERROR_H

#include <sys/types.h>

#include "avrankmap/status.h"

namespace avrankmap::detail::ofi {

// Status for the error number of a call or of a completion (positive). A cancellation that nobody asked for is how
// providers flush what they still hold for a connection that broke.
[[nodiscard]] avrm_status_t status_of(int error, bool cancel_was_asked) noexcept;

// Text of the last error.
class ErrorText {
public:
  [[nodiscard]] const char *get() const noexcept { return text_; }
  void set(const char *text) noexcept;
  // "fi_tsend (tcp;ofi_rxm): Connection refused (111)"; `detail` may be null.
  void set(const char *call, const char *provider, int error, const char *detail) noexcept;

private:
  char text_[256] = "no error";
};

// Why the last attempt of this thread to open a netmod failed: there is no netmod then that could keep the text.
[[nodiscard]] ErrorText &open_error() noexcept;

} // namespace avrankmap::detail::ofi

#endif
