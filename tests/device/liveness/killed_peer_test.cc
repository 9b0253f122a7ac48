// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A process that is killed in the middle of traffic, over every transport; and transports
// that are missing.
#include <signal.h>
#include <unistd.h>

#include <set>
#include <string_view>
#include <thread>

#include "avrankmap/device/fastpath.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"
#include "tests/support/shared_files.h"

namespace avrankmap::test {
namespace {

constexpr int kVictim = 1;

// Waits for an operation with the victim, which may have been over before the death. A job that
// hangs is killed.
avrm_status_t end_of(avrm_request_t *request) {
  avrm_outcome_t outcome{};
  for (bool done = false; !done;) {
    AVRM_MUST(avrm_test(&request, &done, &outcome) == AVRM_OK);
  }
  return outcome.status;
}

void must_be_peer_or_ok(avrm_status_t status) {
  if (status != AVRM_OK && status != AVRM_ERR_PEER) {
    std::fprintf(stderr, "with a dead process: %s\n", avrm_status_name(status));
  }
  AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
}

void end_with_peer_or_ok(avrm_request_t *request) { must_be_peer_or_ok(end_of(request)); }

class KilledPeer : public testing::TestWithParam<Transport> {
protected:
  void SetUp() override { before_ = shared_files(); }
  // Runs `body` in three processes, or two. Rank 1 must end by SIGKILL.
  void run(const std::function<void(Process &)> &body, bool threads = false) {
    run_job(GetParam(), GetParam().at_a_death, body, kVictim, threads);
    EXPECT_EQ(files_left_behind(before_), std::set<std::string>());
  }

private:
  std::set<std::string> before_;
};

void learn_of_the_death(Process &process) {
  while (!avrm_boot_has_failed(process.boot, kVictim) || avrm_boot_failures(process.boot) == 0) {
    avrm_progress(process.device);
  }
  avrm_progress(process.device); // the device learns of the death
}

// Survivors can still communicate.
void talk_to_the_living(Process &process) {
  if (process.size == 3) {
    const int peer = 2 - process.rank;
    Buffer received(5000);
    avrm_request_t *in = nullptr; // first: a send may wait for its receive
    AVRM_MUST(avrm_irecv(process.world, received.data(), received.size(), peer, 12, &in) == AVRM_OK);
    send(process, content(process.rank, peer, 77, 5000), peer, 12);
    wait(in);
    AVRM_MUST(received == content(peer, process.rank, 77, 5000));
  }
}

TEST_P(KilledPeer, TrafficWithAKilledProcessEnds) {
  run([](Process &process) {
    for (int i = 0;; ++i) {
      const std::size_t bytes = i % 8 == 0 ? 100000 : 50;
      Buffer out(bytes);
      Buffer in(bytes);
      if (process.rank == kVictim) {
        for (int peer = 0; peer < process.size; ++peer) {
          if (peer != kVictim) {
            avrm_request_t *sent = nullptr;
            avrm_request_t *received = nullptr;
            AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, peer, 5, &received) == AVRM_OK);
            AVRM_MUST(avrm_isend(process.world, out.data(), bytes, peer, 5, &sent) == AVRM_OK);
            if (i == 40) {
              kill(getpid(), SIGKILL); // in the middle of these
            }
            wait(sent);
            wait(received);
          }
        }
        continue;
      }
      avrm_request_t *sent = nullptr;
      avrm_request_t *received = nullptr;
      const avrm_status_t posted = avrm_irecv(process.world, in.data(), bytes, kVictim, 5, &received);
      const avrm_status_t started =
          posted == AVRM_OK ? avrm_isend(process.world, out.data(), bytes, kVictim, 5, &sent) : posted;
      must_be_peer_or_ok(started);
      const avrm_status_t outcome = received != nullptr ? end_of(received) : posted;
      if (sent != nullptr) {
        end_with_peer_or_ok(sent);
      }
      AVRM_MUST(outcome == AVRM_OK || outcome == AVRM_ERR_PEER);
      if (outcome == AVRM_ERR_PEER) {
        AVRM_MUST(i > 0);
        break;
      }
    }
    // Once the death is known, new operations with the victim are refused.
    learn_of_the_death(process);
    avrm_request_t *request = nullptr;
    const unsigned char byte = 0;
    AVRM_MUST(avrm_isend(process.world, &byte, 1, kVictim, 5, &request) == AVRM_ERR_PEER);
    talk_to_the_living(process);
  });
}

