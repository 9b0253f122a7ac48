// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// In place of src/include/mpir_lpid.h: process numbers and worlds.
//
//   MPIR_Lpid = world_idx << 32 | world_rank, and world_idx is the pgid of the world's AV
//
// A pgid names one world for good, so a number that outlives its world never names another one. The
// world's name, for matching worlds between processes, is attached to its AV and goes with it.
// MPIR_Worlds and its limit of 1024 are gone; so is MPIR_LPID_DYNAMIC_MASK (proc.h).
#ifndef AVRANKMAP_ADAPTER_MPICH5_WORLD_H
#define AVRANKMAP_ADAPTER_MPICH5_WORLD_H

#include <stdint.h>

#include "avrankmap/avrankmap.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int64_t MPIR_Lpid;

#define MPIR_NAMESPACE_MAX 128
#define MPIR_LPID_WORLD_INDEX(lpid) ((int)((lpid) >> 32))
#define MPIR_LPID_WORLD_RANK(lpid) ((int)((lpid)&0xffffffff))
#define MPIR_LPID_FROM(world_idx, world_rank) ((MPIR_Lpid)(world_idx) << 32 | (MPIR_Lpid)(uint32_t)(world_rank))
#define MPIR_LPID_INVALID ((MPIR_Lpid)0xffffffff)

struct MPIR_Avrm {
  /// From MPIR_add_world of the own world to MPIR_worlds_finalize; null before and after.
  avrm_instance_t *instance;
  /// Called by MPIR_worlds_finalize for each kind of memory that handles hold which the application
  /// has not freed. Null: nobody asks.
  void (*report)(const char *kind, uint64_t bytes, uint64_t blocks);
};
extern struct MPIR_Avrm MPIR_Avrm;

/// Creates the instance unless there is one. Returns null if there is no memory.
avrm_instance_t *MPIR_Avrm_instance(void);
/// Frees all memory of the instance, whatever still refers to it, and forgets it. Maps of an
/// instance that is gone must not be touched. Its address differs from that of each later one.
void MPIR_Avrm_end(void);

/// Memory of MPL that goes with the instance, if MPIR_Avrm_release has not freed it before. Null if
/// there is none.
void *MPIR_Avrm_allocate(size_t bytes);
void MPIR_Avrm_release(void *memory);

/// The error code of a status. Use MPIR_AVRM_ERROR.
int MPIR_Avrm_error(avrm_status_t status, const char *fcname, int line);
#define MPIR_AVRM_ERROR(status) MPIR_Avrm_error(status, __func__, __LINE__)

/// Adds a world that this process has met and creates its AV, or knows the own world, which comes
/// first (MPIDIU_avt_init creates its AV). The world stays until MPIR_worlds_finalize, or, once a
/// group of its processes was made, until the last group with one of them is freed. Returns the
/// world_idx, -1 on failure. The caller is in VCI 0's critical section, as for all functions on
/// worlds.
int MPIR_add_world(const char *name, int num_procs);

/// The world_idx of the world with a name, -1 if there is none or it is gone.
int MPIR_find_world(const char *name);

/// In place of MPIR_Worlds[world_idx].namespace and .num_procs; null and 0 if there is no such
/// world.
const char *MPIR_world_namespace(int world_idx);
int MPIR_world_num_procs(int world_idx);

/// For MPIR_Group_finalize: forgets all worlds and ends the instance. Handles that the application
/// has not freed do not matter: a group of this instance may be released later, and MPI may be
/// initialised again.
void MPIR_worlds_finalize(void);

#ifdef __cplusplus
}
#endif

#endif
