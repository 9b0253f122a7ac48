// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The fast path of communicators of every form, over address vectors of both kinds and with the own
// node's processes in several places: messages and puts reach the right process.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "bench/synthetic/form_lpids.h"
#include "bench/synthetic/synthetic_job.h"
#include "device/fastpath/loops.h"
#include "null/null_fast.h"
#include "tests/support/seed.h"

namespace avrankmap::test {
namespace {

using bench::Lpids;
using bench::require;

constexpr std::int32_t kProcesses = 40000;

// Lpids from kProcesses on are of a second process group.
struct Form {
  const char *name;
  avrm_mode_t mode;
  std::function<Lpids()> lpids;
};
std::ostream &operator<<(std::ostream &out, const Form &form) { return out << form.name; }

Lpids shuffled(std::int32_t size, std::int32_t first = 0) {
  Lpids lpids(static_cast<std::size_t>(size));
  std::iota(lpids.begin(), lpids.end(), first);
  auto engine = seeded_engine();
  std::shuffle(lpids.begin(), lpids.end(), engine);
  return lpids;
}

// Where the processes of the own node are. Of an address vector that is no table.
struct Exceptions {
  const char *name;
  bool implicit;
  std::function<bool(std::int32_t)> has;
};
std::ostream &operator<<(std::ostream &out, const Exceptions &exceptions) { return out << exceptions.name; }

bool nowhere(std::int32_t /*lpid*/) { return false; }

class FastpathForms : public testing::TestWithParam<std::tuple<Form, Exceptions>> {
protected:
  FastpathForms() : job_(kProcesses, exceptions().implicit, {kProcesses, exceptions().has}), lpids_(form().lpids()) {
    avrm_av_options_t options{};
    options.kind = exceptions().implicit ? AVRM_AV_IMPLICIT : AVRM_AV_TABLE;
    require(avrm_av_create(job_.instance(), kProcesses, &options, &second_));
    bench::SyntheticJob::set_addresses(second_, kProcesses, {kProcesses, nowhere});
    std::vector<avrm_gpid_t> gpids;
    for (const std::int32_t number : lpids_) {
      gpids.push_back({number < kProcesses ? 0 : second_->pgid, number % kProcesses});
    }
    avrm_rankmap_t map{};
    require(avrm_rankmap_create_gpids(job_.instance(), size(), gpids.data(), 0, &map));
    require(avrm_comm_create_local(job_.device(), &map, 0, 1, &plain));
    require(avrm_fp_comm_create(job_.fp(), plain, &comm));
    require(avrm_fp_window_create(comm, memory_, sizeof memory_, 8, 0, &window));
  }
  ~FastpathForms() override {
    (void)avrm_fp_window_free(window);
    (void)avrm_fp_comm_free(comm);
    (void)avrm_comm_free(plain);
    avrm_av_release(second_);
  }
  FastpathForms(const FastpathForms &) = delete;
  FastpathForms &operator=(const FastpathForms &) = delete;

  static const Form &form() { return std::get<0>(GetParam()); }
  static const Exceptions &exceptions() { return std::get<1>(GetParam()); }
  std::int32_t lpid_of(std::int32_t rank) const { return lpids_[static_cast<std::size_t>(rank)]; }
  std::int32_t size() const { return static_cast<std::int32_t>(lpids_.size()); }
  std::uint64_t address_of(std::int32_t rank) const { return static_cast<std::uint64_t>(lpid_of(rank)); }
  bool is_of_own_world(std::int32_t rank) const { return lpid_of(rank) < kProcesses; }
  // Over the network.
  bool is_reached(std::int32_t rank) const { return !is_of_own_world(rank) || !exceptions().has(lpid_of(rank)); }
  const avrm_null_descriptor_t &last() const {
    const avrm_null_net_t &net = *avrm_null_of(comm->net);
    return *avrm_null_at(&net, net.produced - 1);
  }
  avrm_av_kind_t kind() const {
    avrm_av_info_t info{};
    require(avrm_av_describe(job_.av(), &info));
    return info.kind;
  }
  void TearDown() override { EXPECT_EQ(kind(), exceptions().implicit ? AVRM_AV_IMPLICIT : AVRM_AV_TABLE); }

