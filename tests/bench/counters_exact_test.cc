// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// The counters against functions written in assembly, whose counts are known to the instruction and
// to the cache line. This program is also what the tests run under valgrind: main() then runs one
// workload instead of the tests.

#include "counters/cachegrind.h"
#include "counters/callgrind.h"
#include "counters/environment.h"
#include "counters/single_step.h"
#include "counters/subprocess.h"
#include "tests/support/counted.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__linux__) && defined(__x86_64__)

#include <cerrno>
#include <csignal>
#include <cstddef>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The symbol's type and size are what valgrind names functions by.
#define AVRM_TEST_FUNCTION(name, body)                                                                                 \
  asm(".pushsection .text\n.p2align 4\n.globl " #name "\n.type " #name ", @function\n" #name ":\n" body                \
      "\n.size " #name ", . - " #name "\n.popsection\n")

AVRM_TEST_FUNCTION(avrm_test_five, "mov %edi, %eax; add $1, %eax; shl $1, %eax; xor $3, %eax; sub $2, %eax; ret");
AVRM_TEST_FUNCTION(avrm_test_landing, ".byte 0xf3, 0x0f, 0x1e, 0xfa; mov %edi, %eax; ret");
AVRM_TEST_FUNCTION(avrm_test_loop, "xor %eax, %eax; mov $10, %ecx; 1: add %ecx, %eax; dec %ecx; jnz 1b; ret");
AVRM_TEST_FUNCTION(avrm_test_call, "call avrm_test_five; add $1, %eax; ret");
AVRM_TEST_FUNCTION(avrm_test_tail, "inc %edi; jmp avrm_test_five");
AVRM_TEST_FUNCTION(avrm_test_recursive, "test %edi, %edi; jz 1f; dec %edi; call avrm_test_recursive; 1: ret");
AVRM_TEST_FUNCTION(avrm_test_divide, "mov %edi, %eax; cltd; mov $7, %ecx; idiv %ecx; ret");
AVRM_TEST_FUNCTION(avrm_test_lock, "mov %rsp, %rax; lock orl $0, -8(%rax); xchg %ecx, -8(%rax); mov %edi, %eax; ret");
AVRM_TEST_FUNCTION(avrm_test_repeat, "lea -100(%rsp), %rdi; mov $80, %ecx; xor %eax, %eax; rep stosb; ret");
AVRM_TEST_FUNCTION(avrm_test_syscall, "mov $39, %eax; syscall; ret");
AVRM_TEST_FUNCTION(avrm_test_fault, "xor %eax, %eax; mov (%rax), %eax; ret");
AVRM_TEST_FUNCTION(avrm_test_part, "mov %edi, %eax; add $1, %eax; .globl avrm_test_part_end; avrm_test_part_end: "
                                   "add $2, %eax; ret");
AVRM_TEST_FUNCTION(avrm_test_leave, "pop %rcx; mov %edi, %eax; jmp *%rcx");
// One 8-byte read per cache line: base, lines, passes.
AVRM_TEST_FUNCTION(avrm_test_walk, "1: mov %rdi, %rax; mov %rsi, %rcx; 2: mov (%rax), %r8; add $64, %rax; dec %rcx; "
                                   "jnz 2b; dec %rdx; jnz 1b; ret");

extern "C" {
int avrm_test_five(int);
int avrm_test_landing(int);
int avrm_test_loop(int);
int avrm_test_call(int);
int avrm_test_tail(int);
int avrm_test_recursive(int);
int avrm_test_divide(int);
int avrm_test_lock(int);
int avrm_test_repeat(int);
int avrm_test_syscall(int);
int avrm_test_fault(int);
int avrm_test_part(int);
int avrm_test_leave(int);
extern const char avrm_test_part_end[];
void avrm_test_walk(const void *base, std::uint64_t lines, std::uint64_t passes);
}

namespace {

using avrankmap::counters::CacheCounts;
using avrankmap::counters::CachegrindReport;
using avrankmap::counters::CacheModel;
using avrankmap::counters::CachePerIteration;
using avrankmap::counters::CallgrindCount;
using avrankmap::counters::count_call;
using avrankmap::counters::count_instructions;
using avrankmap::counters::count_with_callgrind;
using avrankmap::counters::find_program;
using avrankmap::counters::InstructionKind;
using avrankmap::counters::linked_sanitizer;
using avrankmap::counters::measure_per_iteration;
using avrankmap::counters::ProcessEnd;
using avrankmap::counters::Result;
using avrankmap::counters::run_cachegrind;
using avrankmap::counters::run_process;
using avrankmap::counters::ScratchFolder;
using avrankmap::counters::StepCount;
using avrankmap::counters::StepOptions;

using TestFunction = int(int);

bool mentions(const std::string &text, std::string_view what) { return text.find(what) != std::string::npos; }

Result<StepCount> count(TestFunction *function, int argument = 20, const StepOptions &options = {}) {
  return count_call(
      function, [&] { function(argument); }, options);
}

// Whether single-stepping works here at all, so that the tests of its failures do not take its
// absence for one.
std::string obstacle() {
  const Result<StepCount> five = count(&avrm_test_five);
  return five.is_unavailable() ? five.message() : std::string();
}

// Expects the count of one call; instructions without landing pads and without the
// function's own ret.
void expect_instructions(TestFunction *function, std::uint64_t expected) {
  const Result<StepCount> counted = count(function);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, expected) << counted->listing();
  EXPECT_EQ(counted->final_rets, 1U) << counted->listing();
  EXPECT_EQ(counted->trace.size(), expected + counted->landing_pads + 1) << counted->listing();
}

TEST(SingleStep, StraightCodeIsItsInstructions) { expect_instructions(&avrm_test_five, 5); }

TEST(SingleStep, LandingPadIsCountedApart) {
  const Result<StepCount> counted = count(&avrm_test_landing);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, 1U);
  EXPECT_EQ(counted->landing_pads, 1U);
}

