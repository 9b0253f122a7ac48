// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// PMIx_Init of PMIx 4.2 loses five bytes, in these functions. Read by the leak checker of address sanitizer builds.

extern "C" const char *__lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
extern "C" const char *__lsan_default_options();       // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
extern "C" const char *__lsan_default_suppressions() { // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
  return "leak:pmix_rte_init\nleak:pmix_bfrops_base_value_load\n";
}
extern "C" const char *__lsan_default_options() { // NOLINT(bugprone-reserved-identifier,cert-dcl51-cpp)
  return "print_suppressions=0";
}
