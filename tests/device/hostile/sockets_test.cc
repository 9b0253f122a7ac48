// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Strangers at the sockets at which the transports themselves listen: libfabric's and UCX's. They
// connect, say garbage or nothing, and hang up, while members exchange messages and put data.
#include <cstring>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/hostile/stranger.h"
#include "tests/support/descriptors.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostPorts = 16;
constexpr int kTurns = 100; // of the members, with a stranger's attack under way in each
constexpr int kStranger = 2;
constexpr rlim_t kDescriptors = 2000;

struct Stage {
  std::atomic<int> ports;
  std::uint16_t numbers[kMostPorts];
  std::atomic<int> turns;       // that rank 0 has finished
  std::atomic<int> attempts;    // of strangers to connect
  std::atomic<int> connections; // that they have made
  std::int64_t longest;         // nanoseconds of a turn of rank 0
};

// Inodes of this process's sockets.
std::set<std::string> own_sockets() {
  std::set<std::string> inodes;
  DIR *const files = opendir("/proc/self/fd");
  AVRM_MUST(files != nullptr);
  while (const dirent *const entry = readdir(files)) {
    char text[64] = {};
    if (readlinkat(dirfd(files), entry->d_name, text, sizeof text - 1) > 0) {
      unsigned long inode = 0;
      if (std::sscanf(text, "socket:[%lu]", &inode) == 1) {
        inodes.insert(std::to_string(inode));
      }
    }
  }
  closedir(files);
  return inodes;
}

// TCP ports at which this process listens.
std::set<std::uint16_t> own_ports() {
  const std::set<std::string> inodes = own_sockets();
  std::set<std::uint16_t> ports;
  for (const char *const path : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream table(path);
    std::string line;
    while (std::getline(table, line)) {
      std::istringstream words(line);
      std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
      words >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout >> inode;
      if (state == "0A" && inodes.contains(inode)) {
        ports.insert(static_cast<std::uint16_t>(std::stoul(local.substr(local.rfind(':') + 1), nullptr, 16)));
      }
    }
  }
  return ports;
}

std::string garbage(std::mt19937_64 &engine) {
  std::string bytes(1 + below(engine, 3000), '\0');
  switch (below(engine, 4)) {
  case 0: break; // zeros
  case 1: bytes = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"; break;
  case 2: bytes.assign(bytes.size(), '\xff'); break;
  default:
    for (char &byte : bytes) {
      byte = static_cast<char>(engine());
    }
  }
  return bytes;
}

// Connects to the ports in turn.
Socket knock_at(Stage &stage, int turn) {
  Socket stranger = knock(stage.numbers[turn % stage.ports]);
  stage.connections += stranger.is_open() ? 1 : 0;
  ++stage.attempts;
  return stranger;
}

