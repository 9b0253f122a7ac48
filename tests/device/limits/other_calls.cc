// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of a process with a low limit that are neither in calls.cc nor in further_calls.cc: tests
// of several requests, probes that do not block, one-sided operations of every kind, the fast path,
// topologies, cards, and communicators that are created locally or without blocking.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "avrankmap/device/atomics.h"
#include "avrankmap/device/blocks.h"
#include "avrankmap/device/boot.h"
#include "avrankmap/device/comm.h"
#include "avrankmap/device/dynamic.h"
#include "avrankmap/device/fastpath.h"
#include "avrankmap/device/ft.h"
#include "avrankmap/device/topo.h"
#include "tests/device/limits/calls.h"
#include "tests/device/limits/course.h"

namespace avrankmap::test {
namespace {

constexpr int kTag = 7;
constexpr std::size_t kBytes = 50000;
constexpr std::size_t kMessages = 4;
constexpr avrm_layout_t kLayout{1000, 40, 1200};

// Not allocated under the limit.
std::array<unsigned char, kBytes> sent;
std::array<std::array<unsigned char, kBytes>, kMessages> received;
std::array<unsigned char, kBytes> part;

class Caller : RingCaller {
public:
  Caller(avrm_boot_t *boot, avrm_device_t *device, bool *wrong_p) noexcept : RingCaller(device, wrong_p), boot_(boot) {}

  avrm_status_t call_all() noexcept {
    sent.fill(static_cast<unsigned char>(rank_ + 1));
    return call_in_turn(this, &Caller::test_any, &Caller::test_some, &Caller::test_all, &Caller::wait_some,
                        &Caller::probe_blocking, &Caller::probe, &Caller::take_out, &Caller::use_window,
                        &Caller::create_local, &Caller::survive, &Caller::read_card, &Caller::open_topology,
                        &Caller::use_fast_path, &Caller::find_parent);
  }

private:
  using Requests = std::array<avrm_request_t *, 2 * kMessages>;
  static constexpr std::array<avrm_block_t, 2> kTwo{{{0, 30000}, {40000, 10000}}};
  static constexpr avrm_blocks_t kList{kTwo.data(), kTwo.size()};

  void expect_from(int rank, const unsigned char *bytes, std::size_t count) noexcept {
    expect(std::count(bytes, bytes + count, rank + 1) == static_cast<std::ptrdiff_t>(count));
  }

  // Sends messages of every kind, and receives those of the process before this one.
  avrm_status_t post(Requests *requests) noexcept {
    Course course;
    for (std::size_t i = 0; i < kMessages; ++i) {
      received[i].fill(0);
      course.then([&] {
        return avrm_irecv(world_, received[i].data(), kBytes, previous_, kTag + static_cast<int>(i), &(*requests)[i]);
      });
    }
    avrm_request_t **const sends = &(*requests)[kMessages];
    return course.then([&] { return avrm_issend(world_, sent.data(), kBytes, next_, kTag, &sends[0]); })
        .then([&] { return avrm_issend_blocks(world_, sent.data(), &kList, next_, kTag + 1, &sends[1]); })
        .then([&] { return avrm_issend_strided(world_, sent.data(), &kLayout, next_, kTag + 2, &sends[2]); })
        .then([&] { return avrm_isend(world_, sent.data(), 8, next_, kTag + 3, &sends[3]); })
        .status();
  }
  avrm_status_t check() noexcept {
    constexpr std::array<std::size_t, kMessages> kLengths{kBytes, 40000, 40000, 8};
    for (std::size_t i = 0; i < kMessages; ++i) {
      expect_from(previous_, received[i].data(), kLengths[i]);
    }
    return AVRM_OK;
  }
  // Posts the messages and calls `take` until it says that nothing is left.
  template <typename Take> avrm_status_t take_all(Take take) noexcept {
    Requests requests{};
    Course course;
    bool is_over = false;
    course.then([&] { return post(&requests); });
    while (course.status() == AVRM_OK && !is_over) {
      course.then([&] { return take(requests.data(), static_cast<std::int32_t>(requests.size()), &is_over); });
      usleep(20);
    }
    return course.then([&] { return check(); }).status();
  }

