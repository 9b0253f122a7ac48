// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/netmod/checks.h"

namespace avrankmap::netmod_test {

namespace {

using S = Sentence;

// What each of them tries besides its subject is tried by the first one.
constexpr S kSizes[] = {S::kVersion, S::kHandles,       S::kBlocks, S::kStatuses,  S::kAccepts, S::kError, S::kOnce,
                        S::kWithin,  S::kMatchAndBytes, S::kReads,  S::kCallbacks, S::kInject,  S::kSend,  S::kEvents};
constexpr S kMatching[] = {S::kMatch, S::kAnyAddress};
constexpr S kOrdering[] = {S::kOrder};
constexpr S kFirst[] = {S::kFirstReceive};
constexpr S kSynchronous[] = {S::kSendSync};
constexpr S kTruncating[] = {S::kTruncated};
constexpr S kCancelling[] = {S::kCancelTwice, S::kCancel};
constexpr S kFreeing[] = {S::kOwns};
constexpr S kItself[] = {S::kInsertTwice};
constexpr S kTogether[] = {S::kInsert};
constexpr S kRefusing[] = {S::kRefuses};
constexpr S kActive[] = {S::kAmSend, S::kAmOrder};
constexpr S kReplies[] = {S::kFromOnAm};
constexpr S kUntaken[] = {S::kOffered};
constexpr S kLosing[] = {S::kVersion, S::kHandles, S::kBlocks, S::kStatuses,
                         S::kAccepts, S::kOnce,    S::kWithin, S::kEvents};
constexpr S kSleeping[] = {S::kArm};
constexpr S kRemoving[] = {S::kRemove};
constexpr S kWindows[] = {S::kDescription, S::kPut};
constexpr S kSmallPuts[] = {S::kPutInject};
constexpr S kAtomics[] = {S::kAtomic};
constexpr S kArrays[] = {S::kElements};
constexpr S kClosing[] = {S::kCloseCancels};
constexpr S kLeaving[] = {S::kCloseDelivers};
constexpr S kFailing[] = {S::kPeerFailed, S::kReceivesAfter};

constexpr unsigned kDelivers = AVRM_NETMOD_DELIVERS;

bool can_probe(const avrm_netmod_ops_t &ops) { return ops.tprobe != nullptr && ops.trecv_claimed != nullptr; }
bool can_arm(const avrm_netmod_ops_t &ops) { return ops.arm != nullptr; }
bool has_queues(const avrm_netmod_ops_t &ops) { return ops.open_queue != nullptr; }

constexpr Check kChecks[] = {
    {"messages of every size", Stage::kTogether, kDelivers, nullptr, messages_of_every_size, kSizes},
    {"match bits and masks", Stage::kTogether, kDelivers, nullptr, match_bits_and_masks, kMatching},
    {"order of messages", Stage::kTogether, kDelivers, nullptr, order_of_messages, kOrdering},
    {"the first receive that fits", Stage::kTogether, kDelivers, nullptr, first_receive_that_fits, kFirst},
    {"synchronous messages", Stage::kTogether, kDelivers | AVRM_NETMOD_SYNC, nullptr, synchronous_messages,
     kSynchronous},
    {"truncation", Stage::kTogether, kDelivers, nullptr, truncation, kTruncating},
    {"cancelled receives", Stage::kTogether, kDelivers, nullptr, cancelled_receives, kCancelling},
    {"freed buffers", Stage::kTogether, kDelivers, nullptr, freed_buffers, kFreeing},
    {"messages to itself", Stage::kTogether, kDelivers, nullptr, messages_to_itself, kItself},
    {"peers inserted together", Stage::kTogether, kDelivers, nullptr, peers_inserted_together, kTogether},
    {"active messages", Stage::kTogether, kDelivers, nullptr, active_messages, kActive},
    {"replies from on_am", Stage::kTogether, kDelivers, nullptr, replies_from_on_am, kReplies},
    {"messages that on_am does not take", Stage::kTogether, kDelivers, nullptr, untaken_messages, kUntaken},
    {"messages that are lost", Stage::kTogether, 0, nullptr, lost_messages, kLosing},
    {"sleep", Stage::kTogether, kDelivers, can_arm, sleep_and_wake, kSleeping},
    {"probes", Stage::kTogether, kDelivers, can_probe, probes, {}},
    {"work queues", Stage::kTogether, kDelivers, has_queues, work_queues, {}},
    {"windows", Stage::kTogether, AVRM_NETMOD_PUT, nullptr, windows, kWindows},
    {"small puts", Stage::kTogether, AVRM_NETMOD_PUT_INJECT, nullptr, small_puts, kSmallPuts},
    {"atomics", Stage::kTogether, AVRM_NETMOD_ATOMIC | kDelivers, nullptr, atomics, kAtomics},
    {"atomics on elements", Stage::kTogether, AVRM_NETMOD_ATOMIC | kDelivers, nullptr, atomics_on_elements, kArrays},
    {"a peer that makes no progress", Stage::kTogether, kDelivers, nullptr, peer_that_does_nothing, kRefusing},
    {"removed peers", Stage::kAlone, kDelivers, nullptr, removed_peers, kRemoving},
    {"closing with pending requests", Stage::kAlone, 0, nullptr, closing_with_pending_requests, kClosing},
    {"closing after messages", Stage::kAlone, kDelivers, nullptr, closing_after_messages, kLeaving},
    {"a failed peer", Stage::kDeath, kDelivers, nullptr, failed_peer, kFailing},
};

} // namespace

std::span<const Check> all_checks() { return kChecks; }

} // namespace avrankmap::netmod_test