// Connects to every port in turn until the members have finished. Some connections stay open.
void attack(Stage &stage) {
  std::mt19937_64 engine = seeded_engine();
  std::vector<Socket> silent;
  for (int i = 0; stage.turns < kTurns; ++i) {
    Socket stranger = knock_at(stage, i);
    if (i % 3 != 0) {
      say(stranger, garbage(engine));
    }
    if (silent.size() < 200) {
      silent.push_back(std::move(stranger));
    } else {
      silent[below(engine, silent.size())] = std::move(stranger);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// Messages and puts between ranks 0 and 1, each of which is looked at.
void exchange(Process &process, avrm_window_t *window, const Buffer &memory, Stage &stage) {
  const int peer = process.partner();
  for (int turn = 0; turn < kTurns; ++turn) {
    const auto start = Clock::now();
    const std::size_t bytes = turn % 10 == 0 ? 100000 : 100;
    Buffer received(bytes);
    avrm_request_t *in = nullptr;
    AVRM_MUST(avrm_irecv(process.world, received.data(), bytes, peer, turn, &in) == AVRM_OK);
    send(process, content(process.rank, peer, turn, bytes), peer, turn);
    wait(in);
    AVRM_MUST(received == content(peer, process.rank, turn, bytes));
    const Buffer data = content(process.rank, peer, turn, 64);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_put(window, data.data(), data.size(), peer, 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_flush(window, peer) == AVRM_OK);
    Buffer nothing;
    AVRM_MUST(avrm_irecv(process.world, nullptr, 0, peer, kTurns, &in) == AVRM_OK);
    send(process, nothing, peer, kTurns);
    wait(in);
    AVRM_MUST(std::memcmp(memory.data(), content(peer, process.rank, turn, 64).data(), 64) == 0);
    if (process.rank == 0) {
      stage.turns = turn + 1;
      stage.longest = std::max<std::int64_t>(stage.longest, std::chrono::nanoseconds(Clock::now() - start).count());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // so that strangers come in between
  }
}

bool is_over_tcp(const Transport &transport) { return is_network_alone(transport) && transport.per_node == 1; }

class HostileSocket : public testing::TestWithParam<Transport> {
protected:
  // Three processes. `strange` runs in rank kStranger, which knows the ports of the others; they
  // exchange messages and put data after `members`.
  static void run(void (*members)(Process &, Stage &), void (*strange)(Stage &)) {
    const Shared<Stage> stage;
    run_job(GetParam(), 3, [&](Process &process) {
      allow_descriptors(kDescriptors);
      if (process.rank != kStranger) {
        for (const std::uint16_t port : own_ports()) {
          stage->numbers[stage->ports++ % kMostPorts] = port;
        }
      }
      Buffer memory(4096);
      avrm_window_t *window = nullptr;
      AVRM_MUST(avrm_window_create(process.world, memory.data(), memory.size(), 0, &window) == AVRM_OK);
      everyone_exchanges_with_everyone(process); // connects
      barrier(process);
      AVRM_MUST(stage->ports > 0 && stage->ports <= kMostPorts);
      if (process.rank == kStranger) {
        strange(*stage);
      } else {
        members(process, *stage);
        exchange(process, window, memory, *stage);
        allow_descriptors(kDescriptors);
      }
      barrier(process);
      AVRM_MUST(avrm_window_free(window) == AVRM_OK);
    });
    EXPECT_TRUE(IsSkipped() || stage->connections > 0);
    RecordProperty("connections", stage->connections);
    RecordProperty("longest_ms", std::to_string(stage->longest / 1000000));
  }
};
INSTANTIATE_TEST_SUITE_P(Over, HostileSocket, testing::ValuesIn(transports_of(Suites::kDevice, is_over_tcp)), kByName);

TEST_P(HostileSocket, GarbageToTheTransportLosesNothing) {
  if (std::string_view(GetParam().name) == "ofi_sockets") {
    GTEST_SKIP() << "libfabric 1.17's sockets provider spoils its heap on garbage, and crashes: see SECURITY.md";
  }
  run([](Process &, Stage &) {}, attack);
}

// Strangers occupy every descriptor that a member may have. Members that are connected go on. UCX
// closes its listener when it cannot accept: the strangers that come afterwards are refused.
TEST_P(HostileSocket, SilentStrangersLeaveThoseAloneWhoAreConnected) {
  run(
      [](Process &process, Stage &stage) {
        rlimit few{};
        AVRM_MUST(getrlimit(RLIMIT_NOFILE, &few) == 0);
        few.rlim_cur = static_cast<rlim_t>(open_descriptors()) + 20;
        AVRM_MUST(setrlimit(RLIMIT_NOFILE, &few) == 0);
        while (stage.attempts < 100) {
          (void)avrm_progress(process.device);
        }
      },
      [](Stage &stage) {
        std::vector<Socket> silent;
        for (int i = 0; stage.turns < kTurns; ++i) {
          if (silent.size() < 500) {
            silent.push_back(knock_at(stage, i));
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(silent.size() < 500 ? 0 : 1));
        }
      });
}

} // namespace
} // namespace avrankmap::test
