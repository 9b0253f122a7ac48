// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bare UCX, as a channel (timing_loops.h): what a program would write that knows its one peer. In a
// job of more processes its one peer is one of them, and it can put to all of them. UCX takes its
// transports from the environment.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_UCX_CHANNEL_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_UCX_CHANNEL_H

#include "device/transports/timing_loops.h"

#include <ucp/api/ucp.h>

#include <utility>

#include "avrankmap/device/boot.h"

namespace avrankmap::bench {

class UcxChannel {
public:
  UcxChannel(avrm_boot_t *boot, std::size_t largest);
  UcxChannel(const UcxChannel &) = delete;
  UcxChannel &operator=(const UcxChannel &) = delete;
  ~UcxChannel();

  void isend(const void *buffer, std::size_t bytes, int tag) { isend_to(peer(), buffer, bytes, tag); }
  void isend_to(std::uint64_t address, const void *buffer, std::size_t bytes, int tag) {
    const auto endpoint = reinterpret_cast<ucp_ep_h>(static_cast<std::uintptr_t>(address));
    keep(ucp_tag_send_nbx(endpoint, buffer, bytes, static_cast<ucp_tag_t>(tag), &kDefault));
  }
  /// The other process, as isend_to wants it.
  [[nodiscard]] std::uint64_t peer() const { return reinterpret_cast<std::uintptr_t>(endpoint_); }
  void irecv(void *buffer, std::size_t bytes, int tag) {
    keep(ucp_tag_recv_nbx(worker_, buffer, bytes, static_cast<ucp_tag_t>(tag), ~ucp_tag_t{0}, &kDefault));
  }
  void put(const void *buffer, std::size_t bytes) {
    keep(ucp_put_nbx(endpoint_, buffer, bytes, remote_base_, remote_key_, &kDefault));
  }
  /// Into the memory of process `rank`, whose address is `address`.
  void put_to(std::uint64_t address, std::int32_t rank, const void *buffer, std::size_t bytes, std::size_t place) {
    const RemoteMemory &memory = memories_[static_cast<std::size_t>(rank)];
    keep(ucp_put_nbx(reinterpret_cast<ucp_ep_h>(static_cast<std::uintptr_t>(address)), buffer, bytes,
                     memory.base + place, memory.key, &kDefault));
  }
  [[nodiscard]] std::uint64_t address_of(std::int32_t rank) const {
    return reinterpret_cast<std::uintptr_t>(endpoints_[static_cast<std::size_t>(rank)]);
  }
  /// Target of the others' puts.
  [[nodiscard]] const unsigned char *memory() const { return memory_.data(); }
  void inject_put(const void *buffer, std::size_t bytes) { put(buffer, bytes); }
  void flush_injected() { flush(); }
  void wait_all() {
    for (std::size_t i = 0; i < posted_; ++i) {
      wait(requests_[i]);
    }
    posted_ = 0;
  }
  void flush() {
    wait_all();
    keep(ucp_ep_flush_nbx(endpoint_, &kDefault));
    wait_all();
  }
  /// Completes the puts to all processes, as far as that goes without waiting. True when they are
  /// done.
  bool flush_some() {
    if (flushing_ == nullptr) {
      flushing_ = ucp_worker_flush_nbx(worker_, &kDefault);
    }
    if (UCS_PTR_IS_PTR(flushing_) && ucp_request_check_status(flushing_) == UCS_INPROGRESS) {
      progress();
      return false;
    }
    if (flushing_ != nullptr) {
      keep(std::exchange(flushing_, nullptr));
    }
    wait_all();
    return true;
  }
  void progress() { (void)ucp_worker_progress(worker_); }

private:
  /// Where a process lets others put to.
  struct RemoteMemory {
    std::uint64_t base;
    ucp_rkey_h key;
  };
  static constexpr ucp_request_param_t kDefault{};

  void keep(ucs_status_ptr_t result) {
    if (UCS_PTR_IS_ERR(result)) {
      fail("post", UCS_PTR_STATUS(result));
    }
    if (result != nullptr) {
      requests_[posted_++] = result;
    }
  }
  void wait(void *request) {
    ucs_status_t status = ucp_request_check_status(request);
    while (status == UCS_INPROGRESS) {
      progress();
      status = ucp_request_check_status(request);
    }
    ucp_request_free(request);
    if (status != UCS_OK) {
      fail("operation", status);
    }
  }
  [[noreturn]] [[gnu::noinline]] [[gnu::cold]] static void fail(const char *call, ucs_status_t status);
  static void check(const char *call, ucs_status_t status) {
    if (status != UCS_OK) {
      fail(call, status);
    }
  }

  std::vector<unsigned char> memory_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::vector<ucp_ep_h> endpoints_;    // by rank; null for this process
  std::vector<RemoteMemory> memories_; // by rank
  ucp_ep_h endpoint_ = nullptr;
  ucp_mem_h region_ = nullptr;
  ucp_rkey_h remote_key_ = nullptr;
  std::uint64_t remote_base_ = 0;
  ucs_status_ptr_t flushing_ = nullptr; // of flush_some
  std::size_t posted_ = 0;
  void *requests_[kWindow + 2] = {};
};

} // namespace avrankmap::bench

#endif
