// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Whole jobs where the system has not, or does not allow, one of the calls that kernels before 4.18
// lack or that filters of containers refuse: devices open, talk and see deaths all the same, or an
// error names the call.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>

#include "launch/embedded_launch.h"
#include "tests/device/core/process.h"
#include "tests/support/before_forking.h"
#include "tests/support/refuse_call.h"

namespace avrankmap::test {
namespace {

struct Call {
  const char *name;
  long number;
};
constexpr Call kCalls[] = {
    {"pidfd_open", SYS_pidfd_open},
    {"pidfd_send_signal", SYS_pidfd_send_signal},
    {"membarrier", SYS_membarrier},
    {"memfd_create", SYS_memfd_create},
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"close_range", SYS_close_range},
    {"clone3", SYS_clone3},
    {"eventfd2", SYS_eventfd2},
    {"getrandom", SYS_getrandom},
    {"shmget", SYS_shmget},
};

struct Refusal {
  Call call;
  int error;
  Transport transport;
  [[nodiscard]] std::string name() const {
    return std::string(call.name) + (error == EPERM ? "_EPERM_" : "_ENOSYS_") + transport.name;
  }
};

std::ostream &operator<<(std::ostream &out, const Refusal &refusal) { return out << refusal.name(); }

// Shared memory meets all of them, the networks those that they or the libraries below them make.
std::vector<Refusal> refusals() {
  std::vector<Refusal> all;
  for (const Call &call : kCalls) {
    for (const int error : {ENOSYS, EPERM}) {
      all.push_back({call, error, transport_named("posix")});
      if (call.number == SYS_memfd_create || call.number == SYS_getrandom || is_long()) {
        all.push_back({call, error, transport_named("ofi_tcp_and_posix")});
      }
      if (call.number == SYS_shmget || call.number == SYS_eventfd2 || call.number == SYS_clone3 || is_long()) {
        all.push_back({call, error, transport_named("ucx_all")});
      }
    }
  }
  return all;
}

constexpr int kSize = 3;
constexpr int kVictim = 2;
constexpr int kNamed = 78; // exit code of a process whose error names the call
constexpr int kNoFilter = 79;

// Messages of all sizes, a window, and a death.
int talk(avrm_boot_t *boot, void *user) {
  const auto &refusal = *static_cast<const Refusal *>(user);
  const avrm_device_options_t options = options_over(refusal.transport, boot);
  Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  const avrm_status_t opened = avrm_device_open(&options, &process.device);
  if (opened != AVRM_OK) {
    const bool is_named = std::strstr(avrm_device_open_error(), refusal.call.name) != nullptr;
    std::fprintf(stderr, "%s: %s\n", avrm_status_name(opened), avrm_device_open_error());
    return is_named ? kNamed : opened == AVRM_ERR_UNSUPPORTED || opened == AVRM_ERR_OPTION ? kSkipped : 1;
  }
  process.world = avrm_device_world(process.device);
  const int next = (process.rank + 1) % kSize;
  const int last = (process.rank + kSize - 1) % kSize;
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 20}) {
    avrm_request_t *request = nullptr;
    const Buffer out = content(process.rank, next, 1, bytes);
    Buffer in(bytes);
    AVRM_MUST(avrm_irecv(process.world, in.data(), bytes, last, 1, &request) == AVRM_OK);
    send(process, out, next, 1);
    wait(request);
    AVRM_MUST(in == content(last, process.rank, 1, bytes));
  }
  std::uint64_t cells[kSize] = {};
  avrm_window_t *window = nullptr;
  AVRM_MUST(avrm_window_create(process.world, cells, sizeof cells, AVRM_WINDOW_EXCHANGE, &window) == AVRM_OK);
  const std::uint64_t value = 7;
  avrm_request_t *request = nullptr;
  AVRM_MUST(avrm_put(window, &value, sizeof value, next, sizeof value, &request) == AVRM_OK);
  wait(request);
  AVRM_MUST(avrm_flush(window, next) == AVRM_OK);
  barrier(process);
  AVRM_MUST(cells[1] == value);
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  fence(process);
  if (process.rank == kVictim) {
    raise(SIGKILL);
  }
  Buffer in(8);
  avrm_status_t heard = avrm_irecv(process.world, in.data(), in.size(), kVictim, 2, &request);
  heard = heard == AVRM_OK ? avrm_wait(&request, nullptr) : heard;
  AVRM_MUST(heard == AVRM_ERR_PEER);
  AVRM_MUST(avrm_device_close(process.device) == AVRM_ERR_PEER);
  return 0;
}

