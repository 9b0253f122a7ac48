// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A wait for many operations takes, for each of them, about as many instructions as a wait for few.
#if AVRM_WITH_COUNTERS
#include <cstring>
#include <deque>
#include <vector>

#include "tests/device/core/synthetic_job.h"

extern "C" {
// What is counted.
[[gnu::noinline, gnu::used]] avrm_status_t avrm_test_waitall(std::vector<avrm_request_t *> *requests) {
  return avrm_waitall(static_cast<std::int32_t>(requests->size()), requests->data(), nullptr);
}
[[gnu::noinline, gnu::used]] avrm_status_t avrm_test_flush(avrm_window_t *window, std::int32_t target) {
  return avrm_flush(window, target);
}
[[gnu::noinline, gnu::used]] avrm_status_t avrm_test_flush_all(avrm_window_t *window) { return avrm_flush_all(window); }
}

namespace avrankmap::test {
namespace {

constexpr std::int32_t kPeer = 1;
constexpr int kFew = 10;
constexpr int kMany = 100;
constexpr std::size_t kBytes = 8;

using detail::ActiveHeader;
using detail::ActiveType;

constexpr avrm_layout_t kApart{kBytes / 2, 2, kBytes};
constexpr avrm_layout_t kHalves{kBytes / 2, 2, kBytes / 2};

// The network accepts receives, puts and active messages about windows. At each progress it
// completes or answers the oldest one. The device is never closed.
class OneAtATime {
public:
  explicit OneAtATime(avrm_device_t *device) {
    static avrm_netmod_ops_t ops;
    ops = *device->net->ops;
    ops.trecv = [](avrm_netmod_t *, std::uint64_t, std::uint64_t, std::uint64_t, const avrm_piece_t *, std::size_t,
                   avrm_request_t *request) {
      pending_.push_back({request, {}});
      return AVRM_OK;
    };
    ops.put = [](avrm_netmod_t *, std::uint64_t, std::uint64_t, std::uint64_t, const void *, std::size_t,
                 avrm_request_t *request) {
      pending_.push_back({request, {}});
      return AVRM_OK;
    };
    ops.am_send = [](avrm_netmod_t *, std::uint64_t, const void *header, std::size_t, const void *, std::size_t) {
      Pending message;
      std::memcpy(&message.question, header, sizeof message.question);
      // The caller waits for this answer alone.
      const bool asks = message.question.type == ActiveType::kKeyRequest;
      pending_.insert(asks ? pending_.begin() : pending_.end(), message);
      return AVRM_OK;
    };
    ops.progress = progress;
    device->net->ops = &ops;
  }

private:
  struct Pending {
    avrm_request_t *request = nullptr; // null: `question` waits for its answer
    ActiveHeader question{};
  };

  static int progress(avrm_netmod_t *net) {
    if (pending_.empty()) {
      return 0;
    }
    const Pending oldest = pending_.front();
    pending_.pop_front();
    if (oldest.request != nullptr) {
      oldest.request->complete(oldest.request, AVRM_OK, 0, 0);
      return 1;
    }
    const bool asks = oldest.question.type == ActiveType::kKeyRequest;
    const bool gets = oldest.question.type == ActiveType::kGet;
    const std::uint64_t description[2] = {kBytes, 0};
    ActiveHeader answer = oldest.question;
    answer.type = asks ? ActiveType::kKeyReply : gets ? ActiveType::kGetData : ActiveType::kPutDone;
    answer.sender = gets ? kPeer : static_cast<std::int32_t>(answer.token);
    auto *const device = static_cast<avrm_device_t *>(net->user);
    device->upcalls->on_active(device, answer, description, asks ? sizeof description : gets ? kBytes : 0);
    return 1;
  }

  static inline std::deque<Pending> pending_;
};

// wait(world, count) starts that many operations, and calls the function.
template <typename Function, typename Wait> void expect_linear(Function *function, Wait wait) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<double> each;
  for (const int count : {kFew, kMany}) {
    const auto run = [&] {
      Job job(kMany + 1, AVRM_DEVICE_AV_TABLE, nullptr);
      job.open();
      const OneAtATime net(job.device());
      wait(job.world(), count);
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(function, run, options);
    AVRM_ASSERT_COUNTED(counted);
    each.push_back(static_cast<double>(own_instructions(*counted)) / count);
  }
  EXPECT_LT(each[1], 1.2 * each[0]);
}

TEST(ManyRequests, CostAWaitForAllOfThemALinearTime) {
  expect_linear(avrm_test_waitall, [](avrm_comm_t *world, int count) {
    std::vector<avrm_request_t *> requests(static_cast<std::size_t>(count));
    for (avrm_request_t *&request : requests) {
      require(avrm_irecv(world, nullptr, 0, kPeer, 0, &request));
    }
    require(avrm_test_waitall(&requests));
  });
}

TEST(ManyRequests, CostAFlushALinearTime) {
  expect_linear(avrm_test_flush, [](avrm_comm_t *world, int count) {
    static std::uint64_t memory = 0;
    avrm_window_t *window = nullptr;
    require(avrm_window_create(world, &memory, kBytes, 0, &window));
    for (int i = 0; i < count; ++i) {
      avrm_request_t *request = nullptr;
      require(avrm_put(window, &memory, kBytes, kPeer, 0, &request));
    }
    require(avrm_test_flush(window, kPeer));
  });
}

// Each target acknowledges a put by active message, which has no request.
TEST(ManyRequests, CostAFlushOfManyTargetsALinearTime) {
  expect_linear(avrm_test_flush_all, [](avrm_comm_t *world, int count) {
    static std::uint64_t memory[2] = {};
    avrm_window_t *window = nullptr;
    require(avrm_window_create(world, memory, kBytes, 0, &window));
    for (std::int32_t rank = 1; rank <= count; ++rank) {
      avrm_request_t *request = nullptr;
      require(avrm_put_strided(window, memory, &kApart, rank, 0, &kHalves, &request));
    }
    require(avrm_test_flush_all(window));
  });
}

// The puts are acknowledged while the gets, which have requests, wait for their data.
TEST(ManyRequests, CostAFlushOfPutsAndGetsALinearTime) {
  expect_linear(avrm_test_flush, [](avrm_comm_t *world, int count) {
    static std::uint64_t memory[2] = {};
    avrm_window_t *window = nullptr;
    require(avrm_window_create(world, memory, kBytes, 0, &window));
    for (int i = 0; i < count; ++i) {
      avrm_request_t *request = nullptr;
      require(avrm_put_strided(window, memory, &kApart, kPeer, 0, &kHalves, &request));
    }
    for (int i = 0; i < count; ++i) {
      avrm_request_t *request = nullptr;
      require(avrm_get_strided(window, memory, &kApart, kPeer, 0, &kHalves, &request));
    }
    require(avrm_test_flush(window, kPeer));
  });
}

} // namespace
} // namespace avrankmap::test
#endif
