// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Twin of a directory: a plain array of parts. Written from directory.h alone.
#ifndef AVRANKMAP_TESTS_COMPONENT_WINDOW_TABLE_WINDOW_TABLE_TWIN_H
#define AVRANKMAP_TESTS_COMPONENT_WINDOW_TABLE_WINDOW_TABLE_TWIN_H

#include <memory>
#include <ostream>
#include <vector>

#include "avrankmap/directory.h"
#include "tests/support/instance.h"
#include "tests/support/seed.h"

inline bool operator==(const avrm_part_t &a, const avrm_part_t &b) {
  return a.base == b.base && a.key == b.key && a.size == b.size && a.unit == b.unit;
}
inline std::ostream &operator<<(std::ostream &out, const avrm_part_t &part) {
  return out << "base " << part.base << " key " << part.key << " size " << part.size << " unit " << part.unit;
}

namespace avrankmap::test {

using Parts = std::vector<avrm_part_t>;

struct DirectoryDestroyer {
  void operator()(avrm_directory_t *directory) const noexcept {
    avrm_directory_destroy(directory);
    delete directory;
  }
};
using DirectoryPtr = std::unique_ptr<avrm_directory_t, DirectoryDestroyer>;

// Returns the directory that create(directory) fills in; throws if it fails.
template <typename Create> DirectoryPtr make_directory(Create create) {
  DirectoryPtr directory(new avrm_directory_t{});
  require(create(directory.get()));
  return directory;
}
inline DirectoryPtr of_nothing(avrm_instance_t *instance, std::int32_t ranks) {
  return make_directory(
      [&](avrm_directory_t *directory_p) { return avrm_directory_create(instance, ranks, directory_p); });
}
inline DirectoryPtr of_rule(avrm_instance_t *instance, std::int32_t ranks, const avrm_part_t &first,
                            const avrm_part_t &step) {
  return make_directory([&](avrm_directory_t *directory_p) {
    return avrm_directory_create_regular(instance, ranks, &first, &step, directory_p);
  });
}

inline DirectoryPtr of_parts(avrm_instance_t *instance, const Parts &parts) {
  return make_directory([&](avrm_directory_t *directory_p) {
    return avrm_directory_create_parts(instance, static_cast<std::int32_t>(parts.size()), parts.data(), directory_p);
  });
}
inline DirectoryPtr of_summary(avrm_instance_t *instance, const avrm_parts_t &summary) {
  return make_directory(
      [&](avrm_directory_t *directory_p) { return avrm_directory_create_summary(instance, &summary, directory_p); });
}

// All questions about one rank whose part is known; 4 checks.
inline testing::AssertionResult knows(const avrm_directory_t *directory, std::int32_t rank, const avrm_part_t &part) {
  avrm_part_t found{};
  avrm_part_t target{};
  const bool is_found = avrm_directory_find(directory, rank, &found);
  const bool is_target = avrm_directory_target(directory, rank, &target.base, &target.key);
  target.size = avrm_directory_size(directory, rank);
  target.unit = avrm_directory_unit(directory, rank);
  if (is_found && is_target && found == part && target == part) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "rank " << rank << ": find " << is_found << " " << found << ", target "
                                     << is_target << " " << target << ", expected " << part;
}

inline testing::AssertionResult ignores(const avrm_directory_t *directory, std::int32_t rank) {
  avrm_part_t found{1, 2, 3, 4};
  avrm_part_t target{1, 2, 0, 0};
  const bool is_found = avrm_directory_find(directory, rank, &found);
  const bool is_target = avrm_directory_target(directory, rank, &target.base, &target.key);
  target.size = avrm_directory_size(directory, rank);
  target.unit = avrm_directory_unit(directory, rank);
  if (!is_found && !is_target && found == avrm_part_t{1, 2, 3, 4} && target == avrm_part_t{1, 2, 0, 0}) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure() << "rank " << rank << " was never learned: find " << is_found << " " << found
                                     << ", target " << is_target << " " << target;
}

inline testing::AssertionResult agrees(const avrm_directory_t *directory, const Parts &parts) {
  if (avrm_directory_ranks(directory) != static_cast<std::int32_t>(parts.size())) {
    return testing::AssertionFailure() << avrm_directory_ranks(directory) << " ranks of " << parts.size();
  }
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    testing::AssertionResult is_known = knows(directory, static_cast<std::int32_t>(rank), parts[rank]);
    if (!is_known) {
      return is_known;
    }
  }
  return testing::AssertionSuccess();
}

// A field of random shape: a rule with steps or not, with exceptions, in runs, or of random bits.
class RandomField {
public:
  RandomField(std::mt19937_64 &engine, std::size_t ranks)
      : start_(engine() >> below(engine, 64)), step_(below(engine, 2) == 0 ? 0 : engine() >> below(engine, 64)),
        run_(below(engine, 3) == 0 ? 1 + below(engine, ranks) : ~std::uint64_t{0}),
        jump_(engine() >> below(engine, 64)), rarely_(below(engine, 3) == 0 ? 1 + below(engine, ranks) : 0),
        bits_(static_cast<int>(below(engine, 4) == 0 ? below(engine, 65) : 0)) {}

  std::uint64_t operator()(std::mt19937_64 &engine, std::size_t rank) const {
    const std::uint64_t noise = bits_ == 0 ? 0 : engine() >> (64 - bits_);
    const bool is_exception = rarely_ != 0 && below(engine, rarely_) == 0;
    return is_exception ? engine() : start_ + rank * step_ + rank / run_ * jump_ + noise;
  }

private:
  std::uint64_t start_;
  std::uint64_t step_;
  std::uint64_t run_;    // ranks that follow one rule
  std::uint64_t jump_;   // between runs
  std::uint64_t rarely_; // one rank in so many is an exception
  int bits_;             // random ones that are added
};

inline Parts random_parts(std::mt19937_64 &engine, std::size_t ranks) {
  const RandomField base(engine, ranks);
  const RandomField key(engine, ranks);
  const RandomField size(engine, ranks);
  const RandomField unit(engine, ranks);
  Parts parts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    parts.push_back(
        {base(engine, rank), key(engine, rank), size(engine, rank), static_cast<std::uint32_t>(unit(engine, rank))});
  }
  return parts;
}

} // namespace avrankmap::test

#endif
