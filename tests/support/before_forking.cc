// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/before_forking.h"

#include <cstdlib>

#if AVRM_TEST_LIBFABRIC
#include <rdma/fabric.h>
#endif

namespace avrankmap::test {

void initialize_libfabric() {
#if AVRM_TEST_LIBFABRIC
  // A question that only an initialised library can answer.
  fi_param *parameters = nullptr;
  int count = 0;
  if (fi_getparams(&parameters, &count) == 0) {
    fi_freeparams(parameters);
  }
#endif
}

void use_small_buffers() {
  if (!is_long()) {
    (void)setenv("FI_OFI_RXM_BUFFER_SIZE", "6144", 0);
  }
}

void before_forking(const Transport &transport) {
  if (is_ofi(transport)) {
    use_small_buffers();
    initialize_libfabric();
  }
}

} // namespace avrankmap::test
