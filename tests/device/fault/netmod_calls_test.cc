// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Netmods whose library fails, call by call. A failed call affects its operation only, and
// afterwards everything works.
#include <string>

#include "tests/device/fault/netmod_pair.h"

namespace avrankmap::test {
namespace {

// All kinds of operations from a to b, and some from b to a, once. Each round has its own messages.
class Round {
public:
  Round(End &a, End &b, std::uint64_t number) : a_(a), b_(b), number_(number << 8) {
    fill_from(small_, 3);
    fill_from(middle_, 5);
    fill_from(large_, 7);
  }

  template <typename Insist> void post(Insist insist) {
    const auto send = [&](End &from, std::uint64_t tag, Bytes &buffer, std::size_t pieces, TestRequest &request) {
      const std::size_t half = buffer.size() / 2;
      const avrm_piece_t list[2] = {{buffer.data(), pieces == 1 ? buffer.size() : half},
                                    {buffer.data() + half, buffer.size() - half}};
      // The large message is synchronous where the netmod has that.
      const bool is_sync = tag == 2 && (from.net->capabilities & AVRM_NETMOD_SYNC) != 0;
      const auto call = is_sync ? from.ops->tsend_sync : from.ops->tsend;
      note(request, insist([&] { return call(from.net, from.peer, number_ + tag, list, pieces, &request); }));
    };
    for (std::size_t i = 0; i < kReceives; ++i) {
      receive(i, insist);
    }
    injected_ = insist([&] { return a_.ops->tinject(a_.net, small_.data(), small_.size(), a_.peer, number_); });
    note(injected_);
    send(a_, 1, middle_, std::min<std::size_t>(2, a_.net->pieces_max), requests_[4]);
    send(a_, 2, large_, 1, requests_[5]);
    send(b_, 3, middle_, 1, requests_[6]);
    for (const std::size_t bytes : {std::size_t{0}, a_.net->am_max - 40}) {
      const avrm_status_t status =
          insist([&] { return a_.ops->am_send(a_.net, a_.peer, middle_.data(), 40, large_.data(), bytes); });
      note(status);
      active_ += status == AVRM_OK ? 1 : 0;
    }
  }

  // Receives that were refused; their messages are on the way.
  template <typename Insist> void receive_again(Insist insist) {
    for (std::size_t i = 0; i < kReceives; ++i) {
      if (requests_[i].posted != AVRM_OK) {
        receive(i, insist);
        EXPECT_EQ(requests_[i].posted, AVRM_OK);
      }
    }
  }

  // One-sided, from a to b's memory.
  template <typename Insist, typename Wait> void access(Insist insist, Wait wait) {
    avrm_netmod_memory_t *memory = nullptr;
    std::uint64_t remote = 0;
    std::uint64_t key = 0;
    bool opened = false;
    std::array<unsigned char, AVRM_NETMOD_KEY_MAX> text{};
    std::size_t bytes = text.size();
    note(b_.ops->memory_register(b_.net, window_.data(), window_.size(), 0, &memory));
    if (memory != nullptr) {
      const avrm_status_t described = b_.ops->memory_describe(b_.net, memory, text.data(), &bytes);
      note(described);
      if (described == AVRM_OK) {
        const avrm_status_t status = a_.ops->key_open(a_.net, a_.peer, text.data(), bytes, &remote, &key);
        note(status);
        opened = status == AVRM_OK;
      }
    }
    if (opened) {
      note(requests_[7],
           insist([&] { return a_.ops->put(a_.net, a_.peer, remote, key, large_.data(), kLarge, &requests_[7]); }));
      if ((a_.net->capabilities & AVRM_NETMOD_PUT_INJECT) != 0) {
        note(insist(
            [&] { return a_.ops->put_inject(a_.net, small_.data(), small_.size(), a_.peer, remote + kLarge, key); }));
      }
      if ((a_.net->capabilities & AVRM_NETMOD_ATOMIC) != 0) {
        operate(insist, remote + kLarge + small_.size(), key);
      }
      note(requests_[8], insist([&] { return a_.ops->flush(a_.net, a_.peer, &requests_[8]); }));
      wait();
      note(requests_[9],
           insist([&] { return a_.ops->get(a_.net, a_.peer, remote, key, got_.data(), kLarge, &requests_[9]); }));
      wait();
      a_.ops->key_close(a_.net, key);
    }
    if (memory != nullptr) {
      b_.ops->memory_release(b_.net, memory);
    }
  }

