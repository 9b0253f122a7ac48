// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Continuing after failures: processes interrupt each other's operations, and survivors agree on a
// value and create a communicator without the failed processes. It follows MPI's draft chapter on
// fault tolerance (User Level Failure Mitigation).
//
//   function               MPI's draft            result in the survivors
//   avrm_comm_revoke       MPI_Comm_revoke        AVRM_ERR_REVOKED from operations on it
//   avrm_comm_is_revoked   MPI_Comm_is_revoked    (local)
//   avrm_comm_ack_failed   MPI_Comm_ack_failed    (local)
//   avrm_comm_agree        MPI_Comm_agree         one value and one status
//   avrm_comm_iagree       MPI_Comm_iagree        the same, nonblocking
//   avrm_comm_shrink       MPI_Comm_shrink        a communicator without the failed processes
//   avrm_comm_ishrink      MPI_Comm_ishrink       the same, nonblocking
//   avrm_comm_replace      (none)                 a communicator in which spares replace the failed
//   avrm_comm_ireplace     (none)                 the same, nonblocking
//
// All survivors call this after each step, whatever its status (tests/tour/survivors.c):
//
//   uint64_t good = status == AVRM_OK;
//   avrm_comm_t *survivors;
//   if (status != AVRM_OK)
//     must(avrm_comm_revoke(*comm_p)); // ends the operations of those who have not noticed
//   const avrm_status_t agreed = avrm_comm_agree(*comm_p, &good);
//   if (agreed == AVRM_OK && good)
//     return;
//   must(avrm_comm_shrink(*comm_p, &survivors));
//   must(avrm_comm_free(*comm_p));
//   *comm_p = survivors;
//
// A process counts as failed once the launcher, a transport or another process has reported it
// (device.h). Such a report is permanent:
//
//   reporter               reports on                   to whom, and when
//   embedded launcher      all processes of the job     all, by their next call that makes progress
//   PMIx server, unless    all processes of the job     all, as soon as it reports them
//   mpirun was run with
//   --enable-recovery
//   pidfd *                processes of the node that   the process that contacted them, after
//                          were contacted; once it has  about 10 ms if it makes progress
//                          probed for any source, or
//                          a receive of its own from
//                          any source had to wait, all
//                          of the node
//   broken connection *    connected processes          the process at the other end: at once; with
//                                                       ofi_rxm at its next send to the peer
//   ring *                 the next two live processes  the watcher, after about 10 ms if it makes
//                          by lpid                      progress
//   a process that was     the process that failed      all of the world: log2 P message steps
//   told by a * reporter
//   connection of two      processes of the world at    the group at this end, and groups that
//   roots (dynamic.h)      the other end                join it later over the root
//   end of the launcher *  all other processes          each, when it notices that the launcher
//                                                       has ended
//
// * under PMIx and PMI-2. PMI-2 launchers report no failures themselves.
//
// Reports are not verified. If a live process is reported as failed, the others continue without
// it, and it is not told: its agreements block until it in turn considers the others failed. That
// happens once they have ended or closed their devices and this has been reported to it in one of
// these ways.
//
// The ring: under PMIx and PMI-2, which need not report failures, each process watches the next two
// live processes of the world: those on its node by a pidfd, others by a TCP connection, which the
// kernel closes when a process ends. There are no heartbeats on these connections, so a process
// that is computing or stopped is never suspected. Cost per process, independent of P: two to four
// fetched cards (boot.h), a listening socket and about four connections, about 1.3 KiB, and a few
// system calls every 10 ms while it makes progress.
//
// A failure is known once one of the two watchers of the failed process makes progress. If several
// consecutive processes fail, each delays this by about 15 ms. If the kernel of a watched process's
// machine does not answer for 30 s, the process counts as failed, and with it all processes of that
// node whose lpids form one consecutive run with its own. If a process ended before it was watched,
// its machine refuses the connection; a firewall may do the same. A refusal therefore counts as a
// failure only once the watcher has had a ring connection with another node, which rules out a
// firewall; until then the watcher skips the process after 2 s and retries later.
//
// The ring does not detect the failure of a process that could not open its listening socket, that
// is behind a firewall, or whose sockets are still held by a child that it forked. After more than
// 64 consecutive processes that cannot be reached, a process stops watching new processes and
// reports that to its error callback. For processes left unwatched, and with AVRM_RING=no
// (../../ENVIRONMENT.md), only the other rows of the table apply.
//
// Once a process has failed, the collective functions of comm.h in which it would take part return
// AVRM_ERR_PEER. The functions of this header still work, even on a revoked communicator.
//
// Guarantees, whichever processes fail, at any time:
//
//   before     A process that failed before making the call takes no part.
//   during     All survivors return the same value, status and members. Each process that the
//              result does not treat as failed has contributed to it.
//   after      A process returns as soon as it knows the result and has passed it on, which may be
//              before others know it. If it fails then, the others still agree among themselves,
//              but possibly on a different result from the one it returned.
//
// For this purpose a process answers queries about the last result of each communicator whenever it
// makes progress. A communicator that was used for an agreement, or was revoked, keeps about 6 KiB
// and its context id after avrm_comm_free until all live members have freed it, which takes two
// messages per member.
//
// Some context ids are not used again until the device is closed: those of communicators that were
// revoked or of which a member has failed, because messages for them may arrive at any later time;
// and those of creations that returned AVRM_ERR_PEER, AVRM_ERR_REVOKED or AVRM_ERR_TRANSPORT after
// the members had begun to agree on the id, because others may have got the communicator. Each
// costs 8 bytes or less, and one of the ids that avrm_device_contexts counts; once there are none
// left, functions that create communicators return AVRM_ERR_LIMIT.
//
// Close the devices of all survivors together. avrm_device_close waits for the other processes,
// but stops waiting once a process of the world has failed. Before closing, call avrm_comm_agree
// rather than avrm_barrier: a barrier may return AVRM_ERR_PEER under PMIx or PMI-2, where a process
// that has left early counts as failed.
//
// Receives from AVRM_ANY_SOURCE: if a possible sender has failed, such a receive might block
// forever. Until all failures among the members (of the remote group, for an intercommunicator) are
// acknowledged with avrm_comm_ack_failed, these receives take a message that has arrived, and
// otherwise complete with AVRM_ERR_PEER_PENDING, including those that were already waiting. In MPI
// such a request stays pending; here it has completed without a message. Later receives with the
// same arguments take the messages that the completed ones would have taken, in the same order.
// Once the failures are acknowledged, receives wait for the live members. Probes from any source
// follow all of these rules. Failures of processes outside the communicator have no effect.
// Failures cannot be acknowledged on the communicators of avrm_comm_node and avrm_comm_node_roots:
// there, each time the device learns of a failure of any process, receives from any source that are
// waiting complete with AVRM_ERR_PEER if a member has failed; those posted later wait.
//
// All members must call agree, shrink and replace in the same order relative to the other
// collective functions of the communicator. Only one of them may be pending per communicator:
// another call returns AVRM_ERR_BUSY. On an internal communicator (avrm_comm_node,
// avrm_comm_node_roots) they return AVRM_ERR_OPTION.
//
// For an intercommunicator, the members of both groups take part: an agreement, a revocation and
// the acknowledgement of failures cover both groups. Shrinking creates an intercommunicator; it
// returns AVRM_ERR_PEER in all survivors if one group has no live member. If both groups together
// have more members than a communicator may have, the calls return AVRM_ERR_LIMIT. The functions
// also work on communicators of several worlds (dynamic.h). If a root whose connection joins two
// worlds fails, all processes of each world count as failed in the other; then the members agree
// only within each world.
//
// Threads: as in comm.h. Local errors concern this process only. After AVRM_ERR_NULL,
// AVRM_ERR_OPTION, AVRM_ERR_LIMIT (above), AVRM_ERR_BUSY or AVRM_ERR_NO_MEMORY, nothing has begun
// and the call may be repeated while the others wait; after AVRM_ERR_TRANSPORT, this process can no
// longer take part. A nonblocking call returns local errors itself, except AVRM_ERR_TRANSPORT; that
// and all agreed errors are the status of its request.
//
// If a *blocking* call returns AVRM_ERR_NO_MEMORY or AVRM_ERR_LIMIT, its caller cannot tell whether
// the error is local or the result on which the members have agreed. A caller that must know, for
// example to repeat the call after a local error, uses the nonblocking variant: the status of the
// call itself is local, and avrm_wait returns the agreed result (or AVRM_ERR_TRANSPORT).
//
// Cost of an agreement among P processes: 2 log2 P message steps without failures; each failure
// adds O(log P) messages, and 8 bytes to each vote and verdict. Source: Herault et al., "Practical
// scalable consensus for pseudo-synchronous distributed systems".
#ifndef AVRANKMAP_DEVICE_FT_H
#define AVRANKMAP_DEVICE_FT_H

