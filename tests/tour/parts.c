// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A summary of the parts of a window is passed from the last process to the first one, which then
// knows all parts.
#include <avrankmap/directory.h>

#include "processes.h"

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  const avrm_part_t own = {0x1000 * (uint64_t)(1 + rank), 7, 64, 1};
  unsigned char bytes[AVRM_PARTS_BYTES];
  avrm_request_t *request;
  avrm_outcome_t outcome;

  avrm_parts_t all, theirs;
  must(avrm_parts_of(rank, &own, &all));
  if (rank + 1 < size) { // that process sends a summary of the ranks after ours
    must(avrm_irecv(world, bytes, sizeof bytes, rank + 1, 0, &request));
    must(avrm_wait(&request, &outcome));
    must(avrm_parts_read(bytes, outcome.bytes, &theirs));
    must(avrm_parts_append(&all, &theirs));
  }
  if (rank > 0) {
    must(avrm_parts_write(&all, bytes));
    must(avrm_isend(world, bytes, avrm_parts_bytes(&all), rank - 1, 0, &request));
    must(avrm_wait(&request, NULL));
  }

  if (rank == 0) {
    uint64_t base, key;
    avrm_directory_t targets;
    must(avrm_directory_create_summary(avrm_device_instance(device), &all, &targets));
    EXPECT(avrm_directory_target(&targets, size - 1, &base, &key) && base == 0x1000 * (uint64_t)size && key == 7);
    avrm_directory_destroy(&targets);
  }
}

int main(void) { return tour(4, example); }
