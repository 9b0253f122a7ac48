// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job's size costs nothing at start: opening a device, its communicators, and their end take as
// many allocations, bytes, instructions and touched pages for 100,000,000 processes as for few.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "avrankmap/device/ft.h"
#include "comm_algorithms/create/from_group.h"
#include "comm_algorithms/create/reorder.h"
#include "core/device.h"
#include "tests/component/rankmap/twin.h"
#include "tests/device/core/synthetic_job.h"

namespace avrankmap::test {
namespace {

constexpr std::int32_t kFew = 1000;
constexpr std::int32_t kMany = 100000000;

struct Cost {
  std::uint64_t allocations;
  std::uint64_t bytes; // live, the AV's table not included
  friend bool operator==(const Cost &, const Cost &) = default;
  friend std::ostream &operator<<(std::ostream &out, const Cost &cost) {
    return out << cost.allocations << " allocations, " << cost.bytes << " bytes";
  }
};

// Asks for all that comes from a communicator's hierarchy.
void use_nodes(avrm_comm_t *comm) {
  const avrm_hierarchy_t *hierarchy = nullptr;
  avrm_comm_t *node = nullptr;
  avrm_comm_t *roots = nullptr;
  require(avrm_comm_hierarchy(comm, &hierarchy));
  require(avrm_comm_node(comm, &node));
  require(avrm_comm_node_roots(comm, &roots));
  EXPECT_EQ(avrm_comm_size(roots), avrm_hierarchy_nodes(hierarchy));
  EXPECT_EQ(avrm_comm_size(node), avrm_hierarchy_node_size(hierarchy, 0));
}

// What each step of a job's start has cost up to there.
std::vector<Cost> start(std::int32_t size, avrm_device_av_t kind) {
  CountingAllocator memory;
  const avrm_allocator_t hooks = memory.hooks();
  const std::uint64_t table = kind == AVRM_DEVICE_AV_TABLE ? 12 * static_cast<std::uint64_t>(size) : 0;
  std::vector<Cost> costs;
  const auto note = [&] { costs.push_back({memory.calls(), memory.live_bytes() - table}); };
  Job job(size, kind, &hooks);
  job.open();
  note();
  const std::vector<avrm_comm_t *> comms{
      job.part(size, 0, 1),     // a dup
      job.part(size / 2, 0, 1), // a half
      job.part(size / 2, 0, 2), // every other one
      job.part(size, size - 1, -1),
  };
  avrm_comm_t *const plane = job.part(size / 2, 0, 8, 4); // four of each row of a grid
  note();
  for (avrm_comm_t *const comm : comms) {
    use_nodes(comm);
    note();
  }
  for (avrm_comm_t *const comm : comms) {
    require(avrm_comm_free(comm));
  }
  require(avrm_comm_free(plane));
  note();
  job.close();
  EXPECT_EQ(memory.live_bytes(), 0U);
  return costs;
}

TEST(JobSize, CostsNoMemoryWithATable) {
  EXPECT_EQ(start(kFew, AVRM_DEVICE_AV_TABLE), start(kMany, AVRM_DEVICE_AV_TABLE));
}

TEST(JobSize, CostsNoMemoryWithAnImplicitVector) {
  EXPECT_EQ(start(kFew, AVRM_DEVICE_AV_IMPLICIT), start(kMany, AVRM_DEVICE_AV_IMPLICIT));
}

TEST(JobSize, MayBeAsLargeAsRanksGo) {
  EXPECT_EQ(start(kFew, AVRM_DEVICE_AV_IMPLICIT), start(kMaxSize / kPerNode * kPerNode, AVRM_DEVICE_AV_IMPLICIT));
}

// The same of parts of grids whose rows lie along the nodes, and of their end: a column, a plane, a
// part of four dimensions, every other rank of half nodes. Parts of some nodes of each row have
// leaders that are no stride: those of few nodes are a table.
std::vector<Cost> start_grids(std::int32_t size, avrm_device_av_t kind, bool whole_nodes) {
  CountingAllocator memory;
  const avrm_allocator_t hooks = memory.hooks();
  const std::uint64_t table = kind == AVRM_DEVICE_AV_TABLE ? 12 * static_cast<std::uint64_t>(size) : 0;
  std::vector<Cost> costs;
  Job job(size, kind, &hooks);
  job.open();
  const std::vector<avrm_comm_t *> comms =
      whole_nodes ? std::vector{
                        job.part(size / 2, 0, 4 * kPerNode, 2 * kPerNode),
                        job.grid({3, 0, 0, {kPerNode, 3}, {1, 2 * kPerNode, 10 * kPerNode}}, size / 10 / kPerNode),
                    }
                  : std::vector{
                        job.part(size / kPerNode, 3, kPerNode),
                        job.part(size / 2, kPerNode / 2, kPerNode, kPerNode / 2),
                        job.grid({3, 0, 0, {10, 5}, {1, 20, kPerNode}}, size / kPerNode),
                        job.grid({2, 0, 0, {kPerNode / 2}, {2, kPerNode}}, size / kPerNode),
                    };
  for (avrm_comm_t *const comm : comms) {
    use_nodes(comm);
    costs.push_back({memory.calls(), memory.live_bytes() - table});
  }
  for (avrm_comm_t *const comm : comms) {
    require(avrm_comm_free(comm));
  }
  costs.push_back({memory.calls(), memory.live_bytes() - table});
  job.close();
  EXPECT_LE(memory.usage(AVRM_MEM_SCRATCH).peak_bytes, std::uint64_t{1} << 20);
  return costs;
}

TEST(JobSize, CostsNoMemoryOfGrids) {
  for (const avrm_device_av_t kind : {AVRM_DEVICE_AV_TABLE, AVRM_DEVICE_AV_IMPLICIT}) {
    EXPECT_EQ(start_grids(kFew, kind, false), start_grids(kMany, kind, false));
    EXPECT_EQ(start_grids(kMany / 10, kind, true), start_grids(kMany, kind, true));
  }
}

// Pages of the world's table that are in memory.
std::size_t resident_pages(const Job &job) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const avrm_av_t *const av = job.device()->world_av;
  const auto begin = reinterpret_cast<std::uintptr_t>(av->elements) / page * page;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(av->elements + av->size);
  std::vector<unsigned char> pages((end - begin + page - 1) / page);
  if (mincore(reinterpret_cast<void *>(begin), end - begin, pages.data()) != 0) {
    throw std::runtime_error("mincore");
  }
  return static_cast<std::size_t>(
      std::count_if(pages.begin(), pages.end(), [](unsigned char flags) { return (flags & 1) != 0; }));
}

TEST(JobSize, TouchesNoPageOfTheTableButThoseOfPeers) {
  Job job(kMany, AVRM_DEVICE_AV_TABLE, nullptr);
  job.open();
  avrm_comm_t *const odd = job.part(kMany / 2, 1, 2);
  avrm_comm_t *node = nullptr;
  require(avrm_comm_node(odd, &node));
  EXPECT_LE(resident_pages(job), 1U); // the header is on the first one
  constexpr std::int32_t kPeers = 10;
  for (std::int32_t i = 1; i <= kPeers; ++i) {
    avrm_request_t *request = nullptr;
    require(avrm_isend(odd, "", 1, i * (kMany / 2 / kPeers) - 1, 0, &request));
    require(avrm_wait(&request, nullptr));
  }
  EXPECT_LE(resident_pages(job), 1U + kPeers);
  require(avrm_comm_free(odd));
  job.close();
}

#if AVRM_WITH_COUNTERS
// Hands out zero bytes that nobody has touched, one block behind the other, in as many instructions
// whatever the size.
class Arena {
public:
  Arena() : bytes_(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (bytes_ == MAP_FAILED) {
      throw std::bad_alloc();
    }
  }
  ~Arena() { munmap(bytes_, kBytes); }
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  [[nodiscard]] avrm_allocator_t hooks() noexcept { return {allocate, release, this}; }

private:
  static constexpr std::size_t kBytes = std::size_t{4} << 30;

