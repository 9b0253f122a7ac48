// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamic processes: communicators with processes of other jobs.
//
//   avrm_port_open                opens a port that other jobs find by its name
//   avrm_comm_accept, _connect    make an intercommunicator of two groups that meet at a port
//   avrm_comm_spawn               starts a job of a program and meets it
//   avrm_comm_get_parent          in that program: meets the processes that started it
//   avrm_comm_disconnect          frees a communicator after all its messages have arrived
//
// Two groups, one of which has the even ranks; rank 0 opens the port (tests/tour/ports.c):
//
//   if (rank == 0)
//     must(avrm_port_open(device, name));
//   if (rank < 2)
//     tell(world, rank, name); // in a file, say
//   if (rank % 2 == 0)
//     must(avrm_comm_accept(group, 0, name, NULL, &inter));
//   else
//     must(avrm_comm_connect(group, 0, name, NULL, &inter));
//
// Two more processes, and a message to each and back (tests/tour/spawn.c):
//
//   must(avrm_comm_spawn(world, 0, program, 2, &options, &children, NULL));
//
//   int32_t word = 100 + rank, answers[2] = {0, 0};
//   avrm_request_t *requests[4];
//   for (int32_t child = 0; child < 2; ++child) {
//     must(avrm_isend(children, &word, sizeof word, child, 0, &requests[child]));
//     must(avrm_irecv(children, &answers[child], sizeof word, child, 0, &requests[2 + child]));
//   }
//
// Both sides of a program that spawns itself (tests/tour/spawn.c):
//
//   must(avrm_comm_get_parent(device, &parents)); // null: this process was not spawned
//   if (parents == NULL)
//     be_parent(world, rank);
//   else {
//     be_child(parents, rank);
//     must(avrm_comm_disconnect(&parents));
//   }
//
// Another job is another world: a process group with a pgid and an AV of its own. A world that is
// met again, or in another way, is the same world; so is this process's own. When the last
// communicator with a world's processes is freed, its pgid and AV are, too. The last 32 connections
// to such processes stay open, in case they are met again.
//
// The maps of both groups are as regular as they are at home (offset, stride, ...). The map of a
// merged communicator has segments, or is a table of two columns if there is no pattern.
//
// The roots exchange one message per group over TCP and pass it on within their groups by a
// binomial tree: 40 bytes, 40 per world, 16 per run of the map, and the business card of each
// process. While the world is known, each process keeps 8 bytes and the card (72 bytes over
// libfabric's TCP) per process of it, and the AV takes 12 bytes of address space each. Processes
// connect at first contact.
//
// Processes of different worlds communicate over the netmod, wherever they run: shared memory is
// for one world. Both worlds must use the same netmod and provider, one that delivers; otherwise
// they get AVRM_ERR_UNSUPPORTED, or AVRM_ERR_TRANSPORT or AVRM_ERR_PEER at first contact. Worlds
// that avrm_boot_fork_run launched, or that are alone, listen on their own machine only; two of
// them must be on the same one.
//
// The roots keep their connection as long as both sides know each other, and each reports deaths in
// its world to the other. If a root itself dies, the other world takes all processes of that world
// for dead (AVRM_ERR_PEER), as nobody would report them. If any process dies while the groups
// connect, the call returns an error.
//
// The groups (group.h) of an intercommunicator or merged communicator name processes by pgid.
// Destroy them before the worlds are forgotten.
//
// All functions but those of ports are collective over their communicator. Common errors are those
// of comm.h. If one process of either group gets one, all do.
#ifndef AVRANKMAP_DEVICE_DYNAMIC_H
#define AVRANKMAP_DEVICE_DYNAMIC_H

#include "avrankmap/device/comm.h"

AVRM_BEGIN_DECLS

/// Maximum size of a port name, including the zero at its end.
#define AVRM_PORT_MAX 256

/// Opens a port: sockets that listen on IPv4 and IPv6, at the interface of
/// avrm_device_options_t.port_interface. The name is printable and has no spaces. Whoever knows the
/// name can connect. Both sides prove that they do, by a keyed hash, and neither sends
/// the secret in it. Thread-safe on a device for several threads.
/// @param name  receives the name; AVRM_PORT_MAX bytes
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no socket),
///         AVRM_ERR_OPTION (no such interface, or one without an address), AVRM_ERR_UNSUPPORTED (a
///         netmod that does not deliver, or a build without libsodium)
avrm_status_t avrm_port_open(avrm_device_t *device, char *name) AVRM_NOEXCEPT;
/// Closes a port. Processes that wait there to be accepted get AVRM_ERR_PEER.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PORT (malformed, or not open here), AVRM_ERR_BUSY (a
///         thread is in accept)
avrm_status_t avrm_port_close(avrm_device_t *device, const char *name) AVRM_NOEXCEPT;

/// Time for the roots to find one another and to exchange what their groups need, in milliseconds.
/// 0: accept waits without limit, connect takes 10 seconds to find the other root. Members of the
/// own group that have not called yet are waited for in any case.
typedef struct avrm_meet_options {
  int32_t timeout_ms;
} avrm_meet_options_t;

