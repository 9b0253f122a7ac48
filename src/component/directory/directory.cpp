// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/directory.h"

#include <algorithm>
#include <iterator>

#include "av/instance.h"
#include "directory/fields.h"
#include "directory/records.h"

namespace avrankmap::detail {

namespace {

[[nodiscard]] avrm_directory_t directory_of(avrm_instance_t *instance, std::int32_t ranks,
                                            avrm_directory_form_t form) noexcept {
  avrm_directory_t directory{};
  directory.heads = no_heads();
  directory.form = static_cast<std::uint8_t>(form);
  directory.ranks = static_cast<std::uint32_t>(ranks);
  directory.instance = instance;
  return directory;
}

[[nodiscard]] bool operator==(const avrm_part_t &a, const avrm_part_t &b) noexcept {
  return a.base == b.base && a.key == b.key && a.size == b.size && a.unit == b.unit;
}

// Bits of the fields whose part and rule agree.
[[nodiscard]] std::uint8_t agreeing(const avrm_part_t &part, const avrm_part_t &rule) noexcept {
  return static_cast<std::uint8_t>((part.base == rule.base ? kBaseRule : 0) | (part.key == rule.key ? kKeyRule : 0) |
                                   (part.size == rule.size ? kSizeRule : 0) | (part.unit == rule.unit ? kUnitRule : 0));
}

// All fields, some of which are no rules.
struct Tables {
  Field fields[kFields];

