// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/single_step.h"

#include "counters/environment.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#if defined(__linux__) && defined(__x86_64__)
#define AVRM_HAVE_SINGLE_STEP 1
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#else
#define AVRM_HAVE_SINGLE_STEP 0
#endif

namespace avrankmap::counters {

namespace {

const char *name_of(InstructionKind kind) {
  switch (kind) {
  case InstructionKind::landing_pad: return "landing pad";
  case InstructionKind::call: return "call";
  case InstructionKind::ret: return "ret";
  case InstructionKind::divide: return "divide";
  case InstructionKind::branch: return "branch";
  case InstructionKind::jump: return "jump";
  case InstructionKind::syscall: return "syscall";
  case InstructionKind::other: break;
  }
  return "";
}

std::string to_hex(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  static_cast<void>(error); // 16 digits hold every value
  return {digits.data(), end};
}

} // namespace

std::uint64_t StepCount::count(InstructionKind kind) const {
  std::uint64_t n = 0;
  for (const Step &step : trace)
    n += step.decode().kind == kind ? 1U : 0U;
  return n;
}

std::uint64_t StepCount::locked() const {
  std::uint64_t n = 0;
  for (const Step &step : trace)
    n += step.decode().locked ? 1U : 0U;
  return n;
}

std::string StepCount::listing() const {
  constexpr std::size_t bytes_column = 13;
  std::string text;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const Step &step = trace[i];
    const std::uint64_t entry = trace.front().address;
    std::string line =
        step.address < entry ? "-0x" + to_hex(entry - step.address) : "+0x" + to_hex(step.address - entry);
    line.resize(std::max(line.size(), bytes_column - 1), ' ');
    // Lengths are not decoded, but the next address gives them away unless this instruction jumped.
    std::size_t length = step.byte_count;
    if (i + 1 < trace.size() && trace[i + 1].address != step.address)
      length = std::min<std::size_t>(length, trace[i + 1].address - step.address);
    for (std::size_t b = 0; b < length; ++b)
      line += (step.bytes[b] < 0x10 ? " 0" : " ") + to_hex(step.bytes[b]);
    const Instruction decoded = step.decode();
    if (decoded.kind != InstructionKind::other)
      line += std::string("  ; ") + name_of(decoded.kind);
    if (decoded.locked)
      line += "  ; locked";
    text += line + '\n';
  }
  return text;
}

#if AVRM_HAVE_SINGLE_STEP

namespace {

std::string error_text(const char *what) { return std::string(what) + ": " + std::strerror(errno); }

[[noreturn]] void run_as_tracee(void (*run)(void *), void *arg, unsigned time_limit_s) {
  // Nothing asynchronous may run in the middle of what is counted. Faults cannot be blocked in
  // earnest, and the alarm is the time limit: both end the measurement.
  sigset_t blocked;
  sigfillset(&blocked);
  for (const int kept : {SIGTRAP, SIGALRM, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGABRT})
    sigdelset(&blocked, kept);
  sigprocmask(SIG_SETMASK, &blocked, nullptr);
  if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
    _exit(errno);
  if (raise(SIGSTOP) != 0)
    _exit(errno);
  alarm(time_limit_s);
  run(arg);
  _exit(0);
}

// The child, stopped whenever no member function runs. Dies with this object.
class Tracee {
public:
  // The child's state when it was last let go.
  struct Stop {
    enum class Kind { signal, exited, killed, lost } kind;
    int number; // of the signal, the exit status or the error

    [[nodiscard]] bool is_trap() const { return kind == Kind::signal && number == SIGTRAP; }
  };

  explicit Tracee(pid_t pid) : pid_(pid) {}
  Tracee(const Tracee &) = delete;
  Tracee &operator=(const Tracee &) = delete;
  Tracee(Tracee &&) = delete;
  Tracee &operator=(Tracee &&) = delete;

