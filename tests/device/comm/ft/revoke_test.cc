// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Revoked communicators, between real processes.
#include <signal.h>
#include <unistd.h>

#include "avrankmap/device/probe.h"
#include "tests/device/comm/ft/survivors.h"
#include "tests/device/core/fastpath/fastpath_process.h"
#include "tests/device/core/job.h"

namespace avrankmap::test {
namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;

void check_refusals(avrm_comm_t *comm) {
  int byte = 0;
  avrm_request_t *request = nullptr;
  bool found = false;
  avrm_message_t *message = nullptr;
  for (int rank = 0; rank < avrm_comm_size(comm); ++rank) {
    AVRM_MUST(avrm_isend(comm, &byte, 1, rank, 0, &request) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_irecv(comm, &byte, 1, rank, 0, &request) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_iprobe(comm, rank, 0, &found, nullptr) == AVRM_ERR_REVOKED);
  }
  const avrm_layout_t layout{1, 2, 2};
  AVRM_MUST(avrm_isend_strided(comm, &byte, &layout, 0, 0, &request) == AVRM_ERR_REVOKED);
  AVRM_MUST(avrm_irecv(comm, &byte, 1, AVRM_ANY_SOURCE, 0, &request) == AVRM_ERR_REVOKED);
  AVRM_MUST(avrm_mprobe(comm, AVRM_ANY_SOURCE, AVRM_ANY_TAG, &message, nullptr) == AVRM_ERR_REVOKED);
  AVRM_MUST(request == nullptr && message == nullptr);
  avrm_comm_t *child = nullptr;
  AVRM_MUST(avrm_comm_dup(comm, &child) == AVRM_ERR_REVOKED);
  AVRM_MUST(avrm_comm_idup(comm, &child, &request) == AVRM_OK);
  AVRM_MUST(avrm_wait(&request, nullptr) == AVRM_ERR_REVOKED);
  AVRM_MUST(avrm_comm_split(comm, 0, 0, &child) == AVRM_ERR_REVOKED && child == nullptr);
  AVRM_MUST(avrm_barrier(comm) == AVRM_ERR_REVOKED);
}

class Revoke : public testing::TestWithParam<Transport> {};

TEST_P(Revoke, EndsWhatAllMembersDoAndAllThatTheyBegin) {
  run_job(GetParam(), 5, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    AVRM_MUST(!is_revoked(comm));
    const int next = (process.rank + 1) % process.size;
    const int previous = (process.rank + 4) % process.size;
    Buffer in(kLarge);
    const Buffer out(kLarge);
    avrm_request_t *requests[4] = {};
    AVRM_MUST(avrm_irecv(comm, in.data(), in.size(), previous, 1, &requests[0]) == AVRM_OK);
    AVRM_MUST(avrm_irecv(comm, in.data(), in.size(), AVRM_ANY_SOURCE, 2, &requests[1]) == AVRM_OK);
    AVRM_MUST(avrm_isend(comm, out.data(), out.size(), next, 3, &requests[2]) == AVRM_OK);
    AVRM_MUST(avrm_irecv(comm, in.data(), 4, process.rank, 4, &requests[3]) == AVRM_OK);
    barrier(process); // otherwise some hear of it while they make the communicator
    if (process.rank == 2) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK && is_revoked(comm));
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
    }
    for (avrm_request_t *&request : requests) {
      const bool may_be_dropped = request == requests[2]; // by one who has heard before
      const avrm_status_t status = avrm_wait(&request, nullptr);
      AVRM_MUST(status == AVRM_ERR_REVOKED || (may_be_dropped && status == AVRM_OK));
    }
    AVRM_MUST(is_revoked(comm));
    check_refusals(comm);
    barrier(process); // the world goes on
    AVRM_MUST(!is_revoked(process.world));
    release(comm);
  });
}

