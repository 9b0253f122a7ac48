// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/device/atomics.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <type_traits>

#include "core/device.h"
#include "tests/device/core/transport_suite.h"
#include "tests/device/core/window.h"
#include "tests/support/seed.h"

namespace avrankmap::test {

namespace {

constexpr avrm_op_t kOps[] = {AVRM_OP_SUM, AVRM_OP_MIN,  AVRM_OP_MAX,     AVRM_OP_BAND,
                              AVRM_OP_BOR, AVRM_OP_BXOR, AVRM_OP_REPLACE, AVRM_OP_NO_OP};

bool is_bitwise(avrm_op_t op) { return op == AVRM_OP_BAND || op == AVRM_OP_BOR || op == AVRM_OP_BXOR; }

// Of the windows that atomics work on.
struct Kind {
  bool allocate;
  unsigned flags;
};
constexpr Kind kKinds[] = {
    {false, 0}, {true, 0}, {false, AVRM_WINDOW_NETWORK_ATOMICS}, {true, AVRM_WINDOW_NETWORK_ATOMICS}};

// Whether windows with AVRM_WINDOW_NETWORK_ATOMICS take it.
template <typename T> bool is_narrow(avrm_op_t op) {
  return sizeof(T) >= 4 && op != AVRM_OP_MIN && op != AVRM_OP_MAX && (std::is_integral_v<T> || op != AVRM_OP_SUM);
}

// The twin of one operation.
template <typename T> T combined(avrm_op_t op, T old, T operand) {
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
    case AVRM_OP_BAND: return static_cast<T>(old & operand);
    case AVRM_OP_BOR: return static_cast<T>(old | operand);
    case AVRM_OP_BXOR: return static_cast<T>(old ^ operand);
    default: break;
    }
  }
  switch (op) {
  case AVRM_OP_SUM:
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(static_cast<std::uint64_t>(old) + static_cast<std::uint64_t>(operand));
    } else {
      return old + operand;
    }
  case AVRM_OP_MIN: return operand < old ? operand : old;
  case AVRM_OP_MAX: return operand > old ? operand : old;
  case AVRM_OP_REPLACE: return operand;
  default: return old;
  }
}

template <typename T> T drawn(std::mt19937_64 &random) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(random());
  } else {
    return static_cast<T>(static_cast<std::int64_t>(random())) / 1024;
  }
}

// Elements of a process, which nobody else uses, and their twin.
template <typename T> class Elements {
public:
  Elements(Window &window, int target, avrm_datatype_t type, std::mt19937_64 &random)
      : window_(window), type_(type), target_(target), random_(random), twin_(kRoom / sizeof(T)) {
    for (T &element : twin_) {
      element = drawn<T>(random);
    }
    window.put(bytes_of(twin_), target_, 0);
    AVRM_MUST(avrm_flush(window.get(), target_) == AVRM_OK);
  }

  void combine(avrm_op_t op, std::size_t count, bool fetches) {
    const std::size_t first = count == 1 ? random_() % twin_.size() : twin_.size() - count;
    std::vector<T> operands(count);
    std::vector<T> old(count);
    std::vector<T> expected(count);
    for (std::size_t i = 0; i < count; ++i) {
      operands[i] = drawn<T>(random_);
      expected[i] = twin_[first + i];
      twin_[first + i] = combined(op, twin_[first + i], operands[i]);
    }
    avrm_request_t *request = nullptr;
    const void *const operand = op == AVRM_OP_NO_OP ? nullptr : operands.data();
    const std::uint64_t offset = first * sizeof(T);
    if (fetches) {
      AVRM_MUST(avrm_get_accumulate(window_.get(), operand, old.data(), count, type_, op, target_, offset, &request) ==
                AVRM_OK);
    } else {
      AVRM_MUST(avrm_accumulate(window_.get(), operand, count, type_, op, target_, offset, &request) == AVRM_OK);
    }
    wait(request);
    AVRM_MUST(!fetches || bytes_of(old) == bytes_of(expected));
  }

  // Once with the value that is there, and once with another.
  void swap() {
    for (const bool matches : {true, false}) {
      const std::size_t at = random_() % twin_.size();
      const T operand = drawn<T>(random_);
      const T compare = static_cast<T>(twin_[at] ^ (matches ? 0 : 1));
      T old{};
      avrm_request_t *request = nullptr;
      AVRM_MUST(avrm_compare_and_swap(window_.get(), &operand, &compare, &old, type_, target_, at * sizeof(T),
                                      &request) == AVRM_OK);
      wait(request);
      AVRM_MUST(old == twin_[at]);
      twin_[at] = matches ? operand : twin_[at];
    }
  }

  void check() {
    AVRM_MUST(avrm_flush(window_.get(), target_) == AVRM_OK);
    AVRM_MUST(window_.get_from(target_, 0, twin_.size() * sizeof(T)) == bytes_of(twin_));
  }

  static constexpr std::size_t kRoom = 40000; // more than an active message carries

private:
  static Buffer bytes_of(const std::vector<T> &elements) {
    Buffer bytes(elements.size() * sizeof(T));
    std::memcpy(bytes.data(), elements.data(), bytes.size());
    return bytes;
  }

  Window &window_;
  avrm_datatype_t type_;
  int target_;
  std::mt19937_64 &random_;
  std::vector<T> twin_;
};

