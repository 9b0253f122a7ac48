// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Synchronous messages over transports that do not notify the sender when they are matched. Their
// match bits have AVRM_MATCH_SYNC set, and the receiving core acknowledges them:
//
//   sender                            receiver
//     | -- message, AVRM_MATCH_SYNC --> |  a receive completes with it
//     | <---- kMatched, match bits ---- |  then the receive is reported as complete
//
// The receive waits until the transport has accepted the acknowledgement, because the receiver may
// make no progress afterwards. Messages with equal match bits to one process match in the order of
// sending; so an acknowledgement is for the first of them that waits for one. That message is found
// in constant time, no matter how many messages wait.
#ifndef AVRANKMAP_SRC_CORE_SYNCHRONOUS_ACKS_H
#define AVRANKMAP_SRC_CORE_SYNCHRONOUS_ACKS_H

#include "core/device.h"

namespace avrankmap::detail {

// All functions require the device's lock.

// Completes a receive; if its message must be acknowledged, a later call of progress completes it.
// Calls no transport.
void finish_receive(Request *receive, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
// Sends the acknowledgements of receives. Called by every progress while there are any.
void send_acknowledgements(avrm_device_t *device) noexcept;

// Prepares a request for a message to a rank, before it is posted with AVRM_MATCH_SYNC. Parts: the
// acknowledgement, and the transport's completion of the request, unless there is none.
void prepare_acknowledged(Request *send, std::int32_t dest, std::uint64_t match, std::uint64_t parts) noexcept;
// Called once the transport has accepted the message.
void await_acknowledgement(Request *send) noexcept;
// Handles an acknowledgement. The header is not trusted.
void on_matched(avrm_device_t *device, const ActiveHeader &header) noexcept;
// Completes messages whose acknowledgement can only come from a failed process, and messages with
// Fate::kRevoked.
void fail_acknowledged(avrm_device_t *device) noexcept;

} // namespace avrankmap::detail

#endif
