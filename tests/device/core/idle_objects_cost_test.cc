// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What exists and is not concerned costs nothing: progress, and messages about one communicator or
// window, take as many instructions among thousands of communicators, windows, agreements and
// creations as among few.
#if AVRM_WITH_COUNTERS
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "avrankmap/device/comm.h"
#include "avrankmap/device/ft.h"
#include "comm_calls/free_consensus.h"
#include "core/peers/worlds.h"
#include "dynamic/link.h"
#include "dynamic/state.h"
#include "rma/window.h"
#include "tests/device/core/synthetic_job.h"

extern "C" {
// What is counted.
[[gnu::noinline, gnu::used]] int avrm_test_progress(avrm_device_t *device) { return avrm_progress(device); }
[[gnu::noinline, gnu::used]] void avrm_test_message(avrm_device_t *device,
                                                    const avrankmap::detail::ActiveHeader *header, const void *payload,
                                                    std::size_t bytes) {
  device->upcalls->on_active(device, *header, payload, bytes);
}
[[gnu::noinline, gnu::used]] void avrm_test_open_link(avrm_device_t *device, avrankmap::detail::Link *link, int end) {
  avrankmap::detail::open_link(device, link, avrankmap::detail::Socket(end));
}
[[gnu::noinline, gnu::used]] const void *avrm_test_find_world(avrm_device_t *device, std::int32_t pgid) {
  return avrankmap::detail::find_world(device, pgid);
}
[[gnu::noinline, gnu::used]] avrm_status_t avrm_test_free(avrm_comm_t *comm) { return avrm_comm_free(comm); }
[[gnu::noinline, gnu::used]] void avrm_test_tell_links(avrm_device_t *device) { avrankmap::detail::tell_links(device); }
}

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;

constexpr std::int32_t kSize = 200; // processes
constexpr int kFewLive = 8;
constexpr int kManyLive = 2000;
constexpr double kLevels = 400;                        // of trees, of which more objects have more
constexpr std::uint32_t kContextOfDup = 3 * kManyLive; // not one of those that are live

void open_link(avrm_device_t *device, detail::Link *link, int end) {
  detail::open_link(device, link, detail::Socket(end));
}

// Another world of a few processes, one of which is connected, with a link to it. Returns the other
// end's socket.
int link_to_new_world(avrm_device_t *device, std::uint64_t number, decltype(open_link) *open = open_link) {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  detail::World *world = nullptr;
  require(detail::know_world(device, {{number, 1}}, 4, &world));
  EXPECT_TRUE(world->contacted.make_room(device->instance->memory));
  world->contacted.add(1);
  const avrm_rankmap_t *const all = avrm_comm_map(device->world);
  detail::Link *link = nullptr;
  require(detail::new_link(device, all, all, &link));
  link->beyond.append(world->name);
  open(device, link, ends[0]);
  return ends[1];
}

// A device with objects of all kinds. It is never closed, as what is pending never ends.
class Crowded {
public:
  explicit Crowded(int live) {
    job_.open();
    for (int i = 0; i < live; ++i) {
      comms_.push_back(job_.part(kSize, 0, 1));
      windows_.emplace_back();
      require(avrm_window_create(comms_.back(), memory_, sizeof memory_, 0, &windows_.back()));
    }
  }
  [[nodiscard]] avrm_device_t *device() const { return job_.device(); }
  // In the middle of all.
  [[nodiscard]] avrm_comm_t *comm() const { return comms_[comms_.size() / 2]; }
  [[nodiscard]] const std::vector<avrm_comm_t *> &comms() const { return comms_; }
  [[nodiscard]] avrm_window_t *window() const { return windows_[windows_.size() / 2]; }

  void create() {
    pending_.emplace_back();
    avrm_request_t *request = nullptr;
    require(avrm_comm_idup(job_.world(), &pending_.back(), &request));
  }
  void agree(avrm_comm_t *comm) {
    votes_.push_back(1);
    avrm_request_t *request = nullptr;
    require(avrm_comm_iagree(comm, &votes_.back(), &request));
  }
  // A synchronous message to process 1, which waits for its acknowledgement.
  void send_synchronously(std::int32_t tag) {
    sends_.push_back(nullptr);
    require(avrm_issend(job_.world(), memory_, sizeof memory_[0], 1, tag, &sends_.back()));
  }
  [[nodiscard]] bool is_sent(std::int32_t tag) const { return sends_[static_cast<std::size_t>(tag)]->done != 0; }
  void lose(std::int32_t lpid) { job_.lose({lpid}); }
  // A link to another world. Returns the other end's socket.
  int link(decltype(open_link) *open = open_link) { return link_to_new_world(device(), ++worlds_, open); }
  // What all have begun has begun to wait.
  void settle() const {
    while (avrm_progress(device()) != 0) {
    }
    for (int i = 0; i < 100; ++i) {
      avrm_progress(device());
    }
  }

private:
  Job job_{kSize, AVRM_DEVICE_AV_TABLE, nullptr};
  std::vector<avrm_comm_t *> comms_;
  std::vector<avrm_window_t *> windows_;
  std::deque<avrm_comm_t *> pending_;
  std::deque<std::uint64_t> votes_;
  std::vector<avrm_request_t *> sends_;
  std::uint64_t worlds_ = 0;
  std::uint64_t memory_[8] = {};
};