TEST_P(Revoke, AMemberThatOnlyWaitsInABarrierOrACreationIsReleased) {
  run_job(GetParam(), 5, [](Process &process) {
    avrm_comm_t *const one = dup_of(process.world);
    avrm_comm_t *const two = dup_of(process.world);
    if (process.rank == 3) {
      AVRM_MUST(avrm_comm_revoke(one) == AVRM_OK && avrm_comm_revoke(two) == AVRM_OK);
    } else {
      avrm_comm_t *child = nullptr;
      AVRM_MUST(avrm_barrier(one) == AVRM_ERR_REVOKED);
      AVRM_MUST(avrm_comm_split(two, process.rank, 0, &child) == AVRM_ERR_REVOKED);
    }
    release(one);
    release(two);
    barrier(process);
  });
}

TEST_P(Revoke, AgreementAndShrinkingGoOn) {
  run_job(GetParam(), 4, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    if (process.rank == 0) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
    }
    std::uint64_t value = ~(std::uint64_t{1} << process.rank);
    AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK && value == ~std::uint64_t{15});
    avrm_comm_t *fresh = nullptr;
    AVRM_MUST(avrm_comm_shrink(comm, &fresh) == AVRM_OK);
    AVRM_MUST(!is_revoked(fresh));
    check(process, fresh, everyone(process));
    await_revocation(process, comm);
    value = 9;
    AVRM_MUST(avrm_comm_agree(comm, &value) == AVRM_OK && value == 9);
    avrm_group_t *failed = nullptr;
    AVRM_MUST(avrm_comm_get_failed(comm, &failed) == AVRM_OK && avrm_group_size(failed) == 0);
    avrm_group_destroy(failed);
    AVRM_MUST(avrm_barrier(fresh) == AVRM_OK);
    release(comm);
    release(fresh);
  });
}

// Handles that exist already, and new ones, by every build and variant.
TEST_P(Revoke, TheFastPathRefusesByEveryBuild) {
  run_job(GetParam(), 3, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    avrm_fp_t *fp = nullptr;
    avrm_fp_comm_t *handles[2] = {};
    AVRM_MUST(avrm_fp_open(process.device, 1, &fp) == AVRM_OK);
    AVRM_MUST(avrm_fp_comm_create(fp, comm, &handles[0]) == AVRM_OK);
    check_messages(comm, process.rank, everyone(process));
    fence(process);
    if (process.rank == 0) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
    }
    await_revocation(process, comm);
    AVRM_MUST(avrm_fp_comm_create(fp, comm, &handles[1]) == AVRM_OK);
    for (avrm_fp_comm_t *const handle : handles) {
      for (int rank = 0; rank < process.size; ++rank) {
        int data = 0;
        avrm_request_t *request = nullptr;
        for (const FastpathBuild &build : kFastpathBuilds) {
          AVRM_MUST(build.isend(&data, 1, AVRM_INT32, rank, 1, handle, &request) == AVRM_ERR_REVOKED);
        }
        AVRM_MUST(avrm_fp_isend_global(&data, 1, AVRM_INT32, rank, 1, handle, &request) == AVRM_ERR_REVOKED);
        AVRM_MUST(avrm_fp_isend_noreq(&data, 1, AVRM_INT32, rank, 1, handle) == AVRM_ERR_REVOKED);
        AVRM_MUST(avrm_fp_isend_nomatch(&data, 1, AVRM_INT32, rank, handle, &request) == AVRM_ERR_REVOKED);
        AVRM_MUST(avrm_fp_irecv(&data, 1, AVRM_INT32, rank, 1, handle, &request) == AVRM_ERR_REVOKED);
      }
      AVRM_MUST(avrm_fp_comm_free(handle) == AVRM_OK);
    }
    AVRM_MUST(avrm_fp_close(fp) == AVRM_OK);
    release(comm);
    fence(process);
  });
}

