// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cards stay at the server of their node. A fence collects no data; a card is transferred to
// another node when a process there first requests it ("direct modex"). Slurm is the exception: see
// needs_collection.
#include "launch/open_client.h"

#include <pmix.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/environment.h"
#include "launch/pmix/connection.h"
#include "launch/pmix/job.h"
#include "launch/pmix/launch.h"
#include "launch/pmix/value.h"
#include "launch/rank_list.h"
#include "launch/zero_pages.h"

namespace avrankmap::detail {

namespace {

// Seconds that a server may wait for a card that its owner has not made visible. Open MPI 4.1
// ignores this limit if the owner has ended on another node, so this process also applies a limit.
constexpr int kFetchTimeout = 5;
constexpr std::chrono::seconds kFetchEnd{kFetchTimeout + 1};

// Each process also publishes this key. A server immediately reports that a card does not exist if
// it knows the process; it would wait for a process that has published nothing.
constexpr const char *kPresenceKey = "avrm.present";

// Minimum time between two queries for deaths by one process of a spawned job.
constexpr std::chrono::milliseconds kLeastPause{250};

// Precedes each card, because some servers reject empty values.
constexpr std::byte kCardMark{1};

// The statuses with which a server may report that a process died. The event names the process in
// PMIX_EVENT_AFFECTED_PROC, or else as its source. Events of the system, such as a node that is
// down, are not included: a server that does not know one of them (Slurm's) refuses the whole list.
constexpr pmix_status_t kDeaths[] = {
    PMIX_ERR_PROC_ABORTED,      PMIX_ERR_PROC_ABORTING,      PMIX_ERR_PROC_REQUESTED_ABORT,
    PMIX_ERR_PROC_TERM_WO_SYNC, PMIX_ERR_PROC_KILLED_BY_CMD, PMIX_ERR_PROC_ABORTED_BY_SIG,
    PMIX_ERR_EXIT_NONZERO_TERM, PMIX_ERR_LOST_CONNECTION,    PMIX_ERR_PROC_SENSOR_BOUND_EXCEEDED,
};

std::string slot_key(std::int32_t slot) { return "avrm." + std::to_string(slot); }

pmix_proc_t process(const pmix_proc_t &self, pmix_rank_t rank) noexcept {
  pmix_proc_t proc = self;
  proc.rank = rank;
  return proc;
}

// Under Slurm a fence that collects nothing does not synchronise nodes: it ends when the processes
// of this node have arrived (seen with 22.05 and PMIx 4.2, regardless of PMIxFenceBarrier). Under
// Slurm the servers therefore exchange the cards, and each node holds all of them.
bool needs_collection(const pmix_proc_t &self, const Place &place) noexcept {
  return place.local_size != place.size && std::string_view(self.nspace).starts_with("slurm.pmix.");
}

std::optional<std::uint32_t> get_number(const pmix_proc_t &proc, const char *key) noexcept {
  PmixValue value;
  return value.get(proc, key, nullptr, 0) == PMIX_SUCCESS ? value.number() : std::nullopt;
}

std::vector<std::int32_t> get_local_ranks(const pmix_proc_t &job) {
  PmixValue value;
  if (value.get(job, PMIX_LOCAL_PEERS, nullptr, 0) != PMIX_SUCCESS) {
    return {};
  }
  const std::optional<std::string_view> text = value.text();
  return text ? parse_ranks(*text) : std::vector<std::int32_t>();
}

// The outcome of a fence. Reference-counted, because the server may still answer an abandoned
// fence.
struct Signal {
  std::mutex lock;
  std::condition_variable changed;
  std::optional<pmix_status_t> fenced; // set when the server answers
  bool someone_died = false;
  bool server_lost = false;
  [[nodiscard]] bool is_over() const noexcept { return fenced || someone_died || server_lost; }

