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

struct Operation {
  const char *name;
  std::size_t place; // in the table
};
#define AVRM_TEST_OPERATION(name) #name, offsetof(avrm_netmod_ops_t, name)

// A table lacks an operation as long as this exists.
class Lack {
public:
  Lack(avrm_netmod_ops_t *table, const Operation &operation)
      : place_(reinterpret_cast<char *>(table) + operation.place) {
    std::memcpy(kept_, place_, sizeof kept_);
    std::memset(place_, 0, sizeof kept_);
  }
  ~Lack() { std::memcpy(place_, kept_, sizeof kept_); }
  Lack(const Lack &) = delete;
  Lack &operator=(const Lack &) = delete;

private:
  char *place_;
  char kept_[sizeof(void (*)())];
};

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

  // Fills the table, and lets the netmod say of itself what `claims_` has.
  void have_all_operations() {
    claims_ = {8, 4096, 1, 0};
    table_.atomic = [](auto...) { return AVRM_ERR_UNSUPPORTED; };
    table_.open = [](const avrm_netmod_config_t *config, avrm_netmod_t **netmod_p) {
      const avrm_status_t status = detail::find_netmod("null")->open(config, netmod_p);
      if (status == AVRM_OK) {
        (*netmod_p)->inject_max = claims_.inject_max;
        (*netmod_p)->am_max = claims_.am_max;
        (*netmod_p)->pieces_max = claims_.pieces_max;
        (*netmod_p)->capabilities = claims_.capabilities;
      }
      return status;
    };
  }

  struct Claims {
    std::size_t inject_max;
    std::size_t am_max;
    std::size_t pieces_max;
    unsigned capabilities;
  };
  inline static Claims claims_{};

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

TEST_F(OwnTransport, HasEachRequiredOperation) {
  constexpr Operation kRequired[] = {
      {AVRM_TEST_OPERATION(open)},     {AVRM_TEST_OPERATION(close)},       {AVRM_TEST_OPERATION(last_error)},
      {AVRM_TEST_OPERATION(describe)}, {AVRM_TEST_OPERATION(address)},     {AVRM_TEST_OPERATION(insert)},
      {AVRM_TEST_OPERATION(remove)},   {AVRM_TEST_OPERATION(tinject)},     {AVRM_TEST_OPERATION(tsend)},
      {AVRM_TEST_OPERATION(trecv)},    {AVRM_TEST_OPERATION(cancel)},      {AVRM_TEST_OPERATION(am_send)},
      {AVRM_TEST_OPERATION(progress)}, {AVRM_TEST_OPERATION(peer_failed)},
  };
  for (const Operation &operation : kRequired) {
    const Lack lack(&table_, operation);
    EXPECT_TRUE(refusal(AVRM_ERR_OPTION).ends_with(std::string("lacks the operation ") + operation.name));
  }
}

TEST_F(OwnTransport, HasANameOfItsOwn) {
  table_.name = nullptr;
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("no name"), std::string::npos);
  table_.name = "null";
  EXPECT_NE(refusal(AVRM_ERR_OPTION).find("taken"), std::string::npos);
}

