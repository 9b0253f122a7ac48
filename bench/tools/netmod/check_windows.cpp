// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of one-sided operations: rank 0 operates on the memory of rank 1.
#include "tools/netmod/checks.h"

#include <algorithm>
#include <cstring>

namespace avrankmap::netmod_test {

namespace {

constexpr std::size_t kBytes = 70000;

// Memory of rank 1, as rank 0 has it open.
struct Window {
  Bytes memory = Bytes(kBytes, 0);
  avrm_netmod_memory_t *registered = nullptr;
  std::uint64_t remote = 0;
  std::uint64_t key = 0;
};

void open_window(Side &side, Window *window) {
  const avrm_netmod_ops_t &ops = *side.settings.ops;
  if (side.rank == 1) {
    side.expect(ops.memory_register(side.net, window->memory.data(), kBytes, 0, &window->registered) == AVRM_OK,
                Sentence::kDescription, "memory_register failed");
    unsigned char description[AVRM_NETMOD_KEY_MAX];
    std::size_t bytes = sizeof description;
    side.expect(ops.memory_describe(side.net, window->registered, description, &bytes) == AVRM_OK &&
                    bytes <= sizeof description,
                Sentence::kDescription, "memory_describe failed");
    publish(side, description, bytes);
    if (side.has(AVRM_NETMOD_PLAIN_KEYS)) {
      side.expect(ops.memory_values(side.net, window->registered, &window->remote, &window->key) == AVRM_OK,
                  Sentence::kValues, "memory_values failed");
      std::memcpy(side.shared.note[0].of, &window->remote, sizeof window->remote);
      std::memcpy(side.shared.note[0].of + sizeof window->remote, &window->key, sizeof window->key);
    }
  }
  side.barrier();
  if (side.rank == 0) {
    const auto &note = side.shared.note[1];
    Bytes copy(note.of, note.of + note.bytes);
    side.expect(ops.key_open(side.net, side.handle(1), copy.data(), copy.size(), &window->remote, &window->key) ==
                    AVRM_OK,
                Sentence::kDescription, "key_open failed");
    std::fill(copy.begin(), copy.end(), kReturned);
    if (side.has(AVRM_NETMOD_PLAIN_KEYS)) {
      side.expect(std::memcmp(side.shared.note[0].of, &window->remote, sizeof window->remote) == 0 &&
                      std::memcmp(side.shared.note[0].of + sizeof window->remote, &window->key, sizeof window->key) ==
                          0,
                  Sentence::kValues, "key_open returned other values than memory_values");
      side.tried(Sentence::kValues);
    }
  }
}

void close_window(Side &side, Window *window) {
  side.barrier();
  if (side.rank == 0) {
    side.settings.ops->key_close(side.net, window->key);
  } else {
    side.settings.ops->memory_release(side.net, window->registered);
  }
  side.barrier();
}

void flush(Side &side, Sentence sentence, bool all_peers = false) {
  const std::uint64_t handle = all_peers ? AVRM_ANY_ADDRESS : side.handle(1);
  Operation &flushed =
      side.post("flush", 0, [&](Operation &one) { return side.settings.ops->flush(side.net, handle, &one.request); });
  side.await(flushed, sentence);
  side.expect(flushed.status == AVRM_OK, sentence, "a flush did not complete with AVRM_OK");
}

Operation &put(Side &side, const Window &window, std::size_t offset, const Bytes &data) {
  return side.post("put", data.size(), [&](Operation &one) {
    std::copy(data.begin(), data.end(), one.data());
    return side.settings.ops->put(side.net, side.handle(1), window.remote + offset, window.key, one.data(), one.size,
                                  &one.request);
  });
}

// Rank 0 says that the memory is as it should be, and rank 1 looks.
void look(Side &side, const Window &window, std::size_t offset, const Bytes &expected, Sentence sentence) {
  side.barrier();
  if (side.rank == 1 && side.has(AVRM_NETMOD_DELIVERS)) {
    const auto from = window.memory.begin() + static_cast<std::ptrdiff_t>(offset);
    side.expect_content(Bytes(from, from + static_cast<std::ptrdiff_t>(expected.size())), expected, sentence);
  }
  side.barrier();
}

} // namespace

void windows(Side &side) {
  Window window;
  open_window(side, &window);
  const Bytes data = content(1, 60000);
  if (side.rank == 0 && side.has(AVRM_NETMOD_PUT)) {
    Operation &whole = put(side, window, 100, data);
    side.await(whole, Sentence::kPut);
    std::memset(whole.data(), kCompleted, whole.size); // it is free
    whole.completed.assign(whole.size, kCompleted);
    if (!side.has(AVRM_NETMOD_PUT_VISIBLE)) {
      flush(side, Sentence::kFlush);
    }
  }
  if (side.has(AVRM_NETMOD_PUT)) {
    look(side, window, 100, data, side.has(AVRM_NETMOD_PUT_VISIBLE) ? Sentence::kVisible : Sentence::kFlush);
  } else {
    std::copy(data.begin(), data.end(), window.memory.begin() + 100);
    side.barrier();
  }
  if (side.rank == 0 && side.has(AVRM_NETMOD_GET)) {
    Operation &got = side.post("get", data.size(), [&](Operation &one) {
      return side.settings.ops->get(side.net, side.handle(1), window.remote + 100, window.key, one.data(), one.size,
                                    &one.request);
    });
    side.await(got, Sentence::kPut);
    side.expect(got.status == AVRM_OK, Sentence::kPut, "a get did not complete with AVRM_OK");
    if (side.has(AVRM_NETMOD_DELIVERS)) {
      side.expect_content(Bytes(got.data(), got.data() + got.size), data, Sentence::kPut);
    }
  }
  if (side.rank == 0 && side.has(AVRM_NETMOD_PUT)) {
    for (std::size_t i = 0; i < 50; ++i) {
      (void)put(side, window, 8 * i, content(i, 8));
    }
    flush(side, Sentence::kFlush);
  }
  if (side.has(AVRM_NETMOD_PUT)) {
    Bytes all;
    for (std::size_t i = 0; i < 50; ++i) {
      const Bytes one = content(i, 8);
      all.insert(all.end(), one.begin(), one.end());
    }
    look(side, window, 0, all, Sentence::kFlush);
    if (side.has(AVRM_NETMOD_PLAIN_KEYS)) {
      const Bytes last = content(50, 4000);
      if (side.rank == 0) {
        (void)put(side, window, 1000, last);
        flush(side, Sentence::kFlushAll, true);
      }
      look(side, window, 1000, last, Sentence::kFlushAll);
      side.tried(Sentence::kFlushAll);
    }
    side.tried(side.has(AVRM_NETMOD_PUT_VISIBLE) ? Sentence::kVisible : Sentence::kFlush);
    side.tried(Sentence::kFlush);
  }
  close_window(side, &window);
}

void small_puts(Side &side) {
  Window window;
  open_window(side, &window);
  const std::size_t bytes = std::min<std::size_t>(side.net->inject_max, 512);
  Bytes all;
  for (std::size_t i = 0; i < 20; ++i) {
    const Bytes data = content(i, bytes);
    all.insert(all.end(), data.begin(), data.end());
    if (side.rank == 0) {
      Bytes copy = data;
      (void)side.post("put_inject", 0, [&](Operation &one) {
        const avrm_status_t status = side.settings.ops->put_inject(side.net, copy.data(), bytes, side.handle(1),
                                                                   window.remote + i * bytes, window.key);
        one.is_done = false;
        return status;
      });
      std::fill(copy.begin(), copy.end(), kReturned);
    }
  }
  if (side.rank == 0) {
    flush(side, Sentence::kPutInject);
  }
  look(side, window, 0, all, Sentence::kPutInject);
  close_window(side, &window);
}

void atomics(Side &side) {
  Window window;
  open_window(side, &window);
  // Keeps its place, whatever the alignment of the memory.
  const std::size_t offset = (8 - reinterpret_cast<std::uintptr_t>(window.memory.data()) % 8) % 8;
  if (side.rank == 1) {
    side.shared.word = offset;
  }
  side.barrier();
  const std::uint64_t place = window.remote + side.shared.word;
  if (side.rank == 0) {
    const auto operate = [&](avrm_netmod_atomic_op_t op, std::uint64_t operand, std::uint64_t compare) {
      Operation &operation = side.post("atomic", 8, [&](Operation &one) {
        avrm_netmod_atomic_t atomic{};
        atomic.op = op;
        atomic.bytes = 8;
        atomic.count = 1;
        atomic.operand = &operand;
        atomic.compare = op == AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP ? &compare : nullptr;
        atomic.result = one.data();
        std::size_t count = 0;
        return side.settings.ops->atomic(side.net, side.handle(1), place, window.key, &atomic, &count, &one.request);
      });
      side.await(operation, Sentence::kAtomic);
      std::uint64_t old = 0;
      std::memcpy(&old, operation.data(), sizeof old);
      return old;
    };
    side.expect(operate(AVRM_NETMOD_ATOMIC_SUM, 5, 0) == 0, Sentence::kAtomic, "a sum returned another old value");
    side.expect(operate(AVRM_NETMOD_ATOMIC_REPLACE, 12, 0) == 5, Sentence::kAtomic,
                "an operation did not follow the one before");
    side.expect(operate(AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP, 20, 12) == 12, Sentence::kAtomic,
                "a compare-and-swap found another value");
    side.expect(operate(AVRM_NETMOD_ATOMIC_READ, 0, 0) == 20, Sentence::kAtomic, "a read returned another value");
    flush(side, Sentence::kAtomic);
  }
  Bytes expected(8);
  const std::uint64_t last = 20;
  std::memcpy(expected.data(), &last, sizeof last);
  const std::size_t at = side.shared.word;
  side.barrier();
  look(side, window, at, expected, Sentence::kAtomic);
  side.shared.word = 0;
  close_window(side, &window);
}

namespace {

// Applies an operation to elements at a place, in as many calls as the netmod wants. Returns the
// old values.
template <typename Element>
std::vector<Element> operate(Side &side, const Window &window, std::uint64_t place, avrm_netmod_atomic_op_t op,
                             const std::vector<Element> &operands, const Element *compare) {
  std::vector<Element> old;
  while (old.size() < operands.size()) {
    const std::size_t left = operands.size() - old.size();
    std::size_t count = 0;
    Operation &operation = side.post("atomic", left * sizeof(Element), [&](Operation &one) {
      avrm_netmod_atomic_t atomic{};
      atomic.op = op;
      atomic.bytes = sizeof(Element);
      atomic.count = left;
      atomic.operand = operands.data() + old.size();
      atomic.compare = compare;
      atomic.result = one.data();
      return side.settings.ops->atomic(side.net, side.handle(1), place + old.size() * sizeof(Element), window.key,
                                       &atomic, &count, &one.request);
    });
    side.expect(count >= 1 && count <= left, Sentence::kElements, "atomic returned a wrong number of elements");
    side.await(operation, Sentence::kElements);
    side.expect(operation.status == AVRM_OK, Sentence::kElements, "an atomic did not complete with AVRM_OK");
    const std::size_t before = old.size();
    old.resize(before + count);
    std::memcpy(old.data() + before, operation.data(), count * sizeof(Element));
  }
  return old;
}

template <typename Element> void try_elements(Side &side, const Window &window, std::uint64_t place) {
  using Values = std::vector<Element>;
  const auto expect = [&](avrm_netmod_atomic_op_t op, const Values &operands, const Values &old,
                          const Element *compare = nullptr) {
    side.expect(operate(side, window, place, op, operands, compare) == old, Sentence::kElements,
                "an operation returned other old values than the ones before it left");
  };
  constexpr Element kAll = static_cast<Element>(-1);
  expect(AVRM_NETMOD_ATOMIC_REPLACE, {12, 10, kAll}, {0, 0, 0});
  expect(AVRM_NETMOD_ATOMIC_BAND, {10, 3, 7}, {12, 10, kAll});
  expect(AVRM_NETMOD_ATOMIC_BOR, {3, 3, 9}, {8, 2, 7});
  expect(AVRM_NETMOD_ATOMIC_BXOR, {1, 2, kAll}, {11, 3, 15});
  expect(AVRM_NETMOD_ATOMIC_SUM, {kAll, 1, 16}, {10, 1, static_cast<Element>(~Element{15})});
  constexpr Element kOther = 5;
  constexpr Element kSame = 9;
  expect(AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP, {77}, {9}, &kOther); // changes nothing
  expect(AVRM_NETMOD_ATOMIC_COMPARE_AND_SWAP, {78}, {9}, &kSame);
  expect(AVRM_NETMOD_ATOMIC_READ, {0, 0, 0}, {78, 2, 0});
}

} // namespace

void atomics_on_elements(Side &side) {
  Window window;
  open_window(side, &window);
  const std::size_t offset = (8 - reinterpret_cast<std::uintptr_t>(window.memory.data()) % 8) % 8;
  if (side.rank == 1) {
    side.shared.word = offset;
  }
  side.barrier();
  if (side.rank == 0) {
    const std::uint64_t place = window.remote + side.shared.word;
    try_elements<std::uint64_t>(side, window, place);
    try_elements<std::uint32_t>(side, window, place + 64);
    flush(side, Sentence::kElements);
    side.shared.word = 0;
  }
  side.barrier();
  close_window(side, &window);
}

} // namespace avrankmap::netmod_test
