// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Devices over a netmod or shmmod of the caller's.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "null/null_fast.h"

// A netmod of the caller's with the functions of the null netmod.
#define AVRM_FP_BINDING                                                                                                \
  { "mine", AVRM_CODEC_OFI, avrm_null_tinject, avrm_null_put_inject }
#include "avrankmap/device/fastpath.h"
#include "core/device.h"
#include "core/progress/queue.h"
#include "core/transports.h"
#include "null/null.h"
#include "tests/device/core/process.h"

namespace avrankmap::test {
namespace {

class OwnTransport : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(avrm_boot_open(&boot_), AVRM_OK);
    table_ = *detail::find_netmod("null");
    table_.name = "mine";
    options_.boot = boot_;
    options_.shmmod = "none";
    options_.netmod_ops = &table_;
  }
  void TearDown() override { avrm_boot_close(boot_); }

  // Opens a device, and returns the name of its netmod.
  std::string name_of_netmod() {
    avrm_device_t *device = nullptr;
    EXPECT_EQ(avrm_device_open(&options_, &device), AVRM_OK) << avrm_device_open_error();
    std::string name = device == nullptr ? "none" : device->net->ops->name;
    EXPECT_EQ(avrm_device_close(device), AVRM_OK);
    return name;
  }
  // What a device says that must not open.
  std::string refusal(avrm_status_t expected) {
    avrm_device_t *device = nullptr;
    EXPECT_EQ(avrm_device_open(&options_, &device), expected);
    EXPECT_EQ(device, nullptr);
    return avrm_device_open_error();
  }

  avrm_boot_t *boot_ = nullptr;
  avrm_netmod_ops_t table_{};
  avrm_device_options_t options_{};
};

TEST_F(OwnTransport, IsChosenByNameOrPreferred) {
  EXPECT_EQ(name_of_netmod(), "mine");
  options_.netmod = "mine";
  EXPECT_EQ(name_of_netmod(), "mine");
  options_.netmod = "null";
  EXPECT_EQ(name_of_netmod(), "null");
  options_.netmod = nullptr;
  setenv("AVRM_NETMOD", "null", 1);
  EXPECT_EQ(name_of_netmod(), "null");
  setenv("AVRM_NETMOD", "mine", 1);
  EXPECT_EQ(name_of_netmod(), "mine");
  unsetenv("AVRM_NETMOD");
  options_.netmod = "other";
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("no netmod \"other\""), std::string::npos);
}

// The core calls the caller's table itself, so its calls cost what those of a netmod of the build
// cost. The fast path that is bound to it calls no table.
TEST_F(OwnTransport, BindsTheFastPathAndIsCalledByItsOwnTable) {
  options_.threads = true; // for queues
  avrm_device_t *device = nullptr;
  ASSERT_EQ(avrm_device_open(&options_, &device), AVRM_OK);
  EXPECT_EQ(device->net->ops, &table_);
  avrm_fp_t *fp = nullptr;
  ASSERT_EQ(avrm_fp_open(device, 2, &fp), AVRM_OK);
  EXPECT_EQ(device->queues->net->ops, &table_);
  EXPECT_EQ(avrm_fp_close(fp), AVRM_OK);
  EXPECT_EQ(avrm_device_close(device), AVRM_OK);
  options_.netmod = "null";
  ASSERT_EQ(avrm_device_open(&options_, &device), AVRM_OK);
  EXPECT_EQ(avrm_fp_open(device, 1, &fp), AVRM_ERR_UNSUPPORTED);
  EXPECT_EQ(avrm_device_close(device), AVRM_OK);
}

TEST_F(OwnTransport, HasATableOfThisVersion) {
  for (const std::size_t bytes : {std::size_t{0}, offsetof(avrm_netmod_ops_t, tprobe) - 1, sizeof table_ + 8}) {
    table_.bytes = bytes;
    EXPECT_NE(refusal(AVRM_ERR_VERSION).find(std::to_string(bytes) + " bytes"), std::string::npos);
  }
  table_.bytes = sizeof table_;
  table_.version = AVRM_NETMOD_VERSION + 1;
  EXPECT_NE(refusal(AVRM_ERR_VERSION).find("version"), std::string::npos);
}

TEST_F(OwnTransport, HasTheRequiredOperationsAndANameOfItsOwn) {
  table_.trecv = nullptr;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("trecv"), std::string::npos);
  table_.trecv = detail::find_netmod("null")->trecv;
  table_.name = nullptr;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("no name"), std::string::npos);
  table_.name = "null";
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("taken"), std::string::npos);
}

