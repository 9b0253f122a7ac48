// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Going on after failures: the part of MPI's draft chapter on fault tolerance (User Level Failure
// Mitigation) with which processes interrupt one another, and survivors agree and make a
// communicator of their own.
//
//   function               MPI's draft            survivors get
//   avrm_comm_revoke       MPI_Comm_revoke        AVRM_ERR_REVOKED from what uses it
//   avrm_comm_is_revoked   MPI_Comm_is_revoked    (local)
//   avrm_comm_ack_failed   MPI_Comm_ack_failed    (local)
//   avrm_comm_agree        MPI_Comm_agree         one value, one status
//   avrm_comm_iagree       MPI_Comm_iagree        the same
//   avrm_comm_shrink       MPI_Comm_shrink        a communicator without the dead
//   avrm_comm_ishrink      MPI_Comm_ishrink       the same
//   avrm_comm_replace      (none)                 one in which spares take the places of the dead
//   avrm_comm_ireplace     (none)                 the same
//
// After each step with one status or another, all survivors call this (tests/tour/survivors.c):
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
// A process is dead when the launcher, a transport or another process has reported it (device.h);
// such a report is never taken back:
//
//   reporter             of which processes                     to whom, and by when
//   embedded launcher    all of the job                         all, by their next call of progress
//   PMIx server          all of the job, unless mpirun was      all, as soon as it does
//                        started with --enable-recovery
//   pidfd (PMIx only)    those of the node that were contacted  whoever contacted them: some 10 ms
//                        or, once it has received from any      of making progress
//                        source, all of the node
//   a broken connection  those that are connected               whoever is connected: at once; over
//   (PMIx only)                                                 ofi_rxm with the next send to it
//   the ring (PMIx only) the next two that live, by lpid        each process: some 10 ms of
//                                                               making progress
//   whoever knows by     that one                               all of the world: log2 P message
//   the last three                                              steps
//   a link (dynamic.h)   of the other worlds                    all of the world that has the link
//   the launcher's end   all                                    all
//
// Reports are not verified. The others go on without a process that lives but was reported dead. It
// hears nothing of that: its agreements wait until the others count as dead to it, by the ways
// above, once they have ended or closed their devices.
//
// The ring: where the launcher need not report deaths, each process watches the next two of the
// world that live, those of its node by a pidfd, others by a TCP connection, which the kernel of a
// dead process closes. Nothing is sent meanwhile, and a process that computes or is stopped is
// never suspected. It costs each process two to four fetched cards, a socket that listens and some
// four connections, some 1.3 KiB, and a few system calls per 10 ms of progress, whatever P.
//
// A death is known once one of the two that watch it makes progress; of several in a row, each
// takes some 15 ms more. A machine that is silent for 30 s is gone, and its processes with
// consecutive lpids with it. A process that is dead already when it is first looked at is believed
// to be so once the one that looks has been connected in the ring with another node; until then it
// is passed over after 2 s, and looked at again later.
//
// Not found are deaths of processes whose sockets a child of fork() still holds, that could not
// listen, or that are behind a firewall; after 64 processes in a row that are not reached, the
// error callback is told that this one watches nobody new. Then, and with AVRM_RING=no
// (../../ENVIRONMENT.md), the other rows of the table hold.
//
// While a member is dead, the other operations of comm.h return AVRM_ERR_PEER; these go on, on a
// revoked communicator, too.
//
// Guarantees, whichever processes die, roots included, and whenever:
//
//   before     A process that died before it called takes no part.
//   during     All survivors return the same value, status and members. Each process that the
//              result does not treat as dead has contributed to it.
//   after      A process returns as soon as it knows the result and has passed it on, which may be
//              before others know it. If it dies then, the others still agree among themselves, but
//              may have another result than the dead one had.
//
// To keep this up, a process answers questions about the last result of each communicator whenever
// it makes progress. A communicator on which it agreed, or that was revoked, keeps some 6 KiB, and
// its context id, after avrm_comm_free until all living members have freed it, which they tell one
// another by two messages each. If a member has died, or the communicator was revoked, messages may
// be under way to it for ever: then the context id alone (8 bytes or less) is kept until the device
// is closed. Survivors close their devices together: avrm_device_close waits for the others, but
// not once a member of the world has died. End with an agreement of the survivors before; a barrier
// may end with AVRM_ERR_PEER under PMIx, where a process that has left early counts as dead.
//
// Messages from any source: if a possible sender has died, a receive from AVRM_ANY_SOURCE might
// wait in vain. Until all deaths among the members, of an intercommunicator in the remote group,
// are acknowledged (avrm_comm_ack_failed), such receives take a message that has arrived; otherwise
// they end with AVRM_ERR_PEER_PENDING, those that were waiting for a message, too. MPI keeps such a
// request pending; here it has ended and taken nothing, so that a later receive with the same
// arguments takes the message that this one would have taken, in the same order. Once the deaths
// are acknowledged, receives wait for the living. Probes do the same. Deaths in other communicators
// do not matter. On the communicators of avrm_comm_node and avrm_comm_node_roots, which nobody can
// acknowledge, the death of a process of the device ends waiting receives with AVRM_ERR_PEER, and
// later ones wait.
//
// All members call agree and shrink in the same order among the collective functions of the
// communicator; one at a time per communicator, else AVRM_ERR_BUSY. Internal communicators:
// AVRM_ERR_OPTION.
//
// Of an intercommunicator, the members of both groups take part: one agreement, one revocation, and
// deaths in both groups to be acknowledged. Shrinking makes an intercommunicator again, and is
// AVRM_ERR_PEER in all survivors once nobody of one group is left. If both groups together have
// more members than a communicator may have, the calls return AVRM_ERR_LIMIT. Communicators of
// several worlds (dynamic.h) do the same. If a process dies whose link joins two worlds, all
// processes of each count as dead in the other one: what the members agree on is the same within a
// world then.
//
// Thread-safety: as for comm.h. Common errors: AVRM_ERR_NULL; AVRM_ERR_NO_MEMORY, AVRM_ERR_BUSY and
// AVRM_ERR_OPTION are local if the call returns them, nothing has begun then, and it may be
// repeated while the others wait. AVRM_ERR_TRANSPORT is local, too: this process can no longer take
// part.
//
// Cost of an agreement among P processes: 2 log2 P message steps without failures, O(log P)
// messages more per failure, 8 bytes per dead process in each. Source: Herault et al., "Practical
// scalable consensus for pseudo-synchronous distributed systems".
#ifndef AVRANKMAP_DEVICE_FT_H
#define AVRANKMAP_DEVICE_FT_H