template <typename T>
void agree_with_their_twin(Window &window, int target, avrm_datatype_t type, std::mt19937_64 &random,
                           bool narrow = false) {
  // More than one operation of a network carries, but few, as some carry one element each.
  const std::size_t most = !narrow ? Elements<T>::kRoom / sizeof(T) : sizeof(T) == 8 ? 1100 : 100;
  Elements<T> elements(window, target, type, random);
  for (const avrm_op_t op : kOps) {
    if ((std::is_integral_v<T> || !is_bitwise(op)) && (!narrow || is_narrow<T>(op))) {
      for (const bool fetches : {false, true}) {
        elements.combine(op, 1, fetches);
        elements.combine(op, 1 + random() % 20, fetches);
        elements.combine(op, most, fetches);
      }
    }
  }
  if constexpr (std::is_integral_v<T>) {
    elements.swap();
  }
  elements.check();
}

constexpr std::uint64_t kTickets = 40; // of each process

// Puts a mark for each ticket into the first process's window, behind the counter.
void draw_tickets(Process &process, Window &window) {
  const std::uint64_t one = 1;
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < kTickets; ++i) {
    std::uint64_t ticket = 0;
    avrm_request_t *request = nullptr;
    AVRM_MUST(avrm_fetch_and_op(window.get(), &one, &ticket, AVRM_UINT64, AVRM_OP_SUM, 0, 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST((i == 0 || ticket > last) && ticket < kTickets * static_cast<std::uint64_t>(process.size));
    last = ticket;
    AVRM_MUST(avrm_accumulate(window.get(), &one, 1, AVRM_UINT64, AVRM_OP_SUM, 0, 8 + 8 * ticket, &request) == AVRM_OK);
    wait(request);
  }
  AVRM_MUST(avrm_flush(window.get(), 0) == AVRM_OK);
}

constexpr std::int32_t kRounds = 10;

// The lock is the first element, the counter the second.
void count_under_a_lock(Process &process, Window &window) {
  const std::int32_t free = 0;
  const std::int32_t own = process.rank + 1;
  for (int i = 0; i < kRounds; ++i) {
    avrm_request_t *request = nullptr;
    for (std::int32_t holder = -1; holder != free;) {
      AVRM_MUST(avrm_compare_and_swap(window.get(), &own, &free, &holder, AVRM_INT32, 0, 0, &request) == AVRM_OK);
      wait(request);
    }
    Buffer count = window.get_from(0, 4, 4);
    std::int32_t value = 0;
    std::memcpy(&value, count.data(), sizeof value);
    ++value;
    std::memcpy(count.data(), &value, sizeof value);
    window.put(count, 0, 4);
    AVRM_MUST(avrm_flush(window.get(), 0) == AVRM_OK);
    std::int32_t holder = 0;
    AVRM_MUST(avrm_fetch_and_op(window.get(), &free, &holder, AVRM_INT32, AVRM_OP_REPLACE, 0, 0, &request) == AVRM_OK);
    wait(request);
    AVRM_MUST(holder == own);
  }
}

} // namespace

