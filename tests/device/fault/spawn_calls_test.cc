// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Spawning while memory or system calls fail in the parent, or in the child before it reaches the
// parent: the parent gets a status, no process, file or memory leaks, and the next spawn works.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "avrankmap/device/dynamic.h"
#include "launch/embedded_launch.h"
#include "tests/device/dynamic/multi_world_comms.h"
#include "tests/device/fault/failing_memory.h"
#include "tests/device/fault/sweep.h"

namespace avrankmap::test {
namespace {

const Transport &kTransportOfAll = transport_named(AVRM_TEST_UCX ? "ucx_tcp" : "ofi_tcp");

constexpr Shot kNoFault{0, Fault::kHard, 0, 0};
constexpr std::int32_t kTimeoutMs = 60000; // milliseconds; far more than a child takes

class Parent {
public:
  // False if this machine lacks the transport.
  bool open() {
    hooks_ = memory_.hooks();
    EXPECT_EQ(avrm_boot_open(&boot_), AVRM_OK);
    const avrm_device_options_t options = options_over(kTransportOfAll, boot_, &hooks_);
    const avrm_status_t status = avrm_device_open(&options, &device_);
    EXPECT_TRUE(status == AVRM_OK || means_lacking(status));
    return status == AVRM_OK;
  }
  void close() {
    if (device_ != nullptr) {
      EXPECT_EQ(avrm_device_close(device_), AVRM_OK);
    }
    avrm_boot_close(boot_);
    EXPECT_EQ(memory_.books.live_bytes(), 0u);
  }
  [[nodiscard]] std::uint64_t live_bytes() const { return memory_.books.live_bytes(); }

  // Spawns a child and disconnects from it; parent and child have faults of their own. `said` is
  // what the child wrote.
  avrm_status_t spawn(const Shot &own, const Shot &childs) {
    (void)::unlink(file_.c_str());
    const std::array<std::string, 4> numbers{std::to_string(childs.families),
                                             std::to_string(static_cast<int>(childs.fault)),
                                             std::to_string(childs.point), std::to_string(childs.in_a_row)};
    const char *const arguments[] = {numbers[0].c_str(),
                                     numbers[1].c_str(),
                                     numbers[2].c_str(),
                                     numbers[3].c_str(),
                                     kTransportOfAll.name,
                                     file_.c_str(),
                                     nullptr};
    avrm_spawn_options_t options{};
    options.arguments = arguments;
    options.timeout_ms = kTimeoutMs;
    avrm_comm_t *child = nullptr;
    avrm_status_t error = AVRM_ERR_MISMATCH;
    own.arm();
    const avrm_status_t status =
        avrm_comm_spawn(avrm_device_world(device_), 0, AVRM_FAULTY_CHILD, 1, &options, &child, &error);
    disarm();
    EXPECT_EQ(status == AVRM_OK, child != nullptr);
    EXPECT_NE(error, AVRM_ERR_MISMATCH);
    if (child != nullptr) {
      if (childs.families == 0) { // otherwise it may have died
        check_intercomm({avrm_device_world(device_), id_of(0, 0)}, child, ids_of(1, 1));
      }
      const avrm_status_t left = avrm_comm_disconnect(&child);
      EXPECT_TRUE(left == AVRM_OK || left == AVRM_ERR_PEER) << avrm_status_name(left);
      EXPECT_TRUE(left == AVRM_OK || childs.families != 0 || own.families != 0);
    }
    siginfo_t about{};
    while (waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0) {
      (void)avrm_progress(device_); // reaps the helper process
    }
    read_file();
    std::int32_t live = 0;
    std::int32_t most = 0;
    avrm_device_contexts(device_, &live, &most);
    EXPECT_EQ(live, 1);
    return status;
  }
  [[nodiscard]] const std::string &said() const { return said_; }
  [[nodiscard]] int descriptors(int milliseconds, int most) {
    return open_descriptors_after(milliseconds, most, [this] { (void)avrm_progress(device_); });
  }

private:
  void read_file() {
    said_.clear();
    char text[64] = "";
    const int file = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
      const ssize_t bytes = ::read(file, text, sizeof text - 1);
      said_.assign(text, static_cast<std::size_t>(bytes < 0 ? 0 : bytes));
      ::close(file);
      (void)::unlink(file_.c_str());
    }
  }

