// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a fuzz target without a fuzzer, as a test: each file of the corpus, then random inputs that
// are made from these.
//   AVRM_TEST_SEED  seed of the random inputs (printed)
//   AVRM_FUZZ_RUNS  how many of them; 5,000 by default
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "tests/fuzz/input.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes read(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// In memory of exactly this size: std::vector may have more.
void run(const Bytes &input) {
  auto *const exact = new std::uint8_t[input.size()];
  std::copy(input.begin(), input.end(), exact);
  (void)LLVMFuzzerTestOneInput(exact, input.size());
  delete[] exact;
}

Bytes mutated(Bytes input, std::mt19937_64 &engine) {
  using avrankmap::test::below;
  const auto count = 1 + below(engine, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(below(engine, input.size() + 1));
    switch (below(engine, 4)) {
    case 0: input.insert(input.begin() + at, static_cast<std::uint8_t>(engine())); break;
    case 1: input.insert(input.begin() + at, 8, engine() % 2 != 0 ? std::uint8_t{0xff} : std::uint8_t{0}); break;
    case 2:
      if (at < std::ssize(input)) {
        input.erase(input.begin() + at);
      }
      break;
    default:
      if (at < std::ssize(input)) {
        input[static_cast<std::size_t>(at)] = static_cast<std::uint8_t>(engine());
      }
    }
  }
  return input;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<Bytes> corpus = {Bytes{}};
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      corpus.push_back(read(argv[i]));
      continue;
    }
    for (const auto &entry : std::filesystem::directory_iterator(argv[i])) {
      corpus.push_back(read(entry.path()));
    }
  }
  for (const Bytes &input : corpus) {
    run(input);
  }
  const unsigned long runs = avrankmap::test::fuzz_runs();
  auto engine = avrankmap::test::seeded_engine();
  for (unsigned long i = 0; i < runs; ++i) {
    Bytes input = corpus[avrankmap::test::below(engine, corpus.size())];
    if (avrankmap::test::below(engine, 2) == 0) { // from scratch
      input.resize(avrankmap::test::below(engine, 300));
      for (std::uint8_t &byte : input) {
        byte = static_cast<std::uint8_t>(engine());
      }
    }
    run(mutated(std::move(input), engine));
  }
  std::printf("%zu inputs of the corpus and %lu at random\n", corpus.size(), runs);
  return 0;
}
