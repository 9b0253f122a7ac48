// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/embedded_launch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <climits>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "base/file_pages.h"
#include "base/open_error.h"
#include "base/wait_for.h"
#include "launch/key_value_store.h"
#include "launch/spawned.h"

namespace avrankmap::detail {

namespace {

// The descriptor of the store in every process. The supervisor's socket has the next number.
constexpr int kStoreDescriptor = 3;
constexpr int kReportDescriptor = 4;
constexpr int kFirstOther = 5;
constexpr int kMostAttempts = 1000; // of a system call that must not fail
constexpr int kCannotRun = 127;     // the exit code that shells use

struct Report {
  std::int32_t rank;
  std::int32_t status;
};

// Everything that the supervisor needs, allocated before the fork.
struct Family {
  KeyValueStore store;
  std::int32_t size = 0;
  std::vector<std::string> words; // the strings that the vectors point to
  std::vector<char *> arguments;
  std::vector<char *> environment;
  char *rank_digits = nullptr;
  std::vector<pid_t> pids;
  sigset_t mask = {}; // of the launching process
};

void close_all(int first, int last) noexcept {
  if (first > last || syscall(SYS_close_range, first, last, 0) == 0) {
    return;
  }
  rlimit limit = {};
  const bool known = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < INT_MAX;
  const int end = std::min(last, known ? static_cast<int>(limit.rlim_cur) : 65536);
  for (int descriptor = first; descriptor <= end; ++descriptor) {
    close(descriptor);
  }
}

// Moves the two descriptors to their fixed numbers and closes all others except the standard
// streams. Closes first, because a low limit may leave no room for duplicates. Returns false if
// there is still no room.
bool arrange_descriptors(int store, int report) noexcept {
  const auto [low, high] = std::minmax(store, report);
  close_all(kStoreDescriptor, low - 1);
  close_all(std::max(low + 1, kStoreDescriptor), high - 1);
  close_all(std::max(high + 1, kStoreDescriptor), INT_MAX);
  // Duplicates both first, because either may have the number to which the other is moved.
  const int high_store = fcntl(store, F_DUPFD, kFirstOther);
  const int high_report = fcntl(report, F_DUPFD, kFirstOther);
  if (high_store < 0 || high_report < 0 || dup2(high_store, kStoreDescriptor) < 0 ||
      dup3(high_report, kReportDescriptor, O_CLOEXEC) < 0) {
    return false;
  }
  close_all(kFirstOther, INT_MAX);
  return true;
}

[[noreturn]] void become_program(const Family &family, std::int32_t rank, pid_t parent) noexcept {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) {
    _exit(kCannotRun);
  }
  sigprocmask(SIG_SETMASK, &family.mask, nullptr);
  execvpe(family.arguments[0], family.arguments.data(), family.environment.data());
  const Report report{rank, AVRM_ERR_BOOT};
  (void)send(kReportDescriptor, &report, sizeof report, MSG_NOSIGNAL);
  _exit(kCannotRun);
}

pid_t start_one(const Family &family, std::int32_t rank, pid_t parent) noexcept {
  std::int32_t left = rank;
  for (int i = kRankDigits; i-- > 0; left /= 10) {
    family.rank_digits[i] = static_cast<char>('0' + left % 10);
  }
  const pid_t pid = vfork();
  if (pid == 0) {
    become_program(family, rank, parent);
  }
  return pid;
}

// Runs in the supervisor. Calls only async-signal-safe functions.
class Supervisor {
public:
  explicit Supervisor(Family &family) noexcept : family_(family) {}

  void run(int store, int report) noexcept {
    prctl(PR_SET_NAME, "avrm-spawn");
    undo_signals();
    if (!arrange_descriptors(store, report)) {
      const Report lacking{0, AVRM_ERR_SYSTEM};
      (void)send(report, &lacking, sizeof lacking, MSG_NOSIGNAL);
      return;
    }
    await_signals();
    start();
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    watch();
  }

private:
  // Removes the signal handlers of the launching process.
  static void undo_signals() noexcept {
    for (int number = 1; number < NSIG; ++number) {
      struct sigaction action = {};
      if (sigaction(number, nullptr, &action) == 0 && (action.sa_handler != SIG_IGN || number == SIGCHLD)) {
        action = {};
        action.sa_handler = SIG_DFL;
        (void)sigaction(number, &action, nullptr);
      }
    }
  }

