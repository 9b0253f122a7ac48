// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/mpid/ch4/src/ch4_proc.c: address tables.
#include <mpidimpl.h>

#include <string.h>

#include "adapter/mpich4/error.h"

#define AVT MPIDI_global.avt_mgr

int MPIDIU_avrm_error(avrm_status_t status, const char *function, int line) {
  int class_of_error = MPI_ERR_INTERN;
  switch (status) {
  case AVRM_OK: return MPI_SUCCESS;
  case AVRM_ERR_NO_MEMORY: class_of_error = MPI_ERR_NO_MEM; break;
  case AVRM_ERR_DUPLICATE: class_of_error = MPI_ERR_COMM; break;
  case AVRM_ERR_RANK: class_of_error = MPI_ERR_RANK; break;
  case AVRM_ERR_SIZE:
  case AVRM_ERR_LPID:
  case AVRM_ERR_OVERFLOW:
  case AVRM_ERR_PGID_UNKNOWN:
  case AVRM_ERR_PGID_RELEASED: class_of_error = MPI_ERR_ARG; break;
  default: break;
  }
  return MPIR_Err_create_code(MPI_SUCCESS, MPIR_ERR_RECOVERABLE, function, line, class_of_error, "**avrankmap",
                              "**avrankmap %s", avrm_status_text(status));
}

static avrm_status_t create_table(int size, avrm_av_t **av_p) {
  avrm_av_options_t options;
  memset(&options, 0, sizeof options);
  options.codec = MPIDI_AV_CODEC;
  return avrm_av_create(AVT.instance, size, &options, av_p);
}

// Node ids count from 1, so that 0 is not known.
static uint32_t node_of(int lpid) { return (uint32_t)(MPIR_Process.node_map[lpid] + 1); }

// The node of every process; who shared memory reaches, whose entries never change again.
static avrm_status_t set_localities(avrm_av_t *av) {
  const avrm_far_t unconnected = {AVRM_FAR_UNCONNECTED, 0};
  avrm_status_t status = AVRM_OK;
  for (int lpid = 0; status == AVRM_OK && lpid < av->size; ++lpid) {
    avrm_ave_t element;
    (void)avrm_ave_pack_far(MPIDI_AV_CODEC, unconnected, node_of(lpid), &element);
    status = avrm_av_set(av, lpid, &element);
  }
#ifdef MPIDI_BUILD_CH4_LOCALITY_INFO
  for (int i = 0; status == AVRM_OK && i < MPIR_Process.local_size; ++i) {
    const int lpid = MPIR_Process.node_local_map[i];
    const avrm_far_t local = {lpid == MPIR_Process.rank ? AVRM_FAR_SELF : AVRM_FAR_LOCAL, (uint32_t)i};
    avrm_ave_t element;
    (void)avrm_ave_pack_far(MPIDI_AV_CODEC, local, node_of(lpid), &element);
    status = avrm_av_set(av, lpid, &element);
  }
#endif
  return status;
}

int MPIDIU_avt_init(void) {
  avrm_status_t status = avrm_instance_create(AVT.options, &AVT.instance);
  avrm_av_t *av = NULL;
  if (status == AVRM_OK) {
    status = create_table(MPIR_Process.size, &av);
  }
  if (status == AVRM_OK) {
    status = avrm_av_hold(AVT.instance, 0, &AVT.av_table0);
  }
  if (status == AVRM_OK) {
    status = set_localities(AVT.av_table0);
  }
  if (status != AVRM_OK) {
    (void)MPIDIU_avt_destroy();
  }
  return MPIDIU_AVRM_ERROR(status);
}

int MPIDIU_avt_destroy(void) {
  int32_t pgid = -1;
  while (avrm_av_next(AVT.instance, pgid, &pgid) == AVRM_OK && pgid >= 0) {
    avrm_av_t *av = NULL;
    if (avrm_av_find(AVT.instance, pgid, &av) == AVRM_OK) {
      avrm_av_release(av);
    }
  }
  avrm_av_drop(AVT.av_table0);
  AVT.av_table0 = NULL;
  const avrm_status_t status = avrm_instance_destroy(AVT.instance);
  if (status == AVRM_OK) {
    AVT.instance = NULL;
  }
  return MPIDIU_AVRM_ERROR(status);
}

int MPIDIU_new_avt(int size, int *avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = create_table(size, &av);
  if (status == AVRM_OK) {
    *avtid = av->pgid;
  }
  return MPIDIU_AVRM_ERROR(status);
}

int MPIDIU_free_avt(int avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = avrm_av_find(AVT.instance, avtid, &av);
  avrm_av_release_when_unbound(av);
  return MPIDIU_AVRM_ERROR(status);
}

int MPIDIU_avt_add_ref(int avtid) {
  avrm_av_t *av = NULL;
  return MPIDIU_AVRM_ERROR(avrm_av_hold(AVT.instance, avtid, &av));
}

int MPIDIU_avt_release_ref(int avtid) {
  avrm_av_t *av = NULL;
  const avrm_status_t status = avrm_av_find(AVT.instance, avtid, &av);
  avrm_av_release_when_unbound(av);
  avrm_av_drop(av);
  return MPIDIU_AVRM_ERROR(status);
}

int MPIDIU_get_avt_size(int avtid) {
  const avrm_av_t *const av = MPIDIU_get_av_table(avtid);
  return av == NULL ? 0 : av->size;
}

avrm_av_t *MPIDIU_get_av_table(int avtid) {
  avrm_av_t *av = NULL;
  return avrm_av_find(AVT.instance, avtid, &av) == AVRM_OK ? av : NULL;
}

MPIDI_av_entry_t *MPIDIU_get_av(int avtid, int lpid) {
  const avrm_av_t *const av = MPIDIU_get_av_table(avtid);
  return av == NULL || lpid < 0 || lpid >= av->size ? NULL : avrm_av_ave(av, lpid);
}

int MPIDIU_get_node_id(MPIR_Comm *comm, int rank, int *id_p) {
  *id_p = (int)avrm_rankmap_node(&MPIDI_COMM(comm, map), rank) - 1;
  return MPI_SUCCESS;
}

int MPIDIU_av_set_address(int avtid, int lpid, uint64_t address) {
  MPIDI_av_entry_t *const entry = MPIDIU_get_av(avtid, lpid);
  if (entry == NULL) {
    return MPIDIU_AVRM_ERROR(AVRM_ERR_LPID);
  }
  avrm_av_t *const av = MPIDIU_get_av_table(avtid);
  if (MPIDIU_av_is_local(entry)) {
    return MPIDIU_AVRM_ERROR(avrm_av_set_far_address(av, (uint32_t)MPIDIU_av_local_rank(entry), address));
  }
  avrm_ave_t element;
  avrm_status_t status = avrm_ave_pack(MPIDI_AV_CODEC, address, avrm_ave_node(entry), &element);
  if (status == AVRM_OK) {
    status = avrm_av_set(av, lpid, &element);
  }
  return MPIDIU_AVRM_ERROR(status);
}
