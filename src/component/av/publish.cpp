// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/publish.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "av/codec.h"

namespace avrankmap::detail {

namespace {

constexpr int kNodeId = 2;

std::uint32_t load(const avrm_ave_t &ave, int half) noexcept { return __atomic_load_n(&ave.w[half], __ATOMIC_RELAXED); }

// Release order: a thread that finds the peer connected also finds the data of the connection.
void store(avrm_ave_t &ave, int half, std::uint32_t value) noexcept {
  __atomic_store_n(&ave.w[half], value, __ATOMIC_RELEASE);
}

// Registers the process for the expedited barrier, once. Threads that do so concurrently register
// it twice, which is harmless; a static variable initialised here would need the C++ runtime.
bool has_expedited_barrier() noexcept {
  enum : int { kUnknown, kYes, kNo };
  static std::atomic<int> state{kUnknown};
  int known = state.load(std::memory_order_relaxed);
  if (known == kUnknown) {
    known = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0 ? kYes : kNo;
    state.store(known, std::memory_order_relaxed);
  }
  return known == kYes;
}

} // namespace

void process_barrier() noexcept {
  __sync_synchronize(); // like std::atomic_thread_fence, which gcc rejects under ThreadSanitizer
  if (has_expedited_barrier()) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  } else {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
  }
}

void publish(avrm_codec_t codec, avrm_ave_t *elements, const avrm_ave_t *values, std::int64_t count) noexcept {
  const WriteOrder order = write_order_of(codec);
  const auto store_all = [&](int half) {
    for (std::int64_t i = 0; i < count; ++i) {
      store(elements[i], half, values[i].w[half]);
    }
  };

  // First, elements that need no barrier are written, and the others are marked.
  bool any_marked = false;
  for (std::int64_t i = 0; i < count; ++i) {
    avrm_ave_t &element = elements[i];
    const avrm_ave_t &value = values[i];
    store(element, kNodeId, value.w[kNodeId]);
    if (load(element, kHighHalf) == value.w[kHighHalf]) {
      store(element, kLowHalf, value.w[kLowHalf]);
    } else if (halves_need_no_barrier(codec, avrm_ave_word(&element), avrm_ave_word(&value))) {
      store(element, order.other_half, value.w[order.other_half]);
      store(element, order.flag_half, value.w[order.flag_half]);
    } else {
      store(element, order.flag_half, order.far_marker);
      if (order.clears_both) {
        store(element, order.other_half, 0);
      }
      any_marked = true;
    }
  }
  if (!any_marked) {
    return;
  }
  // The elements that were not marked have their values already; storing them again changes
  // nothing.
  process_barrier();
  store_all(order.other_half);
  if (!order.clears_both) {
    process_barrier();
  }
  store_all(order.flag_half);
}

} // namespace avrankmap::detail