  [[nodiscard]] bool is_over() const {
    return std::all_of(requests_.begin(), requests_.end(),
                       [](const TestRequest &request) { return request.is_over(); });
  }
  [[nodiscard]] bool refuses_nothing() const { return refused_.empty(); }
  [[nodiscard]] bool is_accessed() const {
    return std::all_of(requests_.begin() + kFirstAccess, requests_.end(),
                       [](const TestRequest &request) { return request.is_over(); });
  }
  // Receives whose message was refused.
  void cancel_receives() {
    for (std::size_t i = 0; i < kReceives; ++i) {
      if ((i == 0 ? injected_ : requests_[kReceives + i - 1].posted) != AVRM_OK) {
        receiver(i).ops->cancel(receiver(i).net, &requests_[i]);
      }
    }
  }
  // Statuses of all operations that failed, except receives that were cancelled because their
  // message was refused.
  [[nodiscard]] std::vector<avrm_status_t> failures() const {
    std::vector<avrm_status_t> all = refused_;
    for (const TestRequest &request : requests_) {
      EXPECT_LE(request.completions, 1);
      if (request.posted == AVRM_OK && request.status != AVRM_OK && request.status != AVRM_ERR_CANCELLED) {
        all.push_back(request.status);
      }
    }
    return all;
  }
  // Checks what has arrived.
  void check() const {
    const Bytes *const sent[kReceives] = {&small_, &middle_, &large_, &middle_};
    for (std::size_t i = 0; i < kReceives; ++i) {
      if (requests_[i].completions == 1 && requests_[i].status == AVRM_OK) {
        EXPECT_EQ(in_[i], *sent[i]) << "message " << i;
        EXPECT_EQ(requests_[i].bytes, sent[i]->size());
      }
    }
    if (requests_[9].completions == 1 && requests_[9].status == AVRM_OK && requests_[8].status == AVRM_OK &&
        requests_[7].completions == 1 && requests_[7].status == AVRM_OK) {
      EXPECT_EQ(got_, large_);
    }
    if (requests_[11].completions == 1 && requests_[11].status == AVRM_OK && requests_[10].status == AVRM_OK) {
      EXPECT_EQ(old_, requests_[10].completions == 1 ? 5u : 0u);
    }
  }
  [[nodiscard]] std::size_t active_messages() const { return active_; } // that the netmod accepted
  [[nodiscard]] bool is_complete() const {
    const bool has_atomics = (a_.net->capabilities & AVRM_NETMOD_ATOMIC) != 0;
    return refused_.empty() && std::all_of(requests_.begin(), requests_.end() - (has_atomics ? 0 : 2),
                                           [](const TestRequest &request) { return request.completions == 1; });
  }

private:
  static constexpr std::size_t kReceives = 4; // then their sends, except the first
  static constexpr std::size_t kFirstAccess = 7;

  End &receiver(std::size_t i) { return i == 3 ? a_ : b_; }
  template <typename Insist> void receive(std::size_t i, Insist insist) {
    End &at = receiver(i);
    const avrm_piece_t piece{in_[i].data(), in_[i].size()};
    note(requests_[i],
         insist([&] { return at.ops->trecv(at.net, at.peer, number_ + i, 0, &piece, 1, &requests_[i]); }));
  }
  // An accumulate and, behind it, a compare-and-swap of the same element.
  template <typename Insist> void operate(Insist insist, std::uint64_t remote, std::uint64_t key) {
    const std::uint64_t five = 5;
    const avrm_netmod_atomic_t sum{AVRM_NETMOD_ATOMIC_SUM, sizeof five, 1, &five, nullptr, nullptr};
    const avrm_netmod_atomic_t swap{AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP, sizeof five, 1, &five, &five, &old_};
    for (const auto &[atomic, request] : {std::pair(&sum, &requests_[10]), std::pair(&swap, &requests_[11])}) {
      std::size_t count = 0;
      note(*request, insist([&, atomic = atomic, request = request] {
        return a_.ops->atomic(a_.net, a_.peer, remote, key, atomic, &count, request);
      }));
      EXPECT_TRUE(request->posted != AVRM_OK || count == 1);
    }
  }
  void note(avrm_status_t status) {
    if (status != AVRM_OK) {
      const Faults saved = faults(); // the list is no memory of the library
      disarm();
      refused_.push_back(status);
      faults() = saved;
    }
  }
  void note(TestRequest &request, avrm_status_t status) {
    request.posted = status;
    note(status);
  }

