// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Lets PMIx forget fences and requests for values, as PMIx 4.2 does if it sends them after the
// connection to its server has ended but before it has noticed. A program's own functions go before
// those of libpmix. For one source of a program.
#ifndef AVRANKMAP_TESTS_DEVICE_LAUNCH_UNANSWERED_REQUESTS_H
#define AVRANKMAP_TESTS_DEVICE_LAUNCH_UNANSWERED_REQUESTS_H

#include <dlfcn.h>
#include <pmix.h>

#include <cstddef>

namespace avrankmap::test {

inline bool forgets_requests = false;

template <typename Function> Function *next_of(Function * /*own*/, const char *name) {
  return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

} // namespace avrankmap::test

extern "C" pmix_status_t PMIx_Fence_nb(const pmix_proc_t procs[], std::size_t count, const pmix_info_t info[],
                                       std::size_t directives, pmix_op_cbfunc_t done, void *user) {
  using namespace avrankmap::test;
  return forgets_requests ? PMIX_SUCCESS
                          : next_of(&PMIx_Fence_nb, "PMIx_Fence_nb")(procs, count, info, directives, done, user);
}

// PMIx_Get, which would wait for ever, also calls this function.
extern "C" pmix_status_t PMIx_Get_nb(const pmix_proc_t *proc, const char key[], const pmix_info_t info[],
                                     std::size_t directives, pmix_value_cbfunc_t done, void *user) {
  using namespace avrankmap::test;
  return forgets_requests && directives == 0
             ? PMIX_SUCCESS
             : next_of(&PMIx_Get_nb, "PMIx_Get_nb")(proc, key, info, directives, done, user);
}

#endif