  static void *allocate(void *user, std::size_t size, std::size_t /*alignment*/, avrm_mem_kind_t /*kind*/) {
    auto *const arena = static_cast<Arena *>(user);
    arena->used_ = (arena->used_ + 63) / 64 * 64;
    void *const block = static_cast<char *>(arena->bytes_) + arena->used_;
    arena->used_ += size;
    return block;
  }
  static void release(void * /*user*/, void * /*block*/, std::size_t /*size*/, std::size_t /*alignment*/,
                      avrm_mem_kind_t /*kind*/) {}

  void *bytes_;
  std::size_t used_ = 0;
};

// Instructions of a call in jobs of both sizes. One per process would be 100,000,000. Opening reads
// the clock and draws random numbers, whose values cost some more or less. To find the dead takes
// some for each level above their bits, of which large jobs have more.
constexpr double kChance = 200;
constexpr double kLevels = 4000;
template <typename Function, typename Call>
void expect_same_instructions(Function *function, Call call, double most = kChance) {
  const counters::StepOptions options{nullptr, {}, 2'000'000, 120};
  for (const avrm_device_av_t kind : {AVRM_DEVICE_AV_TABLE, AVRM_DEVICE_AV_IMPLICIT}) {
    std::vector<std::uint64_t> counts;
    for (const std::int32_t size : {kFew, kMany}) {
      const auto run = [&] {
        Arena arena;
        const avrm_allocator_t hooks = arena.hooks();
        Job job(size, kind, &hooks);
        call(&job, size);
      };
      run(); // binds functions of other libraries
      const counters::Result<counters::StepCount> counted = counters::count_call(function, run, options);
      AVRM_ASSERT_COUNTED(counted);
      counts.push_back(own_instructions(*counted));
      EXPECT_GT(counts.back(), 100U);
    }
    EXPECT_NEAR(static_cast<double>(counts[0]), static_cast<double>(counts[1]), most)
        << (kind == AVRM_DEVICE_AV_TABLE ? "table" : "implicit");
  }
}

TEST(JobSize, CostsNoInstructionOfOpening) {
  expect_same_instructions(avrm_i_device_open, [](Job *job, std::int32_t /*size*/) {
    job->open();
    job->close();
  });
}

TEST(JobSize, CostsNoInstructionOfClosing) {
  expect_same_instructions(avrm_device_close, [](Job *job, std::int32_t /*size*/) {
    job->open();
    job->close();
  });
}

TEST(JobSize, CostsNoInstructionOfACommunicator) {
  expect_same_instructions(avrm_comm_create_local, [](Job *job, std::int32_t size) {
    job->open();
    require(avrm_comm_free(job->part(size / 2, size / 2, 1)));
    job->close();
  });
}

TEST(JobSize, CostsNoInstructionOfNodeCommunicators) {
  expect_same_instructions(avrm_comm_node, [](Job *job, std::int32_t size) {
    job->open();
    avrm_comm_t *const comm = job->part(size / 2, size / 2, 1);
    avrm_comm_t *node = nullptr;
    require(avrm_comm_node(comm, &node));
    require(avrm_comm_free(comm));
    job->close();
  });
}

// Opens a device on which some processes are dead, and one of each kind of communicators with them.
void lose_some(Job *job, std::int32_t size, void (*use)(avrm_comm_t *comm)) {
  job->open();
  job->lose({size / 2 + 3, size - 1, 5});
  for (avrm_comm_t *const comm : {job->part(size / 2, 0, 1), job->part(size / 2, 1, 2),
                                  job->grid({3, 0, 0, {10, 5}, {1, 20, kPerNode}}, size / kPerNode)}) {
    use(comm);
    require(avrm_comm_free(comm));
  }
  job->close();
}

TEST(JobSize, CostsNoInstructionOfFindingTheDead) {
  expect_same_instructions(
      avrm_comm_get_failed,
      [](Job *job, std::int32_t size) {
        lose_some(job, size, [](avrm_comm_t *comm) {
          avrm_group_t *dead = nullptr;
          require(avrm_comm_get_failed(comm, &dead));
          EXPECT_GT(avrm_group_size(dead), 0);
          avrm_group_destroy(dead);
        });
      },
      kLevels);
}

TEST(JobSize, CostsNoInstructionOfAcknowledgingTheDead) {
  expect_same_instructions(
      avrm_comm_ack_failed,
      [](Job *job, std::int32_t size) {
        lose_some(job, size, [](avrm_comm_t *comm) {
          std::int32_t acked = 0;
          require(avrm_comm_ack_failed(comm, 3, &acked));
          EXPECT_GT(acked, 0);
        });
      },
      kLevels);
}

// The operation looks for deaths among the members, as those of survivors do.
TEST(JobSize, CostsNoInstructionOfGivingUpForADeath) {
  expect_same_instructions(
      avrm_barrier,
      [](Job *job, std::int32_t size) {
        lose_some(job, size, [](avrm_comm_t *comm) { EXPECT_EQ(avrm_barrier(comm), AVRM_ERR_PEER); });
      },
      kLevels);
}

TEST(JobSize, CostsNoInstructionOfTheNodesOfAPlane) {
  expect_same_instructions(avrm_comm_node, [](Job *job, std::int32_t size) {
    job->open();
    avrm_comm_t *const comm = job->part(size / 2, kPerNode / 2, kPerNode, kPerNode / 2);
    avrm_comm_t *node = nullptr;
    require(avrm_comm_node(comm, &node));
    require(avrm_comm_free(comm));
    job->close();
  });
}
#endif

// A process whose partners all send what it sends: in jobs of 2^n processes reductions are over in
// n exchanges, whoever the others are.
class Mirror final : public detail::Channel, public detail::CreationHost {
public:
  Mirror(avrm_instance_t *instance, std::int32_t size)
      : Channel(instance->memory, frames_, 0, size), CreationHost(contexts_), contexts_(instance->memory) {}