  avrm_status_t test_any() noexcept {
    return take_all([](avrm_request_t **requests, std::int32_t count, bool *is_over) {
      std::int32_t index = 0;
      bool done = false;
      avrm_outcome_t outcome{};
      const avrm_status_t status = avrm_testany(count, requests, &index, &done, &outcome);
      *is_over = done && index == AVRM_UNDEFINED;
      return status;
    });
  }
  static avrm_status_t first_error(const avrm_outcome_t *outcomes, std::int32_t count) noexcept {
    const auto *const found = std::find_if(outcomes, outcomes + std::max(count, 0),
                                           [](const avrm_outcome_t &one) { return one.status != AVRM_OK; });
    return found == outcomes + std::max(count, 0) ? AVRM_OK : found->status;
  }
  avrm_status_t test_some() noexcept { return take_some(avrm_testsome); }
  avrm_status_t wait_some() noexcept { return take_some(avrm_waitsome); }
  template <typename Call> avrm_status_t take_some(Call call) noexcept {
    return take_all([call](avrm_request_t **requests, std::int32_t count, bool *is_over) {
      std::array<std::int32_t, 2 * kMessages> indices{};
      std::array<avrm_outcome_t, 2 * kMessages> outcomes{};
      std::int32_t finished = 0;
      const avrm_status_t status = call(count, requests, &finished, indices.data(), outcomes.data());
      *is_over = finished == AVRM_UNDEFINED;
      return status != AVRM_OK || *is_over ? status : first_error(outcomes.data(), finished);
    });
  }
  avrm_status_t test_all() noexcept {
    return take_all([](avrm_request_t **requests, std::int32_t count, bool *is_over) {
      std::array<avrm_outcome_t, 2 * kMessages> outcomes{};
      const avrm_status_t status = avrm_testall(count, requests, is_over, outcomes.data());
      return status != AVRM_OK || !*is_over ? status : first_error(outcomes.data(), count);
    });
  }

  // Sends a message and calls `find`, which finds that of the process before this one, and receives
  // it.
  template <typename Find> avrm_status_t find_message(Find find) noexcept {
    avrm_request_t *requests[2] = {};
    received[0].fill(0);
    Course course;
    bool found = false;
    course.then([&] { return avrm_isend(world_, sent.data(), kBytes, next_, kTag, &requests[0]); });
    while (course.status() == AVRM_OK && !found) {
      course.then([&] { return find(&found, &requests[1]); });
      usleep(20);
    }
    return course.then([&] { return avrm_waitall(2, requests, nullptr); })
        .then([&] {
          expect_from(previous_, received[0].data(), 40000);
          return AVRM_OK;
        })
        .status();
  }
  avrm_status_t receive(avrm_request_t **request_p) noexcept {
    return avrm_irecv(world_, received[0].data(), kBytes, previous_, kTag, request_p);
  }
  avrm_status_t probe_blocking() noexcept {
    return find_message([this](bool *found, avrm_request_t **request_p) {
      avrm_outcome_t outcome{};
      *found = true;
      const avrm_status_t status = avrm_probe(world_, previous_, kTag, &outcome);
      expect(status != AVRM_OK || outcome.bytes == kBytes);
      return status == AVRM_OK ? receive(request_p) : status;
    });
  }
  avrm_status_t probe() noexcept {
    return find_message([this](bool *found, avrm_request_t **request_p) {
      avrm_outcome_t outcome{};
      const avrm_status_t status = avrm_iprobe(world_, previous_, kTag, found, &outcome);
      return status == AVRM_OK && *found ? receive(request_p) : status;
    });
  }
  avrm_status_t take_out() noexcept {
    for (const bool is_strided : {false, true}) {
      const avrm_status_t status = find_message([this, is_strided](bool *found, avrm_request_t **request_p) {
        constexpr avrm_layout_t kWhole{kBytes, 1, kBytes};
        avrm_message_t *message = nullptr;
        const avrm_status_t probed = avrm_improbe(world_, AVRM_ANY_SOURCE, kTag, found, &message, nullptr);
        if (probed != AVRM_OK || !*found) {
          return probed;
        }
        return is_strided ? avrm_imrecv_strided(&message, received[0].data(), &kWhole, request_p)
                          : avrm_imrecv(&message, received[0].data(), kBytes, request_p);
      });
      if (status != AVRM_OK) {
        return status;
      }
    }
    return AVRM_OK;
  }

