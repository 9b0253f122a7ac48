// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Addresses translated beforehand: one array of 8-byte addresses per communicator, and nothing
// else. It is the limit in time of every scheme that keeps addresses in memory, and what each
// communicator costs if nothing is shared.
//
// There are no structures per process, and no transport test: all peers are on the network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "baseline/memory_count.h"
#include "baseline/scheme.h"

namespace avrankmap::bench {

class Raw {
public:
  static constexpr const char *kName = "raw";
  static constexpr std::uint64_t kCommBytes = 8; // pointer to the table

  /// Header of a table; addresses follow.
  struct Table {
    std::int32_t references = 1;
    std::int32_t size;
  };

  /// Communicator.
  class Comm {
  public:
    [[nodiscard]] std::int32_t size() const { return table_->size; }

  private:
    friend class Raw;
    explicit Comm(Shared<Raw, Table> table) : table_(std::move(table)) {}
    Shared<Raw, Table> table_;
  };

  Raw() = default;
  Raw(const Raw &) = delete;
  Raw &operator=(const Raw &) = delete;
  ~Raw() = default;

  std::int32_t add_world(std::int32_t size);

  Comm make_world(std::int32_t pgid);
  Comm make_child(const Comm &parent, std::span<const std::int32_t> parent_ranks);
  Comm make_merged(std::span<const Gpid> processes);
  Comm dup(const Comm &comm);

  [[nodiscard]] std::uint64_t bytes() const { return memory_.bytes(); }

  static AVRM_BENCH_HOT std::uint64_t address_word(const Comm &comm, std::int32_t rank) {
    return Addresses::of(static_cast<const Table *>(comm.table_.get()))[rank];
  }

  static AVRM_BENCH_HOT std::uint64_t address(const Comm &comm, std::int32_t rank) {
    return known_network(address_word(comm, rank));
  }

private:
  friend class Shared<Raw, Table>;
  using Addresses = Trailing<Table, std::uint64_t>;

  MemoryCount::Held<Table> new_table(std::size_t size);
  Comm adopt(MemoryCount::Held<Table> table);
  void destroy(Table *table) noexcept;

  MemoryCount memory_;
  std::vector<std::int32_t> world_sizes_; // by pgid; the rig's own, not counted
};

static_assert(sizeof(Raw::Table) == 8);
static_assert(Scheme<Raw>);

} // namespace avrankmap::bench
