// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Active messages that arrive while memory is lacking: none is taken whose answer would be lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "avrankmap/device/atomics.h"
#include "comm_calls/free_consensus.h"
#include "core/peers/relay.h"
#include "core/peers/worlds.h"
#include "core/progress/progress.h"
#include "rma/window.h"
#include "tests/device/liveness/lacking_memory.h"
#include "tests/device/liveness/ring/lone_member.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;

// Process 0 of 100 over the null netmod. It refuses messages about a window that it does not have.
class ActiveMessages : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(member_.open(&hooks_), AVRM_OK); }
  void TearDown() override { EXPECT_EQ(member_.close(), AVRM_OK); }

  // A message of process 50 arrives. Returns false if it is to be offered again.
  bool arrives(ActiveType type, std::uint64_t token) {
    ActiveHeader header{};
    header.type = type;
    header.sender = 50;
    header.window = window_;
    header.position = 50; // as the process that signs a query
    header.token = token;
    header.secret = LoneMember::secret();
    return detail::on_active(member_.device(), &header, sizeof header);
  }
  // One that adds to the first number of a window and fetches it.
  bool adds(std::uint64_t window, std::uint64_t number) {
    struct {
      ActiveHeader header;
      std::uint64_t operand;
    } message{};
    message.header.type = ActiveType::kFetchAtomic;
    message.header.sender = 50;
    message.header.window = window;
    message.header.bytes = sizeof number;
    message.header.block = AVRM_OP_SUM;
    message.header.pitch = AVRM_UINT64;
    message.header.secret = LoneMember::secret();
    message.operand = number;
    return detail::on_active(member_.device(), &message, sizeof message);
  }

  static constexpr std::uint64_t kPlaces = 16; // for answers without memory
  static constexpr std::uint64_t kToken = detail::kRequestToken;
  // From now on memory is lacking and nothing can be sent. Fills the places with answers to process
  // 50. Returns false if the next request is not held.
  bool fill(Outbox *outbox) {
    const bool is_connected = arrives(ActiveType::kPut, 1) && outbox->sent.size() == 1;
    outbox->sent.clear();
    outbox->status = AVRM_ERR_AGAIN;
    memory_.lacks = true;
    std::uint64_t taken = 0;
    while (taken < 2 * kPlaces && arrives(ActiveType::kPut, 1)) {
      ++taken;
    }
    return is_connected && taken == kPlaces;
  }
  // True if a message that is held at first is taken within some seconds.
  bool is_rejected(ActiveType type, std::uint64_t token) {
    bool is_taken = arrives(type, token);
    const bool was_held = !is_taken;
    for (int i = 0; i < 400 && !is_taken; ++i) {
      usleep(10000);
      is_taken = arrives(type, token);
    }
    return was_held && is_taken;
  }

  LackingMemory memory_;
  avrm_allocator_t hooks_ = memory_.hooks();
  LoneMember member_{100};
  std::uint64_t window_ = 7; // of `arrives`
};

TEST_F(ActiveMessages, AreTakenWhenTheirAnswersCanBeKept) {
  constexpr std::uint64_t kMessages = 40;
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  ASSERT_TRUE(arrives(ActiveType::kPut, 0)); // connects
  ASSERT_EQ(outbox.sent.size(), 1U);
  outbox.status = AVRM_ERR_AGAIN;
  memory_.lacks = true;
  std::uint64_t next = 1;
  while (next < kMessages && arrives(ActiveType::kPut, next)) {
    ++next;
  }
  EXPECT_EQ(next, 17U) << "16 need no memory";
  outbox.status = AVRM_OK;
  for (; device->deferred.flush(device) != 0 || next < kMessages; ++next) {
    ASSERT_TRUE(arrives(ActiveType::kPut, next));
  }
  ASSERT_EQ(outbox.sent.size(), next);
  for (std::uint64_t i = 0; i < next; ++i) {
    EXPECT_EQ(outbox.sent[i].header.type, ActiveType::kRefused);
    EXPECT_EQ(outbox.sent[i].header.token, i);
  }
  EXPECT_EQ(member_.reports(), 0);
}

