// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/directory.h"

#include "av/instance.h"
#include "window_table/known_fields.h"
#include "window_table/records.h"

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

// Bit mask of the fields in which two parts agree.
[[nodiscard]] std::uint8_t agreeing(const avrm_part_t &a, const avrm_part_t &b) noexcept {
  return static_cast<std::uint8_t>((a.base == b.base ? kBaseBit : 0) | (a.key == b.key ? kKeyBit : 0) |
                                   (a.size == b.size ? kSizeBit : 0) | (a.unit == b.unit ? kUnitBit : 0));
}

// Creates a directory that knows the fields that their sources know.
[[nodiscard]] avrm_status_t create(avrm_instance_t *instance, std::uint32_t ranks,
                                   const FieldSource (&sources)[kFields], avrm_directory_t *directory_p) noexcept {
  avrm_directory_t directory = directory_of(instance, static_cast<std::int32_t>(ranks), AVRM_DIRECTORY_RECORDS);
  const avrm_status_t status = know_fields(&directory, sources);
  if (status == AVRM_OK) {
    *directory_p = directory;
  }
  return status;
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
  directory.rules = kAllBits;
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
  return create(instance, count, {{parts, count, 0}, {parts, count, 1}, {parts, count, 2}, {parts, count, 3}},
                directory_p);
}

avrm_status_t avrm_directory_create_summary(avrm_instance_t *instance, const avrm_parts_t *parts,
                                            avrm_directory_t *directory_p) noexcept {
  if (instance == nullptr || parts == nullptr || directory_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (parts->first != 0) {
    return AVRM_ERR_RANGE;
  }
  return create(instance, parts->count, {{parts, 0}, {parts, 1}, {parts, 2}, {parts, 3}}, directory_p);
}

void avrm_directory_destroy(avrm_directory_t *directory) noexcept {
  if (directory == nullptr || directory->instance == nullptr) {
    return;
  }
  release_tables(directory);
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
  const std::uint8_t fields = known_fields(directory);
  if ((agreeing(*part, known_part(directory, rank)) & fields) != fields) {
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
    (void)avrm_directory_find(directory, 1, &second); // all parts are known
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
  if (directory == nullptr) {
    return 0;
  }
  return table_bytes(directory) + directory->bytes;
}

const avrm_directory_record_t *avrm_i_directory_search(const avrm_directory_t *directory, int32_t rank) noexcept {
  return search_record(directory, rank);
}

bool avrm_directory_next(const avrm_directory_t *directory, uint64_t *place_p, int32_t *rank_p,
                         avrm_part_t *part_p) noexcept {
  return next_record(directory, place_p, rank_p, part_p);
}

avrm_directory_place_t avrm_i_directory_target(const avrm_directory_t *directory, int32_t rank) noexcept {
  const avrm_part_t part = known_part(directory, rank);
  return {part.base, part.key};
}

bool avrm_i_directory_find(const avrm_directory_t *directory, int32_t rank, avrm_part_t *part_p) noexcept {
  if (known_fields(directory) != kAllBits) {
    return find_record(directory, rank, part_p);
  }
  *part_p = known_part(directory, rank);
  return true;
}

uint64_t avrm_i_directory_size(const avrm_directory_t *directory, int32_t rank) noexcept {
  if ((known_fields(directory) & kSizeBit) != 0) {
    return known_part(directory, rank).size;
  }
  avrm_part_t part{};
  return find_record(directory, rank, &part) ? part.size : 0;
}

uint32_t avrm_i_directory_unit(const avrm_directory_t *directory, int32_t rank) noexcept {
  if ((known_fields(directory) & kUnitBit) != 0) {
    return known_part(directory, rank).unit;
  }
  avrm_part_t part{};
  return find_record(directory, rank, &part) ? part.unit : 0;
}
