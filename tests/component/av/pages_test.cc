// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Placement of an address vector's table, and its resident pages.
#include <gtest/gtest.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "avrankmap/av.h"
#include "tests/support/codec.h"
#include "tests/support/instance.h"
#include "tests/support/pages.h"

namespace {

// While this is set, huge pages are reserved but cannot be provided, as on a NUMA node with none
// left: a store to them raises SIGBUS.
bool huge_pages_missing = false;

long map_pages(void *start, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
#if defined(SYS_mmap2)
  return syscall(SYS_mmap2, start, size, protection, flags, file, offset / 4096);
#else
  return syscall(SYS_mmap, start, size, protection, flags, file, offset);
#endif
}

} // namespace

extern "C" void *mmap(void *start, std::size_t size, int protection, int flags, int file, off_t offset) noexcept {
  if (!huge_pages_missing || (flags & MAP_HUGETLB) == 0) {
    return reinterpret_cast<void *>(map_pages(start, size, protection, flags, file, offset));
  }
  const auto empty = static_cast<int>(syscall(SYS_memfd_create, "no pages", 0));
  const long block = map_pages(start, size, protection, MAP_PRIVATE, empty, 0);
  close(empty);
  return reinterpret_cast<void *>(block);
}

namespace avrankmap::test {

namespace {

constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

const char *table_start(const avrm_av_t *av) { return reinterpret_cast<const char *>(av->elements); }

std::uint64_t resident_bytes_of(const avrm_av_t *av) {
  return resident_bytes(table_start(av), 12 * static_cast<std::uint64_t>(av->size));
}

// The header shares the first page with the table, and that page may be a huge one.
constexpr std::uint64_t kHeaderPage = kHugePage;

avrm_av_options_t with_pages(avrm_av_pages_t pages) {
  avrm_av_options_t options{};
  options.pages = pages;
  return options;
}

avrm_av_options_t with_numa_node(std::uint32_t node) {
  avrm_av_options_t options{};
  options.bind_numa = true;
  options.numa_node = node;
  return options;
}

// Enum fields with values of no enumerator, which a C caller can make.
avrm_av_options_t with_codec_number(int number) {
  avrm_av_options_t options{};
  std::memcpy(&options.codec, &number, sizeof number);
  return options;
}
avrm_av_options_t with_pages_number(int number) {
  avrm_av_options_t options{};
  std::memcpy(&options.pages, &number, sizeof number);
  return options;
}

// A creation that must fail: returns its status, after checks that it leaks nothing.
avrm_status_t failed_create(avrm_instance_t *instance, std::int32_t size, const avrm_av_options_t &options) {
  const auto live_bytes = [instance] {
    avrm_mem_usage_t usage{};
    require(avrm_instance_mem_usage(instance, AVRM_MEM_TOTAL, &usage));
    return usage.live_bytes;
  };
  const std::uint64_t before = live_bytes();
  avrm_av_t *av = untouched<avrm_av_t>();
  const avrm_status_t status = avrm_av_create(instance, size, &options, &av);
  EXPECT_EQ(av, untouched<avrm_av_t>());
  EXPECT_EQ(live_bytes(), before);
  return status;
}

AvPtr make_with(avrm_instance_t *instance, std::int32_t size, const avrm_av_options_t &options) {
  avrm_av_t *av = nullptr;
  require(avrm_av_create(instance, size, &options, &av));
  return AvPtr(av);
}

// ---- untouched pages ----

TEST(FreshTable, IsNotResident) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10000000);
  EXPECT_LE(resident_bytes_of(av.get()), kHeaderPage);
}

TEST(FreshTable, OnePeerCostsOnePage) {
  const Instance instance;
  const AvPtr av = make_av(instance, 10000000);
  const avrm_ave_t ave = ave_of({0, 9000000});
  require(avrm_av_set(av.get(), 9000000, &ave));
  EXPECT_LE(resident_bytes_of(av.get()), kHeaderPage + kHugePage);
}

// The largest address vector: 24 GiB of addresses, none of them resident.
class GreatestTable : public testing::Test {
protected:
  void SetUp() override {
    avrm_av_t *av = nullptr;
    const avrm_status_t status = avrm_av_create(instance_, kMax, nullptr, &av);
    av_ = AvPtr(av);
    if (status == AVRM_ERR_NO_MEMORY) {
      GTEST_SKIP() << "the system grants no 24 GiB of address space";
    }
    ASSERT_EQ(status, AVRM_OK);
  }
  avrm_av_t *av() { return av_.get(); }

private:
  Instance instance_;
  AvPtr av_;
};

TEST_F(GreatestTable, HasItsSize) { EXPECT_EQ(av()->size, kMax); }

TEST_F(GreatestTable, BytesAreFormedWithoutOverflow) {
  EXPECT_EQ(avrm_av_bytes(av()), 64 + 12 * static_cast<std::uint64_t>(kMax));
}

