// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A thread accesses a part of a window before it is created, while other threads use the device.
#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

#include "avrankmap/device/blocks.h"
#include "avrankmap/device/fastpath.h"
#include "bench/synthetic/synthetic_boot.h"
#include "rma/window.h"
#include "tests/device/core/job.h"
#include "tests/device/liveness/lacking_memory.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;

constexpr int kTag = 5;
constexpr std::array<std::uint64_t, 4> kValues{11, 12, 13, 14};
constexpr avrm_layout_t kHalves{4, 2, 4}; // of a word
constexpr avrm_layout_t kApart{4, 2, 8};

void put_at(avrm_window_t *window, int target, std::size_t place) {
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_put(window, &kValues[place], 8, target, 8 * place, &request) == AVRM_OK);
  wait(request);
}

// Puts a word that the origin has in two halves, which networks do not.
void put_halves_at(avrm_window_t *window, int target, std::size_t place) {
  std::array<std::uint32_t, 3> halves{};
  std::memcpy(halves.data(), &kValues[place], 4);
  std::memcpy(&halves[2], reinterpret_cast<const unsigned char *>(&kValues[place]) + 4, 4);
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_put_strided(window, halves.data(), &kApart, target, 8 * place, &kHalves, &request) == AVRM_OK);
  wait(request);
}

// True if a peer has asked for a window that this process has yet to create.
bool is_asked(const avrm_device_t *device) {
  const detail::DeviceGuard guard(device);
  return device->windows->early_requests != nullptr;
}

// The second process of a job creates its window after the first has asked for it and then has sent
// a message.
template <typename Create> void create_after_a_message(Process &process, std::atomic<bool> &asked, Create create) {
  while (!is_asked(process.device)) {
    avrm_progress(process.device);
  }
  asked = true;
  Buffer message(1);
  receive(process, message, 0, kTag);
  create();
}

class FirstAccess : public testing::TestWithParam<Transport> {};

TEST_P(FirstAccess, LeavesTheDeviceToOtherThreads) {
  const Shared<std::atomic<bool>> asked;
  run_job(
      GetParam(), 2,
      [&asked](Process &process) {
        std::array<std::uint64_t, kValues.size()> part{};
        avrm_window_t *window = nullptr;
        const auto create = [&] {
          AVRM_MUST(avrm_window_create(process.world, part.data(), sizeof part, 0, &window) == AVRM_OK);
        };
        if (process.rank == 0) {
          create();
          std::array<std::thread, 4> threads{std::thread([&] { put_at(window, 1, 0); }),
                                             std::thread([&] { put_halves_at(window, 1, 1); }),
                                             std::thread([&] { put_at(window, 1, 2); }), std::thread([&] {
                                               while (!*asked) {
                                                 sched_yield();
                                               }
                                               AVRM_MUST(avrm_window_free(window) == AVRM_ERR_BUSY);
                                               put_at(window, 0, 3);
                                               send(process, Buffer(1), 1, kTag);
                                             })};
          for (std::thread &thread : threads) {
            thread.join();
          }
          AVRM_MUST(avrm_flush_all(window) == AVRM_OK);
          AVRM_MUST(part[3] == kValues[3]);
        } else {
          create_after_a_message(process, *asked, create);
        }
        barrier(process);
        AVRM_MUST(process.rank == 0 || std::equal(part.begin(), part.begin() + 3, kValues.begin()));
        AVRM_MUST(avrm_window_free(window) == AVRM_OK);
      },
      -1, true);
}

