// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shared-memory shmmod, for processes of one Linux machine, one user and one pid namespace.
//
//   up to 8 KiB        copied through a ring of the receiver (ring.h): up to 48 bytes are one cache line that the sender
//                      writes and the receiver polls
//   up to 32 KiB       offered, and pushed through the ring in pieces as long as there is room; a receiver that does not
//                      want them yet reads them later, as below
//   longer             offered; the receiver copies them straight out of the sender by process_vm_readv, and a sender that
//                      makes progress helps it by process_vm_writev: each copies half of it (share.h; not if messages of up
//                      to 512 KiB come in bursts). Where the system does not let the receiver, the sender pushes them through
//                      the ring
//   windows            mapped by the peers, which load and store
//
// Every process owns one memory segment without a name (segment.h), so nothing is left in /dev/shm, ever. A process pays
// one page per peer that has sent to it, and up to 384 KiB when that one sends many medium messages; and a file descriptor
// per peer that it has sent to.
//
// What has been taken or sent is over when its request is: a process whose requests are all done owes its peers nothing,
// and need not make progress for them.
//
// Closing cancels what is under way, and waits for the end of what a peer is just writing into this process's memory, for a
// second at most.
//
// A process that dies takes nothing with it but what it had not sent: whole messages of up to 8 KiB that are in its peers'
// rings still arrive. Between its death and peer_failed, AVRM_ERR_AGAIN is what its full ring answers.
//
// Environment: AVRM_POSIX_NO_CMA, read when the shmmod is opened: set to anything but "0", large messages go through the
// rings, and nobody is helped.
#ifndef AVRANKMAP_SHMMOD_POSIX_POSIX_H
#define AVRANKMAP_SHMMOD_POSIX_POSIX_H

#include "avrankmap/shmmod.h"

AVRM_BEGIN_DECLS

const avrm_shmmod_ops_t *avrm_shmmod_posix(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
