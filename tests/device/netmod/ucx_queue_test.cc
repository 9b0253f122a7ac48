// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Length of the messages that UCX's shared memory keeps in the queue itself, and the
// settings for it.
#include <gtest/gtest.h>
#include <ucp/api/ucp.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "ucx_pair.h"

namespace avrankmap::test {

namespace {

// The longest message that UCX sends without a buffer, as it describes the endpoint.
std::size_t longest_without_buffer(const Side &side) {
  char *text = nullptr;
  std::size_t length = 0;
  std::FILE *const out = open_memstream(&text, &length);
  ucp_ep_print_info(reinterpret_cast<ucp_ep_h>(static_cast<std::uintptr_t>(side.peer)), out);
  std::fclose(out);
  const std::string info(text, length);
  std::free(text);
  std::size_t longest = 0;
  const std::size_t line = info.find("tag_send:");
  if (line == std::string::npos || std::sscanf(info.c_str() + line, "tag_send: 0..<egr/short>..%zu", &longest) != 1) {
    ADD_FAILURE() << info;
  }
  return longest;
}

class UcxSharedMemory : public UcxPair {
protected:
  // Expects the condition in both processes.
  static void expect_of_longest(const std::function<bool(std::size_t)> &condition) {
    const auto body = [&](Side &side) {
      side.connect_both_ways();
      const std::size_t longest = longest_without_buffer(side);
      EXPECT_TRUE(condition(longest)) << longest;
      side.barrier();
    };
    run(body, body);
  }
};

TEST_P(UcxSharedMemory, MessagesOf256BytesLieInTheQueue) {
  expect_of_longest([](std::size_t longest) { return longest >= 256; });
}

TEST_P(UcxSharedMemory, TheEnvironmentDecidesHowMuchLiesInTheQueue) {
  const bool is_sysv = std::string(GetParam().name) == "ucx_sysv";
  for (const char *const variable :
       {"UCX_MM_FIFO_ELEM_SIZE", is_sysv ? "UCX_SYSV_FIFO_ELEM_SIZE" : "UCX_POSIX_FIFO_ELEM_SIZE"}) {
    ASSERT_EQ(setenv(variable, "192", 1), 0);
    expect_of_longest([](std::size_t longest) { return longest > 128 && longest < 192; });
    ASSERT_EQ(unsetenv(variable), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, UcxSharedMemory,
                         testing::Values(transport_named("ucx_shm"), transport_named("ucx_sysv")), kByName);

} // namespace

} // namespace avrankmap::test
