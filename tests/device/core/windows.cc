// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "core/device.h"
#include "core/keyed_hash.h"
#include "rma/known_parts.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/core/window.h"

namespace avrankmap::test {

namespace {

constexpr std::size_t kPart = 100000;

std::size_t parts_of_all(const Process &process) { return static_cast<std::size_t>(process.size) * kPart; }

// Every process puts a part into every window, its own included, and reads it back.
void put_get_everywhere(Process &process, Window &window) {
  const auto place = [](int rank) { return static_cast<std::size_t>(rank) * kPart; };
  for (int target = 0; target < process.size; ++target) {
    const Buffer data = content(process.rank, target, 0, kPart);
    window.put(data, target, place(process.rank));
    AVRM_MUST(avrm_flush(window.get(), target) == AVRM_OK);
    AVRM_MUST(window.get_from(target, place(process.rank), kPart) == data);
  }
  barrier(process);
  for (int source = 0; source < process.size; ++source) {
    AVRM_MUST(window.holds(place(source), content(source, process.rank, 0, kPart)));
  }
}

} // namespace

void windows_of_own_memory_take_puts_and_gets(Process &process) {
  Window window(process, parts_of_all(process), false);
  put_get_everywhere(process, window);
}

void windows_of_allocated_memory_take_puts_and_gets(Process &process) {
  Window window(process, parts_of_all(process), true);
  put_get_everywhere(process, window);
}

void windows_that_are_exchanged_ask_nobody(Process &process) {
  const avrm_netmod_t *const net = process.device->net;
  const bool can_exchange = process.device->receives_from_net && (net->capabilities & AVRM_NETMOD_PLAIN_KEYS) != 0;
  for (const bool allocate : {false, true}) {
    Window window(process, parts_of_all(process), allocate, AVRM_WINDOW_EXCHANGE);
    for (int rank = 0; can_exchange && rank < process.size; ++rank) {
      avrm_part_t part{};
      AVRM_MUST(avrm_directory_find(&window.get()->parts, rank, &part));
      AVRM_MUST(part.size == parts_of_all(process) && part.unit == 1);
    }
    put_get_everywhere(process, window);
    for (int rank = 0; can_exchange && rank < process.size; ++rank) { // nobody was asked
      const detail::Target *const target = window.get()->find(static_cast<std::uint64_t>(rank));
      AVRM_MUST(target == nullptr || target->route.kind != detail::Route::kNet);
    }
    barrier(process);
  }
}

// Whether windows of equal sizes have equal parts: the members can derive one key, and addresses
// are counted from the beginning of a part.
bool has_equal_parts(const Process &process, const avrm_window_t *window) {
  const avrm_netmod_t *const net = process.device->net;
  avrm_part_t own{};
  return process.device->receives_from_net && (net->capabilities & AVRM_NETMOD_PLAIN_KEYS) != 0 &&
         detail::has_keyed_hash() && detail::own_part(window, &own) == AVRM_OK && own.base == 0;
}

void windows_whose_parts_are_all_known_keep_rules(Process &process) {
  for (const bool allocate : {false, true}) {
    Window window(process, parts_of_all(process), allocate);
    const avrm_directory_t &parts = window.get()->parts;
    for (int round = 0; round < 2; ++round) { // by records, and by rules
      put_get_everywhere(process, window);
      if (has_equal_parts(process, window.get())) {
        AVRM_MUST(avrm_directory_form(&parts) == AVRM_DIRECTORY_UNIFORM);
        AVRM_MUST(avrm_directory_bytes(&parts) == 0);
        AVRM_MUST(avrm_directory_size(&parts, 0) == parts_of_all(process));
      }
      AVRM_MUST(avrm_flush_all(window.get()) == AVRM_OK);
      barrier(process);
    }
  }
}

void windows_whose_sizes_differ_keep_records(Process &process) {
  const std::size_t extra = process.rank == 1 ? 1 : 0;
  Window window(process, parts_of_all(process) + extra, false);
  put_get_everywhere(process, window);
  if (has_equal_parts(process, window.get())) {
    const avrm_directory_t &parts = window.get()->parts;
    AVRM_MUST(avrm_directory_form(&parts) == AVRM_DIRECTORY_RECORDS);
    for (int rank = 0; rank < process.size; ++rank) {
      AVRM_MUST(avrm_directory_size(&parts, rank) == parts_of_all(process) + (rank == 1 ? 1 : 0));
    }
  }
  put_get_everywhere(process, window);
}

void windows_may_be_at_one_address(Process &process) {
  Window window(process, parts_of_all(process), true, AVRM_WINDOW_EXCHANGE | AVRM_WINDOW_SYMMETRIC);
  if (process.device->receives_from_net) {
    auto address = reinterpret_cast<std::uintptr_t>(window.base());
    const Buffer own(reinterpret_cast<unsigned char *>(&address), reinterpret_cast<unsigned char *>(&address + 1));
    for (int rank = 0; rank < process.size; ++rank) {
      window.put(own, rank, static_cast<std::uint64_t>(process.rank) * sizeof address);
    }
    AVRM_MUST(avrm_flush_all(window.get()) == AVRM_OK);
    barrier(process);
    for (int rank = 0; rank < process.size; ++rank) {
      AVRM_MUST(window.holds(static_cast<std::size_t>(rank) * sizeof address, own));
    }
    barrier(process);
  }
  put_get_everywhere(process, window);
}

void puts_of_every_size_are_there_after_a_flush(Process &process) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  Window window(process, kBytes + 1, false);
  const std::size_t active = process.device->net->am_max;
  const std::vector<std::size_t> sizes{0,      1,          7,      8,          63,    64,    65,       4096,
                                       4097,   active - 1, active, active + 1, 65536, 65537, 1U << 20, (1U << 20) + 1,
                                       kBytes, kBytes + 1};
  int number = 0;
  for (const std::size_t bytes : sizes) {
    window.put(content(process.rank, next, number, bytes), next, kBytes + 1 - bytes);
    AVRM_MUST(avrm_flush_all(window.get()) == AVRM_OK);
    barrier(process);
    const Buffer expected = content(previous, process.rank, number, bytes);
    AVRM_MUST(window.holds(kBytes + 1 - bytes, expected));
    AVRM_MUST(window.get_from(next, kBytes + 1 - bytes, bytes) == content(process.rank, next, number, bytes));
    barrier(process);
    ++number;
  }
}

