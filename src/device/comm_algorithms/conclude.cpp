// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/conclude.h"

namespace avrankmap::detail {

Task conclude(Channel &channel, const Bridge *bridge, CreationHost &site, avrm_status_t status, std::uint64_t digest,
              std::uint32_t seed, CreationResult *made) noexcept {
  const bool gets = made->map != nullptr;
  if (status == AVRM_OK && gets) {
    status = site.prepare(*made);
  }
  const Contribution mine{status, digest, seed};
  std::uint32_t context = Contexts::kNone;
  status = co_await agree_on_context(channel, bridge, site.contexts(), mine, &context);
  if (gets) {
    made->context = context;
  } else if (context != Contexts::kNone) {
    site.contexts().give(context);
  }
  co_return status;
}

} // namespace avrankmap::detail
