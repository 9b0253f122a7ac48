// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Dynamic processes: communicators with processes of other jobs.
//
//   avrm_port_open                opens a port that other jobs find by its name
//   avrm_comm_accept, _connect    create an intercommunicator of two groups that connect at a port
//   avrm_comm_spawn               starts a program as a new job and connects to it
//   avrm_comm_get_parent          in that program: connects to the processes that started it
//   avrm_comm_disconnect          frees a communicator after all its messages have arrived
//
// Connect two groups, of the even and the odd ranks; rank 0 opens the port (tests/tour/ports.c):
//
//   if (rank == 0)
//     must(avrm_port_open(device, name));
//   if (rank < 2)
//     tell(world, rank, name); // passes it to rank 1; other jobs could use a file
//   if (rank % 2 == 0)
//     must(avrm_comm_accept(group, 0, name, NULL, &inter));
//   else
//     must(avrm_comm_connect(group, 0, name, NULL, &inter));
//
// Spawn two processes, send a message to each and receive its answer (tests/tour/spawn.c):
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
// Distinguish parents and children in a program that spawns itself (tests/tour/spawn.c):
//
//   must(avrm_comm_get_parent(device, &parents)); // null: this process was not spawned
//   if (parents == NULL)
//     be_parent(world, rank);
//   else {
//     be_child(parents, rank);
//     must(avrm_comm_disconnect(&parents));
//   }
//
// Each job is a world: a process group with its own pgid and AV. If a world is connected again,
// even over another port, while a communicator with its processes exists, it keeps its pgid. A
// process's own world always has pgid 0. When the last communicator with processes of a world is
// freed, its AV is released; if the world is connected again later, it gets a new pgid. The
// connections to its processes stay open in case the world is connected again, at most 32 of all
// such worlds: then the oldest are closed.
//
// The maps of both groups have the forms that they have in their own worlds (offset, stride, ...).
// The map of a merged communicator of two worlds has segments if these save at least a page;
// otherwise it is an mlut (rankmap.h).
//
// Cost: several reductions and broadcasts of a few bytes in both groups, and one long message per
// group, which the roots exchange over TCP in pieces of 1 MiB and broadcast in their groups by a
// binomial tree. Each message consists of a header of 40 bytes, 40 bytes per world, 16 bytes per
// run of the map, and the business card of each process. As long as a process has a communicator
// with processes of a world, it keeps 8 bytes and the business card (72 bytes over libfabric's TCP)
// for each process in the groups of that world that it has connected to. The AV takes 12 bytes of
// address space for each process of the whole world. Processes connect at first contact.
//
// Processes of different worlds communicate over the netmod, wherever they run; shared memory is
// only used within a world. Both worlds must use the same provider of the same netmod, which must
// have AVRM_NETMOD_DELIVERS. If the netmods' codecs differ, or one lacks AVRM_NETMOD_DELIVERS, the
// call returns AVRM_ERR_UNSUPPORTED. Other differences are not detected: operations then fail at
// first contact with AVRM_ERR_TRANSPORT or AVRM_ERR_PEER. Worlds launched by avrm_boot_fork_run and
// worlds without a launcher listen on their own machine only; if one of the two worlds is of this
// kind, both must be on the same machine.
//
// The roots stay connected as long as each has a communicator with processes of the other world,
// and each reports failures in its world to the other. If a root itself fails, each of the two
// worlds counts all processes of the other one as failed (AVRM_ERR_PEER), as failures would no
// longer be reported. To connect them again, free all communicators with processes of the other
// world first; until all members have done so, the call returns AVRM_ERR_PEER in both groups. If a
// process fails while the groups connect, the call returns an error, except in processes that
// already have the communicator.
//
// Groups (group.h) of such communicators identify processes by pgid. They remain usable after the
// last communicator with these processes is freed, but do not match the world if it is connected
// again, as it then has a new pgid.
//
// All functions except those of ports are collective over their communicator; avrm_comm_get_parent
// has none, and is collective over the world until it has succeeded. Common errors are those of
// comm.h. AVRM_ERR_BUSY, and errors in arguments that every process passes (AVRM_ERR_NULL,
// AVRM_ERR_OPTION, AVRM_ERR_RANK), are returned at once, and only to the process concerned. If
// groups cannot connect for any other reason, all processes of both get an error. The exception is
// the failure of a process: some of the others may then already have the communicator.
#ifndef AVRANKMAP_DEVICE_DYNAMIC_H
#define AVRANKMAP_DEVICE_DYNAMIC_H

#include "avrankmap/device/comm.h"

AVRM_BEGIN_DECLS

/// Maximum size of a port name in bytes, including the terminating zero.
#define AVRM_PORT_MAX 256