TEST_F(GreatestTable, IsNotResident) { EXPECT_LE(resident_bytes_of(av()), kHeaderPage); }

TEST_F(GreatestTable, LastElementIsAtTheEnd) {
  const char *const last = reinterpret_cast<const char *>(avrm_av_ave(av(), kMax - 1));
  EXPECT_EQ(static_cast<std::uint64_t>(last - table_start(av())), 12 * static_cast<std::uint64_t>(kMax - 1));
}

TEST_F(GreatestTable, IsUnconnectedEverywhere) {
  for (std::int64_t lpid = 0; lpid < kMax; lpid += 10000019) {
    ASSERT_EQ(*avrm_av_ave(av(), static_cast<std::int32_t>(lpid)), avrm_ave_t{}) << lpid;
  }
  EXPECT_EQ(*avrm_av_ave(av(), kMax - 1), avrm_ave_t{});
}

TEST_F(GreatestTable, EveryPowerOfTwoIsAnElementOfItsOwn) {
  std::vector<std::int32_t> lpids = {0, kMax - 1};
  for (int bit = 0; bit < 31; ++bit) {
    lpids.push_back(std::int32_t{1} << bit);
  }
  for (const std::int32_t lpid : lpids) {
    const avrm_ave_t ave = ave_of({0, lpid});
    ASSERT_EQ(avrm_av_set(av(), lpid, &ave), AVRM_OK);
  }
  for (const std::int32_t lpid : lpids) {
    avrm_ave_t ave{};
    ASSERT_EQ(avrm_av_get(av(), lpid, &ave), AVRM_OK);
    ASSERT_EQ(ave, ave_of({0, lpid}));
  }
}

TEST_F(GreatestTable, LpidOfItsSizeIsRefused) {
  const avrm_ave_t ave{};
  EXPECT_EQ(avrm_av_set(av(), kMax, &ave), AVRM_ERR_LPID);
}

TEST_F(GreatestTable, RangeThatOverflowsIsRefused) {
  const avrm_ave_t ave{};
  EXPECT_EQ(avrm_av_set_range(av(), kMax, kMax, &ave), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_av_set_range(av(), 1, kMax, &ave), AVRM_ERR_LPID);
  EXPECT_EQ(avrm_av_set_range(av(), kMax - 1, 2, &ave), AVRM_ERR_LPID);
}

// ---- options ----

TEST(AvOptions, UnknownCodecIsRefused) {
  const Instance instance;
  for (const int number : {-1, 2, 3, 1000}) {
    EXPECT_EQ(failed_create(instance, 10, with_codec_number(number)), AVRM_ERR_OPTION) << number;
  }
}

TEST(AvOptions, UnknownPagesAreRefused) {
  const Instance instance;
  for (const int number : {-1, 3, 4, 1000}) {
    EXPECT_EQ(failed_create(instance, 10, with_pages_number(number)), AVRM_ERR_OPTION) << number;
  }
}

TEST(AvOptions, BothCodecsAreKnown) {
  const Instance instance;
  EXPECT_NE(make_av(instance, 10, AVRM_CODEC_OFI), nullptr);
  EXPECT_NE(make_av(instance, 10, AVRM_CODEC_UCX), nullptr);
}

TEST(AvOptions, PagesDoNotGoWithHooks) {
  CountingAllocator memory;
  const Instance instance(&memory);
  EXPECT_EQ(failed_create(instance, 10, with_pages(AVRM_AV_PAGES_TRANSPARENT)), AVRM_ERR_OPTION);
  EXPECT_EQ(failed_create(instance, 10, with_pages(AVRM_AV_PAGES_HUGE)), AVRM_ERR_OPTION);
}

TEST(AvOptions, NumaBindingDoesNotGoWithHooks) {
  CountingAllocator memory;
  const Instance instance(&memory);
  EXPECT_EQ(failed_create(instance, 10, with_numa_node(0)), AVRM_ERR_OPTION);
}

TEST(AvOptions, CodecGoesWithHooks) {
  CountingAllocator memory;
  const Instance instance(&memory);
  EXPECT_NE(make_av(instance, 10, AVRM_CODEC_UCX), nullptr);
}

TEST(AvOptions, NumaNodeIsIgnoredWithoutBinding) {
  const Instance instance;
  avrm_av_options_t options = with_numa_node(4711);
  options.bind_numa = false;
  EXPECT_EQ(avrm_av_bytes(make_with(instance, 10, options).get()), 64U + 12 * 10);
}

class TransparentPages : public testing::TestWithParam<std::int32_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, TransparentPages, testing::Values(1, 1000, 174756, 174757, 174758, 1000000),
                         // 2 MiB is the header and 174757.3 elements.
                         testing::PrintToStringParamName());