TEST_F(ActiveMessages, AreTakenWithoutLimitWhileThereIsMemory) {
  Outbox outbox(member_.device());
  outbox.status = AVRM_ERR_AGAIN;
  for (std::uint64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(arrives(ActiveType::kGet, i));
  }
  outbox.status = AVRM_OK;
  (void)member_.device()->deferred.flush(member_.device());
  EXPECT_EQ(outbox.sent.size(), 100U);
}

// Two processes that lack memory and hold each other's messages would wait for ever.
TEST_F(ActiveMessages, AreRejectedAfterASecondInWhichNothingIsSent) {
  Outbox outbox(member_.device());
  ASSERT_TRUE(fill(&outbox));
  ASSERT_TRUE(is_rejected(ActiveType::kPut, 1));
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(arrives(ActiveType::kPut, 1)) << "in the same rejection";
  }
  outbox.status = AVRM_OK;
  (void)member_.device()->deferred.flush(member_.device());
  ASSERT_EQ(outbox.sent.size(), kPlaces + 1U);
  EXPECT_EQ(outbox.sent.back().header.type, ActiveType::kRefusedAll);
  EXPECT_EQ(outbox.sent.back().header.offset, 101U);
  EXPECT_EQ(outbox.sent.back().header.bytes, 0U);
  EXPECT_EQ(member_.reports(), 0);
}

// Otherwise their sender could not tell which ones were rejected.
TEST_F(ActiveMessages, AreRejectedUntilTheRejectionIsSent) {
  Outbox outbox(member_.device());
  ASSERT_TRUE(fill(&outbox));
  ASSERT_TRUE(is_rejected(ActiveType::kGet, kToken + 3));
  memory_.lacks = false;
  for (const std::uint64_t token : {3, 4, 9, 9, 9}) {
    ASSERT_TRUE(arrives(ActiveType::kGet, kToken + token));
  }
  outbox.status = AVRM_OK;
  (void)member_.device()->deferred.flush(member_.device());
  ASSERT_EQ(outbox.sent.size(), kPlaces + 1U);
  const ActiveHeader &rejection = outbox.sent.back().header;
  EXPECT_EQ(rejection.type, ActiveType::kRefusedAll);
  EXPECT_EQ(rejection.token, kToken + 3);
  EXPECT_EQ(rejection.position, kToken + 9);
  EXPECT_EQ(rejection.bytes, 3U);
  EXPECT_EQ(rejection.offset, 0U);
  ASSERT_TRUE(arrives(ActiveType::kGet, kToken + 10));
  ASSERT_EQ(outbox.sent.size(), kPlaces + 2U);
  EXPECT_EQ(outbox.sent.back().header.type, ActiveType::kRefused) << "it was read";
}

// Windows and peers have rejections of their own, for as many as there are places.
TEST_F(ActiveMessages, AreHeldWithoutAPlaceForTheirRejection) {
  constexpr std::uint32_t kRejections = 32;
  Outbox outbox(member_.device());
  ASSERT_TRUE(fill(&outbox));
  ASSERT_TRUE(is_rejected(ActiveType::kPut, 1));
  for (window_ = 100; window_ < 100 + kRejections - 1; ++window_) {
    ASSERT_TRUE(arrives(ActiveType::kPut, 1));
  }
  ASSERT_FALSE(arrives(ActiveType::kPut, 1));
  window_ = 100;
  ASSERT_TRUE(arrives(ActiveType::kPut, 1));
  outbox.status = AVRM_OK;
  (void)member_.device()->deferred.flush(member_.device());
  EXPECT_EQ(outbox.sent.size(), kPlaces + kRejections);
  EXPECT_EQ(member_.reports(), 0);
  memory_.lacks = false;
}

