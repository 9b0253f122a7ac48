// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Records of the peers that this process puts to, looked up by handle. A record does not move.
#ifndef AVRANKMAP_NETMOD_OFI_PEERS_H
#define AVRANKMAP_NETMOD_OFI_PEERS_H

#include "avrankmap/device/request.h"
#include "base/hash_table.h"

namespace avrankmap::detail::ofi {

// The puts to one peer. A flush waits until none is pending.
struct PeerRecord {
  explicit PeerRecord(std::uint64_t its_handle) noexcept : handle(its_handle) {}

  std::uint64_t handle;
  std::uint64_t puts = 0;            // pending, not counting injected ones
  bool injected = false;             // puts since the last flush
  std::uint64_t injected_to = 0;     // target address of one of them
  std::uint64_t injected_key = 0;    // key of that memory
  avrm_status_t status = AVRM_OK;    // the first error of a put since the last flush
  avrm_request_t *flushes = nullptr; // linked through their scratch
  PeerRecord *next = nullptr;        // list of all
  PeerRecord *previous = nullptr;
};

class PeerTable {
public:
  explicit PeerTable(Memory &memory) noexcept : memory_(memory), records_(memory) {}
  PeerTable(const PeerTable &) = delete;
  PeerTable &operator=(const PeerTable &) = delete;
  ~PeerTable() {
    records_.clear([this](void *record) { release(record); });
  }

  // Returns null if the peer has no record.
  [[nodiscard]] PeerRecord *find(std::uint64_t handle) const noexcept {
    return static_cast<PeerRecord *>(records_.find(handle));
  }
  // Creates a record if the peer has none. Returns null if out of memory.
  [[nodiscard]] PeerRecord *find_or_make(std::uint64_t handle) noexcept;
  void erase(PeerRecord *record) noexcept;
  [[nodiscard]] PeerRecord *first() const noexcept { return first_; }

private:
  void release(void *record) noexcept {
    memory_.release(record, sizeof(PeerRecord), alignof(PeerRecord), AVRM_MEM_INSTANCE);
  }

  Memory &memory_;
  HashTable records_;
  PeerRecord *first_ = nullptr;
};

} // namespace avrankmap::detail::ofi

#endif
