// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Messages that the netmod does not match itself, receives whose sender has failed, and functions
// that receives and probes share.
#ifndef AVRANKMAP_SRC_P2P_RECEIVE_H
#define AVRANKMAP_SRC_P2P_RECEIVE_H

#include "core/device.h"

namespace avrankmap::detail {

struct Unexpected; // p2p/matcher.h

// Takes the place of the sender's local rank in messages from this process to itself. The ticket of
// such a message is the address of its request if it is synchronous, otherwise 0.
inline constexpr std::int32_t kSelfSender = -1;
// Passes a message to the receive that it matches, or keeps it. Returns false if there is no memory
// to keep it.
bool on_shm_message(void *device, const avrm_arrival_t *arrival) noexcept;
// Completes receives whose sender has failed, and receives from any source whose sender may have
// failed.
void fail_receives(avrm_device_t *device) noexcept;
// Ends the receives of a revoked communicator or of one of its planes, and marks its pending sends,
// which complete with AVRM_ERR_REVOKED.
void revoke_messages(avrm_comm_t *comm) noexcept;
// Starts a receive from any source that discards the data, because senders may be waiting until
// their messages are matched.
[[nodiscard]] avrm_status_t post_drain(avrm_comm_t *plane, std::uint64_t match, std::uint64_t ignore,
                                       Request **request_p) noexcept;

[[nodiscard]] avrm_status_t check_source_and_tag(const avrm_comm_t *comm, std::int32_t source,
                                                 std::int32_t tag) noexcept;
// Return the match bits of messages from one source or from any source, and the bits to ignore.
[[nodiscard]] inline std::uint64_t match_of(const avrm_comm_t *comm, std::int32_t source, std::int32_t tag) noexcept {
  return comm->context_match | MatchBits::of_source(source == AVRM_ANY_SOURCE ? 0 : source) |
         static_cast<std::uint32_t>(tag == AVRM_ANY_TAG ? 0 : tag);
}
[[nodiscard]] inline std::uint64_t ignore_of(const avrm_comm_t *comm, std::int32_t source, std::int32_t tag) noexcept {
  return (source == AVRM_ANY_SOURCE ? comm->device->match_bits.source_mask() : 0) |
         (tag == AVRM_ANY_TAG ? AVRM_MATCH_TAG_MASK : 0);
}
// True if messages of this communicator can arrive over the network.
[[nodiscard]] bool may_come_by_net(const avrm_comm_t *comm) noexcept;
// Called by transports when a receive has completed.
void on_received(avrm_request_t *request, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) noexcept;
// Completes a receive with a message that was taken out of the matcher.
void take_message(avrm_device_t *device, Request *receive, Unexpected *message) noexcept;

} // namespace avrankmap::detail

#endif
