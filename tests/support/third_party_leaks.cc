// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Leaks of other libraries, which the leak checker of address sanitizer builds ignores. It calls
// these two functions.

extern "C" const char *__lsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
extern "C" const char *__lsan_default_options();      // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)

extern "C" const char *__lsan_default_suppressions() { // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
  // PMIx_Init of PMIx 4.2 loses five bytes, in the first two; a PMIx_Get across hosts loses a
  // pmix_value_t in the third, in addition to the one that it returns, which we release, and a
  // PMIx_Get_nb loses in the next two the one that it passes to the callback, which must not
  // release it. A PMIx_Fence_nb loses its request if the server is gone but this is not known yet.
  // libfabric 1.17 and UCX 1.13 lose what they have for a peer that dies. They are built without
  // frame pointers, so no function can be named.
  return "leak:pmix_rte_init\n"
         "leak:pmix_bfrops_base_value_load\n"
         "leak:pmix_hash_fetch\n"
         "leak:pmix_bfrops_base_copy_value\n"
         "leak:pmix_common_dstor_fetch\n"
         "leak:PMIx_Fence_nb\n"
         "leak:libfabric.so\n"
         "leak:libucp.so\n"
         "leak:libuct.so\n"
         "leak:libucs.so\n";
}

extern "C" const char *__lsan_default_options() { // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
  return "print_suppressions=0";
}
