// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For 32-bit processors (tests/cross.sh): tables that exceed the address space are refused, even if
// their sizes modulo 2^32 are small. 64-bit processors grant them.
#include <stdio.h>

#include "avrankmap/avrankmap.h"
#include "avrankmap/hierarchy.h"

static int failures;

static void expect(avrm_status_t expected, avrm_status_t status, const char *what) {
  if (status != expected) {
    printf("%s: %s instead of %s\n", what, avrm_status_name(status), avrm_status_name(expected));
    ++failures;
  }
}

static uint64_t key_of(void *context, avrm_gpid_t process) {
  (void)context;
  return (uint64_t)process.lpid;
}

int main(void) {
  const int32_t half = 1 << 30;
  avrm_instance_options_t options = {0};
  avrm_instance_t *instance = NULL;
  avrm_av_t *av = NULL;
  avrm_rankmap_t map;
  avrm_rankmap_t child;
  avrm_hierarchy_t hierarchy;
  options.strict = true; // a child of a strided map takes a table
  expect(AVRM_OK, avrm_instance_create(&options, &instance), "instance");
  // The elements take 2^32 + 8 bytes.
  expect(AVRM_ERR_NO_MEMORY, avrm_av_create(instance, 357913942, NULL, &av), "address vector");
  expect(AVRM_OK, avrm_rankmap_create_stride(instance, 0, half, 0, 2, &map), "map");
  // The table takes 2^32 + 12 bytes, the scratch memory 2^32.
  expect(AVRM_ERR_NO_MEMORY, avrm_rankmap_create_child_regular(&map, half - 1, 1, 1, 1, 0, &child), "table");
  expect(AVRM_ERR_NO_MEMORY, avrm_hierarchy_create_function(&map, key_of, NULL, &hierarchy), "hierarchy");
  avrm_rankmap_destroy(&map);
  expect(AVRM_OK, avrm_instance_destroy(instance), "end");
  return failures != 0;
}