  End &a_;
  End &b_;
  std::uint64_t number_;
  Bytes small_ = Bytes(16);
  Bytes middle_ = Bytes(kMiddle);
  Bytes large_ = Bytes(kLarge);
  Bytes window_ = Bytes(kLarge + 16 + 8);
  std::uint64_t old_ = 99;
  Bytes got_ = Bytes(kLarge);
  std::array<Bytes, kReceives> in_{Bytes(16), Bytes(kMiddle), Bytes(kLarge), Bytes(kMiddle)};
  avrm_status_t injected_ = AVRM_ERR_PEER;
  std::size_t active_ = 0;
  std::vector<avrm_status_t> refused_;
  std::array<TestRequest, 12> requests_;
};

class NetmodRounds : public NetmodCalls {
protected:
  // A round with that fault. Returns the statuses of what failed.
  std::vector<avrm_status_t> play(const Shot *shot) {
    Round round(a_, b_, ++number_);
    if (shot != nullptr) {
      shot->arm();
    }
    const auto insistent = [&](auto post) { return insist(post); };
    round.post(insistent);
    round.access(insistent, [&] { wait_for([&] { return round.is_accessed(); }); });
    if (round.refuses_nothing()) { // otherwise some wait for what is repeated below
      wait_for([&] { return round.is_over(); });
    }
    // A message may have been lost with its completion, which looks the same as a late one.
    const bool all_come = shot == nullptr || (shot->families & kCompletions) == 0;
    for (std::size_t idle = 0; b_.arrived < round.active_messages() && (all_come || idle < kIdlePolls);) {
      idle = poll() == 0 ? idle + 1 : 0;
    }
    disarm();
    round.receive_again(insistent);
    round.cancel_receives();
    wait_for([&] { return round.is_over(); });
    EXPECT_TRUE(round.is_over()) << "a hang";
    round.check();
    if (shot == nullptr) {
      EXPECT_TRUE(round.is_complete());
      EXPECT_EQ(b_.arrived, 2u);
    }
    b_.arrived = 0;
    return round.failures();
  }

  // Every operation ends with `status` or succeeds, and the next round works.
  void sweep_rounds(unsigned families, Fault fault, avrm_status_t status, const SweepOptions &options = {}) {
    sweep(
        families, {fault},
        [&](const Shot &shot) {
          for (const avrm_status_t failure : play(&shot)) {
            EXPECT_EQ(failure, status) << avrm_status_name(failure) << " instead of " << avrm_status_name(status);
          }
          for (const avrm_status_t failure : play(nullptr)) {
            ADD_FAILURE() << "in the round after: " << avrm_status_name(failure);
          }
        },
        options);
  }
  void run_rounds(unsigned families, Fault fault, avrm_status_t status, const SweepOptions &options = {}) {
    in_process([&] {
      open_both();
      if (IsSkipped()) {
        return;
      }
      connect_both();
      play(nullptr);
      const int descriptors = open_descriptors();
      sweep_rounds(families, fault, status, options);
      EXPECT_EQ(open_descriptors(), descriptors);
      close_both();
    });
  }

private:
  template <typename Condition> void wait_for(Condition condition) {
    for (std::size_t polls = 0; !condition() && polls < kMostPolls; ++polls) {
      poll();
    }
  }
  std::uint64_t number_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Over, NetmodCalls, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)), kByName);
INSTANTIATE_TEST_SUITE_P(Over, NetmodRounds, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)), kByName);

TEST_P(NetmodCalls, OpeningThatFailsLeavesNothing) {
  in_warm_process([&](int descriptors) {
    sweep(kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory, Fault::kAgain},
          [&](const Shot &shot) {
            auto *const untouched = reinterpret_cast<avrm_netmod_t *>(this);
            a_.net = untouched;
            shot.arm();
            const avrm_status_t status = a_.open(GetParam());
            disarm();
            if (status == AVRM_OK) {
              a_.close();
            } else {
              EXPECT_TRUE(status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_NO_MEMORY || status == AVRM_ERR_SYSTEM)
                  << avrm_status_name(status);
              EXPECT_EQ(a_.net, untouched);
              EXPECT_STRNE(a_.ops->last_error(nullptr), "");
              a_.net = nullptr;
            }
            EXPECT_EQ(open_descriptors(), descriptors);
          },
          {.samples = 7});
    open_both();
    close_both();
  });
}

