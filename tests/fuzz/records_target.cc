// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Data that processes exchange to find each other and to create communicators: business cards and
// rankmaps. Any bytes are refused, or are valid.
#include <memory>

#include "comm_algorithms/map_message.h"
#include "core/peers/card.h"
#include "tests/fuzz/input.h"

namespace {

using namespace avrankmap::detail;
using avrankmap::fuzz::Input;

void card(Input &input) {
  const std::vector<std::uint8_t> bytes = input.bytes(sizeof(Card));
  Card card;
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::uint8_t *>(&card));
  if (input.below(2) == 0) {
    card.magic = Card::kMagic;
  }
  if (card.is_sound(bytes.size())) {
    AVRM_MUST(card.net_bytes + std::size_t{card.shm_bytes} <= Card::kRoom);
    AVRM_MUST(card.size() <= sizeof(Card));
  }
}

void map(Input &input) {
  avrm_instance_t *instance = nullptr;
  AVRM_MUST(avrm_instance_create(nullptr, &instance) == AVRM_OK);
  {
    MapHeader header{};
    std::int32_t *const fields[] = {&header.size, &header.pgid, &header.offset, &header.stride, &header.block};
    for (std::int32_t *const field : fields) {
      *field = static_cast<std::int32_t>(input.edgy());
    }
    std::vector<Run> runs(input.below(12));
    header.runs = static_cast<std::int32_t>(runs.size()); // the transport knows this number
    std::uint64_t total = 0;
    for (Run &run : runs) {
      const std::uint64_t first_rank = input.edgy();
      // Mostly valid.
      run.first_rank = static_cast<std::int32_t>(first_rank < 200 ? total : first_rank);
      run.count = static_cast<std::int32_t>(input.edgy());
      run.pgid = static_cast<std::int32_t>(input.edgy());
      run.offset = static_cast<std::int32_t>(input.edgy());
      run.stride = static_cast<std::int32_t>(input.edgy());
      total += static_cast<std::uint64_t>(std::int64_t{run.count});
    }
    if (input.below(2) == 0) {
      header.size = static_cast<std::int32_t>(total);
    }
    constexpr std::int32_t kMost = 1 << 20; // larger tables are legal, but slow to check
    MapOwner made;
    const bool modest = header.size <= kMost && static_cast<std::int64_t>(total) <= kMost;
    if (modest && map_from_message(instance, header, runs.data(), &made) == AVRM_OK) {
      AVRM_MUST(made != nullptr && made->size == header.size && avrm_rankmap_validate(made.get(), nullptr));
    }
  }
  AVRM_MUST(avrm_instance_destroy(instance) == AVRM_OK);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  input.below(2) == 0 ? card(input) : map(input);
  return 0;
}
