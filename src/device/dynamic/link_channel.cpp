// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "dynamic/link_channel.h"

namespace avrankmap::detail {

bool LinkChannel::start(Transfer *transfer) noexcept {
  std::uint64_t out_bytes = transfer->out_bytes;
  std::uint64_t in_bytes = transfer->in_room;
  const bool sends = transfer->dest != kNobody;
  const bool receives = transfer->source != kNobody;
  if (!socket.is_open()) {
    transfer->status = ended_;
    return true;
  }
  // Exchanges lengths first, since the other side may be about to send a different message.
  avrm_status_t status = move_both(socket.get(), sends ? cursor_of(&out_bytes) : kNothing,
                                   receives ? cursor_of(&in_bytes) : kNothing, waiting_);
  if (status == AVRM_OK && receives && in_bytes != transfer->in_room) {
    status = AVRM_ERR_MISMATCH;
  }
  if (status == AVRM_OK) {
    auto *const out = static_cast<unsigned char *>(const_cast<void *>(transfer->out));
    status = move_both(socket.get(), sends ? ByteCursor{out, transfer->out_bytes} : kNothing,
                       receives ? ByteCursor{static_cast<unsigned char *>(transfer->in), transfer->in_room} : kNothing,
                       waiting_);
  }
  transfer->in_bytes = status == AVRM_OK ? transfer->in_room : 0;
  transfer->status = status;
  if (status != AVRM_OK) {
    socket = Socket(); // the streams are out of step; closing it informs the other side
    ended_ = status;
  }
  return true;
}

} // namespace avrankmap::detail