/// Accepts a group that connects to a port of the root.
/// @param root     rank in `comm`, the same in all members; only its port and options count
/// @param name     may be null in the other members
/// @param options  null: the defaults
/// @return also AVRM_ERR_PORT (malformed, or not open in the root), AVRM_ERR_TIMEOUT, AVRM_ERR_SIZE
///         (a negative time), AVRM_ERR_DUPLICATE (the groups overlap), AVRM_ERR_UNSUPPORTED,
///         AVRM_ERR_SYSTEM
///
/// Cost: the messages described above, and the agreement on a context id. While the root waits it
/// makes progress, at least once a millisecond. It serves up to 128 clients of the port side by
/// side. One that has not proved itself after 2 seconds is dropped, or after 50 milliseconds if
/// more clients come.
avrm_status_t avrm_comm_accept(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                               avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Connects to a port of another group. Returns also AVRM_ERR_PEER (nobody serves this port).
avrm_status_t avrm_comm_connect(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                                avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Options of a spawn. All zero: no arguments, the root's environment, no time limit.
typedef struct avrm_spawn_options {
  /// Arguments without the program's name; ends with null. Null: none.
  const char *const *arguments;
  /// "NAME=value"; ends with null. Precedes the root's environment. Null: none.
  const char *const *environment;
  /// Time for the children to call avrm_comm_get_parent and to meet; 0: no limit.
  int32_t timeout_ms;
} avrm_spawn_options_t;

/// Starts `count` processes of a program and blocks until they have called avrm_comm_get_parent.
/// The children are a job and a world of their own, which avrm_boot_open joins.
///
/// If the parents were started through PMIx, their launcher starts the children, if it can
/// (PMIx_Spawn; Open MPI's mpirun can). It decides where they run. Their environment is that of the
/// launcher and `options->environment`, and their kind is "pmix". The job is requested as a
/// recoverable one, so that a child that fails ends no other process. Before the groups connect the
/// root asks the launcher's server every 50 ms for failures. Afterwards each child asks every 20 ms
/// times `count` (250 ms at least), and the parents learn of deaths as described above. The root
/// looks the program up itself, as some launchers never report that a program does not exist.
/// Limits:
///
/// - Open MPI 4.1 does not report that a process on another machine has exited normally. If a child
///   exits there without asking for its parents, the spawn waits for the timeout. Pass one.
/// - PMIx servers (3 to 5.0.1) may be deaf to a new process after another one died, or ended
///   without avrm_boot_close. So after a spawn of this device failed by AVRM_ERR_PEER or
///   AVRM_ERR_TIMEOUT, or after a death in another world, the launcher is not asked any more if
///   this world is on one machine. On several machines it still is: pass a timeout.
///
/// Otherwise, or if the launcher refuses, the embedded launcher starts the children on the root's
/// machine, as one node, with kind "spawn". They inherit the root's working directory, standard
/// streams (/dev/null for those that it closed) and signal mask, and no other descriptor. They
/// belong to its session, and survive the parents unless these end before that. A process
/// that is a fork of the root supervises them until the last one ends; until then it shares the
/// root's pages, copy-on-write. The root reaps it in any call that makes progress; the program's
/// own waitpid does not see it, and no SIGCHLD is sent. If it outlives the root's device, init
/// reaps it. Its world and the parents learn of a child's death as described above. The definitions
/// of dying and leaving are those of avrm_boot_fork_run.
///
/// As in MPI, only the root's `command` and later arguments count. Unlike in MPI, either all
/// processes start or none does, and the children wait for one another in avrm_comm_get_parent, not
/// at start.
/// @param command  a path, or the name of a program that is looked up in the root's PATH
/// @param count    1 or more
/// @param options  null: the defaults
/// @param comm_p   receives an intercommunicator with the children
/// @param errors   in the root, receives the status of each of the `count` children; may be null.
///                 If a child makes the spawn fail, the first one that failed has its error, and
///                 the others, which were killed, have AVRM_OK
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION, AVRM_ERR_RANK, AVRM_ERR_SIZE (count, a negative
///         time), AVRM_ERR_LIMIT (more ranks than match bits allow), AVRM_ERR_BOOT (the command
///         cannot be run), AVRM_ERR_PEER (a child ended before it met its parents, or all ended
///         without asking for them), AVRM_ERR_TIMEOUT, AVRM_ERR_SYSTEM (no processes, sockets or
///         files), AVRM_ERR_NO_MEMORY, AVRM_ERR_UNSUPPORTED (a netmod that does not deliver). After
///         an error no child is left.
///
/// Cost: that of accept, and a fork of the root or the launcher's work. No thread may change the
/// environment meanwhile.
avrm_status_t avrm_comm_spawn(avrm_comm_t *comm, int32_t root, const char *command, int32_t count,
                              const avrm_spawn_options_t *options, avrm_comm_t **comm_p,
                              avrm_status_t *errors) AVRM_NOEXCEPT;
/// Returns the intercommunicator with the processes that spawned this world; null if there are
/// none, or after it was freed. The first call creates it: it is collective over the world and
/// works like connect, from rank 0. Later calls return the same. Disconnect or free it before the
/// device is closed.
/// @return AVRM_OK, AVRM_ERR_NULL; the first call also what avrm_comm_connect returns, and
///         AVRM_ERR_PEER if the parents are gone
avrm_status_t avrm_comm_get_parent(avrm_device_t *device, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Blocks until all members, of both groups, have called it and everything that they sent in `comm`
/// has arrived, then frees it.
/// @param comm_p  receives null, unless nothing changed
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (requests or windows of it exist, or it is the
///         world: nothing changes), AVRM_ERR_PEER (a member has died; `comm` is freed all the same)
avrm_status_t avrm_comm_disconnect(avrm_comm_t **comm_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
