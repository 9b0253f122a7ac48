// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The ring in the only process that exists of its job. The test plays the others: it says what they
// have published, listens for them at loopback, and connects in their place.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_RING_LONE_MEMBER_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_RING_LONE_MEMBER_H

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "bench/synthetic/synthetic_boot.h"
#include "core/device.h"
#include "dynamic/port.h"
#include "liveness/ring/watch_ring.h"
#include "tests/device/liveness/ring/silent_boot.h"

namespace avrankmap::test {

using detail::WatchRing;

// Process 0, which watches 1 and 2 first. Each process is on a node of its own.
class LoneMember {
public:
  explicit LoneMember(std::int32_t size, bool is_local = true) : nobody_(size), boot_(&nobody_, is_local) {}
  LoneMember(const LoneMember &) = delete;
  LoneMember &operator=(const LoneMember &) = delete;

  [[nodiscard]] avrm_status_t open(const avrm_allocator_t *hooks = nullptr) {
    avrm_device_options_t options{};
    options.boot = &boot_;
    options.netmod = "null";
    options.shmmod = "none";
    options.allocator = hooks;
    options.on_error = [](void *user, avrm_status_t, const char *) { ++static_cast<LoneMember *>(user)->reports_; };
    options.user = this;
    return avrm_device_open(&options, &device_);
  }
  [[nodiscard]] avrm_status_t close() { return avrm_device_close(std::exchange(device_, nullptr)); }

  [[nodiscard]] avrm_device_t *device() const { return device_; }
  void look() const { device_->watch_ring->look(device_); }
  [[nodiscard]] bool has_died(std::int32_t lpid) const { return boot_.failures().has(lpid); }
  [[nodiscard]] std::uint32_t deaths() const { return boot_.failures().count(); }
  // Of this process.
  [[nodiscard]] const WatchRing::WatchAddress &post() const { return boot_.own; }
  // Of another one, whose post cannot be read before this call.
  void publish(std::int32_t lpid, const WatchRing::WatchAddress &post) { boot_.posts[lpid] = post; }
  // Its card cannot be read; -1: all can.
  void hide(std::int32_t lpid, avrm_status_t status = AVRM_ERR_BOOT) {
    boot_.hidden = lpid;
    boot_.hidden_status = status;
  }
  [[nodiscard]] int hidden_fetches() const { return boot_.hidden_fetches; }
  [[nodiscard]] int post_fetches() const { return boot_.post_fetches; }
  // What the launcher answers if it is asked for the secret of the job, and how often it was.
  void refuse_secret(avrm_status_t status) { boot_.secret_status = status; }
  // What the closing fence returns, after a call of `first`.
  void refuse_fence(
      avrm_status_t status, std::function<void()> first = [] {}) {
    boot_.fence_status = status;
    boot_.on_fence = std::move(first);
  }
  [[nodiscard]] int secret_fetches() const { return boot_.secret_fetches; }
  [[nodiscard]] static detail::JobSecret secret() { return Boot::kSecret; }
  [[nodiscard]] int reports() const { return reports_; } // of errors

private:
  struct Boot final : SilentBoot {
    Boot(avrm_boot_t *real, bool local) : SilentBoot(real), local_(local) { secret = kSecret; }
    [[nodiscard]] bool is_local() const noexcept override { return local_; }
    [[nodiscard]] avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept override {
      if (slot == detail::JobSecret::kSlot) {
        return AVRM_OK; // the boot itself has it
      }
      if (slot != WatchRing::kSlot) {
        return SilentBoot::publish(slot, card, bytes);
      }
      std::memcpy(static_cast<void *>(&own), card, std::min(bytes, sizeof own));
      return AVRM_OK;
    }
    [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                      std::size_t *bytes_p) noexcept override {
      post_fetches += slot == WatchRing::kSlot;
      if (rank == hidden) {
        ++hidden_fetches;
        return hidden_status;
      }
      if (slot == detail::JobSecret::kSlot) {
        ++secret_fetches;
        std::memcpy(card, &kSecret, sizeof kSecret);
        *bytes_p = sizeof kSecret;
        return secret_status;
      }
      if (slot != WatchRing::kSlot) {
        return SilentBoot::fetch(rank, slot, card, bytes_p);
      }
      const auto found = posts.find(rank);
      if (found == posts.end()) {
        return AVRM_ERR_BOOT;
      }
      *bytes_p = sizeof found->second;
      std::memcpy(card, &found->second, sizeof found->second);
      return AVRM_OK;
    }
    [[nodiscard]] avrm_status_t fence_start() noexcept override {
      on_fence();
      return fence_status != AVRM_OK ? fence_status : SilentBoot::fence_start();
    }
    WatchRing::WatchAddress own;
    std::map<std::int32_t, WatchRing::WatchAddress> posts;
    std::int32_t hidden = -1;
    avrm_status_t hidden_status = AVRM_OK;
    int hidden_fetches = 0;
    int post_fetches = 0;
    static constexpr detail::JobSecret kSecret{{1, 2}};
    avrm_status_t secret_status = AVRM_OK;
    int secret_fetches = 0;
    avrm_status_t fence_status = AVRM_OK;
    std::function<void()> on_fence = [] {};

  private:
    bool local_;
  };

  bench::SyntheticBoot nobody_;
  Boot boot_;
  avrm_device_t *device_ = nullptr;
  int reports_ = 0;
};

// Another process, which the test plays. Not watched if it has no listener.
struct PlayedPeer {
  explicit PlayedPeer(std::int32_t lpid) {
    post.first = post.last = lpid;
    if (detail::listen_at("", true, &listeners) == AVRM_OK) {
      post.name = listeners.name;
    }
  }
  // The connection of its watcher; not open if there is none.
  [[nodiscard]] detail::Socket accept() const {
    return detail::Socket(accept4(listeners.listeners[0].get(), nullptr, nullptr, SOCK_CLOEXEC));
  }
  [[nodiscard]] WatchRing::WatchHandshake answer() const {
    return {WatchRing::WatchHandshake::kAnswer, WatchRing::WatchHandshake::kVersion, post.name.secret.words[1], node};
  }

  std::uint64_t node = 1;
  WatchRing::WatchAddress post;
  detail::Listeners listeners;
};

} // namespace avrankmap::test

#endif