TEST_P(FirstAccess, LeavesTheHandleOfTheFastPathToOtherThreads) {
  const Shared<std::atomic<bool>> asked;
  run_job(
      GetParam(), 2,
      [&asked](Process &process) {
        std::array<std::uint64_t, 2> part{};
        avrm_fp_t *fp = nullptr;
        avrm_fp_comm_t *comm = nullptr;
        avrm_fp_window_t *window = nullptr;
        AVRM_MUST(avrm_fp_open(process.device, 2, &fp) == AVRM_OK);
        AVRM_MUST(avrm_fp_comm_create(fp, process.world, &comm) == AVRM_OK);
        const auto create = [&] {
          AVRM_MUST(avrm_fp_window_create(comm, part.data(), sizeof part, 8, 0, &window) == AVRM_OK);
        };
        const auto put = [&](int target) {
          AVRM_MUST(avrm_fp_put_default(kValues.data(), 1, AVRM_UINT64, target, target, window) == AVRM_OK);
        };
        if (process.rank == 0) {
          create();
          std::thread first([&] { put(1); });
          while (!*asked) {
            sched_yield();
          }
          put(0);
          send(process, Buffer(1), 1, kTag);
          first.join();
          AVRM_MUST(avrm_fp_flush_all(window) == AVRM_OK);
        } else {
          create_after_a_message(process, *asked, create);
        }
        barrier(process);
        AVRM_MUST(part[static_cast<std::size_t>(process.rank)] == kValues[0]);
        AVRM_MUST(avrm_fp_window_free(window) == AVRM_OK);
        AVRM_MUST(avrm_fp_comm_free(comm) == AVRM_OK);
        AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
      },
      -1, true);
}

