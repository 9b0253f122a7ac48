// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Cards are values of the launcher's key-value space, under the keys
// avrm.<rank>.<slot>.<edition>.<piece>. A key is put only once, since hydra ignores a second value.
// A card that replaces another one is therefore a new edition. There is at most one new edition per
// fence.
#include "launch/open_client.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "launch/pmi2/card_text.h"
#include "launch/pmi2/client.h"
#include "launch/pmi2/fence_call.h"
#include "launch/pmi2/launch.h"
#include "launch/pmi2/nodes.h"
#include "launch/zero_pages.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kMostRuns = 65536; // that avrm_av_declare_nodes accepts

struct Key {
  Key(std::int32_t rank, std::int32_t slot, std::uint32_t edition, std::size_t piece) noexcept {
    (void)std::snprintf(text, sizeof text, "avrm.%d.%d.%u.%u", rank, slot, edition, static_cast<unsigned>(piece));
  }
  char text[64];
};

class Pmi2Boot final : public avrm_boot {
public:
  Pmi2Boot() = default;
  ~Pmi2Boot() override;

  avrm_status_t join();

  [[nodiscard]] const char *kind() const noexcept override { return "pmi2"; }
  [[nodiscard]] bool is_opened() const noexcept override { return true; }
  [[nodiscard]] bool is_local() const noexcept override { return false; }
  [[nodiscard]] const char *parent_port() const noexcept override { return parent_port_.c_str(); }
  // Under Slurm (seen with 22.05) a new step waits for CPUs that no step uses, unless both may
  // overlap; PMI2_Job_Spawn then blocks.
  [[nodiscard]] std::unique_ptr<Launch> new_launch(bool someone_died) const noexcept override {
    const bool would_block = env::word(env::kPmiJobid) != nullptr && env::word(env::kSlurmOverlap) == nullptr;
    return would_block ? avrm_boot::new_launch(someone_died)
                       : std::unique_ptr<Launch>(new (std::nothrow) Pmi2Launch(open_limit));
  }
  [[nodiscard]] bool tells_deaths() const noexcept override { return false; }
  [[nodiscard]] bool fence_delays_fetch() const noexcept override { return true; }
  [[nodiscard]] std::span<const std::int32_t> watched_ranks() const noexcept override { return nodes_.local_ranks; }
  [[nodiscard]] std::span<const avrm_node_run_t> node_runs() const noexcept override { return nodes_.mapping.runs(); }
  void report_death(std::int32_t rank) noexcept override;
  avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept override;
  avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card, std::size_t *bytes_p) noexcept override;
  avrm_status_t fence_start() noexcept override;
  avrm_status_t fence_test(bool *done_p) noexcept override;
  avrm_status_t fence_wait(const Deadline &end) noexcept override;

private:
  struct OwnCard {
    std::string bytes;
    std::uint32_t editions = 0; // that were put
    bool is_new = true;         // not put yet
  };

  avrm_status_t find_nodes();
  void find_parents();
  [[nodiscard]] Pmi2Client::KeyValues take_new_cards();
  avrm_status_t verdict(Pmi2FenceCall::Outcome outcome) noexcept;
  avrm_status_t fetch_edition(std::int32_t rank, std::int32_t slot, std::uint32_t edition, CardText *text) noexcept;
  avrm_status_t fetch_newest(std::int32_t rank, std::int32_t slot, CardText *text) noexcept;

  Pmi2Client &client_ = Pmi2Client::instance();
  bool has_joined_ = false;
  bool is_open_ = false;
  Nodes nodes_;
  std::string parent_port_;
  ZeroPages failure_bits_;
  std::mutex cards_lock_;
  std::map<std::int32_t, OwnCard> cards_; // by slot
  std::atomic<std::uint32_t> fences_{0};  // completed
  bool is_broken_ = false;                // no later fence will complete
  Pmi2FenceCall fence_{client_};
};

