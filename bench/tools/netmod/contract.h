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
  X(kVersion, "A device accepts tables of its own version that are long enough for all required "                      \
              "operations and no longer than its own table")                                                           \
  X(kTable, "A device returns AVRM_ERR_OPTION for a table that lacks a required operation, and for a netmod that "     \
            "lacks an operation of one of its capabilities")                                                           \
  X(kInjectMin, "Every netmod's inject_max is at least this many bytes.")                                              \
  X(kAmMin, "Every netmod's am_max is at least this many bytes.")                                                      \
  X(kTexts, "Returns a description for users: provider and so on. Never null.")                                        \
  X(kAddress, "Writes the address of this process, which the core publishes.")                                         \
  X(kHandles, "a number that `codec` can pack (avrm_ave_pack)")                                                        \
  X(kInsert, "published addresses of `bytes` bytes each, `pitch` bytes apart")                                         \
  X(kInsertTwice, "A peer may be inserted several times, and so may this process.")                                    \
  X(kBlocks, "No operation blocks.")                                                                                   \
  X(kStatuses, "The last column lists the statuses that an operation may return in addition to AVRM_OK, "              \
               "AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM and AVRM_ERR_TRANSPORT, which any may return.")                    \
  X(kAccepts, "They may do so any number of times, but must accept the operation at some point while "                 \
              "this process and the peer make progress.")                                                              \
  X(kRefuses, "they must not accept messages without limit for a peer that makes no progress.")                        \
  X(kError, "If an operation (except trecv_claimed) returns an error, nothing was sent or posted, and its "            \
            "request is not completed")                                                                                \
  X(kOnce, "An operation that was accepted completes its request once")                                                \
  X(kWithin, "within `progress` or within the function that posted it")                                                \
  X(kMatchAndBytes, "`match` and `bytes` are used for receives that are complete or truncated (match bits and "        \
                    "length of the message)")                                                                          \
  X(kOrder, "Two messages from one process to another may match the same receive if their match bits differ only in "  \
            "the tag (AVRM_MATCH_TAG_MASK) or in AVRM_MATCH_SYNC. Such messages are matched in the order in which "    \
            "tinject, tsend and tsend_sync accepted them.")                                                            \
  X(kFirstReceive, "A message matches the first receive that fits, in the order in which trecv accepted "              \
                   "them.")                                                                                            \
  X(kAmOrder, "Active messages from one process to another arrive in the order in which am_send "                      \
              "accepted them.")                                                                                        \
  X(kReads, "Until the call returns, the netmod may read: buffers of tinject, am_send and put_inject, "                \
            "arrays of pieces, addresses, descriptions, and the configuration")                                        \
  X(kOwns, "Until the request completes, it owns the buffers of tsend, tsend_sync, trecv, put and get, "               \
           "and the result and several operands of an atomic; it does not access them afterwards.")                    \
  X(kCallbacks, "on_am and on_lost are only called within `progress`.")                                                \
  X(kFromOnAm, "In on_am the core may call am_send, insert")                                                           \
  X(kOffered, "A message that on_am does not take is offered again in a later call of `progress`, before later "       \
              "ones of the same process")                                                                              \
  X(kPeerFailed, "After that, pending operations with the peer complete within a few calls of `progress`, "            \
                 "as usual or with AVRM_ERR_PEER, and new ones return AVRM_ERR_PEER.")                                 \
  X(kReceivesAfter, "trecv accepts new ones, since messages that have arrived can still be received.")                 \
  X(kInject, "Sends at most inject_max bytes. The buffer may be reused on return; there is no request.")               \
  X(kSend, "Sends a message of any length.")                                                                           \
  X(kSendSync, "The request does not complete before a receive of the peer has matched the message, whatever "         \
               "the length of the message and of the receive.")                                                        \
  X(kMatch, "Receives a message whose match bits equal `match`, except for the bits set in `ignore`")                  \
  X(kAnyAddress, "`handle` is the sender's, or AVRM_ANY_ADDRESS")                                                      \
  X(kTruncated, "A message that is longer than the pieces completes with AVRM_ERR_TRUNCATED, and no byte "             \
                "outside the pieces is written.")                                                                      \
  X(kCancelTwice, "Cancels a receive of trecv whose request has not completed. It may have been cancelled before, "    \
                  "and may have matched a message.")                                                                   \
  X(kCancel, "The request completes now or in `progress` of this netmod: as usual if a message was matched, "          \
             "otherwise with AVRM_ERR_CANCELLED, whatever peers do.")                                                  \
  X(kAmSend, "Sends an active message of header and payload.")                                                         \
  X(kEvents, "at least 1 if a request was completed or an active message was delivered.")                              \
  X(kRemove, "Pending operations with it complete as usual, or with AVRM_ERR_CANCELLED or AVRM_ERR_PEER.")             \
  X(kCloseCancels, "Pending requests complete with AVRM_ERR_CANCELLED.")                                               \
  X(kCloseDelivers, "Messages that tinject and am_send have accepted, and those of tsend whose request has "           \
                    "completed, must still reach live peers")                                                          \
  X(kProbe, "Searches for the first message that a receive with these match bits would take now.")                     \
  X(kProbeProgress, "Makes no progress.")                                                                              \
  X(kClaim, "if true, no other receive or probe finds the message afterwards")                                         \
  X(kTrecvClaimed, "Receives a message that was claimed. The request completes as that of trecv")                      \
  X(kDescription, "Writes a description of registered memory for peers.")                                              \
  X(kValues, "Returns what key_open returns in every peer if it is given this memory's description.")                  \
  X(kPut, "The request completes when the local buffer may be reused (put) or is filled (get).")                       \
  X(kFlush, "the request completes when all earlier puts to this peer are visible in its memory")                      \
  X(kFlushAll, "with AVRM_ANY_ADDRESS (AVRM_NETMOD_PLAIN_KEYS only), those to all peers.")                             \
  X(kVisible, "a put's request completes when the peer's memory holds the data")                                       \
  X(kPutInject, "Puts at most inject_max bytes at a remote address. The buffer may be reused on return")               \
  X(kAtomic, "Operations of one process on one peer take effect in the order of the calls.")                           \
  X(kElements, "Operates on consecutive elements that start at a remote address")                                      \
  X(kArm, "After AVRM_OK the descriptor, the same in each call, becomes readable as soon as "                          \
          "`progress` has something to do")                                                                            \
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