  avrm_boot_t *boot_ = nullptr;
  avrm_device_t *device_ = nullptr;
  FailingMemory memory_;
  avrm_allocator_t hooks_{};
  std::string file_ = testing::TempDir() + "avrm-child-" + std::to_string(getpid());
  std::string said_;
};

bool is_clear_of_spawn(avrm_status_t status) {
  return is_clear(status) || status == AVRM_ERR_BOOT || status == AVRM_ERR_TIMEOUT;
}

// With `childs` the child's calls fail, otherwise the parent's.
void sweep_spawns(bool childs, unsigned families, const std::vector<Fault> &faults, std::size_t samples) {
  in_process([&] {
    Parent parent;
    if (!parent.open()) {
      parent.close();
      GTEST_SKIP() << lacks(kTransportOfAll);
    }
    ASSERT_EQ(parent.spawn(kNoFault, kNoFault), AVRM_OK);
    const int descriptors = parent.descriptors(100, -1);
    const std::uint64_t bytes = parent.live_bytes();
    sweep(families, faults,
          [&](const Shot &shot) {
            const avrm_status_t status = childs ? parent.spawn(kNoFault, shot) : parent.spawn(shot, kNoFault);
            EXPECT_TRUE(is_clear_of_spawn(status)) << avrm_status_name(status);
            Faults seen = test::faults();
            unsigned long long calls = 0;
            char more = '\0';
            const std::string &said = parent.said();
            const bool ended = std::sscanf(said.c_str(), "ended %llu%c", &calls, &more) == 1;
            // A child that was ended need not have finished, but must not have met an
            // unexpected status.
            EXPECT_TRUE(ended || (status != AVRM_OK && (said.empty() || said == "begun"))) << said;
            if (childs) {
              EXPECT_TRUE(shot.point != INT64_MAX || ended) << said;
              seen.calls = calls;
            } else if (seen.failed == 0) {
              EXPECT_EQ(status, AVRM_OK);
            }
            EXPECT_EQ(parent.live_bytes(), bytes);
            EXPECT_LE(parent.descriptors(kClosesWithin, descriptors), descriptors);
            test::faults() = seen;
          },
          {.samples = samples});
    ASSERT_EQ(parent.spawn(kNoFault, kNoFault), AVRM_OK);
    parent.close();
  });
}

TEST(SpawnCalls, AParentWhoseSystemFailsIsToldAndLeavesNoChild) { sweep_spawns(false, kSystem, {Fault::kHard}, 2); }
TEST(SpawnCalls, AParentWithoutMemoryIsToldAndLeavesNoChild) {
  sweep_spawns(false, kSystem | kMemory, {Fault::kNoMemory}, 2);
}
TEST(SpawnCalls, AParentIsToldOfAChildWhoseCallsFail) {
  sweep_spawns(true, kSystem | kMemory | kTransport, {Fault::kHard, Fault::kNoMemory}, 2);
}

// The supervisor of a job is a fork of the launching process, so its calls fail as well.
TEST(SpawnCalls, AJobThatWasLetGoSurvivesFailuresOfItsSupervisor) {
  const std::string file = testing::TempDir() + "avrm-let-go-" + std::to_string(getpid());
  const std::string script = ": >" + file + "; sleep 0.1; echo done >" + file;
  const char *const arguments[] = {"-c", script.c_str(), nullptr};
  const auto bytes_written = [&file] {
    struct stat about {};
    return stat(file.c_str(), &about) == 0 ? about.st_size : off_t{-1};
  };
  int survived = 0;
  for (const Fault fault : {Fault::kNoMemory, Fault::kHard, Fault::kAgain}) {
    for (std::int64_t point = 0; point < 15; ++point) {
      (void)unlink(file.c_str());
      detail::EmbeddedLaunch launch;
      arm(kSystem, fault, point);
      const avrm_status_t started = launch.start({"sh", arguments, nullptr, "", 1, true});
      disarm();
      while (started == AVRM_OK && launch.look() == AVRM_OK && bytes_written() < 0) {
        usleep(1000);
      }
      if (started != AVRM_OK || launch.failure() != AVRM_OK) {
        continue;
      }
      launch.let_go();
      while (!launch.is_over()) {
        usleep(1000);
      }
      EXPECT_GT(bytes_written(), 0) << name_of(fault) << " at call " << point;
      ++survived;
    }
  }
  EXPECT_GT(survived, 15);
  (void)unlink(file.c_str());
}

// The child's first system call looks at its job's key-value store.
TEST(SpawnCalls, AChildThatCannotLookAtItsStoreDoesNotGoOnAlone) {
  in_process([] {
    Parent parent;
    if (!parent.open()) {
      parent.close();
      GTEST_SKIP() << lacks(kTransportOfAll);
    }
    const avrm_status_t status = parent.spawn(kNoFault, {kSystem, Fault::kHard, 0, 1});
    EXPECT_TRUE(is_clear_of_spawn(status)) << avrm_status_name(status);
    EXPECT_EQ(parent.said().find("with"), std::string::npos) << parent.said();
    parent.close();
  });
}

} // namespace
} // namespace avrankmap::test