TEST_F(OwnTransport, HasTheOperationsOfItsCapabilitiesAndNeedsNoOthers) {
  constexpr unsigned kPut = AVRM_NETMOD_PUT | AVRM_NETMOD_PLAIN_KEYS;
  constexpr struct {
    Operation operation;
    unsigned capabilities; // that require it, one at a time
  } kOptional[] = {
      {{AVRM_TEST_OPERATION(memory_register)}, kPut},
      {{AVRM_TEST_OPERATION(memory_register)}, AVRM_NETMOD_GET},
      {{AVRM_TEST_OPERATION(memory_release)}, kPut},
      {{AVRM_TEST_OPERATION(memory_release)}, AVRM_NETMOD_GET},
      {{AVRM_TEST_OPERATION(memory_describe)}, kPut},
      {{AVRM_TEST_OPERATION(memory_describe)}, AVRM_NETMOD_GET},
      {{AVRM_TEST_OPERATION(key_open)}, kPut},
      {{AVRM_TEST_OPERATION(key_open)}, AVRM_NETMOD_GET},
      {{AVRM_TEST_OPERATION(key_close)}, kPut},
      {{AVRM_TEST_OPERATION(key_close)}, AVRM_NETMOD_GET},
      {{AVRM_TEST_OPERATION(memory_values)}, AVRM_NETMOD_PLAIN_KEYS},
      {{AVRM_TEST_OPERATION(put)}, kPut},
      {{AVRM_TEST_OPERATION(flush)}, kPut},
      {{AVRM_TEST_OPERATION(get)}, AVRM_NETMOD_GET},
      {{AVRM_TEST_OPERATION(put_inject)}, kPut | AVRM_NETMOD_PUT_INJECT},
      {{AVRM_TEST_OPERATION(atomic)}, kPut | AVRM_NETMOD_ATOMIC},
      {{AVRM_TEST_OPERATION(tsend_sync)}, AVRM_NETMOD_SYNC},
  };
  have_all_operations();
  for (const auto &[operation, capabilities] : kOptional) {
    const Lack lack(&table_, operation);
    claims_.capabilities = capabilities;
    EXPECT_NE(refusal(AVRM_ERR_OPTION).find(std::string("lacks the operation ") + operation.name + " of"),
              std::string::npos);
    claims_.capabilities = 0;
    EXPECT_EQ(name_of_netmod(), "mine") << operation.name;
  }
}

TEST_F(OwnTransport, HasBothOperationsOfProbesOrNone) {
  have_all_operations();
  constexpr Operation kProbes[] = {{AVRM_TEST_OPERATION(tprobe)}, {AVRM_TEST_OPERATION(trecv_claimed)}};
  for (const Operation &operation : kProbes) {
    const Lack lack(&table_, operation);
    EXPECT_NE(refusal(AVRM_ERR_OPTION).find("tprobe and trecv_claimed"), std::string::npos);
  }
  const Lack probe(&table_, kProbes[0]);
  const Lack claimed(&table_, kProbes[1]);
  EXPECT_EQ(name_of_netmod(), "mine");
}

TEST_F(OwnTransport, HasTheCapabilitiesThatItsCapabilitiesRequire) {
  have_all_operations();
  for (const unsigned capability : {AVRM_NETMOD_PUT_INJECT, AVRM_NETMOD_ATOMIC}) {
    claims_.capabilities = capability | AVRM_NETMOD_PLAIN_KEYS;
    EXPECT_TRUE(refusal(AVRM_ERR_OPTION).ends_with("requires AVRM_NETMOD_PUT"));
    claims_.capabilities |= AVRM_NETMOD_PUT;
    EXPECT_EQ(name_of_netmod(), "mine");
  }
  claims_.capabilities = AVRM_NETMOD_PUT;
  EXPECT_TRUE(refusal(AVRM_ERR_OPTION).ends_with("no AVRM_NETMOD_PLAIN_KEYS"));
  claims_.capabilities |= AVRM_NETMOD_DELIVERS;
  EXPECT_EQ(name_of_netmod(), "mine");
}

TEST_F(OwnTransport, HasLimitsThatAreLargeEnough) {
  have_all_operations();
  claims_ = {AVRM_NETMOD_INJECT_MIN, AVRM_NETMOD_AM_MIN, 1, 0};
  EXPECT_EQ(name_of_netmod(), "mine");
  for (std::size_t Claims::*const limit : {&Claims::inject_max, &Claims::am_max, &Claims::pieces_max}) {
    --(claims_.*limit);
    EXPECT_TRUE(refusal(AVRM_ERR_OPTION).ends_with("too small"));
    ++(claims_.*limit);
  }
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