void strided_puts_of_any_layout_land_where_they_should(Process &process) {
  struct Case {
    avrm_layout_t here;
    avrm_layout_t there;
    std::uint64_t offset;
  };
  constexpr std::size_t kBytes = 400000;
  const Case cases[] = {
      {{1000, 1, 1000}, {100, 10, 300}, 0},   {{100, 10, 300}, {1000, 1, 1000}, 17},
      {{7, 900, 13}, {9, 700, 31}, 5},        {{1, 20000, 2}, {20000, 1, 20000}, 3},
      {{20000, 1, 20000}, {1, 20000, 19}, 0}, {{30000, 4, 40000}, {40000, 3, 100000}, 1},
  };
  const int next = (process.rank + 1) % process.size;
  const int previous = (process.rank + process.size - 1) % process.size;
  for (const bool allocate : {false, true}) {
    Window window(process, kBytes, allocate);
    int number = 0;
    for (const Case &c : cases) {
      std::fill_n(window.base(), kBytes, static_cast<unsigned char>(0));
      barrier(process);
      const Buffer data = content(process.rank, next, number, kBytes);
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_put_strided(window.get(), data.data(), &c.here, next, c.offset, &c.there, &request) == AVRM_OK);
      wait(request);
      AVRM_MUST(avrm_flush(window.get(), next) == AVRM_OK);
      barrier(process);
      // The twin: byte by byte.
      const Buffer source = content(previous, process.rank, number, kBytes);
      Buffer expected(kBytes);
      for (std::size_t i = 0; i < c.here.block * c.here.count; ++i) {
        expected[c.offset + i / c.there.block * c.there.pitch + i % c.there.block] =
            source[i / c.here.block * c.here.pitch + i % c.here.block];
      }
      AVRM_MUST(window.holds(0, expected));
      barrier(process);
      ++number;
    }
  }
}

void puts_outside_a_window_are_refused(Process &process) {
  constexpr std::size_t kBytes = 100;
  const int next = (process.rank + 1) % process.size;
  Window window(process, kBytes, false);
  Buffer data(kBytes + 1);
  avrm_request_t *request = nullptr;
  const avrm_layout_t here{20, 1, 20};
  const avrm_layout_t there{10, 2, 91};
  AVRM_MUST(avrm_put(window.get(), data.data(), kBytes + 1, next, 0, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_put(window.get(), data.data(), 1, next, kBytes, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_put(window.get(), data.data(), 2, next, UINT64_MAX, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_get(window.get(), data.data(), kBytes + 1, next, 0, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_get(window.get(), data.data(), 1, next, UINT64_MAX, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_put_strided(window.get(), data.data(), &here, next, 0, &there, &request) == AVRM_ERR_SIZE);
  AVRM_MUST(avrm_put(window.get(), data.data(), 1, process.size, 0, &request) == AVRM_ERR_RANK);
  AVRM_MUST(avrm_put(window.get(), data.data(), 1, -1, 0, &request) == AVRM_ERR_RANK);
  AVRM_MUST(request == nullptr);
  window.put(Buffer(1, 5), next, kBytes - 1);
  AVRM_MUST(avrm_flush(window.get(), next) == AVRM_OK);
}

void windows_with_unknown_flags_are_refused(Process &process) {
  void *base = nullptr;
  avrm_window_t *window = nullptr;
  unsigned char memory[8];
  AVRM_MUST(avrm_window_allocate(process.world, 8, 8, &base, &window) == AVRM_ERR_OPTION);
  AVRM_MUST(avrm_window_create(process.world, memory, 8, AVRM_WINDOW_SYMMETRIC, &window) == AVRM_ERR_OPTION);
  AVRM_MUST(base == nullptr && window == nullptr);
}

void empty_windows_take_nothing(Process &process) {
  const int next = (process.rank + 1) % process.size;
  for (const bool allocate : {false, true}) {
    Window window(process, 0, allocate);
    window.put({}, next, 0);
    AVRM_MUST(window.get_from(next, 0, 0).empty());
    avrm_request_t *request = nullptr;
    const unsigned char byte = 1;
    AVRM_MUST(avrm_put(window.get(), &byte, 1, next, 0, &request) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_flush_all(window.get()) == AVRM_OK);
  }
}

} // namespace avrankmap::test