// call(crowded) calls the function, among few and among many.
template <typename Function, typename Call> void expect_same(Function *function, Call call) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<std::uint64_t> counts;
  for (const int live : {kFewLive, kManyLive}) {
    const auto run = [&] {
      Crowded crowded(live);
      call(crowded);
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(function, run, options);
    AVRM_ASSERT_COUNTED(counted);
    counts.push_back(own_instructions(*counted));
    EXPECT_GT(counts.back(), 10U);
  }
  EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]), kLevels);
}

TEST(IdleObjects, CommunicatorsCostProgressNothingDuringACreation) {
  expect_same(avrm_test_progress, [](Crowded &crowded) {
    crowded.create();
    crowded.settle();
    avrm_test_progress(crowded.device());
  });
}

TEST(IdleObjects, CommunicatorsCostProgressNothingAfterARevocation) {
  expect_same(avrm_test_progress, [](Crowded &crowded) {
    require(avrm_comm_revoke(crowded.comm()));
    crowded.settle();
    avrm_test_progress(crowded.device());
  });
}

// Each waits for the other processes, which do not come.
TEST(IdleObjects, CreationsAndAgreementsThatWaitCostProgressNothing) {
  expect_same(avrm_test_progress, [](Crowded &crowded) {
    for (avrm_comm_t *const comm : crowded.comms()) {
      crowded.create();
      crowded.agree(comm);
    }
    crowded.settle();
    avrm_test_progress(crowded.device());
  });
}

TEST(IdleObjects, WindowsCostADeathNothing) {
  expect_same(avrm_test_progress, [](Crowded &crowded) {
    crowded.lose(1);
    avrm_test_progress(crowded.device());
  });
}

// Nor do those of another world. First contacts in descending order make a run of each process.
TEST(IdleObjects, ContactedProcessesCostADeathNothing) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  constexpr std::int32_t kDead = 5;
  std::vector<std::uint64_t> counts;
  for (const std::int32_t contacts : {kFewLive, kManyLive}) {
    const auto run = [contacts] {
      Job job(kManyLive + 1, AVRM_DEVICE_AV_TABLE, nullptr);
      job.open();
      for (std::int32_t rank = contacts; rank > 0; --rank) {
        avrm_request_t *request = nullptr;
        require(avrm_isend(job.world(), nullptr, 0, rank, 0, &request));
        require(avrm_wait(&request, nullptr));
      }
      job.lose({kDead});
      avrm_test_progress(job.device());
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(avrm_test_progress, run, options);
    AVRM_ASSERT_COUNTED(counted);
    counts.push_back(own_instructions(*counted));
  }
  EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]), kLevels);
}

// Each is looked at, and no world is searched for among the others.
TEST(IdleObjects, ADeathCostsFewInstructionsPerLinkAndWorld) {
  constexpr int kLinks = 200; // as many as there may be descriptors
  constexpr std::uint64_t kPerLink = 300;
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  const auto run = [] {
    Crowded crowded(1);
    for (int i = 0; i < kLinks; ++i) {
      crowded.link();
    }
    crowded.lose(1);
    avrm_test_progress(crowded.device());
  };
  const counters::Result<counters::StepCount> counted = counters::count_call(avrm_test_progress, run, options);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_LT(own_instructions(*counted), kLinks * kPerLink);
}

TEST(IdleObjects, LivingProcessesCostTheReportOfADeathNothing) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  std::vector<std::uint64_t> counts;
  for (const std::int32_t size : {kSize, 1000 * kSize}) {
    const auto run = [size] {
      Job job(size, AVRM_DEVICE_AV_IMPLICIT, nullptr);
      job.open();
      link_to_new_world(job.device(), 1);
      job.lose({size - 1});
      avrm_test_tell_links(job.device());
    };
    const counters::Result<counters::StepCount> counted = counters::count_call(avrm_test_tell_links, run, options);
    AVRM_ASSERT_COUNTED(counted);
    counts.push_back(own_instructions(*counted));
    EXPECT_GT(counts.back(), 10U);
  }
  EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]), kLevels);
}

TEST(IdleObjects, LinksCostTheOpeningOfOneNothing) {
  expect_same(avrm_test_open_link, [](Crowded &crowded) {
    for (std::size_t i = 0; i < std::min<std::size_t>(crowded.comms().size(), 200); ++i) {
      crowded.link();
    }
    crowded.link(avrm_test_open_link);
  });
}

