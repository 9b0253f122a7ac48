// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Every kind of call of the device under low limits. Each process must succeed, or end after a call
// that returned a status: none crashes or hangs. By default some limits, all with AVRM_TEST_LONG=1.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "avrankmap/device/boot.h"
#include "tests/device/core/process.h"
#include "tests/device/limits/calls.h"
#include "tests/device/limits/low_limit.h"
#include "tests/device/limits/own_mounts.h"
#include "tests/support/before_forking.h"
#include "tests/support/pages.h"

namespace avrankmap::test {
namespace {

constexpr rlim_t kKiB = 1024;
constexpr rlim_t kMiB = 1024 * kKiB;
constexpr rlim_t kAmple = 8192 * kMiB;

enum class Kind { kDescriptors, kFileSize, kAddressSpace, kNone };

// A limit, and who has it from when on.
struct Low {
  Kind kind;
  rlim_t value; // descriptors and bytes that are free
  bool from_the_start;
  bool everybody;
};

std::string text_of(const Low &low) {
  const char *const kinds[] = {"descriptors", "bytes of a file", "bytes of address space", "limits"};
  return std::to_string(low.value) + " " + kinds[static_cast<int>(low.kind)] +
         (low.from_the_start ? " from the start" : " after opening") + (low.everybody ? "" : ", in one process");
}

// The lowest descriptor that is free.
rlim_t first_descriptor() {
  const int descriptor = dup(STDERR_FILENO);
  close(descriptor);
  return static_cast<rlim_t>(descriptor);
}

void set_soft(__rlimit_resource resource, rlim_t value) {
  rlimit limit{};
  (void)getrlimit(resource, &limit);
  limit.rlim_cur = std::min(value, limit.rlim_max);
  (void)setrlimit(resource, &limit);
}

void set(const Low &low) {
  switch (low.kind) {
  case Kind::kDescriptors: return set_soft(RLIMIT_NOFILE, first_descriptor() + low.value);
  case Kind::kFileSize: return set_soft(RLIMIT_FSIZE, low.value);
  case Kind::kAddressSpace: return set_soft(RLIMIT_AS, mapped_bytes() + low.value);
  case Kind::kNone: break;
  }
}

// Limits under which another library ends the process.
struct Exception {
  const char *netmod;
  Kind kind;
  rlim_t most;
  bool from_the_start; // too
  const char *reason;
};
constexpr Exception kExceptions[] = {
    {"ucx", Kind::kDescriptors, 6, false,
     "UCX 1.13 aborts if it lacks a descriptor to accept a connection (tcp_iface.c)"},
    {"ucx", Kind::kAddressSpace, RLIM_INFINITY, true,
     "UCX 1.13 aborts or tries again without end if a buffer for what arrives cannot be allocated (tcp_ep.c)"},
};

const Exception *exception_of(const Transport &transport, const Low &low) {
  for (const Exception &exception : kExceptions) {
    if (std::string_view(transport.netmod) == exception.netmod && low.kind == exception.kind &&
        low.value <= exception.most && (exception.from_the_start || !low.from_the_start)) {
      return &exception;
    }
  }
  return nullptr;
}

// Runs a job under a limit. Returns the exit codes; none if it hung.
std::vector<std::int32_t> run(const Transport &transport, const Low &low, bool may_lack = false) {
  const auto set_for = [&low](bool at_the_start) {
    return [&low, at_the_start](int rank) {
      if (!low.everybody && rank != 0) {
        return;
      }
      if (low.from_the_start == at_the_start) {
        set(low);
      } else if (at_the_start && low.kind == Kind::kAddressSpace) { // which is used up later
        set_soft(RLIMIT_AS, mapped_bytes() + kAmple);
      }
    };
  };
  Calls calls{&transport, set_for(true), set_for(false), may_lack};
  avrm_fork_options_t options{};
  options.size = has_both(transport) ? 3 : 2;
  options.per_node = transport.per_node;
  options.timeout_ms = 60000;
  std::vector<std::int32_t> codes(static_cast<std::size_t>(options.size));
  const avrm_status_t status = avrm_boot_fork_run(&options, make_calls, &calls, codes.data());
  EXPECT_EQ(status, AVRM_OK) << text_of(low);
  return status == AVRM_OK ? codes : std::vector<std::int32_t>();
}

enum class Outcome { kWell, kWellOrStatus };

void expect(Outcome outcome, const Transport &transport, const Low &low) {
  if (const Exception *const exception = exception_of(transport, low); exception != nullptr) {
    std::printf("left out: %s: %s\n", text_of(low).c_str(), exception->reason);
    return;
  }
  for (const std::int32_t code : run(transport, low)) {
    EXPECT_TRUE(code == kAllWell || (code == kEndedByStatus && outcome == Outcome::kWellOrStatus))
        << text_of(low) << ": exit code " << code;
  }
}

class CallsUnderLimits : public testing::TestWithParam<Transport> {
protected:
  void SetUp() override {
    before_forking(GetParam());
    expect_it_works();
  }
  static void expect_it_works() {
    const std::vector<std::int32_t> codes = run(GetParam(), {Kind::kNone, 0, true, true}, true);
    if (any_skipped(codes)) {
      GTEST_SKIP() << lacks(GetParam());
    }
    EXPECT_EQ(codes, std::vector<std::int32_t>(codes.size(), kAllWell));
  }
  // All values, each for all processes and for one, from the start and later; or some, each once.
  static void sweep(Kind kind, Outcome outcome, const std::vector<rlim_t> &some, const std::vector<rlim_t> &all) {
    int turn = 0;
    for (const rlim_t value : is_long() ? all : some) {
      for (int i = 0; i < (is_long() ? 4 : 1); ++i, ++turn) {
        expect(outcome, GetParam(), {kind, value, turn % 2 == 0, turn / 2 % 2 == 0});
      }
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Over, CallsUnderLimits, testing::ValuesIn(transports_of(Suites::kAll)), kByName);

TEST_P(CallsUnderLimits, OfDescriptors) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer opens a pipe to check an object";
  }
  std::vector<rlim_t> all(61);
  std::iota(all.begin(), all.end(), 0);
  sweep(Kind::kDescriptors, Outcome::kWellOrStatus, {0, 1, 5, 9, 16}, all);
}

TEST_P(CallsUnderLimits, OfAddressSpace) {
  if (kSanitized) {
    GTEST_SKIP() << "sanitizers map terabytes";
  }
  std::vector<rlim_t> all;
  for (rlim_t bytes = 4 * kKiB; bytes <= 1024 * kMiB; bytes = bytes * 3 / 2) {
    all.push_back(bytes);
  }
  sweep(Kind::kAddressSpace, Outcome::kWellOrStatus, {64 * kKiB, kMiB, 16 * kMiB, 16 * kMiB, 256 * kMiB}, all);
}

// Also of the libraries' own shared memory.
class SharedMemoryUnderLimits : public CallsUnderLimits {};
bool shares_nodes(const Transport &transport) { return transport.per_node != 1; }
INSTANTIATE_TEST_SUITE_P(Over, SharedMemoryUnderLimits, testing::ValuesIn(transports_of(Suites::kNetmod, shares_nodes)),
                         kByName);

TEST_P(SharedMemoryUnderLimits, OfTheSizesOfFiles) {
  // Where there is a network, it replaces shared memory.
  const bool is_ours = GetParam().suites == Suites::kAll && has_network(GetParam());
  const Outcome outcome = is_ours ? Outcome::kWell : Outcome::kWellOrStatus;
  sweep(Kind::kFileSize, outcome, {0, kMiB, 0},
        {0, 1, 4 * kKiB, 64 * kKiB, 256 * kKiB, 800 * kKiB, kMiB, 2 * kMiB, 16 * kMiB});
}

TEST_P(SharedMemoryUnderLimits, OfDevShm) {
  // Our own shared memory is not there.
  const Outcome outcome = GetParam().suites == Suites::kAll ? Outcome::kWell : Outcome::kWellOrStatus;
  const auto shrink = [] { return mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=64k") == 0; };
  with_own_mounts(shrink, [&] { expect(outcome, GetParam(), {Kind::kNone, 0, true, true}); });
}

} // namespace
} // namespace avrankmap::test