TEST(SingleStep, EachTurnOfALoopCounts) { expect_instructions(&avrm_test_loop, 2 + 10 * 3); }

TEST(SingleStep, CalleesCountWithTheirRets) { expect_instructions(&avrm_test_call, 2 + 5 + 1); }

TEST(SingleStep, TailCalleeReturnsForTheFunction) { expect_instructions(&avrm_test_tail, 2 + 5); }

TEST(SingleStep, RecursionEndsWithTheOutermostReturn) { expect_instructions(&avrm_test_recursive, 20 * 4 + 2 + 20); }

TEST(SingleStep, RepeatedStringInstructionIsOne) { expect_instructions(&avrm_test_repeat, 4); }

TEST(SingleStep, SystemCallIsOneInstruction) { expect_instructions(&avrm_test_syscall, 2); }

TEST(SingleStep, FunctionLeftByAJumpHasNoRet) {
  const Result<StepCount> counted = count(&avrm_test_leave);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, 3U);
  EXPECT_EQ(counted->final_rets, 0U);
}

TEST(SingleStep, KindsAreCountedFromTheTrace) {
  const Result<StepCount> calls = count(&avrm_test_call);
  AVRM_ASSERT_COUNTED(calls);
  EXPECT_EQ(calls->count(InstructionKind::call), 1U);
  EXPECT_EQ(calls->count(InstructionKind::ret), 2U);
  EXPECT_EQ(calls->count(InstructionKind::divide), 0U);
  const Result<StepCount> divides = count(&avrm_test_divide);
  AVRM_ASSERT_COUNTED(divides);
  EXPECT_EQ(divides->count(InstructionKind::divide), 1U);
  const Result<StepCount> enters = count(&avrm_test_syscall);
  AVRM_ASSERT_COUNTED(enters);
  EXPECT_EQ(enters->count(InstructionKind::syscall), 1U);
  const Result<StepCount> loops = count(&avrm_test_loop);
  AVRM_ASSERT_COUNTED(loops);
  EXPECT_EQ(loops->count(InstructionKind::branch), 10U);
}

TEST(SingleStep, LockedInstructionsAreFoundWithAndWithoutPrefix) {
  const Result<StepCount> counted = count(&avrm_test_lock);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->locked(), 2U) << counted->listing();
}

