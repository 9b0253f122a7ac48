// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/device/core/fastpath/fastpath_choice.h"

// Overrides the value that this tree was configured with.
#undef AVRM_FASTPATH_DEFAULT
#undef AVRM_FASTPATH_NO_ERR
#undef AVRM_FASTPATH_NO_ERR_SINGLE
#undef AVRM_FASTPATH_NO_ERR_SINGLE_IPO
#if defined(AVRM_TEST_IS_no_err)
#define AVRM_FASTPATH_NO_ERR
#elif defined(AVRM_TEST_IS_no_err_single)
#define AVRM_FASTPATH_NO_ERR_SINGLE
#elif defined(AVRM_TEST_IS_no_err_single_ipo)
#define AVRM_FASTPATH_NO_ERR_SINGLE_IPO
#endif
#include "avrankmap/device/fastpath.h"

#define AVRM_TEST_JOIN(a, b) a##b
#define AVRM_TEST_NAME(a, b) AVRM_TEST_JOIN(a, b)

avrm_status_t AVRM_TEST_NAME(avrm_test_isend_, AVRM_TEST_BUILD)(const void *buffer, int32_t count, uintptr_t type,
                                                                int32_t dest, int32_t tag, struct avrm_fp_comm *comm,
                                                                avrm_request_t **request_p) {
  return avrm_fp_isend(buffer, count, type, dest, tag, comm, request_p);
}

avrm_status_t AVRM_TEST_NAME(avrm_test_put_, AVRM_TEST_BUILD)(const void *buffer, int32_t count, uintptr_t type,
                                                              int32_t target, int64_t displacement,
                                                              struct avrm_fp_window *window) {
  return avrm_fp_put(buffer, count, type, target, displacement, window);
}