TEST_P(TransparentPages, RoundUpToWholePages) {
  const Instance instance;
  const AvPtr av = make_with(instance, GetParam(), with_pages(AVRM_AV_PAGES_TRANSPARENT));
  const std::uint64_t asked = 64 + 12 * static_cast<std::uint64_t>(GetParam());
  EXPECT_EQ(avrm_av_bytes(av.get()), (asked + kHugePage - 1) / kHugePage * kHugePage);
}

TEST_P(TransparentPages, AreAccounted) {
  const Instance instance;
  AvPtr av = make_with(instance, GetParam(), with_pages(AVRM_AV_PAGES_TRANSPARENT));
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, avrm_av_bytes(av.get()));
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_blocks, 1U);
  av.reset();
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, 0U);
}

TEST_P(TransparentPages, BeginAtAHugePage) {
  const Instance instance;
  const AvPtr av = make_with(instance, GetParam(), with_pages(AVRM_AV_PAGES_TRANSPARENT));
  EXPECT_EQ((reinterpret_cast<std::uintptr_t>(av->elements) - 64) % kHugePage, 0U);
}

TEST_P(TransparentPages, HoldEveryElement) {
  const Instance instance;
  const AvPtr av = make_with(instance, GetParam(), with_pages(AVRM_AV_PAGES_TRANSPARENT));
  fill(av.get());
  for (std::int32_t lpid = 0; lpid < GetParam(); ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), ave_of({0, lpid}));
  }
}