INSTANTIATE_TEST_SUITE_P(Every, FirstAccess, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

// Process 0 of 100, which accesses one part. The test answers for its owner.
class AccessOfOnePart : public testing::Test {
protected:
  void open(bool threads) {
    avrm_device_options_t options{};
    boot_.be_mortal();
    boot_.secret = {{1, 2}};
    options.boot = &boot_;
    options.netmod = "null";
    options.shmmod = "none";
    options.threads = threads;
    ASSERT_EQ(avrm_device_open(&options, &device_), AVRM_OK);
  }
  void create_window() {
    ASSERT_EQ(avrm_window_create(avrm_device_world(device_), nullptr, 0, 0, &window_), AVRM_OK);
    outbox_.emplace(device_);
  }
  void TearDown() override {
    outbox_.reset();
    ASSERT_EQ(avrm_window_free(window_), AVRM_OK);
    ASSERT_EQ(avrm_device_close(device_), AVRM_OK);
  }
  // Puts a word whose halves are apart.
  avrm_status_t put_halves() {
    const std::array<std::uint32_t, 3> halves{};
    avrm_request_t *request = nullptr;
    return avrm_put_strided(window_, halves.data(), &kApart, kTarget, 0, &kHalves, &request);
  }
  // The target answers a key request, or refuses a put.
  // @param net_bytes  of the network's description of the part: at most 8
  void answer(ActiveType type, std::uint64_t position, std::uint64_t net_bytes = 0) {
    struct {
      ActiveHeader header;
      std::array<std::uint64_t, 3> description;
    } message{};
    message.header.type = type;
    message.header.sender = kTarget;
    message.header.window = window_->id;
    message.header.token = kTarget;
    message.header.position = position;
    message.header.secret = boot_.secret;
    message.description = {8, net_bytes, 0}; // bytes of the part
    const detail::DeviceGuard guard(device_);
    ASSERT_TRUE(detail::on_active(device_, &message, sizeof message - 8 + net_bytes));
  }

  static constexpr std::int32_t kTarget = 50;
  bench::SyntheticBoot boot_{100};
  avrm_device_t *device_ = nullptr;
  avrm_window_t *window_ = nullptr;
  std::optional<Outbox> outbox_;
};

// Two threads access the part at once.
class TwoFirstAccesses : public AccessOfOnePart {
protected:
  void SetUp() override {
    open(true);
    create_window();
    for (std::size_t i = 0; i < threads_.size(); ++i) {
      threads_[i] = std::thread([this, i] { statuses_[i] = put_halves(); });
    }
  }

  // Waits until that many messages have been sent.
  void await(std::size_t count) {
    for (std::size_t sent = 0; sent < count;) {
      sched_yield();
      const detail::DeviceGuard guard(device_);
      sent = outbox_->sent.size();
    }
  }
  void join() {
    for (std::thread &thread : threads_) {
      thread.join();
    }
  }

  std::array<std::thread, 2> threads_;
  std::array<avrm_status_t, 2> statuses_{};
};

TEST_F(TwoFirstAccesses, ShareAnAnswer) {
  await(1);
  answer(ActiveType::kKeyReply, 0);
  join();
  EXPECT_EQ(statuses_[0], AVRM_OK);
  EXPECT_EQ(statuses_[1], AVRM_OK);
  ASSERT_EQ(outbox_->sent.size(), 3U);
  EXPECT_EQ(outbox_->sent[0].header.type, ActiveType::kKeyRequest);
  EXPECT_EQ(outbox_->sent[1].header.type, ActiveType::kPut);
  EXPECT_EQ(outbox_->sent[2].header.type, ActiveType::kPut);
}

// Each thread asks, since the target had no memory to answer the other.
TEST_F(TwoFirstAccesses, DoNotShareARefusal) {
  for (const std::size_t asked : {1, 2}) {
    await(asked);
    answer(ActiveType::kRefused, detail::kWantsMemory);
  }
  join();
  EXPECT_EQ(statuses_[0], AVRM_ERR_NO_MEMORY);
  EXPECT_EQ(statuses_[1], AVRM_ERR_NO_MEMORY);
  EXPECT_EQ(outbox_->sent.size(), 2U);
}

TEST_F(TwoFirstAccesses, EndIfTheTargetFails) {
  await(1);
  {
    const detail::DeviceGuard guard(device_);
    boot_.die(kTarget);
  }
  join();
  EXPECT_EQ(statuses_[0], AVRM_ERR_PEER);
  EXPECT_EQ(statuses_[1], AVRM_ERR_PEER);
  EXPECT_EQ(outbox_->sent.size(), 1U);
}

// While the thread of a put waits for the answer, other threads use the device: what they do is
// done by the network's progress, which calls the next step.
class OvertakenFirstAccess : public AccessOfOnePart {
protected:
  void SetUp() override {
    open(false);
    device_->receives_from_net = true; // so parts are not known from the beginning
    create_window();
    ops_ = *device_->net->ops;
    before_ = std::exchange(device_->net->ops, &ops_);
    ops_.progress = [](avrm_netmod_t * /*net*/) {
      if (!steps_.empty()) {
        const std::function<void()> step = steps_.front();
        steps_.pop_front();
        step();
      }
      return 0;
    };
  }
  void TearDown() override {
    device_->net->ops = before_;
    steps_.clear();
    AccessOfOnePart::TearDown();
  }
  void put() {
    avrm_request_t *request = nullptr;
    ASSERT_EQ(avrm_put(window_, kValues.data(), 8, kTarget, 0, &request), AVRM_OK);
    wait(request);
  }

  static inline std::deque<std::function<void()>> steps_;

private:
  avrm_netmod_ops_t ops_{};
  const avrm_netmod_ops_t *before_ = nullptr;
};

TEST_F(OvertakenFirstAccess, LeavesTheRecordToPutsOfAnotherThread) {
  steps_ = {[this] {
              answer(ActiveType::kKeyReply, 0, 8);
              ASSERT_EQ(put_halves(), AVRM_OK);
            },
            [this] { answer(ActiveType::kRefused, detail::kMisplaced); }};
  put();
  EXPECT_EQ(avrm_flush(window_, kTarget), AVRM_ERR_SIZE);
}

TEST_F(OvertakenFirstAccess, LeavesTheRecordToErrorsOfAnotherThread) {
  steps_ = {[this] {
    answer(ActiveType::kKeyReply, 0, 8);
    ASSERT_EQ(put_halves(), AVRM_OK);
    answer(ActiveType::kRefused, detail::kMisplaced);
  }};
  put();
  EXPECT_EQ(avrm_flush(window_, kTarget), AVRM_ERR_SIZE);
}

TEST_F(OvertakenFirstAccess, LeavesNoRecordThatNoThreadUses) {
  steps_ = {[this] { answer(ActiveType::kKeyReply, 0, 8); }};
  put();
  EXPECT_EQ(window_->targets.count(), 0U);
}

} // namespace
} // namespace avrankmap::test
