// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Links several units that hold the same inline functions, and takes the address of one, as a
// foreign function interface does: all must give the same results.

#include <stdio.h>

#include "tests/headers/two_units.h"

int main(void) {
  const translate_t translations[] = {translate_in_c, translate_in_cpp_a, translate_in_cpp_b, avrm_rankmap_word};
  avrm_instance_t *instance;
  avrm_av_t *av;
  avrm_rankmap_t map;
  avrm_ave_t ave;
  if (avrm_instance_create(NULL, &instance) || avrm_av_create(instance, 10, NULL, &av) || avrm_ofi_pack(42, 0, &ave) ||
      avrm_av_set(av, 7, &ave) || avrm_rankmap_create_offset(instance, av->pgid, 5, 3, &map) ||
      avrm_rankmap_bind(&map)) {
    fprintf(stderr, "a call failed\n");
    return 1;
  }
  for (size_t i = 0; i < sizeof translations / sizeof translations[0]; ++i) {
    if (avrm_ofi_address(translations[i](&map, 4)) != 42) {
      fprintf(stderr, "translation %zu differs\n", i);
      return 1;
    }
  }
  avrm_rankmap_destroy(&map);
  avrm_av_release(av);
  return avrm_instance_destroy(instance) != AVRM_OK;
}
