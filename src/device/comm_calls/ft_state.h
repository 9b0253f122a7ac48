// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The state of a communicator for agreements of its survivors, on a device. It exists from the
// first agreement or the revocation until all live members have freed the communicator. It answers
// queries of other members about the last agreement even after this process has freed the
// communicator, so it sends and receives with a copy of the communicator.
#ifndef AVRANKMAP_SRC_COMM_CALLS_FT_STATE_H
#define AVRANKMAP_SRC_COMM_CALLS_FT_STATE_H

#include "comm_algorithms/create/shrink.h"
#include "comm_calls/creation.h"
#include "comm_calls/free_consensus.h"
#include "comm_calls/revocation.h"

namespace avrankmap::detail {

// A copy of a communicator and its collective plane, with a separate map, which contains both
// groups if there are two. The copy is never revoked.
class PlaneCopy {
protected:
  explicit PlaneCopy(const avrm_comm_t *comm) noexcept;
  ~PlaneCopy() = default;

  MapOwner map_;                       // null after an error
  avrm_status_t map_status_ = AVRM_OK; // of creating map_
  std::int32_t own_start_ = 0;         // the place of rank 0 of the local group
  avrm_comm_t plane_;
  avrm_comm_t whole_;
};

class SurvivorChannel final : public FaultTolerantChannel {
public:
  SurvivorChannel(Operation &operation, avrm_comm_t *plane, std::int32_t tag) noexcept
      : FaultTolerantChannel(plane->device->instance->memory, operation.frames(), plane->rank, plane->map->size),
        plane_(plane), channel_(operation, plane, tag, true) {}

  [[nodiscard]] bool start(Transfer *transfer) noexcept override { return channel_.start(transfer); }
  [[nodiscard]] bool has_died(std::int32_t rank) const noexcept override;

private:
  avrm_comm_t *plane_;
  DeviceChannel channel_;
};

// All functions require the lock of PendingCreations, unless the object is not in its list yet.
class FtState final : private PlaneCopy, public Operation, public Awaiter {
public:
  explicit FtState(avrm_comm_t *comm) noexcept;

  // Returns AVRM_ERR_NO_MEMORY, or AVRM_ERR_LIMIT for two large groups, if the object cannot be
  // used.
  [[nodiscard]] avrm_status_t prepare() noexcept;
  [[nodiscard]] bool is_of(const avrm_comm_t *comm) const noexcept {
    return comm_.load(std::memory_order_relaxed) == comm;
  }
  // True if `process` has that rank in the communicator, which this process may have freed.
  [[nodiscard]] bool has(std::int32_t rank, avrm_gpid_t process) const noexcept {
    return is_member(map_.get(), rank, process);
  }
  [[nodiscard]] avrm_comm_t *comm() const noexcept { return comm_.load(std::memory_order_relaxed); }
  // Called with the device's lock when the communicator is freed. `is_to_be_revoked`: another
  // member has revoked it, which has had no effect here.
  void outlive(bool is_to_be_revoked) noexcept;
  [[nodiscard]] FreeConsensus &free_consensus() noexcept { return free_consensus_; }
  [[nodiscard]] Revocation &revocation() noexcept { return revocation_; }
  // Requires the device's lock. True if this object is no longer needed.
  [[nodiscard]] bool is_over() const noexcept {
    return comm() == nullptr && !is_busy() && (is_untouched_ || free_consensus_.is_over());
  }
  // Stops all operations for good. Returns false if it must be called again after some progress.
  [[nodiscard]] bool dissolve() noexcept;
  [[nodiscard]] std::uint32_t context() const noexcept { return whole_.context; }
  [[nodiscard]] std::uint64_t number() const noexcept { return context(); }
  // True if no message of the communicator can be in transit. Called only once is_over() is true.
  [[nodiscard]] bool was_quiet() noexcept { return !has_dead() && (is_untouched_ || free_consensus_.was_quiet()); }

  void revoke() noexcept;
  bool go_on() noexcept override;

  [[nodiscard]] bool is_busy() const noexcept { return stage_ != Stage::kIdle; }
  void start_agreement(std::uint64_t *value_p, Request *request) noexcept;
  // If `active` is not 0, the members after the first `active` ones are spares; they replace the
  // dead among the first `active`.
  void start_shrinking(std::int32_t active, avrm_comm_t **comm_p, Request *request) noexcept;
  // Returns AVRM_ERR_BUSY while the consensus has not taken up its last ballot, or
  // AVRM_ERR_NO_MEMORY.
  avrm_status_t acknowledge(std::int32_t count, std::int32_t *acked_p) noexcept;

  // Advances the operations that can continue. Returns whether any did; if so, must be called
  // again.
  bool advance() noexcept;
  // Requires the device's lock. True if a step has to be repeated, usually for lack of memory.
  [[nodiscard]] bool has_unfinished() const noexcept {
    const bool is_to_create = stage_ == Stage::kShrinking && consensus_.is_over() && !shrinking_.is_creating();
    return is_to_create || has_undrained_ || free_consensus_.has_unsent() || revocation_.has_untold();
  }
  NumberLinks<FtState> links; // by context id, which is not reused in the meantime

private:
  enum class Stage { kIdle, kAgreeing, kShrinking };

  // Called only while the communicator exists.
  [[nodiscard]] MemberOrder places() const noexcept;
  bool react() noexcept;
  bool shrink() noexcept;
  void end(avrm_status_t status) noexcept;

  void tend() noexcept;
  [[nodiscard]] bool has_dead() noexcept;

  std::atomic<avrm_comm_t *> comm_; // null once the communicator is freed
  SurvivorChannel channel_;
  Consensus consensus_;
  std::uint32_t deaths_told_ = 0;
  bool is_interrupted_ = false;
  // The dead, in the order in which calls found them, and those acknowledged, by ascending rank.
  std::uint32_t deaths_listed_ = 0;
  Array<std::int32_t, AVRM_MEM_COMM> known_;
  Array<std::int32_t, AVRM_MEM_COMM> acknowledged_;

  FreeConsensus free_consensus_;
  Revocation revocation_;
  std::uint32_t deaths_tended_ = 0;
  bool has_undrained_ = false;
  bool is_dissolving_ = false;
  bool is_untouched_ = false; // freed, and no member has begun an agreement or revoked it

  Stage stage_ = Stage::kIdle;
  Request *request_ = nullptr;
  std::uint64_t *value_p_ = nullptr;
  avrm_comm_t **comm_p_ = nullptr;
  Shrinking shrinking_;
  std::optional<Creation> creation_;
};

} // namespace avrankmap::detail

#endif
