// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boot: who am I, how many are we, and where is everybody. A process publishes one business card and reads those of
// the peers that it talks to, when it first talks to them; nothing here costs memory per process of the job.
//
//   avrm_boot_open        under a PMIx launcher (mpirun, prterun, srun): a client of it; in a program that avrm_comm_spawn
//                         started (dynamic.h): a member of its job; otherwise a job of one process
//   avrm_boot_fork_run    the embedded launcher: forks the job from the calling process, on one machine, and may
//                         pretend that it is several nodes
//
// The cards of a job are held once per node: in the PMIx server's shared store, or in one page-backed book that the
// forked processes share. Its pages come into being when cards are published.
//
// A process has *died* if a signal ended it, if its exit code is not 0, or if it ended before its body returned (fork)
// or before it closed its boot (PMIx). It has *left* if its body returned 0. The fork launcher reports every death to
// every process at once. Under PMIx we know what the launcher tells, and when: most end the whole job, others send an
// event to every process, and some tell only the processes that are in a fence just then, and not who it was.
//
// Threads: fetch, failures and has_failed at any time, from any thread. One thread at a time for everything else.
#ifndef AVRANKMAP_BOOT_H
#define AVRANKMAP_BOOT_H

#include "avrankmap/status.h"

AVRM_BEGIN_DECLS

typedef struct avrm_boot avrm_boot_t;

/// The longest business card, in bytes.
#define AVRM_BOOT_CARD_MAX 1024
/// Number of cards that a process may have.
#define AVRM_BOOT_SLOTS 256

/// Joins the job that this process was launched in. That it was launched by PMIx shows in the environment
/// (PMIX_NAMESPACE and PMIX_RANK). One boot at a time, unless the job is this process alone.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_BOOT (a launcher is there but refuses, or this library was built without
///         PMIx), AVRM_ERR_NO_MEMORY
avrm_status_t avrm_boot_open(avrm_boot_t **boot_p) AVRM_NOEXCEPT;

/// Leaves the job. Null is allowed. Does nothing to a boot that avrm_boot_fork_run handed out. Under PMIx it waits until the
/// server has closed the connection, too, a second at most, unless something else in this process still uses PMIx: a server
/// that hears of the process's end first may be deaf to a later process (dynamic.h).
void avrm_boot_close(avrm_boot_t *boot) AVRM_NOEXCEPT;

typedef struct avrm_fork_options {
  int32_t size;            ///< number of processes, 1 or more
  int32_t per_node;        ///< processes per pretended node, the last node may have fewer; 0: all on one node
  int32_t timeout_ms;      ///< the job is killed after this time; 0: never
  int32_t kill_on_failure; ///< non-zero: the first process that dies ends the job; 0: the others go on (to test faults)
} avrm_fork_options_t;

/// Forks `size` processes, runs `body` in each and waits for all of them. Returns in the calling process only, when
/// none of them exists any more. They die with the calling process and with the calling thread. Output that C streams
/// hold is written before the fork, and after `body`; the processes then end by _exit.
///
/// Best called before the program starts threads, as with any fork. SIGCHLD must not be ignored, and nobody else may
/// wait for these processes. Jobs may follow one another, and a body may run one of its own; two at the same time from
/// two threads are not supported. Needs Linux 5.3, and one file descriptor per process while the job runs.
///
/// @param body        returns the exit code of its process, 0 for success; a code outside 0..255 counts as 255. An
///                    exception that leaves it ends its process by SIGABRT.
/// @param exit_codes  receives the exit code of each process, or 128 + signal; may be null
/// @return AVRM_OK if the job ran (look at the exit codes), AVRM_ERR_NULL, AVRM_ERR_SIZE (size, per_node, timeout_ms),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM (no more processes or file descriptors, or SIGCHLD is ignored),
///         AVRM_ERR_TIMEOUT
avrm_status_t avrm_boot_fork_run(const avrm_fork_options_t *options, int (*body)(avrm_boot_t *boot, void *user),
                                 void *user, int32_t *exit_codes) AVRM_NOEXCEPT;

/// Rank of this process in its job, 0 .. size-1.
int32_t avrm_boot_rank(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Number of processes of the job.
int32_t avrm_boot_size(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Node of this process: equal for processes that can share memory, and for no others.
uint32_t avrm_boot_node(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Rank of this process among those of its node, in the order of their ranks, and their number.
int32_t avrm_boot_local_rank(const avrm_boot_t *boot) AVRM_NOEXCEPT;
int32_t avrm_boot_local_size(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// "pmix", "fork", "spawn" or "singleton".
const char *avrm_boot_kind(const avrm_boot_t *boot) AVRM_NOEXCEPT;

/// Publishes this process's card under its rank and `slot` (0 .. AVRM_BOOT_SLOTS-1; 0 is the device's own). Visible to
/// others after the next fence of both. A second card in the same slot replaces the first, but the memory of the first
/// is not used again while the job runs.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_OPTION (slot), AVRM_ERR_SIZE (more than AVRM_BOOT_CARD_MAX),
///         AVRM_ERR_NO_MEMORY, AVRM_ERR_BOOT
avrm_status_t avrm_boot_publish(avrm_boot_t *boot, int32_t slot, const void *card, size_t bytes) AVRM_NOEXCEPT;

/// Fetches a peer's card, or one's own.
/// @param bytes_p  in: room in `card`; out: bytes written
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_RANK, AVRM_ERR_OPTION (slot), AVRM_ERR_SIZE (too little room),
///         AVRM_ERR_PEER (nothing published, or the peer has died), AVRM_ERR_BOOT
/// Thread-safe. Cost: one message to the node's server at most, which asks the peer's node if need be. Before the fence
/// that makes the card visible, a fetch may wait some seconds for it, then returns AVRM_ERR_PEER.
avrm_status_t avrm_boot_fetch(avrm_boot_t *boot, int32_t rank, int32_t slot, void *card, size_t *bytes_p) AVRM_NOEXCEPT;

/// Waits for all processes of the job, and makes cards visible. Once a process has died or left there is no fence any
/// more: this one, if it was not complete, and all later ones return AVRM_ERR_PEER at once. In a forked job a fence
/// returns the same to all; under PMIx those that learn of a death while the fence is being completed may differ.
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_PEER, AVRM_ERR_BOOT
avrm_status_t avrm_boot_fence(avrm_boot_t *boot) AVRM_NOEXCEPT;

/// The same for those who must make progress of another kind while they wait: takes part in the fence, without waiting.
/// Until avrm_boot_fence_test says that it is over, there may be no other fence of this boot.
/// @return AVRM_OK (it has begun), AVRM_ERR_NULL, AVRM_ERR_PEER, AVRM_ERR_BOOT
avrm_status_t avrm_boot_fence_start(avrm_boot_t *boot) AVRM_NOEXCEPT;
/// Looks whether the fence that was started is over. Cheap enough for progress loops.
/// @param done_p  whether it is over
/// @return AVRM_OK (complete, or not over), AVRM_ERR_NULL; when it is over also AVRM_ERR_PEER, AVRM_ERR_BOOT
avrm_status_t avrm_boot_fence_test(avrm_boot_t *boot, bool *done_p) AVRM_NOEXCEPT;

/// Number of processes of the job that are known to have died; grows only. A load from memory: cheap enough for
/// progress loops. Thread-safe.
uint32_t avrm_boot_failures(const avrm_boot_t *boot) AVRM_NOEXCEPT;
/// True if this process is known to have died; false for a rank outside the job. Thread-safe.
bool avrm_boot_has_failed(const avrm_boot_t *boot, int32_t rank) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
