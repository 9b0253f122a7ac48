// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The counters' parts that need no known machine code: decoding, parsing, processes, PAPI, and what
// is said when a tool is not there. counters_exact_test.cc counts known code.

#include "counters/cachegrind.h"
#include "counters/callgrind.h"
#include "counters/hw_counters.h"
#include "counters/instruction.h"
#include "counters/subprocess.h"
#include "tests/support/counted.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if AVRM_HAVE_PAPI_SDE
#include <sde_lib.h>
#endif

namespace {

using avrankmap::counters::CacheCounts;
using avrankmap::counters::CachegrindReport;
using avrankmap::counters::CacheModel;
using avrankmap::counters::CachePerIteration;
using avrankmap::counters::CallgrindCount;
using avrankmap::counters::classify;
using avrankmap::counters::count_with_callgrind;
using avrankmap::counters::find_program;
using avrankmap::counters::HwCounters;
using avrankmap::counters::HwReading;
using avrankmap::counters::Instruction;
using avrankmap::counters::InstructionKind;
using avrankmap::counters::measure_per_iteration;
using avrankmap::counters::parse_callgrind;
using avrankmap::counters::per_iteration;
using avrankmap::counters::ProcessEnd;
using avrankmap::counters::Result;
using avrankmap::counters::run_cachegrind;
using avrankmap::counters::run_process;
using avrankmap::counters::ScratchFolder;

bool mentions(const std::string &text, std::string_view what) { return text.find(what) != std::string::npos; }

// An environment variable with another value, for the life of this object.
class ScopedVariable {
public:
  ScopedVariable(const char *name, const std::string &value) : name_(name) {
    if (const char *old = std::getenv(name))
      old_ = old;
    setenv(name, value.c_str(), 1);
  }
  ScopedVariable(const ScopedVariable &) = delete;
  ScopedVariable &operator=(const ScopedVariable &) = delete;
  ScopedVariable(ScopedVariable &&) = delete;
  ScopedVariable &operator=(ScopedVariable &&) = delete;
  ~ScopedVariable() {
    if (old_)
      setenv(name_, old_->c_str(), 1);
    else
      unsetenv(name_);
  }

private:
  const char *name_;
  std::optional<std::string> old_;
};

Instruction decode(std::initializer_list<std::uint8_t> bytes) { return classify(std::vector<std::uint8_t>(bytes)); }

TEST(InstructionDecoding, CallsAreDirectAndIndirect) {
  EXPECT_EQ(decode({0xe8, 1, 2, 3, 4}).kind, InstructionKind::call);
  EXPECT_EQ(decode({0xff, 0xd0}).kind, InstructionKind::call);             // call *%rax
  EXPECT_EQ(decode({0x41, 0xff, 0x14, 0x24}).kind, InstructionKind::call); // call *(%r12)
  EXPECT_EQ(decode({0x3e, 0xff, 0xd0}).kind, InstructionKind::call);       // notrack call *%rax
}

TEST(InstructionDecoding, IncrementsAndPushesAreNoCalls) {
  EXPECT_EQ(decode({0xff, 0xc0}).kind, InstructionKind::other); // inc %eax
  EXPECT_EQ(decode({0xff, 0x30}).kind, InstructionKind::other); // push (%rax)
}

TEST(InstructionDecoding, DivisionsAreSignedAndUnsignedOfAnyWidth) {
  EXPECT_EQ(decode({0xf7, 0xf6}).kind, InstructionKind::divide);       // div %esi
  EXPECT_EQ(decode({0x48, 0xf7, 0xfe}).kind, InstructionKind::divide); // idiv %rsi
  EXPECT_EQ(decode({0x66, 0xf7, 0x3e}).kind, InstructionKind::divide); // idivw (%rsi)
  EXPECT_EQ(decode({0x41, 0xf6, 0xf0}).kind, InstructionKind::divide); // div %r8b
}

TEST(InstructionDecoding, MultiplicationsAreNoDivisions) {
  EXPECT_EQ(decode({0x48, 0xf7, 0xe6}).kind, InstructionKind::other); // mul %rsi
  EXPECT_EQ(decode({0xf7, 0xd8}).kind, InstructionKind::other);       // neg %eax
}

TEST(InstructionDecoding, LockPrefixIsSeenAmongOthers) {
  EXPECT_TRUE(decode({0xf0, 0x0f, 0xc1, 0x07}).locked); // lock xadd %eax,(%rdi)
  // data16 lock cmpxchg %rcx,(%rdi).
  EXPECT_TRUE(decode({0x66, 0xf0, 0x48, 0x0f, 0xb1, 0x0f}).locked);
  EXPECT_FALSE(decode({0x0f, 0xc1, 0x07}).locked);
}

TEST(InstructionDecoding, ExchangeWithMemoryLocksWithoutPrefix) {
  EXPECT_TRUE(decode({0x48, 0x87, 0x07}).locked);  // xchg %rax,(%rdi)
  EXPECT_FALSE(decode({0x48, 0x87, 0xc7}).locked); // xchg %rax,%rdi
}

TEST(InstructionDecoding, LandingPadIsEndbrAlone) {
  EXPECT_EQ(decode({0xf3, 0x0f, 0x1e, 0xfa}).kind, InstructionKind::landing_pad);
  EXPECT_EQ(decode({0x0f, 0x1e, 0xfa}).kind, InstructionKind::other); // a nop
}

TEST(InstructionDecoding, JumpsBranchesReturnsAndSystemCallsHaveTheirKinds) {
  EXPECT_EQ(decode({0xeb, 0x10}).kind, InstructionKind::jump);
  EXPECT_EQ(decode({0x3e, 0xff, 0xe0}).kind, InstructionKind::jump); // notrack jmp *%rax
  EXPECT_EQ(decode({0x75, 0x10}).kind, InstructionKind::branch);
  EXPECT_EQ(decode({0x0f, 0x84, 0, 0, 0, 0}).kind, InstructionKind::branch);
  EXPECT_EQ(decode({0xf3, 0xc3}).kind, InstructionKind::ret);
  EXPECT_EQ(decode({0x0f, 0x05}).kind, InstructionKind::syscall);
  EXPECT_EQ(decode({0xcd, 0x80}).kind, InstructionKind::syscall);
}

TEST(InstructionDecoding, OnlyStringInstructionsRepeat) {
  EXPECT_TRUE(decode({0xf3, 0x48, 0xab}).repeated); // rep stos
  EXPECT_FALSE(decode({0xf3, 0x90}).repeated);      // pause
  EXPECT_FALSE(decode({0xab}).repeated);
}

TEST(InstructionDecoding, NoBytesAreNoInstruction) {
  EXPECT_EQ(decode({}).kind, InstructionKind::other);
  EXPECT_EQ(decode({0xf3, 0x0f}).kind, InstructionKind::other);
}

constexpr std::string_view sample_report = "desc: I1 cache:         32768 B, 64 B, 8-way associative\n"
                                           "desc: D1 cache:         32768 B, 64 B, 8-way associative\n"
                                           "desc: LL cache:         8388608 B, 64 B, 16-way associative\n"
                                           "cmd: ./a.out 10\n"
                                           "events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw \n"
                                           "fl=a.c\n"
                                           "fn=walk\n"
                                           "3 100 1 1 50 20 10 5 2 1\n"
                                           "4 10\n"
                                           "fn=other(int)\n"
                                           "7 7 0 0 1 1 1 0 0 0\n"
                                           "fl=b.c\n"
                                           "fn=walk\n"
                                           "9 1 0 0 2 0 0 3 0 0\n"
                                           "summary: 118 1 1 53 21 11 8 2 1\n";

std::string sample_with(std::string_view from, std::string_view to) {
  std::string text(sample_report);
  return text.replace(text.find(from), from.size(), to);
}

std::string parse_error(const std::string &text) { return CachegrindReport::parse(text).message(); }

TEST(CachegrindFile, TotalAddsReadsAndWrites) {
  const Result<CachegrindReport> report = CachegrindReport::parse(sample_report);
  ASSERT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report->total(), (CacheCounts{118, 61, 23, 12}));
}

