// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Connects two groups: the roots find each other, and the groups create an intercommunicator.
#ifndef AVRANKMAP_SRC_DYNAMIC_CONNECT_GROUPS_H
#define AVRANKMAP_SRC_DYNAMIC_CONNECT_GROUPS_H

#include <chrono>

#include "comm_calls/creation.h"
#include "dynamic/link.h"
#include "dynamic/link_channel.h"

namespace avrankmap::detail {

// A creation whose leaders communicate over a link, which the leader has to open first.
class ConnectingCreation final : public Creation, private Waiting {
public:
  ConnectingCreation(avrm_comm_t *parent, std::int32_t tag, std::int32_t leader) noexcept;
  ~ConnectingCreation() override;

  [[nodiscard]] LinkChannel &link() noexcept { return link_; }
  [[nodiscard]] Waiting &waiting() noexcept { return *this; }
  // Sets the time limit for waiting for the other leader.
  void give_up_after(std::chrono::milliseconds time) noexcept { end_ = std::chrono::steady_clock::now() + time; }
  void wait_without_end() noexcept { end_.reset(); }

  [[nodiscard]] avrm_status_t prepare(CreationResult &made) noexcept override;
  [[nodiscard]] bool crosses_worlds() const noexcept override { return true; }
  [[nodiscard]] avrm_comm_t *take() noexcept override;

private:
  [[nodiscard]] avrm_status_t go_on() noexcept override;

  LinkChannel link_;
  Link *kept_link_ = nullptr; // kept as long as the other worlds are known
  std::optional<std::chrono::steady_clock::time_point> end_;
};

class RootConnector {
public:
  virtual ~RootConnector() = default;
  // Connects the root to the other root. Writes a number to *seed_p that is the same in both roots.
  [[nodiscard]] virtual avrm_status_t reach(ConnectingCreation &creation, Socket *socket_p,
                                            std::uint32_t *seed_p) noexcept = 0;
};

// Collective over `comm`. Only the root's `connector` is used.
[[nodiscard]] avrm_status_t connect_groups(avrm_comm_t *comm, std::int32_t root, RootConnector &connector,
                                           avrm_comm_t **comm_p) noexcept;

} // namespace avrankmap::detail

#endif