// The planes of the node and of its roots share the context id.
TEST_P(Revoke, InternalCommunicatorsAreRevokedWithIt) {
  run_job(GetParam(), 4, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    avrm_comm_t *node = nullptr;
    avrm_comm_t *none = nullptr;
    AVRM_MUST(avrm_comm_node(comm, &node) == AVRM_OK);
    avrm_comm_t *const other = dup_of(process.world);
    barrier(process);
    if (process.rank == 1) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK && avrm_comm_revoke(other) == AVRM_OK);
    }
    await_revocation(process, comm);
    await_revocation(process, other);
    int byte = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(is_revoked(node));
    AVRM_MUST(avrm_isend(node, &byte, 1, 0, 0, &request) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_comm_node(other, &none) == AVRM_ERR_REVOKED);
    barrier(process);
    release(comm);
    release(other);
  });
}

TEST_P(Revoke, MessagesThatWereTakenOutAreReceived) {
  run_job(GetParam(), 2, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    const Buffer out = content(0, 1, 5, 100);
    if (process.rank == 0) {
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_isend(comm, out.data(), out.size(), 1, 5, &request) == AVRM_OK);
      wait(request);
      await_revocation(process, comm);
    } else {
      avrm_message_t *message = nullptr;
      AVRM_MUST(avrm_mprobe(comm, 0, 5, &message, nullptr) == AVRM_OK);
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      Buffer in(100);
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_imrecv(&message, in.data(), in.size(), &request) == AVRM_OK);
      wait(request);
      AVRM_MUST(in == out);
    }
    barrier(process);
    release(comm);
  });
}

TEST_P(Revoke, WindowsOfTheCommunicatorGoOn) {
  run_job(GetParam(), 3, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    avrm_window_t *window = nullptr;
    void *base = nullptr;
    AVRM_MUST(avrm_window_allocate(comm, 64, 0, &base, &window) == AVRM_OK);
    barrier(process);
    if (process.rank == 0) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
    }
    await_revocation(process, comm);
    const int next = (process.rank + 1) % process.size;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_put(window, &process.rank, sizeof process.rank, next, 8, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(avrm_flush(window, next) == AVRM_OK);
    barrier(process);
    int got = -1;
    std::memcpy(&got, static_cast<char *>(base) + 8, sizeof got);
    AVRM_MUST(got == (process.rank + 2) % 3);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
    release(comm);
  });
}

// The members drop them, which counts as a match if the sender has not heard of the revocation.
TEST_P(Revoke, SynchronousMessagesThatNobodyReceivesEnd) {
  run_job(GetParam(), 3, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    const Buffer out(kLarge);
    avrm_request_t *requests[6] = {};
    std::size_t i = 0;
    for (const std::size_t bytes : {std::size_t{8}, std::size_t{20000}, std::size_t{kLarge}}) {
      AVRM_MUST(avrm_issend(comm, out.data(), bytes, (process.rank + 1) % 3, 7, &requests[i++]) == AVRM_OK);
      AVRM_MUST(avrm_issend(comm, out.data(), bytes, process.rank, 8, &requests[i++]) == AVRM_OK);
    }
    barrier(process);
    if (process.rank == 0) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
    }
    for (avrm_request_t *&request : requests) {
      const avrm_status_t status = avrm_wait(&request, nullptr);
      AVRM_MUST(status == AVRM_OK || status == AVRM_ERR_REVOKED);
    }
    await_revocation(process, comm);
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_issend(comm, out.data(), 8, 1, 7, &request) == AVRM_ERR_REVOKED);
    AVRM_MUST(avrm_issend(comm, out.data(), 8, process.rank, 7, &request) == AVRM_ERR_REVOKED);
    release(comm);
    barrier(process);
  });
}

