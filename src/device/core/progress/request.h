// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The core's part of a request, and the pool of requests.
#ifndef AVRANKMAP_SRC_CORE_PROGRESS_REQUEST_H
#define AVRANKMAP_SRC_CORE_PROGRESS_REQUEST_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "avrankmap/device/fastpath.h"
#include "base/match_queue.h"
#include "core/blocks.h"
#include "core/progress/awaiter.h"

namespace avrankmap::detail {

struct Request;

// A doubly linked list through the requests themselves; a request is on at most one list.
class RequestList {
public:
  [[nodiscard]] Request *first() const noexcept { return first_; }
  inline void append(Request *request) noexcept;
  inline void remove(Request *request) noexcept;

private:
  Request *first_ = nullptr;
  Request *last_ = nullptr;
};

enum class RequestKind : std::uint8_t {
  kFree,
  kSend,    // netmod or shmmod
  kReceive, // in the netmod (`on_net`) or the core (`posted`)
  kOneSided,
  kVisiblePut, // one-sided; the buffer may be reused already, or another request awaits that
  kInternal    // not the user's
};

// Events that complete a request early.
enum class Fate : std::uint8_t {
  kNone,
  kPeerFailed,     // the peer has failed: AVRM_ERR_PEER
  kUnacknowledged, // a possible sender has failed: AVRM_ERR_PEER_PENDING
  kRevoked         // AVRM_ERR_REVOKED
};

// Data in several blocks are copied to a packed buffer if the transport only takes contiguous data.
enum class Packing : std::uint8_t { kNone, kOfSend, kOfReceive };

// The fields that every message uses are in two cache lines, from `op` to `list`; the transport's
// scratch is before them, and fields that few operations use are after them. Only fields that are
// read before they are set are cleared.
struct alignas(64) Request : avrm_request {
  // cppcheck-suppress [uninitMemberVar, uninitDerivedMemberVar] ; on purpose
  Request() = default; // free
  // cppcheck-suppress [uninitMemberVar, uninitDerivedMemberVar] ; on purpose
  Request(avrm_comm_t *of, RequestKind what) noexcept : comm(of), kind(what) { done = 0; }

  avrm_comm_t *comm; // counted as in use by this request
  RequestKind kind = RequestKind::kFree;
  // The state of a receive. If both are false, the receive is being posted, or has its message, and
  // cannot be cancelled.
  bool on_net = false; // the netmod has it
  bool posted = false; // the core matches it; of a send: it is in SynchronousSends
  Fate fate = Fate::kNone;
  bool cancelling = false;
  Packing packing = Packing::kNone;
  bool is_awaited = false; // `awaiter` is set
  // `match` and `ignore`. Receives: match bits and those to ignore; while the message is being
  // acknowledged: its match bits, and 1 if its sender could not be reached. One-sided operations:
  // token of the active messages, and rank of the target.
  std::uint64_t match;
  std::uint64_t ignore;
  void *buffer;
  std::size_t capacity;
  // A receive that the core matches <-> its twin in the netmod, if the message may come through
  // either; part -> its one-sided operation.
  Request *partner_request = nullptr;
  // `next` and `previous`: links in a RequestList, in a MatchQueue, or in the pool. `list`: the
  // RequestList, or null.
  Request *next;
  Request *previous;
  RequestList *list = nullptr;