  void await_signals() noexcept {
    sigset_t blocked = family_.mask;
    sigaddset(&blocked, SIGCHLD);
    sigprocmask(SIG_SETMASK, &blocked, nullptr);
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    ends_ = signalfd(-1, &awaited, SFD_CLOEXEC | SFD_NONBLOCK);
  }

  void start() noexcept {
    const pid_t self = getpid();
    for (std::int32_t rank = 0; rank < family_.size && !ending_; ++rank) {
      const pid_t pid = start_one(family_, rank, self);
      family_.pids[static_cast<std::size_t>(rank)] = pid;
      if (pid > 0) {
        ++running_;
      } else {
        fail(rank, AVRM_ERR_SYSTEM);
      }
      reap();
    }
    if (ends_ < 0) {
      fail(0, AVRM_ERR_SYSTEM);
    }
  }

  void watch() noexcept {
    bool is_heard = true;
    while (running_ > 0) {
      pollfd entries[] = {{ends_, POLLIN, 0}, {is_heard ? kReportDescriptor : -1, POLLIN, 0}};
      (void)poll(entries, 2, ends_ < 0 ? 1 : -1);
      if (entries[1].revents != 0) {
        char word = 0;
        const ssize_t got = recv(kReportDescriptor, &word, sizeof word, MSG_DONTWAIT);
        is_heard = got < 0 && may_be_repeated();
        let_go_ = got > 0;
        if (!let_go_ && !is_heard) {
          kill_all();
        }
      }
      signalfd_siginfo info;
      (void)!read(ends_, &info, sizeof info);
      reap();
    }
  }

  void reap() noexcept {
    int status = 0;
    for (pid_t pid = waitpid(-1, &status, WNOHANG); pid > 0; pid = waitpid(-1, &status, WNOHANG)) {
      const auto found = std::find(family_.pids.begin(), family_.pids.end(), pid);
      if (found != family_.pids.end()) {
        *found = 0; // the pid may be reused from now on
        --running_;
        on_end(static_cast<std::int32_t>(found - family_.pids.begin()), WIFEXITED(status) && WEXITSTATUS(status) == 0);
      }
    }
  }

  void on_end(std::int32_t rank, bool well) noexcept {
    // Marks the death before it breaks the fence, so that a process whose fence fails can look up
    // the reason.
    const bool died = !well || !family_.store.has_left(rank);
    if (died) {
      family_.store.failures().mark(rank);
    }
    family_.store.fence().break_off();
    if (died && !let_go_) {
      fail(rank, AVRM_ERR_PEER);
    }
  }

