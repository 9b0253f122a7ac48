// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange of a window's parts in simulated jobs.
#include "comm_algorithms/exchange_window_parts.h"

#include <gtest/gtest.h>

#include <bit>

#include "bench/synthetic/simulator.h"
#include "comm_algorithms/channel/channels.h"
#include "tests/component/window_table/window_table_twin.h"

namespace avrankmap::test {
namespace {

using bench::SimProcess;
using bench::Simulator;

// Bytes of a summary all of whose fields are rules.
constexpr std::uint64_t kRegularBytes = 24 + 4 * 20;
constexpr std::uint64_t kAnnouncement = 8;

std::uint64_t log_of(std::int32_t size) {
  return static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint32_t>(size - 1)));
}

// Exchanges parts, and compares everybody's summary. Returns the root's.
avrm_parts_t exchange_all(Simulator &job, const Parts &parts) {
  std::vector<avrm_parts_t> summaries(parts.size());
  const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
    const auto rank = static_cast<std::size_t>(process.rank());
    return exchange_window_parts(process, AVRM_OK, parts[rank], &summaries[rank]);
  });
  std::vector<unsigned char> first(AVRM_PARTS_BYTES);
  require(avrm_parts_write(summaries.data(), first.data()));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    std::vector<unsigned char> bytes(AVRM_PARTS_BYTES);
    EXPECT_EQ(statuses[rank], AVRM_OK);
    require(avrm_parts_write(&summaries[rank], bytes.data()));
    EXPECT_EQ(bytes, first) << "rank " << rank << " of " << parts.size();
  }
  EXPECT_LE(job.cost().steps, 2 * log_of(job.size()) + 2);
  EXPECT_LE(job.cost().frame_bytes, detail::FrameStack::kBytes / 2);
  return summaries[0];
}

class ExchangeOfParts : public testing::TestWithParam<std::int32_t> {
protected:
  [[nodiscard]] Parts parts_of(const avrm_part_t &first, const avrm_part_t &step) const {
    Parts parts;
    for (std::int32_t rank = 0; rank < GetParam(); ++rank) {
      const auto times = static_cast<std::uint64_t>(rank);
      parts.push_back({first.base + times * step.base, first.key + times * step.key, first.size + times * step.size,
                       first.unit + static_cast<std::uint32_t>(rank) * step.unit});
    }
    return parts;
  }

  Simulator job{GetParam()};
  std::mt19937_64 engine = seeded_engine();
};

TEST_P(ExchangeOfParts, RulesTakeAFewBytes) {
  const avrm_part_t first{~std::uint64_t{0} - 1000, 77, 4096, 8};
  for (const avrm_part_t &step : {avrm_part_t{}, {64, 0, 0, 0}, {0, 1, ~std::uint64_t{0}, 3}}) {
    const Parts parts = parts_of(first, step);
    const avrm_parts_t summary = exchange_all(job, parts);
    const DirectoryPtr directory = of_summary(job.instance(), summary);
    EXPECT_TRUE(agrees(directory.get(), parts));
    EXPECT_EQ(avrm_directory_bytes(directory.get()), 0U);
    EXPECT_LE(job.cost().bytes, (log_of(GetParam()) + 1) * (kAnnouncement + kRegularBytes));
  }
}

TEST_P(ExchangeOfParts, ExceptionsTakeTheirRuns) {
  Parts parts = parts_of({1U << 20, 77, 4096, 8}, {});
  constexpr std::uint64_t kExceptions = 10;
  for (std::uint64_t i = 0; i < kExceptions; ++i) {
    parts[below(engine, parts.size())].base = engine();
  }
  const avrm_parts_t summary = exchange_all(job, parts);
  EXPECT_TRUE(agrees(of_summary(job.instance(), summary).get(), parts));
  const std::uint64_t most = kRegularBytes + 3 * kExceptions * 20;
  EXPECT_LE(job.cost().bytes, (log_of(GetParam()) + 1) * (kAnnouncement + most));
}

TEST_P(ExchangeOfParts, RandomPartsAgreeOrAreUnknown) {
  for (int round = 0; round < 20; ++round) {
    const Parts parts = random_parts(engine, static_cast<std::size_t>(GetParam()));
    const DirectoryPtr directory = of_summary(job.instance(), exchange_all(job, parts));
    for (std::int32_t rank = 0; rank < GetParam(); ++rank) {
      avrm_part_t found{};
      const avrm_part_t &part = parts[static_cast<std::size_t>(rank)];
      EXPECT_TRUE(!avrm_directory_find(directory.get(), rank, &found) || found == part);
    }
    EXPECT_LE(job.cost().bytes, (log_of(GetParam()) + 1) * (kAnnouncement + AVRM_PARTS_BYTES));
  }
}

