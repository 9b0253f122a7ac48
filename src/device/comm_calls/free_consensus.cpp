// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_calls/free_consensus.h"

#include <algorithm>
#include <cstring>

#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "core/report.h"

namespace avrankmap::detail {

ActiveHeader header_about(const avrm_device_t *device, ActiveType type, std::uint64_t context, std::int32_t from,
                          std::int32_t to) noexcept {
  ActiveHeader header{};
  header.type = type;
  header.sender = from;
  header.window = context;
  header.offset = device->name.words[0];
  header.block = device->name.words[1];
  header.position = static_cast<std::uint32_t>(device->rank);
  header.token = static_cast<std::uint32_t>(to);
  return header;
}

namespace {

ActiveHeader answer_to(const avrm_device_t *device, const ActiveHeader &question, Reply answer) noexcept {
  const auto self = static_cast<std::int32_t>(question.token);
  ActiveHeader header = header_about(device, question.type, question.window, self, question.sender);
  header.token |= static_cast<std::uint64_t>(answer) << 32;
  return header;
}

} // namespace

void answer_with(avrm_device_t *device, const ActiveHeader &question, avrm_gpid_t from, Reply answer) noexcept {
  const avrm_status_t status =
      send_active(device, from, answer_to(device, question, answer), nullptr, 0, Retry::kLater);
  if (status != AVRM_OK && status != AVRM_ERR_PEER) {
    report(device, status, "a question about a communicator could not be answered");
  }
}

bool reject_query(avrm_device_t *device, const ActiveHeader &header, bool only_extends) noexcept {
  avrm_gpid_t from{};
  return signer_of(device, header, &from)
             ? device->deferred.reject(from, answer_to(device, header, Reply::kAgain), only_extends)
             : !only_extends; // dropped, as on_revoke and on_free_consensus do
}

Reply answer_in(const ActiveHeader &header) noexcept { return static_cast<Reply>(header.token >> 32); }

bool signer_of(const avrm_device_t *device, const ActiveHeader &header, avrm_gpid_t *process_p) noexcept {
  const WorldName name{{header.offset, header.block}};
  // If there are no other worlds, the name of this one need not be known.
  const World *const world =
      name == WorldName{} || name == device->name || device->worlds == nullptr ? nullptr : find_world(device, name);
  const bool is_own = device->worlds == nullptr || name == WorldName{} || name == device->name;
  const std::int32_t size = is_own ? device->size : world != nullptr ? world->av->size : 0;
  if (header.position >= static_cast<std::uint32_t>(size)) {
    return false;
  }
  *process_p = {is_own ? kOwnWorld : world->av->pgid, static_cast<std::int32_t>(header.position)};
  return true;
}

bool is_member(const avrm_rankmap_t *map, std::int32_t rank, avrm_gpid_t process) noexcept {
  if (rank < 0 || rank >= map->size) {
    return false;
  }
  const avrm_gpid_t member = avrm_rankmap_gpid(map, rank);
  return member.pgid == process.pgid && member.lpid == process.lpid;
}

bool FreeConsensus::MemberChannel::has_died(std::int32_t rank) const noexcept {
  return has_failed(plane_->device, gpid_of(plane_, rank)) || std::binary_search(gone_.begin(), gone_.end(), rank);
}

void FreeConsensus::begin(bool unquiet) noexcept {
  has_begun_ = true;
  consensus_.begin({0, unquiet ? AVRM_ERR_PEER : AVRM_OK, nullptr, 0});
  go_on();
}

bool FreeConsensus::was_quiet() noexcept {
  return consensus_.status() == AVRM_OK && consensus_.dead().empty() && channel_.gone_.empty();
}

bool FreeConsensus::send(std::int32_t dest, const ConsensusHeader &message) noexcept {
  avrm_comm_t *const plane = channel_.plane_;
  ActiveHeader header = header_about(plane->device, ActiveType::kFreeConsensus, context_, plane->rank, dest);
  header.bytes = sizeof message;
  return send_active(plane->device, gpid_of(plane, dest), header, &message, sizeof message, Retry::kLater) !=
         AVRM_ERR_NO_MEMORY;
}

void FreeConsensus::go_on() noexcept {
  if (has_missed_ && channel_.gone_.make_room(1)) {
    has_missed_ = false;
    consensus_.repeat();
  }
  const Mark *marks = nullptr; // not sent: each member detects failures itself
  for (;;) {
    if (unsent_to_ == kNobody) {
      if (!consensus_.next_message(channel_, &unsent_to_, &unsent_, &marks)) {
        unsent_to_ = kNobody;
        return;
      }
      unsent_.count = 0;
    }
    if (!send(unsent_to_, unsent_)) {
      return;
    }
    unsent_to_ = kNobody;
  }
}

void FreeConsensus::add_gone(std::int32_t rank) noexcept {
  if (std::binary_search(channel_.gone_.begin(), channel_.gone_.end(), rank)) {
    return;
  }
  if (!channel_.gone_.make_room(1)) {
    has_missed_ = true;
    return;
  }
  channel_.gone_.append(rank);
  std::sort(channel_.gone_.begin(), channel_.gone_.end());
}

void FreeConsensus::take(const ActiveHeader &header, const void *payload, std::size_t bytes) noexcept {
  ConsensusHeader message{};
  if (header.sender == channel_.rank()) {
    return;
  }
  has_heard_ = true;
  const Reply answer = answer_in(header);
  if (answer == Reply::kNone && bytes == sizeof message) {
    std::memcpy(&message, payload, sizeof message);
  } else if (answer == Reply::kAgain) { // repeats the vote or query, or the verdict if there is one
    consensus_.repeat();
    message.kind = ConsensusHeader::kAsk;
    message.number = consensus_.number();
    message.floor = kNobody;
    message.sender = header.sender;
  } else if (answer == Reply::kGone) {
    add_gone(header.sender);
  }
  const bool is_taken =
      message.kind != 0 && message.sender == header.sender && message.count == 0 && !channel_.has_died(header.sender);
  if (is_taken && message.kind != ConsensusHeader::kVerdict && consensus_.has_reply()) {
    // For lack of memory, the last answer has not been sent yet, and there is room for no other.
    answer_with(channel_.plane_->device, header, gpid_of(channel_.plane_, header.sender), Reply::kAgain);
  } else if (is_taken) {
    Array<Mark> none(channel_.memory());
    consensus_.take(message, none, true);
  }
  go_on();
}

} // namespace avrankmap::detail
