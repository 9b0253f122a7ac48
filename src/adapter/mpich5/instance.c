// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The instance: its memory, which comes from MPL, the maps of groups, and errors.
#include <mpidimpl.h>

#include <string.h>

struct MPIR_Avrm MPIR_Avrm;

// --- memory

// The header of a block, which is in one of the lists below. All memory of an instance can thus be
// freed with it, even if the application has not freed all groups.
struct block {
  struct block *prev;
  struct block *next;
};

static struct block plain = {&plain, &plain};
// Blocks with an alignment that MPL does not guarantee. The header is preceded by the address for
// MPL_free.
static struct block aligned = {&aligned, &aligned};
// The first blocks of instances that were destroyed before their groups, kept so that their
// addresses are not reused.
static struct block ended = {&ended, &ended};
static MPL_initlock_t lock = MPL_INITLOCK_INITIALIZER;

static void link_block(struct block *list, struct block *block) {
  block->prev = list;
  block->next = list->next;
  list->next->prev = block;
  list->next = block;
}

static void unlink_block(struct block *block) {
  block->prev->next = block->next;
  block->next->prev = block->prev;
}

static struct block *header_of(void *memory) { return (struct block *)memory - 1; }

static void *address_of_aligned(struct block *block) {
  void *address;
  memcpy(&address, (char *)block - sizeof address, sizeof address);
  return address;
}

static void *allocate(void *user, size_t size, size_t alignment, avrm_mem_kind_t kind) {
  (void)user;
  (void)kind;
  const bool is_plain = alignment <= sizeof(void *);
  const size_t before = sizeof(struct block) + (is_plain ? 0 : sizeof(void *) + alignment);
  char *const address = MPL_calloc(1, before + size, MPL_MEM_ADDRESS);
  if (address == NULL) {
    return NULL;
  }
  char *memory = address + sizeof(struct block);
  if (!is_plain) {
    memory += sizeof(void *);
    memory += (0 - (uintptr_t)memory) & (alignment - 1);
    memcpy((char *)header_of(memory) - sizeof address, &address, sizeof address);
  }
  MPL_initlock_lock(&lock);
  link_block(is_plain ? &plain : &aligned, header_of(memory));
  MPL_initlock_unlock(&lock);
  return memory;
}

static void release(void *user, void *memory, size_t size, size_t alignment, avrm_mem_kind_t kind) {
  (void)user;
  (void)size;
  (void)kind;
  struct block *const block = header_of(memory);
  MPL_initlock_lock(&lock);
  unlink_block(block);
  MPL_initlock_unlock(&lock);
  MPL_free(alignment <= sizeof(void *) ? block : address_of_aligned(block));
}

// --- maps of groups

// Allocated in chunks: the header of a block and that of malloc would add 24 bytes to a map's 56.
// A chunk is a block, so it is freed with its instance.
enum { MAPS_PER_CHUNK = 16 };

union map_place {
  avrm_rankmap_t map;
  union map_place *next; // next free place
};

static union map_place *free_places;

static union map_place *take_place(void) {
  MPL_initlock_lock(&lock);
  union map_place *const place = free_places;
  if (place != NULL) {
    free_places = place->next;
  }
  MPL_initlock_unlock(&lock);
  return place;
}

static void return_place(union map_place *place) {
  MPL_initlock_lock(&lock);
  place->next = free_places;
  free_places = place;
  MPL_initlock_unlock(&lock);
}

avrm_rankmap_t *MPIR_Avrm_allocate_map(void) {
  union map_place *place = take_place();
  if (place == NULL) {
    place = allocate(NULL, MAPS_PER_CHUNK * sizeof *place, sizeof(void *), AVRM_MEM_GROUP);
    for (int i = 1; place != NULL && i < MAPS_PER_CHUNK; ++i) {
      return_place(&place[i]);
    }
  }
  return place == NULL ? NULL : &place->map;
}

void MPIR_Avrm_release_map(avrm_rankmap_t *map) { return_place((union map_place *)map); }

// --- the instance

static void report_all(const avrm_instance_t *instance) {
  for (int kind = 0; kind < AVRM_MEM_TOTAL; ++kind) {
    avrm_mem_usage_t usage;
    if (kind != AVRM_MEM_INSTANCE && avrm_instance_mem_usage(instance, (avrm_mem_kind_t)kind, &usage) == AVRM_OK &&
        usage.live_bytes != 0) {
      MPIR_Avrm.report(avrm_mem_kind_label((avrm_mem_kind_t)kind), usage.live_bytes, usage.live_blocks);
    }
  }
}

avrm_instance_t *MPIR_Avrm_instance(void) {
  if (MPIR_Avrm.instance == NULL) {
    const avrm_allocator_t hooks = {allocate, release, NULL};
    avrm_instance_options_t options;
    memset(&options, 0, sizeof options);
    options.allocator = &hooks;
    (void)avrm_instance_create(&options, &MPIR_Avrm.instance);
  }
  return MPIR_Avrm.instance;
}

void MPIR_Avrm_end(void) {
  avrm_instance_t *const instance = MPIR_Avrm.instance;
  MPIR_Avrm.instance = NULL;
  if (avrm_instance_destroy(instance) != AVRM_OK) {
    if (MPIR_Avrm.report != NULL) {
      report_all(instance);
    }
    unlink_block(header_of(instance));
    link_block(&ended, header_of(instance));
  }
  free_places = NULL;
  while (plain.next != &plain) {
    struct block *const block = plain.next;
    unlink_block(block);
    MPL_free(block);
  }
  while (aligned.next != &aligned) {
    struct block *const block = aligned.next;
    unlink_block(block);
    MPL_free(address_of_aligned(block));
  }
}

// --- errors

// MPICH's extractor of error texts reads only constants, so there is one call per text.
int MPIR_Avrm_error(avrm_status_t status, const char *fcname, int line) {
  int mpi_errno = MPI_SUCCESS;
  switch (status) {
  case AVRM_OK: break;
  case AVRM_ERR_NO_MEMORY:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_OTHER, "**nomem", 0);
    break;
  case AVRM_ERR_RANK:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_RANK, "**rank", 0);
    break;
  case AVRM_ERR_DUPLICATE:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_RANK, "**rankdup", 0);
    break;
  case AVRM_ERR_STRIDE:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_ARG, "**stridezero", 0);
    break;
  case AVRM_ERR_RANGE:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_ARG, "**stride", 0);
    break;
  case AVRM_ERR_SIZE:
  case AVRM_ERR_OVERFLOW:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_ARG, "**arg", 0);
    break;
  case AVRM_ERR_LPID:
  case AVRM_ERR_PGID_UNKNOWN:
  case AVRM_ERR_PGID_RELEASED:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_GROUP, "**group", 0);
    break;
  default:
    mpi_errno = MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, fcname, line, MPI_ERR_INTERN, "**avrankmap",
                                     "**avrankmap %s", avrm_status_text(status));
    break;
  }
  return mpi_errno;
}
