// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boot tells a process its rank, the size of its job, and how to reach its peers. Each process
// publishes a business card and fetches a peer's card when it first communicates with that peer. No
// structure grows with the size of the job.
//
//   avrm_boot_open        joins the job of this process: that of a PMIx launcher (mpirun,
//                         prterun, srun), or that of avrm_comm_spawn (dynamic.h); else a job
//                         of one process
//   avrm_boot_fork_run    the fork launcher: forks a job from the calling process, on one
//                         machine, optionally as if on several nodes
//
// A program in a job of a launcher; without one it has one process (tests/tour/job.c):
//
//   avrm_boot_t *boot;
//   if (avrm_boot_open(&boot) != AVRM_OK)
//     return 1;
//   int32_t size = avrm_boot_size(boot), codes[2] = {0, 0};
//   if (size > 1)
//     codes[0] = body(boot, NULL);
//   avrm_boot_close(boot);
//
// A job's cards exist once per node: in the shared store of the PMIx server, or in a store that the
// forked processes share, whose pages occupy memory once cards are published.
//
// A process has *died* if a signal ended it, if its exit code is not 0, or if it ended too early:
// before its body returned (fork) or before it closed its boot (PMIx). It has *left* if its body
// returned 0. The fork launcher reports every death to every process at once. Under PMIx the
// launcher decides: most launchers end the whole job, some report deaths to every process, and some
// report them only to the processes in a fence at that time, without naming the dead one. What a
// device finds out by itself (device.h) counts as well.
//
// When the launcher dies, a forked process dies with it. Under PMIx the process goes on: all other
// processes of its job count as dead from then on, as nobody ends them if they wait in vain.
//
// Threads: any thread may call fetch, failures and has_failed at any time. One thread at a time may
// call the other functions.
#ifndef AVRANKMAP_DEVICE_BOOT_H
#define AVRANKMAP_DEVICE_BOOT_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

typedef struct avrm_boot avrm_boot_t;

/// Maximum size of a business card, in bytes.
#define AVRM_BOOT_CARD_MAX 1024
/// Number of cards that a process can publish.
#define AVRM_BOOT_SLOTS 256

/// Joins the job that this process was launched in. The environment shows which one it is
/// (../../ENVIRONMENT.md). A process can have one boot open at a time, or any number if its job has
/// one process. Opens /dev/null as each standard stream that is closed, as do avrm_boot_fork_run
/// and avrm_device_open: otherwise a transport's socket would become one.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BOOT (the launcher refuses, or this library was built
///         without PMIx), AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (see avrm_device_open_error)
avrm_status_t avrm_boot_open(avrm_boot_t **boot_p) AVRM_NOEXCEPT;

/// Leaves the job. Null is allowed. Ignores a boot of avrm_boot_fork_run. Under PMIx it blocks
/// until the server has closed the connection, for a second at most, unless something else in this
/// process uses PMIx: a server that sees the process end first may be deaf to a later one
/// (dynamic.h).
void avrm_boot_close(avrm_boot_t *boot) AVRM_NOEXCEPT;

typedef struct avrm_fork_options {
  int32_t size;            ///< number of processes, 1 or more
  int32_t per_node;        ///< processes per pretended node; the last may have fewer; 0: one node
  int32_t timeout_ms;      ///< kills the job after this time; 0: never
  int32_t kill_on_failure; ///< non-zero: the first death ends the job; 0: the others go on
} avrm_fork_options_t;

/// Forks `size` processes, runs `body` in each and blocks until all have ended. Returns in the
/// calling process only. The processes die with the calling process and with the calling thread.
/// Flushes C streams before the fork and after `body`; then the process ends by _exit.
///
/// As with any fork, call it before the program starts threads. The program must not ignore
/// SIGCHLD, and no other code may wait for these processes. Calls may follow one another, and a
/// body may make one of its own, but two threads must not call it at the same time. Needs one file
/// descriptor per process while the job runs; before Linux 5.3 it looks every 2 ms for ends.
///
/// @param body        returns the exit code of its process, 0 for success; a code outside 0..255
///                    counts as 255. An exception that leaves it ends its process by SIGABRT.
/// @param exit_codes  receives the exit code of each process, or 128 + signal; may be null
/// @return AVRM_OK if the job ran (see the exit codes), AVRM_ERR_NULL, AVRM_ERR_SIZE (size,
///         per_node, timeout_ms), AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no more processes or file
///         descriptors, or SIGCHLD is ignored; avrm_device_open_error tells), AVRM_ERR_TIMEOUT
avrm_status_t avrm_boot_fork_run(const avrm_fork_options_t *options, int (*body)(avrm_boot_t *boot, void *user),
                                 void *user, int32_t *exit_codes) AVRM_NOEXCEPT;

