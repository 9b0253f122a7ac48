// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The MPI-shaped interface on the null netmod: a synthetic job, a strided communicator of it and a
// window, by ordinary and by predefined handles.
#ifndef AVRANKMAP_BENCH_SYNTHETIC_FASTPATH_WORLD_H
#define AVRANKMAP_BENCH_SYNTHETIC_FASTPATH_WORLD_H

#include "avrankmap/device/fastpath.h"
#include "bench/support/require.h"
#include "bench/synthetic/synthetic_boot.h"
#include "core/device.h"
#include "null/null_fast.h"

namespace avrankmap::bench {

class FastpathWorld {
public:
  static constexpr std::int32_t kProcesses = 64;
  static constexpr std::int32_t kSize = 20;
  static constexpr std::int32_t kOffset = 2;
  static constexpr std::int32_t kStride = 3;
  static constexpr std::int32_t kUnit = 8;

  explicit FastpathWorld(bool threads = false, std::int32_t queues = 1) : boot(kProcesses) {
    avrm_device_options_t options{};
    options.boot = &boot;
    options.netmod = "null";
    options.shmmod = "none";
    options.threads = threads;
    require(avrm_device_open(&options, &device));
    require(avrm_fp_open(device, queues, &fp));
    plain = make_comm(1);
    require(avrm_fp_comm_create(fp, plain, &comm));
    require(avrm_fp_comm_create_predefined(fp, plain, AVRM_COMM_1));
    require(avrm_fp_window_create(comm, memory, sizeof memory, kUnit, 0, &window));
    require(avrm_fp_window_create_predefined(AVRM_COMM_1, memory, sizeof memory, kUnit, 0, AVRM_WIN_1));
    for (std::int32_t rank = 0; rank < kSize; ++rank) { // first contact
      std::uint64_t address = 0;
      require(avrm_fp_window_address(window, rank, &address));
      require(avrm_fp_window_address(AVRM_WIN_1, rank, &address));
    }
  }
  ~FastpathWorld() {
    (void)avrm_fp_window_free(window);
    (void)avrm_fp_window_free(AVRM_WIN_1);
    (void)avrm_fp_comm_free(comm);
    (void)avrm_fp_comm_free(AVRM_COMM_1);
    (void)avrm_fp_close(fp);
    avrm_directory_destroy(&own_keys);
    (void)avrm_comm_free(plain);
    (void)avrm_device_close(device);
  }
  FastpathWorld(const FastpathWorld &) = delete;
  FastpathWorld &operator=(const FastpathWorld &) = delete;

  static constexpr std::int32_t lpid_of(std::int32_t rank) { return kOffset + rank * kStride; }

  avrm_comm_t *make_comm(std::uint32_t context) const {
    avrm_rankmap_t map{};
    require(avrm_rankmap_create_stride(avrm_device_instance(device), 0, kSize, kOffset, kStride, &map));
    avrm_comm_t *made = nullptr;
    require(avrm_comm_create_local(device, &map, 0, context, &made));
    return made;
  }

  /// The predefined window as it would be if each part had a key of its own.
  [[nodiscard]] avrm_fp_window_t window_of_own_keys() {
    if (own_keys.size == 0) {
      require(avrm_directory_create(avrm_device_instance(device), kSize, &own_keys));
      for (std::int32_t rank = 0; rank < kSize; ++rank) {
        const avrm_part_t part{key_base_of(rank), key_of(rank), sizeof memory, 1};
        require(avrm_directory_learn(&own_keys, rank, &part));
      }
    }
    avrm_fp_window_t own = *AVRM_WIN_1;
    own.uniform = 0;
    own.parts = &own_keys;
    return own;
  }
  static constexpr std::uint64_t key_base_of(std::int32_t rank) {
    return 0x100000 + (static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(rank) << 12);
  }
  static constexpr std::uint64_t key_of(std::int32_t rank) {
    return 42 + static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(rank);
  }
  /// Network address of a process of the job.
  [[nodiscard]] std::uint64_t address_of(std::int32_t lpid) const {
    avrm_av_t *av = nullptr;
    avrm_ave_t ave{};
    require(avrm_av_find(avrm_device_instance(device), 0, &av));
    require(avrm_av_get(av, lpid, &ave));
    return avrm_ofi_address(avrm_ave_word(&ave));
  }
  [[nodiscard]] const avrm_null_net_t &net() const { return *avrm_null_of(comm->net); }
  /// The operation issued last.
  [[nodiscard]] const avrm_null_descriptor_t &last() const { return *avrm_null_at(&net(), net().produced - 1); }

  SyntheticBoot boot;
  avrm_device_t *device = nullptr;
  avrm_fp_t *fp = nullptr;
  avrm_comm_t *plain = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  avrm_directory_t own_keys{};
  unsigned char memory[4096] = {};
};

} // namespace avrankmap::bench

#endif