Pmi2Boot::~Pmi2Boot() {
  fence_.end();
  if (is_open_) {
    client_.leave();
  } else if (has_joined_) {
    client_.give_up();
  }
}

avrm_status_t Pmi2Boot::join() {
  const avrm_status_t joined = client_.join();
  if (joined != AVRM_OK) {
    return joined;
  }
  has_joined_ = true;
  place_.rank = client_.rank();
  place_.size = client_.size();
  const avrm_status_t found = find_nodes();
  if (found != AVRM_OK) {
    return found;
  }
  failure_bits_ = ZeroPages(FailedProcesses::bytes(place_.size), ZeroPages::Sharing::kPrivate);
  if (failure_bits_.data() == nullptr) {
    return AVRM_ERR_NO_MEMORY;
  }
  failures_ = FailedProcesses(failure_bits_.data(), place_.size);
  find_parents();
  is_open_ = true;
  return AVRM_OK;
}

avrm_status_t Pmi2Boot::find_nodes() {
  const avrm_status_t status = nodes_.find(client_, open_limit);
  if (status != AVRM_OK) {
    return status;
  }
  const std::vector<std::int32_t> &locals = nodes_.local_ranks;
  const auto own = std::lower_bound(locals.begin(), locals.end(), place_.rank);
  place_.node = nodes_.own;
  place_.local_rank = static_cast<std::int32_t>(own - locals.begin());
  place_.local_size = static_cast<std::int32_t>(locals.size());
  if (nodes_.mapping.runs().size() > kMostRuns) {
    nodes_.mapping = {}; // then processes exchange their nodes
  }
  return AVRM_OK;
}

// The job may also have been spawned by others, for example by an MPI library.
void Pmi2Boot::find_parents() {
  char value[CardText::kPieceMax + 1] = "";
  CardText port;
  if (client_.is_spawned() &&
      client_.get(Pmi2Client::kNobody, kParentKey, value, sizeof value) == Pmi2Client::Found::kYes && port.add(value) &&
      port.is_whole()) {
    parent_port_ = port.card();
  }
}

void Pmi2Boot::report_death(std::int32_t rank) noexcept {
  failures_.mark(rank);
  fence_.break_off();
}

avrm_status_t Pmi2Boot::publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept {
  const std::string_view text(static_cast<const char *>(card), bytes);
  const std::lock_guard guard(cards_lock_);
  try {
    const auto [place, is_first] = cards_.try_emplace(slot);
    OwnCard &own = place->second;
    if (is_first || own.bytes != text) {
      own.bytes = text;
      own.is_new = true;
    }
    return AVRM_OK;
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  }
}

avrm_status_t Pmi2Boot::fetch_edition(std::int32_t rank, std::int32_t slot, std::uint32_t edition,
                                      CardText *text) noexcept {
  CardText found;
  for (std::size_t piece = 0; piece == 0 || !found.is_whole(); ++piece) {
    char value[CardText::kPieceMax + 1];
    switch (client_.get(rank, Key(rank, slot, edition, piece).text, value, sizeof value)) {
    case Pmi2Client::Found::kYes: break;
    case Pmi2Client::Found::kNo:
      if (client_.is_lost()) {
        failures_.mark_all_but(place_.rank);
        return AVRM_ERR_BOOT;
      }
      return AVRM_ERR_PEER;
    case Pmi2Client::Found::kBusy: return AVRM_ERR_TIMEOUT;
    }
    if (!found.add(value)) {
      return AVRM_ERR_BOOT;
    }
  }
  *text = found;
  return AVRM_OK;
}