TEST(CachegrindFile, FunctionSumsAllOfItsLinesAndFiles) {
  const Result<CachegrindReport> report = CachegrindReport::parse(sample_report);
  ASSERT_TRUE(report.ok()) << report.message();
  const Result<CacheCounts> walk = report->function("walk");
  ASSERT_TRUE(walk.ok()) << walk.message();
  EXPECT_EQ(*walk, (CacheCounts{111, 60, 22, 11}));
}

TEST(CachegrindFile, FunctionNotRunIsAFailure) {
  const Result<CachegrindReport> report = CachegrindReport::parse(sample_report);
  ASSERT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report->function("absent").message(), "failed: cachegrind saw no function named like absent");
}

TEST(CachegrindFile, SourceStatesTheSimulatedGeometry) {
  const Result<CachegrindReport> report = CachegrindReport::parse(sample_report);
  ASSERT_TRUE(report.ok()) << report.message();
  EXPECT_EQ(report->source(), "cachegrind (simulated, D1=32768,8,64, LL=8388608,16,64)");
  EXPECT_EQ(report->model(), CacheModel());
}

TEST(CachegrindFile, MalformedLinesAreRefusedWithTheirNumber) {
  EXPECT_TRUE(mentions(parse_error(sample_with("4 10", "4 1x0")), "line 9: not a line of counts"));
  EXPECT_TRUE(mentions(parse_error(sample_with("4 10", "4 -10")), "line 9: not a line of counts"));
  EXPECT_TRUE(mentions(parse_error(sample_with("4 10", "4 99999999999999999999")), "line 9: not a line of counts"));
  EXPECT_TRUE(mentions(parse_error(sample_with("4 10", "4 1 2 3 4 5 6 7 8 9 10")), "line 9: not a line of counts"));
  EXPECT_TRUE(mentions(parse_error(sample_with("fl=b.c", "hello")), "line 12: not known"));
  EXPECT_TRUE(
      mentions(parse_error(sample_with("8-way associative\ndesc: LL", "full\ndesc: LL")), "line 2: not a cache"));
}

