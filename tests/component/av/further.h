// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Shorthands for tests of further addresses.
#ifndef AVRANKMAP_TESTS_AV_FURTHER_H
#define AVRANKMAP_TESTS_AV_FURTHER_H

#include <cstdint>
#include <cstring>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/component/av/layouts.h"

namespace avrankmap::test {

inline std::uint64_t word_of_element(const AvPtr &av, std::int32_t lpid) {
  const avrm_ave_t ave = element_of(av, lpid);
  return avrm_ave_word(&ave);
}

// Word k, whichever side the peer is on, as inline and checked functions return it.
inline std::uint64_t word_at(const AvPtr &av, std::int32_t lpid, std::int32_t k, avrm_codec_t codec = AVRM_CODEC_OFI) {
  const std::uint64_t word0 = word_of_element(av, lpid);
  const std::uint64_t word = avrm_addresses_word(av.get(), lpid, word0, static_cast<std::size_t>(k));
  std::uint64_t address = 0;
  const avrm_status_t status = avrm_addresses_get(av.get(), lpid, k, &address);
  if (k < AVRM_ADDRESSES_MOST) {
    EXPECT_EQ(status, word == 0 ? AVRM_ERR_NOT_NETWORK : AVRM_OK) << "lpid " << lpid << ", k " << k;
    EXPECT_EQ(address, word == 0 ? 0 : avrm_word_address(codec, word)) << "lpid " << lpid << ", k " << k;
  }
  return word;
}

inline std::uint64_t address_at(const AvPtr &av, std::int32_t lpid, std::int32_t k) {
  std::uint64_t address = 0;
  require(avrm_addresses_get(av.get(), lpid, k, &address));
  return address;
}

inline avrm_status_t missing_at(const AvPtr &av, std::int32_t lpid, std::int32_t k) {
  std::uint64_t address = 4711;
  const avrm_status_t status = avrm_addresses_get(av.get(), lpid, k, &address);
  EXPECT_EQ(address, 4711U);
  return status;
}

inline void set_one(const AvPtr &av, std::int32_t lpid, std::int32_t k, std::uint64_t address) {
  require(avrm_addresses_set(av.get(), k, lpid, 1, &address));
}

template <typename Address> void set_all(const AvPtr &av, std::int32_t k, Address address) {
  std::vector<std::uint64_t> addresses;
  for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
    addresses.push_back(address(lpid));
  }
  require(avrm_addresses_set(av.get(), k, 0, av->size, addresses.data()));
}

// Connects all peers of an AV of codec OFI.
template <typename Address> void connect(const AvPtr &av, Address address) {
  std::vector<avrm_ave_t> aves;
  for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
    aves.push_back(at_address(address(lpid), 0));
  }
  require(avrm_av_set_range(av.get(), 0, av->size, aves.data()));
}

inline avrm_addresses_info_t further_of(const AvPtr &av) {
  avrm_addresses_info_t info{};
  require(avrm_addresses_describe(av.get(), &info));
  return info;
}

// All words of all peers, by lpid, then k.
inline std::vector<std::uint64_t> words_of(const AvPtr &av, std::int32_t count) {
  std::vector<std::uint64_t> words;
  for (std::int32_t lpid = 0; lpid < av->size; ++lpid) {
    for (std::int32_t k = 0; k < count; ++k) {
      words.push_back(word_at(av, lpid, k));
    }
  }
  return words;
}

} // namespace avrankmap::test

#endif