#include "avrankmap/device/comm.h"

AVRM_BEGIN_DECLS

/// Interrupts a communicator for all members, for good. Not collective: any member may call it, any
/// number of times, and returns at once. Members learn of it when they make progress. From then on
///
///   sends, receives  that are pending end with AVRM_ERR_REVOKED, and so do probes. Whether the
///                    message of such a send was received is unknown. A receive whose message is
///                    arriving may still end with AVRM_OK.
///   later ones       return AVRM_ERR_REVOKED, on the fast path, too
///   collective ones  avrm_barrier and the creations of comm.h: the same, with or without a dead
///                    member; members that were through may have AVRM_OK
///   these go on      agree, shrink, ack_failed, get_failed; avrm_imrecv of a message that was
///                    taken out; windows, and other communicators that were made from it
///
/// The internal communicators (avrm_comm_node, avrm_comm_node_roots) are revoked with it. Messages
/// that nobody takes any more are dropped, so that their senders need not wait.
///
/// Every living member learns of it if one that does not die has, whether the caller dies or not;
/// if all that had heard of it die, it may never have been. To be safe, members that return from an
/// operation with an error call it, too.
/// @return AVRM_OK; AVRM_ERR_NO_MEMORY (nothing has happened)
/// Cost: each member sends at most log2 P messages of some 100 bytes, and one more when its next
/// member dies; log2 P message steps. Memory: some 6 KiB and 10 requests until it is freed by all.
avrm_status_t avrm_comm_revoke(avrm_comm_t *comm) AVRM_NOEXCEPT;
/// Returns whether this process knows that the communicator was revoked. Local; makes no progress.
avrm_status_t avrm_comm_is_revoked(avrm_comm_t *comm, bool *revoked_p) AVRM_NOEXCEPT;