  // With packing only: the size of the copy at `buffer`, including a list after it, and for
  // receives where to unpack it.
  std::size_t bounce_bytes;
  std::uint64_t base;
  union {
    Shape shape;                // also of gets by active messages
    MatchLink<Request> chained; // of sends in SynchronousSends
  };
  union {
    avrm_window_t *window; // of one-sided operations
    Awaiter *awaiter;      // of collective operations without a waiting thread
  };
  // One-sided operations and acknowledged sends only. Pending parts, each of which completes
  // separately.
  std::uint64_t pending_parts;
};
static_assert(sizeof(Request) == 320);

inline void RequestList::append(Request *request) noexcept {
  request->list = this;
  request->next = nullptr;
  request->previous = last_;
  (last_ == nullptr ? first_ : last_->next) = request;
  last_ = request;
}

inline void RequestList::remove(Request *request) noexcept {
  (request->previous == nullptr ? first_ : request->previous->next) = request->next;
  (request->next == nullptr ? last_ : request->next->previous) = request->previous;
  request->list = nullptr;
  request->next = nullptr;
  request->previous = nullptr;
}

[[nodiscard]] inline Request *core_of(avrm_request_t *request) noexcept { return static_cast<Request *>(request); }

// Returns a request that was never pending, for operations that complete at once.
[[nodiscard]] inline avrm_request_t *done_request() noexcept { return &avrm_i_fp_done; }
// The same for receives from AVRM_PROC_NULL, whose outcome has this source.
extern avrm_request_t done_receive;
// True for these two, which belong to no device.
[[nodiscard]] inline bool was_never_pending(const avrm_request_t *request) noexcept {
  return request == done_request() || request == &done_receive;
}

// Synchronous messages that wait for an acknowledgement (core/synchronous_acks.h). `match` has the
// destination in place of the source.
struct SynchronousTraits {
  static constexpr std::uint64_t kSource = AVRM_MATCH_SOURCE_MASK;
  static constexpr std::uint64_t kTag = AVRM_MATCH_TAG_MASK;
  static constexpr bool kInAllTables = false;
  [[nodiscard]] static std::uint64_t ignore_of(const Request & /*send*/) noexcept { return 0; }
  [[nodiscard]] static MatchLink<Request> &link_of(Request &send, int /*set*/) noexcept { return send.chained; }
};
using SynchronousSends = MatchQueue<Request, SynchronousTraits>;

// Requests in slabs that are kept until the pool is destroyed, and a reserve for collective
// operations: a process that cannot send a message of such an operation cannot report this either,
// and the others would wait forever.
class RequestPool {
public:
  explicit RequestPool(Memory &memory) noexcept : memory_(memory) {
    for (Request &request : reserve_) {
      give(&request);
    }
    taken_ = 0;
  }
  ~RequestPool();
  RequestPool(const RequestPool &) = delete;
  RequestPool &operator=(const RequestPool &) = delete;

  // Returns a new request; null if out of memory.
  [[nodiscard]] Request *take(avrm_comm_t *comm, RequestKind kind) noexcept {
    if (AVRM_UNLIKELY(free_ == nullptr) && !grow()) {
      return nullptr;
    }
    Request *const request = free_;
    free_ = request->next;
    ++taken_;
    return new (request) Request(comm, kind);
  }
  // Returns a request from the reserve; null if all of them are in use.
  [[nodiscard]] Request *take_reserved(avrm_comm_t *comm, RequestKind kind) noexcept {
    Request *const request = free_reserve_;
    if (request == nullptr) {
      return nullptr;
    }
    free_reserve_ = request->next;
    ++taken_;
    return new (request) Request(comm, kind);
  }
  void give(Request *request) noexcept {
    Request *&list = is_reserve(request) ? free_reserve_ : free_;
    request->kind = RequestKind::kFree;
    request->next = list;
    list = request;
    --taken_;
  }
  // Returns the number of requests that are taken.
  [[nodiscard]] std::size_t taken() const noexcept { return taken_; }
  // Calls visit(request) for each request that is taken. Requests taken during the call may or may
  // not be visited.
  template <typename Visit> void for_each(Visit visit) noexcept {
    for (Slab *slab = slabs_; slab != nullptr; slab = slab->next) {
      for_each_of(slab->requests, visit);
    }
    for_each_of(reserve_, visit);
  }

private:
  static constexpr std::size_t kPerSlab = 64;
  static constexpr std::size_t kReserve = 8; // an operation needs at most three at a time
  struct Slab {
    Slab *next;
    Request requests[kPerSlab];
  };
  template <std::size_t kCount, typename Visit>
  static void for_each_of(Request (&requests)[kCount], Visit visit) noexcept {
    for (Request &request : requests) {
      if (request.kind != RequestKind::kFree) {
        visit(&request);
      }
    }
  }
  [[nodiscard]] bool grow() noexcept;
  [[nodiscard]] bool is_reserve(const Request *request) const noexcept {
    return reinterpret_cast<std::uintptr_t>(request) - reinterpret_cast<std::uintptr_t>(reserve_) < sizeof reserve_;
  }

  Memory &memory_;
  Slab *slabs_ = nullptr;
  Request *free_ = nullptr;
  Request *free_reserve_ = nullptr;
  std::size_t taken_ = 0;
  Request reserve_[kReserve];
};

} // namespace avrankmap::detail

#endif