TEST(IdleObjects, WorldsCostTheSearchForOneNothing) {
  expect_same(avrm_test_find_world, [](Crowded &crowded) {
    for (std::size_t i = 0; i < std::min<std::size_t>(crowded.comms().size(), 200); ++i) {
      crowded.link();
    }
    require(avrm_test_find_world(crowded.device(), 1) != nullptr ? AVRM_OK : AVRM_ERR_MISMATCH);
  });
}

TEST(IdleObjects, WorldsCostTheEndOfACommunicatorNothing) {
  expect_same(avrm_test_free, [](Crowded &crowded) {
    for (std::size_t i = 0; i < std::min<std::size_t>(crowded.comms().size(), 200); ++i) {
      crowded.link();
      avrm_av_t *av = nullptr;
      require(avrm_av_hold(avrm_device_instance(crowded.device()), crowded.device()->worlds->av->pgid, &av));
    }
    avrm_comm_t *dup = nullptr;
    avrm_rankmap_t map{};
    require(avrm_rankmap_dup(avrm_comm_map(crowded.comm()), &map));
    require(avrm_comm_create_local(crowded.device(), &map, 0, kContextOfDup, &dup));
    require(avrm_test_free(dup));
  });
}

// Of the looks at the sockets to other worlds each reads a few.
TEST(IdleObjects, LinksCostProgressNothing) {
  expect_same(avrm_test_progress, [](Crowded &crowded) {
    // No more, as descriptors are few.
    for (std::size_t i = 0; i < std::min<std::size_t>(crowded.comms().size(), 200); ++i) {
      crowded.link();
    }
    crowded.settle();
    do {
      avrm_progress(crowded.device());
    } while (crowded.device()->dynamic->looks_at_links % 64 != 63);
    avrm_test_progress(crowded.device());
  });
}

// All of them are read at last.
TEST(IdleObjects, LinksThatHaveEndedAreSeen) {
  Crowded crowded(100);
  int other = -1;
  for (int i = 0; i < 100; ++i) {
    other = crowded.link();
  }
  close(other);
  const std::uint32_t served = crowded.device()->served;
  crowded.settle();
  for (int i = 0; i < 64 * 100; ++i) {
    avrm_progress(crowded.device());
  }
  EXPECT_EQ(crowded.device()->served, served - 1);
}

ActiveHeader header_of(const Crowded &crowded, ActiveType type) {
  ActiveHeader header = detail::header_about(crowded.device(), type, crowded.comm()->context, 1, 0);
  header.position = 1; // signed by that process
  return header;
}

TEST(IdleObjects, CommunicatorsCostARevocationNothing) {
  expect_same(avrm_test_message, [](Crowded &crowded) {
    const ActiveHeader header = header_of(crowded, ActiveType::kRevoke);
    avrm_test_message(crowded.device(), &header, nullptr, 0);
  });
}

TEST(IdleObjects, CommunicatorsCostADisconnectNothing) {
  expect_same(avrm_test_message, [](Crowded &crowded) {
    ActiveHeader header = header_of(crowded, ActiveType::kFreeConsensus);
    header.window = crowded.comms().size() + 1; // none that exists
    avrm_test_message(crowded.device(), &header, nullptr, 0);
  });
}

// The last of many, which all have different match bits.
TEST(IdleObjects, SynchronousMessagesCostAnAcknowledgementNothing) {
  expect_same(avrm_test_message, [](Crowded &crowded) {
    const auto count = static_cast<std::int32_t>(crowded.comms().size());
    crowded.device()->net->capabilities &= ~static_cast<unsigned>(AVRM_NETMOD_SYNC);
    for (std::int32_t tag = 0; tag < count; ++tag) {
      crowded.send_synchronously(tag);
    }
    ActiveHeader header{};
    header.type = ActiveType::kMatched;
    header.sender = 1;
    header.window = crowded.device()->world->send_match | static_cast<std::uint32_t>(count - 1);
    avrm_test_message(crowded.device(), &header, nullptr, 0);
    require(crowded.is_sent(count - 1) && !crowded.is_sent(count - 2) ? AVRM_OK : AVRM_ERR_MISMATCH);
  });
}

TEST(IdleObjects, WindowsCostAnOperationOnOneNothing) {
  expect_same(avrm_test_message, [](Crowded &crowded) {
    ActiveHeader header{};
    header.type = ActiveType::kPut;
    header.sender = 1;
    header.window = crowded.window()->id;
    header.block = header.pitch = header.bytes = sizeof(std::uint64_t);
    const std::uint64_t value = 1;
    avrm_test_message(crowded.device(), &header, &value, sizeof value);
  });
}

} // namespace
} // namespace avrankmap::test
#endif