/// Returns the rank of this process in its job, 0 .. size-1.
int32_t avrm_boot_rank(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the number of processes of the job.
int32_t avrm_boot_size(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the node of this process. It is equal for processes that can share memory, and only for
/// them.
uint32_t avrm_boot_node(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the rank of this process among those of its node, ordered by rank, and their number.
int32_t avrm_boot_local_rank(const avrm_boot_t *boot) AVRM_NOEXCEPT;
int32_t avrm_boot_local_size(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns "pmix", "fork", "spawn" or "singleton".
const char *avrm_boot_kind(const avrm_boot_t *boot) AVRM_NOEXCEPT;

/// Publishes this process's card in a slot (0 .. AVRM_BOOT_SLOTS-1; the device uses the first and
/// the last two). A peer sees it after the next fence of both. A second card replaces the first one
/// in its slot, but the first keeps its memory while the job runs.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (slot), AVRM_ERR_SIZE (above
///         AVRM_BOOT_CARD_MAX), AVRM_ERR_NO_MEMORY, AVRM_ERR_BOOT
avrm_status_t avrm_boot_publish(avrm_boot_t *boot, int32_t slot, const void *card, size_t bytes) AVRM_NOEXCEPT;

/// Fetches the card of a peer, or of this process.
/// @param bytes_p  in: size of `card`; out: bytes written
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_OPTION (slot), AVRM_ERR_SIZE (`card` is
///         too small), AVRM_ERR_PEER (nothing is published, or the peer has died), AVRM_ERR_BOOT
///
/// Thread-safe. Cost: at most one message to the node's server, which may ask the peer's node.
/// Before the fence that makes the card visible, a fetch may block for some seconds and then return
/// AVRM_ERR_PEER.
avrm_status_t avrm_boot_fetch(avrm_boot_t *boot, int32_t rank, int32_t slot, void *card, size_t *bytes_p) AVRM_NOEXCEPT;

/// Blocks until all processes of the job have called it, and makes cards visible. After a process
/// has died or left, no fence completes: this one, unless it was complete, and all later ones
/// return AVRM_ERR_PEER at once. In a forked job a fence returns the same to all processes. Under
/// PMIx the results may differ if a death is reported while the fence completes.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PEER, AVRM_ERR_BOOT (also if the launcher is gone)
avrm_status_t avrm_boot_fence(avrm_boot_t *boot) AVRM_NOEXCEPT;

/// Starts a fence without blocking, for callers that must make progress meanwhile. No other fence
/// of this boot may start before avrm_boot_fence_test reports the end of this one.
/// @return AVRM_OK (it has started), AVRM_ERR_NULL, AVRM_ERR_PEER, AVRM_ERR_BOOT
avrm_status_t avrm_boot_fence_start(avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Tests whether the fence that was started is over. Cheap enough for progress loops.
/// @param done_p  receives true if it is over
/// @return AVRM_OK (complete, or not over), AVRM_ERR_NULL; if it is over also AVRM_ERR_PEER,
///         AVRM_ERR_BOOT
avrm_status_t avrm_boot_fence_test(avrm_boot_t *boot, bool *done_p) AVRM_NOEXCEPT;

/// Returns the number of processes of the job that are known to have died. It never decreases.
/// Thread-safe. Costs one load, which is cheap enough for progress loops.
uint32_t avrm_boot_failures(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns true if this process is known to have died, false for a rank outside the job.
/// Thread-safe.
bool avrm_boot_has_failed(const avrm_boot_t *boot, int32_t rank) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
