// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "comm_algorithms/context_agreement.h"

#include <algorithm>
#include <bit>

namespace avrankmap::detail {

namespace {

// A leader's report: the value of its group, and the status of the reduction in its group.
template <typename T> struct Word {
  T value;
  StatusWord<T> status;
};

// allreduce over one group, or over two. The leaders exchange their reports even after an error in
// their own group, because the other group waits for them.
template <typename T, typename Combine>
Task reduce_all(Channel &channel, const Bridge *bridge, T *value, Combine combine) noexcept {
  avrm_status_t status = co_await allreduce(channel, value, combine);
  if (bridge == nullptr) {
    co_return status;
  }
  static_assert(is_message<Word<T>>);
  Word<T> word{*value, status};
  if (channel.rank() == bridge->leader) {
    const Word<T> mine = word;
    Word<T> other{};
    const avrm_status_t heard =
        co_await exchange(*bridge->channel, bridge->partner, &mine, sizeof mine, bridge->partner, &other, sizeof other);
    combine(&word.value, other.value);
    word.status = std::min({mine.status, StatusWord<T>{heard}, other.status});
  }
  if (status == AVRM_OK) {
    const avrm_status_t told = co_await broadcast(channel, bridge->leader, &word, sizeof word);
    // A leader continues as the other one does, which would wait for it. Its next reduction fails,
    // because the death of a member breaks the whole operation, and tells the other leader.
    status = channel.rank() == bridge->leader ? AVRM_OK : told;
  }
  *value = word.value;
  co_return status != AVRM_OK ? status : status_of(static_cast<std::int32_t>(word.status));
}

struct Proposal {
  std::uint32_t least;
  std::uint32_t greatest;
  std::uint64_t least_digest;
  std::uint64_t greatest_digest;
  std::int64_t status; // the worst
};

void combine_proposals(Proposal *into, const Proposal &other) noexcept {
  into->least = std::min(into->least, other.least);
  into->greatest = std::max(into->greatest, other.greatest);
  into->least_digest = std::min(into->least_digest, other.least_digest);
  into->greatest_digest = std::max(into->greatest_digest, other.greatest_digest);
  into->status = std::min(into->status, other.status);
}

std::uint32_t place_of(std::uint32_t seed, const Contexts &contexts) noexcept {
  const std::uint64_t hash = seed * 0x9e3779b97f4a7c15 >> 32;
  return static_cast<std::uint32_t>(hash * (std::uint64_t{contexts.most()} + 1) >> 32);
}

void combine_statuses(std::int32_t *into, const std::int32_t &other) noexcept { *into = std::min(*into, other); }

constexpr int kRounds = 4;
constexpr std::uint32_t kWords = 16; // few, because several frames contain copies of a window

struct Window {
  std::uint64_t bits[kWords];
};

// Searches all ids for one that is free in all members, window by window.
Task search(Channel &channel, const Bridge *bridge, Contexts &contexts, std::uint32_t *id_p) noexcept {
  Window window;
  for (std::uint32_t from = 0; from <= contexts.most(); from += kWords * 64) {
    contexts.free_ids(from, kWords, window.bits);
    avrm_status_t status = co_await reduce_all(channel, bridge, &window, [](Window *into, const Window &other) {
      for (std::uint32_t word = 0; word < kWords; ++word) {
        into->bits[word] &= other.bits[word];
      }
    });
    if (status != AVRM_OK) {
      co_return status;
    }
    for (std::uint32_t word = 0; word < kWords; ++word) {
      for (std::uint64_t bits = window.bits[word]; bits != 0; bits &= bits - 1) {
        // Another thread may have taken the id in the meantime.
        const std::uint32_t id = from + word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
        const avrm_status_t taken = contexts.take(id);
        auto worst = static_cast<std::int32_t>(taken);
        const avrm_status_t reduced = co_await reduce_all(channel, bridge, &worst, combine_statuses);
        if (taken == AVRM_OK && (reduced != AVRM_OK || worst == AVRM_OK)) {
          *id_p = id;
          co_return reduced;
        }
        if (taken == AVRM_OK) {
          contexts.give(id);
        }
        if (reduced != AVRM_OK || worst != AVRM_ERR_BUSY) {
          co_return reduced != AVRM_OK ? reduced : status_of(worst);
        }
      }
    }
  }
  co_return AVRM_ERR_LIMIT;
}

} // namespace

Task agree_on_context(Channel &channel, const Bridge *bridge, Contexts &contexts, const Contribution &mine,
                      std::uint32_t *id_p) noexcept {
  std::uint32_t from = place_of(mine.seed, contexts);
  for (int round = 0; round < kRounds; ++round) {
    std::uint32_t id = Contexts::kNone;
    avrm_status_t status = mine.status;
    if (status == AVRM_OK) {
      const avrm_status_t taken = contexts.take_first(from, &id);
      status = taken == AVRM_ERR_LIMIT ? AVRM_OK : taken; // a lower id may be free
    }
    Proposal proposal{id, id, mine.digest, mine.digest, status};
    const avrm_status_t reduced = co_await reduce_all(channel, bridge, &proposal, combine_proposals);
    status = reduced != AVRM_OK ? reduced : status_of(static_cast<std::int32_t>(proposal.status));
    if (status == AVRM_OK && proposal.least_digest != proposal.greatest_digest) {
      status = AVRM_ERR_MISMATCH;
    }
    const bool is_agreed = status == AVRM_OK && proposal.least == proposal.greatest;
    if (id != Contexts::kNone && (is_agreed || reduced != AVRM_OK)) {
      *id_p = id;
      co_return status;
    }
    if (id != Contexts::kNone) {
      contexts.give(id);
    }
    if (status != AVRM_OK) {
      co_return status;
    }
    from = proposal.greatest <= contexts.most() ? proposal.greatest
                                                : place_of(mine.seed + 1 + static_cast<std::uint32_t>(round), contexts);
  }
  co_return co_await search(channel, bridge, contexts, id_p);
}

Task agree_on_status(Channel &channel, const Bridge *bridge, avrm_status_t status) noexcept {
  auto worst = static_cast<std::int32_t>(status);
  const avrm_status_t reduced = co_await reduce_all(channel, bridge, &worst, combine_statuses);
  co_return reduced != AVRM_OK ? reduced : status_of(worst);
}

} // namespace avrankmap::detail