TEST_P(NetmodCalls, InsertionThatFailsCanBeRepeated) {
  in_process([&] {
    open_both();
    if (IsSkipped()) {
      return;
    }
    for (const Fault fault : {Fault::kHard, Fault::kNoMemory}) {
      sweep(kTransport | kMemory, {fault}, [&](const Shot &shot) {
        a_.peer = 12345;
        shot.arm();
        const avrm_status_t status = a_.insert(b_);
        disarm();
        if (faults().failed != 0) {
          EXPECT_TRUE(status == AVRM_ERR_TRANSPORT || status == AVRM_ERR_NO_MEMORY) << avrm_status_name(status);
          EXPECT_EQ(a_.peer, 12345u);
          ASSERT_EQ(a_.insert(b_), AVRM_OK);
        }
        a_.ops->remove(a_.net, a_.peer);
      });
    }
    close_both();
  });
}

// A second queue of a, through which a message is sent.
TEST_P(NetmodCalls, AQueueThatFailsLeavesTheFirstAsItWas) {
  in_process([&] {
    open_both();
    if (IsSkipped()) {
      return;
    }
    connect_both();
    const auto by_queue = [&](const Shot &shot) {
      End queue = a_;
      queue.net = nullptr;
      shot.arm();
      avrm_status_t status = queue.ops->open_queue(a_.net, &queue.net);
      const avrm_status_t inserted = status == AVRM_OK ? queue.insert(b_) : status;
      disarm();
      EXPECT_EQ(status == AVRM_OK, queue.net != nullptr);
      EXPECT_TRUE(status == AVRM_OK || status == AVRM_ERR_UNSUPPORTED || status == AVRM_ERR_NO_MEMORY ||
                  status == AVRM_ERR_SYSTEM)
          << avrm_status_name(status);
      if (inserted == AVRM_OK) {
        Bytes in(1);
        const unsigned char out = 7;
        const avrm_piece_t piece{in.data(), in.size()};
        TestRequest received;
        received.posted = b_.ops->trecv(b_.net, AVRM_ANY_ADDRESS, 5, 0, &piece, 1, &received);
        EXPECT_EQ(received.posted, AVRM_OK);
        status = insist([&] {
          queue.ops->progress(queue.net);
          return queue.ops->tinject(queue.net, &out, 1, queue.peer, 5);
        });
        EXPECT_EQ(status, AVRM_OK);
        for (std::size_t polls = 0; polls < kMostPolls && !received.is_over(); ++polls) {
          poll();
          queue.ops->progress(queue.net);
        }
        EXPECT_TRUE(received.is_over() && in[0] == out);
      }
      queue.close();
    };
    const Shot none{kTransport, Fault::kHard, INT64_MAX, 1};
    by_queue(none);
    // Once UCX has closed its endpoints.
    const int descriptors = open_descriptors_after(1000, -1, [&] { poll(); });
    sweep(kTransport | kMemory | kSystem, {Fault::kHard, Fault::kNoMemory},
          [&](const Shot &shot) {
            by_queue(shot);
            by_queue(none);
          },
          {.samples = 8});
    EXPECT_LE(open_descriptors_after(kClosesWithin, descriptors, [&] { poll(); }), descriptors);
    close_both();
  });
}

TEST_P(NetmodRounds, ACallThatFailsIsAStatusOfItsOperation) {
  run_rounds(kTransport, Fault::kHard, AVRM_ERR_TRANSPORT);
}

TEST_P(NetmodRounds, ACallWithoutMemoryIsAStatusOfItsOperation) {
  run_rounds(kTransport, Fault::kNoMemory, AVRM_ERR_NO_MEMORY);
}

TEST_P(NetmodRounds, ACallThatFindsNoPeerIsAStatusOfItsOperation) {
  run_rounds(kTransport, Fault::kPeer, AVRM_ERR_PEER);
}

// A call that posts nothing is not repeated: it has failed for lack of resources.
TEST_P(NetmodRounds, ATransportThatIsFullIsAskedAgain) { run_rounds(kTransport, Fault::kAgain, AVRM_ERR_NO_MEMORY); }

