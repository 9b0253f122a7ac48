// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path between two processes: a device, handles, and what every build and proposal
// does in a loop.
#ifndef AVRANKMAP_BENCH_DEVICE_FASTPATH_PAIR_H
#define AVRANKMAP_BENCH_DEVICE_FASTPATH_PAIR_H

#include "avrankmap/device/fastpath.h"
#include "device/transports/list.h"
#include "support/open_device.h"
#include "support/require.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace avrankmap::bench {

class FastpathPair {
public:
  static constexpr std::size_t kBurst = 256; ///< operations that are issued at once
  static constexpr std::int32_t kData = 1;
  static constexpr std::int32_t kReady = 2;

  FastpathPair(avrm_boot_t *boot, const Transport &transport) : peer(1 - avrm_boot_rank(boot)) {
    device_ = open_device(options_of(boot, transport));
    avrm_comm_t *const world = avrm_device_world(device_);
    require(avrm_fp_open(device_, 1, &fp_));
    require(avrm_fp_comm_create(fp_, world, &comm));
    require(avrm_fp_comm_create_predefined(fp_, world, AVRM_COMM_1));
    require(avrm_fp_window_create(comm, memory_.data(), memory_.size(), 1, 0, &window));
    require(avrm_fp_window_create_predefined(AVRM_COMM_1, memory_.data(), memory_.size(), 1, 0, AVRM_WIN_1));
    // First contact is made now: the bare interface will publish cards of its own.
    require(avrm_fp_window_address(window, peer, &address));
    require(avrm_fp_window_address(AVRM_WIN_1, peer, &address_1));
    receive(1, false);
    require(avrm_fp_isend_no_err_single("", 1, AVRM_BYTE, peer, kData, comm, &requests[0]));
    complete();
  }
  FastpathPair(const FastpathPair &) = delete;
  FastpathPair &operator=(const FastpathPair &) = delete;
  ~FastpathPair() {
    (void)avrm_fp_window_free(window);
    (void)avrm_fp_window_free(AVRM_WIN_1);
    (void)avrm_fp_comm_free(comm);
    (void)avrm_fp_comm_free(AVRM_COMM_1);
    (void)avrm_fp_close(fp_);
    (void)avrm_device_close(device_);
  }

  /// Posts receives for a burst.
  void receive(std::size_t count, bool nomatch) {
    for (std::size_t i = 0; i < count; ++i) {
      require(nomatch ? avrm_fp_irecv_nomatch(&in_[i], 1, AVRM_BYTE, comm, &receives_[i])
                      : avrm_fp_irecv(&in_[i], 1, AVRM_BYTE, peer, kData, comm, &receives_[i]));
    }
  }
  /// Tells the other process that its burst may come, or waits to be told.
  void tell() {
    wait_for([this](avrm_request_t **request_p) {
      return avrm_fp_isend_no_err_single(nullptr, 0, AVRM_BYTE, peer, kReady, comm, request_p);
    });
  }
  void listen() {
    wait_for([this](avrm_request_t **request_p) {
      return avrm_fp_irecv(nullptr, 0, AVRM_BYTE, peer, kReady, comm, request_p);
    });
  }
  /// Ends all that is under way.
  void complete() {
    for (auto *const list : {&requests, &receives_}) {
      for (avrm_request_t *&request : *list) {
        require(avrm_wait(&request, nullptr)); // null is done
      }
    }
    require(avrm_fp_comm_waitall(comm));
    require(avrm_fp_comm_waitall(AVRM_COMM_1));
  }
  void flush() {
    require(avrm_fp_flush_all(window));
    require(avrm_fp_flush_all(AVRM_WIN_1));
  }
  void progress() { (void)avrm_progress(device_); }

  std::int32_t peer;
  avrm_fp_comm_t *comm = nullptr;     ///< the world
  avrm_fp_window_t *window = nullptr; ///< over it
  std::uint64_t address = 0;          ///< of the peer's part of `window`
  std::uint64_t address_1 = 0;        ///< of the peer's part of AVRM_WIN_1
  std::array<avrm_request_t *, kBurst> requests{};

private:
  template <class Post> static void wait_for(Post post) {
    avrm_request_t *request = nullptr;
    require(post(&request));
    require(avrm_wait(&request, nullptr));
  }

  avrm_device_t *device_ = nullptr;
  avrm_fp_t *fp_ = nullptr;
  std::array<avrm_request_t *, kBurst> receives_{};
  std::array<unsigned char, kBurst> in_{};
  std::array<unsigned char, 4096> memory_{};
};

/// One build or proposal: issues a burst. Null where there is none.
struct FastpathConfiguration {
  const char *name;
  void (*put)(FastpathPair &pair);
  void (*isend)(FastpathPair &pair);
  bool nomatch;
};

/// In the order of the ladder; then the proposals.
extern const std::array<FastpathConfiguration, 11> kFastpathConfigurations;

} // namespace avrankmap::bench

#endif
