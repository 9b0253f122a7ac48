// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/src/ch4_comm.c: the message with which the groups of an intercommunicator
// exchange their members.
#include <mpidimpl.h>

#include "endpoints.h"

#include <string.h>

// --- groups in messages

// Worlds are numbered by their position in the list. Runs contain these numbers instead of pgids.
//
//   num_worlds  num_runs  world[num_worlds]  run[num_runs]
struct group_message_world {
  char name[MPIR_NAMESPACE_MAX];
  int32_t num_procs;
};

struct group_message {
  int32_t num_worlds;
  int32_t num_runs;
  struct group_message_world *worlds;
  int32_t *pgids;
  avrm_run_t *runs;
  avrm_av_t **held; // in a received message: the AVs of its worlds; null for those not known yet
};

static void free_group_message(struct group_message *message) {
  for (int32_t i = 0; message->held != NULL && i < message->num_worlds; ++i) {
    avrm_av_drop(message->held[i]);
  }
  MPL_free(message->worlds);
  MPL_free(message->pgids);
  MPL_free(message->runs);
  MPL_free(message->held);
}

static avrm_status_t allocate_group_message(struct group_message *message) {
  const size_t worlds = (size_t)message->num_worlds + 1;
  message->worlds = MPL_calloc(worlds, sizeof *message->worlds, MPL_MEM_ADDRESS);
  message->pgids = MPL_malloc(worlds * sizeof *message->pgids, MPL_MEM_ADDRESS);
  message->runs = MPL_malloc(((size_t)message->num_runs + 1) * sizeof *message->runs, MPL_MEM_ADDRESS);
  message->held = MPL_calloc(worlds, sizeof *message->held, MPL_MEM_ADDRESS);
  return message->worlds == NULL || message->pgids == NULL || message->runs == NULL || message->held == NULL
             ? AVRM_ERR_NO_MEMORY
             : AVRM_OK;
}

static int32_t place_of(int32_t pgid, const int32_t *pgids) {
  int32_t place = 0;
  while (pgids[place] != pgid) {
    ++place;
  }
  return place;
}

static avrm_status_t describe_group(const avrm_rankmap_t *map, struct group_message *message) {
  size_t num_runs = 0;
  avrm_status_t status = avrm_rankmap_pgids(map, 0, NULL, &message->num_worlds);
  if (status == AVRM_OK) {
    status = avrm_rankmap_runs(map, 0, NULL, &num_runs);
    message->num_runs = (int32_t)num_runs;
  }
  if (status == AVRM_OK) {
    status = allocate_group_message(message);
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_pgids(map, message->num_worlds, message->pgids, &message->num_worlds);
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_runs(map, num_runs, message->runs, &num_runs);
  }
  for (int32_t i = 0; status == AVRM_OK && i < message->num_worlds; ++i) {
    const char *const name = MPIR_world_namespace(message->pgids[i]);
    if (name == NULL) {
      return AVRM_ERR_PGID_RELEASED;
    }
    MPL_strncpy(message->worlds[i].name, name, MPIR_NAMESPACE_MAX);
    message->worlds[i].num_procs = MPIR_world_num_procs(message->pgids[i]);
  }
  for (int32_t i = 0; status == AVRM_OK && i < message->num_runs; ++i) {
    message->runs[i].pgid = place_of(message->runs[i].pgid, message->pgids);
  }
  return status;
}

// --- the message

// It consists of struct head, the arrays of the group, the sizes of the upids, and the upids.
// Nothing is aligned.
struct head {
  int32_t context_id;
  int32_t size; // size of the group
  int32_t num_worlds;
  int32_t num_runs;
};

static size_t bytes_of(const struct head *head) {
  return sizeof *head + (size_t)head->num_worlds * sizeof(struct group_message_world) +
         (size_t)head->num_runs * sizeof(avrm_run_t) + (size_t)head->size * sizeof(int);
}

static char *put(char *at, const void *from, size_t bytes) {
  memcpy(at, from, bytes);
  return at + bytes;
}

static const char *get(const char *at, void *to, size_t bytes) {
  memcpy(to, at, bytes);
  return at + bytes;
}

