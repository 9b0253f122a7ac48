// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device of a synthetic job on the null network, and its fast path. Some processes have local
// addresses, a hole in an implicit address vector; all others the network address that is their
// number.
#ifndef AVRANKMAP_BENCH_SYNTHETIC_SYNTHETIC_JOB_H
#define AVRANKMAP_BENCH_SYNTHETIC_SYNTHETIC_JOB_H

#include <functional>
#include <vector>

#include "avrankmap/device/fastpath.h"
#include "bench/support/require.h"
#include "bench/synthetic/synthetic_boot.h"

namespace avrankmap::bench {

class SyntheticJob {
public:
  struct Layout {
    std::int32_t per_node; ///< processes that follow one another on a node
    std::function<bool(std::int32_t lpid)> is_local;
  };

  SyntheticJob(std::int32_t processes, bool implicit, const Layout &layout) : boot_(processes) {
    avrm_device_options_t options{};
    options.boot = &boot_;
    options.netmod = "null";
    options.shmmod = "none";
    options.av = implicit ? AVRM_DEVICE_AV_IMPLICIT : AVRM_DEVICE_AV_TABLE;
    require(avrm_device_open(&options, &device_));
    require(avrm_av_find(instance(), 0, &av_));
    set_addresses(av_, 0, layout);
    require(avrm_fp_open(device_, 1, &fp_));
  }
  ~SyntheticJob() {
    (void)avrm_fp_close(fp_);
    (void)avrm_device_close(device_);
  }
  SyntheticJob(const SyntheticJob &) = delete;
  SyntheticJob &operator=(const SyntheticJob &) = delete;

  /// Sets the addresses of all processes of an AV, which are numbered from `first` on.
  static void set_addresses(avrm_av_t *av, std::int32_t first, const Layout &layout) {
    std::vector<avrm_ave_t> aves(static_cast<std::size_t>(av->size));
    for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
      avrm_ave_t &ave = aves[static_cast<std::size_t>(lpid)];
      const auto node = static_cast<std::uint32_t>(lpid / layout.per_node);
      const auto number = static_cast<std::uint32_t>(first + lpid);
      require(layout.is_local(lpid) ? avrm_ofi_pack_far({AVRM_FAR_LOCAL, number}, node, &ave)
                                    : avrm_ofi_pack(number, node, &ave));
    }
    require(avrm_av_set_range(av, 0, av->size, aves.data()));
  }

  [[nodiscard]] avrm_device_t *device() const { return device_; }
  [[nodiscard]] avrm_instance_t *instance() const { return avrm_device_instance(device_); }
  [[nodiscard]] avrm_av_t *av() const { return av_; } ///< of the own world
  [[nodiscard]] avrm_fp_t *fp() const { return fp_; }

private:
  SyntheticBoot boot_;
  avrm_device_t *device_ = nullptr;
  avrm_av_t *av_ = nullptr;
  avrm_fp_t *fp_ = nullptr;
};

} // namespace avrankmap::bench

#endif