TEST_F(ActiveMessages, OfEveryKindGetAnAnswerIfTheyAreRejected) {
  constexpr ActiveType kKinds[] = {ActiveType::kKeyRequest,  ActiveType::kPut,       ActiveType::kPutBlocks,
                                   ActiveType::kGet,         ActiveType::kGetBlocks, ActiveType::kAtomic,
                                   ActiveType::kFetchAtomic, ActiveType::kRevoke,    ActiveType::kFreeConsensus};
  Outbox outbox(member_.device());
  ASSERT_TRUE(fill(&outbox));
  ASSERT_TRUE(is_rejected(ActiveType::kPut, 1));
  window_ = 100;
  for (const ActiveType kind : kKinds) {
    EXPECT_TRUE(arrives(kind, 0) && arrives(kind, 0)) << static_cast<int>(kind);
    ++window_;
  }
  outbox.status = AVRM_OK;
  (void)member_.device()->deferred.flush(member_.device());
  ASSERT_EQ(outbox.sent.size(), kPlaces + 1 + std::size(kKinds));
  window_ = 100;
  for (const ActiveType kind : kKinds) {
    const bool is_query = kind == ActiveType::kRevoke || kind == ActiveType::kFreeConsensus;
    const bool asks = kind == ActiveType::kKeyRequest;
    const ActiveHeader &answer = outbox.sent[kPlaces + 1 + window_ - 100].header;
    EXPECT_EQ(answer.type, is_query ? kind : ActiveType::kRefusedAll);
    EXPECT_EQ(answer.window, window_++);
    if (is_query) {
      EXPECT_EQ(detail::answer_in(answer), detail::Reply::kAgain);
    } else {
      EXPECT_EQ(answer.block, asks ? 1U : 0U) << static_cast<int>(kind);
      EXPECT_EQ(answer.offset, asks ? 0U : 2U) << static_cast<int>(kind);
    }
  }
  EXPECT_EQ(member_.reports(), 0);
  memory_.lacks = false;
}

// A peer asks for a window of a communicator that this process is still creating.
TEST_F(ActiveMessages, FromUnknownProcessesAreOfferedAgainWithoutMemory) {
  Outbox outbox(member_.device());
  window_ = std::uint64_t{12} << 32;
  memory_.lacks = true;
  EXPECT_FALSE(arrives(ActiveType::kKeyRequest, 1));
  memory_.lacks = false;
  EXPECT_TRUE(arrives(ActiveType::kKeyRequest, 1));
  EXPECT_EQ(member_.reports(), 0);
}

TEST_F(ActiveMessages, ThatCameBeforeTheirWindowAreAnsweredOnceThereIsRoom) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  window_ = std::uint64_t{device->world->context} << 32 | device->world->windows_created;
  ASSERT_TRUE(arrives(ActiveType::kKeyRequest, 50));
  avrm_window_t *window = nullptr;
  ASSERT_EQ(
      detail::make_window(device->world, detail::next_window_id(device->world), {nullptr, 0, nullptr, 0}, &window),
      AVRM_OK);
  const std::uint64_t id = std::exchange(window_, 7);
  ASSERT_TRUE(fill(&outbox));
  detail::open_window(window);
  outbox.status = AVRM_OK;
  memory_.lacks = false;
  (void)avrm_progress(device);
  (void)avrm_progress(device);
  ASSERT_EQ(outbox.sent.size(), kPlaces + 1U);
  EXPECT_EQ(outbox.sent.back().header.type, ActiveType::kKeyReply);
  EXPECT_EQ(outbox.sent.back().header.window, id);
  EXPECT_EQ(device->served, 0U);
  EXPECT_EQ(member_.reports(), 0);
  EXPECT_EQ(avrm_window_free(window), AVRM_OK);
}

// Whichever allocation fails: otherwise a process that repeats it would apply it twice.
TEST_F(ActiveMessages, ApplyAFetchingAtomicIfAndOnlyIfItsResultIsSent) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  ASSERT_TRUE(arrives(ActiveType::kPut, 0)); // connects
  std::uint64_t sum = 0;
  avrm_window_t *window = nullptr;
  ASSERT_EQ(detail::make_window(device->world, detail::next_window_id(device->world), {&sum, sizeof sum, nullptr, 0},
                                &window),
            AVRM_OK);
  detail::open_window(window);
  for (const int left : {0, 1, 2}) {
    outbox.sent.clear();
    outbox.status = AVRM_ERR_AGAIN;
    sum = 5;
    memory_.left = left;
    ASSERT_TRUE(adds(window->id, 3));
    memory_.left = -1;
    outbox.status = AVRM_OK;
    (void)device->deferred.flush(device);
    ASSERT_EQ(outbox.sent.size(), 1U);
    const bool is_applied = outbox.sent[0].header.type == ActiveType::kGetData;
    EXPECT_EQ(is_applied, left != 0);
    EXPECT_EQ(sum, is_applied ? 8U : 5U) << left;
  }
  EXPECT_EQ(avrm_window_free(window), AVRM_OK);
}

