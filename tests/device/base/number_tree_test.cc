// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/number_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

int steps = 0;

struct Numbered {
  explicit Numbered(std::uint64_t its_number) : value(its_number) {}
  [[nodiscard]] std::uint64_t number() const noexcept {
    ++steps;
    return value;
  }
  std::uint64_t value;
  detail::NumberLinks<Numbered> links;
};

using Oracle = std::map<std::uint64_t, std::unique_ptr<Numbered>>;

void expect_same(const detail::NumberTree<Numbered> &tree, const Oracle &oracle) {
  ASSERT_EQ(tree.count(), oracle.size());
  std::size_t visited = 0;
  tree.for_each([&](const Numbered *object) {
    ++visited;
    EXPECT_EQ(oracle.at(object->value).get(), object);
  });
  EXPECT_EQ(visited, oracle.size());
}

TEST(NumberTree, AgreesWithAMap) {
  std::mt19937_64 engine = seeded_engine();
  const std::uint64_t masks[] = {7, 0xff, 0xffff0000, 0xff000000000000ff, ~std::uint64_t{0}};
  for (const std::uint64_t mask : masks) {
    detail::NumberTree<Numbered> tree;
    Oracle oracle;
    for (int i = 0; i < 2000; ++i) {
      const std::uint64_t number = engine() & mask;
      const auto at = oracle.find(number);
      ASSERT_EQ(tree.find(number), at == oracle.end() ? nullptr : at->second.get());
      if (at == oracle.end()) {
        tree.add((oracle[number] = std::make_unique<Numbered>(number)).get());
      } else {
        tree.remove(at->second.get());
        oracle.erase(at);
      }
    }
    expect_same(tree, oracle);
    while (!oracle.empty()) {
      tree.remove(oracle.begin()->second.get());
      oracle.erase(oracle.begin());
    }
    expect_same(tree, oracle);
  }
}

// Numbers in sequence, which ids are, and those that collide in their low bits.
TEST(NumberTree, TakesAStepPerBitAtMost) {
  constexpr int kBits = 12;
  for (const int shift : {0, 32}) {
    detail::NumberTree<Numbered> tree;
    std::vector<std::unique_ptr<Numbered>> objects;
    for (std::uint64_t i = 0; i < 1 << kBits; ++i) {
      tree.add(objects.emplace_back(std::make_unique<Numbered>(i << shift)).get());
    }
    for (const auto &object : objects) {
      steps = 0;
      ASSERT_EQ(tree.find(object->value), object.get());
      ASSERT_LE(steps, 2 + kBits + shift);
    }
  }
}

} // namespace
} // namespace avrankmap::test
