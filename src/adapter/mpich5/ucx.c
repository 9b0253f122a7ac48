// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/netmod/ucx: ucx_init.c, ucx_vci.c, ucx_spawn.c.
#include <mpidimpl.h>
#include <ucx_impl.h>

#include <string.h>

// --- endpoints

ucp_ep_h MPIDI_UCX_other_to_ep(MPIDI_av_entry_t *av, int vci_src, int vci_dst) {
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  const uint64_t word = avrm_ave_word(av);
  const int32_t lpid = (int32_t)(av - table->elements);
  const size_t k = MPIDI_UCX_word_of(vci_src, vci_dst);
  uint64_t address = 0;
  if (avrm_ucx_is_network(word)) { // only processes of this world have several endpoints
    return (ucp_ep_h)avrm_ucx_endpoint(k == 0 ? word : avrm_addresses_word(table, lpid, word, k));
  }
  if (MPIDIU_av_is_local(av)) { // local processes are all in this table
    (void)avrm_addresses_get(table, lpid, (int32_t)k, &address);
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

// --- closing

static ucs_status_ptr_t *pending;
static int num_pending;
static int room;

// Releases the requests that are complete.
static void collect_pending(void) {
  for (int i = 0; i < num_pending;) {
    if (ucp_request_is_completed(pending[i])) {
      ucp_request_release(pending[i]);
      pending[i] = pending[--num_pending];
    } else {
      ++i;
    }
  }
}

static void progress(int num_vcis) {
  for (int vci = 0; vci < num_vcis; ++vci) {
    ucp_worker_progress(MPIDI_UCX_global.ctx[vci].worker);
  }
}

static bool make_room(void) {
  if (num_pending < room) {
    return true;
  }
  const int more = room == 0 ? 64 : 2 * room;
  ucs_status_ptr_t *const longer = MPL_realloc(pending, (size_t)more * sizeof *longer, MPL_MEM_OTHER);
  if (longer == NULL) {
    return false;
  }
  pending = longer;
  room = more;
  return true;
}

// The endpoint is closed once progress has completed the request. If there is no memory to keep the
// request, waits for it; `num_vcis` is the number of VCIs whose workers this thread may use.
static void close_through(uint64_t endpoint, int num_vcis) {
  collect_pending();
  const ucs_status_ptr_t request = ucp_disconnect_nb((ucp_ep_h)(uintptr_t)endpoint);
  if (!UCS_PTR_IS_PTR(request)) {
    return;
  }
  if (make_room()) {
    pending[num_pending++] = request;
    return;
  }
  while (!ucp_request_is_completed(request)) {
    progress(num_vcis);
  }
  ucp_request_release(request);
}

// Root endpoints belong to VCI 0, whose critical section the caller is in.
static void close_endpoint(uint64_t endpoint) { close_through(endpoint, 1); }

void MPIDI_UCX_disconnect_all(void) {
  const int words = MPIDI_UCX_global.num_vcis * MPIDI_UCX_global.num_vcis;
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  for (int k = 1; k < words; ++k) {
    for (int lpid = 0; lpid < table->size; ++lpid) {
      uint64_t address;
      if (avrm_addresses_get(table, lpid, k, &address) == AVRM_OK) {
        close_through(address, MPIDI_UCX_global.num_vcis);
      }
    }
  }
  MPIDIU_endpoint_close = close_endpoint;
  MPIDIU_endpoints_close_all();
  while (num_pending > 0) {
    progress(MPIDI_UCX_global.num_vcis);
    collect_pending();
  }
  MPL_free(pending);
  pending = NULL;
  room = 0;
}

// --- upids

static int create_endpoint(const char *upid, uint64_t *endpoint) {
  int mpi_errno = MPI_SUCCESS;
  ucp_ep_params_t params;
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = (const ucp_address_t *)upid;
  ucp_ep_h ep;
  const ucs_status_t status = ucp_ep_create(MPIDI_UCX_global.ctx[0].worker, &params, &ep);
  MPIDI_UCX_CHK_STATUS(status);
  *endpoint = (uint64_t)(uintptr_t)ep;
fn_exit:
  return mpi_errno;
fn_fail:
  goto fn_exit;
}

int MPIDI_UCX_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len) {
  if (upid_len <= 0 || upid_len > MPID_MAX_BC_SIZE) {
    return MPIR_AVRM_ERROR(AVRM_ERR_SIZE);
  }
  if (MPIDI_UCX_lpid_to_ep(lpid, 0, 0) != NULL) {
    return MPI_SUCCESS;
  }
  MPIDIU_endpoint_close = close_endpoint;
  uint64_t endpoint;
  const bool known = MPIDIU_endpoint_find(upid, upid_len, &endpoint);
  int mpi_errno = known ? MPI_SUCCESS : create_endpoint(upid, &endpoint);
  if (mpi_errno != MPI_SUCCESS) {
    return mpi_errno;
  }
  mpi_errno = MPIDIU_endpoint_keep(lpid, upid, upid_len, endpoint);
  if (mpi_errno != MPI_SUCCESS) {
    if (!known) {
      close_endpoint(endpoint);
    }
    return mpi_errno;
  }
  mpi_errno = MPIDI_UCX_av_set_ep(lpid, 0, 0, (ucp_ep_h)(uintptr_t)endpoint);
  if (mpi_errno != MPI_SUCCESS) {
    MPIDIU_endpoint_drop(lpid);
  }
  return mpi_errno;
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
