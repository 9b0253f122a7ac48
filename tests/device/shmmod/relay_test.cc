// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two endpoints of one process, of which one or both cannot attach the other's memory. The network
// between them lets messages overtake one another, refuses them at times, and may carry anything.
#include <gtest/gtest.h>

#include <climits>
#include <deque>

#include "posix/endpoint.h"
#include "posix/posix.h"
#include "tests/device/limits/low_limit.h"
#include "tests/device/shmmod/local_job.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using detail::posix::Card;
using detail::posix::Endpoint;
using detail::posix::kSlots;
using detail::posix::Relay;
using detail::posix::RelayMessage;

constexpr std::size_t kRelayMax = 6000; // less than a record with the most data

class Side {
public:
  Side(int rank, std::mt19937_64 &engine, bool has_net = true) : rank_(rank), engine_(engine) {
    avrm_shmmod_config_t config{};
    config.local_rank = rank;
    config.local_size = 2;
    config.process = 100 + rank;
    config.user = this;
    config.on_message = [](void *user, const avrm_arrival_t *arrival) {
      return static_cast<Side *>(user)->on_message(*arrival);
    };
    config.on_am = [](void *user, const void *data, std::size_t bytes) {
      const auto *const first = static_cast<const unsigned char *>(data);
      static_cast<Side *>(user)->actives.emplace_back(first, first + bytes);
      return true;
    };
    if (has_net) {
      config.relay_max = kRelayMax;
      config.relay = [](void *user, std::int32_t process, const void *header, std::size_t header_bytes,
                        const void *payload, std::size_t payload_bytes) {
        return static_cast<Side *>(user)->relay(process, header, header_bytes, payload, payload_bytes);
      };
      config.on_apart = [](void *user, std::int32_t process, avrm_status_t reason) {
        auto *const self = static_cast<Side *>(user);
        EXPECT_EQ(process, 101 - self->rank_);
        EXPECT_EQ(reason, AVRM_ERR_PEER);
        ++self->reports;
      };
    }
    EXPECT_EQ(avrm_shmmod_posix()->open(&config, &shm), AVRM_OK);
  }
  ~Side() { avrm_shmmod_posix()->close(shm); }
  Side(const Side &) = delete;
  Side &operator=(const Side &) = delete;

  // By a pid that no process has, if it is not to be found.
  avrm_status_t connect(const Side &peer, bool finds) const {
    Card card;
    std::size_t bytes = sizeof card;
    EXPECT_EQ(peer.shm->ops->card(peer.shm, &card, &bytes), AVRM_OK);
    card.shm_file.pid = finds ? card.shm_file.pid : INT32_MAX;
    return shm->ops->connect(shm, peer.rank_, &card, bytes);
  }

  // Some of what this side has given to the network arrives, in any order.
  void deliver_to(Side &peer) {
    while (!under_way_.empty() && below(engine_, 4) != 0) {
      const std::size_t which = below(engine_, std::min<std::size_t>(under_way_.size(), 8));
      const Bytes message = under_way_[which];
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
      peer.shm->ops->relayed(peer.shm, message.data(), message.size());
    }
  }
  // All of it arrives, in order, but the first `kept` messages, which are still under way.
  void deliver_all_to(Side &peer, std::size_t kept = 0) {
    while (under_way_.size() > kept) {
      const Bytes message = under_way_[kept];
      under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(kept));
      peer.shm->ops->relayed(peer.shm, message.data(), message.size());
    }
  }
  void progress() {
    (void)shm->ops->progress(shm);
    while (!offered.empty()) { // takes what it was offered, late
      Arrived *const message = offered.front();
      offered.pop_front();
      message->data.assign(message->bytes, 0);
      message->take = std::make_unique<Request>();
      ASSERT_EQ(shm->ops->take(shm, message->source, message->ticket, message->data.data(), message->data.size(),
                               message->take.get()),
                AVRM_OK);
    }
  }

  avrm_shmmod_t *shm = nullptr;
  std::deque<Arrived> arrived;
  std::deque<Arrived *> offered;
  std::vector<Bytes> actives;
  int reports = 0;
  // Of the network:
  bool is_dead = false;
  int accepts = INT_MAX; // so many more
  int calls = 0;

