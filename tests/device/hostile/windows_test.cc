// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A stranger who knows a process's address in the network, and nothing that the job's launcher
// tells its processes: keys that it guesses, active messages without the job's secret, and plain
// messages. A process of the job plays it, on a netmod of its own.
#include <atomic>
#include <string_view>

#include "avrankmap/device/probe.h"
#include "core/device.h"
#include "core/job_secret_exchange.h"
#include "core/peers/card.h"
#include "core/peers/connect.h"
#include "core/transports.h"
#include "launch/boot.h"
#include "rma/window.h"
#include "rma/window_service.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

using detail::ActiveHeader;
using detail::ActiveType;
using detail::Card;

// Shared memory of a provider is for the same user only.
bool is_open_to_strangers(const Transport &transport) { return is_network_alone(transport) && transport.per_node == 1; }

class HostileWindow : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Over, HostileWindow, testing::ValuesIn(transports_of(Suites::kDevice, is_open_to_strangers)),
                         kByName);

constexpr std::size_t kBytes = 4096;
constexpr unsigned char kOwn = 0x5a;

// Of the process under attack; shared with the stranger's test, which compares.
struct Board {
  std::atomic<bool> over;
  std::atomic<int> reports;
  std::atomic<unsigned char *> window;
};

constexpr int kTries = 300;            // polls of a stranger, until it takes silence for an answer
constexpr int kConnectTries = 1000000; // of both processes, until they are connected
constexpr const char *kNoRma = "AVRM_UCX_NO_RMA";

class Stranger {
public:
  Stranger(const Transport &transport, Process &process) : process_(process) {
    AVRM_MUST(setenv(kNoRma, "0", 1) == 0); // those who belong have chosen already
    avrm_netmod_config_t config{};
    config.provider = transport.provider;
    config.local_only = true;
    config.expected_peers = 2;
    config.on_am = [](void *user, const void *, std::size_t) {
      ++*static_cast<int *>(user);
      return true;
    };
    config.user = &heard;
    AVRM_MUST(detail::find_netmod(transport.netmod)->open(&config, &net_) == AVRM_OK);
    Card card;
    AVRM_MUST(detail::fetch_card(process.device, 0, &card) == AVRM_OK);
    AVRM_MUST(net_->ops->insert(net_, 1, card.net(), card.net_bytes, card.net_bytes, &victim_) == AVRM_OK);
  }
  ~Stranger() {
    for (const std::uint64_t key : keys_) {
      net_->ops->key_close(net_, key);
    }
    net_->ops->close(net_);
  }
  Stranger(const Stranger &) = delete;
  Stranger &operator=(const Stranger &) = delete;

  void poll(int times) {
    for (int i = 0; i < times; ++i) {
      (void)net_->ops->progress(net_);
      (void)avrm_progress(process_.device);
      sched_yield();
    }
  }
  void say(const ActiveHeader &header, const void *payload, std::size_t bytes) {
    avrm_status_t status = AVRM_ERR_AGAIN;
    for (int tries = 0; tries < kConnectTries && status == AVRM_ERR_AGAIN; ++tries) {
      status = net_->ops->am_send(net_, victim_, &header, sizeof header, payload, bytes);
      poll(1);
    }
    AVRM_MUST(status == AVRM_OK);
  }
  void tell(std::uint64_t match, std::string_view text) {
    avrm_status_t status = AVRM_ERR_AGAIN;
    for (int tries = 0; tries < kConnectTries && status == AVRM_ERR_AGAIN; ++tries) {
      status = net_->ops->tinject(net_, text.data(), text.size(), victim_, match);
      poll(1);
    }
    AVRM_MUST(status == AVRM_OK);
  }
  // Tries a key of the ofi netmod.
  bool try_key(std::uint64_t key, bool writes) {
    const std::uint64_t description[] = {0, key};
    return try_description(description, sizeof description, writes);
  }
  // Tries an address of the victim with the key of its own memory.
  bool try_address(const void *address, bool writes) {
    unsigned char description[AVRM_NETMOD_KEY_MAX];
    std::size_t bytes = sizeof description;
    avrm_netmod_memory_t *memory = nullptr;
    AVRM_MUST(net_->ops->memory_register(net_, buffer_, sizeof buffer_, 0, &memory) == AVRM_OK);
    AVRM_MUST(net_->ops->memory_describe(net_, memory, description, &bytes) == AVRM_OK);
    std::memcpy(description, &address, sizeof address);
    const bool done = try_description(description, bytes, writes);
    net_->ops->memory_release(net_, memory);
    return done;
  }

  int heard = 0;

private:
  struct Attempt : avrm_request_t {
    avrm_status_t status;
  };

