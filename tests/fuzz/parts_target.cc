// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Summaries of a window's parts as they come from other members (avrankmap/parts.h), with the right
// checksum. Each is refused, or is a summary, of which the directory and later summaries know what
// it says.
#include <memory>
#include <optional>

#include "avrankmap/avrankmap.h"
#include "avrankmap/directory.h"
#include "base/fnv.h"
#include "tests/fuzz/input.h"

namespace {

using avrankmap::fuzz::Input;
using Summary = std::unique_ptr<avrm_parts_t>;
using Bytes = std::vector<std::uint8_t>;

// As parts.cpp has it: of byte 8 and what follows it, at byte 4.
void seal(Bytes *bytes) {
  const std::uint32_t sum =
      avrankmap::detail::fnv_32({reinterpret_cast<const char *>(bytes->data()) + 8, bytes->size() - 8});
  for (std::size_t i = 0; i < 4; ++i) {
    (*bytes)[4 + i] = static_cast<std::uint8_t>(sum >> 8 * i);
  }
}

// Mostly sound: runs that follow one another, of `first` on.
Bytes told(Input &input, std::uint32_t first) {
  const Summary told = std::make_unique<avrm_parts_t>();
  told->first = first;
  told->count = input.below(4) == 0 ? static_cast<std::uint32_t>(input.edgy()) : 1 + input.below(300);
  for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
    const std::uint32_t runs = input.below(8) == 0 ? input.below(AVRM_PARTS_RUNS + 1) : 1 + input.below(3);
    std::uint32_t at = first;
    for (std::uint32_t i = 0; i < runs; ++i) {
      told->run[field][i] = {input.edgy(), input.edgy(), at};
      at += input.below(8) == 0 ? static_cast<std::uint32_t>(input.edgy()) : 2;
    }
    told->runs[field] = runs;
  }
  Bytes bytes(avrm_parts_bytes(told.get()));
  AVRM_MUST(avrm_parts_write(told.get(), bytes.data()) == AVRM_OK);
  for (std::uint32_t spoiled = input.below(4) == 0 ? input.below(4) : 0; spoiled > 0; --spoiled) {
    bytes[input.below(static_cast<std::uint32_t>(bytes.size()))] = input.number<std::uint8_t>();
  }
  if (input.below(16) == 0) {
    bytes.resize(input.below(AVRM_PARTS_BYTES + 40));
  }
  if (bytes.size() >= 8) {
    seal(&bytes);
  }
  return bytes;
}

// What a summary says of a field of a rank; nothing if it is irregular.
std::optional<std::uint64_t> value_in(const avrm_parts_t &parts, int field, std::uint32_t rank) {
  const avrm_parts_run_t *run = parts.run[field];
  if (parts.runs[field] == 0) {
    return std::nullopt;
  }
  for (std::uint32_t i = 1; i < parts.runs[field] && parts.run[field][i].first <= rank; ++i) {
    run = &parts.run[field][i];
  }
  return run->value + (rank - run->first) * run->step;
}

std::vector<std::uint32_t> ranks_of(const avrm_parts_t &parts) {
  std::vector<std::uint32_t> ranks{parts.first, parts.first + parts.count / 2, parts.first + parts.count - 1};
  for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
    for (std::uint32_t i = 0; i < parts.runs[field]; ++i) {
      ranks.push_back(parts.run[field][i].first);
      ranks.push_back(std::max(parts.first + 1, parts.run[field][i].first) - 1);
    }
  }
  return ranks;
}

// Null if it is refused.
Summary read(const Bytes &bytes) {
  Summary parts = std::make_unique<avrm_parts_t>();
  if (avrm_parts_read(bytes.data(), bytes.size(), parts.get()) != AVRM_OK) {
    AVRM_MUST(parts->count == 0);
    return nullptr;
  }
  AVRM_MUST(parts->count >= 1 && std::uint64_t{parts->first} + parts->count <= INT32_MAX);
  Bytes again(avrm_parts_bytes(parts.get()));
  AVRM_MUST(avrm_parts_write(parts.get(), again.data()) == AVRM_OK && again == bytes);
  return parts;
}

// A directory knows all parts if all fields are known, and no whole part before it learns them
// otherwise. Base and key are known together, size and unit each by itself.
void check_directory(const avrm_parts_t &parts) {
  avrm_instance_t *instance = nullptr;
  AVRM_MUST(avrm_instance_create(nullptr, &instance) == AVRM_OK);
  avrm_directory_t directory{};
  const avrm_status_t status = avrm_directory_create_summary(instance, &parts, &directory);
  AVRM_MUST(status == (parts.first == 0 ? AVRM_OK : AVRM_ERR_RANGE));
  if (status == AVRM_OK) {
    AVRM_MUST(avrm_directory_bytes(&directory) <= 400 + AVRM_PARTS_BYTES);
    for (const std::uint32_t rank : ranks_of(parts)) {
      std::optional<std::uint64_t> value[AVRM_PARTS_FIELDS];
      bool is_known = true;
      for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
        value[field] = value_in(parts, field, rank);
        is_known = is_known && value[field].has_value();
      }
      const auto number = static_cast<std::int32_t>(rank);
      avrm_part_t target{};
      AVRM_MUST(avrm_directory_target(&directory, number, &target.base, &target.key) == (value[0] && value[1]));
      AVRM_MUST(!value[0] || !value[1] || (target.base == *value[0] && target.key == *value[1]));
      AVRM_MUST(avrm_directory_size(&directory, number) == value[2].value_or(0));
      AVRM_MUST(avrm_directory_unit(&directory, number) == static_cast<std::uint32_t>(value[3].value_or(0)));
      avrm_part_t found{};
      AVRM_MUST(avrm_directory_find(&directory, number, &found) == is_known);
      AVRM_MUST(!is_known || (found.base == *value[0] && found.key == *value[1] && found.size == *value[2] &&
                              found.unit == static_cast<std::uint32_t>(*value[3])));
    }
    avrm_directory_destroy(&directory);
  }
  AVRM_MUST(avrm_instance_destroy(instance) == AVRM_OK); // nothing leaked
}

void check_append(const avrm_parts_t &parts, const avrm_parts_t &behind) {
  const Summary all = std::make_unique<avrm_parts_t>(parts);
  const std::uint64_t end = std::uint64_t{parts.first} + parts.count;
  const avrm_status_t status = avrm_parts_append(all.get(), &behind);
  AVRM_MUST(status == (behind.first != end              ? AVRM_ERR_RANGE
                       : end + behind.count > INT32_MAX ? AVRM_ERR_SIZE
                                                        : AVRM_OK));
  if (status != AVRM_OK) {
    return;
  }
  AVRM_MUST(all->count == parts.count + behind.count);
  for (const avrm_parts_t *const half : {&parts, &behind}) {
    for (const std::uint32_t rank : ranks_of(*half)) {
      for (int field = 0; field < AVRM_PARTS_FIELDS; ++field) {
        const std::optional<std::uint64_t> value = value_in(*all, field, rank);
        AVRM_MUST(!value || value == value_in(*half, field, rank));
      }
    }
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  Input input(data, size);
  const Summary parts = read(told(input, input.below(3) == 0 ? static_cast<std::uint32_t>(input.edgy()) : 0));
  if (parts == nullptr) {
    return 0;
  }
  check_directory(*parts);
  const bool adjoins = input.below(8) != 0;
  const Summary behind =
      read(told(input, adjoins ? parts->first + parts->count : static_cast<std::uint32_t>(input.edgy())));
  if (behind != nullptr) {
    check_append(*parts, *behind);
  }
  return 0;
}