private:
  bool on_message(const avrm_arrival_t &arrival) {
    const auto *const data = static_cast<const unsigned char *>(arrival.data);
    Arrived &message = arrived.emplace_back();
    message.source = arrival.local_rank;
    message.match = arrival.match;
    message.bytes = arrival.bytes;
    message.ticket = arrival.ticket;
    if (data != nullptr) {
      message.data.assign(data, data + arrival.bytes);
    } else {
      offered.push_back(&message);
    }
    return true;
  }
  avrm_status_t relay(std::int32_t process, const void *header, std::size_t header_bytes, const void *payload,
                      std::size_t payload_bytes) {
    EXPECT_EQ(process, 101 - rank_);
    EXPECT_LE(header_bytes + payload_bytes, kRelayMax);
    ++calls;
    if (is_dead) {
      return AVRM_ERR_TRANSPORT;
    }
    if (accepts == 0 || (accepts == INT_MAX && below(engine_, 3) == 0)) {
      return AVRM_ERR_AGAIN;
    }
    accepts -= accepts == INT_MAX ? 0 : 1;
    const auto *const head = static_cast<const unsigned char *>(header);
    const auto *const body = static_cast<const unsigned char *>(payload);
    Bytes &message = under_way_.emplace_back();
    message.assign(head, head + header_bytes);
    message.insert(message.end(), body, body + payload_bytes);
    return AVRM_OK;
  }

  int rank_;
  std::mt19937_64 &engine_;
  std::deque<Bytes> under_way_;
};

std::size_t any_size(std::mt19937_64 &engine) {
  const std::size_t most[] = {1, 48, 49, 5000, 8192, 8193, 40000, 200000};
  return below(engine, most[below(engine, std::size(most))] + 1);
}

// Messages of every size and active messages, both ways.
void exchange(bool first_finds, bool second_finds) {
  std::mt19937_64 engine = seeded_engine();
  constexpr std::size_t kMessages = 600; // more than a ring has slots
  Side sides[] = {{0, engine}, {1, engine}};
  ASSERT_EQ(sides[0].connect(sides[1], first_finds), AVRM_OK);
  ASSERT_EQ(sides[1].connect(sides[0], second_finds), AVRM_OK);
  std::vector<Bytes> sent[2];
  std::deque<Request> requests;
  std::size_t actives[2] = {};
  const auto all_are_here = [&] {
    return std::all_of(requests.begin(), requests.end(),
                       [](const Request &request) { return request.completions == 1; }) &&
           sides[0].actives.size() == actives[1] && sides[1].actives.size() == actives[0] &&
           sides[0].arrived.size() == kMessages && sides[1].arrived.size() == kMessages &&
           std::all_of(sides[0].arrived.begin(), sides[0].arrived.end(), std::mem_fn(&Arrived::whole)) &&
           std::all_of(sides[1].arrived.begin(), sides[1].arrived.end(), std::mem_fn(&Arrived::whole));
  };
  const auto step = [&] {
    sides[0].deliver_to(sides[1]);
    sides[1].deliver_to(sides[0]);
    sides[below(engine, 2)].progress();
  };
  while (sent[0].size() < kMessages || sent[1].size() < kMessages) {
    const std::size_t from = below(engine, 2);
    if (sent[from].size() == kMessages) {
      continue;
    }
    Side &side = sides[from];
    const auto to = static_cast<std::int32_t>(1 - from);
    const Bytes &data = sent[from].emplace_back(content(engine(), any_size(engine)));
    Request &request = requests.emplace_back();
    const std::uint64_t match = sent[from].size();
    while (side.shm->ops->send(side.shm, to, match, data.data(), data.size(), &request) == AVRM_ERR_AGAIN) {
      step();
    }
    if (below(engine, 8) == 0) {
      const Bytes payload = content(match, below(engine, 8000));
      while (side.shm->ops->am_send(side.shm, to, &match, sizeof match, payload.data(), payload.size()) ==
             AVRM_ERR_AGAIN) {
        step();
      }
      ++actives[from];
    }
    step();
  }
  while (!all_are_here()) {
    step();
  }
  for (std::size_t to = 0; to < 2; ++to) {
    EXPECT_EQ(sides[to].reports, (to == 0 ? first_finds : second_finds) ? 0 : 1);
    for (std::size_t i = 0; i < kMessages; ++i) {
      ASSERT_EQ(sides[to].arrived[i].match, i + 1) << "out of order";
      ASSERT_EQ(sides[to].arrived[i].data, sent[1 - to][i]) << i;
    }
    for (const Bytes &active : sides[to].actives) {
      std::uint64_t match = 0;
      std::memcpy(&match, active.data(), sizeof match);
      EXPECT_EQ(Bytes(active.begin() + sizeof match, active.end()), content(match, active.size() - sizeof match));
    }
  }
}

