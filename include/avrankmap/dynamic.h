// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamic processes: communicators with processes that were launched apart.
//
//   avrm_port_open                a process lets others find it, by a name that it hands them in some way of its own
//   avrm_comm_accept, _connect    two groups meet there: an intercommunicator between them
//   avrm_comm_spawn               a group starts a job of a program and meets it
//   avrm_comm_get_parent          where the program asks for those that started it
//   avrm_comm_disconnect          the end of a communicator, after everything that was sent in it has arrived
//
// Another job is another world: a process group with a pgid and an AV of its own, known from the first communicator with
// some of its processes to the end of the last one. Then its pgid and AV are given back; the last 32 connections to such
// processes are kept, to be used again if they are met again. A world that is met again, or by another way, is the same world;
// the own one, too. The maps of both groups are what they are at home (offset, stride, ..., regular as a rule); that of a merged
// communicator has segments, or is a table of two columns if there is no pattern.
//
// A group tells the other of itself in one letter, from root to root over TCP, handed on within the group by a binomial tree:
// 40 bytes, 24 per world, 16 per run of its map, and the business card of each process. The cards are kept, in 8 bytes and the
// card (64 bytes over libfabric's TCP) each, until the world is forgotten; the AV takes 12 bytes of address space per process
// of the world. A process is connected at first contact.
//
// Processes of different worlds talk over the netmod, wherever they run: shared memory is within a world. Both worlds use the
// same netmod and provider (else AVRM_ERR_UNSUPPORTED, or AVRM_ERR_TRANSPORT at first contact), one that delivers. Of worlds
// that were launched by avrm_boot_fork_run or alone, and listen on their own machine only, both must be on the same.
//
// Deaths. The roots stay in touch as long as both sides know each other. Each tells the other side of deaths in its world.
// If a root itself dies, the processes of the other world are taken for dead (AVRM_ERR_PEER), since nothing is heard of them any
// more. A meeting, too, ends with a status when someone in it dies.
//
// An intercommunicator's or a merged communicator's groups (group.h) name processes by pgid: destroy them before the worlds are
// forgotten.
//
// All functions are collective over their communicator but those of ports, which are local. Common errors are those of comm.h;
// if one process of either group has one, all get it.
#ifndef AVRANKMAP_DYNAMIC_H
#define AVRANKMAP_DYNAMIC_H

#include "avrankmap/comm.h"

AVRM_BEGIN_DECLS

/// Bytes that the name of a port takes at most, with the zero at its end.
#define AVRM_PORT_MAX 256