  [[nodiscard]] avrm_part_t at(std::uint32_t rank) const noexcept {
    return {fields[0].at(rank), fields[1].at(rank), fields[2].at(rank), static_cast<std::uint32_t>(fields[3].at(rank))};
  }
};

[[nodiscard]] const Tables *tables_of(const avrm_directory_t *directory) noexcept {
  return static_cast<const Tables *>(directory->tables);
}

// Puts the fields that are rules into a directory, and chooses its form.
void set_rules(avrm_directory_t *directory, const Field (&fields)[kFields], std::uint8_t rules) noexcept {
  std::uint64_t *const starts[] = {&directory->base, &directory->key, &directory->size};
  std::uint64_t *const steps[] = {&directory->base_step, &directory->key_step, &directory->size_step};
  for (int i = 0; i < kFields; ++i) {
    if ((rules >> i & 1) == 0) {
      continue;
    }
    if (i < 3) {
      *starts[i] = fields[i].start();
      *steps[i] = fields[i].step();
    } else {
      directory->unit = static_cast<std::uint32_t>(fields[i].start());
      directory->unit_step = static_cast<std::uint32_t>(fields[i].step());
    }
  }
  directory->rules = rules;
  directory->is_plain = rules == kAllRules ? 1 : 0;
  avrm_directory_form_t form = AVRM_DIRECTORY_TABLES;
  if ((rules & kBaseRule) != 0 && (rules & kKeyRule) != 0 && directory->key_step == 0) {
    form = directory->base_step == 0 ? AVRM_DIRECTORY_UNIFORM : AVRM_DIRECTORY_REGULAR;
  }
  directory->form = static_cast<std::uint8_t>(form);
}

// Gives a directory a block for its tables. False without memory.
[[nodiscard]] bool allocate(avrm_directory_t *directory, std::uint64_t bytes) noexcept {
  directory->tables = directory->instance->memory.allocate(bytes, alignof(Tables), AVRM_MEM_COMM);
  directory->bytes = directory->tables == nullptr ? 0 : bytes;
  return directory->tables != nullptr;
}

// A directory that knows all parts: source(i) gives the values of field i. `parts` is the array
// that they come from, if they do.
template <typename Source>
[[nodiscard]] avrm_status_t create(avrm_instance_t *instance, std::uint32_t ranks, Source source,
                                   const avrm_part_t *parts, avrm_directory_t *directory_p) noexcept {
  avrm_directory_t directory = directory_of(instance, static_cast<std::int32_t>(ranks), AVRM_DIRECTORY_TABLES);
  Tables tables{};
  std::uint64_t bytes = sizeof tables;
  std::uint8_t rules = 0;
  for (int i = 0; i < kFields; ++i) {
    tables.fields[i] = Field::plan(source(i));
    bytes += tables.fields[i].bytes();
    rules = static_cast<std::uint8_t>(rules | (tables.fields[i].is_rule() ? 1 << i : 0));
  }
  set_rules(&directory, tables.fields, rules);
  const std::uint64_t plain = ranks * sizeof *parts;
  directory.is_array = parts != nullptr && bytes > plain && rules != kAllRules ? 1 : 0;
  if (rules != kAllRules && !allocate(&directory, directory.is_array != 0 ? plain : bytes)) {
    return AVRM_ERR_NO_MEMORY;
  }
  if (directory.is_array != 0) {
    std::copy_n(parts, ranks, static_cast<avrm_part_t *>(directory.tables));
  } else if (rules != kAllRules) {
    auto *room = reinterpret_cast<std::uint64_t *>(static_cast<Tables *>(directory.tables) + 1);
    for (int i = 0; i < kFields; ++i) {
      tables.fields[i].fill(source(i), room);
      room += tables.fields[i].bytes() / sizeof *room;
    }
    *static_cast<Tables *>(directory.tables) = tables;
  }
  *directory_p = directory;
  return AVRM_OK;
}

// A directory of a summary that does not know all fields.
[[nodiscard]] avrm_directory_t partial(avrm_instance_t *instance, const avrm_parts_t *summary) noexcept {
  avrm_directory_t directory =
      directory_of(instance, static_cast<std::int32_t>(summary->count), AVRM_DIRECTORY_RECORDS);
  Field fields[kFields];
  std::uint8_t rules = 0;
  for (int i = 0; i < kFields; ++i) {
    if (summary->runs[i] != 0) {
      fields[i] = Field::plan(FieldSource(summary, i));
      rules = static_cast<std::uint8_t>(rules | (fields[i].is_rule() ? 1 << i : 0));
    }
  }
  set_rules(&directory, fields, rules);
  if (directory.form == AVRM_DIRECTORY_TABLES) {
    directory.form = AVRM_DIRECTORY_RECORDS;
  }
  return directory;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_directory_create(avrm_instance_t *instance, int32_t ranks, avrm_directory_t *directory_p) noexcept {
  if (instance == nullptr || directory_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (ranks < 0) {
    return AVRM_ERR_SIZE;
  }
  *directory_p = directory_of(instance, ranks, AVRM_DIRECTORY_RECORDS);
  return AVRM_OK;
}

avrm_status_t avrm_directory_create_regular(avrm_instance_t *instance, int32_t ranks, const avrm_part_t *first,
                                            const avrm_part_t *step, avrm_directory_t *directory_p) noexcept {
  if (instance == nullptr || first == nullptr || directory_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (ranks < 0) {
    return AVRM_ERR_SIZE;
  }
  const avrm_part_t by = step == nullptr ? avrm_part_t{} : *step;
  avrm_directory_form_t form = by.base == 0 ? AVRM_DIRECTORY_UNIFORM : AVRM_DIRECTORY_REGULAR;
  form = by.key == 0 ? form : AVRM_DIRECTORY_TABLES;
  avrm_directory_t directory = directory_of(instance, ranks, form);
  directory.base = first->base;
  directory.base_step = by.base;
  directory.key = first->key;
  directory.key_step = by.key;
  directory.size = first->size;
  directory.size_step = by.size;
  directory.unit = first->unit;
  directory.unit_step = by.unit;
  directory.is_plain = 1;
  directory.rules = kAllRules;
  *directory_p = directory;
  return AVRM_OK;
}

avrm_status_t avrm_directory_create_parts(avrm_instance_t *instance, int32_t ranks, const avrm_part_t *parts,
                                          avrm_directory_t *directory_p) noexcept {
  if (instance == nullptr || directory_p == nullptr || (parts == nullptr && ranks > 0)) {
    return AVRM_ERR_NULL;
  }
  if (ranks < 0) {
    return AVRM_ERR_SIZE;
  }
  const auto count = static_cast<std::uint32_t>(ranks);
  return create(
      instance, count, [=](int field) { return FieldSource(parts, count, field); }, parts, directory_p);
}

avrm_status_t avrm_directory_create_summary(avrm_instance_t *instance, const avrm_parts_t *parts,
                                            avrm_directory_t *directory_p) noexcept {
  if (instance == nullptr || parts == nullptr || directory_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (parts->first != 0) {
    return AVRM_ERR_RANGE;
  }
  if (std::find(std::begin(parts->runs), std::end(parts->runs), 0U) != std::end(parts->runs)) {
    *directory_p = partial(instance, parts);
    return AVRM_OK;
  }
  return create(
      instance, parts->count, [=](int field) { return FieldSource(parts, field); }, nullptr, directory_p);
}

void avrm_directory_destroy(avrm_directory_t *directory) noexcept {
  if (directory == nullptr || directory->instance == nullptr) {
    return;
  }
  if (directory->tables != nullptr) {
    directory->instance->memory.release(directory->tables, directory->bytes, alignof(Tables), AVRM_MEM_COMM);
  }
  release_records(directory);
  *directory = {};
}

avrm_status_t avrm_directory_learn(avrm_directory_t *directory, int32_t rank, const avrm_part_t *part) noexcept {
  if (directory == nullptr || directory->instance == nullptr || part == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (rank < 0 || static_cast<std::uint32_t>(rank) >= directory->ranks) {
    return AVRM_ERR_RANK;
  }
  avrm_part_t known{};
  if (avrm_directory_find(directory, rank, &known)) {
    return known == *part ? AVRM_OK : AVRM_ERR_MISMATCH;
  }
  const std::uint8_t rules = directory->rules;
  if ((agreeing(*part, part_by_rule(directory, rank)) & rules) != rules) {
    return AVRM_ERR_MISMATCH;
  }
  return add_record(directory, rank, *part);
}

bool avrm_directory_recognise(avrm_directory_t *directory) noexcept {
  if (directory == nullptr || directory->instance == nullptr || directory->form == AVRM_DIRECTORY_TABLES) {
    return false;
  }
  if (directory->is_plain != 0) {
    return true;
  }
  avrm_part_t first{};
  avrm_part_t second{};
  if (directory->count != directory->ranks || !avrm_directory_find(directory, 0, &first)) {
    return false;
  }
  avrm_part_t step{};
  if (directory->ranks > 1) {
    (void)avrm_directory_find(directory, 1, &second); // all are known
    step = {second.base - first.base, 0, second.size - first.size, second.unit - first.unit};
  }
  avrm_directory_t plain{};
  (void)avrm_directory_create_regular(directory->instance, static_cast<std::int32_t>(directory->ranks), &first, &step,
                                      &plain);
  std::int32_t rank = 0;
  avrm_part_t part{};
  for (std::uint64_t place = 0; avrm_directory_next(directory, &place, &rank, &part);) {
    if (!(part == part_by_rule(&plain, rank))) {
      return false;
    }
  }
  avrm_directory_destroy(directory);
  *directory = plain;
  return true;
}

uint64_t avrm_directory_bytes(const avrm_directory_t *directory) noexcept {
  return directory == nullptr ? 0 : directory->bytes;
}

const avrm_directory_record_t *avrm_i_directory_search(const avrm_directory_t *directory, int32_t rank) noexcept {
  return search_record(directory, rank);
}

bool avrm_directory_next(const avrm_directory_t *directory, uint64_t *place_p, int32_t *rank_p,
                         avrm_part_t *part_p) noexcept {
  return next_record(directory, place_p, rank_p, part_p);
}

avrm_directory_place_t avrm_i_directory_target(const avrm_directory_t *directory, int32_t rank) noexcept {
  avrm_part_t part{};
  (void)avrm_directory_find(directory, rank, &part);
  return {part.base, part.key};
}

bool avrm_i_directory_find(const avrm_directory_t *directory, int32_t rank, avrm_part_t *part_p) noexcept {
  if (directory->tables == nullptr) {
    return find_record(directory, rank, part_p);
  }
  *part_p = directory->is_array != 0 ? static_cast<const avrm_part_t *>(directory->tables)[rank]
                                     : tables_of(directory)->at(static_cast<std::uint32_t>(rank));
  return true;
}

uint64_t avrm_i_directory_size(const avrm_directory_t *directory, int32_t rank) noexcept {
  if ((directory->rules & kSizeRule) != 0) {
    return part_by_rule(directory, rank).size;
  }
  avrm_part_t part{};
  return avrm_i_directory_find(directory, rank, &part) ? part.size : 0;
}

uint32_t avrm_i_directory_unit(const avrm_directory_t *directory, int32_t rank) noexcept {
  if ((directory->rules & kUnitRule) != 0) {
    return part_by_rule(directory, rank).unit;
  }
  avrm_part_t part{};
  return avrm_i_directory_find(directory, rank, &part) ? part.unit : 0;
}