  // Directives of the fence.
  pmix_info_t collect = {};
  std::size_t directives = 0;
};

void on_fence(pmix_status_t status, void *user) {
  const auto signal = std::static_pointer_cast<Signal>(take_held(user));
  {
    const std::lock_guard guard(signal->lock);
    signal->fenced = status;
  }
  signal->changed.notify_all();
}

class PmixBoot final : public avrm_boot {
public:
  PmixBoot() : signal_(std::make_shared<Signal>()) {}
  ~PmixBoot() override {
    stop_watching();
    if (handler_) {
      PMIx_Deregister_event_handler(*handler_, nullptr, nullptr);
    }
    if (joined_) {
      const PmixConnection line(self_);
      PMIx_Finalize(nullptr, 0);
      line.wait_for_server();
      free_forgotten();
    }
  }

  avrm_status_t join();

  [[nodiscard]] const char *kind() const noexcept override { return "pmix"; }
  [[nodiscard]] bool is_opened() const noexcept override { return true; }
  [[nodiscard]] bool is_local() const noexcept override { return false; }
  [[nodiscard]] const char *parent_port() const noexcept override { return parent_port_.c_str(); }
  // After a death the server may ignore new processes (see PmixConnection). For a job on one
  // machine the embedded launcher can be used instead.
  [[nodiscard]] std::unique_ptr<Launch> new_launch(bool someone_died) const noexcept override {
    return someone_died && place_.local_size == place_.size
               ? avrm_boot::new_launch(someone_died)
               : std::unique_ptr<Launch>(new (std::nothrow) PmixLaunch(open_limit));
  }
  [[nodiscard]] bool tells_deaths() const noexcept override { return false; }
  [[nodiscard]] std::span<const std::int32_t> watched_ranks() const noexcept override { return local_ranks_; }
  void report_death(std::int32_t rank) noexcept override;
  avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept override;
  avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card, std::size_t *bytes_p) noexcept override;
  avrm_status_t fence_start() noexcept override;
  avrm_status_t fence_test(bool *done_p) noexcept override;
  avrm_status_t fence_wait(const Deadline &end) noexcept override;

private:
  avrm_status_t fence_verdict() noexcept;
  bool listen() noexcept;
  void watch();
  void stop_watching() noexcept;
  void look_for_deaths() noexcept;
  void end_fence() noexcept;
  static void on_event(std::size_t handler, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                       std::size_t count, pmix_info_t *results, std::size_t result_count,
                       pmix_event_notification_cbfunc_fn_t done, void *user);
  void on_death(pmix_status_t status, const pmix_proc_t &source, const pmix_info_t *info, std::size_t count) noexcept;
  bool mark(const pmix_proc_t &proc) const noexcept;

  [[nodiscard]] bool is_local(std::int32_t rank) const noexcept {
    return std::binary_search(local_ranks_.begin(), local_ranks_.end(), rank);
  }

