// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "p2p/matcher.h"

#include <cstring>
#include <new>

namespace avrankmap::detail {

Matcher::~Matcher() {
  while (Unexpected *const message = unexpected_.first()) {
    unexpected_.remove(message);
    drop(message);
  }
}

bool Matcher::keep(const avrm_arrival_t &arrival) noexcept {
  const bool has_data = arrival.data != nullptr;
  const std::size_t size = sizeof(Unexpected) + (has_data ? arrival.bytes : 0);
  void *const block = memory_.allocate(size, alignof(Unexpected), AVRM_MEM_MESSAGE);
  if (block == nullptr) {
    return false;
  }
  auto *const message = new (block) Unexpected;
  message->match = arrival.match & ~AVRM_MATCH_SYNC;
  message->is_synchronous = (arrival.match & AVRM_MATCH_SYNC) != 0;
  message->bytes = arrival.bytes;
  message->local_rank = arrival.local_rank;
  message->has_data = has_data;
  message->ticket = arrival.ticket;
  if (has_data && arrival.bytes != 0) {
    std::memcpy(message->data(), arrival.data, arrival.bytes);
  }
  unexpected_.append(message);
  return true;
}

void Matcher::drop(Unexpected *message) noexcept {
  memory_.release(message, message->size(), alignof(Unexpected), AVRM_MEM_MESSAGE);
}

} // namespace avrankmap::detail
