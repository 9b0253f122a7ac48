// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Stacks are unwound at every instruction of every translation, and from a timer's signal, as
// profilers and pthread_cancel do.
#include <execinfo.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unwind.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/component/av/layouts.h"
#include "tests/component/rankmap/machine_code/send_model.h"
#include "tests/component/rankmap/one_of_each.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

const avrm_test_model_t *const kModels[] = {&avrm_test_model, &avrm_test_model_framed};

// All calls of a model, for one rank.
void call_all(const avrm_test_model_t &model, avrm_test_comm_t *comm, std::int32_t rank) {
  static const std::uint64_t bases[1 << 17] = {};
  comm->bases = bases;
  void *request = nullptr;
  model.isend(comm, 1, 1 << 8, rank, 5, comm, &request);
  model.put(comm, 1, 1 << 8, rank, 8, 1, comm);
  model.word(&comm->map, rank);
  model.ave(&comm->map, rank);
  model.node(&comm->map, rank);
  model.gpid(&comm->map, rank);
  model.lpid(&comm->map, rank);
}

// The place of a function's frame, which an unwinder finds by way of all frames below.
struct Search {
  const void *function;
  std::uint64_t found; // the stack pointer of its caller, or 0
  bool is_there;       // the last frame was the function's
  int depth;
};