// Otherwise the receiver would wait for the answer for ever.
TEST_F(ActiveMessages, WhoseAnswersTheNetworkAlwaysRefusesComeFromAFailedProcess) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.status = AVRM_ERR_TRANSPORT;
  ASSERT_TRUE(arrives(ActiveType::kPut, 1));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(device->boot->failures().has(50));
    (void)device->deferred.flush(device);
  }
  EXPECT_TRUE(device->boot->failures().has(50));
  EXPECT_EQ(member_.reports(), 1);
}

TEST_F(ActiveMessages, AreAnsweredInOrderIfTheirSenderCouldNotBeConnected) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.insert_status = AVRM_ERR_NO_MEMORY;
  ASSERT_TRUE(arrives(ActiveType::kPut, 0));
  (void)device->deferred.flush(device);
  outbox.insert_status = AVRM_OK;
  detail::Route route{};
  // Another operation connects it.
  ASSERT_EQ(detail::route_to(device, {detail::kOwnWorld, 50}, &route), AVRM_OK);
  outbox.status = AVRM_ERR_AGAIN;
  ASSERT_TRUE(arrives(ActiveType::kPut, 1));
  outbox.status = AVRM_OK;
  outbox.send_until(2, [] {});
  ASSERT_EQ(outbox.sent.size(), 2U);
  EXPECT_EQ(outbox.sent[0].header.token, 0U);
  EXPECT_EQ(outbox.sent[1].header.token, 1U);
}

TEST_F(ActiveMessages, AreAnsweredInOrderIfTheNetworkRefusedAnAnswer) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.refusals = 1;
  ASSERT_TRUE(arrives(ActiveType::kPut, 0));
  ASSERT_TRUE(arrives(ActiveType::kPut, 1));
  (void)device->deferred.flush(device);
  ASSERT_EQ(outbox.sent.size(), 2U);
  EXPECT_EQ(outbox.sent[0].header.token, 0U);
  EXPECT_EQ(outbox.sent[1].header.token, 1U);
}

// Each attempt may call the launcher, and is reported if it fails.
TEST_F(ActiveMessages, OfAnUnreachableProcessConnectItOnceForAllAnswers) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.insert_status = AVRM_ERR_NO_MEMORY;
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(arrives(ActiveType::kPut, i));
  }
  EXPECT_EQ(outbox.inserts, 1);
  (void)device->deferred.flush(device);
  EXPECT_EQ(outbox.inserts, 2);
  EXPECT_EQ(member_.reports(), 2);
}

TEST_F(ActiveMessages, ToManyUnreachableProcessesKeepTheirOrder) {
  constexpr std::int32_t kPeers = 3000;
  LoneMember many(kPeers + 1);
  ASSERT_EQ(many.open(), AVRM_OK);
  {
    Outbox outbox(many.device());
    outbox.insert_status = AVRM_ERR_NO_MEMORY;
    ActiveHeader header{};
    header.type = ActiveType::kPutDone;
    for (const std::uint64_t token : {1, 2}) {
      header.token = token;
      for (std::int32_t peer = 1; peer <= kPeers; ++peer) {
        ASSERT_EQ(
            detail::send_active(many.device(), {detail::kOwnWorld, peer}, header, nullptr, 0, detail::Retry::kLater),
            AVRM_OK);
      }
    }
    EXPECT_EQ(many.device()->deferred.flush(many.device()), 0);
    outbox.insert_status = AVRM_OK;
    outbox.send_until(2 * kPeers, [] {});
    ASSERT_EQ(outbox.sent.size(), 2U * kPeers);
    std::map<std::uint64_t, std::uint64_t> tokens;
    for (const Outbox::Sent &one : outbox.sent) {
      ASSERT_EQ(one.header.token, ++tokens[one.handle]) << one.handle;
    }
  }
  EXPECT_EQ(many.close(), AVRM_OK);
}