/// Acknowledges the first `count` deaths among the members, of both groups, in the order in which
/// this process learned of them, or all known ones if there are fewer. Acknowledging once is for
/// good. Once all are acknowledged, receives from any source wait for the living (above).
/// @param count    AVRM_ERR_SIZE if negative; 0 asks for the number only
/// @param acked_p  gets the number of deaths acknowledged so far
/// Local. Cost: O(f log P) after a new death, f processes of the device being dead; else O(1).
avrm_status_t avrm_comm_ack_failed(avrm_comm_t *comm, int32_t count, int32_t *acked_p) AVRM_NOEXCEPT;

/// Agrees on the bitwise and of the values of all who take part.
/// @param value_p  this process's value; gets the result
/// @return AVRM_OK; AVRM_ERR_PEER if a member is dead whose death not all who took part had
///         acknowledged before: *value_p is written then, too. The same in all survivors.
avrm_status_t avrm_comm_agree(avrm_comm_t *comm, uint64_t *value_p) AVRM_NOEXCEPT;
/// Starts the same. *value_p must stay valid until the request completes; with its status
/// AVRM_ERR_PEER, *value_p is written.
avrm_status_t avrm_comm_iagree(avrm_comm_t *comm, uint64_t *value_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Creates a communicator of the members that live, in order of rank. All survivors get it, or
/// none. A member that dies meanwhile may be in it, or the call begins again without it. The map is
/// made by avrm_rankmap_create_without: of an affine communicator without f processes at most f + 1
/// segments, of a blocked or Cartesian one its form and a list of f ranks.
/// @return AVRM_OK; AVRM_ERR_NO_MEMORY and AVRM_ERR_LIMIT, after agreement, in all survivors
/// Cost: two agreements and a creation; as many more as members die meanwhile.
avrm_status_t avrm_comm_shrink(avrm_comm_t *comm, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Starts the same. The library writes *comm_p when the request completes; it must stay valid until
/// then.
avrm_status_t avrm_comm_ishrink(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

/// Creates a communicator of the members that live, in which spares take the places of the dead.
/// The first `active` members do the work, the others are spares. The process of each active rank
/// that lives keeps it; the dead ones, by rank, are replaced by the last spares that live, the very
/// last one first. Ranks from `active` on are those of the spares that are left, in order, so that
/// the call may be repeated with the result. Otherwise like avrm_comm_shrink.
/// @param active  the same in all members, 1 .. size, else AVRM_ERR_SIZE
/// @return AVRM_OK; in all survivors, after agreement, AVRM_ERR_SIZE if fewer spares live than
///         active members are dead, AVRM_ERR_MISMATCH if `active` differs, AVRM_ERR_NO_MEMORY,
///         AVRM_ERR_LIMIT. AVRM_ERR_OPTION for an intercommunicator
/// Cost: that of avrm_comm_shrink. The map of an affine communicator with f dead has at most
/// 2 f + 1 segments; of others, O(P) if it takes a table.
avrm_status_t avrm_comm_replace(avrm_comm_t *comm, int32_t active, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Starts the same. The library writes *comm_p when the request completes; it must stay valid until
/// then.
avrm_status_t avrm_comm_ireplace(avrm_comm_t *comm, int32_t active, avrm_comm_t **comm_p,
                                 avrm_request_t **request_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
