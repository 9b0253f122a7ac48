// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boot gives a process its rank, the size of its job, and the means to reach its peers. Each
// process publishes a business card, and fetches a peer's card when it first communicates with that
// peer. In each process, only these data grow with the job: one bit per process, set once that
// process has failed, in pages that take memory when they are first written; and, under PMI-2, a
// list of the nodes with 16 bytes per run of regularly placed processes.
//
//   avrm_boot_open        joins the job of this process: that of a PMIx launcher (mpirun,
//                         prterun, srun --mpi=pmix), of a PMI-2 launcher (mpiexec.hydra,
//                         srun --mpi=pmi2) or of avrm_comm_spawn (dynamic.h); otherwise a job of
//                         one process
//   avrm_boot_fork_run    the fork launcher: forks a job from the calling process, on one
//                         machine, which can represent several nodes. This launcher and the
//                         one within avrm_comm_spawn (dynamic.h) are both called the embedded
//                         launcher
//
// Join the launcher's job. Without a launcher the job has one process, and job.c then forks a job
// of its own (tests/tour/job.c):
//
//   avrm_boot_t *boot;
//   if (avrm_boot_open(&boot) != AVRM_OK)
//     return 1;
//   int32_t size = avrm_boot_size(boot), codes[2] = {0, 0};
//   if (size > 1)
//     codes[0] = body(boot, NULL);
//   avrm_boot_close(boot);
//
// A job's cards are stored once per node: in the store of the PMIx or PMI-2 server, or in memory
// that the forked processes share, which takes pages as cards are published.
//
// A process has *failed* if a signal ended it, if its exit code is not 0, or if it ended too early:
// before its body returned (fork), or before it closed its boot (PMIx, PMI-2, avrm_comm_spawn). It
// has *left* if its body returned 0 (fork) or it has closed its boot. The fork launcher immediately
// reports every failure to every process. Under PMIx the launcher decides: most launchers end the
// whole job, some report failures to every process, and some only report them to the processes that
// are in a fence at that time, without identifying the failed process. PMI-2 launchers report no
// failures: they end the whole job, or let it continue if an option says so (mpiexec.hydra
// -disable-auto-cleanup, unless a signal ended the process; srun --kill-on-bad-exit=0). Slurm's
// PMIx plugin usually ends the whole step, whatever srun was told (seen with 22.05): programs that
// continue after failures use srun --mpi=pmi2. Failures that a device detects itself (device.h) are
// counted as well.
//
// Before a device is open, processes do not watch each other. A process that ends at that stage
// leaves the others waiting if its launcher neither ends the job nor reports the end. This is the
// case with hydra after exit code 0, with srun without --kill-on-bad-exit=1, and with launchers
// that were told to continue. In the waiting processes, avrm_device_open (or avrm_boot_open, if
// PMI-2 does not provide the nodes of all processes) returns AVRM_ERR_TIMEOUT after
// AVRM_OPEN_TIMEOUT (../../ENVIRONMENT.md; 10 minutes by default). If a PMIx launcher completes a
// fence without the process that has ended (seen with mpirun --enable-recovery and with Slurm), the
// device opens, and processes of the same node detect the end. avrm_boot_fence has no time limit;
// to have one, use avrm_boot_fence_start and _test.
//
// PMI-2 has one connection to the launcher, so a fetch waits up to 5 seconds for a fence in
// progress, and then returns AVRM_ERR_TIMEOUT. While the boot is open, SIGUSR1 is ignored unless
// the program handles it or the launcher is Slurm, because hydra sends this signal when a process
// has died. In jobs of PMI-2 and of avrm_comm_spawn, a process cannot join again after it has left.
//
// If the embedded launcher ends, the processes of its job are killed. If a PMIx or PMI-2 launcher
// ends, nothing is left to end the job: each process continues but counts all others of its job as
// failed (under PMI-2 only from its next call to the launcher on), so that it does not wait for
// them forever.
//
// Threads: avrm_boot_fetch, avrm_boot_failures and avrm_boot_has_failed are thread-safe. The other
// functions may be called by one thread at a time.
#ifndef AVRANKMAP_DEVICE_BOOT_H
#define AVRANKMAP_DEVICE_BOOT_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

