// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The connection between two roots as a channel, which their groups use before they know each
// other's transport addresses.
#ifndef AVRANKMAP_SRC_DYNAMIC_LINK_CHANNEL_H
#define AVRANKMAP_SRC_DYNAMIC_LINK_CHANNEL_H

#include "comm_algorithms/channel/channel.h"
#include "dynamic/socket.h"

namespace avrankmap::detail {

// Connects the two roots for collective algorithms; each root is rank 0 of a channel of size 1.
// Transfers of an unconnected channel fail.
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