TEST_P(KilledPeer, TheFastPathToAKilledProcessEnds) {
  if (GetParam().name == std::string_view("ofi_net")) {
    GTEST_SKIP() << "net of libfabric 1.17 may crash in its own progress when a peer dies during one-sided traffic";
  }
  run([](Process &process) {
    everyone_exchanges_with_everyone(process); // connects
    avrm_fp_t *fp = nullptr;
    avrm_fp_comm_t *comm = nullptr;
    avrm_fp_window_t *window = nullptr;
    Buffer memory(64);
    AVRM_MUST(avrm_fp_open(process.device, 1, &fp) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_create(fp, process.world, &comm) == AVRM_OK);
    AVRM_MUST(avrm_fp_window_create(comm, memory.data(), memory.size(), 1, 0, &window) == AVRM_OK);
    const unsigned char byte = 1;
    if (process.rank != kVictim) {
      AVRM_MUST(avrm_fp_put_inline(&byte, 1, AVRM_BYTE, kVictim, process.rank, window) == AVRM_OK);
      AVRM_MUST(avrm_fp_flush_all(window) == AVRM_OK);
    }
    gather_at(process, kVictim);
    if (process.rank == kVictim) {
      kill(getpid(), SIGKILL);
    }
    for (avrm_status_t status = AVRM_OK; status != AVRM_ERR_PEER;) {
      must_be_peer_or_ok(status = avrm_fp_isend_noreq(&byte, 1, AVRM_BYTE, kVictim, 5, comm));
      if (status == AVRM_OK) {
        must_be_peer_or_ok(status = avrm_fp_put_inline(&byte, 1, AVRM_BYTE, kVictim, process.rank, window));
      }
      if (status == AVRM_OK) {
        must_be_peer_or_ok(status = avrm_fp_flush_all(window));
      }
    }
    learn_of_the_death(process);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_fp_isend_default(&byte, 1, AVRM_BYTE, kVictim, 5, comm, &request) == AVRM_ERR_PEER);
    AVRM_MUST(avrm_fp_put_default(&byte, 1, AVRM_BYTE, kVictim, 0, window) == AVRM_ERR_PEER);
    must_be_peer_or_ok(avrm_fp_comm_waitall(comm));
    must_be_peer_or_ok(avrm_fp_window_free(window));
    must_be_peer_or_ok(avrm_fp_comm_free(comm));
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
    talk_to_the_living(process);
  });
}

// Sends and puts to the victim until it is known to be dead.
void issue_until_death(int rank, avrm_fp_comm_t *comm, avrm_fp_window_t *window) {
  const Buffer large(20000);
  for (avrm_status_t status = AVRM_OK; status != AVRM_ERR_PEER;) {
    avrm_request_t *request = nullptr;
    must_be_peer_or_ok(status = avrm_fp_isend_default(large.data(), 1, AVRM_BYTE, kVictim, 5, comm, &request));
    if (status == AVRM_OK) {
      must_be_peer_or_ok(status = avrm_fp_put_default(large.data(), 1, AVRM_BYTE, kVictim, rank, window));
    }
    if (status == AVRM_OK) {
      must_be_peer_or_ok(status = avrm_fp_flush_all(window));
    }
    if (status == AVRM_OK) {
      const auto bytes = static_cast<std::int32_t>(large.size());
      must_be_peer_or_ok(status = avrm_fp_isend_no_err(large.data(), bytes, AVRM_BYTE, kVictim, 6, comm, &request));
    }
    if (status == AVRM_OK) {
      must_be_peer_or_ok(status = end_of(request));
    }
  }
}

// In a suite of its own, which the thread sanitizer runs.
class KilledPeerOfThreads : public KilledPeer {};

