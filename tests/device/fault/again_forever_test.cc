// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A transport that says "again" for ever, because the system has no memory left for it.
#include <sys/resource.h>
#include <unistd.h>

#include "tests/device/core/job.h"
#include "tests/device/fault/faults.h"

namespace avrankmap::test {
namespace {

class AgainForever : public testing::TestWithParam<Transport> {};
INSTANTIATE_TEST_SUITE_P(Over, AgainForever, testing::ValuesIn(transports_of(Suites::kAll, is_network_alone)), kByName);

// No call of the transport succeeds, and no memory is to be had, as long as this lives.
class Famine {
public:
  Famine() {
    AVRM_MUST(getrlimit(RLIMIT_AS, &before_) == 0);
    const rlimit none{1 << 20, before_.rlim_max};
    AVRM_MUST(setrlimit(RLIMIT_AS, &none) == 0);
    arm(kTransport, Fault::kAgainForMemory, 0, INT64_MAX);
  }
  ~Famine() {
    disarm();
    AVRM_MUST(setrlimit(RLIMIT_AS, &before_) == 0);
  }
  Famine(const Famine &) = delete;
  Famine &operator=(const Famine &) = delete;

private:
  rlimit before_{};
};

TEST_P(AgainForever, AreNotRepeatedForEverWithoutMemory) {
  if (kSanitized) {
    GTEST_SKIP() << "a sanitizer needs address space itself";
  }
  run_job(GetParam(), 2, [](Process &process) {
    alarm(kHangsAfterS); // ends a process that hangs
    Buffer memory(64);
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, memory.data(), memory.size(), 0, &window) == AVRM_OK);
    const Buffer data(16, 1);
    const auto put = [&] {
      avrm_request_t *request = nullptr;
      const avrm_status_t status = avrm_put(window, data.data(), data.size(), 1, 0, &request);
      return status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
    };
    if (process.rank == 0) {
      send(process, data, 1, 1); // connects
      AVRM_MUST(put() == AVRM_OK && avrm_flush(window, 1) == AVRM_OK);
      {
        const Famine famine;
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_isend(process.world, data.data(), data.size(), 1, 2, &request) == AVRM_ERR_NO_MEMORY);
        AVRM_MUST(put() == AVRM_ERR_NO_MEMORY);
      }
      send(process, Buffer(16, 3), 1, 2); // the first with this tag
      AVRM_MUST(put() == AVRM_OK && avrm_flush(window, 1) == AVRM_OK);
    } else {
      Buffer in(16);
      (void)receive(process, in, 0, 1);
      (void)receive(process, in, 0, 2);
      AVRM_MUST(in == Buffer(16, 3));
    }
    barrier(process);
    AVRM_MUST(process.rank == 0 || memory[15] == 1);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  });
}

} // namespace
} // namespace avrankmap::test