  avrm_comm_t *plain = nullptr;
  avrm_fp_comm_t *comm = nullptr;
  avrm_fp_window_t *window = nullptr;
  avrm_request_t *request = nullptr;
  const std::uint64_t value = 42;

private:
  bench::SyntheticJob job_;
  Lpids lpids_;
  avrm_av_t *second_ = nullptr;
  unsigned char memory_[64] = {};
};

TEST_P(FastpathForms, AreWhatTheirNameSays) {
  EXPECT_EQ(comm->map->mode, form().mode);
  avrm_rankmap_info_t info{};
  require(avrm_rankmap_describe(comm->map, &info));
  EXPECT_EQ(info.folded, exceptions().implicit);
}

// Affine maps over implicit address vectors with regular exceptions.
class FastpathExceptions : public FastpathForms {};

TEST_P(FastpathExceptions, CallTheAvThereOnly) {
  ASSERT_EQ(comm->map->klass, AVRM_CLASS_IMPLICIT);
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    const std::uint64_t word = comm->map->at.word + static_cast<std::uint64_t>(rank * comm->map->as.affine.step);
    ASSERT_EQ(!avrm_i_is_exception(comm->map->as.affine.line, word), is_reached(rank)) << "rank " << rank;
    ASSERT_TRUE(!is_reached(rank) || avrm_ofi_address(word) == address_of(rank)) << "rank " << rank;
  }
}

// What the device's own functions issue is the twin.
TEST_P(FastpathForms, IssueTheSameAsTheDevice) {
  std::mt19937_64 engine = seeded_engine();
  const decltype(&avrm_fp_isend_default) isends[] = {avrm_fp_isend_default, avrm_fp_isend_no_err,
                                                     avrm_fp_isend_no_err_single};
  const decltype(&avrm_fp_put_default) puts[] = {avrm_fp_put_default, avrm_fp_put_no_err, avrm_fp_put_no_err_single};
  for (int round = 0; round < 2000; ++round) {
    const auto rank = static_cast<std::int32_t>(below(engine, static_cast<std::uint64_t>(size())));
    const auto build = below(engine, 3);
    const auto tag = static_cast<std::int32_t>(below(engine, 1000));
    if (!is_reached(rank)) {
      continue;
    }
    require(avrm_isend(plain, &value, sizeof value, rank, tag, &request));
    require(avrm_wait(&request, nullptr));
    const avrm_null_descriptor_t twin = last();
    ASSERT_EQ(twin.address, address_of(rank)) << "rank " << rank;
    require(isends[build](&value, 1, AVRM_UINT64, rank, tag, comm, &request));
    require(avrm_wait(&request, nullptr));
    ASSERT_EQ(last().address, twin.address) << "rank " << rank;
    ASSERT_EQ(last().u.isend.match, twin.u.isend.match);
    require(puts[build](&value, 1, AVRM_UINT64, rank, 3, window));
    ASSERT_EQ(last().opcode, AVRM_NULL_PUT);
    ASSERT_EQ(last().address, twin.address) << "rank " << rank;
    if (!is_of_own_world(rank)) {
      continue;
    }
    require(avrm_fp_isend_global(&value, 1, AVRM_UINT64, lpid_of(rank), tag, comm, &request));
    ASSERT_EQ(last().address, twin.address) << "rank " << rank;
    require(avrm_fp_put_global(&value, 1, AVRM_UINT64, lpid_of(rank), 3, window));
    ASSERT_EQ(last().address, twin.address) << "rank " << rank;
  }
}

TEST_P(FastpathForms, ReachTheSameWhereTheNetworkIsInlined) {
  avrm_bench_loop_t loop{};
  std::int32_t rank = 0;
  loop.buffer = &value;
  loop.comm = comm;
  loop.ranks = &rank;
  for (; rank < size(); ++rank) {
    if (is_reached(rank)) {
      for (avrm_bench_loop_fn *const isend : {avrm_bench_isend_inline, avrm_bench_isend_noreq}) {
        isend(&loop, 1);
        ASSERT_EQ(last().address, address_of(rank)) << "rank " << rank;
      }
    }
  }
}

TEST_P(FastpathForms, PutBeyondThePartIsRefused) {
  std::int32_t rank = 0;
  while (!is_reached(rank)) {
    ++rank;
  }
  EXPECT_EQ(avrm_fp_put_default(&value, 1, AVRM_UINT64, rank, 8, window), AVRM_ERR_OUTSIDE);
}

Lpids counted(std::int32_t size, std::int32_t offset, std::int32_t stride) {
  Lpids lpids;
  for (std::int32_t rank = 0; rank < size; ++rank) {
    lpids.push_back(offset + rank * stride);
  }
  return lpids;
}

// A box of 5 * 6 * 7 * 8 processes in a grid of 14 * 14 * 14 * 14, its axes in another order.
Lpids box_of_four() {
  Lpids lpids;
  for (std::int32_t rank = 0; rank < 5 * 6 * 7 * 8; ++rank) {
    lpids.push_back(((rank % 8 * 14 + rank / 8 % 7) * 14 + rank / 56 % 6) * 14 + rank / 336);
  }
  return lpids;
}

const Form kAffineForms[] = {{"World", AVRM_MODE_DIRECT, [] { return counted(kProcesses, 0, 1); }},
                             {"Reversed", AVRM_MODE_STRIDE, [] { return counted(kProcesses, kProcesses - 1, -1); }},
                             {"Half", AVRM_MODE_STRIDE, [] { return counted(kProcesses / 2, 1, 2); }}};
const Form kOtherForms[] = {{"Lut", AVRM_MODE_LUT, [] { return shuffled(1000); }},
                            {"Blocked", AVRM_MODE_BLOCKED, [] { return bench::blocked_lpids(0); }},
                            {"Cart", AVRM_MODE_CART, [] { return bench::box_lpids(20, 20, 20); }},
                            {"CartOfFour", AVRM_MODE_CART, box_of_four},
                            {"Mlut", AVRM_MODE_MLUT, [] { return shuffled(400, kProcesses - 200); }},
                            {"Segments", AVRM_MODE_SEGMENTS, [] { return bench::run_lpids(7); }}};

const Exceptions kTable{"Table", false, nowhere};
const Exceptions kRegularExceptions[] = {{"NoException", true, nowhere},
                                         {"AtTheBegin", true, [](std::int32_t lpid) { return lpid < 128; }},
                                         {"InTheMiddle", true, [](std::int32_t lpid) { return lpid / 128 == 5; }},
                                         {"AtTheEnd", true, [](std::int32_t lpid) { return lpid >= kProcesses - 100; }},
                                         {"Cyclic", true, [](std::int32_t lpid) { return lpid % 400 == 399; }},
                                         {"BlockCyclic", true, [](std::int32_t lpid) { return lpid / 4 % 200 == 7; }}};
const Exceptions kSeveralExceptions{
    "Several", true, [](std::int32_t lpid) { return lpid / 16 == 3 || lpid / 16 == 90 || lpid == 20000; }};

std::string name_of(const testing::TestParamInfo<std::tuple<Form, Exceptions>> &info) {
  return std::string(std::get<0>(info.param).name) + std::get<1>(info.param).name;
}
auto with_all_holes(const auto &forms) {
  std::vector<Exceptions> all{kTable, kSeveralExceptions};
  all.insert(all.end(), std::begin(kRegularExceptions), std::end(kRegularExceptions));
  return testing::Combine(testing::ValuesIn(forms), testing::ValuesIn(all));
}

INSTANTIATE_TEST_SUITE_P(Affine, FastpathForms, with_all_holes(kAffineForms), name_of);
INSTANTIATE_TEST_SUITE_P(Other, FastpathForms, with_all_holes(kOtherForms), name_of);
INSTANTIATE_TEST_SUITE_P(Affine, FastpathExceptions,
                         testing::Combine(testing::ValuesIn(kAffineForms), testing::ValuesIn(kRegularExceptions)),
                         name_of);

} // namespace
} // namespace avrankmap::test