TEST_P(KilledPeerOfThreads, AllThatSendToAKilledProcessEnd) {
  if (GetParam().name == std::string_view("ofi_net")) {
    GTEST_SKIP() << "net of libfabric 1.17 may crash: see above";
  }
  constexpr int kThreads = 2;
  const auto body = [](Process &process) {
    avrm_fp_t *fp = nullptr;
    AVRM_MUST(avrm_fp_open(process.device, kThreads, &fp) == AVRM_OK);
    avrm_comm_t *plain[kThreads] = {};
    avrm_fp_comm_t *comms[kThreads] = {};
    avrm_fp_window_t *windows[kThreads] = {};
    Buffer memory(64);
    const Buffer byte(1);
    for (int i = 0; i < kThreads; ++i) {
      avrm_rankmap_t map{};
      AVRM_MUST(avrm_rankmap_create_direct(avrm_device_instance(process.device), 0, process.size, &map) == AVRM_OK);
      AVRM_MUST(avrm_comm_create_local(process.device, &map, process.rank, 700u + static_cast<unsigned>(i),
                                       &plain[i]) == AVRM_OK);
      AVRM_MUST(avrm_fp_comm_create(fp, plain[i], &comms[i]) == AVRM_OK);
      AVRM_MUST(avrm_fp_window_create(comms[i], memory.data(), memory.size(), 1, 0, &windows[i]) == AVRM_OK);
    }
    // Connects: UCX 1.13 aborts (by assertions of its own) when a process dies while it does so.
    everyone_exchanges_with_everyone(process);
    if (process.rank == kVictim) {
      Buffer in(20000);
      for (int i = 0; i < kThreads; ++i) {
        for (int peer = 0; peer < process.size; peer += 2) { // all but itself
          avrm_request_t *request = nullptr;
          AVRM_MUST(avrm_irecv(plain[i], in.data(), in.size(), peer, 5, &request) == AVRM_OK);
          wait(request);
        }
      }
      kill(getpid(), SIGKILL);
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] { issue_until_death(process.rank, comms[i], windows[i]); });
    }
    for (std::thread &thread : threads) {
      thread.join();
    }
    learn_of_the_death(process);
    for (int i = 0; i < kThreads; ++i) {
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_fp_isend_default(byte.data(), 1, AVRM_BYTE, kVictim, 5, comms[i], &request) == AVRM_ERR_PEER);
      must_be_peer_or_ok(avrm_fp_window_free(windows[i]));
      must_be_peer_or_ok(avrm_fp_comm_free(comms[i]));
      AVRM_MUST(avrm_comm_free(plain[i]) == AVRM_OK);
    }
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
    talk_to_the_living(process);
  };
  run(body, true);
}

TEST_P(KilledPeer, AReceiveFromAnybodyThatWaitsEndsWithPeerPending) {
  run([](Process &process) {
    Buffer nothing;
    if (process.rank == kVictim) {
      receive(process, nothing, 0, 8); // it waits by now
      kill(getpid(), SIGKILL);
    }
    if (process.rank == 0) {
      Buffer in(100);
      avrm_request_t *any = nullptr;
      avrm_request_t *one = nullptr;
      AVRM_MUST(avrm_irecv(process.world, in.data(), in.size(), AVRM_ANY_SOURCE, 7, &any) == AVRM_OK);
      AVRM_MUST(avrm_irecv(process.world, nullptr, 0, kVictim, 9, &one) == AVRM_OK);
      avrm_request_t *last = nullptr;
      AVRM_MUST(avrm_isend(process.world, nullptr, 0, kVictim, 8, &last) == AVRM_OK);
      end_with_peer_or_ok(last);
      AVRM_MUST(end_of(any) == AVRM_ERR_PEER_PENDING);
      AVRM_MUST(end_of(one) == AVRM_ERR_PEER);
    }
    talk_to_the_living(process);
  });
}

TEST_P(KilledPeer, ALargeMessageToOrFromAKilledProcessEnds) {
  const bool over_ucx = is_ucx(GetParam());
  run([over_ucx](Process &process) {
    const std::size_t bytes = std::size_t{4} << 20;
    Buffer memory(bytes);
    // Connects: UCX 1.13 aborts (by assertions of its own) when a process dies while it does so.
    everyone_exchanges_with_everyone(process);
    gather_at(process, kVictim);
    avrm_request_t *request = nullptr;
    if (process.rank == kVictim) {
      for (int peer = 0; peer < process.size; ++peer) {
        if (peer != kVictim) {
          AVRM_MUST(avrm_isend(process.world, memory.data(), bytes, peer, 3, &request) == AVRM_OK);
          AVRM_MUST(avrm_irecv(process.world, memory.data(), bytes, peer, 3, &request) == AVRM_OK);
        }
      }
      for (int polls = 0; polls < 50; ++polls) {
        avrm_progress(process.device);
      }
      kill(getpid(), SIGKILL);
    }
    // Rank 0 names the sender; rank 2 has never communicated with it. Over UCX, rank 2 would
    // connect to answer.
    const int source = process.rank == 0 || over_ucx ? kVictim : AVRM_ANY_SOURCE;
    Buffer in(bytes);
    const avrm_status_t posted = avrm_irecv(process.world, in.data(), bytes, source, 3, &request);
    must_be_peer_or_ok(posted);
    if (process.rank == 0 && posted == AVRM_OK) {
      avrm_request_t *sent = nullptr;
      const avrm_status_t started = avrm_isend(process.world, memory.data(), bytes, kVictim, 3, &sent);
      must_be_peer_or_ok(started);
      if (started == AVRM_OK) {
        end_with_peer_or_ok(sent);
      }
    }
    if (posted == AVRM_OK && source == AVRM_ANY_SOURCE) {
      const avrm_status_t ended = end_of(request);
      AVRM_MUST(ended == AVRM_OK || ended == AVRM_ERR_PEER || ended == AVRM_ERR_PEER_PENDING);
    } else if (posted == AVRM_OK) {
      end_with_peer_or_ok(request);
    }
    learn_of_the_death(process);
    talk_to_the_living(process);
  });
}

