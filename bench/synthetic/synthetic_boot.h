// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job of which only process 0 exists. The others have its business card, but for node (blocks of
// processes) and, where the transport has Internet addresses, address: 10.x.y.z.
#ifndef AVRANKMAP_BENCH_SYNTHETIC_SYNTHETIC_BOOT_H
#define AVRANKMAP_BENCH_SYNTHETIC_SYNTHETIC_BOOT_H

#include "core/peers/card.h"
#include "launch/boot.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace avrankmap::bench {

class SyntheticBoot final : public avrm_boot {
public:
  explicit SyntheticBoot(std::int32_t size, std::int32_t per_node = 1) {
    place_.size = size;
    place_.local_size = std::min(per_node, size);
    place_.block = per_node;
    failures_ = detail::FailedProcesses(nobody_, 0);
  }

  /// Room for deaths: `die` says who.
  void be_mortal() {
    dead_.resize(detail::FailedProcesses::bytes(place_.size) / sizeof dead_[0]);
    failures_ = detail::FailedProcesses(reinterpret_cast<std::byte *>(dead_.data()), place_.size);
  }
  void die(std::int32_t rank) const { failures_.mark(rank); }

  [[nodiscard]] const char *kind() const noexcept override { return "synthetic"; }
  [[nodiscard]] bool is_opened() const noexcept override { return false; }

  [[nodiscard]] avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept override {
    if (slot == 0) {
      std::memcpy(&own_, card, bytes);
    }
    return AVRM_OK;
  }
  [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t, void *card,
                                    std::size_t *bytes_p) noexcept override {
    auto *const bytes = static_cast<unsigned char *>(card);
    *bytes_p = own_.size();
    std::memcpy(card, &own_, own_.size());
    if (rank != 0) {
      const auto node = static_cast<std::uint32_t>(rank / place_.block);
      std::memcpy(bytes + offsetof(detail::Card, node), &node, sizeof node);
      if (own_.net_bytes < sizeof(sockaddr_in)) {
        return AVRM_OK;
      }
      // The provider's own address ends the network part.
      unsigned char *const address = bytes + detail::Card::kHeader + own_.net_bytes - sizeof(sockaddr_in);
      const std::uint32_t ip = htonl(0x0a000000U | static_cast<std::uint32_t>(rank));
      std::memcpy(address + offsetof(sockaddr_in, sin_addr), &ip, sizeof ip);
    }
    return AVRM_OK;
  }
  // Nobody else is there to wait for.
  [[nodiscard]] avrm_status_t fence_start() noexcept override { return AVRM_OK; }
  [[nodiscard]] avrm_status_t fence_test(bool *done_p) noexcept override {
    *done_p = true;
    return AVRM_OK;
  }
  [[nodiscard]] avrm_status_t fence_wait(const detail::Deadline & /*end*/) noexcept override { return AVRM_OK; }

private:
  alignas(std::uint64_t) std::byte nobody_[detail::FailedProcesses::bytes(0)] = {}; // has died
  std::vector<std::uint64_t> dead_;
  detail::Card own_;
};

} // namespace avrankmap::bench

#endif
