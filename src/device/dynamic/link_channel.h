// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The connection of two roots as a channel, for what their groups have to agree on before they know
// addresses of the transports.
#ifndef AVRANKMAP_SRC_DYNAMIC_LINK_CHANNEL_H
#define AVRANKMAP_SRC_DYNAMIC_LINK_CHANNEL_H

#include "comm_algorithms/channel/channel.h"
#include "dynamic/socket.h"

namespace avrankmap::detail {

// The two roots, for collective algorithms. Each is rank 0 of one. Not connected, it has
// nobody to send to.
class LinkChannel final : public Channel {
public:
  LinkChannel(Memory &memory, FrameStack &frames, Waiting &waiting) noexcept
      : Channel(memory, frames, 0, 1), waiting_(waiting) {}
  Socket socket;

  [[nodiscard]] bool start(Transfer *transfer) noexcept override;

private:
  Waiting &waiting_;
  avrm_status_t ended_ = AVRM_ERR_PEER; // why there is no connection
};

} // namespace avrankmap::detail

#endif