  std::shared_ptr<Signal> signal_;
  std::string parent_port_;
  std::thread watcher_; // of a spawned job
  std::mutex watcher_lock_;
  std::condition_variable watcher_ends_;
  bool is_watched_ = false;
  pmix_proc_t self_ = {};
  bool joined_ = false;
  std::optional<std::size_t> handler_;
  std::vector<std::int32_t> local_ranks_;
  ZeroPages failure_bits_;
  bool uncommitted_ = false;
  bool broken_ = false; // no later fence will complete
  std::atomic<std::uint32_t> fences_{0};
};

avrm_status_t PmixBoot::join() {
  if (PMIx_Init(&self_, nullptr, 0) != PMIX_SUCCESS) {
    return AVRM_ERR_BOOT;
  }
  joined_ = true;

  const pmix_proc_t job = process(self_, PMIX_RANK_WILDCARD);
  const std::optional<std::uint32_t> size = get_number(job, PMIX_JOB_SIZE);
  local_ranks_ = get_local_ranks(job);
  const auto own = std::lower_bound(local_ranks_.begin(), local_ranks_.end(), static_cast<std::int32_t>(self_.rank));
  if (!size || *size == 0 || *size > INT32_MAX || self_.rank >= *size || own == local_ranks_.end() ||
      *own != static_cast<std::int32_t>(self_.rank)) {
    return AVRM_ERR_BOOT;
  }
  place_.rank = static_cast<std::int32_t>(self_.rank);
  place_.size = static_cast<std::int32_t>(*size);
  place_.local_rank = static_cast<std::int32_t>(own - local_ranks_.begin());
  place_.local_size = static_cast<std::int32_t>(local_ranks_.size());
  place_.block = place_.local_size == place_.size ? place_.size : 0;
  // If the launcher does not number its nodes, the lowest rank of a node is its number.
  place_.node = get_number(self_, PMIX_NODEID).value_or(static_cast<std::uint32_t>(local_ranks_.front()));

  failure_bits_ = ZeroPages(FailedProcesses::bytes(place_.size), ZeroPages::Sharing::kPrivate);
  if (failure_bits_.data() == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  failures_ = FailedProcesses(failure_bits_.data(), place_.size);
  if (needs_collection(self_, place_)) {
    const bool yes = true;
    PMIX_INFO_LOAD(&signal_->collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    signal_->directives = 1;
  }
  if (!listen()) {
    return AVRM_ERR_BOOT;
  }

  pmix_value_t present = {};
  present.type = PMIX_BOOL;
  present.data.flag = true;
  uncommitted_ = true;
  if (PMIx_Put(PMIX_GLOBAL, kPresenceKey, &present) != PMIX_SUCCESS) {
    return AVRM_ERR_BOOT;
  }
  const char *const port = env::text(env::kPmixParentPort);
  if (port != nullptr) {
    parent_port_ = port;
    watch();
  }
  return AVRM_OK;
}

// Spawned jobs are started as recoverable ones, in which a launcher need not report deaths. A
// thread therefore queries for deaths.
void PmixBoot::watch() {
  is_watched_ = true;
  watcher_ = std::thread([this] {
    // Limits the queries of all processes together to one per kShare, a rate that a server can
    // sustain.
    constexpr std::chrono::milliseconds kShare{20};
    const std::chrono::milliseconds pause = std::max<std::chrono::milliseconds>(kLeastPause, kShare * place_.size);
    std::unique_lock guard(watcher_lock_);
    while (!watcher_ends_.wait_for(guard, pause, [this] { return !is_watched_; })) {
      guard.unlock();
      look_for_deaths();
      guard.lock();
    }
  });
}

void PmixBoot::stop_watching() noexcept {
  if (!watcher_.joinable()) {
    return;
  }
  {
    const std::lock_guard guard(watcher_lock_);
    is_watched_ = false;
  }
  watcher_ends_.notify_all();
  watcher_.join();
}

void PmixBoot::look_for_deaths() noexcept {
  bool someone_died = false;
  (void)look_at_job(self_.nspace, [&](std::int32_t rank, ProcessFate fate) {
    if (fate == ProcessFate::kDied && rank >= 0 && rank < place_.size) {
      failures_.mark(rank);
      someone_died = true;
    }
  });
  if (someone_died) {
    end_fence();
  }
}

// Ends the current fence, because a process has died.
void PmixBoot::end_fence() noexcept {
  {
    const std::lock_guard guard(signal_->lock);
    signal_->someone_died = true;
  }
  signal_->changed.notify_all();
}

void PmixBoot::report_death(std::int32_t rank) noexcept {
  failures_.mark(rank);
  end_fence();
}

bool PmixBoot::listen() noexcept {
  pmix_info_t info = {};
  PMIX_INFO_LOAD(&info, PMIX_EVENT_RETURN_OBJECT, this, PMIX_POINTER);
  pmix_status_t codes[std::size(kDeaths)];
  std::copy(std::begin(kDeaths), std::end(kDeaths), codes);
  // Without a callback this blocks, and returns the handler's number, or an error, which is
  // negative.
  const pmix_status_t handler =
      PMIx_Register_event_handler(codes, std::size(codes), &info, 1, &PmixBoot::on_event, nullptr, nullptr);
  if (handler < 0) {
    return false;
  }
  handler_ = static_cast<std::size_t>(handler);
  return true;
}

// Runs on PMIx's own thread.
void PmixBoot::on_event(std::size_t /*handler*/, pmix_status_t status, const pmix_proc_t *source, pmix_info_t info[],
                        std::size_t count, pmix_info_t * /*results*/, std::size_t /*result_count*/,
                        pmix_event_notification_cbfunc_fn_t done, void *user) {
  for (std::size_t i = 0; i < count; ++i) {
    if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_RETURN_OBJECT)) {
      static_cast<PmixBoot *>(info[i].value.data.ptr)->on_death(status, *source, info, count);
    }
  }
  if (done != nullptr) {
    // Lets other handlers also run.
    done(PMIX_EVENT_NO_ACTION_TAKEN, nullptr, 0, nullptr, nullptr, user);
  }
}

void PmixBoot::on_death(pmix_status_t status, const pmix_proc_t &source, const pmix_info_t *info,
                        std::size_t count) noexcept {
  bool named = false;
  bool marked = false;
  for (std::size_t i = 0; i < count; ++i) {
    const pmix_value_t &value = info[i].value;
    if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROC) && value.type == PMIX_PROC) {
      named = true;
      marked |= mark(*value.data.proc);
    } else if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_AFFECTED_PROCS) && value.type == PMIX_DATA_ARRAY &&
               value.data.darray->type == PMIX_PROC) {
      const auto *const procs = static_cast<const pmix_proc_t *>(value.data.darray->array);
      named = true;
      for (std::size_t k = 0; k < value.data.darray->size; ++k) {
        marked |= mark(procs[k]);
      }
    }
  }
  if (!named) {
    marked = mark(source);
  }
  // The client library reports the loss of its server this way; the source is then no process of
  // this job. A job cannot continue without its launcher: if this process waited for peers that
  // have ended, it would never be stopped.
  const bool server_lost = !marked && !named && status == PMIX_ERR_LOST_CONNECTION;
  if (server_lost) {
    failures_.mark_all_but(place_.rank);
  }
  {
    const std::lock_guard guard(signal_->lock);
    signal_->someone_died |= marked;
    signal_->server_lost |= server_lost;
  }
  signal_->changed.notify_all();
}

