// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A build of MPICH with one netmod.
#define MPIDI_AV_CODEC AVRM_CODEC_OFI
#include "tests/adapter/mpich5/probes.h"

uint64_t avrm_test_mpich5_root(MPIR_Comm *comm, int rank) {
  MPIDI_av_entry_t *const av = MPIDIU_comm_rank_to_av(comm, rank);
  return MPIDI_av_is_local(av) ? (uint64_t)MPIDIU_av_local_rank(av) : MPIDI_OFI_av_to_phys_root(av);
}

uint64_t avrm_test_mpich5_direct(int rank) {
  MPIDI_av_entry_t *const av = MPIDIU_own_rank_to_av(rank);
  return MPIDI_av_is_local(av) ? (uint64_t)MPIDIU_av_local_rank(av) : MPIDI_OFI_av_to_phys_root(av);
}

uint64_t avrm_test_mpich5_further(MPIR_Comm *comm, int rank, int vci, int nic) {
  MPIDI_av_entry_t *const av = MPIDIU_comm_rank_to_av(comm, rank);
  return MPIDI_av_is_local(av) ? (uint64_t)MPIDIU_av_local_rank(av) : MPIDI_OFI_av_to_phys(av, 0, 0, vci, nic);
}
