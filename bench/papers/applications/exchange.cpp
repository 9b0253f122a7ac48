// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/applications/exchange.h"

#include <bit>

namespace avrankmap::bench {

void Sum::send(std::size_t slot, std::int32_t rank, std::span<const double> values) {
  std::copy(values.begin(), values.end(), mailbox_.send_buffer(slot).begin());
  mailbox_.post(slot, rank, values.size());
  mailbox_.send();
}

void Sum::operator()(std::span<double> values) {
  const std::int32_t rank = mailbox_.process().rank();
  const std::int32_t size = mailbox_.process().size();
  // Those beyond the greatest power of two leave their values with others, and are told the sums.
  const auto most = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(size)));
  const std::size_t first = slot_ + turn_++ % 2 * (kRounds + 2);
  const std::size_t come = first;
  const std::size_t back = first + 1;
  const auto add = [&](std::span<const double> message) {
    std::transform(values.begin(), values.end(), message.begin(), values.begin(), std::plus<>());
  };
  if (rank >= most) {
    mailbox_.expect(back, rank - most);
    send(come, rank - most, values);
    const std::span<const double> sums = mailbox_.receive(back);
    std::copy(sums.begin(), sums.end(), values.begin());
    return;
  }
  const bool serves = rank + most < size;
  if (serves) {
    mailbox_.expect(come, rank + most);
    add(mailbox_.receive(come));
  }
  std::size_t slot = first + 2;
  for (std::int32_t step = 1; step < most; step *= 2, ++slot) {
    mailbox_.expect(slot, rank ^ step);
    send(slot, rank ^ step, values);
    add(mailbox_.receive(slot));
  }
  if (serves) {
    send(back, rank + most, values);
  }
}

} // namespace avrankmap::bench
