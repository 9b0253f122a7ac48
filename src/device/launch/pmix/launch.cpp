// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmix/launch.h"

#include <pmix.h>

#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/environment.h"
#include "launch/pmix/job.h"
#include "launch/pmix/value.h"

namespace avrankmap::detail {

// Reference-counted, because the server may still answer an abandoned launch.
struct PmixSpawn {
  std::mutex lock;
  std::optional<pmix_status_t> answer;
  std::string job;
  bool is_given_up = false;
  std::int32_t size = 0;
};

namespace {

using Clock = std::chrono::steady_clock;
using SharedSpawn = std::shared_ptr<PmixSpawn>;

constexpr std::chrono::milliseconds kQueryInterval{50};
// Time that killed processes may take to disappear.
constexpr std::chrono::seconds kEndTime{10};

// Kills the processes of a job. Lists them one by one, because Open MPI 4.1 applies a request for a
// whole job to all jobs.
void kill_job(const std::string &job, std::int32_t size) noexcept {
  try {
    std::vector<pmix_proc_t> processes(static_cast<std::size_t>(size));
    for (std::size_t rank = 0; rank < processes.size(); ++rank) {
      PMIX_LOAD_PROCID(&processes[rank], job.c_str(), static_cast<pmix_rank_t>(rank));
    }
    const bool yes = true;
    pmix_info_t directive = {};
    PMIX_INFO_LOAD(&directive, PMIX_JOB_CTRL_KILL, &yes, PMIX_BOOL);
    // Later queries show the result.
    const auto done = [](pmix_status_t, pmix_info_t *, std::size_t, void *, pmix_release_cbfunc_t release,
                         void *release_user) {
      if (release != nullptr) {
        release(release_user);
      }
    };
    (void)PMIx_Job_control_nb(processes.data(), processes.size(), &directive, 1, done, nullptr);
  } catch (const std::bad_alloc &) { // the children end when they find no parent
  }
}

// Runs on PMIx's own thread.
// NOLINTNEXTLINE(readability-non-const-parameter): PMIx's type
void on_spawn(pmix_status_t status, char *job, void *user) {
  const auto spawn = std::static_pointer_cast<PmixSpawn>(take_held(user));
  const std::lock_guard guard(spawn->lock);
  try {
    spawn->job = job == nullptr ? "" : job;
    spawn->answer = status;
  } catch (const std::bad_alloc &) {
    spawn->answer = PMIX_ERR_NOMEM;
  }
  if (spawn->is_given_up && status == PMIX_SUCCESS) {
    kill_job(spawn->job, spawn->size);
  }
}

// The data that PMIx_Spawn_nb reads. Points into itself.
class Request {
public:
  Request(const Program &program, const std::string &path) {
    words_.push_back(path);
    for (const char *const *word = program.arguments; word != nullptr && *word != nullptr; ++word) {
      words_.emplace_back(*word);
    }
    const std::size_t arguments = words_.size();
    words_.emplace_back(env::row(env::kPmixParentPort).name).append("=").append(program.port);
    for (const char *const *word = program.environment; word != nullptr && *word != nullptr; ++word) {
      words_.emplace_back(*word);
    }
    for (std::size_t i = 0; i < words_.size(); ++i) {
      (i < arguments ? arguments_ : environment_).push_back(words_[i].data());
    }
    arguments_.push_back(nullptr);
    environment_.push_back(nullptr);
    folder_ = current_folder();
    app_.cmd = words_.front().data();
    app_.argv = arguments_.data();
    app_.env = environment_.data();
    app_.cwd = folder_.empty() ? nullptr : folder_.data();
    app_.maxprocs = program.size;
    const bool yes = true;
    PMIX_INFO_LOAD(&recoverable_, PMIX_JOB_RECOVERABLE, &yes, PMIX_BOOL);
  }
  Request(const Request &) = delete;
  Request &operator=(const Request &) = delete;
  ~Request() { PMIX_INFO_DESTRUCT(&recoverable_); }

  pmix_status_t make(const SharedSpawn &spawn) {
    void *const user = hold_for_callback(spawn);
    if (user == nullptr) {
      return PMIX_ERR_NOMEM;
    }
    const pmix_status_t status = PMIx_Spawn_nb(&recoverable_, 1, &app_, 1, &on_spawn, user);
    if (status != PMIX_SUCCESS) {
      (void)take_held(user);
    }
    return status;
  }

private:
  std::vector<std::string> words_;
  std::vector<char *> arguments_;
  std::vector<char *> environment_;
  std::string folder_;
  pmix_info_t recoverable_ = {};
  pmix_app_t app_ = {};
};

} // namespace

bool PmixLaunch::request(const Program &program, const std::string &path) {
  spawn_ = std::make_shared<PmixSpawn>();
  spawn_->size = program.size;
  return Request(program, path).make(spawn_) == PMIX_SUCCESS;
}

ExternalLaunch::Answer PmixLaunch::answer() noexcept {
  const std::lock_guard guard(spawn_->lock);
  if (!spawn_->answer) {
    return Answer::kNone;
  }
  return *spawn_->answer == PMIX_SUCCESS ? Answer::kStarted : Answer::kRefused;
}

void PmixLaunch::look_at_processes() noexcept {
  if (Clock::now() - asked_ < kQueryInterval) {
    return;
  }
  bool someone_runs = false;
  const bool known = look_at_job(spawn_->job.c_str(), [&](std::int32_t rank, ProcessFate fate) {
    someone_runs |= fate == ProcessFate::kRuns;
    if ((fate == ProcessFate::kDied || fate == ProcessFate::kNotStarted) && rank >= 0 && rank < size()) {
      take_down(rank, fate == ProcessFate::kDied ? AVRM_ERR_PEER : AVRM_ERR_BOOT);
    }
  });
  if (known && !someone_runs) {
    take_down(-1, AVRM_ERR_PEER);
  }
  asked_ = Clock::now();
}

void PmixLaunch::end() noexcept {
  end_embedded();
  const SharedSpawn spawn = std::move(spawn_);
  spawn_.reset();
  if (spawn == nullptr) {
    return;
  }
  {
    const std::lock_guard guard(spawn->lock);
    spawn->is_given_up = true;
    if (spawn->answer != PMIX_SUCCESS) {
      return; // if the job starts later, on_spawn kills it
    }
  }
  kill_job(spawn->job, spawn->size);
  const Clock::time_point end = Clock::now() + kEndTime;
  for (bool someone_runs = true; someone_runs && Clock::now() < end;) {
    someone_runs = false;
    (void)look_at_job(spawn->job.c_str(),
                      [&](std::int32_t /*rank*/, ProcessFate fate) { someone_runs |= fate == ProcessFate::kRuns; });
    if (someone_runs) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

} // namespace avrankmap::detail
