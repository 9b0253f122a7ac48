// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topology: which machine this is, where on it a process runs, and memory that lies near. Part of the device; hwloc does
// the work, and its environment is obeyed (HWLOC_SYNTHETIC, HWLOC_XMLFILE, HWLOC_THISSYSTEM).
//
//   machine > package > NUMA node > L3 cache         usual, but not law: some NUMA nodes hold several packages, some
//                                                    L3 caches several NUMA nodes
//
// A topology that is not this machine's, such as a synthetic one, answers all questions about CPUs, and none about
// processes and memory: hwloc would pretend that binding had worked.
//
// Threads: a topology does not change; any number of threads may use it.
#ifndef AVRANKMAP_TOPO_H
#define AVRANKMAP_TOPO_H

#include "avrankmap/av.h"

AVRM_BEGIN_DECLS

typedef struct avrm_topo avrm_topo_t;

/// Parts of a machine, the one with the nearest neighbours first.
typedef enum avrm_domain {
  AVRM_DOMAIN_L3 = 0,
  AVRM_DOMAIN_NUMA = 1,
  AVRM_DOMAIN_PACKAGE = 2,
  AVRM_DOMAIN_MACHINE = 3,
} avrm_domain_t;

/// In place of an index: the process may run in more than one domain of that kind, or the machine has none.
#define AVRM_TOPO_SPREAD (-1)

/// Where a process runs. Indices are logical (0, 1, ... in the order of the CPUs), AVRM_TOPO_SPREAD if there is not one.
typedef struct avrm_locality {
  uint32_t machine; ///< as from avrm_topo_machine
  int32_t package;
  int32_t numa;
  int32_t l3;
} avrm_locality_t;

/// Reads a topology.
/// @param description  null: of this machine, or what hwloc's environment says; else a synthetic one, in hwloc's words
///                     ("pack:2 numa:2 l3:4 core:8 pu:2")
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (hwloc does not understand the description), AVRM_ERR_NO_MEMORY,
///         AVRM_ERR_UNSUPPORTED (this library was built without hwloc), AVRM_ERR_SYSTEM
/// Cost: some milliseconds; hwloc reads /sys.
avrm_status_t avrm_topo_open(const char *description, avrm_topo_t **topo_p) AVRM_NOEXCEPT;
/// Null is allowed.
void avrm_topo_close(avrm_topo_t *topo) AVRM_NOEXCEPT;

/// True if this is the topology of the machine that the process runs on.
bool avrm_topo_is_this_machine(const avrm_topo_t *topo) AVRM_NOEXCEPT;
/// A number for the machine: the same in all processes that see the same host, and most likely another one elsewhere. Fit
/// as a node id where the launcher gives none. Synthetic topologies all have the number 0.
uint32_t avrm_topo_machine(const avrm_topo_t *topo) AVRM_NOEXCEPT;
/// Number of domains of a kind; 0 if the machine does not show any.
int32_t avrm_topo_count(const avrm_topo_t *topo, avrm_domain_t domain) AVRM_NOEXCEPT;

/// Where something runs that may run on `count` CPUs, given by the system's numbers.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (count is 0), AVRM_ERR_OPTION (no such CPU), AVRM_ERR_NO_MEMORY
avrm_status_t avrm_topo_cpus(const avrm_topo_t *topo, const uint32_t *cpus, size_t count,
                             avrm_locality_t *locality_p) AVRM_NOEXCEPT;
/// Where a process of this machine runs, by its binding. pid 0 is the calling process.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_UNSUPPORTED (not this machine), AVRM_ERR_SYSTEM (no such process),
///         AVRM_ERR_NO_MEMORY
avrm_status_t avrm_topo_process(const avrm_topo_t *topo, int32_t pid, avrm_locality_t *locality_p) AVRM_NOEXCEPT;

/// The same for any kind of object that CPUs belong to, in hwloc's words: "core", "L2", "L3Cache", "NUMANode", "package", with
/// "hwloc://" in front or without. *index_p is the object's logical index, AVRM_TOPO_SPREAD if there is not one.
/// @return as the two above, AVRM_ERR_OPTION also for a kind that hwloc does not know
avrm_status_t avrm_topo_object_of_cpus(const avrm_topo_t *topo, const char *kind, const uint32_t *cpus, size_t count,
                                       int32_t *index_p) AVRM_NOEXCEPT;
avrm_status_t avrm_topo_object_of_process(const avrm_topo_t *topo, const char *kind, int32_t pid,
                                          int32_t *index_p) AVRM_NOEXCEPT;

/// The smallest domain that two processes share, in *domain_p.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PEER (they are on different machines)
avrm_status_t avrm_topo_shared(const avrm_locality_t *one, const avrm_locality_t *other,
                               avrm_domain_t *domain_p) AVRM_NOEXCEPT;

/// Makes an address vector's memory lie on the NUMA node of the calling process: sets numa_node and bind_numa, and leaves
/// the other options alone.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_UNSUPPORTED (not this machine; or the process may run on several NUMA nodes)
avrm_status_t avrm_topo_bind_av(const avrm_topo_t *topo, avrm_av_options_t *options) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