/// Opens a port: sockets that listen on IPv4 and IPv6 at the interface
/// avrm_device_options_t.port_interface. Anyone who knows the name can connect: both sides prove by
/// a keyed hash that they know it, and neither sends the secret that it contains. Thread-safe on a
/// device with `threads` set.
/// @param name  receives the name, printable and without spaces; has AVRM_PORT_MAX bytes
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no socket), AVRM_ERR_OPTION
///         (no such interface, or one without an address), AVRM_ERR_UNSUPPORTED (a netmod without
///         AVRM_NETMOD_DELIVERS, or a build without libsodium)
avrm_status_t avrm_port_open(avrm_device_t *device, char *name) AVRM_NOEXCEPT;
/// Closes a port. Processes that wait there to be accepted get AVRM_ERR_PEER.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PORT (malformed, or not open in this process),
///         AVRM_ERR_BUSY (a thread is in avrm_comm_accept at this port)
avrm_status_t avrm_port_close(avrm_device_t *device, const char *name) AVRM_NOEXCEPT;

/// Options of accept and connect. `timeout_ms`: time limit for the roots to connect and to exchange
/// what their groups need, in milliseconds. 0: accept waits without limit, and connect takes up to
/// 10 seconds to connect to the other root. The time begins with the root's call, and is checked
/// only while the root waits for the other root: the wait for members of the local group that have
/// not called yet has no limit.
typedef struct avrm_meet_options {
  int32_t timeout_ms;
} avrm_meet_options_t;

