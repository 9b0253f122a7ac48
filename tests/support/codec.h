// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One interface to the two address codecs, so that a test of what both promise is written once. An
// address is a number here; UCX's is the number in the pointer.
#ifndef AVRANKMAP_TESTS_SUPPORT_CODEC_H
#define AVRANKMAP_TESTS_SUPPORT_CODEC_H

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

#include "avrankmap/ave.h"
#include "tests/support/print.h"

inline bool operator==(const avrm_ave_t &a, const avrm_ave_t &b) {
  return a.w[0] == b.w[0] && a.w[1] == b.w[1] && a.w[2] == b.w[2];
}
inline bool operator==(const avrm_far_t &a, const avrm_far_t &b) {
  return a.kind == b.kind && a.local_rank == b.local_rank;
}
inline void PrintTo(const avrm_ave_t &ave, std::ostream *out) {
  *out << std::hex << "word 0x" << avrm_ave_word(&ave) << " node 0x" << avrm_ave_node(&ave) << std::dec;
}
inline void PrintTo(const avrm_far_t &far_side, std::ostream *out) {
  static constexpr const char *kKinds[] = {"unconnected", "local", "self"};
  *out << kKinds[far_side.kind] << " local rank " << far_side.local_rank;
}

namespace avrankmap::test {

struct Codec {
  const char *name;
  avrm_codec_t id;
  int lowest_bit; // of a legal address
  int highest_bit;
  std::uint64_t least; // legal address
  std::uint64_t greatest;
  std::uint64_t stolen_bits;
  std::vector<std::uint64_t> sentinels;
  bool (*is_network)(std::uint64_t word);
  std::uint64_t (*address)(std::uint64_t word);
  avrm_status_t (*pack)(std::uint64_t address, std::uint32_t node, avrm_ave_t *ave_p);
  avrm_status_t (*unpack)(const avrm_ave_t *ave, std::uint64_t *address_p, std::uint32_t *node_p);
  avrm_status_t (*pack_far)(avrm_far_t far_side, std::uint32_t node, avrm_ave_t *ave_p);
  avrm_status_t (*unpack_far)(std::uint64_t word, avrm_far_t *far_p);
};

namespace internal {

inline const void *as_pointer(std::uint64_t address) {
  return reinterpret_cast<const void *>(static_cast<std::uintptr_t>(address));
}

inline avrm_status_t ucx_unpack(const avrm_ave_t *ave, std::uint64_t *address_p, std::uint32_t *node_p) {
  if (address_p == nullptr) {
    return avrm_ucx_unpack(ave, nullptr, node_p);
  }
  void *endpoint = const_cast<void *>(as_pointer(*address_p)); // shows whether it was written
  const avrm_status_t status = avrm_ucx_unpack(ave, &endpoint, node_p);
  *address_p = reinterpret_cast<std::uintptr_t>(endpoint);
  return status;
}

} // namespace internal

inline const Codec &ofi_codec() {
  static const Codec codec = {"Ofi",
                              AVRM_CODEC_OFI,
                              0,
                              62,
                              0,
                              (std::uint64_t{1} << 63) - 1,
                              std::uint64_t{1} << 63,
                              {~std::uint64_t{0}},
                              avrm_ofi_is_network,
                              avrm_ofi_address,
                              avrm_ofi_pack,
                              avrm_ofi_unpack,
                              avrm_ofi_pack_far,
                              avrm_ofi_unpack_far};
  return codec;
}

inline const Codec &ucx_codec() {
  static const Codec codec = {
      "Ucx",
      AVRM_CODEC_UCX,
      1,
      62,
      2,
      (std::uint64_t{1} << 63) - 2,
      std::uint64_t{1} << 63 | 1,
      {0},
      avrm_ucx_is_network,
      [](std::uint64_t word) -> std::uint64_t { return reinterpret_cast<std::uintptr_t>(avrm_ucx_endpoint(word)); },
      [](std::uint64_t address, std::uint32_t node, avrm_ave_t *ave_p) {
        return avrm_ucx_pack(internal::as_pointer(address), node, ave_p);
      },
      internal::ucx_unpack,
      avrm_ucx_pack_far,
      avrm_ucx_unpack_far};
  return codec;
}

// Elements of a codec, for tests that do not expect them to fail.
inline avrm_ave_t network(const Codec &codec, std::uint64_t address, std::uint32_t node = 0) {
  avrm_ave_t ave{};
  EXPECT_EQ(codec.pack(address, node, &ave), AVRM_OK) << address;
  return ave;
}
inline avrm_ave_t far_side(const Codec &codec, avrm_far_t what, std::uint32_t node = 0) {
  avrm_ave_t ave{};
  EXPECT_EQ(codec.pack_far(what, node, &ave), AVRM_OK);
  return ave;
}

inline bool is_unconnected(const Codec &codec, std::uint64_t word) {
  avrm_far_t what{AVRM_FAR_SELF, 1};
  return codec.unpack_far(word, &what) == AVRM_OK && what == avrm_far_t{AVRM_FAR_UNCONNECTED, 0};
}

// One test for each codec:
//   class X : public CodecTest {};
//   AVRM_TEST_BOTH_CODECS(X);
//   TEST_P(X, Fact) { codec()... }
class CodecTest : public testing::TestWithParam<const Codec *> {
protected:
  static const Codec &codec() { return *GetParam(); }
};

#define AVRM_TEST_BOTH_CODECS(suite)                                                                                   \
  INSTANTIATE_TEST_SUITE_P(Codec, suite,                                                                               \
                           testing::Values(&avrankmap::test::ofi_codec(), &avrankmap::test::ucx_codec()),              \
                           [](const auto &info) { return std::string(info.param->name); })

} // namespace avrankmap::test

#endif