// What a function returns in a process of its own.
template <typename Function> int in_process(Function function) {
  const pid_t pid = fork();
  if (pid == 0) {
    _exit(function());
  }
  int status = 0;
  const bool is_waited_for = waitpid(pid, &status, 0) == pid;
  return is_waited_for && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// As above where it may not make a call, as no filter can be removed; kNoFilter if none can be set.
template <typename Function> int without(const Call &call, int error, Function function) {
  return in_process([&] { return refuse_call(call.number, error) ? function() : kNoFilter; });
}

class MissingSyscall : public testing::TestWithParam<Refusal> {};
INSTANTIATE_TEST_SUITE_P(With, MissingSyscall, testing::ValuesIn(refusals()),
                         [](const auto &info) { return info.param.name(); });

TEST_P(MissingSyscall, DevicesTalkAndSeeDeathsOrNameIt) {
  Refusal refusal = GetParam();
  before_forking(refusal.transport);
  const auto job = [&refusal] {
    const avrm_fork_options_t options{kSize, refusal.transport.per_node, job_timeout_ms(), 0};
    std::int32_t codes[kSize] = {};
    if (avrm_boot_fork_run(&options, talk, &refusal, codes) != AVRM_OK) {
      return 2;
    }
    for (const int alike : {kSkipped, kNamed}) {
      if (std::find(std::begin(codes), std::end(codes), alike) != std::end(codes)) {
        return alike;
      }
    }
    return codes[0] == 0 && codes[1] == 0 && codes[kVictim] == 128 + SIGKILL ? 0 : 1;
  };
  const int code = without(refusal.call, refusal.error, job);
  if (code == kNoFilter) {
    GTEST_SKIP() << "no filter can be set here";
  }
  if (code == kSkipped) { // without the filter as well, or the call is needed
    ASSERT_EQ(in_process(job), kSkipped);
    GTEST_SKIP() << lacks(refusal.transport);
  }
  const bool is_ucx = std::string(refusal.transport.name) == "ucx_all";
  const bool may_be_named = (refusal.call.number == SYS_memfd_create && !has_network(refusal.transport)) ||
                            (refusal.call.number == SYS_clone3 && is_ucx);
  EXPECT_TRUE(code == 0 || (code == kNamed && may_be_named)) << code;
}

// One that ends at once contacts nobody.
TEST(MissingSyscalls, ProgramsAreLaunched) {
  for (const Call &call : kCalls) {
    for (const int error : {ENOSYS, EPERM}) {
      const int code = without(call, error, [] {
        detail::EmbeddedLaunch launch;
        if (launch.start({"true", nullptr, nullptr, "", 2, true}) != AVRM_OK) {
          return 1;
        }
        while (launch.look() == AVRM_OK) {
          usleep(1000);
        }
        return launch.failure() == AVRM_ERR_PEER ? 0 : 2;
      });
      if (code == kNoFilter) {
        GTEST_SKIP() << "no filter can be set here";
      }
      EXPECT_EQ(code, 0) << call.name << ", " << std::strerror(error);
    }
  }
}

TEST(MissingSyscalls, AJobThatCannotBeForkedSaysWhy) {
  for (const Call &call : {Call{"fork", SYS_clone}, Call{"poll", SYS_poll}}) {
    const int code = without(call, EPERM, [&call] {
      const avrm_fork_options_t options{1, 0, job_timeout_ms(), 0};
      const avrm_status_t status = avrm_boot_fork_run(
          &options, [](avrm_boot_t *, void *) { return 0; }, nullptr, nullptr);
      return status == AVRM_ERR_SYSTEM && std::strstr(avrm_device_open_error(), call.name) != nullptr ? 0 : 1;
    });
    if (code == kNoFilter) {
      GTEST_SKIP() << "no filter can be set here";
    }
    EXPECT_EQ(code, 0) << call.name;
  }
}

} // namespace
} // namespace avrankmap::test
