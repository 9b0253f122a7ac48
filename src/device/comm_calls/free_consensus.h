// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of a freed communicator agree that all of them have freed it, so that no member will
// query its last agreement, or wait until one of its messages is received. The agreement
// (comm_algorithms/consensus.h) uses active messages. A member that has finished it forgets the
// communicator, and answers later queries with "gone". Like failed members, such members are not
// waited for.
#ifndef AVRANKMAP_SRC_COMM_CALLS_FREE_CONSENSUS_H
#define AVRANKMAP_SRC_COMM_CALLS_FREE_CONSENSUS_H

#include "comm_algorithms/consensus.h"
#include "core/active.h"
#include "core/device.h"

namespace avrankmap::detail {

// The header of an active message about a communicator, from one rank to another. The sender signs
// it with its world and lpid. A query is answered with another message.
[[nodiscard]] ActiveHeader header_about(const avrm_device_t *device, ActiveType type, std::uint64_t context,
                                        std::int32_t from, std::int32_t to) noexcept;
enum class Reply : std::uint32_t {
  kNone,  // the message is a query
  kGone,  // this process has forgotten the communicator, and needs no messages about it
  kAgain, // this process is still creating it, or is out of memory: ask again
};
void answer_with(avrm_device_t *device, const ActiveHeader &question, avrm_gpid_t from, Reply answer) noexcept;
// Implements Upcalls::reject_active for a query: asks the sender to repeat it.
[[nodiscard]] bool reject_query(avrm_device_t *device, const ActiveHeader &header, bool only_extends) noexcept;
[[nodiscard]] Reply answer_in(const ActiveHeader &header) noexcept;
// Finds the process that sent a message. Returns false if its world is not known.
[[nodiscard]] bool signer_of(const avrm_device_t *device, const ActiveHeader &header, avrm_gpid_t *process_p) noexcept;
// True if `process` has that rank. If this process has reused the context id of a freed
// communicator, messages of members that have not freed it may still arrive.
[[nodiscard]] bool is_member(const avrm_rankmap_t *map, std::int32_t rank, avrm_gpid_t process) noexcept;

// All functions require the device's lock.
class FreeConsensus {
public:
  // `plane` must outlive this object.
  FreeConsensus(avrm_comm_t *plane, std::uint32_t context, FrameStack &frames) noexcept
      : context_(context), channel_(plane, frames),
        consensus_(plane->device->instance->memory, plane->rank, plane->map->size) {}

  // Called when this process has freed the communicator. `unquiet`: a member has died, or the
  // communicator was revoked.
  void begin(bool unquiet) noexcept;
  [[nodiscard]] bool has_begun() const noexcept { return has_begun_; }
  // True if all live members have freed the communicator.
  [[nodiscard]] bool is_over() const noexcept { return has_begun_ && consensus_.is_over(); }
  // True if no message of the communicator can be in transit, so that the context id may be reused.
  [[nodiscard]] bool was_quiet() noexcept;
  // Sends the messages that are due. Called again when a process has died, and while has_unsent()
  // is true.
  void go_on() noexcept;
  [[nodiscard]] bool has_unsent() const noexcept { return unsent_to_ != kNobody || has_missed_; }
  // True if a member that has freed the communicator waits for this one to free it as well.
  [[nodiscard]] bool has_heard() const noexcept { return has_heard_; }
  // Handles a message that another member signed.
  void take(const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept;

private:
  class MemberChannel final : public FaultTolerantChannel {
  public:
    MemberChannel(avrm_comm_t *plane, FrameStack &frames) noexcept
        : FaultTolerantChannel(plane->device->instance->memory, frames, plane->rank, plane->map->size), plane_(plane),
          gone_(plane->device->instance->memory) {}
    // There are no transfers: all messages are active messages.
    [[nodiscard]] bool start(Transfer * /*transfer*/) noexcept override { return false; }
    [[nodiscard]] bool has_died(std::int32_t rank) const noexcept override;

    avrm_comm_t *plane_;
    Array<std::int32_t> gone_; // ascending
  };

  void add_gone(std::int32_t rank) noexcept;
  [[nodiscard]] bool send(std::int32_t dest, const ConsensusHeader &header) noexcept;

  std::uint32_t context_;
  MemberChannel channel_;
  Consensus consensus_;
  bool has_begun_ = false;
  bool has_heard_ = false; // a message of another member
  // A message that could not be sent for lack of memory.
  std::int32_t unsent_to_ = kNobody;
  ConsensusHeader unsent_{};
  bool has_missed_ = false; // an answer was lost for lack of memory: request it again
};

} // namespace avrankmap::detail

#endif