TEST(SingleStep, TraceIsTheCodeItself) {
  const Result<StepCount> counted = count(&avrm_test_five);
  AVRM_ASSERT_COUNTED(counted);
  const auto *code = reinterpret_cast<const std::uint8_t *>(&avrm_test_five);
  ASSERT_EQ(counted->trace.size(), 6U);
  EXPECT_EQ(counted->trace.front().address, reinterpret_cast<std::uintptr_t>(code));
  for (std::size_t i = 0; i < 5; ++i)
    EXPECT_EQ(counted->trace.front().bytes[i], code[i]) << i;
}

TEST(SingleStep, ListingShowsOffsetsBytesAndKinds) {
  const Result<StepCount> counted = count(&avrm_test_divide);
  AVRM_ASSERT_COUNTED(counted);
  const std::string listing = counted->listing();
  EXPECT_EQ(listing.substr(0, listing.find("+0x8")),
            "+0x0         89 f8\n+0x2         99\n+0x3         b9 07 00 00 00\n");
  EXPECT_TRUE(mentions(listing, " f7 f9  ; divide\n")) << listing;
  EXPECT_TRUE(mentions(listing, "; ret\n")) << listing;
}

TEST(SingleStep, CountEndsBeforeTheAddressToStopAt) {
  StepOptions options;
  options.stop_at = &avrm_test_part_end[0];
  const Result<StepCount> counted = count(&avrm_test_part, 1, options);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, 2U);
  EXPECT_EQ(counted->final_rets, 0U);
}

TEST(SingleStep, ReturningBeforeTheAddressToStopAtIsAFailure) {
  StepOptions options;
  options.stop_at = &avrm_test_part_end[0];
  const Result<StepCount> counted = count(&avrm_test_five, 1, options);
  if (counted.is_unavailable())
    GTEST_SKIP() << counted.message();
  EXPECT_EQ(counted.message(), "failed: the function returned before it reached the address to stop at");
}

TEST(SingleStep, RepeatsToTheInstruction) {
  const Result<StepCount> first = count(&avrm_test_recursive);
  AVRM_ASSERT_COUNTED(first);
  for (int run = 0; run < 5; ++run) {
    const Result<StepCount> again = count(&avrm_test_recursive);
    AVRM_ASSERT_COUNTED(again);
    EXPECT_EQ(again->trace, first->trace) << run;
  }
}

TEST(SingleStep, StubIsNotCounted) {
  StepOptions options;
  options.stubs = {reinterpret_cast<const void *>(&avrm_test_five)};
  const Result<StepCount> counted = count(&avrm_test_call, 20, options);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->before, 1U);
  EXPECT_EQ(counted->instructions, 2U);
  EXPECT_EQ(counted->final_rets, 1U);
  EXPECT_EQ(counted->stubbed, 1U);
}

TEST(SingleStep, StubReturnsZero) {
  StepOptions options;
  options.stubs = {reinterpret_cast<const void *>(&avrm_test_five)};
  const auto faults_otherwise = [] { avrm_test_call(20) == 1 ? 0 : avrm_test_fault(0); };
  AVRM_ASSERT_COUNTED(count_call(&avrm_test_call, faults_otherwise, options));
}

TEST(SingleStep, TailCallOfAStubEndsTheCount) {
  StepOptions options;
  options.stubs = {reinterpret_cast<const void *>(&avrm_test_five)};
  const Result<StepCount> counted = count(&avrm_test_tail, 20, options);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->before, 2U);
  EXPECT_EQ(counted->instructions, 2U);
  EXPECT_EQ(counted->final_rets, 0U);
}

TEST(SingleStep, WithoutAStubAllIsBefore) {
  const Result<StepCount> counted = count(&avrm_test_call);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->before, counted->instructions);
  EXPECT_EQ(counted->stubbed, 0U);
}

TEST(SingleStep, FirstOfSeveralCallsIsCounted) {
  const Result<StepCount> counted = count_call(&avrm_test_recursive, [] {
    avrm_test_recursive(2);
    avrm_test_recursive(9);
  });
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, 2 * 4 + 2 + 2U);
}

TEST(SingleStep, CallerIsUntouched) {
  int calls = 0;
  const Result<StepCount> counted = count_call(&avrm_test_five, [&] { calls += 1 + 0 * avrm_test_five(calls); });
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(avrm_test_five(20), 39);
}

