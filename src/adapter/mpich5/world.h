// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Replaces src/include/mpir_lpid.h: process numbers and worlds.
//
//   MPIR_Lpid = world_idx << 32 | world_rank, and world_idx is the pgid of the world's AV
//
// A pgid is never reused, so a number that outlives its world never denotes another one. The
// world's name, by which processes match worlds, is attached to its AV and freed with it.
// MPIR_Worlds with its limit of 1024 is removed, and so is MPIR_LPID_DYNAMIC_MASK (proc.h).
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
  /// Set from MPIR_add_world of this process's world to MPIR_worlds_finalize; null before and
  /// after.
  avrm_instance_t *instance;
  /// Called by MPIR_worlds_finalize for each kind of memory held by handles that the application
  /// has not freed. May be null.
  void (*report)(const char *kind, uint64_t bytes, uint64_t blocks);
};
extern struct MPIR_Avrm MPIR_Avrm;

/// Creates the instance unless there is one. Returns null if out of memory.
avrm_instance_t *MPIR_Avrm_instance(void);
/// Frees all memory of the instance, even if something still refers to it. Maps of this instance
/// must not be used afterwards. If something does refer to it, no later instance gets its address.
void MPIR_Avrm_end(void);

/// Allocates memory for the map of a group, which is freed with the instance unless
/// MPIR_Avrm_release_map frees it earlier. Returns null if out of memory.
avrm_rankmap_t *MPIR_Avrm_allocate_map(void);
void MPIR_Avrm_release_map(avrm_rankmap_t *map);

/// Returns the MPI error code for a status. Use MPIR_AVRM_ERROR.
int MPIR_Avrm_error(avrm_status_t status, const char *fcname, int line);
#define MPIR_AVRM_ERROR(status) MPIR_Avrm_error(status, __func__, __LINE__)

/// Adds a world and creates its AV. The first world is that of this process, whose AV
/// MPIDIU_avt_init creates. A world exists until MPIR_worlds_finalize or, once a group with one of
/// its processes has been created, until the last such group is freed and nothing holds the world.
/// Groups are freed in any thread, so whatever finds a world by name holds it until it has created
/// a group. Returns the world_idx, or -1 on failure. The caller is in VCI 0's critical section.
int MPIR_add_world(const char *name, int num_procs);

/// Returns the world_idx of the world with this name, or -1 if there is none or it has been freed.
int MPIR_find_world(const char *name);

/// Finds the world with this name and holds its AV: the world exists until avrm_av_drop, even if
/// another thread frees its last group. Returns null if there is none. For this process's world
/// only once it has an AV.
avrm_av_t *MPIR_Avrm_hold_world(const char *name);

/// Replaces MPIR_Worlds[world_idx].namespace and .num_procs; null and 0 if there is no such world.
/// The caller has a group of the world, or holds it, as long as it uses the name.
const char *MPIR_world_namespace(int world_idx);
int MPIR_world_num_procs(int world_idx);

/// For MPIR_Group_finalize: removes all worlds and destroys the instance, even if the application
/// has not freed all handles. A group of this instance may be released later, and MPI may be
/// initialised again.
void MPIR_worlds_finalize(void);

#ifdef __cplusplus
}
#endif

#endif