_Unwind_Reason_Code look(_Unwind_Context *context, void *argument) {
  auto *const search = static_cast<Search *>(argument);
  void *const ip = reinterpret_cast<void *>(_Unwind_GetIP(context) - 1);
  ++search->depth;
  if (search->is_there) {
    search->found = _Unwind_GetCFA(context);
    return _URC_END_OF_STACK;
  }
  search->is_there = _Unwind_FindEnclosingFunction(ip) == search->function;
  return search->depth < 64 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

[[gnu::noinline]] std::uint64_t frame_of(const void *function) {
  Search search{function, 0, false, 0};
  _Unwind_Backtrace(look, &search);
  return search.found;
}

std::atomic<std::uint64_t> bad;
std::atomic<std::uint64_t> looked;
const void *outer;
std::uint64_t outer_frame;

// With a signal that is sent at any time.
[[gnu::noinline]] void translate_for(const avrm_test_model_t &model, avrm_test_comm_t *comm, std::int32_t size) {
  outer_frame = frame_of(outer);
  for (int round = 0; round < 200; ++round) {
    call_all(model, comm, round % size);
  }
  outer_frame = 0;
}

void on_timer(int /*signal*/) {
  if (outer_frame == 0) {
    return;
  }
  void *addresses[64];
  const int depth = backtrace(addresses, 64);
  bool found = false;
  for (int i = 0; i < depth; ++i) {
    found |= _Unwind_FindEnclosingFunction(static_cast<char *>(addresses[i]) - 1) == outer;
  }
  looked.fetch_add(1, std::memory_order_relaxed);
  bad.fetch_add(found && frame_of(outer) == outer_frame ? 0 : 1, std::memory_order_relaxed);
}

struct CommOf {
  explicit CommOf(const avrm_rankmap_t *map) {
    std::memcpy(reinterpret_cast<char *>(&comm) + offsetof(avrm_test_comm_t, map), map, info_of(map).own_bytes);
  }
  avrm_test_comm_t comm{};
};

class RankmapUnwinding : public RankmapOfEachKind {};
INSTANTIATE_TEST_SUITE_P(All, RankmapUnwinding, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapUnwinding, WorksFromATimer) {
  CommOf of(map.get());
  void *primed[1];
  backtrace(primed, 1); // loads the unwinder
  outer = reinterpret_cast<const void *>(translate_for);
  bad = 0;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  ASSERT_EQ(sigaction(SIGPROF, &action, &before), 0);
  itimerval timer{{0, 200}, {0, 200}};
  setitimer(ITIMER_PROF, &timer, nullptr);
  const auto kinds = static_cast<int>(std::size(kKinds));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(is_long() ? 60000 / kinds : 20);
  do {
    for (const avrm_test_model_t *const model : kModels) {
      translate_for(*model, &of.comm, size());
    }
  } while (std::chrono::steady_clock::now() < end);
  timer = {};
  setitimer(ITIMER_PROF, &timer, nullptr);
  sigaction(SIGPROF, &before, nullptr);
  EXPECT_EQ(bad, 0U) << "of " << looked;
}

#if defined(__x86_64__)

constexpr greg_t kTrapFlag = 0x100;
bool left;               // the stepped function has been entered
std::uint64_t first_bad; // instruction

// At the breakpoint starts to step, ends back in `outer` after the call, and unwinds in between.
void on_step(int /*signal*/, siginfo_t * /*info*/, void *raw) {
  auto *const context = static_cast<ucontext_t *>(raw);
  const auto ip = static_cast<std::uint64_t>(context->uc_mcontext.gregs[REG_RIP]);
  greg_t &flags = context->uc_mcontext.gregs[REG_EFL];
  if (_Unwind_FindEnclosingFunction(reinterpret_cast<void *>(ip)) == outer) {
    flags = left ? flags & ~kTrapFlag : flags | kTrapFlag;
    return;
  }
  left = true;
  looked.fetch_add(1, std::memory_order_relaxed);
  if (frame_of(outer) != outer_frame && bad.fetch_add(1, std::memory_order_relaxed) == 0) {
    first_bad = ip;
  }
}

// One call by single steps.
template <typename Function, typename... Args> [[gnu::noinline]] void step_through(Function *function, Args... args) {
  outer = reinterpret_cast<const void *>(step_through<Function, Args...>);
  outer_frame = frame_of(outer);
  left = false;
  __asm__ volatile("int3");
  function(args...);
  __asm__ volatile("" ::: "memory");
}

void expect_stacks(const avrm_test_model_t &model, avrm_test_comm_t *comm, std::int32_t rank) {
  static const std::uint64_t bases[1 << 17] = {};
  comm->bases = bases;
  static void *request = nullptr;
  struct sigaction action {};
  struct sigaction before {};
  action.sa_sigaction = on_step;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  bad = 0;
  looked = 0;
  const avrm_rankmap_t *const map = &comm->map;
  step_through(model.isend, comm, 1, 1 << 8, rank, 5, comm, &request);
  step_through(model.put, comm, 1, 1 << 8, rank, 8, 1, comm);
  step_through(model.word, map, rank);
  step_through(model.ave, map, rank);
  step_through(model.node, map, rank);
  step_through(model.gpid, map, rank);
  step_through(model.lpid, map, rank);
  sigaction(SIGTRAP, &before, nullptr);
  EXPECT_EQ(bad, 0U) << model.name << ", " << looked << " steps, first at " << std::hex
                     << first_bad - reinterpret_cast<std::uintptr_t>(model.word) << " from word";
  EXPECT_GT(looked, 40U) << model.name;
}

TEST_P(RankmapUnwinding, WorksAtEveryInstruction) {
  CommOf of(map.get());
  for (const avrm_test_model_t *const model : kModels) {
    expect_stacks(*model, &of.comm, size() - 1);
  }
}

// Of maps over implicit AVs, on the line and among its exceptions.
class RankmapUnwindingOverAnImplicitAv : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(All, RankmapUnwindingOverAnImplicitAv, testing::ValuesIn(kKinds), kind_name);

TEST_P(RankmapUnwindingOverAnImplicitAv, WorksAtEveryInstruction) {
  const Instance instance(false, GetParam().cost);
  AvPtr avs[3];
  for (AvPtr &av : avs) {
    av = make_implicit_av(instance, 1000);
    fill(av.get());
  }
  const MapPtr map = GetParam().make(instance);
  require(avrm_rankmap_bind(map.get()));
  CommOf of(map.get());
  for (const bool closed : {false, true}) {
    for (const avrm_test_model_t *const model : kModels) {
      expect_stacks(*model, &of.comm, 0);
    }
    if (!closed) {
      for (const AvPtr &av : avs) {
        require(avrm_av_make_table(av.get()));
      }
    }
  }
}

#endif

} // namespace
} // namespace avrankmap::test