TEST(SingleStep, NoProcessStaysBehind) {
  const Result<StepCount> counted = count(&avrm_test_five);
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(SingleStep, PendingSignalsDoNotEnterTheCount) {
  const Result<StepCount> counted = count_call(&avrm_test_loop, [] {
    static_cast<void>(raise(SIGUSR1));
    static_cast<void>(raise(SIGCHLD));
    avrm_test_loop(0);
  });
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, 32U);
}

// What went wrong when it did, for a call that should: never "unavailable", which would hide
// a broken test.
class SingleStepFailure : public testing::Test {
protected:
  void SetUp() override {
    if (const std::string reason = obstacle(); !reason.empty())
      GTEST_SKIP() << reason;
  }
};

TEST_F(SingleStepFailure, FunctionThatIsNotCalled) {
  EXPECT_EQ(count_call(&avrm_test_five, [] {}).message(), "failed: the function was never called");
}

TEST_F(SingleStepFailure, FaultInsideTheFunction) {
  EXPECT_EQ(count(&avrm_test_fault).message(), "failed: signal \"Segmentation fault\" inside the function");
}

TEST_F(SingleStepFailure, FaultBeforeTheFunction) {
  EXPECT_EQ(count_call(&avrm_test_five, [] { avrm_test_fault(0); }).message(),
            "failed: signal \"Segmentation fault\" before the function was called");
}

TEST_F(SingleStepFailure, MoreStepsThanAllowed) {
  StepOptions options;
  options.max_steps = 31;
  EXPECT_EQ(count(&avrm_test_loop, 0, options).message(), "failed: more than 31 steps");
}

TEST_F(SingleStepFailure, CallThatDoesNotEnd) {
  StepOptions options;
  options.time_limit_s = 1;
  const auto forever = [] {
    while (true)
      pause();
  };
  EXPECT_EQ(count_call(&avrm_test_five, forever, options).message(),
            "failed: the call took longer than its time limit");
}

TEST_F(SingleStepFailure, NullFunction) { EXPECT_EQ(count(nullptr).message(), "failed: null function"); }

TEST_F(SingleStepFailure, AddressWithoutCode) {
  EXPECT_EQ(count_instructions(
                reinterpret_cast<const void *>(std::uintptr_t{64}), [](void *) {}, nullptr)
                .message(),
            "failed: no instruction can be read at the function's address");
}

// In a process that may not trace: exit status 0 if the count says so, 1 if not, 77 if the ban
// could not be set up.
[[noreturn]] void count_where_ptrace_is_banned() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(77);
  const std::string message = count(&avrm_test_five).message();
  _exit(message == "unavailable: ptrace refused: Operation not permitted" ? 0 : 1);
}