TEST_P(ExchangeOfParts, ErrorOfOneIsThatOfAll) {
  const Parts parts = parts_of({1, 2, 3, 4}, {});
  for (const std::int32_t unlucky : {0, GetParam() / 2, GetParam() - 1}) {
    std::vector<avrm_parts_t> summaries(parts.size());
    const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
      const auto rank = static_cast<std::size_t>(process.rank());
      const avrm_status_t mine = process.rank() == unlucky ? AVRM_ERR_SIZE : AVRM_OK;
      return exchange_window_parts(process, mine, parts[rank], &summaries[rank]);
    });
    EXPECT_EQ(statuses, std::vector<avrm_status_t>(parts.size(), AVRM_ERR_SIZE));
  }
}

// A member whose memory is its own, so that it can be refused.
class OwnMemory final : public detail::Channel {
public:
  OwnMemory(detail::Channel &channel, detail::Memory &memory) noexcept
      : detail::Channel(memory, channel.frames(), channel.rank(), channel.size()), channel_(channel) {}
  [[nodiscard]] bool start(detail::Transfer *transfer) noexcept override { return channel_.start(transfer); }

private:
  detail::Channel &channel_;
};

TEST_P(ExchangeOfParts, MemberWithoutMemoryEndsIt) {
  const Parts parts = parts_of({1, 2, 3, 4}, {9, 0, 0, 0});
  for (const std::int32_t unlucky : {0, GetParam() / 2, GetParam() - 1}) {
    CountingAllocator allocator;
    detail::Memory memory(allocator.hooks());
    allocator.refuse_after(0);
    OwnMemory poor(job.process(unlucky), memory);
    std::vector<avrm_parts_t> summaries(parts.size());
    const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
      const auto rank = static_cast<std::size_t>(process.rank());
      detail::Channel &channel = process.rank() == unlucky ? static_cast<detail::Channel &>(poor) : process;
      return exchange_window_parts(channel, AVRM_OK, parts[rank], &summaries[rank]);
    });
    EXPECT_TRUE(allocator.refused());
    EXPECT_EQ(statuses, std::vector<avrm_status_t>(parts.size(), AVRM_ERR_NO_MEMORY));
  }
}

INSTANTIATE_TEST_SUITE_P(Processes, ExchangeOfParts, testing::ValuesIn([] {
                           std::vector<std::int32_t> sizes;
                           for (std::int32_t size = 1; size <= 33; ++size) {
                             sizes.push_back(size);
                           }
                           sizes.push_back(1000);
                           return sizes;
                         }()));

// Sends its parent something else than a summary.
detail::Task lie(detail::Channel &channel, std::uint32_t bytes, std::int32_t status, const unsigned char *body) {
  struct {
    std::uint32_t bytes;
    std::int32_t status;
  } told{bytes, status};
  avrm_status_t sent = co_await send(channel, 0, &told, sizeof told);
  if (sent == AVRM_OK && status == AVRM_OK && bytes != 0 && bytes <= AVRM_PARTS_BYTES) {
    sent = co_await send(channel, 0, body, bytes);
  }
  co_return sent;
}

TEST(ExchangeOfPartsWithALiar, IsAMismatch) {
  const avrm_part_t part{1, 2, 3, 4};
  avrm_parts_t wrong{};
  require(avrm_parts_of(1, &part, &wrong));
  wrong.count = 2; // of a rank that there is not
  avrm_parts_t other{};
  require(avrm_parts_of(2, &part, &other));
  const std::vector<unsigned char> zeros(AVRM_PARTS_BYTES);
  std::vector<unsigned char> too_many(avrm_parts_bytes(&wrong));
  std::vector<unsigned char> not_behind(too_many.size());
  require(avrm_parts_write(&wrong, too_many.data()));
  require(avrm_parts_write(&other, not_behind.data()));
  const auto bytes = static_cast<std::uint32_t>(too_many.size());
  struct Lie {
    std::uint32_t bytes;
    std::int32_t status;
    const unsigned char *body;
  };
  for (const Lie &told : {Lie{bytes, 0, too_many.data()},
                          {bytes, 0, not_behind.data()},
                          {bytes, 0, zeros.data()},
                          {0, 0, nullptr},
                          {AVRM_PARTS_BYTES + 1, 0, nullptr},
                          {0, 12345, nullptr},
                          {5, AVRM_ERR_SIZE, nullptr}}) {
    Simulator job(2);
    avrm_parts_t summary{};
    const std::vector<avrm_status_t> statuses = job.run([&](SimProcess &process) {
      return process.rank() == 0 ? exchange_window_parts(process, AVRM_OK, part, &summary)
                                 : lie(process, told.bytes, told.status, told.body);
    });
    EXPECT_EQ(statuses[0], AVRM_ERR_MISMATCH);
  }
}

} // namespace
} // namespace avrankmap::test