void atomics_of_every_type_agree_with_their_twin(Process &process) {
  std::mt19937_64 random(seed() + static_cast<std::uint64_t>(process.rank));
  for (const bool allocate : {false, true}) {
    Window window(process, Elements<char>::kRoom, allocate);
    const int own = process.rank;
    agree_with_their_twin<std::uint8_t>(window, own, AVRM_BYTE, random);
    agree_with_their_twin<char>(window, own, AVRM_CHAR, random);
    agree_with_their_twin<std::int8_t>(window, own, AVRM_INT8, random);
    agree_with_their_twin<std::uint8_t>(window, own, AVRM_UINT8, random);
    agree_with_their_twin<std::int16_t>(window, own, AVRM_INT16, random);
    agree_with_their_twin<std::uint16_t>(window, own, AVRM_UINT16, random);
    agree_with_their_twin<std::int32_t>(window, own, AVRM_INT32, random);
    agree_with_their_twin<std::uint32_t>(window, own, AVRM_UINT32, random);
    agree_with_their_twin<std::int64_t>(window, own, AVRM_INT64, random);
    agree_with_their_twin<std::uint64_t>(window, own, AVRM_UINT64, random);
    agree_with_their_twin<int>(window, own, AVRM_INT, random);
    agree_with_their_twin<long>(window, own, AVRM_LONG, random);
    agree_with_their_twin<float>(window, own, AVRM_FLOAT, random);
    agree_with_their_twin<double>(window, own, AVRM_DOUBLE, random);
    barrier(process);
    agree_with_their_twin<std::int16_t>(window, next_of(process), AVRM_INT16, random);
    agree_with_their_twin<std::uint64_t>(window, next_of(process), AVRM_UINT64, random);
    agree_with_their_twin<float>(window, next_of(process), AVRM_FLOAT, random);
  }
}

void narrow_atomics_agree_with_their_twin(Process &process) {
  std::mt19937_64 random(seed() + static_cast<std::uint64_t>(process.rank));
  for (const bool allocate : {false, true}) {
    Window window(process, Elements<char>::kRoom, allocate, AVRM_WINDOW_NETWORK_ATOMICS);
    agree_with_their_twin<std::int32_t>(window, process.rank, AVRM_INT32, random, true);
    agree_with_their_twin<double>(window, process.rank, AVRM_DOUBLE, random, true);
    barrier(process);
    agree_with_their_twin<std::uint32_t>(window, next_of(process), AVRM_UINT32, random, true);
    agree_with_their_twin<std::uint64_t>(window, next_of(process), AVRM_UINT64, random, true);
    agree_with_their_twin<float>(window, next_of(process), AVRM_FLOAT, random, true);
  }
}

void the_network_carries_out_atomics_if_asked(Process &process) {
  const avrm_netmod_t *const net = process.device->net;
  const bool can = (net->capabilities & AVRM_NETMOD_ATOMIC) != 0 && process.device->receives_from_net;
  {
    const Window plain(process, 8, true);
    AVRM_MUST(!avrm_window_has_network_atomics(plain.get()));
    const Window window(process, 8, true, AVRM_WINDOW_NETWORK_ATOMICS);
    AVRM_MUST(avrm_window_has_network_atomics(window.get()) == can);
  }
  // A part at an address that is no multiple of 8 decides for all.
  alignas(8) unsigned char memory[16] = {};
  avrm_window_t *window = nullptr;
  void *const base = memory + (process.rank == process.size - 1 ? 4 : 0);
  AVRM_MUST(avrm_window_create(process.world, base, 8, AVRM_WINDOW_NETWORK_ATOMICS, &window) == AVRM_OK);
  AVRM_MUST(!avrm_window_has_network_atomics(window));
  barrier(process);
  AVRM_MUST(avrm_window_free(window) == AVRM_OK);
}