// Returns false if `proc` is not a process of this job.
bool PmixBoot::mark(const pmix_proc_t &proc) const noexcept {
  if (!PMIX_CHECK_NSPACE(proc.nspace, self_.nspace) || proc.rank >= static_cast<pmix_rank_t>(place_.size)) {
    return false;
  }
  failures_.mark(static_cast<std::int32_t>(proc.rank));
  return true;
}

avrm_status_t PmixBoot::publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept {
  std::byte marked[1 + AVRM_BOOT_CARD_MAX];
  marked[0] = kCardMark;
  if (bytes != 0) {
    std::memcpy(marked + 1, card, bytes);
  }
  pmix_value_t value = {};
  value.type = PMIX_BYTE_OBJECT;
  value.data.bo.bytes = reinterpret_cast<char *>(marked);
  value.data.bo.size = 1 + bytes;
  if (PMIx_Put(PMIX_GLOBAL, slot_key(slot).c_str(), &value) != PMIX_SUCCESS) {
    return AVRM_ERR_BOOT;
  }
  uncommitted_ = true;
  return AVRM_OK;
}

avrm_status_t PmixBoot::fetch(std::int32_t rank, std::int32_t slot, void *card, std::size_t *bytes_p) noexcept {
  pmix_info_t info[2] = {};
  std::size_t count = 0;
  const bool yes = true;
  const bool refreshes = rank != place_.rank && fences_.load(std::memory_order_relaxed) > 1;
  if (refreshes) {
    // Client and server cache the cards that they have fetched. After a later fence a cached card
    // may be outdated or incomplete, so both must refresh it. A process's own cards are always
    // current. This must be the first directive, the only one that PMIx 4 checks.
    PMIX_INFO_LOAD(&info[count], PMIX_GET_REFRESH_CACHE, &yes, PMIX_BOOL);
    ++count;
  }
  if (is_local(rank)) {
    // The local server has every card that its own clients have committed: a card that it does not
    // have does not exist.
    PMIX_INFO_LOAD(&info[count], PMIX_IMMEDIATE, &yes, PMIX_BOOL);
  } else {
    PMIX_INFO_LOAD(&info[count], PMIX_TIMEOUT, &kFetchTimeout, PMIX_INT);
  }
  ++count;

  const pmix_proc_t owner = process(self_, static_cast<pmix_rank_t>(rank));
  const std::string key = slot_key(slot);
  PmixBytes bytes;
  pmix_status_t status = PMIX_SUCCESS;
  try {
    // For a refreshed value, PMIx blocks in any case.
    status = is_local(rank) || refreshes ? get_bytes(owner, key.c_str(), info, count, &bytes)
                                         : get_bytes_in(kFetchEnd, owner, key.c_str(), info, count, &bytes);
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  }
  switch (status) {
  case PMIX_SUCCESS: break;
  case PMIX_ERR_NOT_FOUND:
  case PMIX_ERR_TIMEOUT: return AVRM_ERR_PEER;
  case PMIX_ERR_NOMEM: return AVRM_ERR_NO_MEMORY;
  default: return failures_.has(rank) ? AVRM_ERR_PEER : AVRM_ERR_BOOT;
  }
  const std::string_view marked(bytes.text, bytes.bytes);
  if (marked.empty() || std::byte(marked.front()) != kCardMark) {
    return AVRM_ERR_BOOT;
  }
  const std::string_view found = marked.substr(1);
  if (found.size() > *bytes_p) {
    return AVRM_ERR_SIZE;
  }
  if (!found.empty()) {
    std::memcpy(card, found.data(), found.size());
  }
  *bytes_p = found.size();
  return AVRM_OK;
}