TEST_P(KilledPeer, AWindowOfAKilledProcessIsRefused) {
  run([](Process &process) {
    constexpr std::size_t kBytes = 100000;
    Buffer own(kBytes);
    const Buffer data(kBytes);
    Buffer back(kBytes);
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, own.data(), kBytes, 0, &window) == AVRM_OK);
    gather_at(process, kVictim);
    if (process.rank == kVictim) {
      for (int i = 0; i < 300; ++i) {
        avrm_progress(process.device);
        usleep(100);
      }
      kill(getpid(), SIGKILL);
    }
    for (avrm_status_t status = AVRM_OK; status != AVRM_ERR_PEER;) {
      avrm_request_t *request = nullptr;
      status = avrm_put(window, data.data(), kBytes, kVictim, 0, &request);
      if (status == AVRM_OK) {
        end_with_peer_or_ok(request);
        status = avrm_flush(window, kVictim);
      }
      if (status == AVRM_OK) {
        status = avrm_get(window, back.data(), kBytes, kVictim, 0, &request);
        if (status == AVRM_OK) {
          end_with_peer_or_ok(request);
        }
      }
      must_be_peer_or_ok(status);
    }
    talk_to_the_living(process);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

INSTANTIATE_TEST_SUITE_P(Every, KilledPeer, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);
INSTANTIATE_TEST_SUITE_P(Every, KilledPeerOfThreads, testing::ValuesIn(transports_of(Suites::kDevice)), kByName);

// Opens a device alone; returns what it reports.
struct Refusal {
  avrm_status_t status;
  std::string text;
};

Refusal open_alone(const char *netmod, const char *provider, const char *shmmod) {
  avrm_boot_t *boot = nullptr;
  EXPECT_EQ(avrm_boot_open(&boot), AVRM_OK);
  Refusal refusal{};
  CountingAllocator allocator;
  const avrm_allocator_t hooks = allocator.hooks();
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = netmod;
  options.provider = provider;
  options.shmmod = shmmod;
  options.allocator = &hooks;
  options.on_error = [](void *user, avrm_status_t /*status*/, const char *text) {
    *static_cast<std::string *>(user) += text;
  };
  options.user = &refusal.text;
  avrm_device_t *device = nullptr;
  refusal.status = avrm_device_open(&options, &device);
  if (refusal.status == AVRM_OK) {
    EXPECT_EQ(avrm_device_close(device), AVRM_OK);
  }
  avrm_boot_close(boot);
  return refusal;
}

TEST(DeviceOpen, ATransportThatIsNotBuiltIsNamed) {
  const Refusal netmod = open_alone("carrier-pigeon", nullptr, "none");
  EXPECT_EQ(netmod.status, AVRM_ERR_OPTION);
  EXPECT_NE(netmod.text.find("netmod \"carrier-pigeon\""), std::string::npos) << netmod.text;
  const Refusal shmmod = open_alone("null", nullptr, "blackboard");
  EXPECT_EQ(shmmod.status, AVRM_ERR_OPTION);
  EXPECT_NE(shmmod.text.find("shmmod \"blackboard\""), std::string::npos) << shmmod.text;
}

TEST(DeviceOpen, AProviderThatIsMissingIsNamed) {
  for (const char *const netmod : {"ofi", "ucx"}) {
    const Refusal refusal = open_alone(netmod, "nonsense", "none");
    if (refusal.status == AVRM_ERR_OPTION) {
      continue; // not built
    }
    EXPECT_EQ(refusal.status, AVRM_ERR_UNSUPPORTED) << netmod;
    EXPECT_NE(refusal.text.find("nonsense"), std::string::npos) << netmod << ": " << refusal.text;
  }
}

TEST(DeviceOpen, AProviderThatTheEnvironmentAsksForInVainIsNamed) {
  for (const auto &[netmod, variable] : {std::pair("ofi", "FI_PROVIDER"), std::pair("ucx", "UCX_TLS")}) {
    // In a new process, because libraries read their environment once.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
          setenv(variable, "nonsense", 1);
          const Refusal refusal = open_alone(netmod, nullptr, "none");
          const bool named = refusal.text.find("nonsense") != std::string::npos;
          const bool refused = refusal.status == AVRM_ERR_UNSUPPORTED && named;
          std::fprintf(stderr, "%s: %s\n", avrm_status_name(refusal.status), refusal.text.c_str());
          _exit(refused || refusal.status == AVRM_ERR_OPTION ? 0 : 1);
        },
        testing::ExitedWithCode(0), "");
  }
}

} // namespace
} // namespace avrankmap::test