#include "avrankmap/device/comm.h"

AVRM_BEGIN_DECLS

/// Interrupts the operations of all members on a communicator, permanently. Not collective: any
/// member may call it, any number of times; it returns at once. Other members learn of it when they
/// make progress. Effects:
///
///   sends, receives   Pending ones complete with AVRM_ERR_REVOKED, and probes return it. Whether
///                     the message of such a send was received is unknown. A receive whose message
///                     is arriving may still complete with AVRM_OK.
///   later operations  Return AVRM_ERR_REVOKED, on the fast path as well.
///   collectives       avrm_barrier and the functions of comm.h that create communicators return
///                     AVRM_ERR_REVOKED, with or without a failed member; members that had
///                     finished may return AVRM_OK.
///   not affected      agree, shrink, replace, ack_failed, get_failed; avrm_imrecv of a message
///                     that avrm_improbe or avrm_mprobe has extracted; windows, and other
///                     communicators created from this one
///
/// Also revokes the internal communicators (avrm_comm_node, avrm_comm_node_roots). Messages that
/// can no longer be received are dropped, so that their senders need not wait.
///
/// Every live member learns of the revocation if at least one member that does not fail has learned
/// of it, whether the caller fails or not. If all members that had learned of it fail, the
/// revocation may have no effect. Therefore members that return from an operation with an error
/// should call this function as well.
/// @return AVRM_OK, or AVRM_ERR_NULL, _OPTION, _LIMIT or _NO_MEMORY (nothing has happened)
/// Cost: log2 P message steps; each member sends at most log2 P messages of about 100 bytes, and
/// one more each time the next live member, in cyclic order of ranks, fails. Memory: about 6 KiB
/// and 10 requests until all members have freed the communicator.
avrm_status_t avrm_comm_revoke(avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns whether this process knows that the communicator was revoked. Local; makes no progress.
/// @return AVRM_OK, AVRM_ERR_NULL
avrm_status_t avrm_comm_is_revoked(avrm_comm_t *comm, bool *revoked_p) AVRM_NOEXCEPT;

/// Acknowledges the first `count` failures among the members (of both groups, for an
/// intercommunicator), or all known failures if there are fewer. Failures are in the order in which
/// this process's calls to avrm_comm_ack_failed found them; those found by the same call are in
/// order of rank. An acknowledgement is permanent. Once all failures are acknowledged, receives
/// from any source wait for the live members (above).
/// @param count    0 or more; 0 only queries the number
/// @param acked_p  receives the number of failures acknowledged so far
/// @return AVRM_OK, AVRM_ERR_NULL, AVRM_ERR_SIZE (negative count), AVRM_ERR_OPTION, AVRM_ERR_LIMIT,
///         AVRM_ERR_BUSY (an agreement was just started: make progress first), AVRM_ERR_NO_MEMORY
/// Local. Cost: O(f log P) after a new failure, where f is the number of failed processes that the
/// device knows of; otherwise O(1).
avrm_status_t avrm_comm_ack_failed(avrm_comm_t *comm, int32_t count, int32_t *acked_p) AVRM_NOEXCEPT;

/// Agrees on the bitwise AND of the values of all participants. Blocks.
/// @param value_p  this process's value; receives the result
/// @return the same in all survivors: AVRM_OK; AVRM_ERR_PEER if a member has failed and not all
///         participants had acknowledged this failure before the call (*value_p is also written);
///         AVRM_ERR_NO_MEMORY (*value_p is unchanged, but the agreement has ended). Also the local
///         errors (see above); if AVRM_ERR_NO_MEMORY is local, no agreement has begun
avrm_status_t avrm_comm_agree(avrm_comm_t *comm, uint64_t *value_p) AVRM_NOEXCEPT;
/// Nonblocking variant of avrm_comm_agree.
/// @param value_p    this process's value; must stay valid until the request completes. Receives
///                   the result if the request completes with AVRM_OK or AVRM_ERR_PEER
/// @param request_p  receives the request; its outcome has the status of the operation
/// @return AVRM_OK (started), or a local error other than AVRM_ERR_TRANSPORT
avrm_status_t avrm_comm_iagree(avrm_comm_t *comm, uint64_t *value_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Creates a communicator of the live members, in order of rank. Blocks. Either all survivors get
/// it or none does. A member that fails during the call may be in it, or the call restarts without
/// that member. The map is created by avrm_rankmap_create_without. If f processes are removed, an
/// affine communicator becomes at most f + 1 segments, and a blocked or Cartesian one keeps its
/// form and gains a list of f removed ranks, unless the instance's cost class (instance.h) prefers
/// a table.
/// @return AVRM_OK; after agreement, in all survivors: AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT (there is
///         no context id that is free in all survivors), AVRM_ERR_TRANSPORT, AVRM_ERR_MISMATCH (a
///         member calls avrm_comm_replace), AVRM_ERR_PEER (a group of an intercommunicator has no
///         live member). Also the local errors (see above)
/// Cost: two agreements and a creation; the same again for each restart.
avrm_status_t avrm_comm_shrink(avrm_comm_t *comm, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Nonblocking variant of avrm_comm_shrink.
/// @param comm_p     written when the request completes; must stay valid until then
/// @param request_p  receives the request; its outcome has the status of the operation
/// @return as avrm_comm_iagree
avrm_status_t avrm_comm_ishrink(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Creates a communicator of the live members in which spares take the ranks of failed members.
/// Blocks. The first `active` members do the work; the others are spares. A live active member
/// keeps its rank. Failed active members, in order of rank, are replaced by the last live spares,
/// beginning with the very last one. Ranks from `active` on belong to the remaining spares, in
/// order, so that the function can be called again on the result. All or none of the survivors get
/// the communicator, as in avrm_comm_shrink.
/// @param active  1 .. size; the same in all members
/// @return AVRM_OK; after agreement, in all survivors: AVRM_ERR_SIZE (fewer live spares than failed
///         active members), AVRM_ERR_MISMATCH (`active` differs), AVRM_ERR_NO_MEMORY,
///         AVRM_ERR_LIMIT (as avrm_comm_shrink), AVRM_ERR_TRANSPORT. Local: AVRM_ERR_SIZE (`active`
///         is out of range), AVRM_ERR_OPTION (also for an intercommunicator), and the other local
///         errors (see above)
/// Cost: that of avrm_comm_shrink. With f failed members, the map of an affine communicator has at
/// most 2 f + 1 segments; other maps take O(P) time and memory if they become a table.
avrm_status_t avrm_comm_replace(avrm_comm_t *comm, int32_t active, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Nonblocking variant of avrm_comm_replace.
/// @param active     1 .. size; the same in all members
/// @param comm_p     written when the request completes; must stay valid until then
/// @param request_p  receives the request; its outcome has the status of the operation
/// @return as avrm_comm_iagree; also AVRM_ERR_SIZE (`active` is out of range)
avrm_status_t avrm_comm_ireplace(avrm_comm_t *comm, int32_t active, avrm_comm_t **comm_p,
                                 avrm_request_t **request_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