/// Opens a port: a socket that listens. The name is printable, without spaces; who knows it can connect.
/// @param name  receives the name; AVRM_PORT_MAX bytes
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no socket), AVRM_ERR_UNSUPPORTED (a netmod that does not
///         deliver). Thread-safe on a device for threads. IPv4 only.
avrm_status_t avrm_port_open(avrm_device_t *device, char *name) AVRM_NOEXCEPT;
/// Closes a port. Those who wait to be accepted there get AVRM_ERR_PEER.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PORT (malformed, or not open here), AVRM_ERR_BUSY (a thread is in accept)
avrm_status_t avrm_port_close(avrm_device_t *device, const char *name) AVRM_NOEXCEPT;

/// How long a root waits for the other, in milliseconds. 0: accept without end, connect 10 seconds.
typedef struct avrm_meet_options {
  int32_t timeout_ms;
} avrm_meet_options_t;

/// Waits for a group that connects to a port of the root's.
/// @param root     rank in `comm`, the same in all its members; only its port and options count
/// @param name     may be null in the others
/// @param options  null: the defaults
/// @return also AVRM_ERR_PORT (malformed, or not open in the root), AVRM_ERR_TIMEOUT, AVRM_ERR_SIZE (a negative time),
///         AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_UNSUPPORTED, AVRM_ERR_SYSTEM
/// Cost: what is said above, and the agreement on a context id. While the root waits it makes progress, at least once a
/// millisecond.
avrm_status_t avrm_comm_accept(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                               avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// The other side. Also AVRM_ERR_PEER (nobody serves this port).
avrm_status_t avrm_comm_connect(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                                avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// How to spawn. All zero: no arguments, the root's environment, without end.
typedef struct avrm_spawn_options {
  const char *const *arguments;   ///< of the program, without its name; ends with null. Null: none
  const char *const *environment; ///< "NAME=value", ends with null: put before the root's environment. Null: none
  int32_t timeout_ms;             ///< how long the children may take to ask for their parents; 0: without end
} avrm_spawn_options_t;

/// Starts `count` processes of a program, and waits until they have asked for their parents. They are a job and a world of their
/// own, of which avrm_boot_open makes them members. Who starts them:
///
/// The launcher of the parents, if they were started through PMIx and it can (PMIx_Spawn; Open MPI's mpirun can). It decides where
/// they run; their environment is what it gives its processes, and `options->environment`; they are of kind "pmix". The job is
/// asked for as a recoverable one, so that a child that fails ends nobody else: before the meeting the root asks the launcher's
/// server every 50 ms who has failed, after it each child asks every 20 ms times `count` (250 ms at least), and the parents hear
/// of it as said above. The root looks for the program itself, since not every launcher says that there is none. Open MPI 4.1 does not
/// say of a process that it has ended well: of one on another machine that never asks for its parents nothing is noticed but that
/// time runs out. PMIx servers (3 to 5.0.1) may be deaf to a new process after another one died or ended without avrm_boot_close:
/// where a spawn of this device failed by AVRM_ERR_PEER or AVRM_ERR_TIMEOUT, or a process of another world is known to have
/// died, and all of this world are on one machine, the launcher is no longer asked. On several machines it is; give a time.
///
/// Else, or if the launcher refuses, the embedded launcher, on the root's machine, as one node, with kind "spawn". They have the
/// root's working directory, standard streams and signal mask, and no other descriptor of it. They belong to the same session, and
/// outlive the parents unless these end before the two have met. A process looks after the children until the last has ended; it is
/// a fork of the root, and shares its pages until one of the two writes them. The root reaps it, in any call that makes progress;
/// the program's own waitpid does not see it, and no SIGCHLD comes. If it outlives the root's device, init reaps it. A child that
/// dies is known to its world, and to the parents as said above. What avrm_boot_fork_run says of dying and leaving holds.
///
/// As in MPI, `command` and what follows count in the root only. Unlike there, all processes are started or none is, the
/// children wait for one another in avrm_comm_get_parent and not as they start.
/// @param command  a path, or the name of a program that is looked for in the root's PATH
/// @param count    1 or more
/// @param options  null: the defaults
/// @param comm_p   receives an intercommunicator with the children
/// @param errors   in the root, the status of each child, `count` of them; may be null. Of a spawn that failed because of a child
///                 the first to fail has what it failed by; the others, which were ended for it, have AVRM_OK
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION, AVRM_ERR_RANK, AVRM_ERR_SIZE (count, a negative time), AVRM_ERR_LIMIT (more
///         than match bits have ranks), AVRM_ERR_BOOT (the command cannot be run), AVRM_ERR_PEER (a child ended before it met its
///         parents, or all ended without asking for them), AVRM_ERR_TIMEOUT, AVRM_ERR_SYSTEM (no processes, sockets or files),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (a netmod that does not deliver). After an error no child is left.
/// Cost: that of accept, and one fork of the root or what the launcher takes. Nobody may change the environment meanwhile.
avrm_status_t avrm_comm_spawn(avrm_comm_t *comm, int32_t root, const char *command, int32_t count,
                              const avrm_spawn_options_t *options, avrm_comm_t **comm_p,
                              avrm_status_t *errors) AVRM_NOEXCEPT;
/// The intercommunicator with the processes that spawned this world; null if none did, or after it was freed. The first call
/// makes it, at the caller's expense, and is collective over the world: like connect, from rank 0. Each later one returns the
/// same. Disconnect or free it before the device is closed.
/// @return AVRM_OK, AVRM_ERR_NULL; from the first call what avrm_comm_connect returns, AVRM_ERR_PEER if the parents are gone
avrm_status_t avrm_comm_get_parent(avrm_device_t *device, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Waits until all members have come (of both groups), and everything that they sent in `comm` has arrived, then frees it.
/// @param comm_p  null afterwards, unless nothing was changed
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (requests or windows of it exist, or it is the world: nothing is changed),
///         AVRM_ERR_PEER (a member has died; it is freed all the same)
avrm_status_t avrm_comm_disconnect(avrm_comm_t **comm_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
