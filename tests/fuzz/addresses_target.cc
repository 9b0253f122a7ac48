// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A byte string as a sequence of changes of one AV's elements, far addresses and further addresses
// (avrankmap/addresses.h). After each change every word must be that of a plain table.
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "avrankmap/avrankmap.h"
#include "tests/fuzz/input.h"

namespace {

using avrankmap::fuzz::Input;

constexpr std::int32_t kMostPeers = 40;
constexpr std::int32_t kMostWords = 9;

class Session {
public:
  explicit Session(Input input)
      : input_(input), codec_(input_.below(2) == 0 ? AVRM_CODEC_OFI : AVRM_CODEC_UCX),
        size_(input_.between(1, kMostPeers)), elements_(static_cast<std::size_t>(size_)) {
    avrm_av_options_t options{};
    options.codec = codec_;
    options.kind = input_.below(2) == 0 ? AVRM_AV_TABLE : AVRM_AV_IMPLICIT;
    AVRM_MUST(avrm_instance_create(nullptr, &instance_) == AVRM_OK);
    AVRM_MUST(avrm_av_create(instance_, size_, &options, &av_) == AVRM_OK);
  }
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;
  ~Session() {
    avrm_av_release(av_);
    AVRM_MUST(avrm_instance_destroy(instance_) == AVRM_OK); // nothing leaked
  }

  void run() {
    for (int steps = 0; steps < 64 && !input_.empty(); ++steps) {
      switch (input_.below(6)) {
      case 0: set_element(); break;
      case 1: set_far(); break;
      case 2: declare(); break;
      case 3: clear(); break;
      default: set(); break;
      }
      check();
    }
  }

private:
  static std::size_t index(std::int32_t lpid) { return static_cast<std::size_t>(lpid); }

  // The word that an address becomes; none if it is not one of this codec.
  [[nodiscard]] std::optional<std::uint64_t> word_of(std::uint64_t address) const {
    avrm_ave_t ave{};
    if (avrm_ave_pack(codec_, address, 0, &ave) != AVRM_OK) {
      return std::nullopt;
    }
    return avrm_ave_word(&ave);
  }
  [[nodiscard]] bool is_peer(std::int32_t lpid) const { return lpid >= 0 && lpid < size_; }