  avrm_status_t use_window() noexcept {
    avrm_window_t *window = nullptr;
    avrm_request_t *request = nullptr;
    const auto wait = [&] { return avrm_wait(&request, nullptr); };
    std::array<std::uint64_t, 100> operands{};
    std::array<std::uint64_t, 100> results{};
    operands.fill(3);
    const std::uint64_t swapped = 9;
    std::uint64_t old = 0;
    part.fill(0);
    received[0].fill(0);
    Course course;
    course.then([&] { return avrm_window_create(world_, part.data(), part.size(), 0, &window); })
        .then([&] { return avrm_rput(window, sent.data(), kBytes, next_, 0, &request); })
        .then(wait)
        .then([&] { return avrm_rput_strided(window, sent.data(), &kLayout, next_, 0, &kLayout, &request); })
        .then(wait)
        .then([&] { return avrm_put_blocks(window, sent.data(), &kList, next_, 0, &kList, &request); })
        .then(wait)
        .then([&] { return avrm_flush(window, next_); })
        .then([&] { return avrm_get_strided(window, received[0].data(), &kLayout, next_, 0, &kLayout, &request); })
        .then(wait)
        .then([&] { return avrm_barrier(world_); });
    if (course.status() == AVRM_OK) {
      expect_from(rank_, received[0].data(), kLayout.block);
      expect_from(previous_, part.data(), kBytes);
      part.fill(0);
    }
    course.then([&] { return avrm_barrier(world_); })
        .then([&] {
          return avrm_get_accumulate(window, operands.data(), results.data(), operands.size(), AVRM_UINT64, AVRM_OP_SUM,
                                     next_, 0, &request);
        })
        .then(wait)
        .then([&] {
          return avrm_compare_and_swap(window, &swapped, operands.data(), &old, AVRM_UINT64, next_, 8, &request);
        })
        .then(wait);
    if (course.status() == AVRM_OK) {
      expect(results[99] == 0 && old == 3);
    }
    return course.then([&] { return avrm_barrier(world_); }).then([&] { return avrm_window_free(window); }).status();
  }

  // All processes number their communicators alike.
  avrm_status_t create_local() noexcept {
    constexpr std::uint32_t kContext = 1000;
    avrm_comm_t *comm = nullptr;
    avrm_rankmap_t map{};
    Course course;
    course.then([&] { return avrm_rankmap_dup(avrm_comm_map(world_), &map); });
    const bool is_made = course.status() == AVRM_OK;
    course.then([&] { return avrm_comm_create_local(device_, &map, rank_, kContext, &comm); });
    if (is_made && comm == nullptr) {
      avrm_rankmap_destroy(&map);
    }
    return course.then([&] { return avrm_barrier(comm); }).then([&] { return avrm_comm_free(comm); }).status();
  }

  avrm_status_t survive() noexcept {
    avrm_comm_t *comms[3] = {};
    avrm_request_t *request = nullptr;
    const auto wait = [&] { return avrm_wait(&request, nullptr); };
    Course course;
    course.then([&] { return avrm_comm_dup(world_, &comms[0]); })
        .then([&] { return avrm_comm_ishrink(comms[0], &comms[1], &request); })
        .then(wait)
        .then([&] { return avrm_comm_ireplace(comms[0], size_, &comms[2], &request); })
        .then(wait)
        .then([&] { return avrm_barrier(comms[2]); });
    for (avrm_comm_t *comm : comms) {
      course.then([&] { return comm == nullptr ? AVRM_OK : avrm_comm_free(comm); });
    }
    return course.status();
  }

  // In a slot that the device does not use.
  avrm_status_t read_card() noexcept {
    constexpr std::int32_t kSlot = AVRM_BOOT_SLOTS - 1;
    std::array<unsigned char, AVRM_BOOT_CARD_MAX> card{};
    std::size_t bytes = card.size();
    return Course()
        .then([&] { return avrm_boot_publish(boot_, kSlot, sent.data(), 100); })
        .then([&] { return avrm_barrier(world_); })
        .then([&] {
          const avrm_status_t status = avrm_boot_fetch(boot_, next_, kSlot, card.data(), &bytes);
          expect(status != AVRM_OK || bytes == 100);
          return status;
        })
        .status();
  }

  avrm_status_t open_topology() noexcept {
    for (const char *const description : {static_cast<const char *>(nullptr), "pack:2 numa:2 l3:2 core:2 pu:2"}) {
      avrm_topo_t *topo = nullptr;
      const std::uint32_t cpu = 0;
      std::int32_t index = 0;
      avrm_locality_t locality{};
      avrm_domain_t domain{};
      avrm_av_options_t options{};
      const avrm_status_t status = Course()
                                       .then([&] { return avrm_topo_open(description, &topo); })
                                       .then([&] { return avrm_topo_cpus(topo, &cpu, 1, &locality); })
                                       .then([&] { return avrm_topo_object_of_cpus(topo, "core", &cpu, 1, &index); })
                                       .then([&] { return avrm_topo_shared(&locality, &locality, &domain); })
                                       .then([&] {
                                         expect(avrm_topo_count(topo, AVRM_DOMAIN_MACHINE) <= 1);
                                         (void)avrm_topo_machine(topo);
                                         const bool is_this = avrm_topo_is_this_machine(topo);
                                         const avrm_status_t bound = avrm_topo_bind_av(topo, &options);
                                         expect(bound == AVRM_OK || bound == AVRM_ERR_UNSUPPORTED);
                                         return is_this ? avrm_topo_process(topo, 0, &locality) : AVRM_OK;
                                       })
                                       .then([&] {
                                         return avrm_topo_is_this_machine(topo)
                                                    ? avrm_topo_object_of_process(topo, "package", 0, &index)
                                                    : AVRM_OK;
                                       })
                                       .status();
      avrm_topo_close(topo);
      if (status != AVRM_OK && status != AVRM_ERR_UNSUPPORTED) {
        return status;
      }
    }
    return AVRM_OK;
  }

