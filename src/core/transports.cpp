// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The build says what there is: AVRM_HAVE_OFI, AVRM_HAVE_UCX and AVRM_HAVE_POSIX are 0 or 1.
#include "core/transports.h"

#include <string_view>

#include "netmod/null/null_netmod.h"
#if AVRM_HAVE_OFI
#include "netmod/ofi/ofi.h"
#endif
#if AVRM_HAVE_UCX
#include "netmod/ucx/ucx.h"
#endif
#if AVRM_HAVE_POSIX
#include "shmmod/posix/posix.h"
#endif

namespace avrankmap::detail {

namespace {

template <typename Ops> const Ops *find(const Ops *const *list, const char *name) noexcept {
  for (; *list != nullptr; ++list) {
    if (name == nullptr || std::string_view((*list)->name) == name) {
      return *list;
    }
  }
  return nullptr;
}

} // namespace

const avrm_netmod_ops_t *find_netmod(const char *name) noexcept {
  const avrm_netmod_ops_t *const list[] = {
#if AVRM_HAVE_OFI
    avrm_netmod_ofi(),
#endif
#if AVRM_HAVE_UCX
    avrm_netmod_ucx(),
#endif
    avrm_netmod_null(),
    nullptr
  };
  return find(list, name);
}

const avrm_shmmod_ops_t *find_shmmod(const char *name) noexcept {
  const avrm_shmmod_ops_t *const list[] = {
#if AVRM_HAVE_POSIX
    avrm_shmmod_posix(),
#endif
    nullptr
  };
  return find(list, name);
}

} // namespace avrankmap::detail
