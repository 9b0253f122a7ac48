// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tests/tools/netmod/broken.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/transports.h"
#include "tests/tour/datagram/datagram.h"

namespace avrankmap::test {

namespace {

using S = netmod_test::Sentence;
using Ops = avrm_netmod_ops_t;
using Bytes = std::vector<unsigned char>;

const Ops &real() { return *datagram_netmod(); }

// What a broken netmod does in the next call of progress.
std::deque<std::function<void()>> later;

int progress(avrm_netmod_t *net) {
  int events = static_cast<int>(later.size());
  for (auto all = std::exchange(later, {}); !all.empty(); all.pop_front()) {
    all.front()();
  }
  events += real().progress(net);
  return events;
}

void inject_later(avrm_netmod_t *net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                  std::uint64_t match) {
  later.emplace_back([=] {
    if (real().tinject(net, buffer, bytes, handle, match) == AVRM_ERR_AGAIN) {
      inject_later(net, buffer, bytes, handle, match);
    }
  });
}

// A request of the broken netmod's own, which nobody waits for.
avrm_request_t *shadow() {
  auto *const request = new avrm_request_t{};
  request->complete = [](avrm_request_t *self, avrm_status_t, std::uint64_t, std::uint64_t) { delete self; };
  return request;
}

// How a request's end is changed.
using End = std::function<void(const std::function<void(avrm_status_t, std::uint64_t, std::uint64_t)> &, avrm_status_t,
                               std::uint64_t, std::uint64_t)>;
struct Caught {
  void (*complete)(avrm_request_t *, avrm_status_t, std::uint64_t, std::uint64_t);
  End end;
};
std::map<avrm_request_t *, Caught> caught;

void catch_end(avrm_request_t *request, End end) {
  caught[request] = {request->complete, std::move(end)};
  request->complete = [](avrm_request_t *self, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
    const Caught one = caught[self];
    caught.erase(self);
    self->complete = one.complete;
    one.end([&](avrm_status_t s, std::uint64_t m, std::uint64_t b) { one.complete(self, s, m, b); }, status, match,
            bytes);
  };
}

void release(avrm_request_t *request) { // the operation was refused
  if (const auto found = caught.find(request); found != caught.end()) {
    request->complete = found->second.complete;
    caught.erase(found);
  }
}

// trecv whose ends are changed.
template <auto end>
avrm_status_t trecv_with(avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                         const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
  catch_end(request, end);
  const avrm_status_t status = real().trecv(net, handle, match, ignore, pieces, count, request);
  if (status != AVRM_OK) {
    release(request);
  }
  return status;
}

avrm_status_t open_with(const avrm_netmod_config_t *config, avrm_netmod_t **net_p, std::size_t inject_max,
                        std::size_t am_max) {
  const avrm_status_t status = real().open(config, net_p);
  if (status == AVRM_OK) {
    (*net_p)->inject_max = inject_max != 0 ? inject_max : (*net_p)->inject_max;
    (*net_p)->am_max = am_max != 0 ? am_max : (*net_p)->am_max;
  }
  return status;
}

// The callback of the core, for netmods that put their own in between.
avrm_netmod_config_t core{};
const avrm_netmod_config_t *kept_config = nullptr;
bool in_on_am = false;
std::uint64_t failed = UINT64_MAX;

avrm_status_t open_between(const avrm_netmod_config_t *config, avrm_netmod_t **net_p,
                           bool (*on_am)(void *, const void *, std::size_t)) {
  core = *config;
  kept_config = config;
  avrm_netmod_config_t between = *config;
  between.on_am = on_am;
  return real().open(&between, net_p);
}

constexpr Broken kBroken[] = {
    {"AnotherVersion", S::kVersion, "", [](Ops *ops) { ++ops->version; }},
    {"NoReceive", S::kTable, "", [](Ops *ops) { ops->trecv = nullptr; }},
    {"CapabilityWithoutOperation", S::kTable, "messages of every size",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         const avrm_status_t status = real().open(config, net_p);
         (*net_p)->capabilities |= AVRM_NETMOD_GET;
         return status;
       };
     }},
    {"CapabilityBehindTheTable", S::kTable, "messages of every size",
     [](Ops *ops) {
       ops->bytes = offsetof(Ops, tsend_sync);
       ops->tsend_sync = real().tsend;
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         static Ops whole = real();
         whole.tsend_sync = whole.tsend;
         const avrm_status_t status = real().open(config, net_p);
         (*net_p)->capabilities |= AVRM_NETMOD_SYNC;
         (*net_p)->ops = &whole;
         return status;
       };
     }},
    {"ShortInject", S::kInjectMin, "messages of every size",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         return open_with(config, net_p, 4, 0);
       };
     }},
    {"ShortActiveMessages", S::kAmMin, "messages of every size",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         return open_with(config, net_p, 0, 100);
       };
     }},
    {"NoDescription", S::kTexts, "messages of every size",
     [](Ops *ops) { ops->describe = [](const avrm_netmod_t *) -> const char * { return nullptr; }; }},
    {"LongAddress", S::kAddress, "messages of every size",
     [](Ops *ops) {
       ops->address = [](avrm_netmod_t *net, void *buffer, std::size_t *bytes_p) {
         const avrm_status_t status = real().address(net, buffer, bytes_p);
         static_cast<char *>(buffer)[*bytes_p] = 0;
         return status;
       };
     }},
    {"HandlesOfSixtyFourBits", S::kHandles, "messages of every size",
     [](Ops *ops) {
       ops->insert = [](avrm_netmod_t *net, std::size_t count, const void *addresses, std::size_t pitch,
                        std::size_t bytes, std::uint64_t *handles) {
         const avrm_status_t status = real().insert(net, count, addresses, pitch, bytes, handles);
         *handles |= std::uint64_t{1} << 63;
         return status;
       };
     }},
    {"InsertsOnce", S::kInsertTwice, "messages to itself",
     [](Ops *ops) {
       ops->insert = [](avrm_netmod_t *net, std::size_t count, const void *addresses, std::size_t pitch,
                        std::size_t bytes, std::uint64_t *handles) {
         static std::vector<Bytes> seen;
         const auto *const from = static_cast<const unsigned char *>(addresses);
         Bytes own(from, from + bytes);
         if (std::find(seen.begin(), seen.end(), own) != seen.end()) {
           return AVRM_ERR_TRANSPORT;
         }
         seen.push_back(std::move(own));
         return real().insert(net, count, addresses, pitch, bytes, handles);
       };
     }},
    {"InsertsWithoutPitch", S::kInsert, "peers inserted together",
     [](Ops *ops) {
       ops->insert = [](avrm_netmod_t *net, std::size_t count, const void *addresses, std::size_t, std::size_t bytes,
                        std::uint64_t *handles) { return real().insert(net, count, addresses, bytes, bytes, handles); };
     }},
    {"Blocks", S::kBlocks, "messages of every size",
     [](Ops *ops) {
       ops->tinject = [](avrm_netmod_t *, const void *, std::size_t, std::uint64_t, std::uint64_t) -> avrm_status_t {
         for (;;) {
           pause();
         }
       };
     }},
    {"StrangeStatus", S::kStatuses, "messages of every size",
     [](Ops *ops) {
       ops->tinject = [](avrm_netmod_t *, const void *, std::size_t, std::uint64_t, std::uint64_t) {
         return AVRM_ERR_TRUNCATED;
       };
     }},
    {"AcceptsNothing", S::kAccepts, "messages of every size",
     [](Ops *ops) {
       ops->tinject = [](avrm_netmod_t *, const void *, std::size_t, std::uint64_t, std::uint64_t) {
         return AVRM_ERR_AGAIN;
       };
     }},
    {"AcceptsEverything", S::kRefuses, "a peer that makes no progress",
     [](Ops *ops) {
       ops->tinject = [](avrm_netmod_t *, const void *, std::size_t, std::uint64_t, std::uint64_t) { return AVRM_OK; };
     }},
    {"RefusesAndSends", S::kError, "messages of every size",
     [](Ops *ops) {
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         (void)real().tsend(net, handle, match, pieces, count, request);
         return AVRM_ERR_AGAIN;
       };
     }},
    {"CompletesTwice", S::kOnce, "messages of every size",
     [](Ops *ops) {
       ops->trecv = trecv_with<[](const auto &end, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
         end(status, match, bytes);
         end(status, match, bytes);
       }>;
     }},
    {"NeverCompletes", S::kInject, "messages of every size",
     [](Ops *ops) { ops->trecv = trecv_with<[](const auto &, avrm_status_t, std::uint64_t, std::uint64_t) {}>; }},
    {"CompletesInOtherCalls", S::kWithin, "messages of every size",
     [](Ops *ops) {
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         static avrm_request_t *before = nullptr;
         const avrm_status_t status = real().tsend(net, handle, match, pieces, count, shadow());
         if (avrm_request_t *const one = std::exchange(before, request); one != nullptr) {
           one->complete(one, AVRM_OK, 0, 0);
         }
         return status;
       };
     }},
    {"LengthOfTheBuffer", S::kMatchAndBytes, "truncation",
     [](Ops *ops) {
       ops->trecv = trecv_with<[](const auto &end, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
         end(status, match, status == AVRM_ERR_TRUNCATED ? bytes / 2 : bytes);
       }>;
     }},
    {"MatchBitsOfTheReceive", S::kMatchAndBytes, "match bits and masks",
     [](Ops *ops) {
       ops->trecv = trecv_with<[](const auto &end, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
         end(status, match & ~AVRM_MATCH_SOURCE_MASK, bytes);
       }>;
     }},
    {"SmallMessagesOvertake", S::kOrder, "order of messages",
     [](Ops *ops) {
       ops->progress = progress;
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         later.emplace_back([=, piece = *pieces] { (void)real().tsend(net, handle, match, &piece, count, request); });
         return AVRM_OK;
       };
     }},
    {"CompletesSynchronousMessagesEarly", S::kSendSync, "synchronous messages",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         const avrm_status_t status = real().open(config, net_p);
         (*net_p)->capabilities |= AVRM_NETMOD_SYNC;
         static Ops table = real();
         table.tsend_sync = table.tsend;
         (*net_p)->ops = &table;
         return status;
       };
       ops->tsend_sync = real().tsend;
     }},
    {"LastReceiveFirst", S::kFirstReceive, "the first receive that fits",
     [](Ops *ops) {
       ops->progress = progress;
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         later.emplace_front(
             [=, piece = *pieces] { (void)real().trecv(net, handle, match, ignore, &piece, count, request); });
         return AVRM_OK;
       };
     }},
    {"ActiveMessagesOvertake", S::kAmOrder, "active messages",
     [](Ops *ops) {
       ops->am_send = [](avrm_netmod_t *net, std::uint64_t handle, const void *header, std::size_t header_bytes,
                         const void *payload, std::size_t payload_bytes) {
         static Bytes kept;
         if (kept.empty()) {
           const auto *const first = static_cast<const unsigned char *>(header);
           const auto *const second = static_cast<const unsigned char *>(payload);
           kept.assign(first, first + header_bytes);
           kept.insert(kept.end(), second, second + payload_bytes);
           return AVRM_OK;
         }
         const avrm_status_t status = real().am_send(net, handle, header, header_bytes, payload, payload_bytes);
         if (status == AVRM_OK) {
           (void)real().am_send(net, handle, kept.data(), kept.size(), nullptr, 0);
           kept.clear();
         }
         return status;
       };
     }},
    {"ReadsTheBufferLater", S::kReads, "messages of every size",
     [](Ops *ops) {
       ops->progress = progress;
       ops->tinject = [](avrm_netmod_t *net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t match) {
         inject_later(net, buffer, bytes, handle, match);
         return AVRM_OK;
       };
     }},
    {"ReadsPiecesLater", S::kReads, "messages of every size",
     [](Ops *ops) {
       ops->progress = progress;
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         later.emplace_back([=] { (void)real().tsend(net, handle, match, pieces, count, request); });
         return AVRM_OK;
       };
     }},
    {"ReadsTheConfigurationLater", S::kReads, "active messages",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         return open_between(config, net_p, [](void *, const void *data, std::size_t bytes) {
           return kept_config->on_am(kept_config->user, data, bytes);
         });
       };
     }},
    {"CompletesSendsEarly", S::kOwns, "freed buffers",
     [](Ops *ops) {
       ops->progress = progress;
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         later.emplace_back([=, piece = *pieces] {
           later.emplace_back([=] { (void)real().tsend(net, handle, match, &piece, count, shadow()); });
           request->complete(request, AVRM_OK, 0, 0);
         });
         return AVRM_OK;
       };
     }},
    {"WritesAfterTheEnd", S::kOwns, "match bits and masks",
     [](Ops *ops) {
       ops->progress = progress;
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         catch_end(request,
                   [piece = *pieces](const auto &end, avrm_status_t status, std::uint64_t bits, std::uint64_t bytes) {
                     end(status, bits, bytes);
                     later.emplace_back([=] { std::memset(piece.base, 1, piece.bytes); });
                   });
         return real().trecv(net, handle, match, ignore, pieces, count, request);
       };
     }},
    {"CallsOnAmElsewhere", S::kCallbacks, "closing after messages",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         return open_between(config, net_p, [](void *, const void *data, std::size_t bytes) {
           const auto *const from = static_cast<const unsigned char *>(data);
           later.emplace_back([copy = Bytes(from, from + bytes)] { core.on_am(core.user, copy.data(), copy.size()); });
           return true;
         });
       };
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         for (auto all = std::exchange(later, {}); !all.empty(); all.pop_front()) {
           all.front()();
         }
         return real().trecv(net, handle, match, ignore, pieces, count, request);
       };
     }},
    {"SendsNothingFromOnAm", S::kFromOnAm, "replies from on_am",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         return open_between(config, net_p, [](void *, const void *data, std::size_t bytes) {
           in_on_am = true;
           const bool is_taken = core.on_am(core.user, data, bytes);
           in_on_am = false;
           return is_taken;
         });
       };
       ops->am_send = [](avrm_netmod_t *net, std::uint64_t handle, const void *header, std::size_t header_bytes,
                         const void *payload, std::size_t payload_bytes) {
         return in_on_am ? AVRM_ERR_AGAIN : real().am_send(net, handle, header, header_bytes, payload, payload_bytes);
       };
     }},
    {"DropsWhatOnAmDoesNotTake", S::kOffered, "messages that on_am does not take",
     [](Ops *ops) {
       ops->open = [](const avrm_netmod_config_t *config, avrm_netmod_t **net_p) {
         return open_between(config, net_p, [](void *, const void *data, std::size_t bytes) {
           (void)core.on_am(core.user, data, bytes);
           return true;
         });
       };
     }},
    {"SendsToTheDead", S::kPeerFailed, "a failed peer",
     [](Ops *ops) {
       ops->peer_failed = [](avrm_netmod_t *net, std::uint64_t handle) {
         failed = handle;
         real().peer_failed(net, handle);
       };
       ops->tinject = [](avrm_netmod_t *net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t match) {
         return handle == failed ? AVRM_OK : real().tinject(net, buffer, bytes, handle, match);
       };
     }},
    {"ReceivesNothingFromTheDead", S::kReceivesAfter, "a failed peer",
     [](Ops *ops) {
       ops->peer_failed = [](avrm_netmod_t *net, std::uint64_t handle) {
         failed = handle;
         real().peer_failed(net, handle);
       };
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         return real().trecv(net, handle, handle == failed ? match ^ 1 : match, ignore, pieces, count, request);
       };
     }},
    {"LosesTheLastByte", S::kInject, "messages of every size",
     [](Ops *ops) {
       ops->tinject = [](avrm_netmod_t *net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                         std::uint64_t match) {
         Bytes copy(bytes);
         std::copy_n(static_cast<const unsigned char *>(buffer), bytes, copy.begin());
         if (bytes != 0) {
           copy.back() ^= 1;
         }
         return real().tinject(net, copy.data(), bytes, handle, match);
       };
     }},
    {"LosesLargeMessages", S::kSend, "messages of every size",
     [](Ops *ops) {
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         if (pieces->bytes <= 65536) {
           return real().tsend(net, handle, match, pieces, count, request);
         }
         request->complete(request, AVRM_OK, 0, 0);
         return AVRM_OK;
       };
     }},
    {"LooksAtNoContext", S::kMatch, "match bits and masks",
     [](Ops *ops) {
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         constexpr std::uint64_t kLast = std::uint64_t{7} << AVRM_MATCH_CONTEXT_SHIFT;
         return real().trecv(net, handle, match, ignore | kLast, pieces, count, request);
       };
     }},
    {"KnowsNoMasks", S::kMatch, "match bits and masks",
     [](Ops *ops) {
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t,
                       const avrm_piece_t *pieces, std::size_t count,
                       avrm_request_t *request) { return real().trecv(net, handle, match, 0, pieces, count, request); };
     }},
    {"ReceivesFromNobody", S::kAnyAddress, "match bits and masks",
     [](Ops *ops) {
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         const std::uint64_t flipped = handle == AVRM_ANY_ADDRESS ? std::uint64_t{1} << 61 : 0;
         return real().trecv(net, handle, match ^ flipped, ignore, pieces, count, request);
       };
     }},
    {"TruncatesInSilence", S::kTruncated, "truncation",
     [](Ops *ops) {
       ops->trecv = trecv_with<[](const auto &end, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
         end(status == AVRM_ERR_TRUNCATED ? AVRM_OK : status, match, bytes);
       }>;
     }},
    {"WritesTooMuch", S::kTruncated, "truncation",
     [](Ops *ops) {
       ops->trecv = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, std::uint64_t ignore,
                       const avrm_piece_t *pieces, std::size_t count, avrm_request_t *request) {
         const avrm_piece_t longer{pieces->base, pieces->bytes + 1};
         return real().trecv(net, handle, match, ignore, &longer, count, request);
       };
     }},
    {"CancelsNothing", S::kCancel, "match bits and masks",
     [](Ops *ops) { ops->cancel = [](avrm_netmod_t *, avrm_request_t *) {}; }},
    {"SecondCancelUndoes", S::kCancelTwice, "cancelled receives",
     [](Ops *ops) {
       ops->progress = [](avrm_netmod_t *net) { return progress(net); };
       ops->cancel = [](avrm_netmod_t *net, avrm_request_t *request) {
         static std::map<avrm_request_t *, int> cancels;
         if (++cancels[request] == 2) {
           later.clear();
         } else {
           later.emplace_back([=] { real().cancel(net, request); });
         }
       };
     }},
    {"DropsPayloads", S::kAmSend, "active messages",
     [](Ops *ops) {
       ops->am_send = [](avrm_netmod_t *net, std::uint64_t handle, const void *header, std::size_t header_bytes,
                         const void *,
                         std::size_t) { return real().am_send(net, handle, header, header_bytes, nullptr, 0); };
     }},
    {"CountsNothing", S::kEvents, "messages of every size",
     [](Ops *ops) {
       ops->progress = [](avrm_netmod_t *net) {
         (void)real().progress(net);
         return 0;
       };
     }},
    {"ForgetsRemovedPeers", S::kRemove, "removed peers",
     [](Ops *ops) {
       ops->remove = [](avrm_netmod_t *net, std::uint64_t handle) {
         for (auto &[request, one] : caught) {
           one.end = [](const auto &, avrm_status_t, std::uint64_t, std::uint64_t) {};
         }
         real().remove(net, handle);
       };
       ops->tsend = [](avrm_netmod_t *net, std::uint64_t handle, std::uint64_t match, const avrm_piece_t *pieces,
                       std::size_t count, avrm_request_t *request) {
         catch_end(request, [](const auto &end, avrm_status_t status, std::uint64_t bits, std::uint64_t bytes) {
           end(status, bits, bytes);
         });
         return real().tsend(net, handle, match, pieces, count, request);
       };
     }},
    {"ClosesInSilence", S::kCloseCancels, "closing with pending requests",
     [](Ops *ops) {
       ops->trecv = trecv_with<[](const auto &end, avrm_status_t status, std::uint64_t match, std::uint64_t bytes) {
         if (status != AVRM_ERR_CANCELLED) {
           end(status, match, bytes);
         }
       }>;
     }},
    {"LosesWhatItHasTaken", S::kCloseDelivers, "closing after messages",
     [](Ops *ops) {
       ops->progress = progress;
       ops->am_send = [](avrm_netmod_t *net, std::uint64_t handle, const void *header, std::size_t header_bytes,
                         const void *, std::size_t) {
         const auto *const from = static_cast<const unsigned char *>(header);
         later.emplace_back([=, copy = Bytes(from, from + header_bytes)] {
           (void)real().am_send(net, handle, copy.data(), copy.size(), nullptr, 0);
         });
         return AVRM_OK;
       };
     }},
    {"SleepsForEver", S::kArm, "sleep",
     [](Ops *ops) {
       ops->arm = [](avrm_netmod_t *, int *descriptor_p) {
         static const int silent = eventfd(0, EFD_CLOEXEC);
         *descriptor_p = silent;
         return AVRM_OK;
       };
     }},
    {"TellsOtherKeys", S::kValues, "windows",
     [](Ops *ops) {
       ops->memory_values = [](avrm_netmod_t *, avrm_netmod_memory_t *, std::uint64_t *remote_p, std::uint64_t *key_p) {
         *remote_p = 1;
         *key_p = 1;
         return AVRM_OK;
       };
     },
     true},
    {"PutsThatNeverEnd", S::kPut, "windows",
     [](Ops *ops) {
       ops->put = [](avrm_netmod_t *, std::uint64_t, std::uint64_t, std::uint64_t, const void *, std::size_t,
                     avrm_request_t *) { return AVRM_OK; };
     },
     true},
    {"FlushesThatNeverEnd", S::kFlush, "windows",
     [](Ops *ops) { ops->flush = [](avrm_netmod_t *, std::uint64_t, avrm_request_t *) { return AVRM_OK; }; }, true},
    {"FlushesOnePeerOnly", S::kFlushAll, "windows",
     [](Ops *ops) {
       ops->flush = [](avrm_netmod_t *net, std::uint64_t handle, avrm_request_t *request) {
         return handle == AVRM_ANY_ADDRESS ? AVRM_OK : detail::find_netmod("null")->flush(net, handle, request);
       };
     },
     true},
};

} // namespace

std::span<const Broken> broken_netmods() { return kBroken; }

avrm_netmod_ops_t operations_of(const Broken &broken) {
  avrm_netmod_ops_t ops = broken.is_null ? *detail::find_netmod("null") : real();
  ops.name = "broken";
  broken.change(&ops);
  return ops;
}

} // namespace avrankmap::test
