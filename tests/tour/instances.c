// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An instance with the caller's allocator, its memory usage, and the variables that devices read.
#include <avrankmap/device/environment.h>
#include <avrankmap/rankmap.h>

#include "tour.h"

static void *allocate(void *user, size_t size, size_t alignment, avrm_mem_kind_t kind) {
  (void)kind;
  void *const block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (block != NULL)
    *(uint64_t *)user += size; // atomically if there are several threads
  return block == NULL ? NULL : memset(block, 0, size);
}

static void release(void *user, void *block, size_t size, size_t alignment, avrm_mem_kind_t kind) {
  (void)alignment;
  (void)kind;
  *(uint64_t *)user -= size;
  free(block);
}

static void use_hooks(void) {
  uint64_t bytes = 0;
  const avrm_allocator_t hooks = {allocate, release, &bytes};
  avrm_instance_options_t options = {0};
  avrm_instance_t *instance;
  options.allocator = &hooks;
  options.cost = AVRM_COST_BYTES;
  must(avrm_instance_create(&options, &instance));

  avrm_av_t *world;
  must(avrm_av_create(instance, 1000, NULL, &world));
  avrm_mem_usage_t av, all;
  must(avrm_instance_mem_usage(instance, AVRM_MEM_AV, &av)); // 64 bytes + 12 per process
  must(avrm_instance_mem_usage(instance, AVRM_MEM_TOTAL, &all));
  EXPECT(av.live_bytes == 64 + 12 * 1000 && all.live_bytes == bytes);

  avrm_av_release(world);
  must(avrm_instance_destroy(instance));
  EXPECT(bytes == 0);
}

static size_t list_variables(void) {
  size_t count, settings = 0;
  const avrm_variable_t *row = avrm_environment_list(&count);
  for (const avrm_variable_t *end = row + count; row != end; ++row)
    if (row->kind == AVRM_VARIABLE_OWN) {
      printf("%s: %s. Default: %s\n", row->name, row->values, row->default_value);
      ++settings;
    }
  return settings;
}

int main(void) {
  use_hooks();
  EXPECT(list_variables() > 0);
  return 0;
}
