// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The sentences of avrankmap/device/netmod.h that avrm-netmod-test tries, in the header's words.
#ifndef AVRANKMAP_BENCH_TOOLS_NETMOD_CONTRACT_H
#define AVRANKMAP_BENCH_TOOLS_NETMOD_CONTRACT_H

#include <cstddef>

namespace avrankmap::netmod_test {

// Name, and the sentence or the part of it that is tried.
#define AVRM_SENTENCES(X)                                                                                              \
  X(kVersion, "A device accepts tables of its own version that have at least the required operations, and none "       \
              "behind its own")                                                                                        \
  X(kTable, "A device refuses a table that lacks a required operation, and a netmod without the operations of its "    \
            "capabilities")                                                                                            \
  X(kInjectMin, "Every netmod's inject_max is at least this many bytes.")                                              \
  X(kAmMin, "Every netmod's am_max is at least this many bytes.")                                                      \
  X(kTexts, "Returns a description for users: provider and so on. Never null.")                                        \
  X(kAddress, "Writes the own address, which the core publishes.")                                                     \
  X(kHandles, "Handles are numbers that `codec` can pack (avrm_ave_pack), in any order.")                              \
  X(kInsertTwice, "A peer may be inserted several times, and so may this process.")                                    \
  X(kBlocks, "Nothing blocks.")                                                                                        \
  X(kStatuses, "AGAIN, PEER and UNSUPPORTED are statuses that an operation may return in addition to AVRM_OK")         \
  X(kAccepts, "They may do so any number of times, but must accept it at some point while this process and the peer "  \
              "make progress.")                                                                                        \
  X(kRefuses, "Endless messages to a peer that makes none must be refused at some point.")                             \
  X(kError, "If an operation returns an error, nothing was sent or posted, and its request is not completed")          \
  X(kOnce, "An operation that was accepted completes its request once")                                                \
  X(kWithin, "within `progress` or within the function that posted it")                                                \
  X(kMatchAndBytes,                                                                                                    \
    "`match` and `bytes` matter for receives that are complete or truncated (match bits and length of "                \
    "the message)")                                                                                                    \
  X(kOrder, "Two messages from one process to another are matched in the order in which tinject and tsend accepted "   \
            "them, if one receive may take both")                                                                      \
  X(kFirstReceive, "A message goes to the first receive that fits, in the order in which trecv accepted them.")        \
  X(kAmOrder, "Active messages from one process to another arrive in the order in which am_send accepted them.")       \
  X(kReads, "Until the call returns, the netmod may read: buffers of tinject, am_send and put_inject, arrays of "      \
            "pieces, addresses, descriptions, and the configuration")                                                  \
  X(kOwns, "Until the request completes, it owns the buffers of tsend, trecv, put and get, and the result of an "      \
           "atomic, and does not touch them afterwards.")                                                              \
  X(kCallbacks, "on_am and on_lost are called within `progress` only.")                                                \
  X(kFromOnAm, "From on_am the core may call am_send, insert")                                                         \
  X(kPeerFailed, "After that, pending operations with the peer complete within some calls of `progress`, as usual or " \
                 "with AVRM_ERR_PEER, and new ones return AVRM_ERR_PEER.")                                             \
  X(kReceivesAfter, "trecv accepts new ones, since messages that have arrived can still be received.")                 \
  X(kInject, "Sends at most inject_max bytes. The buffer is free on return, and nothing completes.")                   \
  X(kSend, "Sends a message of any length.")                                                                           \
  X(kMatch, "Receives a message whose match bits equal `match`, except for the bits set in `ignore`")                  \
  X(kAnyAddress, "`handle` is the sender's, or AVRM_ANY_ADDRESS")                                                      \
  X(kTruncated,                                                                                                        \
    "A message that is longer than the pieces completes with AVRM_ERR_TRUNCATED, and no byte outside them "            \
    "is written.")                                                                                                     \
  X(kCancelTwice, "Cancels a receive of trecv whose request has not completed, even one that was cancelled before or " \
                  "that has its message.")                                                                             \
  X(kCancel, "It completes as usual, now or in `progress` of this netmod: with AVRM_ERR_CANCELLED, whatever peers "    \
             "do, unless it has its message.")                                                                         \
  X(kAmSend, "Sends an active message of header and payload.")                                                         \
  X(kEvents, "Returns the number of events, at least of requests that were completed and active messages that were "   \
             "delivered")                                                                                              \
  X(kRemove, "Pending operations with it complete with AVRM_ERR_CANCELLED or AVRM_ERR_PEER.")                          \
  X(kCloseCancels, "Pending requests complete with AVRM_ERR_CANCELLED.")                                               \
  X(kCloseDelivers, "Messages that tinject and am_send have accepted, and those of tsend whose request has "           \
                    "completed, still reach live peers")                                                               \
  X(kProbe, "Looks for the first message that a receive with these match bits would take now.")                        \
  X(kProbeProgress, "Makes no progress.")                                                                              \
  X(kClaim, "With `claim` no other receive or look finds it any more.")                                                \
  X(kTrecvClaimed, "Receives a message that was claimed; the request completes as that of trecv")                      \
  X(kDescription, "Writes a description of registered memory for peers.")                                              \
  X(kValues, "Returns what key_open of this memory's description returns to every peer.")                              \
  X(kPut, "`request` completes when the local buffer is free (put) or filled (get).")                                  \
  X(kFlush, "`request` completes when all earlier puts to this peer are visible in its memory")                        \
  X(kVisible, "the request of a put completes when the peer's memory holds it")                                        \
  X(kPutInject, "Puts at most inject_max bytes at a remote address. The buffer is free on return")                     \
  X(kAtomic, "Operations of one process on one peer take effect in the order of the calls.")                           \
  X(kArm, "After AVRM_OK the descriptor, the same each time, becomes readable as soon as `progress` has something to " \
          "do")                                                                                                        \
  X(kQueue, "A queue sends and puts, but receives nothing")

enum class Sentence {
#define AVRM_SENTENCE(name, text) name,
  AVRM_SENTENCES(AVRM_SENTENCE)
#undef AVRM_SENTENCE
};

inline constexpr const char *kSentences[] = {
#define AVRM_SENTENCE(name, text) text,
    AVRM_SENTENCES(AVRM_SENTENCE)
#undef AVRM_SENTENCE
};
inline constexpr std::size_t kSentenceCount = sizeof kSentences / sizeof *kSentences;

} // namespace avrankmap::netmod_test

#endif
