// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Further addresses against a plain table, while words, elements and far addresses change at
// random.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "tests/component/av/further.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kMostK = 9;

class Twin {
public:
  Twin(std::mt19937_64 &engine, avrm_codec_t codec)
      : engine_(engine), codec_(codec), size_(1 + number32(number32(4) == 0 ? 300 : 20)),
        av_(number32(2) == 0 ? make_av(instance_, size_, codec) : make_implicit_av(instance_, size_, codec)),
        elements_(static_cast<std::size_t>(size_)) {}

  void run() {
    if (number32(4) != 0) {
      connect_all();
    }
    if (number32(3) == 0) {
      declare();
    }
    for (int step = 0; step < 40; ++step) {
      switch (number32(8)) {
      case 0: set_element(number32(size_)); break;
      case 1: set_far(); break;
      case 2: clear(); break;
      case 3: set_single(); break;
      default: set_row(); break;
      }
      ASSERT_NO_FATAL_FAILURE(check()) << "step " << step;
    }
    for (std::int32_t k = 1; k < kMostK; ++k) { // most become plain
      set_row();
    }
    ASSERT_NO_FATAL_FAILURE(check());
    ASSERT_EQ(avrm_av_bytes(av_.get()), memory_.usage(AVRM_MEM_AV).live_bytes);
  }

  // Words that inline functions computed, and that took a call.
  [[nodiscard]] std::int64_t plain() const { return plain_; }
  [[nodiscard]] std::int64_t called() const { return called_; }

private:
  std::int32_t number32(std::int32_t bound) {
    return static_cast<std::int32_t>(below(engine_, static_cast<std::uint64_t>(bound)));
  }
  std::uint64_t unit() const { return codec_ == AVRM_CODEC_OFI ? 1 : 16; }
  std::uint64_t some_address() { return unit() * (1 + below(engine_, 1U << 30)); }

  // Words are addresses plus a number that depends on the codec.
  std::uint64_t word_of(std::uint64_t address) const { return address - avrm_word_address(codec_, 0); }
  std::uint64_t address_of(std::uint64_t word) const { return avrm_word_address(codec_, word); }

  std::uint64_t network_word(std::int32_t lpid) const {
    const std::uint64_t word = avrm_ave_word(&elements_[static_cast<std::size_t>(lpid)]);
    if (avrm_word_is_network(codec_, word)) {
      return word;
    }
    avrm_far_t far_side{};
    require(avrm_word_unpack_far(codec_, word, &far_side));
    const auto found = far_.find(far_side.local_rank);
    return far_side.kind == AVRM_FAR_UNCONNECTED || found == far_.end() ? 0 : word_of(found->second);
  }

  std::uint64_t expected(std::int32_t lpid, std::int32_t k) const {
    if (k == 0) {
      return network_word(lpid);
    }
    const auto own = words_.find({lpid, k});
    if (own != words_.end()) {
      return own->second;
    }
    if (!rule_ || k >= declared_) {
      return 0;
    }
    const std::uint64_t by_k = static_cast<std::uint64_t>(rule_->per_word) * number(k);
    if (rule_->kind == AVRM_ADDRESSES_AFTER_FIRST) {
      return network_word(lpid) == 0 ? 0 : network_word(lpid) + by_k;
    }
    return word_of(rule_->base + static_cast<std::uint64_t>(rule_->per_lpid) * number(lpid) + by_k);
  }

  void check() {
    for (std::int32_t lpid = 0; lpid < size_; ++lpid) {
      const std::uint64_t word0 = word_of_element(av_, lpid);
      ASSERT_EQ(word0, avrm_ave_word(&elements_[static_cast<std::size_t>(lpid)]));
      for (std::int32_t k = 0; k <= kMostK; ++k) {
        const std::uint64_t wanted = expected(lpid, k);
        std::uint64_t address = 0;
        const avrm_status_t status = avrm_addresses_get(av_.get(), lpid, k, &address);
        ASSERT_EQ(status, wanted == 0 ? AVRM_ERR_NOT_NETWORK : AVRM_OK) << "lpid " << lpid << ", k " << k;
        ASSERT_EQ(address, wanted == 0 ? 0 : address_of(wanted)) << "lpid " << lpid << ", k " << k;
        if (avrm_word_is_network(codec_, word0)) {
          ASSERT_EQ(avrm_addresses_word(av_.get(), lpid, word0, static_cast<std::size_t>(k)), wanted)
              << "lpid " << lpid << ", k " << k;
          (k < further_of(av_).plain ? plain_ : called_) += 1;
        }
      }
    }
  }

  void set_element(std::int32_t lpid) {
    avrm_ave_t ave{};
    switch (number32(6)) {
    case 0: break;
    case 1:
      require(avrm_ave_pack_far(codec_, {AVRM_FAR_LOCAL, static_cast<std::uint32_t>(number32(size_))}, 0, &ave));
      break;
    default: require(avrm_ave_pack(codec_, some_address(), 0, &ave)); break;
    }
    require(avrm_av_set(av_.get(), lpid, &ave));
    elements_[static_cast<std::size_t>(lpid)] = ave;
  }

