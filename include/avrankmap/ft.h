// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Going on after failures: the part of MPI's draft chapter on fault tolerance (User Level Failure
// Mitigation) with which survivors agree and make a communicator of their own.
//
//   function               MPI's draft            survivors get
//   avrm_comm_ack_failed   MPI_Comm_ack_failed    (local)
//   avrm_comm_agree        MPI_Comm_agree         one value, one status
//   avrm_comm_iagree       MPI_Comm_iagree        the same
//   avrm_comm_shrink       MPI_Comm_shrink        a communicator without the dead
//   avrm_comm_ishrink      MPI_Comm_ishrink       the same
//
// A process is dead when the launcher or a transport has reported it (device.h); such a report is
// never taken back. While a member is dead, the other operations of comm.h return AVRM_ERR_PEER;
// these go on.
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
// To keep this up, a process answers questions about the last result of each communicator, whenever
// it makes progress, until the device is closed: some 6 KiB, and the context id, of a communicator
// on which it agreed stay in use even after avrm_comm_free. Survivors therefore close their devices
// together: avrm_device_close waits for the others, but not once a member of the world has died.
// End with an agreement or a barrier of the survivors before.
//
// All members call these functions in the same order among the collective functions of the
// communicator; one at a time per communicator, else AVRM_ERR_BUSY. Intercommunicators and internal
// communicators: AVRM_ERR_OPTION. Thread-safety: as for comm.h. Common errors: AVRM_ERR_NULL;
// AVRM_ERR_NO_MEMORY, AVRM_ERR_BUSY and AVRM_ERR_OPTION are local if the call returns them, nothing
// has begun then, and it may be repeated while the others wait. AVRM_ERR_TRANSPORT is local, too:
// this process can no longer take part.
//
// Cost of an agreement among P processes: 2 log2 P message steps without failures, O(log P)
// messages more per failure, 8 bytes per dead process in each. Source: Herault et al., "Practical
// scalable consensus for pseudo-synchronous distributed systems".
#ifndef AVRANKMAP_FT_H
#define AVRANKMAP_FT_H

#include "avrankmap/comm.h"

AVRM_BEGIN_DECLS

/// Acknowledges the first `count` deaths among the members, in the order in which this process
/// learned of them, or all known ones if there are fewer. Acknowledging once is for good.
/// @param count    AVRM_ERR_SIZE if negative; 0 asks for the number only
/// @param acked_p  gets the number of deaths acknowledged so far
/// Local. Cost: O(P) after a new death, else O(1).
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
/// none. A member that dies meanwhile may be in it, or the call begins again without it. The map of
/// n processes of an affine communicator without f is one of at most f + 1 segments.
/// @return AVRM_OK; AVRM_ERR_NO_MEMORY and AVRM_ERR_LIMIT, after agreement, in all survivors
/// Cost: two agreements and a creation; as many more as members die meanwhile.
avrm_status_t avrm_comm_shrink(avrm_comm_t *comm, avrm_comm_t **comm_p) AVRM_NOEXCEPT;
/// Starts the same. The library writes *comm_p when the request completes; it must stay valid until
/// then.
avrm_status_t avrm_comm_ishrink(avrm_comm_t *comm, avrm_comm_t **comm_p, avrm_request_t **request_p) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
