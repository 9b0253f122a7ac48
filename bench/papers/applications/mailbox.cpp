// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/mailbox.h"

#include "support/require.h"

#include <utility>

namespace avrankmap::bench {
namespace {

std::int32_t tag_of(std::size_t slot) { return static_cast<std::int32_t>(slot); }

} // namespace

Mailbox::Mailbox(Process &process, std::size_t slots, std::size_t most)
    : process_(process), room_(most + 1), incoming_(slots), send_buffers_(slots), sent_(slots) {
  for (std::size_t slot = 0; slot < slots; ++slot) {
    incoming_[slot].text.resize(room_);
    send_buffers_[slot].resize(room_);
    send_buffers_[slot][0] = static_cast<double>(slot);
  }
}

void Mailbox::post_any() {
  Any any;
  if (!spare_.empty()) {
    any.text = std::move(spare_.back());
    spare_.pop_back();
  }
  any.text.resize(room_);
  any_.push_back(std::move(any));
  Any &posted = any_.back();
  require(avrm_fp_irecv_nomatch(posted.text.data(), static_cast<std::int32_t>(room_), AVRM_DOUBLE, AVRM_COMM_1,
                                &posted.request));
}

void Mailbox::expect(std::size_t slot, std::int32_t rank) {
  Incoming &in = incoming_[slot];
  if (build_->matches) {
    in.arrived = false;
    require(avrm_fp_irecv(in.text.data(), static_cast<std::int32_t>(room_), AVRM_DOUBLE, rank, tag_of(slot),
                          process_.world(), &in.request));
  } else if (!in.arrived) { // else it came before it was announced
    post_any();
  }
}

void Mailbox::take_any() {
  if (any_.empty()) { // messages that were not announced have taken those for this one
    post_any();
  }
  avrm_outcome_t outcome{};
  process_.wait(&any_.front().request, &outcome);
  Any any = std::move(any_.front());
  any_.pop_front();
  const auto slot = static_cast<std::size_t>(any.text[0]);
  Incoming &in = incoming_.at(slot);
  require(!in.arrived, "a sender is two messages ahead");
  std::swap(in.text, any.text);
  spare_.push_back(std::move(any.text));
  in.count = outcome.bytes / sizeof(double) - 1;
  in.arrived = true;
}

std::span<const double> Mailbox::receive(std::size_t slot) {
  Incoming &in = incoming_[slot];
  if (build_->matches) {
    avrm_outcome_t outcome{};
    process_.wait(&in.request, &outcome);
    in.count = outcome.bytes / sizeof(double) - 1;
  } else {
    while (!in.arrived) {
      take_any();
    }
    in.arrived = false; // the next one may come
  }
  return {in.text.data() + 1, in.count};
}

std::span<double> Mailbox::send_buffer(std::size_t slot) {
  if (sent_[slot] != nullptr) {
    process_.wait(&sent_[slot]);
  }
  if (some_without_request_) {
    require(avrm_fp_comm_waitall(AVRM_COMM_1));
    some_without_request_ = false;
  }
  return {send_buffers_[slot].data() + 1, room_ - 1};
}

void Mailbox::post(std::size_t slot, std::int32_t rank, std::size_t count) {
  outgoing_.push_back({send_buffers_[slot].data(), static_cast<std::int32_t>(count + 1), rank, tag_of(slot), nullptr});
  ++messages_;
  doubles_ += static_cast<std::int64_t>(count + 1);
}

void Mailbox::send() {
  build_->issue(outgoing_.data(), outgoing_.size(), process_.world());
  for (const OutgoingMessage &message : outgoing_) {
    sent_[static_cast<std::size_t>(message.tag)] = message.request;
  }
  some_without_request_ = !build_->matches;
  outgoing_.clear();
}

void Mailbox::finish() {
  for (std::size_t slot = 0; slot < sent_.size(); ++slot) {
    (void)send_buffer(slot);
  }
}

} // namespace avrankmap::bench
