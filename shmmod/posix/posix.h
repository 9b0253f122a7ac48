// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The shmmod for processes of one Linux machine, one user and one pid namespace.
//
//   message         method
//   up to 8 KiB     copied through a ring of the receiver (ring.h). Up to 48 bytes fit one cache
//                   line, which the sender writes and the receiver polls.
//   up to 32 KiB    offered, and pushed through the ring in pieces if there is room. A receiver
//                   that does not want the message yet reads it later, like a longer one.
//   longer          offered. The receiver copies it with process_vm_readv. A sender
//                   that makes progress copies part of it with process_vm_writev (copy_claims.h),
//                   except in bursts of messages of up to 512 KiB. If the system forbids such
//                   copies, or trials with the first messages find the ring to be faster
//                   (copy_method.h), the sender pushes the message through the ring.
//   window memory   mapped by the peers, which access it with loads and stores
//
// Each process owns one unnamed memory segment (shm_file.h), so nothing ever stays in /dev/shm. It
// costs a process one page per peer that has sent to it, up to 384 KiB if that peer sends many
// medium messages, and a file descriptor per peer that it has sent to. Its own wake-up pipe takes
// two more, and the pipe of the peer that it woke last takes one (doorbell.h).
//
// A process whose requests have completed need not make progress for its peers.
//
// A peer whose memory cannot be attached, for whatever reason, is reached over the network if there
// is one (relay.h), by active messages and with more copies. This applies to messages to the peer,
// as long as the endpoint is open; the peer chooses the method for messages from it. 4,176 bytes
// and the device's header must fit into one message of the network, which they do not with
// FI_OFI_RXM_BUFFER_SIZE=4096. Otherwise operations with that peer return the status of the attempt
// to attach, as they do without a network. A record that the network does not accept immediately is
// sent by the next call of progress.
//
// Closing cancels pending operations. If a peer is writing into this process's memory, closing
// waits for the end of the write as long as the peer exists, or for about a second if the system
// cannot tell whether it exists.
//
// When a process dies, messages of up to 8 KiB that it has completely written to its peers' rings
// still arrive. Between its death and peer_failed, sends to its full ring return AVRM_ERR_AGAIN.
//
// Environment: AVRM_POSIX_NO_CMA (include/ENVIRONMENT.md).
#ifndef AVRANKMAP_SHMMOD_POSIX_POSIX_H
#define AVRANKMAP_SHMMOD_POSIX_POSIX_H

#include "avrankmap/device/shmmod.h"

AVRM_BEGIN_DECLS

const avrm_shmmod_ops_t *avrm_shmmod_posix(void) AVRM_NOEXCEPT;

AVRM_END_DECLS

#endif
