// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "window_table/known_fields.h"

#include <algorithm>

#include "av/instance.h"

namespace avrankmap::detail {

namespace {

// The fields that are known and follow no rule; the other members are unused.
struct Tables {
  Field fields[kFields];
};

[[nodiscard]] bool is_array(const avrm_directory_t *directory) noexcept { return (directory->tabled & kIsArray) != 0; }
[[nodiscard]] Tables *tables_of(const avrm_directory_t *directory) noexcept {
  return static_cast<Tables *>(directory->tables);
}

[[nodiscard]] std::uint64_t array_bytes(const avrm_directory_t *directory) noexcept {
  return directory->ranks * sizeof(avrm_part_t);
}

// The value of a tabled field for a rank.
[[nodiscard]] std::uint64_t tabled(const avrm_directory_t *directory, int field, std::uint32_t rank) noexcept {
  return is_array(directory) ? field_of(static_cast<const avrm_part_t *>(directory->tables)[rank], field)
                             : tables_of(directory)->fields[field].at(rank);
}

void set_rule(avrm_directory_t *directory, int field, const Field &rule) noexcept {
  std::uint64_t *const starts[] = {&directory->base, &directory->key, &directory->size};
  std::uint64_t *const steps[] = {&directory->base_step, &directory->key_step, &directory->size_step};
  if (field < 3) {
    *starts[field] = rule.start();
    *steps[field] = rule.step();
  } else {
    directory->unit = static_cast<std::uint32_t>(rule.start());
    directory->unit_step = static_cast<std::uint32_t>(rule.step());
  }
}

// The form in which base and key are stored.
[[nodiscard]] avrm_directory_form_t form_of(const avrm_directory_t *directory) noexcept {
  constexpr std::uint8_t kTarget = kBaseBit | kKeyBit;
  if ((known_fields(directory) & kTarget) != kTarget) {
    return AVRM_DIRECTORY_RECORDS;
  }
  if ((directory->rules & kTarget) != kTarget || directory->key_step != 0) {
    return AVRM_DIRECTORY_TABLES;
  }
  return directory->base_step == 0 ? AVRM_DIRECTORY_UNIFORM : AVRM_DIRECTORY_REGULAR;
}

// Fills in the zero-filled block of the tables in the form that was chosen for it.
void fill_tables(avrm_directory_t *directory, const FieldSource (&sources)[kFields], Tables *tables) noexcept {
  auto *room = reinterpret_cast<std::uint64_t *>(tables_of(directory) + 1);
  for (int i = 0; i < kFields; ++i) {
    if ((directory->tabled >> i & 1) == 0) {
      continue;
    }
    if (is_array(directory)) {
      sources[i].for_each_run([=](const FieldRun &run) {
        for (std::uint32_t k = 0; k < run.count; ++k) {
          set_field(static_cast<avrm_part_t *>(directory->tables)[run.first + k], i, run.value + k * run.step);
        }
      });
    } else {
      tables->fields[i].fill(sources[i], room);
      room += tables->fields[i].bytes() / sizeof *room;
    }
  }
  if (!is_array(directory)) {
    *tables_of(directory) = *tables;
  }
}

} // namespace

avrm_part_t known_part(const avrm_directory_t *directory, std::int32_t rank) noexcept {
  avrm_part_t part = part_by_rule(directory, rank);
  for (int i = 0; i < kFields; ++i) {
    if ((directory->tabled >> i & 1) != 0) {
      set_field(part, i, tabled(directory, i, static_cast<std::uint32_t>(rank)));
    }
  }
  return part;
}

avrm_status_t know_fields(avrm_directory_t *directory, const FieldSource (&sources)[kFields]) noexcept {
  avrm_directory_t known = *directory;
  Tables tables{};
  std::uint64_t bytes = sizeof tables;
  for (int i = 0; i < kFields; ++i) {
    if (!sources[i].is_known()) {
      continue;
    }
    Field &field = tables.fields[i];
    field = Field::plan(sources[i]);
    bytes += field.bytes();
    if (field.is_rule()) {
      set_rule(&known, i, field);
    }
    std::uint8_t &bits = field.is_rule() ? known.rules : known.tabled;
    bits = static_cast<std::uint8_t>(bits | 1 << i);
  }
  known.is_plain = known.rules == kAllBits ? 1 : 0;
  known.form = static_cast<std::uint8_t>(form_of(&known));
  if (known.tabled != 0) {
    const std::uint64_t least = std::min(bytes, array_bytes(&known));
    known.tabled |= least < bytes ? kIsArray : 0;
    known.tables = known.instance->memory.allocate(least, alignof(Tables), AVRM_MEM_COMM);
    if (known.tables == nullptr) {
      return AVRM_ERR_NO_MEMORY;
    }
    fill_tables(&known, sources, &tables);
  }
  *directory = known;
  return AVRM_OK;
}

std::uint64_t table_bytes(const avrm_directory_t *directory) noexcept {
  if (directory->tables == nullptr) {
    return 0;
  }
  if (is_array(directory)) {
    return array_bytes(directory);
  }
  std::uint64_t bytes = sizeof(Tables);
  for (const Field &field : tables_of(directory)->fields) {
    bytes += field.bytes();
  }
  return bytes;
}

void release_tables(avrm_directory_t *directory) noexcept {
  if (directory->tables != nullptr) {
    directory->instance->memory.release(directory->tables, table_bytes(directory), alignof(Tables), AVRM_MEM_COMM);
  }
}

} // namespace avrankmap::detail
