// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operations that were posted to libfabric. Each has a record, whose address is libfabric's
// context. The record is not part of the request, because it may outlive the request: when a peer
// dies, requests that involve it complete, but the provider may still refer to their operations.
// Until the provider ends such an operation, its record remains as an orphan.
#ifndef AVRANKMAP_NETMOD_OFI_OP_H
#define AVRANKMAP_NETMOD_OFI_OP_H

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "avrankmap/device/netmod.h"
#include "ofi/provider.h"

namespace avrankmap::detail::ofi {

// Maximum number of pieces of a message that are passed to a provider at once.
constexpr std::size_t kMaxPieces = 8;

// Memory that one operation needs: an active message's own buffer, and registrations of local
// buffers for providers that need them (FI_MR_LOCAL).
struct LocalMemory {
  std::unique_ptr<unsigned char[]> buffer;
  Fid<fid_mr> regions[kMaxPieces];
};

// Pieces of a receive that waits for room in the provider's queue.
struct WaitingReceive {
  avrm_piece_t pieces[kMaxPieces];
  std::size_t count;
};

struct PeerRecord;

enum class OpKind : std::uint8_t {
  kFree,
  kSend,
  kReceive,
  kPut,
  kGet,
  kAtomic,
  kActiveSend,
  kActiveReceive,
  kTurn,
  kPeek
};

struct alignas(64) Op {
  fi_context2 context; // for libfabric
  avrm_request_t *request;
  std::uint64_t handle; // peer; AVRM_ANY_ADDRESS for receives from any source
  OpKind kind;
  bool cancelled;   // by the core, or because the process is starved (backlog.h)
  bool starved;     // ends with AVRM_ERR_SYSTEM
  bool peer_failed; // ends with AVRM_ERR_PEER, unless it succeeds
  bool orphan;      // no longer has a request
  // Receive: the match bits and the bits to ignore. Atomic on one element: the operand and the
  // value to compare with; the old value arrives in `total`, and `part` bytes of it are copied to
  // `buffer`.
  std::uint64_t match;
  std::uint64_t ignore;
  WaitingReceive *waiting; // null once the receive is posted
  std::size_t total;       // room of a receive, length of a put or get
  // Put and get: what remains, of which `part` bytes are pending. Active message: its buffer, and
  // its length if it is held.
  unsigned char *buffer;
  std::size_t bytes;
  std::size_t part;
  std::uint64_t remote;
  std::uint64_t key;
  PeerRecord *peer;   // put, atomic
  LocalMemory *local; // may be null
  Op *next;           // in a list
};
static_assert(offsetof(Op, context) == 0, "libfabric's context is the record's address");

class OpPool {
public:
  OpPool() = default;
  OpPool(const OpPool &) = delete;
  OpPool &operator=(const OpPool &) = delete;
  ~OpPool();

  // Returns a record whose kind-specific fields are not set; null if out of memory.
  [[nodiscard]] Op *take(OpKind kind, std::uint64_t handle, avrm_request_t *request) noexcept {
    if (free_ == nullptr && !grow()) {
      return nullptr;
    }
    Op *const op = free_;
    free_ = op->next;
    op->request = request;
    op->handle = handle;
    op->kind = kind;
    op->cancelled = false;
    op->starved = false;
    op->peer_failed = false;
    op->orphan = false;
    op->peer = nullptr;
    return op;
  }
  void give(Op *op) noexcept {
    if (AVRM_UNLIKELY(op->local != nullptr || op->waiting != nullptr)) {
      release_rare_state(op);
    }
    op->kind = OpKind::kFree;
    op->next = free_;
    free_ = op;
  }

  // Calls visit(op) for every record in use. Records that are taken meanwhile may or may not be
  // visited.
  template <typename Visit> void for_each(Visit visit) noexcept {
    for (std::size_t slab = 0; slab < slabs_.size(); ++slab) {
      for (std::size_t i = 0; i < kPerSlab; ++i) {
        if (Op &op = slabs_[slab][i]; op.kind != OpKind::kFree) {
          visit(op);
        }
      }
    }
  }

private:
  static constexpr std::size_t kPerSlab = 64;
  [[nodiscard]] bool grow() noexcept;
  static void release_rare_state(Op *op) noexcept;

  std::vector<std::unique_ptr<Op[]>> slabs_;
  Op *free_ = nullptr;
};

} // namespace avrankmap::detail::ofi

#endif
