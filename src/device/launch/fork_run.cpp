// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/fork_run.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <new>
#include <optional>
#include <vector>

#include "base/open_error.h"
#include "launch/key_value_boot.h"
#include "launch/key_value_store.h"

namespace avrankmap::detail {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kUnknownCode = 255;
constexpr int kLookMs = 2; // between two checks of processes without a pidfd

Place place_of(std::int32_t rank, const avrm_fork_options_t &options) noexcept {
  const std::int32_t per_node = options.per_node == 0 ? options.size : std::min(options.per_node, options.size);
  const std::int32_t node = rank / per_node;
  const std::int32_t first = node * per_node;
  return Place{.rank = rank,
               .size = options.size,
               .node = static_cast<std::uint32_t>(node),
               .local_rank = rank - first,
               .local_size = std::min(per_node, options.size - first),
               .block = per_node};
}

// True if the system discards exit codes, without which no death can be detected.
bool children_are_discarded() noexcept {
  struct sigaction action = {};
  return sigaction(SIGCHLD, nullptr, &action) != 0 || action.sa_handler == SIG_IGN ||
         (action.sa_flags & SA_NOCLDWAIT) != 0;
}

[[noreturn]] void run_child(const KeyValueStore &store, const Place &place, pid_t parent, ForkBody body,
                            void *user) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) { // the parent died before prctl took effect
    _exit(kUnknownCode);
  }
  ForkBoot boot(store, place);
  const int code = body(&boot, user);
  if (code == 0) {
    store.mark_left(place.rank);
  }
  // Not exit(): its handlers and the static objects belong to the parent.
  (void)std::fflush(nullptr);
  _exit(code >= 0 && code <= 255 ? code : 255);
}

class ForkedJob {
public:
  ForkedJob(const KeyValueStore &store, const avrm_fork_options_t &options) : store_(store), options_(options) {
    children_.reserve(static_cast<std::size_t>(options.size));
    polled_.reserve(static_cast<std::size_t>(options.size));
  }
  ForkedJob(const ForkedJob &) = delete;
  ForkedJob &operator=(const ForkedJob &) = delete;
  // Leaves no process behind.
  ~ForkedJob() {
    kill_all();
    for (Child &child : children_) {
      reap(child);
    }
    for (const pollfd &entry : polled_) {
      forget(entry.fd);
    }
  }

  avrm_status_t start(ForkBody body, void *user) noexcept {
    const pid_t parent = getpid();
    (void)std::fflush(nullptr); // otherwise each child would write the buffered output again
    for (std::int32_t rank = 0; rank < options_.size; ++rank) {
      const pid_t pid = fork();
      if (pid < 0) {
        return refused_call("fork");
      }
      if (pid == 0) {
        run_child(store_, place_of(rank, options_), parent, body, user);
      }
      children_.push_back({.pid = pid});
    }
    // The pidfds are opened after all forks, so that no child inherits one. This also works for a
    // child that has ended, because it has not been reaped.
    for (const Child &child : children_) {
      const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, child.pid, 0));
      if (descriptor < 0 && errno != ENOSYS && errno != EPERM) {
        return refused_call("pidfd_open");
      }
      must_look_ = must_look_ || descriptor < 0; // Linux before 5.3, valgrind, or a filter
      polled_.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
    }
    return AVRM_OK;
  }

  // Waits for the processes and reports each death to those that still run.
  avrm_status_t watch() noexcept {
    std::optional<Clock::time_point> end;
    if (options_.timeout_ms != 0) {
      end = Clock::now() + std::chrono::milliseconds(options_.timeout_ms);
    }
    for (std::int32_t running = options_.size; running > 0;) {
      const int left = milliseconds_until(end);
      const bool is_short = must_look_ && (left < 0 || left > kLookMs);
      const int ready = poll(polled_.data(), polled_.size(), is_short ? kLookMs : left);
      if (ready < 0 && errno != EINTR) {
        return refused_call("poll");
      }
      const std::int32_t before = running;
      for (std::int32_t rank = 0; rank < options_.size && (ready > 0 || must_look_); ++rank) {
        pollfd &entry = polled_[static_cast<std::size_t>(rank)];
        if (has_ended(rank, ready > 0 ? entry.revents : 0)) {
          forget(entry.fd);
          entry = {.fd = -1, .events = 0, .revents = 0}; // poll ignores it
          on_end(rank);
          --running;
        }
      }
      if (ready == 0 && !is_short && running == before) {
        return AVRM_ERR_TIMEOUT;
      }
    }
    return AVRM_OK;
  }

  void copy_codes(std::int32_t *codes) const noexcept {
    std::transform(children_.begin(), children_.end(), codes, [](const Child &child) { return child.code; });
  }

private:
  struct Child {
    pid_t pid = 0;
    bool ended = false;
    std::int32_t code = kUnknownCode;
  };

  // Rounded up, so that poll does not wake too early; 0 once the time has passed.
  static int milliseconds_until(const std::optional<Clock::time_point> &end) noexcept {
    if (!end) {
      return -1;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*end - Clock::now()).count();
    return static_cast<int>(std::clamp<decltype(left)>(left, 0, INT_MAX));
  }

  // `revents` is that of the process's pidfd, if it has one.
  [[nodiscard]] bool has_ended(std::int32_t rank, short revents) const noexcept {
    const Child &child = children_[static_cast<std::size_t>(rank)];
    if (revents != 0 || child.ended || !must_look_) {
      return revents != 0;
    }
    siginfo_t info = {};
    // ECHILD: another thread of the program has waited for it.
    return waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid != 0
                                                                                                : errno == ECHILD;
  }

  static void forget(int descriptor) noexcept {
    if (descriptor >= 0) {
      close(descriptor);
    }
  }

  static void reap(Child &child) noexcept {
    int status = 0;
    pid_t reaped = 0;
    if (child.ended) {
      return;
    }
    do {
      reaped = waitpid(child.pid, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    child.ended = true;
    if (reaped == child.pid) {
      child.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
  }

  void on_end(std::int32_t rank) noexcept {
    Child &child = children_[static_cast<std::size_t>(rank)];
    reap(child);
    // Marks the death before it breaks the fence, so that a process whose fence fails can look up
    // the reason.
    const bool died = child.code != 0 || !store_.has_left(rank);
    if (died) {
      store_.failures().mark(rank);
    }
    store_.fence().break_off();
    if (died && options_.kill_on_failure != 0) {
      kill_all();
    }
  }

  void kill_all() const noexcept {
    for (const Child &child : children_) {
      if (!child.ended) {
        kill(child.pid, SIGKILL);
      }
    }
  }

  const KeyValueStore &store_;
  const avrm_fork_options_t options_;
  std::vector<Child> children_;
  std::vector<pollfd> polled_; // by rank, like children_
  bool must_look_ = false;     // some process has no pidfd
};

} // namespace

avrm_status_t fork_run(const avrm_fork_options_t &options, ForkBody body, void *user,
                       std::int32_t *exit_codes) noexcept {
  if (children_are_discarded()) {
    set_open_error("SIGCHLD is ignored: the system would keep no exit codes");
    return AVRM_ERR_SYSTEM;
  }
  KeyValueStore store;
  avrm_status_t status = KeyValueStore::create(options.size, &store);
  if (status != AVRM_OK) {
    return status;
  }
  try {
    ForkedJob job(store, options);
    status = job.start(body, user);
    if (status == AVRM_OK) {
      status = job.watch();
    }
    if (status == AVRM_OK && exit_codes != nullptr) {
      job.copy_codes(exit_codes);
    }
    return status;
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  }
}

} // namespace avrankmap::detail
