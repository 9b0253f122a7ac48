// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmi2/client.h"

#include <fcntl.h>
#include <pmi2.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <new>

#include "base/environment.h"
#include "base/open_error.h"

namespace avrankmap::detail {

namespace {

// Time limit of a fetch that waits for a fence.
constexpr std::chrono::seconds kMostWait{5};
// A key that no process puts. Under hydra a fence does not wait, but a later lookup of a missing
// key waits until all processes have called as many fences.
constexpr const char *kNoKey = "avrm.none";
constexpr std::size_t kAttributeMax = std::size_t{1} << 16;

// libpmi2 writes to its socket with write(), so SIGPIPE would end this process once the launcher
// has ended.
class NoPipeSignal {
public:
  NoPipeSignal() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &old_);
  }
  ~NoPipeSignal() {
    const timespec now = {};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal &) = delete;
  NoPipeSignal &operator=(const NoPipeSignal &) = delete;

private:
  sigset_t pipe_;
  sigset_t old_;
  bool was_pending_;
};

avrm_status_t refuse(const char *text) noexcept {
  set_open_error(text);
  return AVRM_ERR_BOOT;
}

} // namespace

// The lock for calls of libpmi2, which can be taken with a time limit.
class Pmi2Client::Turn {
public:
  explicit Turn(Pmi2Client &client) noexcept : client_(client) {
    std::unique_lock guard(client.lock_);
    client.changed_.wait(guard, [this] { return !client_.is_calling_; });
    client.is_calling_ = true;
  }
  Turn(Pmi2Client &client, std::chrono::seconds most) noexcept : client_(client) {
    std::unique_lock guard(client.lock_);
    is_taken_ = client.changed_.wait_for(guard, most, [this] { return !client_.is_calling_; });
    client.is_calling_ |= is_taken_;
  }
  ~Turn() {
    if (!is_taken_) {
      return;
    }
    {
      const std::lock_guard guard(client_.lock_);
      client_.is_calling_ = false;
    }
    client_.changed_.notify_all();
  }
  Turn(const Turn &) = delete;
  Turn &operator=(const Turn &) = delete;

  [[nodiscard]] bool is_taken() const noexcept { return is_taken_; }

private:
  Pmi2Client &client_;
  bool is_taken_ = true;
  NoPipeSignal no_signal_;
};

Pmi2Client &Pmi2Client::instance() noexcept {
  alignas(Pmi2Client) static unsigned char place[sizeof(Pmi2Client)];
  static Pmi2Client &client = *new (place) Pmi2Client;
  return client;
}

avrm_status_t Pmi2Client::join() noexcept {
  const Turn turn(*this);
  if (has_left_) {
    return refuse("this process has left its PMI-2 job before, and cannot join it again");
  }
  if (users_ != 0 && size_ != 1) {
    return refuse("this process has joined its PMI-2 job already");
  }
  const avrm_status_t status = is_connected_ ? AVRM_OK : start();
  is_connected_ = status == AVRM_OK;
  users_ += is_connected_ ? 1 : 0;
  return status;
}

avrm_status_t Pmi2Client::start() noexcept {
  if (!find_descriptor()) {
    return refuse("PMI_FD of the environment is no open descriptor: not started by the PMI-2 launcher itself? "
                  "AVRM_LAUNCHER=none runs this process alone");
  }
  ignore_signal();
  int spawned = 0;
  int size = 0;
  int rank = -1;
  int number = 0;
  char job[PMI2_MAX_VALLEN + 1] = "";
  const char *failed = nullptr;
  if (PMI2_Init(&spawned, &size, &rank, &number) != PMI2_SUCCESS) {
    failed = "PMI2_Init failed: does the launcher speak PMI-2 (mpiexec.hydra, srun --mpi=pmi2)?";
  } else if (PMI2_Job_GetId(job, sizeof job) != PMI2_SUCCESS) {
    // Without a launcher libpmi2 pretends to be a job of one process.
    failed = "PMI-2 finds no launcher: was this process started by mpiexec.hydra or srun --mpi=pmi2?";
  } else if (size < 1 || rank < 0 || rank >= size) {
    failed = "the PMI-2 launcher gives this process no rank";
  }
  if (failed != nullptr) {
    restore_signal();
    return refuse(failed);
  }
  size_ = size;
  rank_ = rank;
  is_spawned_ = spawned != 0;
  if (descriptor_ >= 0) { // not inherited by programs that this one starts
    (void)fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
  }
  return AVRM_OK;
}

// Returns false if PMI_FD is set, but is not an open descriptor.
bool Pmi2Client::find_descriptor() noexcept {
  std::int32_t descriptor = -1;
  if (env::number(env::kPmiFd, 0, &descriptor) != AVRM_OK) {
    return false;
  }
  if (descriptor >= 0 && fcntl(descriptor, F_GETFD) < 0) {
    return false;
  }
  descriptor_ = descriptor;
  return true;
}