void each_ticket_is_drawn_once(Process &process) {
  const std::uint64_t all = kTickets * static_cast<std::uint64_t>(process.size);
  for (const auto &[allocate, flags] : kKinds) {
    Window window(process, process.rank == 0 ? 8 * (all + 1) : 8, allocate, flags);
    if (process.rank == 0) {
      std::fill_n(window.base(), 8 * (all + 1), static_cast<unsigned char>(0));
    }
    barrier(process);
    draw_tickets(process, window);
    barrier(process);
    if (process.rank == 0) {
      std::vector<std::uint64_t> marks(all, 1);
      marks.insert(marks.begin(), all);
      AVRM_MUST(std::memcmp(window.base(), marks.data(), 8 * marks.size()) == 0);
    }
    barrier(process);
  }
}

void a_lock_of_atomics_keeps_others_out(Process &process) {
  for (const unsigned flags : {0u, unsigned{AVRM_WINDOW_NETWORK_ATOMICS}}) {
    Window window(process, 8, true, flags);
    std::fill_n(window.base(), 8, static_cast<unsigned char>(0));
    barrier(process);
    count_under_a_lock(process, window);
    barrier(process);
    const std::int32_t all = kRounds * process.size;
    AVRM_MUST(process.rank != 0 || std::memcmp(window.base() + 4, &all, sizeof all) == 0);
    barrier(process);
  }
}

void atomics_of_one_process_keep_their_order(Process &process) {
  std::vector<std::uint64_t> values(101);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = i;
  }
  for (const auto &[allocate, flags] : kKinds) {
    Window window(process, 8, allocate, flags);
    std::vector<std::uint64_t> old(values.size() + 1);
    std::vector<avrm_request_t *> requests(values.size() + 1);
    const int next = next_of(process);
    for (std::size_t i = 0; i < values.size(); ++i) { // each fourth fetches
      AVRM_MUST((i % 4 == 3 ? avrm_fetch_and_op(window.get(), &values[i], &old[i], AVRM_UINT64, AVRM_OP_REPLACE, next,
                                                0, &requests[i])
                            : avrm_accumulate(window.get(), &values[i], 1, AVRM_UINT64, AVRM_OP_REPLACE, next, 0,
                                              &requests[i])) == AVRM_OK);
    }
    AVRM_MUST(avrm_fetch_and_op(window.get(), nullptr, &old.back(), AVRM_UINT64, AVRM_OP_NO_OP, next, 0,
                                &requests.back()) == AVRM_OK);
    AVRM_MUST(avrm_waitall(static_cast<std::int32_t>(requests.size()), requests.data(), nullptr) == AVRM_OK);
    for (std::size_t i = 3; i < values.size(); i += 4) {
      AVRM_MUST(old[i] == i - 1);
    }
    AVRM_MUST(old.back() == values.back());
    barrier(process);
    AVRM_MUST(std::memcmp(window.base(), &old.back(), sizeof old.back()) == 0);
  }
}

void windows_for_the_network_take_narrow_atomics(Process &process) {
  Window window(process, 16, true, AVRM_WINDOW_NETWORK_ATOMICS);
  const int next = next_of(process);
  const std::uint64_t value = 0;
  std::uint64_t old = 5;
  avrm_request_t *request = nullptr;
  const auto fetch = [&](avrm_datatype_t type, avrm_op_t op, std::uint64_t offset) {
    return avrm_fetch_and_op(window.get(), &value, &old, type, op, next, offset, &request);
  };
  AVRM_MUST(fetch(AVRM_INT16, AVRM_OP_SUM, 0) == AVRM_ERR_DATATYPE);
  AVRM_MUST(fetch(AVRM_BYTE, AVRM_OP_NO_OP, 0) == AVRM_ERR_DATATYPE);
  AVRM_MUST(fetch(AVRM_INT32, AVRM_OP_MIN, 0) == AVRM_ERR_OPTION);
  AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_MAX, 0) == AVRM_ERR_OPTION);
  AVRM_MUST(fetch(AVRM_DOUBLE, AVRM_OP_SUM, 0) == AVRM_ERR_OPTION);
  AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, 4) == AVRM_ERR_SIZE);
  AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, 16) == AVRM_ERR_SIZE);
  AVRM_MUST(request == nullptr && old == 5);
  AVRM_MUST(avrm_accumulate(window.get(), nullptr, 2, AVRM_UINT64, AVRM_OP_NO_OP, next, 0, &request) == AVRM_OK);
  wait(request);
  AVRM_MUST(avrm_accumulate(window.get(), nullptr, 0, AVRM_UINT64, AVRM_OP_SUM, next, 16, &request) == AVRM_OK);
  wait(request);
}

