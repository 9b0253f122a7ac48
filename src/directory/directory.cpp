// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/directory.h"

#include "av/instance.h"
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
  *directory_p = directory;
  return AVRM_OK;
}

void avrm_directory_destroy(avrm_directory_t *directory) noexcept {
  if (directory == nullptr || directory->instance == nullptr) {
    return;
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
  if (directory->has_rules != 0 &&
      (part->size != size_by_rule(directory, rank) || part->unit != unit_by_rule(directory, rank))) {
    return AVRM_ERR_MISMATCH;
  }
  return add_record(directory, rank, *part);
}

uint64_t avrm_directory_bytes(const avrm_directory_t *directory) noexcept {
  return directory == nullptr ? 0 : directory->bytes;
}

const avrm_directory_record_t *avrm_i_directory_search(const avrm_directory_t *directory, int32_t rank) noexcept {
  return search_record(directory, rank);
}

avrm_directory_target_t avrm_i_directory_target(const avrm_directory_t *directory, int32_t rank) noexcept {
  avrm_part_t part{};
  (void)avrm_directory_find(directory, rank, &part);
  return {part.base, part.key};
}

bool avrm_i_directory_find(const avrm_directory_t *directory, int32_t rank, avrm_part_t *part_p) noexcept {
  return find_record(directory, rank, part_p);
}
