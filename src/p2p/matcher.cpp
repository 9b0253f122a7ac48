// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/matcher.h"

#include <cstring>
#include <new>

namespace avrankmap::detail {

Matcher::~Matcher() {
  while (first_ != nullptr) {
    drop(take(first_->match, 0));
  }
}

Request *Matcher::posted_for(std::uint64_t match) const noexcept {
  Request *receive = posted_.first();
  while (receive != nullptr && !matches(match, receive->match, receive->ignore)) {
    receive = receive->next;
  }
  return receive;
}

Unexpected *Matcher::take(std::uint64_t match, std::uint64_t ignore) noexcept {
  Unexpected *message = first_;
  while (message != nullptr && !matches(message->match, match, ignore)) {
    message = message->next;
  }
  if (message != nullptr) {
    (message->previous == nullptr ? first_ : message->previous->next) = message->next;
    (message->next == nullptr ? last_ : message->next->previous) = message->previous;
  }
  return message;
}

bool Matcher::keep(const avrm_arrival_t &arrival) noexcept {
  const bool has_data = arrival.data != nullptr;
  const std::size_t size = sizeof(Unexpected) + (has_data ? arrival.bytes : 0);
  void *const block = memory_.allocate(size, alignof(Unexpected), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    return false;
  }
  auto *const message = new (block) Unexpected;
  message->match = arrival.match;
  message->bytes = arrival.bytes;
  message->local_rank = arrival.local_rank;
  message->has_data = has_data;
  message->ticket = arrival.ticket;
  if (has_data && arrival.bytes != 0) {
    std::memcpy(message->data(), arrival.data, arrival.bytes);
  }
  message->previous = last_;
  (last_ == nullptr ? first_ : last_->next) = message;
  last_ = message;
  return true;
}

void Matcher::drop(Unexpected *message) noexcept {
  memory_.release(message, message->size(), alignof(Unexpected), AVRM_MEM_MESSAGE);
}

} // namespace avrankmap::detail
