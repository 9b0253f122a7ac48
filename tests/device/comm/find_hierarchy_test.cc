// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The members of simulated jobs find their hierarchy, against the brute-force twin.
#include "comm_algorithms/find_hierarchy.h"

#include <bit>

#include "bench/synthetic/simulator.h"
#include "comm_algorithms/channel/channels.h"
#include "tests/component/hierarchy/random_keys.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

using bench::SimProcess;
using bench::Simulator;
using detail::Piece;
using detail::PieceList;

std::uint64_t log_of(std::int32_t size) {
  return static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint32_t>(size - 1)));
}

// Finds it, and compares that of some processes. Returns the bytes that the first one keeps.
std::uint64_t find_all(Simulator &job, const Keys &keys) {
  std::vector<avrm_hierarchy_t> found(keys.size());
  const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    return detail::find_hierarchy(process, job.instance(), static_cast<std::int32_t>(keys[rank]), &found[rank]);
  });
  EXPECT_EQ(statuses, std::vector<avrm_status_t>(keys.size(), AVRM_OK));
  EXPECT_LE(job.cost().frame_bytes, detail::FrameStack::kBytes / 2);
  const HierarchyTwin twin(keys);
  for (const std::size_t rank : {std::size_t{0}, keys.size() / 2, keys.size() - 1}) {
    EXPECT_TRUE(twin.agrees(&found[rank])) << "rank " << rank << " of " << keys.size();
  }
  const std::uint64_t bytes = avrm_hierarchy_bytes(&found[0]);
  std::for_each(found.begin(), found.end(), [](avrm_hierarchy_t &one) { avrm_hierarchy_destroy(&one); });
  return bytes;
}

class FindHierarchy : public testing::TestWithParam<std::int32_t> {
protected:
  Simulator job{GetParam()};
  std::mt19937_64 engine = seeded_engine();
  RandomInput input{engine};
};

TEST_P(FindHierarchy, OfLayoutsTakesAFewBytes) {
  for (const std::int32_t nodes : {1, 3, 1000}) {
    for (const std::int32_t block : {1, 4}) {
      EXPECT_EQ(find_all(job, layout(GetParam(), 5, nodes, block, nodes > 2 ? 2 : 0)), 0U);
      // One reduction, and a list of one piece up and down.
      EXPECT_LE(job.cost().steps, 3 * log_of(GetParam()) + 4);
      EXPECT_LE(job.cost().bytes, (log_of(GetParam()) + 2) * (4 + 8 + 3 * sizeof(Piece)));
    }
  }
}

TEST_P(FindHierarchy, AgreesWithTheTwinForRandomNodes) {
  const int rounds = is_long() ? 200 : 12;
  for (int round = 0; round < rounds; ++round) {
    Keys keys = input.one_in(2) ? random_keys(engine) : random_pieces(input);
    const Keys some = keys;
    while (keys.size() < static_cast<std::size_t>(GetParam())) {
      keys = keys + some;
    }
    keys.resize(static_cast<std::size_t>(GetParam()));
    for (std::uint64_t &key : keys) {
      key &= kMaxSize;
    }
    find_all(job, keys);
  }
}

TEST_P(FindHierarchy, OfNoOrderAtAllIsGatheredAsNumbers) {
  Keys keys(static_cast<std::size_t>(GetParam()));
  std::generate(keys.begin(), keys.end(), [&] { return below(engine, 1 + keys.size() / 4); });
  find_all(job, keys);
}

INSTANTIATE_TEST_SUITE_P(Processes, FindHierarchy, testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 33, 100, 1000));

// A member whose memory is its own, so that it can be refused.
class OwnMemory final : public detail::Channel {
public:
  OwnMemory(detail::Channel &channel, detail::Memory &memory) noexcept
      : detail::Channel(memory, channel.frames(), channel.rank(), channel.size()), channel_(channel) {}
  [[nodiscard]] bool start(detail::Transfer *transfer) noexcept override { return channel_.start(transfer); }

private:
  detail::Channel &channel_;
};