TEST_F(ActiveMessages, ToStoppedProcessesDelayNoOthersAndKeepTheirOrder) {
  constexpr std::int32_t kStopped = 60;
  constexpr std::int32_t kPeers = kStopped + 2;
  constexpr std::uint64_t kEach = 3;
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  std::vector<detail::Route> routes(kPeers);
  for (std::int32_t i = 0; i < kPeers; ++i) {
    ASSERT_EQ(detail::route_to(device, {detail::kOwnWorld, i + 1}, &routes[static_cast<std::size_t>(i)]), AVRM_OK);
  }
  const auto send = [&](std::uint64_t token) {
    ActiveHeader header{};
    header.type = ActiveType::kPutDone;
    header.token = token;
    for (std::int32_t peer = 1; peer <= kPeers; ++peer) {
      ASSERT_EQ(detail::send_active(device, {detail::kOwnWorld, peer}, header, nullptr, 0, detail::Retry::kLater),
                AVRM_OK);
    }
  };
  outbox.status = AVRM_ERR_AGAIN;
  for (std::uint64_t token = 0; token < kEach - 1; ++token) {
    send(token);
  }
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(device->deferred.flush(device), 0);
  }
  send(kEach - 1);
  outbox.status = AVRM_OK;
  outbox.stopped = routes[kStopped].handle;
  for (std::int32_t i = 0; i < kPeers; ++i) {
    (void)device->deferred.flush(device);
  }
  EXPECT_EQ(outbox.sent.size(), 2 * kEach);
  outbox.stopped = 0;
  while (!device->deferred.empty()) {
    ASSERT_NE(device->deferred.flush(device), 0);
  }
  std::map<std::uint64_t, std::uint64_t> tokens;
  for (const Outbox::Sent &one : outbox.sent) {
    EXPECT_EQ(one.header.token, tokens[one.handle]++) << one.handle;
  }
  EXPECT_EQ(outbox.sent.size(), kPeers * kEach);
}

// Each attempt may call the launcher, and is reported if it fails.
TEST_F(ActiveMessages, OfTheShmmodConnectUnreachableProcessesNowAndThen) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.insert_status = AVRM_ERR_NO_MEMORY;
  avrm_shmmod_config_t config{};
  device->receives_from_net = true;
  detail::offer_relay(device, &config);
  device->receives_from_net = false;
  const auto relay = [&] { return config.relay(device, 50, &config, 0, nullptr, 0); };
  const int reports = member_.reports();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_NE(relay(), AVRM_OK);
  }
  const auto most = 2 + (std::chrono::steady_clock::now() - start) / std::chrono::milliseconds(100);
  EXPECT_LE(outbox.inserts, most);
  EXPECT_LE(member_.reports() - reports, most);
  outbox.insert_status = AVRM_OK;
  for (int i = 0; i < 400 && relay() != AVRM_OK; ++i) {
    usleep(5000);
  }
  EXPECT_EQ(outbox.sent.size(), 1U);
}

TEST_F(ActiveMessages, ToAnotherWorldAreDroppedIfTheNetworkAlwaysRefusesThem) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  outbox.status = AVRM_ERR_TRANSPORT;
  detail::World *world = nullptr;
  ASSERT_EQ(detail::know_world(device, {{3, 4}}, 2, &world), AVRM_OK);
  avrm_ave_t ave{};
  ASSERT_EQ(avrm_ave_pack(device->codec, 9, 1, &ave), AVRM_OK);
  ASSERT_EQ(avrm_av_set(world->av, 1, &ave), AVRM_OK);
  std::string text;
  device->on_error = [](void *user, avrm_status_t, const char *report) { *static_cast<std::string *>(user) += report; };
  device->user = &text;
  ASSERT_EQ(detail::send_active(device, {world->av->pgid, 1}, ActiveHeader{}, nullptr, 0, detail::Retry::kLater),
            AVRM_OK);
  while (!device->deferred.empty()) {
    (void)device->deferred.flush(device);
  }
  EXPECT_EQ(text, "an active message to another world could not be sent, and is dropped");
  EXPECT_EQ(detail::failures_of(device), 0U);
  device->on_error = nullptr;
}