TEST_P(NetmodRounds, ATransportThatIsFullForLongIsAskedAgain) {
  run_rounds(kTransport, Fault::kAgain, AVRM_ERR_NO_MEMORY, {.samples = 6, .in_a_row = 500});
}

TEST_P(NetmodRounds, AnOperationThatEndsWithAnErrorSaysSo) {
  run_rounds(kCompletions, Fault::kHard, AVRM_ERR_TRANSPORT);
}

TEST_P(NetmodRounds, AnOperationThatEndsWithoutMemorySaysSo) {
  run_rounds(kCompletions, Fault::kNoMemory, AVRM_ERR_NO_MEMORY);
}

TEST_P(NetmodRounds, AnOperationThatEndsForWantOfRoomDoesNotSayAgain) {
  run_rounds(kCompletions, Fault::kAgain, AVRM_ERR_TRANSPORT);
}

TEST_P(NetmodRounds, AQueueThatCannotBeReadForAWhileLosesNothing) {
  if (!reads_a_queue(GetParam())) {
    GTEST_SKIP() << "this transport reads no completion queue";
  }
  run_rounds(kQueue, Fault::kHard, AVRM_OK);
  run_rounds(kQueue, Fault::kHard, AVRM_OK, {.samples = 3, .in_a_row = 500});
}

TEST_P(NetmodRounds, AnErrorThatCannotBeReadAtOnceIsReadLater) {
  if (!reads_a_queue(GetParam())) {
    GTEST_SKIP() << "this transport reads no completion queue";
  }
  run_rounds(kQueue | kCompletions, Fault::kHard, AVRM_ERR_TRANSPORT, {.samples = 16, .in_a_row = 2});
}

TEST_P(NetmodCalls, ActiveMessagesThatAreNotTakenAreKeptWithoutMemory) {
  in_process([&] {
    open_both();
    if (IsSkipped()) {
      return;
    }
    connect_both();
    const Bytes message(64);
    const auto send = [&] { return a_.ops->am_send(a_.net, a_.peer, message.data(), message.size(), nullptr, 0); };
    ASSERT_EQ(insist(send), AVRM_OK); // connects
    const auto arrive = [&](std::size_t count) {
      for (std::size_t polls = 0; polls < kMostPolls && b_.arrived < count; ++polls) {
        poll();
      }
      EXPECT_EQ(b_.arrived, count);
    };
    arrive(1);
    b_.takes = false;
    std::size_t sent = 1;
    while (sent < 60 && send() == AVRM_OK) {
      ++sent;
    }
    ASSERT_GT(sent, 30U);
    arm(kMemory, Fault::kNoMemory, 0, INT64_MAX);
    for (std::size_t polls = 0; polls < kIdlePolls; ++polls) {
      poll();
    }
    disarm();
    b_.takes = true;
    arrive(sent);
    EXPECT_EQ(b_.arrived_bytes, sent * message.size());
    close_both();
  });
}

TEST_P(NetmodCalls, ClosingThatFailsEndsEverythingAllTheSame) {
  in_warm_process([&](int descriptors) {
    sweep(kTransport | kQueue | kMemory | kSystem, {Fault::kHard, Fault::kAgain},
          [&](const Shot &shot) {
            open_both();
            connect_both();
            Round round(a_, b_, 1);
            round.post([&](auto post) { return insist(post); });
            for (std::size_t polls = 0; polls < kMostPolls && !round.is_over(); ++polls) {
              poll();
            }
            Bytes buffer(16);
            const avrm_piece_t piece{buffer.data(), buffer.size()};
            TestRequest never_sent;
            never_sent.posted = b_.ops->trecv(b_.net, b_.peer, 1u << 20, 0, &piece, 1, &never_sent);
            EXPECT_EQ(never_sent.posted, AVRM_OK);
            shot.arm();
            close_both();
            disarm();
            EXPECT_TRUE(round.is_over() && round.failures().empty());
            EXPECT_EQ(never_sent.completions, 1);
            EXPECT_EQ(never_sent.status, AVRM_ERR_CANCELLED) << avrm_status_name(never_sent.status);
            EXPECT_EQ(open_descriptors(), descriptors);
          },
          {.samples = 3});
  });
}