  ~Tracee() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      wait();
    }
  }

  Stop wait() {
    int status = 0;
    pid_t got = 0;
    do {
      got = waitpid(pid_, &status, 0);
    } while (got < 0 && errno == EINTR);
    if (got >= 0 && WIFSTOPPED(status))
      return {Stop::Kind::signal, WSTOPSIG(status)};
    pid_ = 0;
    if (got < 0)
      return {Stop::Kind::lost, errno};
    if (WIFEXITED(status))
      return {Stop::Kind::exited, WEXITSTATUS(status)};
    return {Stop::Kind::killed, WTERMSIG(status)};
  }

  Stop resume() { return go(PTRACE_CONT); }
  Stop step() { return go(PTRACE_SINGLESTEP); }

  [[nodiscard]] bool die_with_parent() { return ptrace(PTRACE_SETOPTIONS, pid_, nullptr, PTRACE_O_EXITKILL) == 0; }
  [[nodiscard]] bool read(user_regs_struct &registers) {
    return ptrace(PTRACE_GETREGS, pid_, nullptr, &registers) == 0;
  }
  [[nodiscard]] bool write(user_regs_struct &registers) {
    return ptrace(PTRACE_SETREGS, pid_, nullptr, &registers) == 0;
  }

  [[nodiscard]] std::optional<std::uint64_t> word(std::uint64_t address) {
    errno = 0;
    const long value = ptrace(PTRACE_PEEKTEXT, pid_, address, nullptr);
    if (errno != 0)
      return std::nullopt;
    return static_cast<std::uint64_t>(value);
  }
  [[nodiscard]] bool set_word(std::uint64_t address, std::uint64_t value) {
    return ptrace(PTRACE_POKETEXT, pid_, address, value) == 0;
  }

  // Words are read aligned, so that none straddles the end of a mapping.
  [[nodiscard]] Step instruction_at(std::uint64_t address) {
    Step step;
    step.address = address;
    while (step.byte_count < step.bytes.size()) {
      const std::uint64_t next = address + step.byte_count;
      const std::optional<std::uint64_t> aligned = word(next & ~std::uint64_t{7});
      if (!aligned)
        break;
      for (std::uint64_t b = next & 7U; b < 8 && step.byte_count < step.bytes.size(); ++b)
        step.bytes[step.byte_count++] = static_cast<std::uint8_t>(*aligned >> (8 * b));
    }
    return step;
  }

private:
  Stop go(__ptrace_request how) {
    if (ptrace(how, pid_, nullptr, nullptr) != 0)
      return {Stop::Kind::lost, errno};
    return wait();
  }

  pid_t pid_;
};

Failure unexpected(const Tracee::Stop &stop, const std::string &where) {
  switch (stop.kind) {
  case Tracee::Stop::Kind::signal:
    if (stop.number == SIGALRM)
      return failed("the call took longer than its time limit");
    [[fallthrough]];
  case Tracee::Stop::Kind::killed: return failed(std::string("signal \"") + strsignal(stop.number) + "\" " + where);
  case Tracee::Stop::Kind::exited: return failed("the process ended " + where);
  case Tracee::Stop::Kind::lost: break;
  }
  return failed(std::string("the traced process was lost ") + where + ": " + std::strerror(stop.number));
}

// Runs up to the first call of the function, by a breakpoint that is gone again when this returns.
std::optional<Failure> run_to(Tracee &tracee, std::uint64_t entry) {
  const std::uint64_t aligned = entry & ~std::uint64_t{7};
  const unsigned shift = 8U * static_cast<unsigned>(entry & 7U);
  const std::optional<std::uint64_t> original = tracee.word(aligned);
  if (!original)
    return failed("no instruction can be read at the function's address");
  constexpr std::uint64_t int3 = 0xcc;
  const std::uint64_t armed = (*original & ~(std::uint64_t{0xff} << shift)) | (int3 << shift);
  if (!tracee.set_word(aligned, armed))
    return unavailable(error_text("ptrace may not set a breakpoint"));

  const Tracee::Stop stop = tracee.resume();
  if (stop.kind == Tracee::Stop::Kind::exited)
    return failed("the function was never called");
  if (!stop.is_trap())
    return unexpected(stop, "before the function was called");

  user_regs_struct registers{};
  if (!tracee.read(registers))
    return failed(error_text("ptrace cannot read registers"));
  if (registers.rip != entry + 1)
    return failed("a breakpoint of another's making was met before the function was called");
  registers.rip = entry;
  if (!tracee.set_word(aligned, *original) || !tracee.write(registers))
    return failed(error_text("ptrace cannot take its breakpoint back"));
  return std::nullopt;
}

