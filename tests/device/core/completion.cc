// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// When one-sided operations are over: at their origin, and at their target. Gets with layouts.
#include <algorithm>

#include "tests/device/core/transport_suite.h"
#include "tests/device/core/window.h"

namespace avrankmap::test {

namespace {

struct Layouts {
  avrm_layout_t here;
  avrm_layout_t there;
  std::uint64_t offset;
};

constexpr std::size_t kBytes = 400000;
constexpr Layouts kLayouts[] = {
    {{1000, 1, 1000}, {100, 10, 300}, 0},   {{100, 10, 300}, {1000, 1, 1000}, 17},
    {{7, 900, 13}, {9, 700, 31}, 5},        {{1, 20000, 2}, {20000, 1, 20000}, 3},
    {{20000, 1, 20000}, {1, 20000, 19}, 0}, {{30000, 4, 40000}, {40000, 3, 100000}, 1},
    {{64, 2, 64}, {32, 4, 32}, 8},          {{10, 0, 10}, {0, 5, 0}, 2},
};

// Calls move(place here, place there) for each byte: the twin of an operation with layouts.
template <typename Move> void for_each_byte(const Layouts &layouts, Move move) {
  for (std::size_t i = 0; i < layouts.here.block * layouts.here.count; ++i) {
    move(i / layouts.here.block * layouts.here.pitch + i % layouts.here.block,
         layouts.offset + i / layouts.there.block * layouts.there.pitch + i % layouts.there.block);
  }
}

} // namespace

void strided_gets_of_any_layout_bring_what_they_should(Process &process) {
  const int next = next_of(process);
  for (const bool allocate : {false, true}) {
    Window window(process, kBytes, allocate);
    const Buffer own = content(process.rank, 0, 0, kBytes);
    std::copy(own.begin(), own.end(), window.base());
    barrier(process);
    for (const int target : {next, process.rank}) {
      for (const Layouts &layouts : kLayouts) {
        Buffer got(kBytes);
        avrm_request_t *request = nullptr;
        avrm_outcome_t outcome{};
        AVRM_MUST(avrm_get_strided(window.get(), got.data(), &layouts.here, target, layouts.offset, &layouts.there,
                                   &request) == AVRM_OK);
        wait(request, &outcome);
        const Buffer source = content(target, 0, 0, kBytes);
        Buffer expected(kBytes);
        for_each_byte(layouts, [&](std::size_t here, std::size_t there) { expected[here] = source[there]; });
        AVRM_MUST(got == expected);
      }
    }
  }
}

void visible_puts_need_no_flush(Process &process) {
  for (const bool allocate : {false, true}) {
    Window window(process, kBytes, allocate);
    int number = 0;
    for (const Layouts &layouts : kLayouts) {
      std::fill_n(window.base(), kBytes, static_cast<unsigned char>(0));
      barrier(process);
      const Buffer data = content(process.rank, next_of(process), number, kBytes);
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_rput_strided(window.get(), data.data(), &layouts.here, next_of(process), layouts.offset,
                                  &layouts.there, &request) == AVRM_OK);
      wait(request);
      const std::size_t last = kBytes - sizeof number; // behind all layouts
      AVRM_MUST(avrm_rput(window.get(), &number, sizeof number, next_of(process), last, &request) == AVRM_OK);
      wait(request);
      barrier(process);
      const Buffer source = content(previous_of(process), process.rank, number, kBytes);
      Buffer expected(kBytes);
      for_each_byte(layouts, [&](std::size_t here, std::size_t there) { expected[there] = source[here]; });
      std::memcpy(expected.data() + last, &number, sizeof number);
      AVRM_MUST(window.holds(0, expected));
      barrier(process);
      ++number;
    }
  }
}

