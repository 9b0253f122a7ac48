// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces the address tables of src/mpid/ch4/include/mpidpre.h and src/mpid/ch4/src/ch4_types.h.
// An entry is an AVE: 12 bytes for any number of NICs and VCIs.
//
//   entry            MPICH 5                                 here
//   netmod           32 bytes (ofi), 32,784 (ucx)            address word
//   is_local         an enumeration                          in the word, with the local rank
//   node_id          int, -1 if not known                    node id + 1, so that zero is not known
//   hash             ucx: upid, for get_local_upids          endpoints.h, by lpid
#ifndef AVRANKMAP_ADAPTER_MPICH5_AV_H
#define AVRANKMAP_ADAPTER_MPICH5_AV_H

#include "world.h"

/// The argument that MPICH passes from ch4 to netmods and shmmods. It is read only through the
/// functions of proc.h, ofi.h and ucx.h, and written by lpid.
typedef const avrm_ave_t MPIDI_av_entry_t;

/// The upid of a process to which a connection is being established.
typedef struct {
  char *upid; ///< null: the entry is unused
  int len;
} MPIDI_dyn_upid_t;

/// Size of the table of processes of which only the address is known (proc.h). Its pages remain
/// untouched until they are needed.
#define MPIDIU_DYNAMIC_AV_MAX 65536

typedef struct {
  /// The codec of the chosen netmod; set before MPIDIU_avt_init.
  avrm_codec_t codec;
  avrm_av_t *av_table0;        ///< this process's world
  MPIDI_av_entry_t *own_entry; ///< entry of process 0 of this process's world
  avrm_av_t *dynamic_av_table;
  MPIDI_dyn_upid_t *dynamic_upids;
  int num_dynamic_upids;
} MPIDIU_avt_manager;

/// The codec of all address words. A build with one netmod defines it as AVRM_CODEC_OFI or
/// AVRM_CODEC_UCX, which saves the hot path a test.
#ifndef MPIDI_AV_CODEC
#define MPIDI_AV_CODEC (MPIDI_global.avt_mgr.codec)
#endif

#endif