TEST(Relay, CarriesEverythingInOrderIfOneSideAttaches) { exchange(false, true); }
TEST(Relay, CarriesEverythingInOrderIfNoSideAttaches) { exchange(false, false); }

TEST(Relay, IsNotTakenWithoutANetwork) {
  std::mt19937_64 engine = seeded_engine();
  const Side first(0, engine, false);
  const Side second(1, engine, false);
  EXPECT_EQ(first.connect(second, false), AVRM_ERR_PEER);
  EXPECT_EQ(first.connect(second, true), AVRM_OK) << "later";
}

// Callers repeat what fails for lack of memory.
TEST(Relay, IsTakenOnceThereIsMemory) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers end a process without memory";
  }
  std::mt19937_64 engine = seeded_engine();
  Side first(0, engine);
  const Side second(1, engine);
  {
    std::deque<std::unique_ptr<Relay>> taken;
    const LowLimit none(RLIMIT_AS, 0);
    do { // what this process has freed earlier
      taken.emplace_back(new (std::nothrow) Relay);
    } while (taken.back() != nullptr);
    EXPECT_EQ(first.connect(second, false), AVRM_ERR_NO_MEMORY);
  }
  EXPECT_EQ(first.connect(second, false), AVRM_OK);
}

TEST(Relay, AcceptsNothingBeforeTheNetworkTakesIt) {
  std::mt19937_64 engine = seeded_engine();
  Side first(0, engine);
  Side second(1, engine);
  ASSERT_EQ(first.connect(second, false), AVRM_OK);
  first.is_dead = true;
  EXPECT_EQ(first.shm->ops->send(first.shm, 1, 1, nullptr, 0, nullptr), AVRM_ERR_TRANSPORT);
  EXPECT_EQ(first.shm->ops->am_send(first.shm, 1, nullptr, 0, nullptr, 0), AVRM_ERR_TRANSPORT);
  first.is_dead = false;
  avrm_status_t status = AVRM_ERR_AGAIN;
  while ((status = first.shm->ops->send(first.shm, 1, 2, nullptr, 0, nullptr)) == AVRM_ERR_AGAIN) {
  }
  ASSERT_EQ(status, AVRM_OK);
  while (second.arrived.empty()) {
    first.progress();
    first.deliver_to(second);
    second.progress();
  }
  EXPECT_EQ(second.arrived.size(), 1U);
  EXPECT_EQ(second.arrived[0].match, 2U);
}

TEST(Relay, IsQuietWhenNothingHappens) {
  std::mt19937_64 engine = seeded_engine();
  Side sides[] = {{0, engine}, {1, engine}};
  ASSERT_EQ(sides[0].connect(sides[1], false), AVRM_OK);
  const auto turn = [&] {
    for (Side &side : sides) {
      side.progress();
      side.deliver_to(sides[&side == sides ? 1 : 0]);
    }
  };
  for (std::size_t i = 0; i < kSlots; ++i) {
    while (sides[0].shm->ops->send(sides[0].shm, 1, 1, nullptr, 0, nullptr) == AVRM_ERR_AGAIN) {
      turn();
    }
  }
  while (sides[1].arrived.size() != kSlots) {
    turn();
  }
  for (int i = 0; i < 100; ++i) { // counts are on their way
    turn();
  }
  const int before = sides[0].calls + sides[1].calls;
  for (int i = 0; i < 100; ++i) {
    turn();
  }
  EXPECT_EQ(sides[0].calls + sides[1].calls, before);
}

// The receiver has told all counts, and tells no further one before it gets a record.
TEST(Relay, GoesOnIfAnOldCountArrivesLast) {
  std::mt19937_64 engine = seeded_engine();
  Side first(0, engine);
  Side second(1, engine);
  first.accepts = second.accepts = 1000;
  ASSERT_EQ(first.connect(second, false), AVRM_OK);
  ASSERT_EQ(second.connect(first, true), AVRM_OK);
  const auto send = [&] { return first.shm->ops->send(first.shm, 1, 1, nullptr, 0, nullptr); };
  std::size_t sent = 0;
  for (int lap = 0; lap < 2; ++lap) { // until the ring is full
    while (send() == AVRM_OK) {
      ++sent;
    }
    first.deliver_all_to(second);
    while (second.arrived.size() < sent) {
      second.progress();
    }
    second.deliver_all_to(first, 1); // the first count stays behind
  }
  second.deliver_all_to(first);
  EXPECT_EQ(send(), AVRM_OK);
}

