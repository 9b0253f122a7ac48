// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/support/before_forking.h"

#include <cstdlib>
#include <string_view>

#include "tests/support/settings.h"

#if AVRM_TEST_LIBFABRIC
#include <rdma/fabric.h>
#endif

namespace avrankmap::test {

namespace {

// In short runs: smaller buffers for libfabric's ofi_rxm, which clears 65 MB of them whenever it is
// opened, and 24 MB now; and fewer, of which it fills 128 for each connection, and 16 now. Before
// main(), since the first test that initialises libfabric settles it for all of its program.
[[maybe_unused]] const bool has_small_buffers =
    !is_long() && setenv("FI_OFI_RXM_BUFFER_SIZE", "6144", 0) == 0 && setenv("FI_OFI_RXM_MSG_RX_SIZE", "16", 0) == 0;

} // namespace

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

void before_forking(const Transport &transport) {
  if (is_ofi(transport)) {
    initialize_libfabric();
  }
}

bool is_refused([[maybe_unused]] const Transport &transport) {
#if AVRM_TEST_LIBFABRIC
  return std::string_view(transport.name) == "ofi_shm" && fi_version() < FI_VERSION(1, 19);
#else
  return false;
#endif
}

} // namespace avrankmap::test
