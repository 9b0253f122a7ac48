// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path of communicators whose map has a form that is not inline there: messages and puts
// reach the right process, and do not take the general path.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "bench/synthetic/fastpath_world.h"
#include "fastpath/path_counts.h"
#include "tests/support/counted.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using bench::require;
using Lpids = std::vector<std::int32_t>;

constexpr std::int32_t kProcesses = 40000;
constexpr std::int32_t kRank = 777;

struct Form {
  const char *name;
  avrm_mode_t mode;
  std::function<Lpids()> lpids;
  std::uint64_t isend; // instructions before the network, gcc
  std::uint64_t put;
};
std::ostream &operator<<(std::ostream &out, const Form &form) { return out << form.name; }

// A box of nx * ny * nz processes in a grid of 32 * 32 * 32, its axes in another order.
Lpids box(std::int32_t nx, std::int32_t ny, std::int32_t nz) {
  Lpids lpids;
  for (std::int32_t x = 0; x < nx; ++x) {
    for (std::int32_t y = 0; y < ny; ++y) {
      for (std::int32_t z = 0; z < nz; ++z) {
        lpids.push_back((z * 32 + y) * 32 + x);
      }
    }
  }
  return lpids;
}

Lpids shuffled(std::int32_t size) {
  Lpids lpids(static_cast<std::size_t>(size));
  std::iota(lpids.begin(), lpids.end(), 0);
  auto engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  return lpids;
}

Lpids blocked() {
  Lpids lpids;
  for (std::int32_t i = 0; i < 1000; ++i) {
    lpids.push_back(i / 10 * 32 + i % 10);
  }
  return lpids;
}

// Runs of 1,024 with gaps that are no multiples of anything.
Lpids runs(std::int32_t count) {
  Lpids lpids;
  for (std::int32_t run = 0; run < count; ++run) {
    for (std::int32_t i = 0; i < 1024; ++i) {
      lpids.push_back(run * 1100 + run * run + i);
    }
  }
  return lpids;
}

class FastpathForms : public testing::TestWithParam<Form> {
protected:
  FastpathForms() : boot_(kProcesses), lpids_(GetParam().lpids()) {
    avrm_device_options_t options{};
    options.boot = &boot_;
    options.netmod = "null";
    options.shmmod = "none";
    require(avrm_device_open(&options, &device_));
    require(avrm_fp_open(device_, 1, &fp_));
    avrm_rankmap_t map{};
    require(avrm_rankmap_create_lpids(avrm_device_instance(device_), 0, static_cast<std::int32_t>(lpids_.size()),
                                      lpids_.data(), 0, &map));
    require(avrm_comm_create_local(device_, &map, 0, 1, &plain_));
    require(avrm_fp_comm_create(fp_, plain_, &comm));
    require(avrm_fp_window_create(comm, memory_, sizeof memory_, 8, 0, &window));
  }
  ~FastpathForms() override {
    (void)avrm_fp_window_free(window);
    (void)avrm_fp_comm_free(comm);
    (void)avrm_fp_close(fp_);
    (void)avrm_comm_free(plain_);
    (void)avrm_device_close(device_);
  }
  FastpathForms(const FastpathForms &) = delete;
  FastpathForms &operator=(const FastpathForms &) = delete;

  std::uint64_t address_of(std::int32_t rank) const {
    return avrm_ofi_address(avrm_ave_word(comm->world + lpids_[static_cast<std::size_t>(rank)]));
  }
  const avrm_null_descriptor_t &last() const {
    const avrm_null_net_t &net = *avrm_null_of(comm->net);
    return *avrm_null_at(&net, net.produced - 1);
  }
  std::int32_t size() const { return static_cast<std::int32_t>(lpids_.size()); }
  void connect(std::int32_t rank) {
    std::uint64_t address = 0;
    require(avrm_fp_window_address(window, rank, &address));
  }

  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  avrm_request_t *request = nullptr;
  const std::uint64_t value = 42;

private:
  bench::SyntheticBoot boot_;
  Lpids lpids_;
  avrm_device_t *device_ = nullptr;
  avrm_fp_t *fp_ = nullptr;
  avrm_comm_t *plain_ = nullptr;
  unsigned char memory_[64] = {};
};

TEST_P(FastpathForms, AreWhatTheirNameSays) { EXPECT_EQ(comm->map->mode, GetParam().mode); }

TEST_P(FastpathForms, SendToTheRightProcess) {
  for (std::int32_t rank = 1; rank < size(); rank += 97) {
    connect(rank);
    for (const auto isend : {avrm_fp_isend_default, avrm_fp_isend_no_err, avrm_fp_isend_no_err_single}) {
      require(isend(&value, 1, AVRM_UINT64, rank, 5, comm, &request));
      require(avrm_wait(&request, nullptr));
      ASSERT_EQ(last().address, address_of(rank)) << "rank " << rank;
      ASSERT_EQ(last().u.isend.match, avrm_match_pack(1, 0, 5));
    }
  }
}

TEST_P(FastpathForms, PutToTheRightProcess) {
  std::uint64_t base = 0;
  for (std::int32_t rank = 1; rank < size(); rank += 97) {
    require(avrm_fp_window_address(window, rank, &base));
    for (const auto put : {avrm_fp_put_default, avrm_fp_put_no_err, avrm_fp_put_no_err_single}) {
      require(put(&value, 1, AVRM_UINT64, rank, 3, window));
      ASSERT_EQ(last().address, address_of(rank)) << "rank " << rank;
      ASSERT_EQ(last().u.put.remote, base + 24);
    }
  }
}

TEST_P(FastpathForms, PutBeyondThePartIsRefused) {
  connect(kRank);
  EXPECT_EQ(avrm_fp_put_default(&value, 1, AVRM_UINT64, kRank, 8, window), AVRM_ERR_OUTSIDE);
}

// The archive is compiled as this file is.
#if defined(__OPTIMIZE__) && !defined(__clang__) && __GNUC__ == 12
template <typename Function, typename Call>
void expect_instructions(Function *entry, const void *network, std::uint64_t pinned, Call call) {
  const bench::PathCount counted = bench::count_path(entry, {network}, call);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->before, pinned) << counted->listing();
}

TEST_P(FastpathForms, TakeTheirInstructionsToSend) {
  connect(kRank);
  expect_instructions(avrm_fp_isend_no_err_single, reinterpret_cast<const void *>(comm->net->ops->tinject),
                      GetParam().isend,
                      [&] { avrm_fp_isend_no_err_single(&value, 1, AVRM_UINT64, kRank, 5, comm, &request); });
}

TEST_P(FastpathForms, TakeTheirInstructionsToPut) {
  connect(kRank);
  expect_instructions(avrm_fp_put_no_err_single, reinterpret_cast<const void *>(comm->net->ops->put_inject),
                      GetParam().put, [&] { avrm_fp_put_no_err_single(&value, 1, AVRM_UINT64, kRank, 3, window); });
}
#endif

INSTANTIATE_TEST_SUITE_P(Of, FastpathForms,
                         testing::Values(Form{"Lut", AVRM_MODE_LUT, [] { return shuffled(1000); }, 52, 55},
                                         Form{"Blocked", AVRM_MODE_BLOCKED, blocked, 56, 59},
                                         Form{"Cart", AVRM_MODE_CART, [] { return box(20, 20, 20); }, 119, 147},
                                         Form{"PackedLut", AVRM_MODE_PACKED_LUT, [] { return shuffled(30000); }, 111,
                                              139},
                                         Form{"Segments", AVRM_MODE_SEGMENTS, [] { return runs(7); }, 141, 169}),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace avrankmap::test