TEST(Relay, KeepsAProcessAwakeWhileARecordWaitsAndThePeerLives) {
  std::mt19937_64 engine = seeded_engine();
  Side first(0, engine);
  const Side second(1, engine);
  ASSERT_EQ(first.connect(second, false), AVRM_OK);
  first.accepts = 1; // the greeting
  ASSERT_EQ(first.shm->ops->send(first.shm, 1, 1, nullptr, 0, nullptr), AVRM_OK);
  int descriptor = -1;
  EXPECT_EQ(first.shm->ops->arm(first.shm, &descriptor), AVRM_ERR_UNSUPPORTED);
  first.shm->ops->peer_failed(first.shm, 1);
  EXPECT_EQ(first.shm->ops->arm(first.shm, &descriptor), AVRM_OK);
  first.shm->ops->disarm(first.shm);
}

// A sender waits for them.
TEST(Relay, RepeatsAnswersWhateverTheNetworkRefuses) {
  std::mt19937_64 engine = seeded_engine();
  Side sides[] = {{0, engine}, {1, engine}};
  ASSERT_EQ(sides[0].connect(sides[1], true), AVRM_OK);
  ASSERT_EQ(sides[1].connect(sides[0], false), AVRM_OK);
  const Bytes data = content(1, 100000);
  Request request;
  ASSERT_EQ(sides[0].shm->ops->send(sides[0].shm, 1, 1, data.data(), data.size(), &request), AVRM_OK);
  sides[1].is_dead = true;
  for (int i = 0; i < 10; ++i) {
    sides[1].progress();
  }
  sides[1].is_dead = false;
  while (request.completions == 0 || !sides[1].arrived[0].whole()) {
    sides[0].progress();
    sides[1].progress();
    sides[1].deliver_to(sides[0]);
  }
  EXPECT_EQ(sides[1].arrived[0].take->status, AVRM_OK);
  EXPECT_EQ(sides[1].arrived[0].data, data);
}

TEST(Relay, EndsWithItsPeer) {
  std::mt19937_64 engine = seeded_engine();
  Side first(0, engine);
  const Side second(1, engine);
  ASSERT_EQ(first.connect(second, false), AVRM_OK);
  const Bytes data(100000);
  Request request;
  while (first.shm->ops->send(first.shm, 1, 1, data.data(), data.size(), &request) == AVRM_ERR_AGAIN) {
  }
  first.shm->ops->peer_failed(first.shm, 1);
  EXPECT_EQ(request.completions, 1);
  EXPECT_EQ(request.status, AVRM_ERR_PEER);
  EXPECT_EQ(first.shm->ops->send(first.shm, 1, 1, nullptr, 0, nullptr), AVRM_ERR_PEER);
}

// Whatever a member of the job sends instead of records.
TEST(Relay, SurvivesAnything) {
  std::mt19937_64 engine = seeded_engine();
  Side side(0, engine);
  const Side peer(1, engine);
  ASSERT_EQ(side.connect(peer, false), AVRM_OK);
  for (int i = 0; i < 100000; ++i) {
    RelayMessage message{};
    message.what = static_cast<RelayMessage::What>(below(engine, 5));
    message.sender = static_cast<std::int32_t>(below(engine, 4)) - 1;
    message.offset = below(engine, 4) == 0 ? engine() : below(engine, 2 * detail::posix::kDataBytes);
    message.header = (1 + below(engine, 2 * kSlots)) << 32 | below(engine, 10000) << 8 | below(engine, 16);
    for (unsigned char &byte : message.body) {
      byte = static_cast<unsigned char>(below(engine, 3) == 0 ? engine() : 0);
    }
    Bytes bytes(below(engine, sizeof message + 9000));
    std::copy_n(reinterpret_cast<const unsigned char *>(&message), std::min(bytes.size(), sizeof message),
                bytes.begin());
    side.shm->ops->relayed(side.shm, bytes.data(), bytes.size());
    if (below(engine, 64) == 0) {
      (void)side.shm->ops->progress(side.shm);
      side.offered.clear();
      side.arrived.clear();
      side.actives.clear();
    }
  }
}

} // namespace
} // namespace avrankmap::test