  // In a pattern, but for some.
  void connect_all() {
    const bool regular = number32(3) != 0;
    const std::uint64_t step = unit() * (1 + below(engine_, 5));
    std::vector<avrm_ave_t> aves(elements_.size());
    for (std::int32_t lpid = 0; lpid < size_; ++lpid) {
      const std::uint64_t address = regular ? unit() + step * number(lpid) : some_address();
      require(avrm_ave_pack(codec_, address, 0, &aves[static_cast<std::size_t>(lpid)]));
    }
    require(avrm_av_set_range(av_.get(), 0, size_, aves.data()));
    elements_ = aves;
    for (std::int32_t i = number32(3); i > 1; --i) {
      set_element(number32(size_));
    }
  }

  void declare() {
    avrm_addresses_rule_t rule{AVRM_ADDRESSES_AFTER_FIRST, static_cast<std::int64_t>(unit()) * number32(50), 0, 0};
    if (number32(2) == 0) {
      rule.kind = AVRM_ADDRESSES_BY_LPID;
      rule.per_lpid = static_cast<std::int64_t>(unit()) * (number32(20) - 10);
      rule.base = unit() * 100000;
    }
    declared_ = 2 + number32(kMostK - 2);
    require(avrm_addresses_declare(av_.get(), declared_, &rule));
    rule_ = rule;
  }

  void set_far() {
    const auto local_rank = static_cast<std::uint32_t>(number32(size_));
    const std::uint64_t address = some_address();
    require(avrm_av_set_far_address(av_.get(), local_rank, address));
    far_[local_rank] = address;
  }

  void clear() {
    const std::int32_t lpid = number32(size_);
    require(avrm_addresses_clear(av_.get(), lpid));
    for (std::int32_t k = 1; k < kMostK; ++k) {
      if (expected(lpid, k) != 0 || (rule_ && k < declared_)) {
        words_[{lpid, k}] = 0;
      }
    }
  }

  void set_single() {
    const std::int32_t lpid = number32(size_);
    const std::int32_t k = 1 + number32(kMostK - 1);
    const std::uint64_t word0 = network_word(lpid);
    const std::uint64_t address =
        number32(2) == 0 && word0 > 1 ? address_of(word0) + unit() * number(7 * k) : some_address();
    set_words(k, lpid, {address});
  }

  // A row or a part of one, from the beginning or where it ended, in a pattern or nearly so.
  void set_row() {
    const std::int32_t k = 1 + number32(kMostK - 1);
    const std::int32_t first = number32(4) == 0 ? number32(size_) : 0;
    const std::int32_t count = number32(3) == 0 ? number32(size_ - first + 1) : size_ - first;
    const std::uint64_t step = unit() * below(engine_, 5);
    const std::int32_t pattern = number32(3);
    std::vector<std::uint64_t> addresses;
    for (std::int32_t lpid = first; lpid < first + count; ++lpid) {
      const std::uint64_t word0 = network_word(lpid);
      std::uint64_t address = unit() * (500 + 1000 * number(k)) + step * number(lpid);
      if (pattern == 0 && word0 > 1) {
        address = address_of(word0) + unit() * number(7 * k);
      } else if (pattern == 1) {
        address = number32(50) == 0 ? some_address() : address;
      }
      addresses.push_back(address);
    }
    set_words(k, first, addresses);
  }

  void set_words(std::int32_t k, std::int32_t first, const std::vector<std::uint64_t> &addresses) {
    if (addresses.empty()) {
      return;
    }
    require(avrm_addresses_set(av_.get(), k, first, static_cast<std::int32_t>(addresses.size()), addresses.data()));
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const std::int32_t lpid = first + static_cast<std::int32_t>(i);
      // What a declared rule gives stays with the rule.
      if (words_.count({lpid, k}) != 0 || expected(lpid, k) != word_of(addresses[i])) {
        words_[{lpid, k}] = word_of(addresses[i]);
      }
    }
  }

  std::mt19937_64 &engine_;
  avrm_codec_t codec_;
  CountingAllocator memory_;
  Instance instance_{&memory_};
  std::int32_t size_;
  AvPtr av_;
  std::vector<avrm_ave_t> elements_;
  std::map<std::uint32_t, std::uint64_t> far_;
  // By lpid and k; 0: cleared.
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint64_t> words_;
  std::optional<avrm_addresses_rule_t> rule_;
  std::int32_t declared_ = 1;
  std::int64_t plain_ = 0;
  std::int64_t called_ = 0;
};

class AddressesTwin : public testing::TestWithParam<avrm_codec_t> {};

TEST_P(AddressesTwin, AgreesWithAPlainTable) {
  std::mt19937_64 engine = seeded_engine();
  std::int64_t plain = 0;
  std::int64_t called = 0;
  for (int round = 0; round < (is_long() ? 20000 : 300); ++round) {
    Twin twin(engine, GetParam());
    twin.run();
    ASSERT_FALSE(HasFailure()) << "in round " << round << "; AVRM_TEST_SEED=" << seed() << " repeats it";
    plain += twin.plain();
    called += twin.called();
  }
  EXPECT_GT(plain, called / 20);
  EXPECT_GT(called, plain / 20);
}

INSTANTIATE_TEST_SUITE_P(All, AddressesTwin, testing::Values(AVRM_CODEC_OFI, AVRM_CODEC_UCX),
                         [](const auto &param) { return param.param == AVRM_CODEC_OFI ? "Ofi" : "Ucx"; });

} // namespace

} // namespace avrankmap::test