// Searches from the edition of this process's own card, since processes usually replace their cards
// together.
avrm_status_t Pmi2Boot::fetch_newest(std::int32_t rank, std::int32_t slot, CardText *text) noexcept {
  const std::uint32_t end = std::max(fences_.load(std::memory_order_relaxed), std::uint32_t{1});
  std::uint32_t edition = 0;
  {
    const std::lock_guard guard(cards_lock_);
    const auto own = cards_.find(slot);
    if (own != cards_.end() && own->second.editions > 1) {
      edition = std::min(own->second.editions, end) - 1;
    }
  }
  avrm_status_t status = fetch_edition(rank, slot, edition, text);
  if (status == AVRM_OK) {
    while (++edition < end && fetch_edition(rank, slot, edition, text) == AVRM_OK) {
    }
    return AVRM_OK;
  }
  while (status == AVRM_ERR_PEER && edition-- != 0) {
    status = fetch_edition(rank, slot, edition, text);
  }
  return status;
}

avrm_status_t Pmi2Boot::fetch(std::int32_t rank, std::int32_t slot, void *card, std::size_t *bytes_p) noexcept {
  CardText text;
  std::string_view found;
  std::unique_lock guard(cards_lock_);
  if (rank == place_.rank) {
    const auto own = cards_.find(slot);
    if (own == cards_.end()) {
      return AVRM_ERR_PEER;
    }
    found = own->second.bytes;
  } else {
    guard.unlock();
    const avrm_status_t status = fetch_newest(rank, slot, &text);
    if (status != AVRM_OK) {
      return status;
    }
    found = text.card();
  }
  if (found.size() > *bytes_p) {
    return AVRM_ERR_SIZE;
  }
  if (!found.empty()) {
    std::memcpy(card, found.data(), found.size());
  }
  *bytes_p = found.size();
  return AVRM_OK;
}

Pmi2Client::KeyValues Pmi2Boot::take_new_cards() {
  Pmi2Client::KeyValues puts;
  const std::lock_guard guard(cards_lock_);
  for (const auto &[slot, card] : cards_) {
    for (std::size_t piece = 0; card.is_new && piece < CardText::pieces_of(card.bytes.size()); ++piece) {
      puts.emplace_back(Key(place_.rank, slot, card.editions, piece).text, CardText::piece_of(card.bytes, piece));
    }
  }
  return puts;
}

avrm_status_t Pmi2Boot::fence_start() noexcept {
  if (failures_.has_all_others()) {
    return AVRM_ERR_BOOT;
  }
  if (is_broken_ || failures_.count() != 0) {
    return AVRM_ERR_PEER;
  }
  try {
    fence_.start(take_new_cards());
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  } catch (const std::system_error &) { // no thread
    return AVRM_ERR_SYSTEM;
  }
  const std::lock_guard guard(cards_lock_);
  for (auto &[slot, card] : cards_) {
    card.editions += card.is_new;
    card.is_new = false;
  }
  return AVRM_OK;
}

avrm_status_t Pmi2Boot::fence_test(bool *done_p) noexcept {
  const Pmi2FenceCall::Outcome outcome = fence_.test();
  *done_p = outcome != Pmi2FenceCall::Outcome::kPending;
  return *done_p ? verdict(outcome) : AVRM_OK;
}

avrm_status_t Pmi2Boot::fence_wait(const Deadline &end) noexcept { return verdict(fence_.wait(end)); }

avrm_status_t Pmi2Boot::verdict(Pmi2FenceCall::Outcome outcome) noexcept {
  switch (outcome) {
  case Pmi2FenceCall::Outcome::kComplete: fences_.fetch_add(1, std::memory_order_relaxed); return AVRM_OK;
  case Pmi2FenceCall::Outcome::kPending: is_broken_ = true; return AVRM_ERR_TIMEOUT;
  case Pmi2FenceCall::Outcome::kBroken: is_broken_ = true; return AVRM_ERR_PEER;
  case Pmi2FenceCall::Outcome::kRefused: break;
  }
  if (client_.is_lost()) {
    failures_.mark_all_but(place_.rank);
  }
  return AVRM_ERR_BOOT;
}

} // namespace

avrm_status_t open_pmi2(std::chrono::seconds limit, std::unique_ptr<avrm_boot> *boot_p) noexcept {
  return open_client<Pmi2Boot>(limit, boot_p);
}

} // namespace avrankmap::detail
