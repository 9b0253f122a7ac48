// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of a device: its netmod's tables are accounted for by the device's instance, and nothing
// is kept per process of the job.
#include "bench/synthetic/synthetic_boot.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

std::uint64_t instance_bytes(const Process &process) {
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(process.device), AVRM_MEM_INSTANCE, &usage) == AVRM_OK);
  return usage.live_bytes;
}

TEST(DeviceMemory, InstanceAccountsForTheNetmodsPeers) {
  Transport transport = transport_named("ofi_tcp");
  transport.connect = AVRM_CONNECT_EAGER;
  run_job(transport, 2, [](Process &process) {
    const std::uint64_t before = instance_bytes(process);
    unsigned char memory[8] = {};
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, memory, sizeof memory, 0, &window) == AVRM_OK);
    barrier(process);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_put(window, "peer", 4, process.partner(), 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_flush(window, process.partner()) == AVRM_OK);
    AVRM_MUST(instance_bytes(process) > before);
    barrier(process);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

// Live bytes of a device that has connected all processes of a job at once.
std::uint64_t bytes_of_eager_device(std::int32_t processes) {
  bench::SyntheticBoot boot(processes);
  avrm_device_options_t options{};
  options.boot = &boot;
  options.netmod = "null";
  options.shmmod = "none";
  options.connect = AVRM_CONNECT_EAGER;
  options.av = AVRM_DEVICE_AV_IMPLICIT;
  avrm_device_t *device = nullptr;
  AVRM_MUST(avrm_device_open(&options, &device) == AVRM_OK);
  avrm_mem_usage_t usage{};
  AVRM_MUST(avrm_instance_mem_usage(avrm_device_instance(device), AVRM_MEM_TOTAL, &usage) == AVRM_OK);
  AVRM_MUST(avrm_device_close(device) == AVRM_OK);
  return usage.live_bytes;
}

TEST(DeviceMemory, ConnectingAllAtOnceKeepsNothingPerProcess) {
  EXPECT_EQ(bytes_of_eager_device(200000), bytes_of_eager_device(100));
}

} // namespace
} // namespace avrankmap::test