// Otherwise two processes that lack memory would wait for each other.
TEST_F(ActiveMessages, WithoutAnAnswerAreAlwaysTaken) {
  Outbox outbox(member_.device());
  outbox.status = AVRM_ERR_AGAIN;
  memory_.lacks = true;
  for (int i = 0; i < 100 && arrives(ActiveType::kPut, 1); ++i) {
  }
  for (const ActiveType type : {ActiveType::kKeyReply, ActiveType::kPutDone, ActiveType::kGetData, ActiveType::kRefused,
                                ActiveType::kMatched, ActiveType::kDeaths}) {
    EXPECT_TRUE(arrives(type, 1)) << static_cast<int>(type);
  }
  memory_.lacks = false;
}

// Live processes may wait for them.
TEST(ClosingDevice, SendsWaitingMessagesEvenIfItsFenceFails) {
  LoneMember member(100);
  ASSERT_EQ(member.open(), AVRM_OK);
  Outbox outbox(member.device());
  outbox.refusals = 10;
  ASSERT_EQ(
      detail::send_active(member.device(), {detail::kOwnWorld, 50}, ActiveHeader{}, nullptr, 0, detail::Retry::kLater),
      AVRM_OK);
  outbox.keep_to_the_end();
  member.refuse_fence(AVRM_ERR_PEER);
  EXPECT_EQ(member.close(), AVRM_ERR_PEER);
  EXPECT_EQ(outbox.sent.size(), 1U);
}

TEST(ClosingDevice, DropsMessagesThatTheNetworkKeepsRefusing) {
  LoneMember member(100);
  ASSERT_EQ(member.open(), AVRM_OK);
  Outbox outbox(member.device());
  outbox.status = AVRM_ERR_AGAIN;
  ASSERT_EQ(
      detail::send_active(member.device(), {detail::kOwnWorld, 50}, ActiveHeader{}, nullptr, 0, detail::Retry::kLater),
      AVRM_OK);
  outbox.keep_to_the_end();
  member.refuse_fence(AVRM_ERR_PEER);
  EXPECT_EQ(member.close(), AVRM_ERR_PEER);
  EXPECT_TRUE(outbox.sent.empty());
}

TEST(ClosingDevice, DropsMessagesToAProcessThatEndsMeanwhile) {
  LoneMember member(100);
  ASSERT_EQ(member.open(), AVRM_OK);
  avrm_device_t *const device = member.device();
  Outbox outbox(device);
  outbox.status = AVRM_ERR_AGAIN;
  ASSERT_EQ(detail::send_active(device, {detail::kOwnWorld, 50}, ActiveHeader{}, nullptr, 0, detail::Retry::kLater),
            AVRM_OK);
  outbox.keep_to_the_end();
  member.refuse_fence(AVRM_ERR_PEER, [device] { device->failure_detector.lost(device, 50); });
  EXPECT_EQ(member.close(), AVRM_ERR_PEER);
  EXPECT_EQ(outbox.attempts, 1) << "before it ended";
}

class UnknownSecret : public ActiveMessages, public testing::WithParamInterface<avrm_status_t> {};
INSTANTIATE_TEST_SUITE_P(All, UnknownSecret,
                         testing::Values(AVRM_ERR_NO_MEMORY, AVRM_ERR_SYSTEM, AVRM_ERR_TIMEOUT, AVRM_ERR_PEER),
                         [](const auto &status) { return std::string(avrm_status_name(status.param)); });

TEST_P(UnknownSecret, KeepsMessagesUntilTheLauncherAnswers) {
  avrm_device_t *const device = member_.device();
  Outbox outbox(device);
  device->boot->secret = {};
  member_.refuse_secret(GetParam());
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(arrives(ActiveType::kPut, 1));
  }
  EXPECT_LE(member_.secret_fetches(), 2 + (std::chrono::steady_clock::now() - start) / std::chrono::milliseconds(100))
      << "each costs a call to the launcher";
  member_.refuse_secret(AVRM_OK);
  bool is_taken = false;
  for (int i = 0; i < 400 && !is_taken; ++i) {
    usleep(5000);
    is_taken = arrives(ActiveType::kPut, 1);
  }
  EXPECT_TRUE(is_taken);
  EXPECT_EQ(outbox.sent.size(), 1U);
  EXPECT_EQ(member_.reports(), 0);
}

} // namespace
} // namespace avrankmap::test