avrm_status_t PmixBoot::fence_start() noexcept {
  if (failures_.has_all_others()) {
    return AVRM_ERR_BOOT;
  }
  if (broken_ || failures_.count() != 0) {
    return AVRM_ERR_PEER;
  }
  if (uncommitted_) {
    if (PMIx_Commit() != PMIX_SUCCESS) {
      return AVRM_ERR_BOOT;
    }
    uncommitted_ = false;
  }

  void *const user = hold_for_callback(signal_);
  if (user == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  {
    const std::lock_guard guard(signal_->lock);
    signal_->fenced.reset();
  }
  if (PMIx_Fence_nb(nullptr, 0, &signal_->collect, signal_->directives, &on_fence, user) != PMIX_SUCCESS) {
    (void)take_held(user);
    return AVRM_ERR_BOOT;
  }
  return AVRM_OK;
}

avrm_status_t PmixBoot::fence_test(bool *done_p) noexcept {
  const std::lock_guard guard(signal_->lock);
  *done_p = signal_->is_over();
  return *done_p ? fence_verdict() : AVRM_OK;
}

avrm_status_t PmixBoot::fence_wait(const Deadline &end) noexcept {
  std::unique_lock guard(signal_->lock);
  if (!wait_until(signal_->changed, guard, end, [this] { return signal_->is_over(); })) {
    broken_ = true;
    return AVRM_ERR_TIMEOUT;
  }
  return fence_verdict();
}

// The caller holds the signal's lock.
avrm_status_t PmixBoot::fence_verdict() noexcept {
  if (signal_->fenced == PMIX_SUCCESS) {
    fences_.fetch_add(1, std::memory_order_relaxed);
    return AVRM_OK;
  }
  // The fence completes without the dead process, or hangs. Either way no later fence of this job
  // can succeed.
  if (signal_->someone_died || signal_->fenced == PMIX_ERR_PARTIAL_SUCCESS) {
    broken_ = true;
    return AVRM_ERR_PEER;
  }
  return AVRM_ERR_BOOT;
}

} // namespace

avrm_status_t open_pmix(std::chrono::seconds limit, std::unique_ptr<avrm_boot> *boot_p) noexcept {
  return open_client<PmixBoot>(limit, boot_p);
}

} // namespace avrankmap::detail