/// A process's connection to its job.
typedef struct avrm_boot avrm_boot_t;

/// Maximum size of a business card, in bytes.
#define AVRM_BOOT_CARD_MAX 1024
/// Number of slots: cards that a process can publish.
#define AVRM_BOOT_SLOTS 256

/// Joins the job in which this process was launched, which the environment identifies
/// (../../ENVIRONMENT.md). A process can have one boot open at a time, or any number if its job has
/// one process. Opens /dev/null in place of each standard stream that is closed, as
/// avrm_boot_fork_run and avrm_device_open do; otherwise a transport's socket could become a
/// standard stream.
/// @param boot_p  receives the boot
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BOOT (the launcher is missing or refuses, this library
///         was built without its client, srun started several processes without --mpi, or this
///         process has already joined or left the job), AVRM_ERR_OPTION (AVRM_LAUNCHER or
///         AVRM_OPEN_TIMEOUT of the environment), AVRM_ERR_TIMEOUT (PMI-2), AVRM_ERR_NO_MEMORY,
///         AVRM_ERR_SYSTEM; avrm_device_open_error returns a text for most of them
avrm_status_t avrm_boot_open(avrm_boot_t **boot_p) AVRM_NOEXCEPT;

/// Leaves the job. A no-op for null and for a boot of avrm_boot_fork_run. Under PMIx it blocks
/// until the server has closed the connection, for at most a second, unless other code in this
/// process uses PMIx. If it did not wait, the server might see the process end before the
/// connection closes, after which some servers ignore new processes (dynamic.h).
void avrm_boot_close(avrm_boot_t *boot) AVRM_NOEXCEPT;

/// Options of avrm_boot_fork_run.
typedef struct avrm_fork_options {
  int32_t size;            ///< number of processes, 1 or more
  int32_t per_node;        ///< processes per emulated node; the last may have fewer; 0: one node
  int32_t timeout_ms;      ///< kills the job after this time; 0: never
  int32_t kill_on_failure; ///< non-zero: the first failure ends the job; 0: the others continue
} avrm_fork_options_t;

/// Forks `size` processes, runs `body` in each, and blocks until all have ended. Returns only in
/// the calling process. If the calling process or thread ends, the forked processes are killed. C
/// streams are flushed before the fork and after `body`, and each process ends by _exit.
///
/// As with any fork, call it before the program starts threads. The program must not ignore
/// SIGCHLD, and no other code may wait for these processes. Calls may be repeated or nested in a
/// body, but two threads must not be in a call at the same time. Needs one file descriptor per
/// process while the job runs; before Linux 5.3 it instead checks every 2 ms which processes have
/// ended.
///
/// @param options     required
/// @param body        returns the exit code of its process, 0 for success; a code outside 0..255
///                    counts as 255. An exception that leaves it ends its process by SIGABRT.
/// @param user        passed to body
/// @param exit_codes  receives the exit code of each process, or 128 + signal; may be null
/// @return AVRM_OK (the job has run; see the exit codes), AVRM_ERR_NULL, AVRM_ERR_SIZE (size,
///         per_node, timeout_ms), AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no processes or file
///         descriptors are left, or SIGCHLD is ignored; see avrm_device_open_error),
///         AVRM_ERR_TIMEOUT
avrm_status_t avrm_boot_fork_run(const avrm_fork_options_t *options, int (*body)(avrm_boot_t *boot, void *user),
                                 void *user, int32_t *exit_codes) AVRM_NOEXCEPT;

/// Returns the rank of this process in its job, 0 .. size-1. `boot` must not be null here, in the
/// next five functions, or in avrm_boot_failures and avrm_boot_has_failed.
int32_t avrm_boot_rank(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the number of processes of the job.
int32_t avrm_boot_size(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the node id of this process. It is equal for processes that the launcher places on one
/// node, and different for others. It does not show whether processes can attach each other's
/// memory: containers may prevent that, and avrm_boot_fork_run may emulate several nodes on one
/// machine.
uint32_t avrm_boot_node(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the rank of this process among the processes of its node, in order of their ranks.
int32_t avrm_boot_local_rank(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the number of processes of this node.
int32_t avrm_boot_local_size(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns the launcher's kind: "pmix", "pmi2", "fork", "spawn" or "singleton".
const char *avrm_boot_kind(const avrm_boot_t *boot) AVRM_NOEXCEPT;

/// Publishes a card of this process. A peer can fetch it once both have completed the next fence. A
/// second card replaces the first in its slot; the memory of the first is not freed while the job
/// runs.
/// @param slot   0 .. AVRM_BOOT_SLOTS-1; the device uses slot 0 and the last two slots
/// @param card   copied
/// @param bytes  0 .. AVRM_BOOT_CARD_MAX
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (slot), AVRM_ERR_SIZE (above
///         AVRM_BOOT_CARD_MAX), AVRM_ERR_NO_MEMORY, AVRM_ERR_BOOT
avrm_status_t avrm_boot_publish(avrm_boot_t *boot, int32_t slot, const void *card, size_t bytes) AVRM_NOEXCEPT;

/// Fetches a card of a peer or of this process.
/// @param rank     0 .. size-1
/// @param slot     0 .. AVRM_BOOT_SLOTS-1
/// @param bytes_p  in: size of `card`; out: bytes written
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_OPTION (slot), AVRM_ERR_SIZE (`card` is
///         too small), AVRM_ERR_PEER (nothing is published, or the peer has failed), AVRM_ERR_BOOT,
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_TIMEOUT (PMI-2). Thread-safe.
/// Cost: at most one message to the node's server, which may query the peer's node. Under PMI-2 a
/// card of more than 738 bytes is stored in two pieces, and a card that replaces another one is
/// stored as a new version. A fetch sends one message per piece of each version that it tries: from
/// that of this process's own card on, later ones while there are any, or else earlier ones.
/// Before the fence that makes the card visible, a fetch may block for seconds and return
/// AVRM_ERR_PEER.
avrm_status_t avrm_boot_fetch(avrm_boot_t *boot, int32_t rank, int32_t slot, void *card, size_t *bytes_p) AVRM_NOEXCEPT;

/// Blocks until all processes of the job have called it, and makes published cards visible. After a
/// process has ended (kinds "fork" and "spawn") or is known to have failed ("pmix" and "pmi2"), all
/// fences return AVRM_ERR_PEER at once, except a fence that all processes had already entered.
/// Under PMIx and PMI-2, a process that ends without being reported may leave the others blocked in
/// a fence, and after a failure a fence may return different statuses in different processes.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PEER, AVRM_ERR_BOOT (also if the launcher has ended),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (PMI-2: no thread can be created)
avrm_status_t avrm_boot_fence(avrm_boot_t *boot) AVRM_NOEXCEPT;

/// Starts a fence without blocking, for callers that must make progress during the fence. No other
/// fence of this boot may start before avrm_boot_fence_test reports that this one has ended.
/// @return AVRM_OK (started), or an error of avrm_boot_fence
avrm_status_t avrm_boot_fence_start(avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Tests whether the fence that was started has ended. Does not block; cheap enough for progress
/// loops.
/// @param done_p  receives true if the fence has ended, otherwise false
/// @return AVRM_OK (complete, or still pending), AVRM_ERR_NULL; if it has ended also AVRM_ERR_PEER,
///         AVRM_ERR_BOOT
avrm_status_t avrm_boot_fence_test(avrm_boot_t *boot, bool *done_p) AVRM_NOEXCEPT;

/// Returns the number of processes of the job that are known to have failed; it never decreases.
/// Thread-safe. Cost: one load, cheap enough for progress loops.
uint32_t avrm_boot_failures(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Returns true if the process with this rank is known to have failed; false for a rank outside the
/// job. Thread-safe.
bool avrm_boot_has_failed(const avrm_boot_t *boot, int32_t rank) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