void atomics_with_wrong_arguments_are_refused(Process &process) {
  constexpr std::size_t kRoom = 64;
  const int next = next_of(process);
  alignas(8) unsigned char memory[kRoom + 1] = {};
  for (const bool misplaced : {false, true}) {
    avrm_window_t *window = nullptr;
    AVRM_MUST(avrm_window_create(process.world, memory + (misplaced ? 1 : 0), kRoom, 0, &window) == AVRM_OK);
    avrm_request_t *request = nullptr;
    std::uint64_t value = 1;
    std::uint64_t old = 5;
    const auto fetch = [&](avrm_datatype_t type, avrm_op_t op, int target, std::uint64_t offset) {
      return avrm_fetch_and_op(window, &value, &old, type, op, target, offset, &request);
    };
    AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, process.size, 0) == AVRM_ERR_RANK);
    AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, AVRM_PROC_NULL, 0) == AVRM_ERR_RANK);
    AVRM_MUST(fetch(AVRM_LONG_DOUBLE, AVRM_OP_SUM, next, 0) == AVRM_ERR_DATATYPE);
    AVRM_MUST(fetch(AVRM_BOOL, AVRM_OP_REPLACE, next, 0) == AVRM_ERR_DATATYPE);
    AVRM_MUST(fetch(AVRM_DATATYPE_NULL, AVRM_OP_SUM, next, 0) == AVRM_ERR_DATATYPE);
    AVRM_MUST(fetch(AVRM_DOUBLE, AVRM_OP_BXOR, next, 0) == AVRM_ERR_OPTION);
    AVRM_MUST(fetch(AVRM_UINT64, static_cast<avrm_op_t>(AVRM_OP_NO_OP + 1), next, 0) == AVRM_ERR_OPTION);
    AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, next, kRoom) == AVRM_ERR_SIZE);
    AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, next, UINT64_MAX - 7) == AVRM_ERR_SIZE);
    AVRM_MUST(fetch(AVRM_UINT64, AVRM_OP_SUM, next, 4) == AVRM_ERR_SIZE);
    AVRM_MUST(avrm_accumulate(window, &value, SIZE_MAX / 4, AVRM_UINT64, AVRM_OP_SUM, next, 0, &request) ==
              AVRM_ERR_SIZE);
    AVRM_MUST(avrm_accumulate(window, nullptr, 1, AVRM_UINT64, AVRM_OP_SUM, next, 0, &request) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_get_accumulate(window, &value, nullptr, 1, AVRM_UINT64, AVRM_OP_SUM, next, 0, &request) ==
              AVRM_ERR_NULL);
    AVRM_MUST(avrm_accumulate(nullptr, &value, 1, AVRM_UINT64, AVRM_OP_SUM, next, 0, &request) == AVRM_ERR_NULL);
    AVRM_MUST(avrm_compare_and_swap(window, &value, &value, &old, AVRM_DOUBLE, next, 0, &request) == AVRM_ERR_OPTION);
    AVRM_MUST(avrm_compare_and_swap(window, &value, nullptr, &old, AVRM_INT, next, 0, &request) == AVRM_ERR_NULL);
    AVRM_MUST(request == nullptr && old == 5);
    avrm_status_t status = fetch(AVRM_UINT64, AVRM_OP_SUM, next, 8);
    status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
    AVRM_MUST(status == (misplaced ? AVRM_ERR_SIZE : AVRM_OK) && old == (misplaced ? 5 : 0));
    barrier(process);
    AVRM_MUST(std::count(memory, memory + kRoom + 1, 0) == static_cast<long>(kRoom + (misplaced ? 1 : 0)));
    memory[8] = 0;
    AVRM_MUST(avrm_accumulate(window, nullptr, 0, AVRM_INT8, AVRM_OP_SUM, next, kRoom, &request) == AVRM_OK);
    wait(request);
    barrier(process);
    AVRM_MUST(avrm_window_free(window) == AVRM_OK);
  }
}

} // namespace avrankmap::test