  // True if the put or get was carried out. One that nobody answers was not.
  bool try_description(const void *description, std::size_t bytes, bool writes) {
    std::uint64_t remote = 0;
    std::uint64_t opened = 0;
    AVRM_MUST(net_->ops->key_open(net_, victim_, description, bytes, &remote, &opened) == AVRM_OK);
    keys_.push_back(opened);
    auto *const attempt = new Attempt{}; // the provider may keep it
    attempt->status = AVRM_ERR_AGAIN;
    attempt->complete = [](avrm_request_t *request, avrm_status_t status, std::uint64_t, std::uint64_t) {
      static_cast<Attempt *>(request)->status = status;
    };
    avrm_status_t status = writes ? net_->ops->put(net_, victim_, remote, opened, buffer_, sizeof buffer_, attempt)
                                  : net_->ops->get(net_, victim_, remote, opened, buffer_, sizeof buffer_, attempt);
    for (int tries = 0; tries < kTries && status == AVRM_OK && attempt->status == AVRM_ERR_AGAIN; ++tries) {
      poll(1);
    }
    status = status == AVRM_OK ? attempt->status : status;
    kept_.emplace_back(attempt);
    return status == AVRM_OK;
  }

  Process &process_;
  avrm_netmod_t *net_ = nullptr;
  std::uint64_t victim_ = 0;
  unsigned char buffer_[8] = {};
  std::vector<std::unique_ptr<Attempt>> kept_;
  std::vector<std::uint64_t> keys_;
};

// Runs `attack` in rank 1 against a window of rank 0, and checks that the window is as it was and
// still serves its own job.
void run_attack(const Transport &transport, const std::function<void(Process &, Stranger &, avrm_window_t *)> &attack,
                int reports, const Shared<Board> &board = {}) {
  run_job(transport, 2, [&](Process &process) {
    process.device->on_error = [](void *user, avrm_status_t, const char *) { ++static_cast<Board *>(user)->reports; };
    process.device->user = &*board;
    Buffer memory(kBytes, kOwn);
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, memory.data(), memory.size(), 0, &window) == AVRM_OK);
    if (process.rank == 0) {
      board->window = memory.data();
    }
    barrier(process);
    if (process.rank == 0) {
      while (!board->over || board->reports < reports) {
        (void)avrm_progress(process.device);
        sched_yield();
      }
      AVRM_MUST(board->reports == reports);
      AVRM_MUST(memory == Buffer(kBytes, kOwn));
    } else {
      {
        Stranger stranger(transport, process);
        attack(process, stranger, window);
        AVRM_MUST(stranger.heard == 0);
      }
      board->over = true;
    }
    barrier(process);
    if (process.rank == 1) { // members reach the window
      const Buffer data(100, 0x11);
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_put(window, data.data(), data.size(), 0, 200, &request) == AVRM_OK);
      wait(request);
      AVRM_MUST(avrm_flush(window, 0) == AVRM_OK);
    }
    barrier(process);
    AVRM_MUST(process.rank != 0 || (memory[199] == kOwn && memory[200] == 0x11 && memory[299] == 0x11));
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

TEST_P(HostileWindow, KeysCannotBeGuessed) {
  if (!is_ofi(GetParam())) {
    GTEST_SKIP() << "UCX looks at no key where it emulates puts and gets: see HostileUcx";
  }
  run_attack(
      GetParam(),
      [](Process &, Stranger &stranger, avrm_window_t *) {
        for (std::uint64_t key = 0; key < 8; ++key) {
          AVRM_MUST(!stranger.try_key(key, false));
          AVRM_MUST(!stranger.try_key(key, true));
        }
      },
      0);
}

TEST_P(HostileWindow, ActiveMessagesWithoutThePassAreDroppedAndReportedOnce) {
  run_attack(
      GetParam(),
      [](Process &, Stranger &stranger, avrm_window_t *window) {
        for (int guess = 0; guess < 10; ++guess) {
          ActiveHeader header{};
          header.sender = 1;
          header.window = window->id;
          header.bytes = 8;
          header.block = 8;
          header.pitch = 8;
          header.secret.words[0] = static_cast<std::uint64_t>(guess);
          header.type = ActiveType::kPut;
          stranger.say(header, "stranger", 8);
          header.type = ActiveType::kGet;
          stranger.say(header, nullptr, 0);
          header.type = ActiveType::kKeyRequest;
          stranger.say(header, nullptr, 0);
        }
        stranger.poll(kTries);
      },
      1);
}

// It has the secret, but is no member of the window's communicator.
TEST_P(HostileWindow, ActiveMessagesOfNoMemberAreDroppedAndReportedOnce) {
  run_attack(
      GetParam(),
      [](Process &process, Stranger &stranger, avrm_window_t *window) {
        AVRM_MUST(detail::learn_secret(process.boot) == AVRM_OK);
        for (const std::int32_t sender : {-1, 2, 1 << 30}) {
          ActiveHeader header{};
          header.sender = sender;
          header.window = window->id;
          header.bytes = 8;
          header.block = 8;
          header.pitch = 8;
          header.secret = process.boot->secret;
          header.type = ActiveType::kPut;
          stranger.say(header, "stranger", 8);
        }
        stranger.poll(kTries);
      },
      1);
}

