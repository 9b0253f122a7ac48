// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/netmod/ofi: init_addrxchg.c, ofi_spawn.c.
#include <mpidimpl.h>
#include <ofi_impl.h>

#include <string.h>

#include "adapter/mpich4/error.h"

static int other_error(const char *function, int line, const char *text) {
  return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, function, line, MPI_ERR_OTHER, text, 0);
}
#define OTHER_ERROR(text) other_error(__func__, __LINE__, text)

fi_addr_t MPIDI_OFI_far_to_phys(MPIDI_av_entry_t *av, size_t k) {
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  uint64_t address = FI_ADDR_NOTAVAIL;
  if (MPIDIU_av_is_local(av)) { // so it is an entry of this table
    (void)avrm_addresses_get(table, (int32_t)(av - table->elements), (int32_t)k, &address);
  }
  return address;
}

static int insert(int ctx_idx, const char *name, fi_addr_t *address) {
  const int inserted = fi_av_insert(MPIDI_OFI_global.ctx[ctx_idx].av, name, 1, address, 0, NULL);
  return inserted == 1 && *address != FI_ADDR_NOTAVAIL ? MPI_SUCCESS : OTHER_ERROR("**ofid_avmap");
}

// --- all NICs and VNIs

struct root {
  fi_addr_t address;
  int lpid;
};

static int compare_roots(const void *a, const void *b) {
  const struct root *const left = a;
  const struct root *const right = b;
  return (left->address > right->address) - (left->address < right->address);
}

// The other contexts follow the order of the root one, and get equal numbers.
static int find_order(int size, struct root *roots) {
  for (int lpid = 0; lpid < size; ++lpid) {
    uint64_t address;
    if (avrm_addresses_get(MPIDI_global.avt_mgr.av_table0, lpid, 0, &address) != AVRM_OK) {
      return OTHER_ERROR("**ofid_avmap");
    }
    roots[lpid].address = address;
    roots[lpid].lpid = lpid;
  }
  qsort(roots, (size_t)size, sizeof *roots, compare_roots);
  return MPI_SUCCESS;
}

// Inserts an endpoint into all contexts, but the root one if that is where `*address` comes from.
static int insert_endpoint(const char *name, bool is_root, int num_vnis, fi_addr_t *address) {
  for (int nic = 0; nic < MPIDI_OFI_global.num_nics; ++nic) {
    for (int vni = 0; vni < num_vnis; ++vni) {
      const bool into_root = nic == 0 && vni == 0;
      if (into_root && is_root) {
        continue;
      }
      fi_addr_t inserted;
      const int mpi_errno = insert(MPIDI_OFI_get_ctx_index(NULL, vni, nic), name, &inserted);
      if (mpi_errno != MPI_SUCCESS) {
        return mpi_errno;
      }
      if (into_root) {
        *address = inserted;
      } else if (inserted != *address) { // one address must do for all local endpoints
        return OTHER_ERROR("**ofid_avmap");
      }
    }
  }
  return MPI_SUCCESS;
}

// Tells the AV about word k of all processes: by the rule if they follow it.
static avrm_status_t set_words(int size, int words, const fi_addr_t *addresses) {
  avrm_av_t *const av = MPIDI_global.avt_mgr.av_table0;
  const avrm_addresses_rule_t rule = {AVRM_ADDRESSES_AFTER_FIRST, (int64_t)(addresses[size] - addresses[0]), 0, 0};
  bool follow = true;
  for (int i = size; follow && i < words * size; ++i) {
    follow = addresses[i] == addresses[i % size] + (uint64_t)(i / size) * (uint64_t)rule.per_word;
  }
  if (follow) {
    return avrm_addresses_declare(av, words, &rule);
  }
  avrm_status_t status = AVRM_OK;
  for (int k = 1; status == AVRM_OK && k < words; ++k) {
    status = avrm_addresses_set(av, k, 0, size, addresses + (size_t)k * (size_t)size);
  }
  return status;
}

