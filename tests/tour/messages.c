// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Each process of a ring sends to the next one, and receives from anybody.
#include <avrankmap/device/blocks.h>

#include "processes.h"

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  const int32_t next = (rank + 1) % size;
  (void)device;

  double out[3] = {rank, rank, rank}, in[3];
  avrm_request_t *sent, *received;
  avrm_outcome_t outcome;
  must(avrm_irecv(world, in, sizeof in, AVRM_ANY_SOURCE, 7, &received));
  must(avrm_isend(world, out, sizeof out, next, 7, &sent));
  must(avrm_wait(&received, &outcome)); // outcome.source sent outcome.bytes bytes
  must(avrm_wait(&sent, NULL));

  EXPECT((outcome.source + 1) % size == rank);
  EXPECT(outcome.bytes == sizeof in);
  EXPECT(in[2] == outcome.source);

  must(avrm_issend(world, out, sizeof out, next, 9, &sent));
  must(avrm_irecv(world, in, sizeof in, outcome.source, 9, &received));
  must(avrm_wait(&sent, NULL)); // the next process has begun to receive it
  must(avrm_wait(&received, NULL));
  EXPECT(in[0] == outcome.source);

  double matrix[4][5] = {{0}}, column[4];
  for (int row = 0; row < 4; ++row)
    matrix[row][1] = 10 * rank + row;
  const avrm_layout_t second = {sizeof(double), 4, sizeof matrix[0]}; // block, count, pitch
  must(avrm_irecv(world, column, sizeof column, outcome.source, 8, &received));
  must(avrm_isend_strided(world, &matrix[0][1], &second, next, 8, &sent));
  must(avrm_wait(&received, NULL));
  must(avrm_wait(&sent, NULL));
  EXPECT(column[3] == 10 * outcome.source + 3);

  double square[4][4], triangle[10];
  for (int i = 0; i < 16; ++i)
    square[i / 4][i % 4] = 100 * rank + i;
  avrm_block_t rows[4];
  for (int row = 0; row < 4; ++row) {
    rows[row].offset = (char *)&square[row][row] - (char *)square;
    rows[row].bytes = (size_t)(4 - row) * sizeof(double);
  }
  const avrm_blocks_t upper = {rows, 4};
  must(avrm_irecv(world, triangle, sizeof triangle, outcome.source, 9, &received));
  must(avrm_isend_blocks(world, square, &upper, next, 9, &sent));

  must(avrm_wait(&received, NULL));
  must(avrm_wait(&sent, NULL));
  EXPECT(triangle[3] == 100 * outcome.source + 3 && triangle[4] == 100 * outcome.source + 5);
  EXPECT(triangle[9] == 100 * outcome.source + 15);
}

int main(void) { return tour(3, example); }