  [[nodiscard]] bool start(detail::Transfer *transfer) noexcept override {
    EXPECT_EQ(transfer->dest, transfer->source);
    EXPECT_EQ(transfer->out_bytes, transfer->in_room);
    std::memcpy(transfer->in, transfer->out, transfer->in_room);
    transfer->in_bytes = transfer->in_room;
    return true;
  }
  [[nodiscard]] avrm_status_t prepare(detail::CreationResult & /*made*/) noexcept override { return AVRM_OK; }

private:
  detail::FrameStack frames_;
  detail::Contexts contexts_;
};

std::vector<Cost> create(std::int32_t size) {
  CountingAllocator memory;
  std::vector<Cost> costs;
  {
    const Instance instance(&memory);
    const MapPtr world = make_direct(instance, size);
    const detail::Parent parent{world.get(), nullptr, 0};
    detail::Grid grid;
    grid.dimensions = 2;
    grid.dims[0] = 4;
    grid.dims[1] = size / 4;
    Mirror mirror(instance, size);
    detail::CreationResult dup;
    detail::CreationResult cart;
    detail::Task tasks[] = {detail::make_dup(mirror, nullptr, mirror, parent, &dup),
                            detail::make_cart(mirror, mirror, parent, grid, false, 0, AVRM_OK, &cart)};
    for (detail::Task &task : tasks) {
      task.start();
      EXPECT_TRUE(task.is_done());
      EXPECT_EQ(task.status(), AVRM_OK);
      costs.push_back({memory.calls(), memory.live_bytes()});
    }
    EXPECT_EQ(dup.map->size, size);
    EXPECT_EQ(cart.map->size, size);
  }
  return costs;
}

TEST(JobSize, CostsNoMemoryOfACreation) { EXPECT_EQ(create(1 << 10), create(1 << 30)); }

} // namespace
} // namespace avrankmap::test
