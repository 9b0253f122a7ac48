// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Seed of the random tests: the environment variable AVRM_TEST_SEED, else a constant. The first
// use prints it.
#ifndef AVRANKMAP_TESTS_SUPPORT_SEED_H
#define AVRANKMAP_TESTS_SUPPORT_SEED_H

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace avrankmap::test {

inline std::uint64_t seed() {
  static const std::uint64_t value = [] {
    const char *const text = std::getenv("AVRM_TEST_SEED");
    const std::uint64_t chosen = text != nullptr ? std::strtoull(text, nullptr, 0) : 20160613;
    std::cout << "AVRM_TEST_SEED=" << chosen << '\n';
    return chosen;
  }();
  return value;
}

// A generator that starts at the seed, so that a test behaves the same alone and among others.
inline std::mt19937_64 seeded_engine() { return std::mt19937_64(seed()); }

// A number in 0 .. bound - 1.
inline std::uint64_t below(std::mt19937_64 &engine, std::uint64_t bound) { return engine() % bound; }

} // namespace avrankmap::test

#endif
