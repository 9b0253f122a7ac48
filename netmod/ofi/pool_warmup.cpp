// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Sends a long message to this process itself if address space is limited.
//
// ofi_rxm of libfabric 1.17 allocates each of its pools of buffers when the first buffer is needed,
// even within progress. If an allocation fails there, ofi_rxm crashes, or drops what it was about
// to send without an error: if that is the acknowledgement of a long message (rxm_rndv_send_rd_done
// in rxm_cq.c), neither the send nor the receive ever completes. After the message sent here, the
// pools exist.
#include <rdma/fi_cm.h>
#include <rdma/fi_tagged.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <chrono>
#include <cinttypes>
#include <cstdio>

#include "ofi/transport.h"

namespace avrankmap::detail::ofi {

namespace {

constexpr std::size_t kChunk = 1025;      // buffers that a pool allocates at once
constexpr std::size_t kBufferHead = 1024; // more than the header of a buffer
constexpr std::size_t kPools = 3;         // pools for messages, which may grow
constexpr std::size_t kOthers = std::size_t{16} << 20;
// Messages of more than eight buffers are fetched by their receiver.
constexpr std::size_t kLong = 9;
constexpr std::uint64_t kTag = 1;
constexpr std::chrono::seconds kLimit{2};

bool is_limited() noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

class Pages {
public:
  explicit Pages(std::size_t bytes, int access = PROT_READ | PROT_WRITE) noexcept
      : bytes_(bytes), base_(mmap(nullptr, bytes, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Pages() {
    if (*this) {
      munmap(base_, bytes_);
    }
  }
  Pages(const Pages &) = delete;
  Pages &operator=(const Pages &) = delete;
  explicit operator bool() const noexcept { return base_ != MAP_FAILED; }
  [[nodiscard]] unsigned char *get() const noexcept { return static_cast<unsigned char *>(base_); }
  void leave() noexcept { base_ = MAP_FAILED; }

private:
  std::size_t bytes_;
  void *base_;
};

// The message. Nothing else is posted while this exists.
class PoolWarmup {
public:
  PoolWarmup(Transport &net, fi_addr_t self, Pages &pages, std::size_t bytes) noexcept
      : net_(net), self_(self), pages_(pages), bytes_(bytes) {}

  // Sends nothing if the process cannot be connected to itself.
  void run() noexcept {
    if (fi_trecv(net_.ep, pages_.get(), bytes_, nullptr, FI_ADDR_UNSPEC, kTag, 0, &received_) != 0) {
      return;
    }
    pending_ = 1;
    ssize_t rc = -FI_EAGAIN;
    await([&] {
      rc = fi_tsend(net_.ep, pages_.get() + bytes_, bytes_, nullptr, self_, kTag, &sent_);
      return rc != -FI_EAGAIN;
    });
    if (rc == 0) {
      ++pending_;
    } else {
      fi_cancel(&net_.endpoint->fid, &received_);
    }
    await([this] { return pending_ == 0; });
  }
  // True if libfabric may still use the pages.
  [[nodiscard]] bool is_pending() const noexcept { return pending_ != 0; }

private:
  template <typename Done> void await(Done is_done) noexcept {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    while (!is_done() && std::chrono::steady_clock::now() < end) {
      poll();
    }
  }
  void poll() noexcept {
    fi_cq_tagged_entry entry;
    const ssize_t rc = fi_cq_read(net_.cq.get(), &entry, 1);
    if (rc == -FI_EAVAIL) {
      fi_cq_err_entry error = {};
      pending_ -= fi_cq_readerr(net_.cq.get(), &error, 0) == 1 ? 1 : 0;
    } else if (rc == 1) {
      --pending_;
    } else {
      sched_yield();
    }
  }

  Transport &net_;
  fi_addr_t self_;
  Pages &pages_;
  std::size_t bytes_;
  fi_context2 received_{};
  fi_context2 sent_{};
  int pending_ = 0;
};

avrm_status_t lacking(Transport &net, std::size_t bytes) noexcept {
  char text[128];
  (void)std::snprintf(text, sizeof text, "%.40s needs %zu MB more of address space, which is limited (RLIMIT_AS)",
                      net.provider.name(), bytes >> 20);
  net.error.set(text);
  return AVRM_ERR_NO_MEMORY;
}

} // namespace

avrm_status_t warm_up_pools(Transport &net) noexcept {
  if (!net.provider.allocates_late() || !is_limited()) {
    return AVRM_OK;
  }
  const std::size_t buffer = net.provider.in_order_max;
  const std::size_t needed = kPools * kChunk * (buffer + kBufferHead) + kOthers;
  if (!Pages(needed, PROT_NONE)) {
    return lacking(net, needed);
  }
  unsigned char name[256];
  std::size_t name_bytes = sizeof name;
  fi_addr_t self = FI_ADDR_NOTAVAIL;
  const std::size_t bytes = kLong * buffer;
  Pages pages(2 * bytes);
  if (!pages || fi_getname(&net.endpoint->fid, name, &name_bytes) != 0 ||
      fi_av_insert(net.av.get(), name, 1, &self, 0, nullptr) != 1) {
    return lacking(net, needed);
  }
  PoolWarmup warmup(net, self, pages, bytes);
  warmup.run();
  if (warmup.is_pending()) {
    pages.leave();
    net.leave_open();
    return lacking(net, needed);
  }
  (void)fi_av_remove(net.av.get(), &self, 1, 0);
  return AVRM_OK;
}

} // namespace avrankmap::detail::ofi
