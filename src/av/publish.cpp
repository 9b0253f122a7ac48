// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/publish.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>

namespace avrankmap::detail {

namespace {

constexpr int kNodeId = 2;
constexpr int kLow = std::endian::native == std::endian::little ? 0 : 1;
constexpr int kHigh = 1 - kLow;

std::uint32_t load(const avrm_ave_t &ave, int half) noexcept { return __atomic_load_n(&ave.w[half], __ATOMIC_RELAXED); }

// Release: whoever finds the peer connected also finds what the connection consists of.
void store(avrm_ave_t &ave, int half, std::uint32_t value) noexcept {
  __atomic_store_n(&ave.w[half], value, __ATOMIC_RELEASE);
}

// Returns when every running thread of the process has passed a full memory barrier. Kernels that cannot do that
// (before 4.14, or forbidden by a sandbox) leave the fence, which suffices wherever a load is single-copy atomic.
void process_barrier() noexcept {
  static const bool expedited = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  __sync_synchronize(); // as std::atomic_thread_fence, which gcc refuses under ThreadSanitizer
  if (expedited) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  }
}

struct Order {
  int flag_half;            // holds the transport bit; marked first, written last
  int other_half;           // written between the two
  std::uint32_t far_marker; // puts a word on the far side, as "not yet connected", whatever the other half holds
};

constexpr Order order_of(avrm_codec_t codec) noexcept {
  return codec == AVRM_CODEC_UCX ? Order{kLow, kHigh, 0} : Order{kHigh, kLow, ~std::uint32_t{0}};
}

} // namespace

void publish(avrm_codec_t codec, avrm_ave_t *elements, const avrm_ave_t *values, std::int64_t count) noexcept {
  const Order order = order_of(codec);

  // First the elements whose high half stays, and the marks on the others.
  bool any_marked = false;
  for (std::int64_t i = 0; i < count; ++i) {
    avrm_ave_t &element = elements[i];
    const avrm_ave_t &value = values[i];
    store(element, kNodeId, value.w[kNodeId]);
    if (load(element, kHigh) == value.w[kHigh]) {
      store(element, kLow, value.w[kLow]);
    } else {
      store(element, order.flag_half, order.far_marker);
      any_marked = true;
    }
  }
  if (!any_marked) {
    return;
  }
  // The elements that were not marked have their value already; storing it again changes nothing.
  process_barrier();
  for (std::int64_t i = 0; i < count; ++i) {
    store(elements[i], order.other_half, values[i].w[order.other_half]);
  }
  process_barrier();
  for (std::int64_t i = 0; i < count; ++i) {
    store(elements[i], order.flag_half, values[i].w[order.flag_half]);
  }
}

} // namespace avrankmap::detail
