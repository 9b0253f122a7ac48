// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two netmods of one process that communicate with each other, so that nothing depends on timing.
#ifndef AVRANKMAP_TESTS_FAULT_NETMOD_PAIR_H
#define AVRANKMAP_TESTS_FAULT_NETMOD_PAIR_H

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "avrankmap/device/netmod.h"
#include "core/transports.h"
#if AVRM_TEST_OFI
#include "ofi/provider.h"
#endif
#include "tests/device/fault/sweep.h"

namespace avrankmap::test {

// UCX has no completion queue whose reading could fail.
inline bool reads_a_queue(const Transport &transport) { return is_ofi(transport); }

struct TestRequest : avrm_request_t {
  TestRequest() : avrm_request_t{} {
    complete = [](avrm_request_t *request, avrm_status_t how, std::uint64_t, std::uint64_t length) {
      auto *const self = static_cast<TestRequest *>(request);
      ++self->completions;
      self->status = how;
      self->bytes = length;
    };
  }
  avrm_status_t posted = AVRM_ERR_PEER; // not posted
  int completions = 0;
  avrm_status_t status = AVRM_OK;
  std::uint64_t bytes = 0;
  [[nodiscard]] bool is_over() const { return posted != AVRM_OK || completions != 0; }
};

inline constexpr std::size_t kMiddle = 4096;
inline constexpr std::size_t kLarge = 300000;
inline constexpr std::size_t kIdlePolls = 1000;   // after which nothing more arrives
inline constexpr std::size_t kMostPolls = 300000; // more are a hang

using Bytes = std::vector<unsigned char>;

inline void fill_from(Bytes &bytes, unsigned first) {
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(first));
}

// One of the two.
struct End {
  const avrm_netmod_ops_t *ops = nullptr;
  avrm_netmod_t *net = nullptr;
  std::uint64_t peer = 0;
  std::size_t arrived = 0; // active messages
  std::size_t arrived_bytes = 0;
  bool takes = true; // active messages; otherwise they are offered again

  avrm_status_t open(const Transport &transport) {
    ops = detail::find_netmod(transport.netmod);
    if (ops == nullptr) {
      return AVRM_ERR_UNSUPPORTED;
    }
    (void)setenv("AVRM_UCX_NO_RMA", "0", 0); // all that the netmod can do
    avrm_netmod_config_t config{};
    config.provider = transport.provider;
    config.local_only = true;
    config.atomics = AVRM_NETMOD_ATOMICS_ANY;
    config.expected_peers = 2;
    config.on_am = [](void *user, const void *, std::size_t bytes) {
      auto *const self = static_cast<End *>(user);
      self->arrived += self->takes ? 1 : 0;
      self->arrived_bytes += self->takes ? bytes : 0;
      return self->takes;
    };
    config.user = this;
    return ops->open(&config, &net);
  }
  void close() {
    if (net != nullptr) {
      ops->close(net);
      net = nullptr;
    }
  }
  avrm_status_t insert(const End &other) {
    std::array<unsigned char, 1024> address{};
    std::size_t bytes = address.size();
    const avrm_status_t status = ops->address(other.net, address.data(), &bytes);
    return status != AVRM_OK ? status : ops->insert(net, 1, address.data(), bytes, bytes, &peer);
  }
};

class NetmodCalls : public testing::TestWithParam<Transport> {
protected:
  void open_both() {
    const avrm_status_t status = a_.open(GetParam());
    if (status == AVRM_ERR_UNSUPPORTED) {
      GTEST_SKIP() << lacks(GetParam());
    }
    ASSERT_EQ(status, AVRM_OK);
    ASSERT_EQ(b_.open(GetParam()), AVRM_OK);
  }
  void connect_both() {
    ASSERT_EQ(a_.insert(b_), AVRM_OK);
    ASSERT_EQ(b_.insert(a_), AVRM_OK);
  }
  void close_both() {
    a_.close();
    b_.close();
#if AVRM_TEST_OFI
    EXPECT_EQ(detail::ofi::unclosed_objects.load(), 0);
#endif
  }

  // Calls body(open descriptors) in a process in which the libraries have made what
  // they never free.
  void in_warm_process(const std::function<void(int)> &body) {
    in_process([&] {
      open_both();
      if (!IsSkipped()) {
        close_both();
        body(open_descriptors());
      }
    });
  }

  int poll() { return a_.ops->progress(a_.net) + b_.ops->progress(b_.net); }

  // Repeats a call until the transport has room for it.
  template <typename Post> avrm_status_t insist(Post post) {
    for (std::size_t polls = 0; polls < kMostPolls; ++polls) {
      const avrm_status_t status = post();
      if (status != AVRM_ERR_AGAIN) {
        return status;
      }
      poll();
    }
    return AVRM_ERR_TIMEOUT;
  }

  End a_;
  End b_;
};

} // namespace avrankmap::test

#endif