TEST(SingleStep, RefusedPtraceIsUnavailable) {
  if (const std::string reason = obstacle(); !reason.empty())
    GTEST_SKIP() << reason;
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    count_where_ptrace_is_banned();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "this machine has no seccomp filters to refuse ptrace with";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(SingleStep, SanitizedBuildIsUnavailable) {
  const std::string sanitizer(linked_sanitizer());
  EXPECT_TRUE(sanitizer.empty() || mentions(count(&avrm_test_five).message(), "unavailable: built with " + sanitizer));
}

// 64 KiB: twice the D1 of the model, so every read of a walk misses.
constexpr std::uint64_t walk_lines = 1024;
alignas(64) char walk_memory[walk_lines * 64];

std::vector<std::string> workload(const std::string &name, std::uint64_t n) {
  return {std::filesystem::read_symlink("/proc/self/exe").string(), "--workload", name, std::to_string(n)};
}

// One workload by name, n times; the exit status.
int run_workload(const std::string &name, std::uint64_t n) {
  if (name == "walk") {
    avrm_test_walk(&walk_memory[0], walk_lines, n);
    return EXIT_SUCCESS;
  }
  if (name == "five") {
    for (std::uint64_t i = 0; i < n; ++i)
      avrm_test_five(static_cast<int>(i));
    return EXIT_SUCCESS;
  }
  if (name == "single-step") {
    const std::string message = count(&avrm_test_five).message();
    std::puts(message.c_str());
    return mentions(message, "unavailable: running under valgrind") ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return EXIT_FAILURE;
}

class Valgrind : public testing::Test {
protected:
  void SetUp() override {
    if (!find_program("valgrind"))
      GTEST_SKIP() << "valgrind is not installed";
    if (!linked_sanitizer().empty())
      GTEST_SKIP() << "valgrind cannot run a program built with " << linked_sanitizer();
  }
};

TEST_F(Valgrind, WalkOfTwiceTheCacheMissesOncePerLine) {
  const auto command = [](std::uint64_t passes) { return workload("walk", passes); };
  const Result<CachePerIteration> each = measure_per_iteration(command, 10, "avrm_test_walk");
  AVRM_ASSERT_COUNTED(each);
  EXPECT_EQ(each->d1_misses, static_cast<double>(walk_lines));
  EXPECT_EQ(each->ll_misses, 0.0);
  EXPECT_EQ(each->data_refs, static_cast<double>(walk_lines));
  EXPECT_EQ(each->instructions, static_cast<double>(4 * walk_lines + 4));
  EXPECT_EQ(each->source, "cachegrind (simulated, D1=32768,8,64, LL=8388608,16,64)");
}

TEST_F(Valgrind, WalkThatFitsTheGivenCacheDoesNotMiss) {
  CacheModel model;
  model.d1 = {131072, 8, 64};
  const auto command = [](std::uint64_t passes) { return workload("walk", passes); };
  const Result<CachePerIteration> each = measure_per_iteration(command, 10, "avrm_test_walk", model);
  AVRM_ASSERT_COUNTED(each);
  EXPECT_EQ(each->d1_misses, 0.0);
  EXPECT_EQ(each->source, "cachegrind (simulated, D1=131072,8,64, LL=8388608,16,64)");
}

TEST_F(Valgrind, FirstWalkMissesEveryLevelOncePerLine) {
  const Result<CachegrindReport> report = run_cachegrind(workload("walk", 3));
  AVRM_ASSERT_COUNTED(report);
  const Result<CacheCounts> walk = report->function("avrm_test_walk");
  ASSERT_TRUE(walk.ok()) << walk.message();
  EXPECT_EQ(walk->ll_misses, walk_lines);
}

TEST_F(Valgrind, FunctionInTheReportRepeatsExactly) {
  const Result<CachegrindReport> first = run_cachegrind(workload("walk", 2));
  AVRM_ASSERT_COUNTED(first);
  const Result<CachegrindReport> second = run_cachegrind(workload("walk", 2));
  AVRM_ASSERT_COUNTED(second);
  EXPECT_EQ(*first->function("avrm_test_walk"), *second->function("avrm_test_walk"));
}

TEST_F(Valgrind, CallgrindAgreesWithSingleStepping) {
  const Result<CallgrindCount> counted = count_with_callgrind(workload("five", 1000), "avrm_test_five");
  AVRM_ASSERT_COUNTED(counted);
  EXPECT_EQ(counted->instructions, 1000 * (5 + 1U));
}

TEST_F(Valgrind, CallgrindFailsOnAFunctionThatDoesNotRun) {
  const Result<CallgrindCount> counted = count_with_callgrind(workload("five", 1), "avrm_test_loop");
  EXPECT_EQ(counted.message(), "failed: callgrind saw no call of avrm_test_loop");
}

TEST_F(Valgrind, SingleSteppingUnderItIsUnavailable) {
  const Result<ScratchFolder> scratch = ScratchFolder::create();
  ASSERT_TRUE(scratch.ok()) << scratch.message();
  std::vector<std::string> command = {*find_program("valgrind"), "--tool=none", "-q"};
  for (const std::string &word : workload("single-step", 1))
    command.push_back(word);
  const Result<ProcessEnd> end = run_process(command, *scratch);
  ASSERT_TRUE(end.ok()) << end.message();
  EXPECT_TRUE(end->succeeded()) << end->describe();
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 4 && std::string_view(argv[1]) == "--workload")
    return run_workload(argv[2], std::strtoull(argv[3], nullptr, 10));
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

#else

namespace {

int answer() { return 42; }

TEST(SingleStep, SaysThatItIsNotWrittenForThisMachine) {
  const avrankmap::counters::Result<avrankmap::counters::StepCount> counted =
      avrankmap::counters::count_call(&answer, [] { answer(); });
  EXPECT_EQ(counted.message(), "unavailable: single-stepping is written for x86-64 Linux only");
}

} // namespace

int main(int argc, char **argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

#endif