int MPIDIU_intercomm_pack(MPIR_Comm *local_comm, int context_id, int *data_size_out, void **data_out) {
  struct group_message message;
  memset(&message, 0, sizeof message);
  avrm_rankmap_t place;
  int *upid_sizes = NULL;
  char *upids = NULL;
  avrm_status_t status = AVRM_OK;
  int mpi_errno = MPIDI_NM_get_local_upids(local_comm, &upid_sizes, &upids);
  if (mpi_errno == MPI_SUCCESS) {
    status = describe_group(MPIR_Group_map(local_comm->local_group, &place), &message);
    const struct head head = {context_id, local_comm->local_size, message.num_worlds, message.num_runs};
    size_t upid_bytes = 0;
    for (int i = 0; i < head.size; ++i) {
      upid_bytes += (size_t)upid_sizes[i];
    }
    const size_t bytes = bytes_of(&head) + upid_bytes;
    char *const data = status == AVRM_OK && bytes <= INT32_MAX ? MPL_malloc(bytes, MPL_MEM_OTHER) : NULL;
    if (data != NULL) {
      char *at = put(data, &head, sizeof head);
      at = put(at, message.worlds, (size_t)head.num_worlds * sizeof *message.worlds);
      at = put(at, message.runs, (size_t)head.num_runs * sizeof *message.runs);
      at = put(at, upid_sizes, (size_t)head.size * sizeof *upid_sizes);
      (void)put(at, upids, upid_bytes);
      *data_out = data;
      *data_size_out = (int)bytes;
    } else if (status == AVRM_OK) {
      status = AVRM_ERR_NO_MEMORY;
    }
    mpi_errno = MPIR_AVRM_ERROR(status);
  }
  free_group_message(&message);
  MPL_free(upid_sizes);
  MPL_free(upids);
  return mpi_errno;
}

// Holds the worlds that are known, and checks that all processes of the runs exist.
static avrm_status_t find_worlds(struct group_message *message) {
  for (int32_t i = 0; i < message->num_worlds; ++i) {
    struct group_message_world *const world = &message->worlds[i];
    message->held[i] = MPIR_Avrm_hold_world(world->name);
    if (message->held[i] != NULL) {
      world->num_procs = message->held[i]->size;
    }
  }
  for (int32_t i = 0; i < message->num_runs; ++i) {
    const avrm_run_t *const run = &message->runs[i];
    if (run->pgid < 0 || run->pgid >= message->num_worlds) {
      return AVRM_ERR_PGID_UNKNOWN;
    }
    const int32_t end = message->worlds[run->pgid].num_procs;
    const int64_t last = run->lpid + ((int64_t)run->count - 1) * run->stride;
    if (run->lpid < 0 || run->lpid >= end || (run->count > 1 && (last < 0 || last >= end))) {
      return AVRM_ERR_LPID;
    }
  }
  return AVRM_OK;
}

// Adds a world that ends with its last hold or group. Returns null on failure.
static avrm_av_t *add_held_world(const struct group_message_world *world) {
  avrm_av_t *av = NULL;
  (void)avrm_av_hold(MPIR_Avrm.instance, MPIR_add_world(world->name, world->num_procs), &av);
  avrm_av_release_when_unbound(av);
  return av;
}

// Adds the worlds that the runs need, and writes pgids into the runs.
static avrm_status_t add_worlds(struct group_message *message) {
  for (int32_t i = 0; i < message->num_runs; ++i) {
    avrm_run_t *const run = &message->runs[i];
    avrm_av_t **const av = &message->held[run->pgid];
    const struct group_message_world *const world = &message->worlds[run->pgid];
    if (*av == NULL) { // a wrong message may name a world twice
      *av = MPIR_Avrm_hold_world(world->name);
    }
    if (*av == NULL) {
      *av = add_held_world(world);
    }
    if (*av == NULL) {
      return AVRM_ERR_NO_MEMORY;
    }
    run->pgid = (*av)->pgid;
  }
  return AVRM_OK;
}

static int check_disjoint(const MPIR_Group *local, const avrm_rankmap_t *remote) {
  avrm_rankmap_t place;
  avrm_group_t *common = NULL;
  const avrm_status_t status =
      avrm_group_intersection(avrm_group_view(MPIR_Group_map(local, &place)), avrm_group_view(remote), &common);
  int mpi_errno = MPIR_AVRM_ERROR(status);
  avrm_gpid_t first;
  if (status == AVRM_OK && avrm_group_gpid(common, 0, &first) == AVRM_OK) {
    MPIR_ERR_SET1(mpi_errno, MPI_ERR_COMM, "**dupprocesses", "**dupprocesses %d", first.lpid);
  }
  avrm_group_destroy(common);
  return mpi_errno;
}

