// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Columns of a matrix, as a datatype.
#include <avrankmap/device/fastpath.h>

#include "processes.h"

static void send_columns(avrm_fp_comm_t *comm, avrm_datatype_t column, int32_t rank, int32_t next, int32_t last) {
  double matrix[4][5];
  avrm_request_t *requests[2];
  for (int i = 0; i < 20; ++i)
    matrix[i / 5][i % 5] = 100 * rank + i;
  must(avrm_fp_irecv(&matrix[0][0], 1, column, last, 7, comm, &requests[0]));
  must(avrm_fp_isend(&matrix[0][4], 1, column, next, 7, comm, &requests[1]));
  must(avrm_waitall(2, requests, NULL));
  for (int row = 0; row < 4; ++row)
    EXPECT(matrix[row][0] == 100 * last + 5 * row + 4 && matrix[row][1] == 100 * rank + 5 * row + 1);
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  const int32_t size = avrm_comm_size(world);
  avrm_instance_t *const instance = avrm_device_instance(device);
  avrm_fp_t *fp;
  avrm_fp_comm_t *comm;
  avrm_datatype_t column;
  size_t bytes;
  must(avrm_fp_open(device, 1, &fp));
  must(avrm_fp_comm_create(fp, world, &comm));
  must(avrm_type_vector(instance, 4, 1, 5, AVRM_DOUBLE, &column)); // 4 blocks of 1, 5 apart
  must(avrm_type_commit(column));
  must(avrm_type_size(column, &bytes));
  EXPECT(bytes == 4 * sizeof(double)); // without the gaps
  send_columns(comm, column, rank, (rank + 1) % size, (rank + size - 1) % size);
  must(avrm_type_free(&column));
  must(avrm_fp_comm_free(comm));
  must(avrm_fp_close(fp));
}

int main(void) { return tour(3, example); }
