// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Communicators of half of the processes, of a grid and of its rows, and of a node.
#include <avrankmap/device/comm.h>
#include <avrankmap/dims.h>

#include "processes.h"

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  avrm_comm_t *half;
  must(avrm_comm_split(world, rank % 2, rank, &half)); // the even ranks, the odd ranks
  EXPECT(avrm_comm_size(half) == 2 && avrm_comm_rank(half) == rank / 2);

  const int32_t periods[2] = {1, 0}, columns[2] = {0, 1};
  int32_t dims[2] = {0, 0}, place[2];
  avrm_comm_t *grid, *row;
  must(avrm_dims_create(avrm_comm_size(world), 2, dims)); // {2, 2} for 4 processes
  must(avrm_cart_create(world, 2, dims, periods, false, &grid));
  must(avrm_cart_sub(grid, columns, &row)); // keeps the second dimension
  must(avrm_cart_coords(grid, avrm_comm_rank(grid), place));
  EXPECT(place[0] == rank / 2 && place[1] == avrm_comm_rank(row));

  avrm_comm_t *node; // belongs to the world
  must(avrm_comm_node(world, &node));
  EXPECT(avrm_comm_size(node) >= 1);

  avrm_comm_t *whole; // again: the odd ranks, then the even ones
  must(avrm_comm_merge(half, 0, world, 1 - rank % 2, 12, rank % 2 == 0, &whole));
  EXPECT(avrm_comm_size(whole) == 4 && avrm_comm_rank(whole) == rank / 2 + (rank % 2 == 0 ? 2 : 0));
  must(avrm_comm_free(whole));

  avrm_group_t *all, *first;
  avrm_comm_t *pair = NULL;
  const int32_t ranks[2] = {3, 0};
  must(avrm_comm_group(world, &all));
  must(avrm_group_incl(all, 2, ranks, &first));
  if (rank == 0 || rank == 3) {
    must(avrm_comm_create_group(world, first, 11, &pair)); // the others need not call
    EXPECT(avrm_comm_rank(pair) == (rank == 0));
    must(avrm_comm_free(pair));
    must(avrm_comm_create_from_group(device, first, "org.example.solver", &pair));
    EXPECT(avrm_comm_rank(pair) == (rank == 0) && avrm_comm_size(pair) == 2);
    must(avrm_comm_free(pair));
  }
  avrm_group_destroy(all);
  avrm_group_destroy(first);
  must(avrm_comm_free(row));
  must(avrm_comm_free(grid));
  must(avrm_comm_free(half));
}

int main(void) { return tour(4, example); }