int MPIDI_OFI_insert_all_ctx(int size, int num_vnis, const char *all_names, int name_len) {
  const int words = num_vnis * MPIDI_OFI_global.num_nics;
  if (words == 1) {
    return MPI_SUCCESS;
  }
  struct root *const order = MPL_malloc((size_t)size * sizeof *order, MPL_MEM_ADDRESS);
  fi_addr_t *const addresses = MPL_malloc((size_t)words * (size_t)size * sizeof *addresses, MPL_MEM_ADDRESS);
  int mpi_errno = order == NULL || addresses == NULL ? MPIDIU_AVRM_ERROR(AVRM_ERR_NO_MEMORY) : find_order(size, order);
  for (int k = 0; mpi_errno == MPI_SUCCESS && k < words; ++k) {
    for (int i = 0; mpi_errno == MPI_SUCCESS && i < size; ++i) {
      const size_t lpid = (size_t)order[i].lpid;
      fi_addr_t *const address = &addresses[(size_t)k * (size_t)size + lpid];
      *address = order[i].address;
      mpi_errno =
          insert_endpoint(all_names + (lpid * (size_t)words + (size_t)k) * (size_t)name_len, k == 0, num_vnis, address);
    }
  }
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = MPIDIU_AVRM_ERROR(set_words(size, words, addresses));
  }
  MPL_free(order);
  MPL_free(addresses);
  return mpi_errno;
}

// --- upids

int MPIDI_OFI_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids) {
  int *const sizes = MPL_malloc((size_t)comm->local_size * sizeof *sizes, MPL_MEM_ADDRESS);
  char *const names = MPL_malloc((size_t)comm->local_size * FI_NAME_MAX, MPL_MEM_BUFFER);
  int mpi_errno = sizes == NULL || names == NULL ? MPIDIU_AVRM_ERROR(AVRM_ERR_NO_MEMORY) : MPI_SUCCESS;
  size_t used = 0;
  for (int i = 0; mpi_errno == MPI_SUCCESS && i < comm->local_size; ++i) {
    size_t len = FI_NAME_MAX;
    if (fi_av_lookup(MPIDI_OFI_global.ctx[0].av, MPIDI_OFI_comm_to_phys(comm, i, 0, 0, 0), names + used, &len) != 0) {
      mpi_errno = OTHER_ERROR("**ofid_avlookup");
      break;
    }
    sizes[i] = (int)len;
    used += len;
  }
  if (mpi_errno != MPI_SUCCESS) {
    MPL_free(sizes);
    MPL_free(names);
    return mpi_errno;
  }
  *local_upid_size = sizes;
  *local_upids = names;
  return MPI_SUCCESS;
}

// The upids to be found, in a hash table with open addressing. Equal ones are one process.
struct wanted {
  int size;
  const char **names;
  const int *lens;
  int *places; // indices into names, -1: free
  size_t num_places;
  uint64_t *gpids;
};

#define NOT_FOUND (~(uint64_t)0)

static uint64_t hash_of(const char *name, size_t len) {
  uint64_t hash = len;
  for (size_t i = 0; i < len; ++i) {
    hash = (hash ^ (unsigned char)name[i]) * 0x100000001b3U;
  }
  return hash ^ hash >> 29;
}

// Where a name is, or would be.
static int *place_of(const struct wanted *wanted, const char *name, size_t len) {
  size_t place = (size_t)hash_of(name, len) & (wanted->num_places - 1);
  for (;; place = (place + 1) & (wanted->num_places - 1)) {
    const int i = wanted->places[place];
    if (i < 0 || ((size_t)wanted->lens[i] == len && memcmp(wanted->names[i], name, len) == 0)) {
      return &wanted->places[place];
    }
  }
}

