// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Words k = 1, 2, ... of the peers of one AV (addresses.h): a function per k, and a table of
// irregular words.
//
// A function is declared, or it is detected while the words of its k are set in the order of lpids.
// After the first two network peers at most two candidates remain: word 0 + delta, and base + lpid
// * step. A word that contradicts the last candidate is irregular. So are the words of far-side
// processes, and words that are set out of order. Irregular words are stored in the table; where
// the table has no entry, the function applies to the lpids below `filled`. An irregular word that
// is replaced remains irregular.
//
// Readers take no lock. The order of loads makes it safe to change word 0 of a peer while a
// detected function depends on it: the old values become irregular words, the inline path is
// closed, all threads pass a barrier, and only then is word 0 changed. A reader that finds the new
// word 0 thus also finds everything stored before it. For the same reason a k that was closed is
// never opened again.
#ifndef AVRANKMAP_SRC_AV_MULTI_ADDRESS_FURTHER_WORDS_H
#define AVRANKMAP_SRC_AV_MULTI_ADDRESS_FURTHER_WORDS_H

#include <atomic>

#include "av/multi_address/word_table.h"
#include "avrankmap/addresses.h"

namespace avrankmap::detail {

class AddressVector;

// Value of avrm_av_t::further in AVs with one address per peer.
[[nodiscard]] const std::uint64_t *no_further() noexcept;

// The function of one k. Readers access the first five fields, atomically, and `declared`, which is
// constant once count_ includes this k.
struct WordRow {
  static constexpr std::uint32_t kAfterFirst = 1;
  static constexpr std::uint32_t kByLpid = 2;

  std::int32_t filled; // lpids below this have a word, from the function or in the table
  std::uint32_t candidates;
  std::uint64_t delta; // word k - word 0
  std::uint64_t base;  // word k - lpid * step
  std::int64_t step;
  std::int32_t samples; // number of network peers used for detection, up to 2
  std::int32_t sample;  // lpid of the first one
  bool declared;
  bool closed; // a network peer has an irregular word
};

class FurtherWords {
  // The part that inline functions read, followed by its deltas. It grows by copying. The old copy
  // is kept, since a thread may be reading it, and its limits are lowered together with those of
  // the new one.
  struct Published {
    Published *older;
    std::uint64_t room; // capacity for deltas
    avrm_further_t part;
    [[nodiscard]] std::uint64_t *deltas() noexcept { return reinterpret_cast<std::uint64_t *>(&part + 1); }
    [[nodiscard]] static std::size_t bytes(std::uint64_t room) noexcept {
      return sizeof(Published) + static_cast<std::size_t>(room) * sizeof(std::uint64_t);
    }
  };

public:
  explicit FurtherWords(const AddressVector &av) noexcept;

  // For readers, lock-free.

  // Word k of a peer, or 0 if it has none.
  [[nodiscard]] std::uint64_t word(std::int32_t lpid, std::uint32_t k) const noexcept;
  // Number of words per peer, including word 0.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t kept() const noexcept { return kept_.load(std::memory_order_relaxed); }
  // Bytes, including this object.
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  // For the writer, under the instance's lock. All functions return false if out of memory, and
  // then change nothing.

  // Memory that a change has allocated and that no reader can see yet. It is released unless the
  // change is completed.
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
    // Makes room for words below `count`.
    [[nodiscard]] bool make_rows(std::uint32_t count) noexcept;
    [[nodiscard]] bool publish_room(std::uint32_t count) noexcept;
    [[nodiscard]] bool make_place(std::int32_t lpid, std::uint32_t k) noexcept {
      return words_.irregular_.reserve(memory_, &places_, lpid, k);
    }

    FurtherWords &words_;
    Memory &memory_;
    const std::uint64_t rows_; // pieces that existed before the change
    Published *const newest_;  // newest copy before the change
    WordTable::Reservation places_;
    bool is_kept_ = false;
  };

  [[nodiscard]] bool declare(Memory &memory, std::uint32_t count, const avrm_addresses_rule_t &rule) noexcept;
  // `words` may contain 0, which removes a word.
  [[nodiscard]] bool set(Memory &memory, std::uint32_t k, std::int32_t first, std::int32_t count,
                         const std::uint64_t *words) noexcept;
  [[nodiscard]] bool clear(Memory &memory, std::int32_t lpid) noexcept;
  // Must precede a change of word 0 of a peer. First plan_first, which may fail, for all peers that
  // change together; then before_first, which cannot fail, in the same order. The latter returns
  // true if all threads must pass a barrier before word 0 changes.
  [[nodiscard]] bool plan_first(Making *making, std::int32_t lpid, std::uint64_t word0) const noexcept;
  [[nodiscard]] bool before_first(std::int32_t lpid, std::uint64_t word0) noexcept;
  // The current value of avrm_av_t::further.
  [[nodiscard]] const std::uint64_t *inline_part() const noexcept;
  // Number of words that inline functions compute, including word 0.
  [[nodiscard]] std::uint32_t plain() const noexcept;
  // No other thread may still be reading.
  void release(Memory &memory) noexcept;

private:
  [[nodiscard]] WordRow *row(std::uint32_t k) const noexcept { return rows_.at(k - 1); }
  // An irregular word of a peer, or 0 if there is none.
  [[nodiscard]] std::uint64_t irregular_word(std::int32_t lpid, std::uint32_t k) const noexcept;
  [[nodiscard]] std::uint64_t by_function(const WordRow &row, std::int32_t lpid, std::uint64_t word0) const noexcept;
  [[nodiscard]] bool is_plain(const WordRow &row) const noexcept;

  // Adds the next word to a function; false if the word does not follow it.
  [[nodiscard]] bool extend(WordRow *row, std::int32_t lpid, std::uint64_t word) const noexcept;
  // Adds any word; false if it must be stored in the table.
  [[nodiscard]] bool take(WordRow *row, std::uint32_t k, std::int32_t lpid, std::uint64_t word) const noexcept;
  // True if word k of a peer follows a detected function of its word 0, so that it becomes
  // irregular when word 0 changes.
  [[nodiscard]] bool moves(std::int32_t lpid, std::uint32_t k) const noexcept;
  // The next word, from k on, that a change of word 0 of a peer may affect: it is not declared, or
  // shares a block of the table with an irregular word of the peer.
  [[nodiscard]] std::uint32_t next_affected(std::int32_t lpid, std::uint32_t k) const noexcept;
  // True if a peer has word k, or a declared rule gives it one once it is connected.
  [[nodiscard]] bool has_word(std::int32_t lpid, std::uint32_t k) const noexcept;
  // Stores an irregular word, for which room was reserved.
  void keep(std::uint32_t k, std::int32_t lpid, std::uint64_t word, bool is_network) noexcept;
  // Makes readers of word k and of later words call the out-of-line function.
  void close(std::uint32_t k) noexcept;
  // Makes readers compute inline the words that have become plain.
  void open() noexcept;

  const AddressVector &av_;
  std::atomic<std::uint32_t> count_{1};
  std::uint32_t declared_ = 1; // words 1 .. declared_ - 1 are declared; for the writer
  std::atomic<std::uint64_t> kept_{0};
  std::atomic<std::uint64_t> published_bytes_{0};
  Published *newest_ = nullptr;
  GrowingArray<WordRow, 2> rows_; // word k at index k - 1
  WordTable irregular_;
};

} // namespace avrankmap::detail

#endif
