// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/netmod/ucx: ucx_init.c, ucx_vci.c, ucx_spawn.c.
#include <mpidimpl.h>
#include <ucx_impl.h>

#include <string.h>

// --- endpoints

ucp_ep_h MPIDI_UCX_far_to_ep(MPIDI_av_entry_t *av, size_t k) {
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  uint64_t address = 0;
  if (MPIDIU_av_is_local(av)) { // so it is an entry of this table
    (void)avrm_addresses_get(table, (int32_t)(av - table->elements), (int32_t)k, &address);
  }
  return (ucp_ep_h)(uintptr_t)address;
}

ucp_ep_h MPIDI_UCX_lpid_to_ep(MPIR_Lpid lpid, int vci_src, int vci_dst) {
  const avrm_av_t *const table = MPIDIU_lpid_to_table(lpid);
  uint64_t address = 0;
  if (table != NULL) {
    (void)avrm_addresses_get(table, MPIR_LPID_WORLD_RANK(lpid), (int32_t)MPIDI_UCX_word_of(vci_src, vci_dst), &address);
  }
  return (ucp_ep_h)(uintptr_t)address;
}

int MPIDI_UCX_av_set_ep(MPIR_Lpid lpid, int vci_src, int vci_dst, ucp_ep_h ep) {
  const uint64_t address = (uint64_t)(uintptr_t)ep;
  const int32_t k = (int32_t)MPIDI_UCX_word_of(vci_src, vci_dst);
  if (k == 0) {
    return MPIDIU_av_set_address(lpid, address);
  }
  MPIR_Assert(MPIR_LPID_WORLD_INDEX(lpid) == 0);
  return MPIR_AVRM_ERROR(
      avrm_addresses_set(MPIDI_global.avt_mgr.av_table0, k, MPIR_LPID_WORLD_RANK(lpid), 1, &address));
}

static int create_root(MPIR_Lpid lpid, const char *name) {
  ucp_ep_params_t params;
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = (const ucp_address_t *)name;
  ucp_ep_h ep;
  if (ucp_ep_create(MPIDI_UCX_global.ctx[0].worker, &params, &ep) != UCS_OK) {
    return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, __func__, __LINE__, MPI_ERR_OTHER, "**ucx_nm_status",
                                0);
  }
  return MPIDI_UCX_av_set_ep(lpid, 0, 0, ep);
}

int MPIDI_UCX_av_insert(MPIR_Lpid lpid, const char *name, int name_len) {
  if (MPIDI_UCX_lpid_to_ep(lpid, 0, 0) != NULL) {
    return MPI_SUCCESS;
  }
  const int mpi_errno = create_root(lpid, name);
  return mpi_errno == MPI_SUCCESS ? MPIDIU_upid_set(lpid, name, name_len) : mpi_errno;
}

// --- upids

// A hash table with open addressing. An endpoint does not give its address back, so upids are kept.
struct upid {
  MPIR_Lpid lpid;
  void *bytes; // null: the place is free
  int len;
};

static struct upid *upids;
static size_t upid_places; // a power of two, or 0
static size_t upid_count;

static struct upid *find_upid(struct upid *table, size_t places, MPIR_Lpid lpid) {
  size_t place = (size_t)((uint64_t)lpid * 0x9e3779b97f4a7c15U >> 20) & (places - 1);
  while (table[place].bytes != NULL && table[place].lpid != lpid) {
    place = (place + 1) & (places - 1);
  }
  return &table[place];
}

static bool grow_upids(void) {
  const size_t places = upid_places == 0 ? 64 : 2 * upid_places;
  struct upid *const table = MPL_calloc(places, sizeof *table, MPL_MEM_OTHER);
  if (table == NULL) {
    return false;
  }
  for (size_t i = 0; i < upid_places; ++i) {
    if (upids[i].bytes != NULL) {
      *find_upid(table, places, upids[i].lpid) = upids[i];
    }
  }
  MPL_free(upids);
  upids = table;
  upid_places = places;
  return true;
}

int MPIDIU_upid_set(MPIR_Lpid lpid, const void *upid, int upid_len) {
  void *const copy = MPL_malloc((size_t)upid_len, MPL_MEM_OTHER);
  if (copy == NULL || (2 * upid_count >= upid_places && !grow_upids())) {
    MPL_free(copy);
    return MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
  }
  memcpy(copy, upid, (size_t)upid_len);
  struct upid *const place = find_upid(upids, upid_places, lpid);
  upid_count += place->bytes == NULL;
  MPL_free(place->bytes);
  place->lpid = lpid;
  place->bytes = copy;
  place->len = upid_len;
  return MPI_SUCCESS;
}

const void *MPIDIU_upid_get(MPIR_Lpid lpid, int *upid_len) {
  const struct upid *const place = upid_places == 0 ? NULL : find_upid(upids, upid_places, lpid);
  if (place == NULL || place->bytes == NULL) {
    return NULL;
  }
  *upid_len = place->len;
  return place->bytes;
}

void MPIDIU_upid_free_all(void) {
  for (size_t i = 0; i < upid_places; ++i) {
    MPL_free(upids[i].bytes);
  }
  MPL_free(upids);
  upids = NULL;
  upid_places = 0;
  upid_count = 0;
}

int MPIDI_UCX_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids) {
  int *const sizes = MPL_malloc((size_t)comm->local_size * sizeof *sizes, MPL_MEM_ADDRESS);
  char *const bytes = MPL_malloc((size_t)comm->local_size * MPID_MAX_BC_SIZE, MPL_MEM_BUFFER);
  int mpi_errno = sizes == NULL || bytes == NULL ? MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY) : MPI_SUCCESS;
  size_t used = 0;
  for (int i = 0; mpi_errno == MPI_SUCCESS && i < comm->local_size; ++i) {
    int len = 0;
    const void *const upid = MPIDIU_upid_get(MPIR_Group_rank_to_lpid(comm->local_group, i), &len);
    if (upid == NULL) {
      mpi_errno = MPIR_AVRM_ERROR(AVRM_ERR_NOT_NETWORK);
      break;
    }
    memcpy(bytes + used, upid, (size_t)len);
    sizes[i] = len;
    used += (size_t)len;
  }
  if (mpi_errno != MPI_SUCCESS) {
    MPL_free(sizes);
    MPL_free(bytes);
    return mpi_errno;
  }
  *local_upid_size = sizes;
  *local_upids = bytes;
  return MPI_SUCCESS;
}

int MPIDI_UCX_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len) {
  if (MPIDIU_lpid_is_dynamic(lpid)) {
    return create_root(lpid, upid);
  }
  if (MPIDI_UCX_lpid_to_ep(lpid, 0, 0) != NULL) {
    return MPI_SUCCESS;
  }
  MPIDI_av_entry_t *const known = MPIDIU_find_dynamic_av(upid, upid_len);
  if (known == NULL) {
    return MPIDI_UCX_av_insert(lpid, upid, upid_len);
  }
  const int mpi_errno = MPIDI_UCX_av_set_ep(lpid, 0, 0, MPIDI_UCX_av_to_ep(known, 0, 0));
  return mpi_errno == MPI_SUCCESS ? MPIDIU_upid_set(lpid, upid, upid_len) : mpi_errno;
}