TEST(CachegrindFile, CountsWithoutTheirFunctionOrEventsAreRefused) {
  EXPECT_TRUE(mentions(parse_error(sample_with("fl=a.c\nfn=walk\n", "")), "line 6: counts before"));
  EXPECT_TRUE(mentions(parse_error(sample_with("events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw \n", "")),
                       "line 7: counts before"));
  EXPECT_TRUE(mentions(parse_error(sample_with("DLmw", "Bc")), "line 5: the events"));
}

TEST(CachegrindFile, FileCutShortIsRefused) {
  EXPECT_TRUE(mentions(parse_error(std::string(sample_report.substr(0, sample_report.find("summary")))), "cut short"));
  EXPECT_TRUE(mentions(parse_error(""), "without cache geometry"));
}

TEST(CachegrindFile, FunctionsMustAddUpToTheSummary) {
  EXPECT_TRUE(mentions(parse_error(sample_with("4 10", "4 11")), "do not add up"));
}

TEST(CachegrindDifference, IsPerIterationAndSigned) {
  const CachePerIteration each = per_iteration({100, 50, 9, 5}, {180, 90, 17, 3}, 4);
  EXPECT_EQ(each.instructions, 20.0);
  EXPECT_EQ(each.data_refs, 10.0);
  EXPECT_EQ(each.d1_misses, 2.0);
  EXPECT_EQ(each.ll_misses, -0.5);
}