// A put completes where it is sent, so that the window shows whether it arrived.
TEST(HostileUcx, ByDefaultNoMemoryIsReachedOverTcp) {
  const Shared<Board> board;
  run_attack(
      transport_named("ucx_tcp"),
      [&](Process &, Stranger &stranger, avrm_window_t *) {
        (void)stranger.try_address(board->window, true);
        AVRM_MUST(!stranger.try_address(board->window, false));
      },
      0, board);
}

// As SECURITY.md says.
TEST(HostileUcx, WithItsOwnPutsAndGetsAnyMemoryIsReached) {
  const Shared<Board> board;
  ASSERT_EQ(setenv(kNoRma, "0", 1), 0);
  run_attack(
      transport_named("ucx_tcp"),
      [&](Process &, Stranger &stranger, avrm_window_t *) {
        while (!stranger.try_address(board->window, false)) { // the victim may be slow
        }
      },
      0, board);
  (void)unsetenv(kNoRma);
}

// As SECURITY.md says: a receive takes a stranger's message for that of the member whose rank, and
// the communicator whose context id, it names.
TEST_P(HostileWindow, MessagesThatNameAMemberAreTakenForItsOwn) {
  const Shared<Board> board;
  constexpr std::string_view kText = "stranger";
  run_job(GetParam(), 2, [&](Process &process) {
    Buffer in(kText.size());
    avrm_request_t *request = nullptr;
    if (process.rank == 0) {
      AVRM_MUST(avrm_irecv(process.world, in.data(), in.size(), 1, 5, &request) == AVRM_OK);
    }
    barrier(process);
    if (process.rank == 0) {
      wait(request);
      AVRM_MUST(std::equal(in.begin(), in.end(), kText.begin()));
      board->over = true;
    } else {
      Stranger stranger(GetParam(), process);
      stranger.tell(process.world->context_match | detail::MatchBits::of_source(1) | 5, kText);
      while (!board->over) {
        stranger.poll(1);
      }
    }
    barrier(process);
  });
}

// A probe tells what the message says of itself, and it can be received.
TEST_P(HostileWindow, MessagesThatNameNobodyCanBeTakenOut) {
  const Shared<Board> board;
  constexpr std::string_view kText = "stranger";
  constexpr int kNobody = 70000;
  run_job(GetParam(), 2, [&](Process &process) {
    if (process.rank == 0) {
      avrm_message_t *message = nullptr;
      avrm_outcome_t outcome{};
      AVRM_MUST(avrm_mprobe(process.world, AVRM_ANY_SOURCE, 5, &message, &outcome) == AVRM_OK);
      AVRM_MUST(outcome.source == kNobody && outcome.bytes == kText.size());
      Buffer in(kText.size());
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_imrecv(&message, in.data(), in.size(), &request) == AVRM_OK);
      wait(request);
      AVRM_MUST(std::equal(in.begin(), in.end(), kText.begin()));
      board->over = true;
    } else {
      Stranger stranger(GetParam(), process);
      stranger.tell(process.world->context_match | detail::MatchBits::of_source(kNobody) | 5, kText);
      while (!board->over) {
        stranger.poll(1);
      }
    }
    barrier(process);
  });
}

std::int64_t early_requests(const Process &process) {
  std::int64_t count = 0;
  for (const auto *request = process.device->windows->early_requests; request != nullptr; request = request->next) {
    ++count;
  }
  return count;
}

// In a job of one process. The window is the next one of the world, or one that is never created.
void request_early(const Process &process, std::uint64_t window, std::int64_t count) {
  for (std::int64_t token = 1; token <= count; ++token) {
    ActiveHeader header{};
    header.type = ActiveType::kKeyRequest;
    header.window = window;
    header.token = static_cast<std::uint64_t>(token);
    AVRM_MUST(detail::handle_active(process.device, header, nullptr, 0));
  }
}

TEST(EarlyRequests, AllAreAnsweredWhenTheWindowExists) {
  run_job(kNull, 1, [](Process &process) {
    request_early(process, process.world->windows_created, 3000);
    AVRM_MUST(early_requests(process) == 3000);
    void *base = nullptr;
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_allocate(process.world, kBytes, 0, &base, &window) == AVRM_OK);
    while (early_requests(process) != 0) {
      avrm_progress(process.device);
    }
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

TEST(EarlyRequests, ThoseForOtherWindowsDoNotPreventAWindow) {
  run_job(kNull, 1, [](Process &process) {
    request_early(process, 1000000, 3000);
    void *base = nullptr;
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_allocate(process.world, kBytes, 0, &base, &window) == AVRM_OK);
    AVRM_MUST(early_requests(process) == 3000);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

} // namespace
} // namespace avrankmap::test
