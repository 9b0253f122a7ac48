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

static void *allocate_block(size_t size, size_t alignment) {
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

static void release_block(void *memory, size_t alignment) {
  struct block *const block = header_of(memory);
  MPL_initlock_lock(&lock);
  unlink_block(block);
  MPL_initlock_unlock(&lock);
  MPL_free(alignment <= sizeof(void *) ? block : address_of_aligned(block));
}

// Maps and small tables are allocated in chunks: the header of a block and that of malloc would add
// 24 bytes to each. A chunk is a block, so it is freed with its instance.
enum { UNIT = 8, MOST_UNITS = 16, PLACES_PER_CHUNK = 16 };

struct place {
  struct place *next;
};

static struct place *free_places[MOST_UNITS]; // by size

// 0: not in a chunk
static size_t units_of(size_t size, size_t alignment) {
  return alignment <= UNIT && size <= MOST_UNITS * UNIT ? (size + UNIT - 1) / UNIT : 0;
}

static void *take_place(size_t units) {
  MPL_initlock_lock(&lock);
  struct place *const place = free_places[units - 1];
  if (place != NULL) {
    free_places[units - 1] = place->next;
  }
  MPL_initlock_unlock(&lock);
  return place;
}

static void return_place(void *memory, size_t units) {
  struct place *const place = memory;
  MPL_initlock_lock(&lock);
  place->next = free_places[units - 1];
  free_places[units - 1] = place;
  MPL_initlock_unlock(&lock);
}

static void *allocate(void *user, size_t size, size_t alignment, avrm_mem_kind_t kind) {
  (void)user;
  (void)kind;
  const size_t units = units_of(size, alignment);
  if (units == 0) {
    return allocate_block(size, alignment);
  }
  char *memory = take_place(units);
  if (memory == NULL) {
    memory = allocate_block(PLACES_PER_CHUNK * units * UNIT, UNIT);
    for (size_t i = 1; memory != NULL && i < PLACES_PER_CHUNK; ++i) {
      return_place(memory + i * units * UNIT, units);
    }
  }
  return memory == NULL ? NULL : memset(memory, 0, size);
}

static void release(void *user, void *memory, size_t size, size_t alignment, avrm_mem_kind_t kind) {
  (void)user;
  (void)kind;
  const size_t units = units_of(size, alignment);
  if (units == 0) {
    release_block(memory, alignment);
  } else {
    return_place(memory, units);
  }
}

avrm_rankmap_t *MPIR_Avrm_allocate_map(void) { return allocate(NULL, sizeof(avrm_rankmap_t), UNIT, AVRM_MEM_GROUP); }

void MPIR_Avrm_release_map(avrm_rankmap_t *map) { release(NULL, map, sizeof *map, UNIT, AVRM_MEM_GROUP); }

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
  memset(free_places, 0, sizeof free_places);
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