static int insert_upids(const avrm_rankmap_t *map, const char *sizes, const char *end) {
  const int32_t size = avrm_rankmap_size(map);
  const char *upid = sizes + (size_t)size * sizeof(int);
  for (int32_t rank = 0; rank < size; ++rank) {
    const avrm_gpid_t process = avrm_rankmap_gpid(map, rank);
    int upid_size;
    sizes = get(sizes, &upid_size, sizeof upid_size);
    if (upid_size < 0 || upid_size > end - upid) {
      return MPIR_AVRM_ERROR(AVRM_ERR_SIZE);
    }
    const int mpi_errno = MPIDI_NM_insert_upid(MPIR_LPID_FROM(process.pgid, process.lpid), upid, upid_size);
    if (mpi_errno != MPI_SUCCESS) {
      return mpi_errno;
    }
    upid += upid_size;
  }
  return MPI_SUCCESS;
}

// Creates the map of the group in the message, and finds the sizes of its upids. The caller frees
// `message`, which holds the worlds until then.
static avrm_status_t read_group(const void *data, size_t data_size, struct head *head, struct group_message *message,
                                avrm_rankmap_t *map, const char **upid_sizes) {
  if (data_size < sizeof *head) {
    return AVRM_ERR_SIZE;
  }
  const char *at = get(data, head, sizeof *head);
  if (head->size < 1 || head->num_worlds < 0 || head->num_runs < 0 || data_size < bytes_of(head)) {
    return AVRM_ERR_SIZE;
  }
  message->num_worlds = head->num_worlds;
  message->num_runs = head->num_runs;
  avrm_status_t status = allocate_group_message(message);
  if (status == AVRM_OK) {
    at = get(at, message->worlds, (size_t)head->num_worlds * sizeof *message->worlds);
    at = get(at, message->runs, (size_t)head->num_runs * sizeof *message->runs);
    *upid_sizes = at;
    status = find_worlds(message);
  }
  if (status == AVRM_OK) {
    status = add_worlds(message);
  }
  if (status == AVRM_OK) {
    status = avrm_rankmap_create_runs(MPIR_Avrm.instance, head->num_runs, message->runs, AVRM_RANKMAP_UNIQUE, map);
  }
  return status == AVRM_OK && avrm_rankmap_size(map) != head->size ? AVRM_ERR_SIZE : status;
}

static int create_remote_group(const avrm_rankmap_t *map, MPIR_Session *session, MPIR_Group **group) {
  avrm_group_t *processes = NULL;
  const avrm_status_t status = avrm_group_dup(avrm_group_view(map), &processes);
  return status == AVRM_OK ? MPIR_Group_create(processes, MPI_UNDEFINED, session, group) : MPIR_AVRM_ERROR(status);
}

int MPIDIU_intercomm_unpack(MPIR_Comm *local_comm, const void *data, int data_size, int *remote_context_id_out,
                            MPIR_Group **remote_group_out) {
  struct head head;
  struct group_message message;
  memset(&message, 0, sizeof message);
  avrm_rankmap_t map;
  memset(&map, 0, sizeof map); // an all-zero map can be destroyed
  const char *upid_sizes = NULL;
  MPID_THREAD_CS_ENTER(VCI, MPIDI_VCI_LOCK(0));
  int mpi_errno = MPIR_AVRM_ERROR(read_group(data, (size_t)data_size, &head, &message, &map, &upid_sizes));
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = check_disjoint(local_comm->local_group, &map);
  }
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = insert_upids(&map, upid_sizes, (const char *)data + data_size);
  }
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = create_remote_group(&map, local_comm->session_ptr, remote_group_out);
  }
  // After an error this frees the worlds that were added, and the next function their endpoints.
  free_group_message(&message);
  MPIDIU_endpoints_trim();
  MPID_THREAD_CS_EXIT(VCI, MPIDI_VCI_LOCK(0));
  avrm_rankmap_destroy(&map);
  if (mpi_errno == MPI_SUCCESS) {
    *remote_context_id_out = head.context_id;
  }
  return mpi_errno;
}