void a_flush_waits_for_visible_puts(Process &process) {
  constexpr int kPuts = 20;
  constexpr std::size_t kEach = kBytes / kPuts;
  Window window(process, kBytes, false);
  const Buffer data = content(process.rank, next_of(process), 0, kBytes);
  avrm_request_t *requests[kPuts] = {};
  for (int i = 0; i < kPuts; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * kEach;
    AVRM_MUST(avrm_rput(window.get(), data.data() + at, kEach, next_of(process), at, &requests[i]) == AVRM_OK);
  }
  AVRM_MUST(avrm_flush(window.get(), next_of(process)) == AVRM_OK);
  barrier(process);
  AVRM_MUST(window.holds(0, content(previous_of(process), process.rank, 0, kBytes)));
  AVRM_MUST(avrm_waitall(kPuts, requests, nullptr) == AVRM_OK);
}

void a_local_flush_frees_and_fills_buffers(Process &process) {
  const int next = next_of(process);
  Window window(process, kBytes, false);
  for (const bool all : {false, true}) {
    Buffer data = content(process.rank, next, 0, kBytes);
    Buffer got(kBytes);
    avrm_request_t *requests[3] = {};
    AVRM_MUST(avrm_put(window.get(), data.data(), kBytes, next, 0, &requests[0]) == AVRM_OK);
    AVRM_MUST((all ? avrm_flush_local_all(window.get()) : avrm_flush_local(window.get(), next)) == AVRM_OK);
    std::fill(data.begin(), data.end(), static_cast<unsigned char>(0));
    AVRM_MUST(avrm_flush(window.get(), next) == AVRM_OK);
    AVRM_MUST(avrm_get(window.get(), got.data(), kBytes / 2, next, 0, &requests[1]) == AVRM_OK);
    AVRM_MUST(avrm_get(window.get(), got.data() + kBytes / 2, kBytes / 2, next, kBytes / 2, &requests[2]) == AVRM_OK);
    AVRM_MUST((all ? avrm_flush_local_all(window.get()) : avrm_flush_local(window.get(), next)) == AVRM_OK);
    AVRM_MUST(got == content(process.rank, next, 0, kBytes));
    AVRM_MUST(avrm_waitall(3, requests, nullptr) == AVRM_OK);
    barrier(process);
  }
}

void one_sided_operations_with_wrong_arguments_are_refused(Process &process) {
  constexpr std::size_t kRoom = 100;
  const int next = next_of(process);
  Window window(process, kRoom, false);
  Buffer data(kRoom + 1);
  avrm_request_t *request = nullptr;
  const avrm_layout_t here{20, 1, 20};
  const avrm_layout_t there{10, 2, 91};
  const avrm_layout_t overlapping{10, 2, 9};
  AVRM_MUST(avrm_rput(window.get(), data.data(), kRoom + 1, next, 0, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_rput(window.get(), data.data(), 2, next, UINT64_MAX, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_rput(window.get(), data.data(), 1, process.size, 0, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_rput(window.get(), data.data(), 1, AVRM_PROC_NULL, 0, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_rput(window.get(), nullptr, 1, next, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_rput(nullptr, data.data(), 1, next, 0, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_rput_strided(window.get(), data.data(), &here, next, 0, &there, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_get_strided(window.get(), data.data(), &here, next, 0, &there, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_get_strided(window.get(), data.data(), &overlapping, next, 0, &here, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_get_strided(window.get(), data.data(), &here, -1, 0, &here, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_get_strided(window.get(), nullptr, &here, next, 0, &here, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_get_strided(window.get(), data.data(), nullptr, next, 0, &here, &request) == AVRM_ERR_NULL);
  AVRM_MUST(avrm_flush_local(window.get(), process.size) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_flush_local(nullptr, 0) == AVRM_ERR_NULL && avrm_flush_local_all(nullptr) == AVRM_ERR_NULL);
  AVRM_MUST(request == nullptr && std::count(data.begin(), data.end(), 0) == static_cast<long>(kRoom + 1));
}

} // namespace avrankmap::test
