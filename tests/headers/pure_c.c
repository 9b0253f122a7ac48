// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The whole way from an address to a rank and back, in C11.

#include <avrankmap/avrankmap.h>
#include <stdio.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                                    \
      return 1;                                                                                                        \
    }                                                                                                                  \
  } while (0)

int main(void) {
  avrm_instance_t *instance;
  CHECK(avrm_instance_create(NULL, &instance) == AVRM_OK);

  avrm_av_t *av;
  CHECK(avrm_av_create(instance, 100, NULL, &av) == AVRM_OK);
  for (int32_t lpid = 0; lpid < 100; ++lpid) {
    avrm_ave_t ave;
    CHECK(avrm_ofi_pack(1000 + (uint64_t)lpid, (uint32_t)lpid / 8, &ave) == AVRM_OK);
    CHECK(avrm_av_set(av, lpid, &ave) == AVRM_OK);
  }

  // Backwards in steps of 3, then every fifth of these from the second on.
  avrm_rankmap_t parent;
  avrm_rankmap_t child;
  const int32_t ranks[] = {1, 6, 11, 16, 21, 26, 31};
  CHECK(avrm_rankmap_create_stride(instance, av->pgid, 33, 99, -3, &parent) == AVRM_OK);
  CHECK(avrm_rankmap_create_child(&parent, 7, ranks, AVRM_RANKMAP_UNIQUE, &child) == AVRM_OK);
  CHECK(avrm_rankmap_bind(&child) == AVRM_OK);
  for (int32_t rank = 0; rank < avrm_rankmap_size(&child); ++rank) {
    const int32_t lpid = 99 - 3 * (1 + 5 * rank);
    const uint64_t word = avrm_rankmap_word(&child, rank);
    CHECK(avrm_ofi_is_network(word));
    CHECK(avrm_ofi_address(word) == 1000 + (uint64_t)lpid);
    CHECK(avrm_rankmap_node(&child, rank) == (uint32_t)lpid / 8);
    CHECK(avrm_rankmap_gpid(&child, rank).lpid == lpid);
    CHECK(avrm_rankmap_gpid(&child, rank).pgid == av->pgid);
  }
  CHECK(avrm_rankmap_create_stride(instance, av->pgid, 33, 99, 0, &parent) == AVRM_ERR_STRIDE);

  avrm_rankmap_destroy(&child);
  avrm_rankmap_destroy(&parent);
  avrm_av_release(av);
  CHECK(avrm_instance_destroy(instance) == AVRM_OK);
  return 0;
}
