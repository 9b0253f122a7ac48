// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What all ways to boot have in common. The C functions check arguments; implementations get only good ones.
#ifndef AVRANKMAP_SRC_BOOT_BOOT_H
#define AVRANKMAP_SRC_BOOT_BOOT_H

#include <cstddef>
#include <cstdint>
#include <memory>

#include "avrankmap/boot.h"
#include "boot/failures.h"
#include "boot/launch.h"

namespace avrankmap::detail {

struct Place {
  std::int32_t rank = 0;
  std::int32_t size = 1;
  std::uint32_t node = 0;
  std::int32_t local_rank = 0;
  std::int32_t local_size = 1;
};

} // namespace avrankmap::detail

// The handle of the C interface.
struct avrm_boot {
public:
  avrm_boot(const avrm_boot &) = delete;
  avrm_boot &operator=(const avrm_boot &) = delete;
  virtual ~avrm_boot() = default;

  [[nodiscard]] const avrankmap::detail::Place &place() const noexcept { return place_; }
  [[nodiscard]] const avrankmap::detail::Failures &failures() const noexcept { return failures_; }
  [[nodiscard]] virtual const char *kind() const noexcept = 0;
  // True if no process of the job runs on another machine, nor the one that launched it.
  [[nodiscard]] virtual bool is_local() const noexcept { return true; }
  // The port at which the processes that spawned the job wait; empty if none did.
  [[nodiscard]] virtual const char *parent_port() const noexcept { return ""; }
  // A way to start a job that meets this one; null without memory. A launcher may be the worse for a process that it started
  // and that did not end well.
  [[nodiscard]] virtual std::unique_ptr<avrankmap::detail::Launch> new_launch(bool someone_died) const noexcept;
  // True if avrm_boot_open made it, so that avrm_boot_close deletes it.
  [[nodiscard]] virtual bool is_opened() const noexcept = 0;

  [[nodiscard]] virtual avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept = 0;
  // The peer has not died, as far as is known.
  [[nodiscard]] virtual avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                            std::size_t *bytes_p) noexcept = 0;
  // A fence is started, then tested until it is over, or waited for.
  [[nodiscard]] virtual avrm_status_t fence_start() noexcept = 0;
  [[nodiscard]] virtual avrm_status_t fence_test(bool *done_p) noexcept = 0;
  [[nodiscard]] virtual avrm_status_t fence_wait() noexcept = 0;

protected:
  avrm_boot() noexcept = default;

  avrankmap::detail::Place place_;
  avrankmap::detail::Failures failures_;
};

#endif
