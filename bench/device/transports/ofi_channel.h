// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Bare libfabric, as a channel (timing_loops.h): what a program would write that knows its one
// peer. In a job of more processes its one peer is one of them, and it can put to all of them.
#ifndef AVRANKMAP_BENCH_DEVICE_TRANSPORTS_OFI_CHANNEL_H
#define AVRANKMAP_BENCH_DEVICE_TRANSPORTS_OFI_CHANNEL_H

#include "device/transports/timing_loops.h"

#include "ofi/provider.h"

#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include "avrankmap/device/boot.h"

namespace avrankmap::bench {

class OfiChannel {
public:
  OfiChannel(avrm_boot_t *boot, const char *provider, std::size_t largest);

  void isend(const void *buffer, std::size_t bytes, int tag) { isend_to(peer_, buffer, bytes, tag); }
  void isend_to(std::uint64_t address, const void *buffer, std::size_t bytes, int tag) {
    const auto match = static_cast<std::uint64_t>(tag);
    if (bytes <= inject_max_) {
      post([&] { return fi_tinject(endpoint_.get(), buffer, bytes, address, match); });
      return;
    }
    fi_context2 *const context = next_context();
    post([&] { return fi_tsend(endpoint_.get(), buffer, bytes, nullptr, address, match, context); });
  }
  /// The other process, as isend_to wants it.
  [[nodiscard]] std::uint64_t peer() const { return peer_; }
  void irecv(void *buffer, std::size_t bytes, int tag) {
    fi_context2 *const context = next_context();
    post([&] {
      return fi_trecv(endpoint_.get(), buffer, bytes, nullptr, FI_ADDR_UNSPEC, static_cast<std::uint64_t>(tag), 0,
                      context);
    });
  }
  void put(const void *buffer, std::size_t bytes) {
    fi_context2 *const context = next_context();
    const iovec local = {const_cast<void *>(buffer), bytes};
    const fi_rma_iov remote = {remote_base_, bytes, remote_key_};
    const fi_msg_rma message = {&local, nullptr, 1, peer_, &remote, 1, context, 0};
    post([&] { return fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE); });
  }
  /// Into the memory of process `rank`, whose address is `address`.
  void put_to(std::uint64_t address, std::int32_t rank, const void *buffer, std::size_t bytes, std::size_t place) {
    const RemoteMemory &memory = memories_[static_cast<std::size_t>(rank)];
    fi_context2 *const context = next_context();
    const iovec local = {const_cast<void *>(buffer), bytes};
    const fi_rma_iov remote = {memory.base + place, bytes, memory.key};
    const fi_msg_rma message = {&local, nullptr, 1, address, &remote, 1, context, 0};
    post([&] { return fi_writemsg(endpoint_.get(), &message, FI_COMPLETION | FI_DELIVERY_COMPLETE); });
  }
  [[nodiscard]] std::uint64_t address_of(std::int32_t rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  /// Target of the others' puts.
  [[nodiscard]] const unsigned char *memory() const { return memory_.data(); }
  /// The shortest way there is, for a few bytes. Done with flush_injected.
  void inject_put(const void *buffer, std::size_t bytes) {
    post([&] { return fi_inject_write(endpoint_.get(), buffer, bytes, peer_, remote_base_, remote_key_); });
  }
  /// Reads what was put to: after it, where reads do not overtake writes.
  void flush_injected() {
    fi_context2 *const context = next_context();
    post([&] { return fi_read(endpoint_.get(), &fence_byte_, 1, nullptr, peer_, remote_base_, remote_key_, context); });
    wait_all();
  }
  void wait_all() {
    while (pending_ != 0) {
      progress();
    }
    posted_ = 0;
  }
  void flush() { wait_all(); } // a put's completion is its delivery
  /// Completes the puts to all processes, as far as that goes without waiting. True when they are
  /// done.
  bool flush_some() {
    if (pending_ != 0) {
      progress();
    }
    posted_ = pending_ != 0 ? posted_ : 0;
    return pending_ == 0;
  }
  void progress() {
    fi_cq_tagged_entry entries[16];
    const ssize_t count = fi_cq_read(cq_.get(), entries, 16);
    if (count > 0) {
      pending_ -= static_cast<std::size_t>(count);
    } else if (count != -FI_EAGAIN) {
      fail("fi_cq_read", static_cast<int>(count));
    }
  }

private:
  /// Where a process lets others put to.
  struct RemoteMemory {
    std::uint64_t base;
    std::uint64_t key;
  };
  template <class T> using Fid = detail::ofi::Fid<T>;

  fi_context2 *next_context() {
    ++pending_;
    return &contexts_[posted_++];
  }
  template <class Post> void post(Post call) {
    ssize_t rc = call();
    while (rc == -FI_EAGAIN) {
      progress();
      rc = call();
    }
    if (rc != 0) {
      fail("post", static_cast<int>(rc));
    }
  }
  [[noreturn]] [[gnu::noinline]] [[gnu::cold]] static void fail(const char *call, int rc);
  static void check(const char *call, int rc) {
    if (rc != 0) {
      fail(call, rc);
    }
  }

  detail::ofi::Provider provider_;
  std::vector<unsigned char> memory_;
  Fid<fid_fabric> fabric_;
  Fid<fid_domain> domain_;
  Fid<fid_av> av_;
  Fid<fid_cq> cq_;
  Fid<fid_mr> region_;
  Fid<fid_ep> endpoint_;
  std::vector<fi_addr_t> peers_;       // by rank
  std::vector<RemoteMemory> memories_; // the same
  fi_addr_t peer_ = 0;
  std::uint64_t remote_base_ = 0;
  std::uint64_t remote_key_ = 0;
  std::size_t inject_max_ = 0;
  std::size_t posted_ = 0;
  std::size_t pending_ = 0;
  unsigned char fence_byte_ = 0;
  fi_context2 contexts_[kWindow + 2] = {};
};

} // namespace avrankmap::bench

#endif
