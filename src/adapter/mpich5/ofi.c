// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// For src/mpid/ch4/netmod/ofi: init_addrxchg.c, ofi_vci.c, ofi_spawn.c.
#include <mpidimpl.h>
#include <ofi_impl.h>

#include <string.h>

int MPIDI_OFI_words_of_others;

// Returns the number of the word for a pair of endpoints.
static int32_t word_of(int local_vci, int local_nic, int vci, int nic) {
#ifdef MPIDI_OFI_VNI_USE_DOMAIN
  const int k = vci * MPIDI_OFI_global.num_nics + nic;
  return (local_vci | local_nic) == 0 ? k : k + MPIDI_OFI_words_of_others;
#else // scalable endpoints: all VCIs share the address
  (void)local_vci;
  (void)vci;
  return local_nic == 0 ? nic : nic + MPIDI_OFI_words_of_others;
#endif
}

fi_addr_t MPIDI_OFI_other_to_phys(MPIDI_av_entry_t *av, int local_vci, int local_nic, int vci, int nic) {
  const avrm_av_t *const table = MPIDI_global.avt_mgr.av_table0;
  const uint64_t word = avrm_ave_word(av);
  const int32_t lpid = (int32_t)(av - table->elements);
  const int32_t k = word_of(local_vci, local_nic, vci, nic);
  uint64_t dest = FI_ADDR_NOTAVAIL;
  if (avrm_ofi_is_network(word)) { // only processes of this world have several addresses
    dest = avrm_ofi_address(k == 0 ? word : avrm_addresses_word(table, lpid, word, (size_t)k));
  } else if (MPIDIU_av_is_local(av)) { // local processes are all in this table
    (void)avrm_addresses_get(table, lpid, k, &dest);
  }
#ifdef MPIDI_OFI_VNI_USE_DOMAIN
  vci = 0;
#endif
  return MPIDI_OFI_ENABLE_SCALABLE_ENDPOINTS ? fi_rx_addr(dest, vci, MPIDI_OFI_MAX_ENDPOINTS_BITS) : dest;
}

bool MPIDI_OFI_av_is_unset(MPIDI_av_entry_t *av) {
  uint64_t address;
  return !MPIDIU_av_entry_address(av, &address);
}

// Returns the error for addresses that are missing, or that differ although they must be equal.
static int address_error(void) {
  int mpi_errno = MPI_SUCCESS;
  MPIR_ERR_SET(mpi_errno, MPI_ERR_OTHER, "**avrm_address");
  return mpi_errno;
}

static int insert(int ctx_idx, const char *name, fi_addr_t *address) {
  int mpi_errno = MPI_SUCCESS;
  MPIDI_OFI_CALL(fi_av_insert(MPIDI_OFI_global.ctx[ctx_idx].av, name, 1, address, 0, NULL), avmap);
  if (*address == FI_ADDR_NOTAVAIL) {
    mpi_errno = address_error();
  }
fn_exit:
  return mpi_errno;
fn_fail:
  goto fn_exit;
}

int MPIDI_OFI_av_insert(MPIR_Lpid lpid, const char *name) {
  uint64_t address;
  if (MPIDIU_av_address(lpid, &address)) {
    return MPI_SUCCESS;
  }
  const int mpi_errno = insert(MPIDI_OFI_get_ctx_index(0, 0), name, &address);
  return mpi_errno == MPI_SUCCESS ? MPIDIU_av_set_address(lpid, address) : mpi_errno;
}

// --- all NICs and VCIs

// The addresses of all endpoints of all processes, by endpoint, then by process; FI_ADDR_NOTAVAIL
// if a process has no such endpoint.
struct exchange {
  int size;
  int words; // maximum number of endpoints per process
  const MPIDI_num_vci_t *num_vcis;
  const char *names;
  int name_len;
  int *order;        // processes in order of their root addresses
  fi_addr_t *root;   // addresses in the root context
  fi_addr_t *others; // addresses in all other contexts
  bool has_others;
};

static size_t entry_of(const struct exchange *x, int k, int lpid) { return (size_t)k * (size_t)x->size + (size_t)lpid; }

static int compare_roots(const void *a, const void *b) {
  const fi_addr_t *const left = a;
  const fi_addr_t *const right = b;
  return (*left > *right) - (*left < *right);
}

// The root context may have been filled in any order. If the others are filled in the same order,
// which the root addresses show, they assign equal numbers.
static int find_order(struct exchange *x) {
  struct {
    fi_addr_t address;
    int lpid;
  } *const roots = MPL_malloc((size_t)x->size * sizeof *roots, MPL_MEM_ADDRESS);
  if (roots == NULL) {
    return MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
  }
  int mpi_errno = MPI_SUCCESS;
  for (int lpid = 0; lpid < x->size; ++lpid) {
    uint64_t address;
    if (!MPIDIU_av_address(lpid, &address)) {
      mpi_errno = address_error();
      break;
    }
    roots[lpid].address = address;
    roots[lpid].lpid = lpid;
    x->root[lpid] = address;
  }
  if (mpi_errno == MPI_SUCCESS) {
    qsort(roots, (size_t)x->size, sizeof *roots, compare_roots);
    for (int i = 0; i < x->size; ++i) {
      x->order[i] = roots[i].lpid;
    }
  }
  MPL_free(roots);
  return mpi_errno;
}

