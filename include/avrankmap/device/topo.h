// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Topology: identifies the machine, the position of a process on it, and nearby memory. Part of the
// device. hwloc does the work and reads its own environment variables (HWLOC_SYNTHETIC,
// HWLOC_XMLFILE, HWLOC_THISSYSTEM).
//
//   machine > package > NUMA node > L3 cache    usually; but some NUMA nodes contain several
//                                               packages, and some L3 caches several NUMA nodes
//
// A topology that does not describe this machine, such as a synthetic one, can be queried with CPU
// numbers, but not for processes, and avrm_topo_bind_av refuses it: hwloc's binding functions would
// report success without consulting the operating system.
//
// Find where this process runs (tests/tour/topology.c):
//
//   must(avrm_topo_open(NULL, &topo));
//   must(avrm_topo_process(topo, 0, &own)); // own.numa: a number, or AVRM_TOPO_SPREAD
//
// Decide whether a process that has sent its locality is near (tests/tour/topology.c):
//
//   bool near = avrm_topo_shared(&own, &other, &shared) == AVRM_OK; // else on another machine
//   if (near)
//     near = shared <= AVRM_DOMAIN_NUMA;
//
// Find localities on a described machine (tests/tour/topology.c):
//
//   must(avrm_topo_open("pack:2 numa:2 core:2 pu:1", &topo));
//   EXPECT(avrm_topo_count(topo, AVRM_DOMAIN_NUMA) == 4);
//   for (int i = 0; i < 3; ++i)
//     must(avrm_topo_cpus(topo, &cpus[i], 1, &place[i]));
//
// Threads: a topology never changes. All functions except avrm_topo_close are thread-safe.
#ifndef AVRANKMAP_DEVICE_TOPO_H
#define AVRANKMAP_DEVICE_TOPO_H

#include "avrankmap/av.h"

AVRM_BEGIN_DECLS

/// A topology: that of this machine, or a described one.
typedef struct avrm_topo avrm_topo_t;

/// Parts of a machine, from the smallest to the largest.
typedef enum avrm_domain {
  AVRM_DOMAIN_L3 = 0,      ///< processors that share a third-level cache
  AVRM_DOMAIN_NUMA = 1,    ///< NUMA node
  AVRM_DOMAIN_PACKAGE = 2, ///< socket
  AVRM_DOMAIN_MACHINE = 3, ///< all of it
} avrm_domain_t;

/// The index of a domain if the process may run in several domains of that kind, or if the machine
/// has none.
#define AVRM_TOPO_SPREAD (-1)

/// Locality of a process. Indices are logical (0, 1, ... in the order of the CPUs), or
/// AVRM_TOPO_SPREAD.
typedef struct avrm_locality {
  uint32_t machine; ///< from avrm_topo_machine
  int32_t package;
  int32_t numa;
  int32_t l3;
} avrm_locality_t;

/// Opens a topology.
/// @param description  null: this machine, or what hwloc's environment variables describe;
///                     otherwise a synthetic topology in hwloc's notation ("pack:2 numa:2 l3:4
///                     core:8 pu:2")
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (hwloc cannot parse the description),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (this library was built without hwloc),
///         AVRM_ERR_SYSTEM
/// Cost: a few milliseconds, during which hwloc reads /sys.
avrm_status_t avrm_topo_open(const char *description, avrm_topo_t **topo_p) AVRM_NOEXCEPT;
/// Frees a topology. Null is a no-op.
void avrm_topo_close(avrm_topo_t *topo) AVRM_NOEXCEPT;

/// Returns true if the topology describes the machine that this process runs on; false for null.
bool avrm_topo_is_this_machine(const avrm_topo_t *topo) AVRM_NOEXCEPT;
/// Returns a number that identifies the machine: equal in all processes of a host, and most likely
/// different on another host; 0 for synthetic topologies and for null. Can be used as a node id if
/// the launcher gives none.
uint32_t avrm_topo_machine(const avrm_topo_t *topo) AVRM_NOEXCEPT;
/// Returns the number of domains of a kind; 0 if the machine reports none, for null, and for an
/// unknown kind.
int32_t avrm_topo_count(const avrm_topo_t *topo, avrm_domain_t domain) AVRM_NOEXCEPT;

/// Finds the domains of a process that may run on the given CPUs.
/// @param cpus   the system's CPU numbers
/// @param count  at least 1
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (count is 0), AVRM_ERR_OPTION (no such CPU),
///         AVRM_ERR_NO_MEMORY
avrm_status_t avrm_topo_cpus(const avrm_topo_t *topo, const uint32_t *cpus, size_t count,
                             avrm_locality_t *locality_p) AVRM_NOEXCEPT;
/// Finds the domains of a process of this machine, from the CPUs that it is bound to.
/// @param pid  process id; 0 is the calling process
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_UNSUPPORTED (not a topology of this machine),
///         AVRM_ERR_SYSTEM (no such process, its CPUs cannot be determined, or none of them is in
///         the topology), AVRM_ERR_NO_MEMORY
avrm_status_t avrm_topo_process(const avrm_topo_t *topo, int32_t pid, avrm_locality_t *locality_p) AVRM_NOEXCEPT;

/// Finds the object of the given kind that contains all of the given CPUs.
/// @param kind     a kind of object that has CPUs, in hwloc's words: "core", "L2", "L3Cache",
///                 "NUMANode", "package", with or without the prefix "hwloc://"
/// @param cpus, count  as for avrm_topo_cpus
/// @param index_p  receives the object's logical index, or AVRM_TOPO_SPREAD
/// @return as avrm_topo_cpus; also AVRM_ERR_OPTION (a kind that hwloc does not know)
avrm_status_t avrm_topo_object_of_cpus(const avrm_topo_t *topo, const char *kind, const uint32_t *cpus, size_t count,
                                       int32_t *index_p) AVRM_NOEXCEPT;
/// Finds the object of the given kind that contains all CPUs to which a process is bound.
/// @param kind, index_p  as for avrm_topo_object_of_cpus
/// @param pid  process id; 0 is the calling process
/// @return as avrm_topo_process; also AVRM_ERR_OPTION (a kind that hwloc does not know)
avrm_status_t avrm_topo_object_of_process(const avrm_topo_t *topo, const char *kind, int32_t pid,
                                          int32_t *index_p) AVRM_NOEXCEPT;

/// Finds the smallest domain that two processes share.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PEER (the processes are on different machines)
avrm_status_t avrm_topo_shared(const avrm_locality_t *one, const avrm_locality_t *other,
                               avrm_domain_t *domain_p) AVRM_NOEXCEPT;

/// Sets the options of an address vector so that its memory is bound to the NUMA node of the
/// calling process: sets numa_node and bind_numa, and no other option.
/// @return as avrm_topo_process; also AVRM_ERR_UNSUPPORTED (the process may run on several NUMA
///         nodes). After an error nothing is changed
avrm_status_t avrm_topo_bind_av(const avrm_topo_t *topo, avrm_av_options_t *options) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