/// Accepts a group that connects to a port of the root, and creates an intercommunicator of both
/// groups. Blocks.
/// @param root     rank in `comm`, the same in all members; only the root's name and options are
///                 used
/// @param name     of a port that is open in the root; may be null in the other members
/// @param options  null: the defaults
/// @param comm_p   receives the intercommunicator
/// @return also AVRM_ERR_RANK (root), AVRM_ERR_LIMIT (a group or its worlds are too large, or one
///         of the jobs has more than 16,777,216 processes and the other a different layout of match
///         bits), AVRM_ERR_PORT (malformed, or not open in the root), AVRM_ERR_TIMEOUT,
///         AVRM_ERR_SIZE (a negative time), AVRM_ERR_DUPLICATE (the groups overlap),
///         AVRM_ERR_UNSUPPORTED, AVRM_ERR_SYSTEM
/// Cost: the messages described above, and the agreement on a context id. While it waits, the root
/// makes progress at least once a millisecond. It serves up to 128 clients of the port
/// concurrently. A client that has not authenticated after 2 seconds is dropped, or after 50
/// milliseconds if another client needs its place.
avrm_status_t avrm_comm_accept(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                               avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Connects to a port of another group, and creates an intercommunicator of both groups. Blocks.
/// @param root     rank in `comm`, the same in all members; only the root's name and options are
///                 used
/// @param name     of the other group's port; may be null in the other members
/// @param options  null: the defaults
/// @param comm_p   receives the intercommunicator
/// @return as avrm_comm_accept; also AVRM_ERR_PEER (no process serves this port: each of its
///         addresses refuses the connection, or does not respond within 2 seconds)
/// Cost: as avrm_comm_accept.
avrm_status_t avrm_comm_connect(avrm_comm_t *comm, int32_t root, const char *name, const avrm_meet_options_t *options,
                                avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Options of a spawn. All zero: no arguments, the root's environment (that of the launcher if it
/// starts the children), the time limit below.
typedef struct avrm_spawn_options {
  /// Arguments without the program's name; a null pointer ends the list. Null: none.
  const char *const *arguments;
  /// Variables "NAME=value", which take precedence over that environment; a null pointer ends the
  /// list. Null: none.
  const char *const *environment;
  /// Milliseconds for the children to call avrm_comm_get_parent and to connect. 0: no limit with
  /// the embedded launcher; with PMIx and PMI-2, which do not always report that a child has ended,
  /// AVRM_OPEN_TIMEOUT of the environment (10 minutes by default).
  int32_t timeout_ms;
} avrm_spawn_options_t;

/// Starts `count` processes of a program, and blocks until they have called avrm_comm_get_parent.
/// The children form a job and a world of their own, which avrm_boot_open joins.
///
/// With PMIx: if the parents were started through PMIx, their launcher starts the children, if it
/// can (PMIx_Spawn; Open MPI's mpirun can). It decides where they run. Their environment is that of
/// the launcher and `options->environment`, and their kind (avrm_boot_kind) is "pmix". The job is
/// requested as recoverable, so that a child that fails ends no other process. Before the groups
/// connect, the root queries the launcher's server every 50 ms for failures. Afterwards each child
/// queries it at intervals of 20 ms times `count`, but no less than 250 ms, and the parents learn
/// of failures as described above. The root looks up the program itself, as some launchers never
/// report that a program does not exist. Limits:
///
/// - Open MPI 4.1 does not report that a process on another machine has exited normally. If a child
///   exits there without calling avrm_comm_get_parent, the spawn waits for the timeout.
/// - After a process has failed, or has ended without avrm_boot_close, PMIx servers (3 to 5.0.1)
///   may never answer processes that start later, whose start then blocks. Therefore, after a spawn
///   of this device failed with AVRM_ERR_PEER or AVRM_ERR_TIMEOUT, or after a failure in another
///   world, the launcher is no longer used if this world is on one machine. On several machines it
///   is still used, and a spawn may then block until its time limit.
///
/// With PMI-2: likewise, their launcher starts the children by PMI2_Job_Spawn, and their kind is
/// "pmi2". hydra's mpiexec supports it, and so does srun if SLURM_OVERLAP is set (otherwise the new
/// step would wait for free CPUs). The children have the environment of the launcher, the root's
/// working directory, and the variables of `options->environment`, which the program `env` sets.
/// Limits:
///
/// - PMI-2 neither reports that a child has ended nor offers a way to end one. If a child ends
///   before it calls avrm_comm_get_parent, the spawn waits for the timeout. Children of a failed
///   spawn remain until avrm_comm_get_parent returns an error to them.
/// - If a child fails, hydra ends the whole job, parents included, unless its option
///   -disable-auto-cleanup is set and no signal ended the child.
/// - The embedded launcher starts the children if PMI-2 cannot carry the request: if the program's
///   path, the working directory, an argument or a variable is empty or has a semicolon or a line
///   break, or if there are more than 500 arguments and variables, or more than 32,768 bytes.
///
/// Otherwise, or if the launcher refuses, the embedded launcher starts the children on the root's
/// machine, as one node, with kind "spawn". They inherit the root's working directory,
/// standard streams (/dev/null for streams that the root closed) and signal mask, and no other
/// descriptor except that of the memory in which their job stores its cards. They belong to the
/// root's session, and survive the parents unless these end before the children have connected. To
/// close a standard stream while a device is open, put /dev/null in its place (dup2): otherwise a
/// transport may take its number, and the children would inherit the transport's socket.
///
/// A supervisor, which is a fork of the root, runs until the last child ends; until then it shares
/// the root's pages, copy-on-write. The root reaps it in any call that makes progress: the
/// program's own waitpid does not see it, and no SIGCHLD is sent. If it outlives the root's device,
/// init reaps it. It records a child's failure in memory that the children share, and the root of
/// the children reports it to the parents' world, as described above. boot.h defines when a child
/// has failed, and when it has left.
///
/// As in MPI, only the root's `command`, `count`, `options` and `errors` are used. Unlike in MPI,
/// either all processes start or none does, and the children wait for each other in
/// avrm_comm_get_parent, not at start.
/// @param root     rank in `comm`, the same in all members
/// @param command  a path, or the name of a program that is looked up in the root's PATH
/// @param count    1 or more
/// @param options  null: the defaults
/// @param comm_p   receives an intercommunicator with the children
/// @param errors   in the root, receives the status of each of the `count` children; may be null.
///                 It is AVRM_OK for all of them unless a child made the spawn fail; then the first
///                 child that failed has its error, and the others still have AVRM_OK
/// @return also AVRM_ERR_RANK (root), AVRM_ERR_SIZE (count, a negative time), AVRM_ERR_LIMIT (one
///         of the two jobs has more than 16,777,216 processes, and the other a different layout of
///         match bits), AVRM_ERR_BOOT (the command cannot be run), AVRM_ERR_PEER (a child ended
///         before it connected to its parents, or all ended without calling avrm_comm_get_parent),
///         AVRM_ERR_TIMEOUT, AVRM_ERR_SYSTEM (no processes, sockets or files), AVRM_ERR_NO_MEMORY,
///         AVRM_ERR_UNSUPPORTED (a netmod without AVRM_NETMOD_DELIVERS, or a build without
///         libsodium).
///         After an error no child remains, except with PMI-2.
/// Cost: that of avrm_comm_accept, and a fork of the root or the launcher's work. No thread may
/// change the environment during the call.
avrm_status_t avrm_comm_spawn(avrm_comm_t *comm, int32_t root, const char *command, int32_t count,
                              const avrm_spawn_options_t *options, avrm_comm_t **comm_p,
                              avrm_status_t *errors) AVRM_NOEXCEPT;
/// Returns the intercommunicator with the processes that spawned this world; null if there are
/// none, or after it was freed. The first call creates it, and is collective over the world, with
/// rank 0 as its root; if it fails, the next call tries again. Later calls return the same
/// communicator. Disconnect or free it before the device is closed.
/// @return AVRM_OK, AVRM_ERR_NULL; the first call also what avrm_comm_connect returns, and
///         AVRM_ERR_PEER if the parents have ended
avrm_status_t avrm_comm_get_parent(avrm_device_t *device, avrm_comm_t **comm_p) AVRM_NOEXCEPT;

/// Blocks until all members of both groups have called it and all their messages in the
/// communicator have arrived, then frees it. Collective.
/// @param comm_p  set to null, unless nothing has changed
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BUSY (it has requests or windows, is the world or an
///         internal communicator; nothing has changed), AVRM_ERR_PEER (a member has failed),
///         AVRM_ERR_REVOKED, AVRM_ERR_TRANSPORT; after any error except AVRM_ERR_NULL and
///         AVRM_ERR_BUSY the communicator is also freed
avrm_status_t avrm_comm_disconnect(avrm_comm_t **comm_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