// hydra reports a death with a signal, which ends processes that do not handle it. Slurm, whose job
// id is in the environment, sends none.
void Pmi2Client::ignore_signal() noexcept {
  struct sigaction action = {};
  if (env::word(env::kPmiJobid) == nullptr && sigaction(SIGUSR1, nullptr, &old_action_) == 0 &&
      old_action_.sa_handler == SIG_DFL) {
    action.sa_handler = SIG_IGN;
    ignores_signal_ = sigaction(SIGUSR1, &action, nullptr) == 0;
  }
}

void Pmi2Client::restore_signal() noexcept {
  struct sigaction action = {};
  if (ignores_signal_ && sigaction(SIGUSR1, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    (void)sigaction(SIGUSR1, &old_action_, nullptr);
  }
  ignores_signal_ = false;
}

void Pmi2Client::give_up() noexcept {
  const Turn turn(*this, kMostWait);
  --users_;
}

void Pmi2Client::leave() noexcept {
  const Turn turn(*this, kMostWait);
  if (--users_ != 0) {
    return;
  }
  has_left_ = true;
  if (!turn.is_taken()) {
    return; // a thread is still in a call
  }
  // If PMI2_Finalize fails, it leaves the connection open.
  if ((has_hung_up_ || PMI2_Finalize() != PMI2_SUCCESS) && descriptor_ >= 0) {
    close(descriptor_);
  }
  descriptor_ = -1;
  if (!has_hung_up_) { // otherwise the launcher may consider this process dead
    restore_signal();
  }
}

std::string Pmi2Client::job_attribute(const char *name) {
  std::string value(kAttributeMax, '\0');
  int found = 0;
  const Turn turn(*this);
  if (PMI2_Info_GetJobAttr(name, value.data(), static_cast<int>(value.size()), &found) != PMI2_SUCCESS || found == 0) {
    return {};
  }
  value.resize(std::min(value.find('\0'), value.size()));
  value.shrink_to_fit();
  return value;
}

Pmi2Client::Found Pmi2Client::get(std::int32_t rank, const char *key, char *value, std::size_t room) noexcept {
  const Turn turn(*this, kMostWait);
  if (!turn.is_taken()) {
    return Found::kBusy;
  }
  int length = 0;
  // A negative length: there is not enough room.
  return !has_hung_up_ && PMI2_KVS_Get(nullptr, rank, key, value, static_cast<int>(room), &length) == PMI2_SUCCESS &&
                 length >= 0
             ? Found::kYes
             : Found::kNo;
}

bool Pmi2Client::fence(const KeyValues &puts) noexcept {
  const Turn turn(*this);
  for (const auto &[key, value] : puts) {
    if (PMI2_KVS_Put(key.c_str(), value.c_str()) != PMI2_SUCCESS) {
      return false;
    }
  }
  if (PMI2_KVS_Fence() != PMI2_SUCCESS) {
    return false;
  }
  char none[PMI2_MAX_VALLEN + 1];
  int length = 0;
  (void)PMI2_KVS_Get(nullptr, PMI2_ID_NULL, kNoKey, none, sizeof none, &length);
  return !is_lost();
}

bool Pmi2Client::spawn(const Job &job) noexcept {
  try {
    std::vector<const char *> words;
    for (const std::string &word : job.arguments) {
      words.push_back(word.c_str());
    }
    const auto info = [](const std::string &key, const std::string &value) {
      MPID_Info row = {};
      row.key = const_cast<char *>(key.c_str());
      row.value = const_cast<char *>(value.c_str());
      return row;
    };
    const std::string folder_key = "wdir";
    const MPID_Info folder = info(folder_key, job.folder);
    std::vector<MPID_Info> preput;
    std::vector<const MPID_Info *> preput_rows;
    preput.reserve(job.preput.size());
    for (const auto &[key, value] : job.preput) {
      preput_rows.push_back(&preput.emplace_back(info(key, value)));
    }
    std::vector<int> errors(static_cast<std::size_t>(job.size));
    const char *command = job.command.c_str();
    int word_count = static_cast<int>(words.size());
    const char **arguments = words.data();
    const int folders = 1;
    const MPID_Info *folder_row = &folder;
    char name[PMI2_MAX_VALLEN + 1] = "";
    const Turn turn(*this);
    return !has_hung_up_ && PMI2_Job_Spawn(1, &command, &word_count, &arguments, &job.size, &folders, &folder_row,
                                           static_cast<int>(preput_rows.size()), preput_rows.data(), name, sizeof name,
                                           errors.data()) == PMI2_SUCCESS;
  } catch (const std::bad_alloc &) {
    return false;
  }
}

void Pmi2Client::hang_up() noexcept {
  has_hung_up_ = true;
  if (descriptor_ >= 0) {
    (void)shutdown(descriptor_, SHUT_RDWR);
  }
}

bool Pmi2Client::is_lost() const noexcept {
  pollfd connection = {descriptor_, POLLRDHUP, 0};
  return descriptor_ >= 0 && poll(&connection, 1, 0) > 0;
}

} // namespace avrankmap::detail
