// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An MPI program for the survey: program SCENARIO. Its output depends on the scenario and on the
// number of processes only.
#include <mpi.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int world_rank, world_size;

// The sum of all world ranks in a communicator, over the communicator.
static void speak(MPI_Comm comm, const char *name) {
  int sum = 0, size = 0, rank = 0;
  if (comm == MPI_COMM_NULL) {
    return;
  }
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (world_rank == 0) {
    printf("%s: rank %d of %d, sum %d\n", name, rank, size, sum);
  }
}

static void ways(void) {
  MPI_Comm dup, idup, split, shared, create, group_made, cart, sub, graph, inter, merged, inter_dup;
  MPI_Group world, odd;
  MPI_Request request;
  const int extents[2] = {world_size, 1}, periods[2] = {0, 0}, remain[2] = {1, 0};
  int index[1] = {0}, edges[1] = {0}, last = world_size - 1;
  int range[1][3] = {{0, 0, 2}};

  MPI_Comm_dup(MPI_COMM_WORLD, &dup);
  speak(dup, "dup");
  MPI_Comm_idup(dup, &idup, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  speak(idup, "idup");
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &split);
  speak(split, "split");
  MPI_Comm_split(idup, world_rank == 0 ? MPI_UNDEFINED : 0, 0, &create);
  if (create != MPI_COMM_NULL) {
    MPI_Comm_free(&create);
  }
  MPI_Comm_split_type(split, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  speak(shared, "split_type");
  range[0][1] = last;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_range_incl(world, 1, range, &odd);
  MPI_Comm_create(MPI_COMM_WORLD, odd, &create);
  speak(create, "create");
  if (world_rank % 2 == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, odd, 1, &group_made);
    speak(group_made, "create_group");
    MPI_Comm_free(&group_made);
  }
  MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &cart);
  speak(cart, "cart");
  MPI_Cart_sub(cart, remain, &sub);
  speak(sub, "cart_sub");
  MPI_Graph_create(MPI_COMM_WORLD, 1, index, edges, 0, &graph);
  speak(graph, "graph");
  MPI_Intercomm_create(split, 0, MPI_COMM_WORLD,
                       world_rank % 2 == 0 ? (last % 2 == 1 ? last : last - 1) : last - last % 2, 7, &inter);
  MPI_Comm_dup(inter, &inter_dup);
  MPI_Intercomm_merge(inter_dup, world_rank % 2, &merged);
  speak(merged, "merged");

  MPI_Group_free(&world);
  MPI_Group_free(&odd);
  MPI_Comm *const all[] = {&dup, &idup, &split, &shared, &create, &cart, &sub, &graph, &inter, &inter_dup, &merged};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (*all[i] != MPI_COMM_NULL) {
      MPI_Comm_free(all[i]);
    }
  }
}

// Thousands that are freed soon, and an order without a pattern.
static void many(void) {
  int ok = 1;
  for (int i = 0; i < 2000; ++i) {
    MPI_Comm comm;
    int size = 0;
    if (i % 2 == 0) {
      MPI_Comm_split(MPI_COMM_SELF, 0, i, &comm);
    } else {
      MPI_Comm_dup(MPI_COMM_SELF, &comm);
    }
    MPI_Comm_size(comm, &size);
    ok &= size == 1;
    MPI_Comm_free(&comm);
  }
  printf("%s\n", ok ? "many: ok" : "many: wrong");
}

static void *in_thread(void *argument) {
  const int me = *(const int *)argument;
  for (int i = 0; i < 100; ++i) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_SELF, 0, me, &comm);
    MPI_Comm_free(&comm);
  }
  return NULL;
}

static void threads(void) {
  pthread_t all[4];
  int numbers[4];
  for (int i = 0; i < 4; ++i) {
    numbers[i] = i;
    pthread_create(&all[i], NULL, in_thread, &numbers[i]);
  }
  for (int i = 0; i < 4; ++i) {
    pthread_join(all[i], NULL);
  }
  printf("threads: ok\n");
}

// An error that the program handles itself.
static void errors(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Comm_split(MPI_COMM_WORLD, -12345, 0, &comm);
  printf("errors: %s\n", code != MPI_SUCCESS ? "returned" : "not returned");
}

static void spawn(char *self) {
  MPI_Comm parent, child, everybody;
  int sum = 0, one = 1;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    char *arguments[] = {"spawn", NULL};
    MPI_Comm_spawn(self, arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child, MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(child, 0, &everybody);
  } else {
    MPI_Intercomm_merge(parent, 1, &everybody);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, everybody);
  if (parent == MPI_COMM_NULL) {
    printf("spawn: %d processes\n", sum);
  }
  MPI_Comm_free(&everybody);
  MPI_Comm_disconnect(parent == MPI_COMM_NULL ? &child : &parent);
}

int main(int argc, char **argv) {
  const char *const scenario = argc > 1 ? argv[1] : "";
  if (strcmp(scenario, "nothing") == 0) {
    printf("nothing\n");
    return 4;
  }
  int level = 0;
  MPI_Init_thread(&argc, &argv, strcmp(scenario, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (strcmp(scenario, "ways") == 0) {
    ways();
  } else if (strcmp(scenario, "many") == 0) {
    many();
  } else if (strcmp(scenario, "threads") == 0 && level == MPI_THREAD_MULTIPLE) {
    threads();
  } else if (strcmp(scenario, "errors") == 0) {
    errors();
  } else if (strcmp(scenario, "spawn") == 0) {
    spawn(argv[0]);
  } else if (strcmp(scenario, "abort") == 0) {
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Abort(MPI_COMM_WORLD, 3);
  } else if (strcmp(scenario, "exit") == 0) {
    // Without MPI_Finalize.
    MPI_Comm dup;
    MPI_Comm_dup(MPI_COMM_SELF, &dup);
    printf("exit: 5\n");
    fflush(stdout);
    exit(5);
  } else if (strcmp(scenario, "fork") == 0) {
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      exit(0);
    }
  }
  MPI_Finalize();
  return strcmp(scenario, "code") == 0 ? 6 : 0;
}
