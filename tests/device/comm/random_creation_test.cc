// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of creations by this library and by an installed MPI library.
#include "tests/device/comm/members.h"
#include "tests/device/core/job.h"
#include "tests/support/launch.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

class Ours {
public:
  using Comm = avrm_comm_t *;

  explicit Ours(const Process &process) : process_(process) {}

  Comm world() const { return process_.world; }
  Comm dup(Comm comm) {
    return made([&](Comm *p) { return avrm_comm_dup(comm, p); });
  }
  Comm split(Comm comm, int colour, int key) {
    return made([&](Comm *p) { return avrm_comm_split(comm, colour == kNoColour ? AVRM_UNDEFINED : colour, key, p); });
  }
  Comm create(Comm comm, const Members &members) {
    return with_group(members, [&](const avrm_group_t *group, Comm *p) { return avrm_comm_create(comm, group, p); });
  }
  // With a parent or without one.
  Comm create_group(Comm comm, const Members &members, int tag) {
    return with_group(members, [&](const avrm_group_t *group, Comm *p) {
      return tag % 2 == 0 ? avrm_comm_create_group(comm, group, tag, p)
                          : avrm_comm_create_from_group(process_.device, group, std::to_string(tag % 10).c_str(), p);
    });
  }
  Comm cart(Comm comm, const int *extents, const int *periods) {
    return made([&](Comm *p) { return avrm_cart_create(comm, 2, extents, periods, false, p); });
  }
  Comm cart_sub(Comm comm, const int *remain) {
    return made([&](Comm *p) { return avrm_cart_sub(comm, remain, p); });
  }
  Comm intercomm(Comm local, Comm peer, int partner, int tag) {
    return made([&](Comm *p) { return avrm_intercomm_create(local, 0, peer, partner, tag, p); });
  }
  Comm merge(Comm inter, bool high) {
    return made([&](Comm *p) { return avrm_intercomm_merge(inter, high, p); });
  }
  Comm unite(Comm local, Comm peer, int partner, int tag, bool high) {
    return made([&](Comm *p) { return avrm_comm_merge(local, 0, peer, partner, tag, high, p); });
  }
  void free(Comm comm) { release(comm); }
  void check(Comm comm, const Members &members) { test::check(process_, comm, members); }
  void check_inter(Comm comm, const Members &own, const Members &other) {
    test::check_inter(process_, comm, own, other);
  }

private:
  template <typename Make> Comm made(Make make) {
    Comm comm = nullptr;
    AVRM_MUST(make(&comm) == AVRM_OK);
    return comm;
  }
  template <typename Make> Comm with_group(const Members &members, Make make) {
    avrm_group_t *const group = group_of(process_, members);
    const Comm comm = made([&](Comm *p) { return make(group, p); });
    avrm_group_destroy(group);
    return comm;
  }
  const Process &process_;
};

int steps() { return is_long() ? 5000 : 60; }

class RandomCreation : public testing::TestWithParam<Transport> {};

TEST_P(RandomCreation, AgreesWithPlainLists) {
  const std::uint64_t first = seed();
  Transport transport = GetParam();
  transport.per_node = has_both(transport) ? 3 : transport.per_node; // nodes of unequal sizes
  for (const int size : {2, 5, 8}) {
    run_job(transport, size, [&](Process &process) {
      Ours library(process);
      Sequence<Ours> sequence(library, process.rank, process.size, first + static_cast<std::uint64_t>(size));
      for (int i = 0; i < steps(); ++i) {
        sequence.step();
      }
      sequence.end();
      AVRM_MUST(live_contexts(process) == 0);
    });
    if (IsSkipped() || HasFailure()) {
      return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Over, RandomCreation, testing::ValuesIn(transports_of(Suites::kAll, has_shared_memory)),
                         kByName);

// The same sequences with an installed MPI library: equal lists mean that it agrees with ours
// member by member.
TEST(RandomCreationByMpi, AgreesWithPlainLists) {
  if (!has_mpirun() || std::string(AVRM_MPI_SEQUENCE).empty()) {
    GTEST_SKIP() << "no Open MPI at configure time (Debian and Ubuntu: openmpi-bin, libopenmpi-dev)";
  }
  for (const int size : {5, 8}) {
    EXPECT_EQ(launch(mpirun_words(size), {AVRM_MPI_SEQUENCE, std::to_string(seed() + static_cast<std::uint64_t>(size)),
                                          std::to_string(steps())}),
              std::vector<int>{0})
        << size << " processes";
  }
}

} // namespace
} // namespace avrankmap::test