// Large messages are taken by nobody; small ones lie unexpected.
TEST_P(Revoke, SendersNeedNotWaitForMembersThatHaveFreedIt) {
  run_job(GetParam(), 3, [](Process &process) {
    avrm_comm_t *const comm = dup_of(process.world);
    const Buffer out(kLarge);
    avrm_request_t *requests[8] = {};
    if (process.rank != 0) {
      for (avrm_request_t *&request : requests) {
        AVRM_MUST(avrm_isend(comm, out.data(), out.size(), 0, 7, &request) == AVRM_OK);
      }
    }
    barrier(process);
    if (process.rank == 0) {
      AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      release(comm);
    }
    avrm_status_t worst = AVRM_OK;
    for (avrm_request_t *&request : requests) {
      worst = std::min(worst, avrm_wait(&request, nullptr));
    }
    AVRM_MUST(worst == AVRM_OK || worst == AVRM_ERR_REVOKED);
    if (process.rank != 0) {
      await_revocation(process, comm);
      release(comm);
    }
    barrier(process);
  });
}

// Messages of others may be under way to it for ever.
TEST_P(Revoke, OnlyTheContextIdStaysOnceAllHaveFreedIt) {
  run_job(GetParam(), 3, [](Process &process) {
    std::uint64_t bytes = 0;
    for (int round = 1; round <= 4; ++round) {
      avrm_comm_t *const comm = dup_of(process.world);
      if (process.rank == round % 3) {
        AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      }
      await_revocation(process, comm);
      const std::uint64_t while_revoked = comm_bytes(process);
      release(comm);
      while (comm_bytes(process) + 4000 > while_revoked) {
        avrm_progress(process.device);
      }
      AVRM_MUST(live_contexts(process) == round);
      bytes = round == 1 ? comm_bytes(process) : bytes;
      AVRM_MUST(comm_bytes(process) <= bytes + 64);
    }
    fence(process);
  });
}

// A large job: the news reach all, whoever calls.
TEST_P(Revoke, ReachesEveryMember) {
  run_job(GetParam(), has_network(GetParam()) && !is_long() ? 6 : 13, [](Process &process) {
    for (int caller = 0; caller < process.size; caller += 5) {
      avrm_comm_t *const comm = dup_of(process.world);
      if (process.rank == caller) {
        AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
      }
      await_revocation(process, comm);
      barrier(process);
      release(comm);
    }
  });
}

// A process of a ring dies, perhaps just after it has revoked the communicator itself; who notices
// revokes it, so that those elsewhere in the ring do not wait for ever.
TEST_P(Revoke, ADeathInARingReleasesAllOfIt) {
  const int points = is_long() ? 200 : 8;
  for (int point = 0; point < points; point += is_slow(GetParam()) ? 5 : 1) {
    const int victim = point % 5;
    run_job(
        GetParam(), 5,
        [=](Process &process) {
          prepare_for_death(process, GetParam());
          avrm_comm_t *const comm = dup_of(process.world);
          fence(process);
          if (process.rank == victim) {
            if (point % 2 == 1) {
              AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
            }
            for (int left = point; left != 0; --left) {
              avrm_progress(process.device);
            }
            kill(getpid(), SIGKILL);
          }
          int in = 0;
          avrm_request_t *request = nullptr;
          avrm_status_t status = avrm_irecv(comm, &in, sizeof in, (process.rank + 4) % 5, 1, &request);
          status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
          AVRM_MUST(status == AVRM_ERR_REVOKED || (status == AVRM_ERR_PEER && process.rank == (victim + 1) % 5));
          AVRM_MUST(avrm_comm_revoke(comm) == AVRM_OK);
          avrm_comm_t *rest = nullptr;
          AVRM_MUST(avrm_comm_shrink(comm, &rest) == AVRM_OK);
          check(process, rest, without(process, victim));
          AVRM_MUST(avrm_barrier(rest) == AVRM_OK);
          release(comm);
          release(rest);
        },
        victim);
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Over, Revoke,
                         testing::ValuesIn(transports_of(Suites::kAll, [](const Transport &) { return true; })),
                         kByName);

} // namespace
} // namespace avrankmap::test
