// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Boots a process of a forked job as under a launcher that hides deaths.
#ifndef AVRANKMAP_TESTS_DEVICE_LIVENESS_RING_SILENT_BOOT_H
#define AVRANKMAP_TESTS_DEVICE_LIVENESS_RING_SILENT_BOOT_H

#include <cstdint>
#include <vector>

#include "launch/boot.h"

namespace avrankmap::test {

class SilentBoot : public avrm_boot {
public:
  explicit SilentBoot(avrm_boot_t *real)
      : real_(real), bits_(detail::FailedProcesses::bytes(real->place().size) / sizeof(std::uint64_t)) {
    place_ = real->place();
    failures_ = detail::FailedProcesses(reinterpret_cast<std::byte *>(bits_.data()), place_.size);
    for (std::int32_t i = 0; i < place_.local_size; ++i) {
      local_ranks_.push_back(place_.rank - place_.local_rank + i);
    }
  }

  [[nodiscard]] const char *kind() const noexcept override { return "silent"; }
  [[nodiscard]] bool tells_deaths() const noexcept override { return false; }
  [[nodiscard]] std::span<const std::int32_t> watched_ranks() const noexcept override { return local_ranks_; }
  void report_death(std::int32_t rank) noexcept override { failures_.mark(rank); }
  [[nodiscard]] bool is_opened() const noexcept override { return false; }

  [[nodiscard]] avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept override {
    return real_->publish(slot, card, bytes);
  }
  [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                    std::size_t *bytes_p) noexcept override {
    ++fetches_;
    return real_->fetch(rank, slot, card, bytes_p);
  }
  // A fence is over when all have joined it or, as under PMIx, when a death has become known.
  [[nodiscard]] avrm_status_t fence_start() noexcept override {
    is_broken_ = real_->fence_start() != AVRM_OK;
    return AVRM_OK;
  }
  [[nodiscard]] avrm_status_t fence_test(bool *done_p) noexcept override {
    is_broken_ = is_broken_ || real_->fence_test(done_p) != AVRM_OK;
    if (!is_broken_ && *done_p) {
      return AVRM_OK;
    }
    *done_p = failures_.count() != 0;
    return *done_p ? AVRM_ERR_PEER : AVRM_OK;
  }
  [[nodiscard]] avrm_status_t fence_wait(const detail::Deadline &end) noexcept override {
    return real_->fence_wait(end);
  }

  [[nodiscard]] int fetches() const { return fetches_; }

private:
  avrm_boot_t *real_;
  std::vector<std::uint64_t> bits_;
  std::vector<std::int32_t> local_ranks_;
  bool is_broken_ = false;
  int fetches_ = 0;
};

} // namespace avrankmap::test

#endif