  void fail(std::int32_t rank, avrm_status_t status) noexcept {
    if (!ending_) { // deaths that kill_all causes are not reported
      const Report report{rank, status};
      (void)send(kReportDescriptor, &report, sizeof report, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    kill_all();
  }

  void kill_all() noexcept {
    ending_ = true;
    for (const pid_t pid : family_.pids) {
      if (pid > 0) {
        (void)kill(pid, SIGKILL);
      }
    }
  }

  Family &family_;
  int ends_ = -1;
  std::int32_t running_ = 0;
  bool let_go_ = false;
  bool ending_ = false;
};

// May throw std::bad_alloc.
void write_family(const Program &program, std::uint64_t inode, Family *family) {
  family->size = program.size;
  family->pids.resize(static_cast<std::size_t>(program.size));
  std::vector<std::string> &words = family->words;
  words.emplace_back(program.command);
  for (const char *const *word = program.arguments; word != nullptr && *word != nullptr; ++word) {
    words.emplace_back(*word);
  }
  const std::size_t arguments = words.size();
  char text[128];
  (void)std::snprintf(text, sizeof text, "%s=%d:%" PRIu64 ":%d:%d:%0*d", env::row(env::kSpawned).name, kStoreDescriptor,
                      inode, program.size, program.local ? 1 : 0, kRankDigits, 0);
  words.emplace_back(text);
  words.emplace_back(std::string(env::row(env::kParentPort).name) + "=" + program.port);
  // The first value of a variable takes precedence.
  const auto is_there = [&words, arguments](const char *variable) {
    const std::size_t name = std::strcspn(variable, "=") + 1;
    return std::any_of(words.begin() + static_cast<std::ptrdiff_t>(arguments), words.end(),
                       [&](const std::string &word) { return word.compare(0, name, variable, name) == 0; });
  };
  for (const char *const *list : {program.environment, static_cast<const char *const *>(environ)}) {
    for (; list != nullptr && *list != nullptr; ++list) {
      if (!is_there(*list)) {
        words.emplace_back(*list);
      }
    }
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    (i < arguments ? family->arguments : family->environment).push_back(words[i].data());
  }
  family->arguments.push_back(nullptr);
  family->environment.push_back(nullptr);
  family->rank_digits = words[arguments].data() + words[arguments].size() - kRankDigits;
}

// Forks a child that sends no signal when it ends. fork() would run the fork handlers of libraries,
// and its child would be visible to the program's own wait calls. Returns 0 if no process can be
// created.
pid_t start_keeper(Family &family, int store, int report) noexcept {
  sigset_t all;
  sigfillset(&all);
  // No handler of the program may run in the supervisor.
  pthread_sigmask(SIG_SETMASK, &all, &family.mask);
  const auto pid = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (pid == 0) {
    Supervisor(family).run(store, report);
    _exit(0);
  }
  pthread_sigmask(SIG_SETMASK, &family.mask, nullptr);
  return pid < 0 ? 0 : pid;
}

// Creates a file in memory: a memfd or, where a seccomp filter refuses it, an unnamed file in
// /dev/shm.
int make_file() noexcept {
  const int file = memfd_create("avrm-cards", MFD_CLOEXEC);
  if (file >= 0 || (errno != ENOSYS && errno != EPERM)) {
    return file;
  }
  return open("/dev/shm", O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
}

class Descriptor {
public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) {
      close(number_);
    }
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  [[nodiscard]] int get() const noexcept { return number_; }

private:
  int number_;
};

} // namespace

avrm_status_t EmbeddedLaunch::start(const Program &program) noexcept {
  try {
    const Descriptor file(make_file());
    struct stat about = {};
    if (file.get() < 0 || fstat(file.get(), &about) != 0) {
      return refused_call("memfd_create");
    }
    if (const int error = make_pages(file.get(), KeyValueStore::bytes(program.size)); error != 0) {
      errno = error;
      return error == EFBIG ? refused_call("ftruncate") : AVRM_ERR_NO_MEMORY;
    }
    Family family;
    const avrm_status_t status = KeyValueStore::open(program.size, file.get(), &family.store);
    if (status != AVRM_OK) {
      return status;
    }
    write_family(program, about.st_ino, &family);
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
      return refused_call("socketpair");
    }
    socket_ = ends[0];
    const Descriptor other(ends[1]);
    keeper_ = start_keeper(family, file.get(), other.get());
    if (keeper_ == 0) {
      const avrm_status_t refused = refused_call("clone");
      close_socket();
      return refused;
    }
    return AVRM_OK;
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  }
}

avrm_status_t EmbeddedLaunch::look() noexcept {
  Report report{};
  const ssize_t got = recv(socket_, &report, sizeof report, MSG_DONTWAIT);
  if (got == static_cast<ssize_t>(sizeof report)) {
    take_down(report.rank, static_cast<avrm_status_t>(report.status));
  } else if (got >= 0 || !may_be_repeated()) {
    take_down(-1, AVRM_ERR_PEER); // all have ended, or the supervisor has died, which kills them
  }
  return failure();
}

void EmbeddedLaunch::let_go() noexcept {
  // The supervisor kills all processes unless it receives this byte. Nothing else has been sent, so
  // the socket has room.
  const char word = 1;
  for (int attempts = 0; attempts < kMostAttempts && send(socket_, &word, sizeof word, MSG_NOSIGNAL) < 0; ++attempts) {
    if (errno == EPIPE) { // the supervisor has exited
      break;
    }
  }
  close_socket();
}

void EmbeddedLaunch::end() noexcept {
  if (socket_ < 0) {
    return;
  }
  (void)shutdown(socket_, SHUT_WR);
  for (;;) {
    Report report{};
    const ssize_t got = recv(socket_, &report, sizeof report, 0);
    if (got == static_cast<ssize_t>(sizeof report)) {
      take_down(report.rank, static_cast<avrm_status_t>(report.status));
    } else if (got >= 0 || errno != EINTR) {
      break;
    }
  }
  close_socket();
  while (waitpid(keeper_, nullptr, __WCLONE) < 0 && errno == EINTR) {
  }
  keeper_ = 0;
}

bool EmbeddedLaunch::is_over() noexcept {
  // Also true if there is no such child, because other code has reaped it.
  if (keeper_ != 0 && waitpid(keeper_, nullptr, __WCLONE | WNOHANG) != 0) {
    keeper_ = 0;
  }
  return keeper_ == 0;
}

void EmbeddedLaunch::close_socket() noexcept {
  close(socket_);
  socket_ = -1;
}

} // namespace avrankmap::detail
