// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of what src/mpid/ch4/include/mpidpre.h and src/mpid/ch4/src/ch4_types.h say of rank maps
// and address tables.
//
//   MPICH 4.0.2                                       here
//   avtid, an index that is used again                the pgid of an AV, which is not
//   MPIDI_rank_map_t, 12 modes, and its tables        avrm_rankmap_t, bound
//   MPIDI_av_entry_t, 72 bytes, with VCIs 4,104       avrm_ave_t, 12 bytes
#ifndef AVRANKMAP_ADAPTER_MPICH4_AV_H
#define AVRANKMAP_ADAPTER_MPICH4_AV_H

#include "avrankmap/avrankmap.h"

/// The argument that MPICH passes from ch4 to netmods and shmmods. Read it by the functions of
/// proc.h and ofi.h only; it is written by avtid and lpid.
typedef const avrm_ave_t MPIDI_av_entry_t;

typedef struct {
  avrm_instance_t *instance;
  const avrm_instance_options_t *options; ///< may be set before MPIDIU_avt_init
  avrm_codec_t codec;                     ///< of the netmod; to be set before MPIDIU_avt_init
  avrm_av_t *av_table0;                   ///< the own world
} MPIDIU_avt_manager;

/// The codec of all address words. A build with one netmod defines it as AVRM_CODEC_OFI or
/// AVRM_CODEC_UCX, which saves the hot path a test.
#ifndef MPIDI_AV_CODEC
#define MPIDI_AV_CODEC (MPIDI_global.avt_mgr.codec)
#endif

/// Members of MPIDI_Devcomm_t.ch4, in place of two MPIDI_rank_map_t: of the group that operations
/// refer to (an intercommunicator's remote one), and of an intercommunicator's local group (else
/// zero bytes). They are bound from MPID_Comm_commit_pre_hook to MPID_Comm_free_hook.
#define MPIDI_COMM_MAP_DECL                                                                                            \
  avrm_rankmap_t map;                                                                                                  \
  avrm_rankmap_t local_map;

#define MPIDIU_LPID_BITS 32
#define MPIDIU_LPID_MASK 0xFFFFFFFFU
#define MPIDIU_GPID_CREATE(avtid, lpid) ((uint64_t)(avtid) << MPIDIU_LPID_BITS | (uint32_t)(lpid))
#define MPIDIU_GPID_GET_AVTID(gpid) ((int)((gpid) >> MPIDIU_LPID_BITS))
#define MPIDIU_GPID_GET_LPID(gpid) ((int)((gpid)&MPIDIU_LPID_MASK))

#endif
