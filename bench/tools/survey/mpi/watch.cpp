// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/survey/mpi/watch.h"

#include "tools/survey/mpi/resolve.h"
#include "tools/survey/rebuilt_comms.h"
#include "tools/survey/report.h"
#include "tools/survey/settings.h"

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <fmt/format.h>

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace avrankmap::survey {
namespace {

#if defined(OPEN_MPI)
constexpr Family kBuiltFor = Family::kOpenMpi;
constexpr int kBuiltForMajor = OMPI_MAJOR_VERSION;
#elif defined(MPICH_NUMVERSION)
constexpr Family kBuiltFor = Family::kMpich;
constexpr int kBuiltForMajor = MPICH_NUMVERSION / 10'000'000;
#else
#error "The survey knows MPICH and Open MPI only"
#endif

// X(function): functions of the MPI library that the survey calls, under their profiling names.
#define AVRM_SURVEY_FUNCTIONS(X)                                                                                       \
  X(PMPI_Initialized)                                                                                                  \
  X(PMPI_Comm_group)                                                                                                   \
  X(PMPI_Comm_rank)                                                                                                    \
  X(PMPI_Comm_remote_group)                                                                                            \
  X(PMPI_Comm_test_inter)                                                                                              \
  X(PMPI_Group_free)                                                                                                   \
  X(PMPI_Group_incl)                                                                                                   \
  X(PMPI_Group_size)                                                                                                   \
  X(PMPI_Group_translate_ranks)

/// The MPI library of the program.
class Library {
public:
  Library() {
#define AVRM_SURVEY_FIND(function) function = need<decltype(&::function)>(#function, resolve);
    AVRM_SURVEY_FUNCTIONS(AVRM_SURVEY_FIND)
#if defined(OPEN_MPI)
    // Open MPI's predefined handles are addresses of objects.
    world = need<MPI_Comm>("ompi_mpi_comm_world", resolve_object);
    self = need<MPI_Comm>("ompi_mpi_comm_self", resolve_object);
    null = need<MPI_Comm>("ompi_mpi_comm_null", resolve_object);
    from_fortran_ = need<MPI_Comm (*)(MPI_Fint)>("PMPI_Comm_f2c", resolve);
#endif
  }

  [[nodiscard]] MPI_Comm from_fortran(MPI_Fint handle) const {
#if defined(OPEN_MPI)
    return from_fortran_(handle);
#else
    return MPI_Comm_f2c(handle);
#endif
  }

#define AVRM_SURVEY_MEMBER(function) decltype(&::function) function;
  AVRM_SURVEY_FUNCTIONS(AVRM_SURVEY_MEMBER)
#undef AVRM_SURVEY_MEMBER
#if defined(OPEN_MPI)
  MPI_Comm world, self, null;
#else
  MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF, null = MPI_COMM_NULL;
#endif

private:
  template <class T> static T need(const char *name, void *(*look_up)(const char *)) {
    void *const found = look_up(name);
    if (found == nullptr) {
      throw std::runtime_error(fmt::format("the MPI library has no symbol {}", name));
    }
    return reinterpret_cast<T>(found);
  }

#if defined(OPEN_MPI)
  MPI_Comm (*from_fortran_)(MPI_Fint);
#endif
};

std::uint64_t number_of(MPI_Comm comm) {
#if defined(OPEN_MPI)
  return reinterpret_cast<std::uintptr_t>(comm);
#else
  return static_cast<std::uint32_t>(comm);
#endif
}

MPI_Comm comm_of(Word word) {
#if defined(OPEN_MPI)
  return reinterpret_cast<MPI_Comm>(word);
#else
  return static_cast<MPI_Comm>(word);
#endif
}

void require(int code, const char *what) {
  if (code != MPI_SUCCESS) {
    throw std::runtime_error(fmt::format("{} failed with code {}", what, code));
  }
}

class Watch {
public:
  void init() noexcept {
    guard([&] { start(); });
  }

  void made(const Call &call) noexcept {
    guard([&] {
      start();
      if (comms_ != nullptr) {
        enter(call);
      }
    });
  }

  void idup(const Call &call) noexcept {
    guard([&] {
      start();
      if (comms_ == nullptr) {
        return;
      }
      const MPI_Comm parent = handle(call.language, call.parent, true);
      add_unseen(parent);
      // No communicator has this handle: it is neither a valid address nor 32 bits wide.
      const std::uint64_t number = std::uint64_t{1} << 63 | ++idups_;
      Processes processes = processes_of(parent);
      comms_->add({number, number_of(parent), Made::kDup, call.name, processes.local, processes.remote});
      pending_.push_back({number, std::move(processes)});
    });
  }

  void free(Language language, Word where) noexcept {
    guard([&] {
      if (comms_ == nullptr || where == 0) {
        return;
      }
      const MPI_Comm comm = handle(language, where, false);
      if (!comms_->knows(number_of(comm)) && comm != library_->null) {
        claim(comm);
      }
      comms_->remove(number_of(comm));
    });
  }

  /// Reports, once. @param mpi  whether MPI can still be called
  void end(const char *how, bool mpi) noexcept {
    guard([&] {
      if (state_ == State::kEnded || pid_ != getpid()) {
        return;
      }
      state_ = State::kEnded;
      if (comms_ != nullptr) {
        report(how);
      }
      if (mpi && library_ != nullptr) {
        for (MPI_Group &group : groups_) {
          library_->PMPI_Group_free(&group);
        }
      }
      groups_.clear();
      comms_.reset();
    });
  }

  /// Reports when a program ends without MPI_Finalize. Another thread may hold the mutex forever.
  void exit() noexcept {
    if (mutex_.try_lock()) {
      mutex_.unlock();
      end("exit without MPI_Finalize", false);
    }
  }

  int missing(const char *name) noexcept {
    guard([&] { complain(fmt::format("the program calls {}, which no loaded library defines", name)); });
    return MPI_ERR_OTHER;
  }

private:
  enum class State { kNew, kActive, kPassive, kEnded };

  struct Processes {
    std::vector<avrm_gpid_t> local;
    std::vector<avrm_gpid_t> remote;
  };
  struct Pending {
    std::uint64_t number;
    Processes processes;
  };

  /// Calls f and catches all its exceptions. Keeps errno.
  template <class F> void guard(F &&f) noexcept {
    const int error = errno;
    try {
      // The same thread comes here again only if a PMPI function that we call is another tool's.
      const std::unique_lock lock(mutex_);
      try {
        f();
      } catch (const std::bad_alloc &) {
        stop("memory is exhausted");
      } catch (const std::exception &failure) {
        stop(failure.what());
      }
    } catch (...) { // composing the message also failed
      state_ = state_ == State::kEnded ? state_ : State::kPassive;
    }
    errno = error;
  }

  void stop(const char *reason) {
    if (state_ == State::kEnded) {
      complain(reason);
      return;
    }
    state_ = State::kPassive;
    stopped_ = reason;
    complain(fmt::format("{}: the survey stops here, the program continues", reason));
  }

  /// Prints the first message only; in the first process of the job only, if the rank is known.
  void complain(const std::string &text) {
    if (complained_) {
      return;
    }
    complained_ = true;
    for (const char *variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
      const char *const rank = std::getenv(variable);
      if (rank != nullptr && std::string_view(rank) != "0" && rank_ <= 0 && comms_ == nullptr) {
        return;
      }
    }
    say("survey: " + text + '\n');
  }

  static void say(const std::string &text) {
    for (std::size_t written = 0; written < text.size();) {
      const ssize_t more = write(STDERR_FILENO, text.data() + written, text.size() - written);
      if (more <= 0) {
        return;
      }
      written += static_cast<std::size_t>(more);
    }
  }

  /// Starts the survey once MPI is initialized.
  void start() {
    if (state_ != State::kNew) {
      return;
    }
    state_ = State::kPassive;
    pid_ = getpid();
    settings_ = read_settings(std::getenv("AVRM_SURVEY_OUT"), std::getenv("AVRM_SURVEY_PROJECT"));
    if (!fits()) {
      return;
    }
    library_ = std::make_unique<Library>();
    int initialized = 0;
    require(library_->PMPI_Initialized(&initialized), "MPI_Initialized");
    if (initialized == 0) {
      complain("the program uses MPI sessions without MPI_Init: nothing is surveyed");
      return;
    }
    require(library_->PMPI_Comm_rank(library_->world, &rank_), "MPI_Comm_rank");
    groups_.push_back(group_of(library_->world, false));
    int size = 0;
    require(library_->PMPI_Group_size(groups_[0], &size), "MPI_Group_size");
    comms_ = std::make_unique<RebuiltComms>(size, settings_.project);
    for (const auto &[comm, name] :
         {std::pair(library_->world, "MPI_COMM_WORLD"), std::pair(library_->self, "MPI_COMM_SELF")}) {
      const Processes processes = processes_of(comm);
      comms_->add({number_of(comm), 0, Made::kPredefined, name, processes.local, {}});
    }
    state_ = State::kActive;
    if (!settings_.complaint.empty()) {
      complain(settings_.complaint);
    }
  }

  /// Returns whether this library was built for the MPI that the program runs on. Uses only what is
  /// binary compatible between MPI libraries.
  bool fits() {
    using GetVersion = int(char *, int *);
    auto *const get_version = reinterpret_cast<GetVersion *>(resolve("PMPI_Get_library_version"));
    if (get_version == nullptr) {
      complain("the MPI library is older than MPI 3, without MPI_Get_library_version: nothing is surveyed");
      return false;
    }
    // MPICH writes up to 8192 bytes, Open MPI 256.
    std::vector<char> text(std::size_t{1} << 16);
    int length = 0;
    require(get_version(text.data(), &length), "MPI_Get_library_version");
    const LibraryVersion version = parse_library_version(text.data());
    mpi_ = version.title;
    const std::string reason = why_not(kBuiltFor, kBuiltForMajor, version);
    if (!reason.empty()) {
      complain(reason + ": nothing is surveyed");
    }
    return reason.empty();
  }

  [[nodiscard]] MPI_Comm handle(Language language, Word word, bool by_value) const {
    if (language == Language::kFortran) {
      return library_->from_fortran(*reinterpret_cast<const MPI_Fint *>(word));
    }
    return by_value ? comm_of(word) : *reinterpret_cast<const MPI_Comm *>(word);
  }

  void enter(const Call &call) {
    if (state_ != State::kActive) {
      return;
    }
    const MPI_Comm comm = handle(call.language, call.result, false);
    // A Fortran function that called a watched function has been counted by that one.
    const bool heard = call.language == Language::kFortran && last_ == number_of(comm) && comms_->knows(last_);
    last_ = 0;
    const bool asked_parent = call.made == Made::kDynamic && call.parent == 0 && comms_->knows(number_of(comm));
    if (heard || asked_parent) {
      return;
    }
    if (comm == library_->null) {
      // A process that was not spawned has no parent: no communicator was created.
      if (std::string_view(call.name) != "MPI_Comm_get_parent") {
        comms_->add_null();
      }
      return;
    }
    std::uint64_t parent = 0;
    if (call.parent != 0) {
      const MPI_Comm from = handle(call.language, call.parent, true);
      add_unseen(from);
      parent = number_of(from);
    }
    const Processes processes = processes_of(comm);
    comms_->add({number_of(comm), parent, call.made, call.name, processes.local, processes.remote});
    if (call.language == Language::kC) {
      last_ = number_of(comm);
    }
  }

  /// Enters a communicator that is in use but unknown.
  void add_unseen(MPI_Comm comm) {
    if (comms_->knows(number_of(comm)) || claim(comm)) {
      return;
    }
    const Processes processes = processes_of(comm);
    comms_->add({number_of(comm), 0, Made::kFirstSeen, "not watched", processes.local, processes.remote});
  }

  /// Takes an unknown communicator for a pending one of MPI_Comm_idup with the same processes.
  /// Several of those are interchangeable here. Returns false if there is none.
  bool claim(MPI_Comm comm) {
    if (pending_.empty()) {
      return false;
    }
    const Processes processes = processes_of(comm);
    const auto same = [](const std::vector<avrm_gpid_t> &a, const std::vector<avrm_gpid_t> &b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](avrm_gpid_t x, avrm_gpid_t y) { return x.pgid == y.pgid && x.lpid == y.lpid; });
    };
    for (auto pending = pending_.begin(); pending != pending_.end(); ++pending) {
      if (same(pending->processes.local, processes.local) && same(pending->processes.remote, processes.remote)) {
        comms_->rename(pending->number, number_of(comm));
        pending_.erase(pending);
        return true;
      }
    }
    return false;
  }

  MPI_Group group_of(MPI_Comm comm, bool remote) {
    MPI_Group group;
    require(remote ? library_->PMPI_Comm_remote_group(comm, &group) : library_->PMPI_Comm_group(comm, &group),
            "MPI_Comm_group");
    return group;
  }

  Processes processes_of(MPI_Comm comm) {
    Processes processes;
    int inter = 0;
    require(library_->PMPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
    processes.local = processes_of(comm, false);
    if (inter != 0) {
      processes.remote = processes_of(comm, true);
    }
    return processes;
  }

  std::vector<avrm_gpid_t> processes_of(MPI_Comm comm, bool remote) {
    const MPI_Group group = group_of(comm, remote);
    const auto free = [this](const MPI_Group *held) {
      MPI_Group copy = *held;
      library_->PMPI_Group_free(&copy);
    };
    const std::unique_ptr<const MPI_Group, decltype(free)> holder(&group, free);
    return translate(group);
  }

  /// Translates the ranks of a group by the MPI library: into the world, then into other known
  /// process groups. Processes in none of them form a new process group.
  std::vector<avrm_gpid_t> translate(MPI_Group group) {
    int size = 0;
    require(library_->PMPI_Group_size(group, &size), "MPI_Group_size");
    std::vector<avrm_gpid_t> processes(static_cast<std::size_t>(size));
    std::vector<int> left(processes.size()); // ranks without a known process group
    std::iota(left.begin(), left.end(), 0);
    std::vector<int> lpids(left.size());
    for (std::size_t pgid = 0; pgid < groups_.size() && !left.empty(); ++pgid) {
      require(library_->PMPI_Group_translate_ranks(group, static_cast<int>(left.size()), left.data(), groups_[pgid],
                                                   lpids.data()),
              "MPI_Group_translate_ranks");
      std::size_t kept = 0;
      for (std::size_t i = 0; i < left.size(); ++i) {
        if (lpids[i] == MPI_UNDEFINED) {
          left[kept++] = left[i];
        } else {
          processes[static_cast<std::size_t>(left[i])] = {static_cast<std::int32_t>(pgid), lpids[i]};
        }
      }
      left.resize(kept);
    }
    if (!left.empty()) {
      MPI_Group others;
      require(library_->PMPI_Group_incl(group, static_cast<int>(left.size()), left.data(), &others), "MPI_Group_incl");
      groups_.push_back(others);
      const std::int32_t pgid = comms_->add_process_group(static_cast<std::int32_t>(left.size()));
      for (std::size_t i = 0; i < left.size(); ++i) {
        processes[static_cast<std::size_t>(left[i])] = {pgid, static_cast<std::int32_t>(i)};
      }
    }
    return processes;
  }

  void report(const char *how) {
    const About about{program_invocation_short_name, mpi_, rank_, how, stopped_};
    const Summary &summary = comms_->summary();
    if (settings_.out.empty()) {
      say(rank_ == 0 ? to_text(about, summary) : mismatches_text(about, summary));
      return;
    }
    const std::string path = fmt::format("{}.{}.{}", settings_.out, rank_, pid_);
    std::string wrong = write_file(path + ".txt", to_text(about, summary));
    if (wrong.empty()) {
      wrong = write_file(path + ".json", to_json(about, summary));
    }
    if (!wrong.empty()) {
      complain(wrong);
    }
    say(mismatches_text(about, summary));
  }

  std::recursive_mutex mutex_;
  State state_ = State::kNew;
  pid_t pid_ = 0;
  int rank_ = -1;
  bool complained_ = false;
  std::string mpi_;
  std::string stopped_;
  Settings settings_;
  std::unique_ptr<Library> library_;
  std::unique_ptr<RebuiltComms> comms_;
  std::vector<MPI_Group> groups_; // by pgid; the world's first
  std::list<Pending> pending_;
  std::uint64_t idups_ = 0;
  static thread_local std::uint64_t last_; // this thread's last new handle through C
};

thread_local std::uint64_t Watch::last_ = 0;

/// Never destroyed: destructors of the program may call MPI.
Watch &watch() noexcept {
  alignas(Watch) static unsigned char place[sizeof(Watch)];
  static Watch *const watch = ::new (static_cast<void *>(place)) Watch;
  return *watch;
}

__attribute__((destructor)) void at_exit() { watch().exit(); }

} // namespace

void watch_init() noexcept { watch().init(); }
void watch_made(const Call &call) noexcept { watch().made(call); }
void watch_idup(const Call &call) noexcept { watch().idup(call); }
void watch_free(Language language, Word where) noexcept { watch().free(language, where); }
void watch_end(const char *how) noexcept { watch().end(how, true); }
int watch_missing(const char *name) noexcept { return watch().missing(name); }

} // namespace avrankmap::survey
