// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A device's netmod takes its tables from the device's instance, which accounts for them.
#include "tests/device/job.h"

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

} // namespace
} // namespace avrankmap::test