#if AVRM_TEST_OFI
TEST_P(NetmodCalls, AnObjectThatIsNotClosedIsCountedAndTheOthersAreClosed) {
  if (!reads_a_queue(GetParam())) {
    GTEST_SKIP() << "its functions that close return no status";
  }
  in_warm_process([&](int descriptors) {
    sweep(kClosing, {Fault::kHard}, [&](const Shot &shot) {
      open_both();
      connect_both();
      Bytes window(kMiddle);
      avrm_netmod_memory_t *memory = nullptr;
      ASSERT_EQ(b_.ops->memory_register(b_.net, window.data(), window.size(), 0, &memory), AVRM_OK);
      shot.arm();
      b_.ops->memory_release(b_.net, memory);
      a_.close();
      b_.close();
      disarm();
      EXPECT_EQ(detail::ofi::unclosed_objects.exchange(0), static_cast<int>(faults().failed));
      EXPECT_EQ(open_descriptors(), descriptors);
    });
  });
}
#endif

TEST_P(NetmodRounds, AQueueThatCannotBeReadAnyMoreEndsWhatIsUnderWay) {
  if (!reads_a_queue(GetParam())) {
    GTEST_SKIP() << "this transport reads no completion queue";
  }
  in_process([&] {
    open_both();
    if (IsSkipped()) {
      return;
    }
    connect_both();
    play(nullptr);
    // A receive and its send, too long to be injected, and an empty receive.
    Bytes out(kMiddle);
    Bytes in(kMiddle);
    const avrm_piece_t from{out.data(), out.size()};
    const avrm_piece_t to{in.data(), in.size()};
    std::array<TestRequest, 3> requests;
    arm(kQueue, Fault::kHard, 0, INT64_MAX);
    ASSERT_EQ(b_.ops->trecv(b_.net, b_.peer, 0, 0, &to, 1, &requests[0]), AVRM_OK);
    ASSERT_EQ(a_.ops->tsend(a_.net, a_.peer, 0, &from, 1, &requests[1]), AVRM_OK);
    ASSERT_EQ(b_.ops->trecv(b_.net, b_.peer, 1, 0, &to, 1, &requests[2]), AVRM_OK);
    const auto is_over = [](const TestRequest &request) { return request.completions != 0; };
    for (std::size_t polls = 0; polls < kMostPolls && !std::all_of(requests.begin(), requests.end(), is_over);
         ++polls) {
      poll();
    }
    disarm();
    for (const TestRequest &request : requests) {
      EXPECT_EQ(request.completions, 1) << "a hang";
      EXPECT_EQ(request.status, AVRM_ERR_TRANSPORT) << avrm_status_name(request.status);
    }
    close_both();
  });
}

TEST_P(NetmodRounds, AQueueThatCannotBeReadForLongEndsAProbe) {
  if (!reads_a_queue(GetParam())) {
    GTEST_SKIP() << "this transport reads no completion queue";
  }
  in_process([&] {
    open_both();
    if (IsSkipped()) {
      return;
    }
    connect_both();
    bool is_found = true;
    avrm_netmod_message_t message{};
    const auto probe = [&] { return b_.ops->tprobe(b_.net, 77, 0, false, &is_found, &message); };
    ASSERT_EQ(probe(), AVRM_ERR_AGAIN);
    arm(kQueue, Fault::kHard, 0, INT64_MAX);
    for (int i = 0; i < 1500; ++i) {
      poll();
    }
    disarm();
    for (int i = 0; i < 10; ++i) {
      poll(); // the provider ends it late
    }
    // Records of ended operations are used again.
    TestRequest request;
    Bytes in(kMiddle);
    const avrm_piece_t to{in.data(), in.size()};
    ASSERT_EQ(b_.ops->trecv(b_.net, b_.peer, 1, 0, &to, 1, &request), AVRM_OK);
    EXPECT_EQ(probe(), AVRM_ERR_TRANSPORT);
    avrm_status_t status = AVRM_ERR_AGAIN;
    for (std::size_t polls = 0; polls < kMostPolls && (status = probe()) == AVRM_ERR_AGAIN; ++polls) {
      poll();
    }
    EXPECT_EQ(status, AVRM_OK);
    EXPECT_FALSE(is_found);
    EXPECT_EQ(request.completions, 0);
    close_both();
  });
}

TEST_P(NetmodRounds, AnAllocationThatFailsIsAStatusOfItsOperation) {
  run_rounds(kMemory, Fault::kNoMemory, AVRM_ERR_NO_MEMORY);
}

} // namespace
} // namespace avrankmap::test