TEST(CachegrindDifference, NoIterationsIsAFailure) {
  const auto never = [](std::uint64_t) { return std::vector<std::string>{}; };
  EXPECT_EQ(measure_per_iteration(never, 0).message(), "failed: no iterations");
}

TEST(CallgrindFile, TotalsAreTheCollectedInstructions) {
  const Result<CallgrindCount> count = parse_callgrind("version: 1\nevents: Ir\nfn=(1)\n1 8000\n\ntotals: 8000\n");
  ASSERT_TRUE(count.ok()) << count.message();
  EXPECT_EQ(count->instructions, 8000U);
}

TEST(CallgrindFile, DamageIsRefused) {
  EXPECT_FALSE(parse_callgrind("events: Ir\n").ok());
  EXPECT_FALSE(parse_callgrind("events: Dr Ir\ntotals: 5 6\n").ok());
  EXPECT_FALSE(parse_callgrind("events: Ir\ntotals: many\n").ok());
}

TEST(Subprocess, ArgumentsReachTheProgramUnread) {
  const std::optional<std::string> echo = find_program("echo");
  ASSERT_TRUE(echo.has_value());
  const Result<ScratchFolder> scratch = ScratchFolder::create();
  ASSERT_TRUE(scratch.ok()) << scratch.message();
  const Result<ProcessEnd> end = run_process({*echo, "a  b; $HOME", "*"}, *scratch);
  ASSERT_TRUE(end.ok()) << end.message();
  EXPECT_EQ(end->output, "a  b; $HOME *\n");
}

TEST(Subprocess, ProgramThatCannotStartIsAFailure) {
  const Result<ScratchFolder> scratch = ScratchFolder::create();
  ASSERT_TRUE(scratch.ok()) << scratch.message();
  EXPECT_FALSE(run_process({"/nonexistent/program"}, *scratch).ok());
  EXPECT_FALSE(run_process({}, *scratch).ok());
}

