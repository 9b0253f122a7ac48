// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job of any size, of which process 0 exists, over the null network; and instructions of calls in
// it.
#ifndef AVRANKMAP_TESTS_DEVICE_SYNTHETIC_JOB_H
#define AVRANKMAP_TESTS_DEVICE_SYNTHETIC_JOB_H

#include <algorithm>
#include <initializer_list>

#include "bench/synthetic/synthetic_boot.h"
#include "core/device.h"
#include "rankmap/forms/cart.h"
#include "tests/support/instance.h"
#if AVRM_WITH_COUNTERS
#include "bench/counters/single_step.h"
#include "tests/support/counted.h"

extern "C" const char __executable_start; // of the linker
extern "C" const char etext;
#endif

namespace avrankmap::test {

constexpr std::int32_t kPerNode = 100;

class Job {
public:
  Job(std::int32_t size, avrm_device_av_t kind, const avrm_allocator_t *hooks) : boot_(size, kPerNode) {
    options_.boot = &boot_;
    options_.netmod = "null";
    options_.shmmod = "none";
    options_.allocator = hooks;
    options_.av = kind;
  }
  void open() { require(avrm_device_open(&options_, &device_)); }
  void close() { require(avrm_device_close(device_)); }
  void lose(std::initializer_list<std::int32_t> lpids) {
    boot_.be_mortal();
    for (const std::int32_t lpid : lpids) {
      boot_.die(lpid);
    }
  }

  avrm_comm_t *of(avrm_rankmap_t *map) {
    avrm_comm_t *comm = nullptr;
    require(avrm_comm_create_local(device_, map, 0, ++contexts_, &comm));
    return comm;
  }
  // All with the world's parameters.
  avrm_comm_t *part(std::int32_t size, std::int32_t offset, std::int32_t stride, std::int32_t block = 1) {
    avrm_rankmap_t map{};
    require(avrm_rankmap_create_child_regular(avrm_comm_map(world()), size, offset, stride, block, AVRM_RANKMAP_DEFAULT,
                                              &map));
    return of(&map);
  }
  // Of a grid whose dimension that counts slowest has so many values.
  avrm_comm_t *grid(detail::Cart cart, std::int32_t last) {
    cart.size = last;
    for (int k = 0; k + 1 < cart.dimensions; ++k) {
      cart.size *= cart.extents[k];
    }
    avrm_rankmap_t map =
        detail::new_cart_map(avrm_device_instance(device_), 0, cart, detail::greatest_of(cart)).release();
    return of(&map);
  }

  [[nodiscard]] avrm_comm_t *world() const { return avrm_device_world(device_); }
  [[nodiscard]] avrm_device_t *device() const { return device_; }
  [[nodiscard]] const avrm_device_options_t &options() const { return options_; }

private:
  bench::SyntheticBoot boot_;
  avrm_device_options_t options_{};
  avrm_device_t *device_ = nullptr;
  std::uint32_t contexts_ = 0;
};

#if AVRM_WITH_COUNTERS
// How many of the instructions are of this program: those of the C library's allocator depend on
// what was freed before.
inline std::uint64_t own_instructions(const counters::StepCount &counted) {
  const auto begin = reinterpret_cast<std::uint64_t>(&__executable_start);
  const auto end = reinterpret_cast<std::uint64_t>(&etext);
  return static_cast<std::uint64_t>(
      std::count_if(counted.trace.begin(), counted.trace.end(),
                    [=](const counters::Step &step) { return step.address >= begin && step.address < end; }));
}

#endif

} // namespace avrankmap::test

#endif