TEST(FindHierarchyFaults, MemberWithoutMemoryEndsItForAllOrItself) {
  Keys keys(40);
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    keys[rank] = rank * rank % 17; // some pieces
  }
  for (const std::int32_t unlucky : {0, 3, 39}) {
    bool refused = true;
    for (std::uint64_t points = 0; refused; ++points) {
      Simulator job(40);
      CountingAllocator allocator;
      detail::Memory memory(allocator.hooks());
      allocator.refuse_after(points);
      OwnMemory poor(job.process(unlucky), memory);
      std::vector<avrm_hierarchy_t> found(keys.size());
      const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
        const auto rank = static_cast<std::size_t>(process.rank());
        detail::Channel &channel = process.rank() == unlucky ? static_cast<detail::Channel &>(poor) : process;
        return detail::find_hierarchy(channel, job.instance(), static_cast<std::int32_t>(keys[rank]), &found[rank]);
      });
      refused = allocator.refused();
      for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        EXPECT_TRUE(statuses[rank] == AVRM_OK || statuses[rank] == AVRM_ERR_NO_MEMORY) << rank;
        EXPECT_EQ(statuses[rank] == AVRM_OK, found[rank].instance != nullptr);
        avrm_hierarchy_destroy(&found[rank]);
      }
      EXPECT_EQ(statuses[static_cast<std::size_t>(unlucky)], refused ? AVRM_ERR_NO_MEMORY : AVRM_OK);
      EXPECT_TRUE(points != 0 || statuses == std::vector<avrm_status_t>(keys.size(), AVRM_ERR_NO_MEMORY));
    }
  }
}

class ReceivedPieces : public testing::Test {
protected:
  [[nodiscard]] bool takes(const std::vector<Piece> &pieces, std::uint32_t ranks) {
    PieceList list(memory, detail::kMostSentPieces);
    const bool taken = detail::append_received(pieces.data(), pieces.size(), ranks, &list);
    list.finish();
    return taken;
  }
  CountingAllocator allocator;
  detail::Memory memory{allocator.hooks()};
};

TEST_F(ReceivedPieces, AreTakenIfTheyAreOfAllRanks) {
  EXPECT_TRUE(takes({{0, 1, 10, 2, 1, 5}}, 10));
  EXPECT_TRUE(takes({{9, -1, 10, 2, 1, 5}, {3, 0, 2, 2, 0, 1}}, 12));
  EXPECT_TRUE(takes({{0, 0, 1, 1, 0, 0xffffffff}}, 1));
  EXPECT_TRUE(takes({{kMaxSize, 0, 7, 7, 0, 1}}, 7));
}

TEST_F(ReceivedPieces, AreRefusedIfAnythingIsOutOfRange) {
  const Piece good{5, 1, 10, 2, 1, 5};
  const auto with = [&good](auto change) {
    Piece piece = good;
    change(piece);
    return piece;
  };
  ASSERT_TRUE(takes({good}, 10));
  for (const Piece &bad : {
           with([](Piece &piece) { piece.count = 0; }),
           with([](Piece &piece) { piece.count = 11; }),
           with([](Piece &piece) { piece.count = 9; }),
           with([](Piece &piece) { piece.block = 0; }),
           with([](Piece &piece) { piece.period = 0; }),
           with([](Piece &piece) { piece.phase = 10; }),
           with([](Piece &piece) { piece.node = -1; }),
           with([](Piece &piece) { piece.node = std::int64_t{kMaxSize} + 1; }),
           with([](Piece &piece) { piece.node = INT64_MIN; }),
           with([](Piece &piece) { piece.step = -2; }),
           with([](Piece &piece) { piece.step = kMaxSize; }),
           with([](Piece &piece) { piece.step = INT64_MAX; }),
           with([](Piece &piece) { piece.step = INT64_MIN; }),
           with([](Piece &piece) { piece.block = 1U << 31, piece.period = 2; }),
       }) {
    EXPECT_FALSE(takes({bad}, 10));
  }
  EXPECT_FALSE(takes({good, good}, 10));
  EXPECT_FALSE(takes({{5, 0, 0xffffffff, 1, 0, 1}, {5, 0, 11, 1, 0, 1}}, 10)); // 2^32 + 10
  EXPECT_FALSE(takes({}, 10));
}

} // namespace
} // namespace avrankmap::test