static bool allocate_wanted(struct wanted *wanted) {
  wanted->num_places = 1;
  while (wanted->num_places < 2 * (size_t)wanted->size) {
    wanted->num_places *= 2;
  }
  wanted->names = MPL_malloc(((size_t)wanted->size + 1) * sizeof *wanted->names, MPL_MEM_ADDRESS);
  wanted->places = MPL_malloc(wanted->num_places * sizeof *wanted->places, MPL_MEM_ADDRESS);
  return wanted->names != NULL && wanted->places != NULL;
}

static void fill_wanted(struct wanted *wanted, const char *upids) {
  memset(wanted->places, 0xff, wanted->num_places * sizeof *wanted->places);
  for (int i = 0; i < wanted->size; ++i) {
    wanted->names[i] = upids;
    wanted->gpids[i] = NOT_FOUND;
    int *const place = place_of(wanted, upids, (size_t)wanted->lens[i]);
    *place = *place < 0 ? i : *place;
    upids += wanted->lens[i];
  }
}

// Looks at all processes that this one knows, each once.
static void find_known(const struct wanted *wanted) {
  avrm_instance_t *const instance = MPIDI_global.avt_mgr.instance;
  int32_t pgid = -1;
  while (avrm_av_next(instance, pgid, &pgid) == AVRM_OK && pgid >= 0) {
    avrm_av_t *av = NULL;
    if (avrm_av_hold(instance, pgid, &av) != AVRM_OK) {
      continue;
    }
    for (int32_t lpid = 0; lpid < av->size; ++lpid) {
      char name[FI_NAME_MAX];
      size_t len = sizeof name;
      uint64_t address;
      if (avrm_addresses_get(av, lpid, 0, &address) == AVRM_OK &&
          fi_av_lookup(MPIDI_OFI_global.ctx[0].av, address, name, &len) == 0) {
        const int i = *place_of(wanted, name, len);
        if (i >= 0) {
          wanted->gpids[i] = MPIDIU_GPID_CREATE(pgid, lpid);
        }
      }
    }
    avrm_av_drop(av);
  }
}

// Makes a table of those that are not known, and gives equal upids one gpid.
static int add_unknown(const struct wanted *wanted) {
  int unknown = 0;
  for (int i = 0; i < wanted->size; ++i) {
    const int first = *place_of(wanted, wanted->names[i], (size_t)wanted->lens[i]);
    unknown += first == i && wanted->gpids[i] == NOT_FOUND;
  }
  int avtid = -1;
  int mpi_errno = unknown > 0 ? MPIDIU_new_avt(unknown, &avtid) : MPI_SUCCESS;
  int lpid = 0;
  for (int i = 0; mpi_errno == MPI_SUCCESS && i < wanted->size; ++i) {
    const int first = *place_of(wanted, wanted->names[i], (size_t)wanted->lens[i]);
    if (wanted->gpids[first] == NOT_FOUND) {
      fi_addr_t address;
      mpi_errno = insert(0, wanted->names[i], &address);
      if (mpi_errno == MPI_SUCCESS) {
        mpi_errno = MPIDIU_av_set_address(avtid, lpid, address);
        wanted->gpids[first] = MPIDIU_GPID_CREATE(avtid, lpid);
        ++lpid;
      }
    }
    wanted->gpids[i] = wanted->gpids[first];
  }
  if (mpi_errno != MPI_SUCCESS && avtid >= 0) {
    (void)MPIDIU_free_avt(avtid);
  }
  return mpi_errno;
}

int MPIDI_OFI_upids_to_gpids(int size, int *remote_upid_size, char *remote_upids, uint64_t *remote_gpids) {
  struct wanted wanted = {size, NULL, remote_upid_size, NULL, 0, remote_gpids};
  int mpi_errno = MPIDIU_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
  if (allocate_wanted(&wanted)) {
    fill_wanted(&wanted, remote_upids);
    find_known(&wanted);
    mpi_errno = add_unknown(&wanted);
  }
  MPL_free((void *)wanted.names);
  MPL_free(wanted.places);
  return mpi_errno;
}