// Whether the kernel remembers the advice and reports it. User-mode emulators do not.
bool keeps_advice() {
  void *const pages = mmap(nullptr, kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool keeps = pages != MAP_FAILED && madvise(pages, kHugePage, MADV_HUGEPAGE) == 0 &&
                     mapping_field(pages, "VmFlags").find(" hg") != std::string::npos;
  munmap(pages, kHugePage);
  return keeps;
}

TEST(TransparentTable, IsAskedFor) {
  const Instance instance;
  const AvPtr av = make_with(instance, 1000000, with_pages(AVRM_AV_PAGES_TRANSPARENT));
  const std::string flags = mapping_field(table_start(av.get()), "VmFlags");
  if (!keeps_advice()) {
    GTEST_SKIP() << "the system has no transparent huge pages, or does not report them";
  }
  EXPECT_NE(flags.find(" hg"), std::string::npos) << flags;
}

TEST(TransparentTable, LeavesNoPagesBehind) {
  const Instance instance;
  const std::uint64_t before = mapped_bytes();
  for (int i = 0; i < 20; ++i) {
    make_with(instance, 100000000, with_pages(AVRM_AV_PAGES_TRANSPARENT)).reset();
  }
  EXPECT_LT(mapped_bytes(), before + 12 * std::uint64_t{100000000});
}

TEST(HugePages, AreRefusedWhenThePoolIsTooSmall) {
  const std::uint64_t needed = meminfo("HugePages_Free") + 1;
  if (needed > 512) {
    GTEST_SKIP() << "the pool is larger than this test should ask for";
  }
  const Instance instance;
  const auto size = static_cast<std::int32_t>(needed * (kHugePage / 12));
  EXPECT_EQ(failed_create(instance, size, with_pages(AVRM_AV_PAGES_HUGE)), AVRM_ERR_UNSUPPORTED);
}

// Whether the system lets this process bind memory at all; a container may not.
bool can_bind() {
  unsigned long mask = 1;
  const Instance instance;
  const AvPtr pages = make_av(instance, 100000);
  return syscall(SYS_mbind, reinterpret_cast<std::uintptr_t>(table_start(pages.get())) / page_size() * page_size(),
                 page_size(), MPOL_BIND, &mask, 64, 0) == 0;
}

class MissingHugePages : public testing::TestWithParam<bool> {
protected:
  MissingHugePages() { huge_pages_missing = true; }
  ~MissingHugePages() override { huge_pages_missing = false; }
};
INSTANTIATE_TEST_SUITE_P(BoundToANode, MissingHugePages, testing::Bool(), testing::PrintToStringParamName());

TEST_P(MissingHugePages, AreNoSignal) {
  if (GetParam() && !can_bind()) {
    GTEST_SKIP() << "the system does not let this process bind memory to NUMA node 0";
  }
  const Instance instance;
  avrm_av_options_t options = with_pages(AVRM_AV_PAGES_HUGE);
  options.bind_numa = GetParam();
  const std::uint64_t before = mapped_bytes();
  EXPECT_EQ(failed_create(instance, 100000000, options), AVRM_ERR_UNSUPPORTED);
  EXPECT_LT(mapped_bytes(), before + 12 * std::uint64_t{100000000});
}

TEST_P(MissingHugePages, LeaveAnImplicitAvUnchanged) {
  if (GetParam() && !can_bind()) {
    GTEST_SKIP() << "the system does not let this process bind memory to NUMA node 0";
  }
  const Instance instance;
  avrm_av_options_t options = with_pages(AVRM_AV_PAGES_HUGE);
  options.bind_numa = GetParam();
  options.kind = AVRM_AV_IMPLICIT;
  const AvPtr av = make_with(instance, 1000, options);
  fill(av.get());
  EXPECT_EQ(avrm_av_make_table(av.get()), AVRM_ERR_UNSUPPORTED);
  EXPECT_EQ(av->elements, nullptr);
  avrm_ave_t ave{};
  require(avrm_av_get(av.get(), 999, &ave));
  EXPECT_EQ(ave, ave_of({0, 999}));
}

TEST(HugePages, HoldTheTable) {
  if (meminfo("HugePages_Free") < 2 || meminfo("Hugepagesize") != kHugePage / 1024) {
    GTEST_SKIP() << "the system has no two huge pages of 2 MiB in its pool";
  }
  const Instance instance;
  const AvPtr av = make_with(instance, 200000, with_pages(AVRM_AV_PAGES_HUGE));
  EXPECT_EQ(avrm_av_bytes(av.get()), 2 * kHugePage);
  EXPECT_EQ(instance.usage(AVRM_MEM_AV).live_bytes, 2 * kHugePage);
  fill(av.get());
  EXPECT_EQ(*avrm_av_ave(av.get(), 199999), ave_of({0, 199999}));
}

class NumaBinding : public testing::Test {
protected:
  void SetUp() override {
    if (!can_bind()) {
      GTEST_SKIP() << "the system does not let this process bind memory to NUMA node 0";
    }
  }
};

TEST_F(NumaBinding, NodeZeroGetsThePages) {
  const Instance instance;
  const AvPtr av = make_with(instance, 100000, with_numa_node(0));
  int mode = -1;
  unsigned long mask[16] = {};
  ASSERT_EQ(syscall(SYS_get_mempolicy, &mode, mask, 8 * sizeof mask, table_start(av.get()), MPOL_F_ADDR), 0);
  EXPECT_EQ(mode, MPOL_BIND);
  EXPECT_EQ(mask[0], 1U);
}

TEST_F(NumaBinding, RoundsUpToWholePages) {
  const Instance instance;
  for (const std::int32_t size : {1, 336, 337, 100000}) { // 4 KiB is the header and 336 elements
    const AvPtr av = make_with(instance, size, with_numa_node(0));
    const std::uint64_t asked = 64 + 12 * static_cast<std::uint64_t>(size);
    EXPECT_EQ(avrm_av_bytes(av.get()), (asked + page_size() - 1) / page_size() * page_size());
    EXPECT_EQ(avrm_av_bytes(av.get()), instance.usage(AVRM_MEM_AV).live_bytes);
  }
}

TEST_F(NumaBinding, GoesWithTransparentPages) {
  const Instance instance;
  avrm_av_options_t options = with_numa_node(0);
  options.pages = AVRM_AV_PAGES_TRANSPARENT;
  const AvPtr av = make_with(instance, 100000, options);
  EXPECT_EQ(avrm_av_bytes(av.get()), kHugePage);
}

TEST_F(NumaBinding, HoldsEveryElement) {
  const Instance instance;
  const AvPtr av = make_with(instance, 10000, with_numa_node(0));
  fill(av.get());
  for (std::int32_t lpid = 0; lpid < 10000; ++lpid) {
    ASSERT_EQ(*avrm_av_ave(av.get(), lpid), ave_of({0, lpid}));
  }
}

TEST(NumaNode, ThatDoesNotExistIsUnsupported) {
  const Instance instance;
  for (const std::uint32_t node : {1023U, 1024U, 1U << 16, std::numeric_limits<std::uint32_t>::max()}) {
    EXPECT_EQ(failed_create(instance, 1000, with_numa_node(node)), AVRM_ERR_UNSUPPORTED) << node;
  }
}

TEST(NumaNode, ThatDoesNotExistIsUnsupportedOnTransparentPagesToo) {
  const Instance instance;
  avrm_av_options_t options = with_numa_node(1023);
  options.pages = AVRM_AV_PAGES_TRANSPARENT;
  EXPECT_EQ(failed_create(instance, 1000, options), AVRM_ERR_UNSUPPORTED);
}

TEST(NumaNode, ThatDoesNotExistLeavesNoPagesBehind) {
  constexpr std::int32_t kSize = 100000000; // more than 1 GiB
  const Instance instance;
  const std::uint64_t before = mapped_bytes();
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(failed_create(instance, kSize, with_numa_node(1023)), AVRM_ERR_UNSUPPORTED);
  }
  EXPECT_LT(mapped_bytes(), before + 12 * static_cast<std::uint64_t>(kSize));
}

} // namespace

} // namespace avrankmap::test