  avrm_status_t use_fast_path() noexcept {
    constexpr auto kCount = static_cast<std::int32_t>(kBytes);
    avrm_fp_t *fp = nullptr;
    avrm_fp_comm_t *comm = nullptr;
    avrm_fp_window_t *window = nullptr;
    avrm_request_t *requests[kMessages + 1] = {};
    std::uint64_t address = 0;
    const auto send = [&](auto call, std::int32_t count, int i) {
      return call(sent.data(), count, AVRM_BYTE, next_, kTag + i, comm, &requests[i]);
    };
    part.fill(0);
    Course course;
    course.then([&] { return avrm_fp_open(device_, 1, &fp); })
        .then([&] { return avrm_fp_comm_create_predefined(fp, world_, AVRM_COMM_1); })
        .then([&] { return avrm_fp_comm_free(AVRM_COMM_1); })
        .then([&] { return avrm_fp_comm_create(fp, world_, &comm); });
    for (int i = 0; i < static_cast<int>(kMessages); ++i) {
      received[static_cast<std::size_t>(i)].fill(0);
    }
    course.then([&] { return avrm_fp_irecv_nomatch(received[3].data(), kCount, AVRM_BYTE, comm, &requests[3]); })
        .then([&] { return avrm_fp_isend_all_opts(sent.data(), kCount, AVRM_BYTE, next_, comm); })
        .then([&] { return avrm_fp_comm_waitall(comm); })
        .then([&] { return avrm_wait(&requests[3], nullptr); })
        .then([&] { return send(avrm_fp_isend_default, 8, 0); })
        .then([&] { return send(avrm_fp_isend_no_err, kCount, 1); })
        .then([&] { return send(avrm_fp_isend_no_err_single, kCount, 2); });
    for (int i = 0; i < 3; ++i) {
      course
          .then([&] {
            return avrm_fp_irecv(received[static_cast<std::size_t>(i)].data(), kCount, AVRM_BYTE, previous_, kTag + i,
                                 comm, &requests[kMessages]);
          })
          .then([&] { return avrm_wait(&requests[kMessages], nullptr); });
    }
    course.then([&] { return avrm_waitall(3, requests, nullptr); });
    if (course.status() == AVRM_OK) {
      expect_from(previous_, received[0].data(), 8);
      for (std::size_t i = 1; i < kMessages; ++i) {
        expect_from(previous_, received[i].data(), kBytes);
      }
    }
    course.then([&] { return avrm_fp_window_create_predefined(comm, part.data(), kBytes, 1, 0, AVRM_WIN_1); })
        .then([&] { return avrm_fp_window_free(AVRM_WIN_1); })
        .then([&] { return avrm_fp_window_create(comm, part.data(), kBytes, 1, 0, &window); })
        .then([&] { return avrm_fp_put_default(sent.data(), 8, AVRM_BYTE, next_, 0, window); })
        .then([&] { return avrm_fp_put_no_err(sent.data(), 20000, AVRM_BYTE, next_, 8, window); })
        .then([&] { return avrm_fp_put_no_err_single(sent.data(), 20000, AVRM_BYTE, next_, 20008, window); })
        .then([&] { return avrm_fp_window_address(window, next_, &address); })
        .then([&] { return avrm_fp_put_all_opts(sent.data(), 8, AVRM_BYTE, next_, address + 40008, window); })
        .then([&] { return avrm_fp_flush_all(window); })
        .then([&] { return avrm_barrier(world_); });
    if (course.status() == AVRM_OK) {
      expect_from(previous_, part.data(), 40016);
    }
    return course.then([&] { return avrm_fp_window_free(window); })
        .then([&] { return avrm_fp_comm_free(comm); })
        .then([&] { return avrm_fp_close(fp); })
        .status();
  }

  // There is none.
  avrm_status_t find_parent() noexcept {
    avrm_comm_t *parent = world_;
    const avrm_status_t status = avrm_comm_get_parent(device_, &parent);
    expect(status != AVRM_OK || parent == nullptr);
    return status;
  }

  avrm_boot_t *boot_;
};

} // namespace

avrm_status_t make_other_calls(avrm_boot_t *boot, avrm_device_t *device, bool *wrong_p) noexcept {
  return Caller(boot, device, wrong_p).call_all();
}

} // namespace avrankmap::test