  [[nodiscard]] std::uint64_t first_word(std::int32_t lpid) const {
    const std::uint64_t word = avrm_ave_word(&elements_[index(lpid)]);
    if (avrm_word_is_network(codec_, word)) {
      return word;
    }
    avrm_far_t far_side{};
    AVRM_MUST(avrm_word_unpack_far(codec_, word, &far_side) == AVRM_OK);
    const auto found = far_.find(far_side.local_rank);
    return far_side.kind == AVRM_FAR_UNCONNECTED || found == far_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::uint64_t expected(std::int32_t lpid, std::int32_t k) const {
    if (k == 0) {
      return first_word(lpid);
    }
    if (const auto own = words_.find({lpid, k}); own != words_.end()) {
      return own->second;
    }
    if (k >= declared_) {
      return 0;
    }
    const std::uint64_t by_k = static_cast<std::uint64_t>(rule_.per_word) * static_cast<std::uint64_t>(k);
    if (rule_.kind == AVRM_ADDRESSES_AFTER_FIRST) {
      return first_word(lpid) == 0 ? 0 : first_word(lpid) + by_k;
    }
    const std::uint64_t by_lpid = static_cast<std::uint64_t>(rule_.per_lpid) * static_cast<std::uint64_t>(lpid);
    return word_of(rule_.base + by_lpid + by_k).value_or(0);
  }

  void check() const {
    for (std::int32_t lpid = 0; lpid < size_; ++lpid) {
      const std::uint64_t word0 = avrm_ave_word(&elements_[index(lpid)]);
      for (std::int32_t k = 0; k <= kMostWords; ++k) {
        const std::uint64_t word = expected(lpid, k);
        std::uint64_t address = 0;
        const avrm_status_t status = avrm_addresses_get(av_, lpid, k, &address);
        AVRM_MUST(status == (word == 0 ? AVRM_ERR_NOT_NETWORK : AVRM_OK));
        AVRM_MUST(word == 0 || address == avrm_word_address(codec_, word));
        if (avrm_word_is_network(codec_, word0)) {
          AVRM_MUST(avrm_addresses_word(av_, lpid, word0, static_cast<std::size_t>(k)) == word);
        }
      }
    }
  }

  // An lpid that may be none.
  std::int32_t any_lpid() { return input_.between(-1, size_); }
  std::uint64_t any_address() {
    return input_.below(8) == 0 ? input_.edgy() : 16 * (std::uint64_t{input_.below(4096)} + 1);
  }

  void set_element() {
    const std::int32_t lpid = any_lpid();
    avrm_ave_t ave{};
    const auto kind = input_.below(6);
    if (kind == 1) {
      AVRM_MUST(avrm_ave_pack_far(codec_, {AVRM_FAR_LOCAL, input_.below(kMostPeers)}, 0, &ave) == AVRM_OK);
    } else if (kind > 1 && avrm_ave_pack(codec_, any_address(), 0, &ave) != AVRM_OK) {
      return;
    }
    // Unconditionally, or if the peer is not connected.
    const bool always = input_.below(2) == 0;
    std::uint64_t found = 0;
    const avrm_status_t status = always ? avrm_av_set(av_, lpid, &ave) : avrm_av_set_if(av_, lpid, 0, &ave, &found);
    AVRM_MUST(status == (is_peer(lpid) ? AVRM_OK : AVRM_ERR_LPID));
    if (status != AVRM_OK) {
      return;
    }
    AVRM_MUST(always || found == avrm_ave_word(&elements_[index(lpid)]));
    if (found == 0) {
      elements_[index(lpid)] = ave;
    }
  }

  void set_far() {
    const std::uint32_t local_rank = input_.below(kMostPeers);
    const std::uint64_t address = any_address();
    const auto word = word_of(address);
    const avrm_status_t status = avrm_av_set_far_address(av_, local_rank, address);
    AVRM_MUST((status == AVRM_OK) == (word && local_rank < static_cast<std::uint32_t>(size_)));
    if (status == AVRM_OK) {
      far_[local_rank] = *word;
    }
  }

  void declare() {
    const avrm_addresses_rule_t rule{input_.below(2) == 0 ? AVRM_ADDRESSES_AFTER_FIRST : AVRM_ADDRESSES_BY_LPID,
                                     static_cast<std::int64_t>(input_.edgy()), static_cast<std::int64_t>(input_.edgy()),
                                     input_.edgy()};
    const std::int32_t count = input_.between(1, kMostWords);
    const avrm_status_t status = avrm_addresses_declare(av_, count, &rule);
    if (declared_ > 1 || !words_.empty()) {
      AVRM_MUST(status != AVRM_OK);
    }
    if (status == AVRM_OK) {
      AVRM_MUST(count > 1);
      rule_ = rule;
      declared_ = count;
    }
  }

  void clear() {
    const std::int32_t lpid = any_lpid();
    const avrm_status_t status = avrm_addresses_clear(av_, lpid);
    AVRM_MUST(status == (is_peer(lpid) ? AVRM_OK : AVRM_ERR_LPID));
    for (std::int32_t k = 1; status == AVRM_OK && k < kMostWords; ++k) {
      if (expected(lpid, k) != 0 || k < declared_) {
        words_[{lpid, k}] = 0;
      }
    }
  }

  // Words k of some lpids: after their first words, a line, or anything.
  void set() {
    const std::int32_t k = input_.between(0, kMostWords - 1);
    const std::int32_t first = input_.below(3) != 0 ? 0 : any_lpid();
    const std::int32_t count = input_.below(3) != 0 ? size_ : input_.between(-1, size_ + 1);
    const auto pattern = input_.below(3);
    const std::uint64_t step = 2 * std::uint64_t{input_.below(8)};
    std::vector<std::uint64_t> addresses;
    bool sound = true;
    for (std::int32_t i = 0; i < count; ++i) {
      std::uint64_t address = 0;
      if (pattern == 0 && is_peer(first + i) && first_word(first + i) != 0) {
        address = avrm_word_address(codec_, first_word(first + i)) + step * static_cast<std::uint64_t>(k);
      } else {
        address = pattern == 1 ? 1024 + step * static_cast<std::uint64_t>(first + i) : any_address();
      }
      sound = sound && word_of(address);
      addresses.push_back(address);
    }
    addresses.reserve(1); // never null
    const avrm_status_t status = avrm_addresses_set(av_, k, first, count, addresses.data());
    const bool inside = k > 0 && count >= 0 && first >= 0 && first <= size_ - count;
    AVRM_MUST((status == AVRM_OK) == (inside && sound));
    for (std::int32_t i = 0; status == AVRM_OK && i < count; ++i) {
      const std::pair place(first + i, k);
      const std::uint64_t word = *word_of(addresses[index(i)]);
      // A word that its rule gives stays with the rule.
      if (words_.contains(place) || expected(place.first, k) != word) {
        words_[place] = word;
      }
    }
  }

  Input input_;
  avrm_codec_t codec_;
  std::int32_t size_;
  std::vector<avrm_ave_t> elements_;
  std::map<std::uint32_t, std::uint64_t> far_;
  // By lpid and k; 0: cleared.
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> words_;
  avrm_addresses_rule_t rule_{};
  std::int32_t declared_ = 1;
  avrm_instance_t *instance_ = nullptr;
  avrm_av_t *av_ = nullptr;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Session(Input(data, size)).run();
  return 0;
}
