// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A flush of all targets while another thread gets to know the last part of a window, which turns
// the records of the parts into rules. Simulated by a netmod's flush that learns the parts.
#include <algorithm>
#include <vector>

#include "core/device.h"
#include "core/keyed_hash.h"
#include "rma/window.h"
#include "tests/device/core/job.h"
#include "tests/device/core/window.h"

namespace avrankmap::test {
namespace {

class LearningFlush {
public:
  explicit LearningFlush(avrm_window_t *window) : net_(window->device->net), real_(net_->ops) {
    window_ = window;
    real_flush_ = real_->flush;
    learning_ = *real_;
    learning_.flush = flush;
    net_->ops = &learning_;
  }
  LearningFlush(const LearningFlush &) = delete;
  LearningFlush &operator=(const LearningFlush &) = delete;
  ~LearningFlush() { net_->ops = real_; }

  [[nodiscard]] static bool has_flushed_all() {
    return std::find(flushed_.begin(), flushed_.end(), AVRM_ANY_ADDRESS) != flushed_.end();
  }

private:
  static avrm_status_t flush(avrm_netmod_t *net, std::uint64_t handle, avrm_request_t *request) {
    if (flushed_.empty()) {
      avrm_part_t part{};
      AVRM_MUST(avrm_directory_find(&window_->parts, 1, &part));
      for (std::int32_t rank = 0; rank < window_->comm->map->size; ++rank) {
        AVRM_MUST(avrm_directory_learn(&window_->parts, rank, &part) == AVRM_OK);
      }
      AVRM_MUST(avrm_directory_recognise(&window_->parts));
    }
    flushed_.push_back(handle);
    return real_flush_(net, handle, request);
  }

  avrm_netmod_t *net_;
  const avrm_netmod_ops_t *real_;
  static inline avrm_window_t *window_ = nullptr;
  static inline avrm_status_t (*real_flush_)(avrm_netmod_t *, std::uint64_t, avrm_request_t *) = nullptr;
  static inline avrm_netmod_ops_t learning_{};
  static inline std::vector<std::uint64_t> flushed_;
};

TEST(FlushAll, ReachesAllTargetsIfTheRecordsOfTheirPartsBecomeRulesMeanwhile) {
  if (!detail::has_keyed_hash()) {
    GTEST_SKIP() << "built without libsodium: the keys of parts differ";
  }
  run_job(transport_named("ofi_tcp"), 4, [](Process &process) {
    Window window(process, 4096, true);
    const avrm_directory_t &parts = window.get()->parts;
    if (process.rank == 0) {
      const Buffer data = content(0, 1, 0, 8);
      for (int target = 1; target <= 2; ++target) {
        window.put(data, target, 0);
      }
      AVRM_MUST(avrm_directory_form(&parts) == AVRM_DIRECTORY_RECORDS && parts.count == 2);
      const LearningFlush flush(window.get());
      AVRM_MUST(avrm_flush_all(window.get()) == AVRM_OK);
      AVRM_MUST(avrm_directory_form(&parts) == AVRM_DIRECTORY_UNIFORM);
      AVRM_MUST(LearningFlush::has_flushed_all());
    }
  });
}

} // namespace
} // namespace avrankmap::test
