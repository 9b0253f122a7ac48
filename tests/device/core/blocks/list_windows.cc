// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets of lists of blocks.
#include "core/device.h"
#include "tests/device/core/blocks/lists.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/core/window.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

constexpr unsigned char kUntouched = 0xee;
constexpr std::size_t kBytes = std::size_t{4} << 20; // more than any list here spans

// The data of two lists, in different processes. Blocks of the one that is read may overlap.
struct Transfer {
  List here;
  List there;
};

std::vector<Transfer> transfers(bool is_put) {
  Random random = seeded_engine(); // the same in all processes
  std::vector<Transfer> all;
  for (const std::size_t bytes : data_sizes(random)) {
    Transfer one{List::anywhere(random, bytes), List::disjoint(random, bytes)};
    if (!is_put) {
      std::swap(one.here, one.there);
    }
    all.push_back(one);
  }
  return all;
}

// A list may be overwritten once the call has read it.
void overwrite(List *list) { std::fill(list->blocks.begin(), list->blocks.end(), avrm_block_t{1, SIZE_MAX}); }

} // namespace

// Every other put completes at the target; after the others a flush.
void puts_of_any_lists_land_where_they_should(Process &process) {
  const int next = next_of(process);
  const int previous = previous_of(process);
  for (const bool allocate : {false, true}) {
    Window window(process, kBytes, allocate);
    int number = 0;
    for (const Transfer &one : transfers(true)) {
      Transfer lists = one;
      const avrm_blocks_t here = lists.here.get();
      const avrm_blocks_t there = lists.there.get();
      const bool visible = number % 2 == 0;
      std::fill_n(window.base(), one.there.extent, kUntouched);
      barrier(process);
      const Buffer source = content(process.rank, next, number, one.here.extent);
      avrm_request_t *request = nullptr;
      AVRM_MUST((visible ? avrm_rput_blocks : avrm_put_blocks)(window.get(), source.data() + one.here.zero, &here, next,
                                                               one.there.zero, &there, &request) == AVRM_OK);
      overwrite(&lists.here);
      overwrite(&lists.there);
      wait(request);
      AVRM_MUST(visible || avrm_flush(window.get(), next) == AVRM_OK);
      barrier(process);
      Buffer expected(one.there.extent, kUntouched);
      one.there.unpack(one.here.pack(content(previous, process.rank, number, one.here.extent).data()), &expected);
      AVRM_MUST(window.holds(0, expected));
      barrier(process);
      ++number;
    }
  }
}

void gets_of_any_lists_bring_what_they_should(Process &process) {
  for (const bool allocate : {false, true}) {
    Window window(process, kBytes, allocate);
    const Buffer own = content(process.rank, 0, 0, kBytes);
    std::copy(own.begin(), own.end(), window.base());
    barrier(process);
    for (const int target : {next_of(process), process.rank}) {
      const Buffer source = content(target, 0, 0, kBytes);
      for (const Transfer &one : transfers(false)) {
        Transfer lists = one;
        const avrm_blocks_t here = lists.here.get();
        const avrm_blocks_t there = lists.there.get();
        Buffer got(one.here.extent, kUntouched);
        Buffer expected = got;
        avrm_request_t *request = nullptr;
        AVRM_MUST(avrm_get_blocks(window.get(), got.data() + one.here.zero, &here, target, one.there.zero, &there,
                                  &request) == AVRM_OK);
        overwrite(&lists.here);
        overwrite(&lists.there);
        wait(request);
        one.here.unpack(one.there.pack(source.data()), &expected);
        AVRM_MUST(got == expected);
      }
    }
  }
}

void lists_outside_a_window_are_refused(Process &process) {
  constexpr std::size_t kRoom = 100;
  const int next = next_of(process);
  Window window(process, kRoom, false);
  Buffer data(2 * kRoom);
  avrm_request_t *request = nullptr;
  const auto refuse = [&](avrm_status_t status, const std::vector<avrm_block_t> &here, std::uint64_t offset,
                          const std::vector<avrm_block_t> &there) {
    const avrm_blocks_t origin{here.data(), here.size()};
    const avrm_blocks_t remote{there.data(), there.size()};
    for (const auto put : {avrm_put_blocks, avrm_rput_blocks}) {
      AVRM_MUST(put(window.get(), data.data(), &origin, next, offset, &remote, &request) == status);
    }
    AVRM_MUST(avrm_get_blocks(window.get(), data.data(), &origin, next, offset, &remote, &request) == status);
  };
  const std::vector<avrm_block_t> two{{0, 5}, {7, 5}};
  refuse(AVRM_ERR_SIZE, two, 0, {{0, 5}, {96, 5}});
  refuse(AVRM_ERR_SIZE, two, 91, {{0, 5}, {5, 5}});
  refuse(AVRM_ERR_SIZE, two, 10, {{0, 5}, {-11, 5}});
  refuse(AVRM_ERR_SIZE, two, UINT64_MAX, {{1, 5}, {7, 5}}); // from 0 on, if sums wrapped around
  refuse(AVRM_ERR_SIZE, two, UINT64_MAX, {{0, 5}, {7, 5}});
  refuse(AVRM_ERR_SIZE, two, 0, {{0, 11}});
  refuse(AVRM_ERR_SIZE, {{0, SIZE_MAX}}, 0, {{0, 10}});
  refuse(AVRM_ERR_SIZE, {}, kRoom + 1, {});
  const avrm_blocks_t blocks{two.data(), two.size()};
  const avrm_blocks_t no_list{nullptr, 1};
  const auto put = [&](avrm_window_t *into, const void *buffer, const avrm_blocks_t *here, int target,
                       const avrm_blocks_t *there) {
    return avrm_put_blocks(into, buffer, here, target, 0, there, &request);
  };
  AVRM_MUST(put(nullptr, data.data(), &blocks, next, &blocks) == AVRM_ERR_NULL);
  AVRM_MUST(put(window.get(), data.data(), nullptr, next, &blocks) == AVRM_ERR_NULL);
  AVRM_MUST(put(window.get(), data.data(), &blocks, next, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(put(window.get(), data.data(), &no_list, next, &blocks) == AVRM_ERR_NULL);
  AVRM_MUST(put(window.get(), data.data(), &blocks, next, &no_list) == AVRM_ERR_NULL);
  AVRM_MUST(put(window.get(), nullptr, &blocks, next, &blocks) == AVRM_ERR_NULL);
  AVRM_MUST(put(window.get(), data.data(), &blocks, process.size, &blocks) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_get_blocks(window.get(), data.data(), &blocks, next, 0, &blocks, nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(request == nullptr && data == Buffer(2 * kRoom) && process.world->users == 1);
}

} // namespace avrankmap::test
