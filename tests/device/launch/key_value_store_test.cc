// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The key-value store of a forked job on its own: large jobs and their memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "avrankmap/device/boot.h"
#include "launch/key_value_store.h"

namespace {

using avrankmap::detail::KeyValueStore;

std::size_t resident_pages(const KeyValueStore &store) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> present((store.pages().size() + page - 1) / page);
  EXPECT_EQ(mincore(store.pages().data(), store.pages().size(), present.data()), 0);
  std::size_t count = 0;
  for (const unsigned char entry : present) {
    count += entry & 1U;
  }
  return count;
}

KeyValueStore make_store(std::int32_t size) {
  KeyValueStore store;
  EXPECT_EQ(KeyValueStore::create(size, &store), AVRM_OK);
  return store;
}

TEST(KeyValueStore, WithoutCardsTakesNoPage) { EXPECT_EQ(resident_pages(make_store(8192)), 0U); }

TEST(KeyValueStore, TenCardsCostAFewPagesHoweverLargeTheJobIs) {
  const KeyValueStore store = make_store(8192);
  const std::string card(400, 'c');
  for (std::int32_t rank = 8000; rank < 8010; ++rank) {
    ASSERT_EQ(store.publish(rank, 0, card.data(), card.size()), AVRM_OK);
  }
  EXPECT_LE(resident_pages(store), 4U); // the head, a page of the index, 4,000 bytes of cards
}

TEST(KeyValueStore, LookingForCardsCostsNoMoreThanTheIndex) {
  const KeyValueStore store = make_store(8192);
  char card[AVRM_BOOT_CARD_MAX];
  for (std::int32_t rank = 0; rank < 8192; ++rank) {
    std::size_t bytes = sizeof card;
    ASSERT_EQ(store.fetch(rank, 3, card, &bytes), AVRM_ERR_PEER);
    ASSERT_FALSE(store.failures().has(rank));
  }
  // A shared page that is read comes into being: the index of one slot, 8 bytes per rank,
  // and the failures.
  EXPECT_LE(resident_pages(store), 1U + 8192 * 8 / 4096 + 2);
}

TEST(KeyValueStore, TheFirstAndTheLastOfALargeJobHaveTheirOwnCards) {
  const KeyValueStore store = make_store(100000);
  for (const std::int32_t rank : {0, 99999}) {
    for (const std::int32_t slot : {0, 255}) {
      const std::string card = std::to_string(rank) + " " + std::to_string(slot);
      ASSERT_EQ(store.publish(rank, slot, card.data(), card.size()), AVRM_OK);
    }
  }
  for (const std::int32_t rank : {0, 99999}) {
    for (const std::int32_t slot : {0, 255}) {
      char card[32];
      std::size_t bytes = sizeof card;
      ASSERT_EQ(store.fetch(rank, slot, card, &bytes), AVRM_OK);
      EXPECT_EQ(std::string(card, bytes), std::to_string(rank) + " " + std::to_string(slot));
    }
  }
}

// Its processes share it, and one of them may be broken.
TEST(KeyValueStore, WhoeverScribblesInItMovesNoReaderOutOfIt) {
  const KeyValueStore store = make_store(2);
  ASSERT_EQ(store.publish(1, 0, "card", 4), AVRM_OK);
  auto *const begin = reinterpret_cast<std::uint64_t *>(store.pages().data());
  // The first card's.
  std::uint64_t *const word = std::find(begin, begin + 4096, std::uint64_t{1} << 11 | 4);
  ASSERT_NE(word, begin + 4096);
  for (const std::uint64_t wrong : {std::uint64_t{4}, UINT64_MAX - 2043, (std::uint64_t{64} << 17 | 1) << 11 | 4}) {
    *word = wrong;
    char card[AVRM_BOOT_CARD_MAX];
    std::size_t bytes = sizeof card;
    EXPECT_EQ(store.fetch(1, 0, card, &bytes), AVRM_ERR_BOOT) << wrong;
  }
}

TEST(KeyValueStore, WhoeverScribblesInItMovesNoWriterOutOfIt) {
  const KeyValueStore store = make_store(2);
  ASSERT_EQ(store.publish(1, 0, "card", 4), AVRM_OK);
  auto *const begin = reinterpret_cast<std::uint64_t *>(store.pages().data());
  std::uint64_t *const used = std::find(begin, begin + 4096, std::uint64_t{8}); // bytes of cards
  ASSERT_NE(used, begin + 4096);
  for (const std::uint64_t wrong : {std::uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 7}) {
    *used = wrong;
    EXPECT_EQ(store.publish(1, 1, "card", 4), AVRM_ERR_NO_MEMORY) << wrong;
  }
}

TEST(KeyValueStore, TakesNoMoreCardsWhenFullAndKeepsWhatItHas) {
  const KeyValueStore store = make_store(1);
  const std::string card(AVRM_BOOT_CARD_MAX, 'c');
  int published = 0;
  while (store.publish(0, 0, card.data(), card.size()) == AVRM_OK) {
    ++published;
  }
  EXPECT_EQ(published, 65536);
  EXPECT_EQ(store.publish(0, 0, card.data(), 1), AVRM_ERR_NO_MEMORY);
  EXPECT_EQ(store.publish(0, 1, card.data(), 0), AVRM_OK); // needs no room
  char found[AVRM_BOOT_CARD_MAX];
  std::size_t bytes = sizeof found;
  ASSERT_EQ(store.fetch(0, 0, found, &bytes), AVRM_OK);
  EXPECT_EQ(std::string(found, bytes), card);
}

TEST(KeyValueStore, AJobBeyondTheAddressSpaceIsOutOfMemory) {
  KeyValueStore store;
  EXPECT_EQ(KeyValueStore::create(INT32_MAX, &store), AVRM_ERR_NO_MEMORY);
}

TEST(KeyValueStore, ADeathIsCountedOnce) {
  const KeyValueStore store = make_store(200);
  for (const std::int32_t rank : {0, 63, 64, 199, 64, 0}) {
    store.failures().mark(rank);
  }
  EXPECT_EQ(store.failures().count(), 4U);
  for (std::int32_t rank = -1; rank <= 200; ++rank) {
    EXPECT_EQ(store.failures().has(rank), rank == 0 || rank == 63 || rank == 64 || rank == 199) << rank;
  }
}

} // namespace
