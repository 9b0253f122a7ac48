// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Processes of one node whose memory cannot be attached, although all cards said that it could: the
// network takes over, and nothing else changes. Such a process puts another file in place of its
// segment after it has published its card.
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "core/device.h"
#include "tests/device/core/job.h"
#include "tests/device/core/transport_suite.h"

namespace avrankmap::test {
namespace {

constexpr int kSize = 4;

// Whose memory cannot be attached.
struct Hidden {
  const char *name;
  bool (*is)(int rank);
};
constexpr Hidden kHidden[] = {
    {"One", [](int rank) { return rank == 1; }},
    {"All", [](int) { return true; }},
};
std::ostream &operator<<(std::ostream &out, const Hidden &hidden) { return out << hidden.name; }

void hide_segment() {
  DIR *const files = opendir("/proc/self/fd");
  AVRM_MUST(files != nullptr);
  int hidden = 0;
  while (const dirent *const entry = readdir(files)) {
    char text[64] = {};
    if (readlinkat(dirfd(files), entry->d_name, text, sizeof text - 1) > 0 &&
        std::strncmp(text, "/memfd:avrankmap", 16) == 0) {
      const int other = open("/dev/null", O_RDONLY | O_CLOEXEC);
      AVRM_MUST(dup3(other, std::atoi(entry->d_name), O_CLOEXEC) >= 0);
      close(other);
      ++hidden;
    }
  }
  closedir(files);
  AVRM_MUST(hidden == 1);
}

struct Reports {
  int apart = 0;
  int others = 0;
};

void count_reports(Process &process, Reports *reports) {
  process.device->user = reports;
  process.device->on_error = [](void *user, avrm_status_t, const char *text) {
    auto *const counts = static_cast<Reports *>(user);
    ++(std::strstr(text, "cannot be attached: the network is used") != nullptr ? counts->apart : counts->others);
  };
}

using Parameter = std::tuple<Transport, Hidden>;

class Unattachable : public testing::TestWithParam<Parameter> {
protected:
  // Each process calls the body with what it was told until then.
  static void run(const std::function<void(Process &, const Reports &)> &body, int killed = -1) {
    const auto &[transport, hidden] = GetParam();
    Transport one_node = transport;
    one_node.per_node = 0;
    run_job(
        one_node, kSize,
        [&, is_hidden = hidden.is](Process &process) {
          Reports reports;
          count_reports(process, &reports);
          if (is_hidden(process.rank)) {
            hide_segment();
          }
          AVRM_MUST(avrm_boot_fence(process.boot) == AVRM_OK);
          body(process, reports);
          process.device->on_error = nullptr; // which refers to this frame
        },
        killed);
  }
};
INSTANTIATE_TEST_SUITE_P(Over, Unattachable,
                         testing::Combine(testing::ValuesIn(transports_of(Suites::kAll, has_both)),
                                          testing::ValuesIn(kHidden)),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

TEST_P(Unattachable, TheTransportSuitePasses) {
  run([](Process &process, const Reports &) {
    for (const Body &body : kBodies) {
      if (body.run != sixty_four_mebibytes_arrive_intact) { // takes long
        body.run(process);
        barrier(process);
      }
    }
  });
}

TEST_P(Unattachable, EachSuchPeerIsReportedOnce) {
  run([hidden = std::get<1>(GetParam())](Process &process, const Reports &reports) {
    everyone_exchanges_with_everyone(process);
    everyone_exchanges_with_everyone(process);
    int expected = 0;
    for (int peer = 0; peer < process.size; ++peer) {
      expected += peer != process.rank && hidden.is(peer) ? 1 : 0;
    }
    AVRM_MUST(reports.apart == expected && reports.others == 0);
  });
}

// From one process and from anybody.
TEST_P(Unattachable, ReceivesPostedBeforeTheFirstMessageMatchInOrder) {
  run([](Process &process, const Reports &) {
    constexpr std::size_t kMessages = 80;
    const auto bytes = [](std::size_t i) { return i % 8 == 0 ? std::size_t{70000} : i % 100; };
    std::vector<avrm_request_t *> requests;
    std::vector<Buffer> in;
    for (std::size_t i = 0; process.rank == 1 && i < kMessages; ++i) {
      in.emplace_back(bytes(i));
      AVRM_MUST(avrm_irecv(process.world, in.back().data(), in.back().size(), i % 2 == 0 ? 2 : AVRM_ANY_SOURCE, 2,
                           &requests.emplace_back()) == AVRM_OK);
    }
    AVRM_MUST(avrm_boot_fence(process.boot) == AVRM_OK);
    for (std::size_t i = 0; process.rank == 2 && i < kMessages; ++i) {
      send(process, content(2, 1, static_cast<int>(i), bytes(i)), 1, 2);
    }
    for (std::size_t i = 0; process.rank == 1 && i < kMessages; ++i) {
      wait(requests[i]);
      AVRM_MUST(in[i] == content(2, 1, static_cast<int>(i), bytes(i)));
    }
  });
}

TEST_P(Unattachable, ADeathEndsWhatIsUnderWay) {
  constexpr int kVictim = 1;
  run(
      [](Process &process, const Reports &) {
        everyone_exchanges_with_everyone(process);
        gather_at(process, kVictim);
        if (process.rank == kVictim) {
          raise(SIGKILL);
        }
        const Buffer out(1 << 20);
        Buffer in(100);
        // Starts an operation by `start` and waits for it. The death may end it in either.
        const auto end_of = [](const auto &start) {
          avrm_request_t *request = nullptr;
          const avrm_status_t started = start(&request);
          const avrm_status_t status = started == AVRM_OK ? avrm_wait(&request, nullptr) : started;
          AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_PEER);
          return status;
        };
        const auto send_to_victim = [&](std::size_t bytes) {
          return end_of(
              [&](auto *request) { return avrm_isend(process.world, out.data(), bytes, kVictim, 8, request); });
        };
        AVRM_MUST(end_of([&](auto *request) {
                    return avrm_irecv(process.world, in.data(), in.size(), kVictim, 7, request);
                  }) == AVRM_ERR_PEER);
        while (send_to_victim(8) == AVRM_OK) { // some go before the death is known
        }
        AVRM_MUST(send_to_victim(out.size()) == AVRM_ERR_PEER);
      },
      kVictim);
}

} // namespace
} // namespace avrankmap::test
