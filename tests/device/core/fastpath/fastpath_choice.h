// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// avrm_fp_isend and avrm_fp_put as programs get them, by value of AVRM_FASTPATH.
#ifndef AVRANKMAP_TESTS_DEVICE_FASTPATH_FASTPATH_CHOICE_H
#define AVRANKMAP_TESTS_DEVICE_FASTPATH_FASTPATH_CHOICE_H

#include "avrankmap/device/netmod.h"

AVRM_BEGIN_DECLS

struct avrm_fp_comm;
struct avrm_fp_window;

typedef avrm_status_t avrm_test_isend_fn(const void *buffer, int32_t count, uintptr_t type, int32_t dest, int32_t tag,
                                         struct avrm_fp_comm *comm, avrm_request_t **request_p);
typedef avrm_status_t avrm_test_put_fn(const void *buffer, int32_t count, uintptr_t type, int32_t target,
                                       int64_t displacement, struct avrm_fp_window *window);

avrm_test_isend_fn avrm_test_isend_default, avrm_test_isend_no_err, avrm_test_isend_no_err_single,
    avrm_test_isend_no_err_single_ipo;
avrm_test_put_fn avrm_test_put_default, avrm_test_put_no_err, avrm_test_put_no_err_single,
    avrm_test_put_no_err_single_ipo;

AVRM_END_DECLS

#endif