// Returns 0 from a function that has just been called.
std::optional<Failure> return_zero(Tracee &tracee, user_regs_struct &registers) {
  const std::optional<std::uint64_t> return_address = tracee.word(registers.rsp);
  if (!return_address)
    return failed("no return address of a stub");
  registers.rip = *return_address;
  registers.rsp += sizeof *return_address;
  registers.rax = 0;
  return tracee.write(registers) ? std::nullopt : std::optional(failed(error_text("ptrace cannot write registers")));
}

std::uint64_t counted_of(const StepCount &count) {
  return count.trace.size() - count.count(InstructionKind::landing_pad) - count.final_rets;
}

bool contains(const std::vector<const void *> &functions, std::uint64_t address) {
  return std::any_of(functions.begin(), functions.end(),
                     [address](const void *function) { return reinterpret_cast<std::uintptr_t>(function) == address; });
}

Result<StepCount> step_through(Tracee &tracee, std::uint64_t entry, const StepOptions &options) {
  user_regs_struct registers{};
  if (!tracee.read(registers))
    return failed(error_text("ptrace cannot read registers"));
  const std::uint64_t stack_at_entry = registers.rsp;
  const std::optional<std::uint64_t> return_address = tracee.word(stack_at_entry);
  if (!return_address)
    return failed("no return address on the function's stack");
  const auto stop_at = reinterpret_cast<std::uintptr_t>(options.stop_at);

  StepCount result;
  std::uint64_t at = entry;
  bool repeating = false; // `at` is a rep string instruction that has run some of its iterations
  for (std::uint64_t steps = 0;; ++steps) {
    if (stop_at != 0 && at == stop_at)
      break;
    // A callee may return to the same address; only this function's own return leaves its frame.
    if (at == *return_address && registers.rsp > stack_at_entry) {
      if (stop_at != 0)
        return failed("the function returned before it reached the address to stop at");
      if (result.trace.back().decode().kind == InstructionKind::ret)
        result.final_rets = 1;
      break;
    }
    if (contains(options.stubs, at)) {
      if (result.stubbed++ == 0)
        result.before = counted_of(result);
      if (std::optional<Failure> failure = return_zero(tracee, registers))
        return *std::move(failure);
      at = registers.rip;
      continue;
    }
    if (steps == options.max_steps)
      return failed("more than " + std::to_string(options.max_steps) + " steps");
    if (!repeating)
      result.trace.push_back(tracee.instruction_at(at));
    const Tracee::Stop stop = tracee.step();
    if (!stop.is_trap())
      return unexpected(stop, "inside the function");
    if (!tracee.read(registers))
      return failed(error_text("ptrace cannot read registers"));
    repeating = registers.rip == at && result.trace.back().decode().repeated;
    at = registers.rip;
  }
  result.landing_pads = result.count(InstructionKind::landing_pad);
  result.instructions = counted_of(result);
  if (result.stubbed == 0)
    result.before = result.instructions;
  return result;
}

} // namespace

Result<StepCount> count_instructions(const void *entry, void (*run)(void *), void *arg, const StepOptions &options) {
  if (entry == nullptr || run == nullptr)
    return failed("null function");
  if (under_valgrind())
    return unavailable("running under valgrind, which executes a translation of the program");
  if (const std::string_view sanitizer = linked_sanitizer(); !sanitizer.empty())
    return unavailable("built with " + std::string(sanitizer) + ", whose checks would also be counted");

  const pid_t pid = fork();
  if (pid < 0)
    return unavailable(error_text("fork"));
  if (pid == 0)
    run_as_tracee(run, arg, options.time_limit_s);

  Tracee tracee(pid);
  const Tracee::Stop first = tracee.wait();
  if (first.kind == Tracee::Stop::Kind::exited)
    return unavailable(std::string("ptrace refused: ") + std::strerror(first.number));
  if (first.kind != Tracee::Stop::Kind::signal || first.number != SIGSTOP)
    return unavailable("ptrace refused: " + unexpected(first, "before tracing began").reason);
  if (!tracee.die_with_parent())
    return unavailable(error_text("ptrace refused"));
  const auto address = reinterpret_cast<std::uintptr_t>(entry);
  if (std::optional<Failure> failure = run_to(tracee, address))
    return *std::move(failure);
  return step_through(tracee, address, options);
}

#else

Result<StepCount> count_instructions(const void *, void (*)(void *), void *, const StepOptions &) {
  return unavailable("single-stepping is written for x86-64 Linux only");
}

#endif

} // namespace avrankmap::counters