// Inserts endpoint k of a process into all contexts or, for k = 0, into all except the root
// context.
static int insert_endpoint(struct exchange *x, int k, int lpid) {
  const char *const name = x->names + ((size_t)lpid * (size_t)x->words + (size_t)k) * (size_t)x->name_len;
  const size_t at = entry_of(x, k, lpid);
  for (int nic = 0; nic < MPIDI_OFI_global.num_nics; ++nic) {
    for (int vci = 0; vci < MPIDI_OFI_global.num_vcis; ++vci) {
      const bool is_root = vci == 0 && nic == 0;
      if (is_root && k == 0) {
        continue;
      }
      fi_addr_t address;
      const int mpi_errno = insert(MPIDI_OFI_get_ctx_index(vci, nic), name, &address);
      if (mpi_errno != MPI_SUCCESS) {
        return mpi_errno;
      }
      if (is_root) {
        x->root[at] = address;
      } else if (x->others[at] == FI_ADDR_NOTAVAIL) {
        x->others[at] = address;
        x->has_others = true;
      } else if (x->others[at] != address) {
        return address_error();
      }
    }
  }
  return MPI_SUCCESS;
}

static int insert_all(struct exchange *x) {
  for (int k = 0; k < x->words; ++k) {
    for (int i = 0; i < x->size; ++i) {
      const int lpid = x->order[i];
      if (k / MPIDI_OFI_global.num_nics < x->num_vcis[lpid].n_total_vcis) {
        const int mpi_errno = insert_endpoint(x, k, lpid);
        if (mpi_errno != MPI_SUCCESS) {
          return mpi_errno;
        }
      }
    }
  }
  return MPI_SUCCESS;
}

// True if all contexts have the same addresses, and address k is address 0 + k * *per_word.
static bool find_rule(const struct exchange *x, bool *same, int64_t *per_word) {
  *same = !x->has_others || memcmp(x->root, x->others, entry_of(x, x->words, 0) * sizeof *x->root) == 0;
  *per_word = (int64_t)(x->root[entry_of(x, 1, 0)] - x->root[0]);
  for (int k = 1; k < x->words; ++k) {
    for (int lpid = 0; lpid < x->size; ++lpid) {
      if (x->root[entry_of(x, k, lpid)] != x->root[lpid] + (uint64_t)k * (uint64_t)*per_word) {
        return false;
      }
    }
  }
  return *same;
}

// Sets words first_word + k of all processes that have them.
static avrm_status_t set_words(const struct exchange *x, const fi_addr_t *addresses, int first_word) {
  avrm_status_t status = AVRM_OK;
  for (int k = first_word == 0 ? 1 : 0; k < x->words; ++k) {
    for (int lpid = 0; status == AVRM_OK && lpid < x->size; ++lpid) {
      const fi_addr_t address = addresses[entry_of(x, k, lpid)];
      if (address != FI_ADDR_NOTAVAIL) {
        status = avrm_addresses_set(MPIDI_global.avt_mgr.av_table0, first_word + k, lpid, 1, &address);
      }
    }
  }
  return status;
}

static int keep_addresses(const struct exchange *x) {
  bool same;
  int64_t per_word;
  avrm_status_t status;
  if (find_rule(x, &same, &per_word)) {
    const avrm_addresses_rule_t rule = {AVRM_ADDRESSES_AFTER_FIRST, per_word, 0, 0};
    status = avrm_addresses_declare(MPIDI_global.avt_mgr.av_table0, x->words, &rule);
  } else {
    status = set_words(x, x->root, 0);
    if (status == AVRM_OK && !same) {
      status = set_words(x, x->others, x->words);
    }
  }
  if (status == AVRM_OK) {
    MPIDI_OFI_words_of_others = same ? 0 : x->words;
  }
  return MPIR_AVRM_ERROR(status);
}

