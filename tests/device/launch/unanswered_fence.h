// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lets PMIx forget a fence, as PMIx 4.2 does with a request that it sends after the connection to
// its server has ended but before it has noticed. A program's own function goes before that of
// libpmix. For one source of a program.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCH_UNANSWERED_FENCE_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCH_UNANSWERED_FENCE_H

#include <dlfcn.h>
#include <pmix.h>

#include <cstddef>

namespace avrankmap::test {

inline bool forgets_fences = false;

} // namespace avrankmap::test

extern "C" pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], std::size_t count, const pmix_info_t info[],
                                       std::size_t directives, pmix_op_cbfunc_t done, void *user) {
  if (avrankmap::test::forgets_fences) {
    return PMIX_SUCCESS;
  }
  using Function = decltype(&PMIx_Fence_nb);
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMIx_Fence_nb"))(procs, count, info, directives, done, user);
}

#endif