TEST(Subprocess, ScratchFolderGoesWithItsContents) {
  std::filesystem::path path;
  {
    const Result<ScratchFolder> scratch = ScratchFolder::create();
    ASSERT_TRUE(scratch.ok()) << scratch.message();
    path = scratch->path();
    std::filesystem::create_directory(path / "inside");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Cachegrind, WithoutValgrindIsUnavailable) {
  const ScopedVariable path("PATH", "/nonexistent");
  EXPECT_EQ(run_cachegrind({"/bin/true"}).message(), "unavailable: valgrind is not installed");
  EXPECT_EQ(count_with_callgrind({"/bin/true"}, "main").message(), "unavailable: valgrind is not installed");
}

TEST(Cachegrind, ProgramThatFailsOrIsNotThereIsAFailure) {
  if (!find_program("valgrind"))
    GTEST_SKIP() << "valgrind is not installed";
  EXPECT_TRUE(mentions(run_cachegrind({"false"}).message(), "failed: false under cachegrind: exit status 1"));
  EXPECT_EQ(run_cachegrind({"/nonexistent/program"}).message(), "failed: no such program: /nonexistent/program");
  EXPECT_EQ(run_cachegrind({}).message(), "failed: empty command");
}

TEST(Cachegrind, NothingStaysBehind) {
  const Result<ScratchFolder> scratch = ScratchFolder::create();
  ASSERT_TRUE(scratch.ok()) << scratch.message();
  const ScopedVariable temporary("TMPDIR", scratch->path().string());
  const Result<CachegrindReport> report = run_cachegrind({"true"});
  AVRM_ASSERT_COUNTED(report);
  EXPECT_TRUE(std::filesystem::is_empty(scratch->path()));
}

TEST(Cachegrind, OptionsFromTheEnvironmentDoNotCount) {
  const ScopedVariable options("VALGRIND_OPTS", "--D1=65536,2,64 --no-such-option");
  const Result<CachegrindReport> report = run_cachegrind({"true"});
  AVRM_ASSERT_COUNTED(report);
  EXPECT_EQ(report->model(), CacheModel());
}

TEST(HwCounters, CountOrSayWhyNot) {
  Result<HwCounters> hardware = HwCounters::open_standard();
  if (!hardware) {
    EXPECT_TRUE(hardware.is_unavailable());
    EXPECT_TRUE(mentions(hardware.message(), "PAPI")) << hardware.message();
    return;
  }
  ASSERT_FALSE(hardware->start().has_value());
  const Result<std::vector<HwReading>> readings = hardware->stop();
  ASSERT_TRUE(readings.ok()) << readings.message();
  EXPECT_EQ(readings->size() + hardware->missing().size(), 4U);
}

TEST(HwCounters, UnknownEventIsUnavailable) {
  const Result<HwCounters> hardware = HwCounters::open({"no_such_event"});
  EXPECT_TRUE(hardware.is_unavailable());
}

TEST(HwCounters, NoEventsIsAFailure) { EXPECT_EQ(HwCounters::open({}).message(), "failed: no events to count"); }

#if AVRM_HAVE_PAPI_SDE

// A software counter that goes through PAPI as the processor's do. Registered once and never shut
// down: the libsde of PAPI 7.0 reads freed memory when a library registers again.
class PapiSoftwareCounter : public testing::Test {
protected:
  static void SetUpTestSuite() {
    static const papi_handle_t library = papi_sde_init("avrankmap_test");
    ASSERT_NE(library, nullptr);
    static const int registered =
        papi_sde_register_counter(library, "events", PAPI_SDE_RO | PAPI_SDE_DELTA, PAPI_SDE_long_long, &events_);
    ASSERT_EQ(registered, SDE_OK);
  }

  static Result<HwCounters> open() { return HwCounters::open({"sde:::avrankmap_test::events"}); }

  static void expect_count(HwCounters &counter, std::uint64_t expected) {
    const Result<std::vector<HwReading>> readings = counter.stop();
    ASSERT_TRUE(readings.ok()) << readings.message();
    ASSERT_EQ(readings->size(), 1U);
    EXPECT_EQ(readings->front().event, "sde:::avrankmap_test::events");
    EXPECT_EQ(readings->front().count, expected);
  }

  static inline long long events_ = 1000;
};

TEST_F(PapiSoftwareCounter, CountsWhatHappensBetweenStartAndStop) {
  Result<HwCounters> counter = open();
  AVRM_ASSERT_COUNTED(counter);
  events_ += 3;
  ASSERT_FALSE(counter->start().has_value());
  events_ += 42;
  expect_count(*counter, 42);
}

TEST_F(PapiSoftwareCounter, EachStartCountsFromZero) {
  Result<HwCounters> counter = open();
  AVRM_ASSERT_COUNTED(counter);
  for (const int n : {5, 7}) {
    ASSERT_FALSE(counter->start().has_value());
    events_ += n;
    expect_count(*counter, static_cast<std::uint64_t>(n));
  }
}

TEST_F(PapiSoftwareCounter, MovedCounterGoesOnCounting) {
  Result<HwCounters> first = open();
  AVRM_ASSERT_COUNTED(first);
  ASSERT_FALSE(first->start().has_value());
  HwCounters second = std::move(*first);
  events_ += 9;
  expect_count(second, 9);
}

TEST_F(PapiSoftwareCounter, StartTwiceAndStopWithoutStartAreFailures) {
  Result<HwCounters> counter = open();
  AVRM_ASSERT_COUNTED(counter);
  EXPECT_TRUE(mentions(counter->stop().message(), "PAPI_stop"));
  ASSERT_FALSE(counter->start().has_value());
  EXPECT_TRUE(counter->start().has_value());
}

#else

TEST(PapiSoftwareCounter, CountsWhatHappensBetweenStartAndStop) {
  GTEST_SKIP() << "built without PAPI's libsde, so PAPI counts nothing here that is known";
}

#endif

} // namespace
