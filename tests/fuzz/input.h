// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A byte string as a source of decisions, which a fuzz target consumes.
#ifndef AVRANKMAP_TESTS_FUZZ_INPUT_H
#define AVRANKMAP_TESTS_FUZZ_INPUT_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace avrankmap::fuzz {

class Input {
public:
  Input(const std::uint8_t *data, std::size_t size) : rest_(data, size) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }

  // A little-endian number; missing bytes are 0.
  template <typename T> T number() {
    std::uint64_t value = 0;
    const std::size_t count = std::min(sizeof(T), rest_.size());
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::uint64_t{rest_[i]} << 8 * i;
    }
    rest_ = rest_.subspan(count);
    return static_cast<T>(value);
  }
  // 0 .. end-1.
  std::uint32_t below(std::uint32_t end) { return number<std::uint16_t>() % end; }
  std::int32_t between(std::int32_t first, std::int32_t last) {
    return first + static_cast<std::int32_t>(below(static_cast<std::uint32_t>(last - first + 1)));
  }
  // A number that is mostly small, and sometimes at an edge where arithmetic fails.
  std::uint64_t edgy() {
    static constexpr std::uint64_t kEdges[] = {
        0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_MAX / 2, UINT64_MAX / 2 + 1, UINT32_MAX, std::uint64_t{UINT32_MAX} + 1,
    };
    const auto choice = number<std::uint8_t>();
    if (choice < 200) {
      return choice;
    }
    return choice < 240 ? kEdges[choice % std::size(kEdges)] : number<std::uint64_t>();
  }
  // Up to `most` of the remaining bytes, in memory of exactly their size, so that a sanitizer
  // detects reads beyond them.
  std::vector<std::uint8_t> bytes(std::size_t most) {
    const std::size_t count = std::min(most, rest_.size());
    const std::vector<std::uint8_t> taken(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(count));
    rest_ = rest_.subspan(count);
    return taken;
  }

private:
  std::span<const std::uint8_t> rest_;
};

// A condition that must hold for any input. A fuzzer reports a program that aborts.
inline void must(bool holds, const char *what) {
  if (!holds) {
    (void)std::fprintf(stderr, "does not hold: %s\n", what);
    std::abort();
  }
}

} // namespace avrankmap::fuzz

#define AVRM_MUST(condition) avrankmap::fuzz::must((condition), #condition)

// Each target defines this function.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

#endif
