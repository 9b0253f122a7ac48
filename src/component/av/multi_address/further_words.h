// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Words k = 1, 2, ... of the peers of one AV (addresses.h): a function per k, and a table of
// irregular words.
//
// A function is declared, or it is detected while the words of its k are set in the order of lpids.
// The first two network peers leave at most two candidates: word 0 + delta, and base + lpid * step.
// A word that contradicts the last candidate is an irregular word. So are the words of processes on
// the far side, and words that are set out of order. Irregular words stand in the table; where the
// table has nothing, the function holds for the lpids below `filled`. An irregular word that is
// replaced stays one.
//
// Readers take no lock. The order of loads makes it safe to change word 0 of a peer under a
// detected function of word 0: the old values become irregular words, the inline path is closed,
// all threads pass a barrier, and only then word 0 changes. A reader that finds the new word 0
// finds all that came before, too. For the same reason a k that was closed is never opened again.
#ifndef AVRANKMAP_SRC_AV_MULTI_ADDRESS_FURTHER_WORDS_H
#define AVRANKMAP_SRC_AV_MULTI_ADDRESS_FURTHER_WORDS_H

#include <atomic>

#include "av/multi_address/word_table.h"
#include "avrankmap/addresses.h"

namespace avrankmap::detail {

class AddressVector;

// Value of avrm_av_t::further in AVs with one address per peer.
[[nodiscard]] const std::uint64_t *no_further() noexcept;

// The function of one k. Readers use the first five fields, by atomic accesses.
struct WordRow {
  static constexpr std::uint32_t kAfterFirst = 1;
  static constexpr std::uint32_t kByLpid = 2;

  std::int32_t filled; // lpids below have a word, by the function or in the table
  std::uint32_t candidates;
  std::uint64_t delta; // word k - word 0
  std::uint64_t base;  // word k - lpid * step
  std::int64_t step;
  std::int32_t samples; // network peers that have taken part, up to 2
  std::int32_t sample;  // the first one
  bool declared;
  bool closed; // a network peer has an irregular word
};

class FurtherWords {
  // The part that inline functions read; its deltas follow. It grows by a copy. The old one stays,
  // since a thread may be reading it, and its limits are lowered like those of the new one.
  struct Published {
    Published *older;
    std::uint64_t room; // deltas
    avrm_further_t part;
    [[nodiscard]] std::uint64_t *deltas() noexcept { return reinterpret_cast<std::uint64_t *>(&part + 1); }
    [[nodiscard]] static std::size_t bytes(std::uint64_t room) noexcept {
      return sizeof(Published) + static_cast<std::size_t>(room) * sizeof(std::uint64_t);
    }
  };

public:
  explicit FurtherWords(const AddressVector &av) noexcept;

  // Readers: lock-free.

  // Word k of a peer, 0 if there is none.
  [[nodiscard]] std::uint64_t word(std::int32_t lpid, std::uint32_t k) const noexcept;
  // Words per peer, word 0 included.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_.load(std::memory_order_relaxed); }
  // Bytes, this object included.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  // The writer: under the instance's lock. Without memory all return false, and nothing is changed.

  // What a change has made for itself; no reader can see it yet. It is undone unless the change is
  // made.
  class Making {
  public:
    Making(FurtherWords &words, Memory &memory) noexcept
        : words_(words), memory_(memory), rows_(words.rows_.pieces()), newest_(words.newest_),
          places_(words.irregular_) {}
    Making(const Making &) = delete;
    Making &operator=(const Making &) = delete;
    ~Making();
    void keep() noexcept { is_kept_ = true; }

  private:
    friend FurtherWords;
    // Room for words below `count`.
    [[nodiscard]] bool make_rows(std::uint32_t count) noexcept;
    [[nodiscard]] bool publish_room(std::uint32_t count) noexcept;
    [[nodiscard]] bool make_place(std::int32_t lpid, std::uint32_t k) noexcept {
      return words_.irregular_.reserve(memory_, &places_, lpid, k);
    }

    FurtherWords &words_;
    Memory &memory_;
    const std::uint64_t rows_; // pieces that there were before
    Published *const newest_;  // the one before
    WordTable::Reservation places_;
    bool is_kept_ = false;
  };

  [[nodiscard]] bool declare(Memory &memory, std::uint32_t count, const avrm_addresses_rule_t &rule) noexcept;
  // `words` may contain 0, which takes a word away.
  [[nodiscard]] bool set(Memory &memory, std::uint32_t k, std::int32_t first, std::int32_t count,
                         const std::uint64_t *words) noexcept;
  [[nodiscard]] bool clear(Memory &memory, std::int32_t lpid) noexcept;
  // Before word 0 of a peer changes: in a first step, which may fail, for all of those that change
  // together; then in the same order the step that cannot. Returns true if all threads must pass a
  // barrier before word 0 changes.
  [[nodiscard]] bool plan_first(Making *making, std::int32_t lpid, std::uint64_t word0) const noexcept;
  [[nodiscard]] bool before_first(std::int32_t lpid, std::uint64_t word0) noexcept;
  // Each of these returns the new value of avrm_av_t::further.
  [[nodiscard]] const std::uint64_t *inline_part() const noexcept;
  // Words that inline functions compute, word 0 included.
  [[nodiscard]] std::uint32_t plain() const noexcept;
  // No thread may be reading any more.
  void release(Memory &memory) noexcept;

private:
  [[nodiscard]] WordRow *row(std::uint32_t k) const noexcept { return rows_.at(k - 1); }
  // An irregular word of a peer, 0 if there is none.
  [[nodiscard]] std::uint64_t irregular_word(std::int32_t lpid, std::uint32_t k) const noexcept;
  [[nodiscard]] std::uint64_t by_function(const WordRow &row, std::int32_t lpid, std::uint64_t word0) const noexcept;
  [[nodiscard]] bool is_plain(const WordRow &row) const noexcept;

  // Takes the next word into a function; false if it does not follow.
  [[nodiscard]] bool extend(WordRow *row, std::int32_t lpid, std::uint64_t word) const noexcept;
  // The same for any word; false if it belongs into the table.
  [[nodiscard]] bool take(WordRow *row, std::uint32_t k, std::int32_t lpid, std::uint64_t word) const noexcept;
  // True if word k of a peer follows a detected function of its word 0, hence becomes an irregular
  // word.
  [[nodiscard]] bool moves(std::int32_t lpid, std::uint32_t k) const noexcept;
  // True if a peer has word k, or a declared rule gives it one as soon as it is connected.
  [[nodiscard]] bool has_word(std::int32_t lpid, std::uint32_t k) const noexcept;
  // Stores an irregular word, for which a place was reserved.
  void keep(std::uint32_t k, std::int32_t lpid, std::uint64_t word, bool is_network) noexcept;
  // Sends readers of words from k on out of line.
  void close(std::uint32_t k) noexcept;
  // Lets readers compute the words that have become plain.
  void open() noexcept;

  const AddressVector &av_;
  std::atomic<std::uint32_t> count_{1};
  std::atomic<std::uint64_t> kept_{0};
  std::atomic<std::uint64_t> published_bytes_{0};
  Published *newest_ = nullptr;
  GrowingArray<WordRow, 2> rows_; // of word k at k - 1
  WordTable irregular_;
};

} // namespace avrankmap::detail

#endif
