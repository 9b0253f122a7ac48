// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Summaries. On the wire, little-endian:
//
//   magic, checksum of the rest, first, count: 4 bytes each
//   number of runs of each field: 2 bytes each
//   value (8), step (8) and first (4) of each run
#include "avrankmap/parts.h"

#include <cstddef>

#include "base/fnv.h"
#include "window_table/fields.h"

namespace avrankmap::detail {

namespace {

constexpr std::uint32_t kMagic = 0x31505641; // AVP1
constexpr std::size_t kHeaderBytes = 24;
constexpr std::size_t kRunBytes = 20;
constexpr std::uint64_t kMostRanks = 0x7fffffff;
static_assert(AVRM_PARTS_BYTES == kHeaderBytes + kRunBytes * AVRM_PARTS_RUNS * kFields);

class Writer {
public:
  explicit Writer(void *to) noexcept : to_(static_cast<unsigned char *>(to)) {}
  void put(std::uint64_t value, int bytes) noexcept {
    for (int i = 0; i < bytes; ++i) {
      *to_++ = static_cast<unsigned char>(value >> (8 * i));
    }
  }

private:
  unsigned char *to_;
};

class Reader {
public:
  explicit Reader(const void *from) noexcept : from_(static_cast<const unsigned char *>(from)) {}
  [[nodiscard]] std::uint64_t get(int bytes) noexcept {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) {
      value |= std::uint64_t{*from_++} << (8 * i);
    }
    return value;
  }
  [[nodiscard]] std::uint32_t get_32() noexcept { return static_cast<std::uint32_t>(get(4)); }

private:
  const unsigned char *from_;
};

// The checksum of the bytes after it.
[[nodiscard]] std::uint32_t checksum(const void *buffer, std::size_t bytes) noexcept {
  return fnv_32({static_cast<const char *>(buffer) + 8, bytes - 8});
}

[[nodiscard]] std::uint32_t end_of(const avrm_parts_t *parts, int field, std::uint32_t run) noexcept {
  return run + 1 < parts->runs[field] ? parts->run[field][run + 1].first : parts->first + parts->count;
}

// Joins the last run of a field with the first following one if one rule holds for both.
[[nodiscard]] bool join(avrm_parts_run_t *last, std::uint32_t last_count, const avrm_parts_run_t &next,
                        std::uint32_t next_count) noexcept {
  if (last_count == 1 && next_count == 1) {
    last->step = next.value - last->value;
    return true;
  }
  if (last_count == 1) {
    if (next.value - next.step != last->value) {
      return false;
    }
    last->step = next.step;
    return true;
  }
  return next.value == last->value + last_count * last->step && (next_count == 1 || next.step == last->step);
}

void append_field(avrm_parts_t *parts, const avrm_parts_t *behind, int field) noexcept {
  std::uint32_t *const count = &parts->runs[field];
  if (*count == 0 || behind->runs[field] == 0) {
    *count = 0;
    return;
  }
  avrm_parts_run_t *const last = &parts->run[field][*count - 1];
  const avrm_parts_run_t *const next = behind->run[field];
  const std::uint32_t joined =
      join(last, behind->first - last->first, *next, end_of(behind, field, 0) - next->first) ? 1 : 0;
  const std::uint32_t more = behind->runs[field] - joined;
  if (*count + more > AVRM_PARTS_RUNS) {
    *count = 0;
    return;
  }
  for (std::uint32_t i = 0; i < more; ++i) {
    last[1 + i] = next[joined + i];
  }
  *count += more;
}

// True if all values of a run fit in 32 bits, as units do.
[[nodiscard]] bool is_of_32_bits(const avrm_parts_run_t &run, std::uint32_t ranks) noexcept {
  constexpr std::uint64_t kValues = std::uint64_t{1} << 32;
  return run.value < kValues && run.step + kValues <= 2 * kValues && run.value + run.step * (ranks - 1) < kValues;
}

// Reads the runs of a field. False if they are invalid.
[[nodiscard]] bool read_field(Reader &reader, avrm_parts_t *parts, int field) noexcept {
  const std::uint32_t count = parts->runs[field];
  avrm_parts_run_t *const run = parts->run[field];
  for (std::uint32_t i = 0; i < count; ++i) {
    run[i].value = reader.get(8);
    run[i].step = reader.get(8);
    run[i].first = reader.get_32();
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t end = end_of(parts, field, i);
    if ((i == 0 && run[i].first != parts->first) || run[i].first >= end ||
        (end - run[i].first == 1 && run[i].step != 0) ||
        (field == kFields - 1 && !is_of_32_bits(run[i], end - run[i].first))) {
      return false;
    }
  }
  return true;
}

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_parts_of(int32_t rank, const avrm_part_t *part, avrm_parts_t *parts_p) noexcept {
  if (part == nullptr || parts_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (rank < 0 || static_cast<std::uint64_t>(rank) >= kMostRanks) {
    return AVRM_ERR_RANK;
  }
  parts_p->first = static_cast<std::uint32_t>(rank);
  parts_p->count = 1;
  for (int field = 0; field < kFields; ++field) {
    parts_p->runs[field] = 1;
    parts_p->run[field][0] = {field_of(*part, field), 0, parts_p->first};
  }
  return AVRM_OK;
}

avrm_status_t avrm_parts_append(avrm_parts_t *parts, const avrm_parts_t *behind) noexcept {
  if (parts == nullptr || behind == nullptr) {
    return AVRM_ERR_NULL;
  }
  const std::uint64_t end = std::uint64_t{parts->first} + parts->count;
  if (behind->first != end) {
    return AVRM_ERR_RANGE;
  }
  if (end + behind->count > kMostRanks) {
    return AVRM_ERR_SIZE;
  }
  for (int field = 0; field < kFields; ++field) {
    append_field(parts, behind, field);
  }
  parts->count += behind->count;
  return AVRM_OK;
}

size_t avrm_parts_bytes(const avrm_parts_t *parts) noexcept {
  if (parts == nullptr) {
    return 0;
  }
  std::size_t bytes = kHeaderBytes;
  for (const std::uint32_t runs : parts->runs) {
    bytes += runs * kRunBytes;
  }
  return bytes;
}

avrm_status_t avrm_parts_write(const avrm_parts_t *parts, void *buffer) noexcept {
  if (parts == nullptr || buffer == nullptr) {
    return AVRM_ERR_NULL;
  }
  Writer writer(static_cast<unsigned char *>(buffer) + 8);
  writer.put(parts->first, 4);
  writer.put(parts->count, 4);
  for (const std::uint32_t runs : parts->runs) {
    writer.put(runs, 2);
  }
  for (int field = 0; field < kFields; ++field) {
    for (std::uint32_t i = 0; i < parts->runs[field]; ++i) {
      const avrm_parts_run_t &run = parts->run[field][i];
      writer.put(run.value, 8);
      writer.put(run.step, 8);
      writer.put(run.first, 4);
    }
  }
  Writer begin(buffer);
  begin.put(kMagic, 4);
  begin.put(checksum(buffer, avrm_parts_bytes(parts)), 4);
  return AVRM_OK;
}

avrm_status_t avrm_parts_read(const void *buffer, size_t bytes, avrm_parts_t *parts_p) noexcept {
  if (buffer == nullptr || parts_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (bytes < kHeaderBytes || bytes > AVRM_PARTS_BYTES) {
    return AVRM_ERR_MISMATCH;
  }
  Reader reader(buffer);
  if (reader.get_32() != kMagic || reader.get_32() != checksum(buffer, bytes)) {
    return AVRM_ERR_MISMATCH;
  }
  avrm_parts_t parts;
  parts.first = reader.get_32();
  parts.count = reader.get_32();
  if (parts.count == 0 || std::uint64_t{parts.first} + parts.count > kMostRanks) {
    return AVRM_ERR_MISMATCH;
  }
  for (std::uint32_t &runs : parts.runs) {
    runs = static_cast<std::uint32_t>(reader.get(2));
    if (runs > AVRM_PARTS_RUNS) {
      return AVRM_ERR_MISMATCH;
    }
  }
  if (bytes != avrm_parts_bytes(&parts)) {
    return AVRM_ERR_MISMATCH;
  }
  for (int field = 0; field < kFields; ++field) {
    if (!read_field(reader, &parts, field)) {
      return AVRM_ERR_MISMATCH;
    }
  }
  *parts_p = parts;
  return AVRM_OK;
}