TEST_F(OwnTransport, HasTheOperationsOfItsCapabilities) {
  table_.flush = nullptr;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("flush"), std::string::npos);
  table_.flush = detail::find_netmod("null")->flush;
  table_.memory_values = nullptr;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("memory_values"), std::string::npos);
}

// The core's own functions stand in for those of the fast path.
TEST_F(OwnTransport, NeedsNoFunctionsOfTheFastPath) {
  table_.fp_tinject = nullptr;
  table_.fp_put_inject = nullptr;
  avrm_device_t *device = nullptr;
  ASSERT_EQ(avrm_device_open(&options_, &device), AVRM_OK);
  EXPECT_NE(device->net->ops, &table_);
  EXPECT_EQ(device->net->ops->fp_tinject, &avrm_i_fp_tinject);
  EXPECT_EQ(device->net->ops->fp_put_inject, &avrm_i_fp_put_inject);
  EXPECT_EQ(device->net->ops->tinject, table_.tinject);
  EXPECT_EQ(avrm_device_close(device), AVRM_OK);
}

#ifdef __linux__
// The shmmod of this build under another name, in a table that ends early: it cannot wake anybody,
// relays nothing, and acknowledges no synchronous messages.
const avrm_shmmod_ops_t *short_shmmod() {
  static const avrm_shmmod_ops_t *const table = [] {
    constexpr std::size_t kBytes = offsetof(avrm_shmmod_ops_t, arm);
    auto *const ops = static_cast<avrm_shmmod_ops_t *>(std::malloc(kBytes));
    std::memcpy(ops, detail::find_shmmod("posix"), kBytes);
    ops->bytes = kBytes;
    ops->name = "mine";
    return ops;
  }();
  return table;
}

TEST_F(OwnTransport, MayBeAShmmodWithAShortTable) {
  avrm_fork_options_t job{};
  job.size = 2;
  job.timeout_ms = job_timeout_ms();
  job.kill_on_failure = 1;
  std::int32_t codes[2] = {1, 1};
  const auto body = [](avrm_boot_t *boot, void *) {
    avrm_device_options_t options{};
    options.boot = boot;
    options.netmod = "null";
    options.shmmod_ops = short_shmmod();
    Process process{boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
    AVRM_MUST(avrm_device_open(&options, &process.device) == AVRM_OK);
    AVRM_MUST(std::strcmp(process.device->shm->ops->name, "mine") == 0 && process.device->shm->ops->arm == nullptr);
    process.world = avrm_device_world(process.device);
    Buffer in(100);
    if (process.rank == 0) {
      send(process, content(0, 1, 1, in.size()), 1, 3);
    } else {
      receive(process, in, 0, 3);
      AVRM_MUST(in == content(0, 1, 1, in.size()));
    }
    for (const std::size_t bytes : {std::size_t{0}, in.size(), std::size_t{100000}}) {
      Buffer none;
      avrm_request_t *request = nullptr;
      if (process.rank == 0) {
        const Buffer out = content(0, 1, 2, bytes);
        AVRM_MUST(avrm_issend(process.world, out.data(), bytes, 1, 4, &request) == AVRM_OK);
        send(process, none, 1, 5);
        receive(process, none, 1, 6);
        AVRM_MUST(request->done == 0);
        send(process, none, 1, 7);
        wait(request);
        continue;
      }
      in.resize(bytes);
      receive(process, none, 0, 5);
      send(process, none, 0, 6);
      receive(process, none, 0, 7);
      const avrm_outcome_t outcome = receive(process, in, AVRM_ANY_SOURCE, AVRM_ANY_TAG);
      AVRM_MUST(outcome.tag == 4 && outcome.source == 0 && in == content(0, 1, 2, bytes));
    }
    return avrm_device_close(process.device) == AVRM_OK ? 0 : 1;
  };
  ASSERT_EQ(avrm_boot_fork_run(&job, body, nullptr, codes), AVRM_OK);
  EXPECT_EQ(codes[0] + codes[1], 0);
}

TEST_F(OwnTransport, MayNotBeAShmmodOfAnotherVersionOrOfATakenName) {
  avrm_shmmod_ops_t table = *detail::find_shmmod("posix");
  options_.shmmod = nullptr;
  options_.shmmod_ops = &table;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("taken"), std::string::npos);
  table.name = "mine";
  table.version = 0;
  EXPECT_NE(refusal(AVRM_ERR_VERSION).find("version"), std::string::npos);
  table.version = AVRM_SHMMOD_VERSION;
  table.take = nullptr;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("take"), std::string::npos);
}
#endif

} // namespace
} // namespace avrankmap::test
