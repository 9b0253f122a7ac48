// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// How an example ends if a call returns an error or has not the expected result.
#ifndef AVRANKMAP_TESTS_TOUR_TOUR_H
#define AVRANKMAP_TESTS_TOUR_TOUR_H

#include <avrankmap/status.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exit code if the machine or the build lacks the transport.
#define TOUR_SKIPPED 77

// Exits with the name of the error if the call failed.
static inline void must(avrm_status_t status) {
  if (status != AVRM_OK) {
    fprintf(stderr, "%s\n", avrm_status_name(status));
    exit(status == AVRM_ERR_UNSUPPORTED ? TOUR_SKIPPED : 1);
  }
}

// Exits if the example did not have the expected result.
#define EXPECT(condition)                                                                                              \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                    \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

#endif