int MPIDI_OFI_insert_all_ctx(int size, int max_vcis, const MPIDI_num_vci_t *all_num_vcis, const char *all_names,
                             int name_len) {
  struct exchange x = {size, max_vcis * MPIDI_OFI_global.num_nics, all_num_vcis, all_names, name_len, NULL, NULL, NULL,
                       false};
  MPIDI_OFI_words_of_others = 0;
  if (x.words == 1) {
    return MPI_SUCCESS;
  }
  const size_t entries = entry_of(&x, x.words, 0);
  x.order = MPL_malloc((size_t)size * sizeof *x.order, MPL_MEM_ADDRESS);
  x.root = MPL_malloc(entries * sizeof *x.root, MPL_MEM_ADDRESS);
  x.others = MPL_malloc(entries * sizeof *x.others, MPL_MEM_ADDRESS);
  int mpi_errno = MPI_SUCCESS;
  if (x.order == NULL || x.root == NULL || x.others == NULL) {
    mpi_errno = MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
  } else {
    memset(x.root, 0xff, entries * sizeof *x.root); // FI_ADDR_NOTAVAIL
    memset(x.others, 0xff, entries * sizeof *x.others);
    mpi_errno = find_order(&x);
  }
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = insert_all(&x);
  }
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = keep_addresses(&x);
  }
  MPL_free(x.order);
  MPL_free(x.root);
  MPL_free(x.others);
  return mpi_errno;
}

// --- upids

static const char *hostname_of(MPIDI_av_entry_t *av) {
  const int node_id = MPIDIU_av_node_id(av);
  return MPIR_Process.node_hostnames != NULL && node_id >= 0 ? utarray_eltptr(MPIR_Process.node_hostnames, node_id)
                                                             : "";
}

static int look_up(fi_addr_t address, char *name, size_t *name_len) {
  int mpi_errno = MPI_SUCCESS;
  if (address == FI_ADDR_NOTAVAIL) {
    return address_error(); // providers use the address as an index, unchecked
  }
  MPIDI_OFI_CALL(fi_av_lookup(MPIDI_OFI_global.ctx[0].av, address, name, name_len), avlookup);
fn_exit:
  return mpi_errno;
fn_fail:
  goto fn_exit;
}

int MPIDI_OFI_get_local_upids(MPIR_Comm *comm, int **local_upid_size, char **local_upids) {
  int *const sizes = MPL_malloc((size_t)comm->local_size * sizeof *sizes, MPL_MEM_ADDRESS);
  char *upids = NULL;
  size_t used = 0;
  size_t room = 0;
  int mpi_errno = sizes == NULL ? MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY) : MPI_SUCCESS;
  for (int i = 0; mpi_errno == MPI_SUCCESS && i < comm->local_size; ++i) {
    MPIDI_av_entry_t *const av = MPIDIU_comm_rank_to_av(comm, i);
    const char *const hostname = hostname_of(av);
    const size_t hostname_len = strlen(hostname) + 1;
    size_t name_len = FI_NAME_MAX;
    if (used + hostname_len + name_len > room) {
      room = 2 * (used + hostname_len + name_len);
      char *const longer = MPL_realloc(upids, room, MPL_MEM_BUFFER);
      if (longer == NULL) {
        mpi_errno = MPIR_AVRM_ERROR(AVRM_ERR_NO_MEMORY);
        break;
      }
      upids = longer;
    }
    memcpy(upids + used, hostname, hostname_len);
    mpi_errno = look_up(MPIDI_OFI_av_to_phys_root(av), upids + used + hostname_len, &name_len);
    if (mpi_errno == MPI_SUCCESS && name_len > FI_NAME_MAX) { // it was cut off
      mpi_errno = MPIR_AVRM_ERROR(AVRM_ERR_SIZE);
    }
    sizes[i] = (int)(hostname_len + name_len);
    used += hostname_len + name_len;
  }
  if (mpi_errno != MPI_SUCCESS) {
    MPL_free(sizes);
    MPL_free(upids);
    return mpi_errno;
  }
  *local_upid_size = sizes;
  *local_upids = upids;
  return MPI_SUCCESS;
}

int MPIDI_OFI_insert_upid(MPIR_Lpid lpid, const char *upid, int upid_len) {
  const char *const hostname_end = upid_len > 0 ? memchr(upid, 0, (size_t)upid_len) : NULL;
  if (hostname_end == NULL || hostname_end + 1 == upid + upid_len) {
    return MPIR_AVRM_ERROR(AVRM_ERR_SIZE);
  }
  const char *const name = hostname_end + 1;
  uint64_t address;
  if (MPIDIU_lpid_is_dynamic(lpid)) {
    return MPIDI_OFI_av_insert(lpid, name);
  }
  if (MPIDIU_av_address(lpid, &address)) {
    return MPI_SUCCESS;
  }
  int node_id;
  int mpi_errno = MPIR_nodeid_lookup(upid, &node_id);
  if (mpi_errno == MPI_SUCCESS) {
    mpi_errno = MPIDIU_av_set_node_id(lpid, node_id);
  }
  if (mpi_errno != MPI_SUCCESS) {
    return mpi_errno;
  }
  MPIDI_av_entry_t *const known = MPIDIU_find_dynamic_av(upid, upid_len);
  return known != NULL ? MPIDIU_av_set_address(lpid, MPIDI_OFI_av_to_phys_root(known))
                       : MPIDI_OFI_av_insert(lpid, name);
}
