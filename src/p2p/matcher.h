// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Matching of messages that no netmod matches: those from the same node and from the process
// itself. Order is MPI's: a message takes the first receive that fits, in the order of posting; a
// receive takes the first message that fits, in the order of arrival.
#ifndef AVRANKMAP_SRC_P2P_MATCHER_H
#define AVRANKMAP_SRC_P2P_MATCHER_H

#include "avrankmap/shmmod.h"
#include "core/request.h"

namespace avrankmap::detail {

// A message that nobody has asked for yet. Either it carries its data, or the sender keeps them
// until they are taken.
struct Unexpected {
  Unexpected *next = nullptr;
  Unexpected *previous = nullptr;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  std::int32_t local_rank = 0;
  bool has_data = false;
  std::uint64_t ticket = 0;

  // The data lie behind the header.
  [[nodiscard]] void *data() noexcept { return this + 1; }
  [[nodiscard]] std::size_t size() const noexcept { return sizeof(Unexpected) + (has_data ? bytes : 0); }
};

[[nodiscard]] inline bool matches(std::uint64_t message, std::uint64_t match, std::uint64_t ignore) noexcept {
  return ((message ^ match) & ~ignore) == 0;
}

class Matcher {
public:
  explicit Matcher(Memory &memory) noexcept : memory_(memory) {}
  ~Matcher();
  Matcher(const Matcher &) = delete;
  Matcher &operator=(const Matcher &) = delete;

  // The first posted receive that fits a message; it stays posted. Null if there is none.
  [[nodiscard]] Request *posted_for(std::uint64_t match) const noexcept;
  void post(Request *receive) noexcept { posted_.append(receive); }
  void withdraw(Request *receive) noexcept { posted_.remove(receive); }
  [[nodiscard]] const RequestList &posted() const noexcept { return posted_; }

  // The first message that fits, unlinked; the caller gives it back with `drop`. Null if
  // there is none.
  [[nodiscard]] Unexpected *take(std::uint64_t match, std::uint64_t ignore) noexcept;
  // Keeps a message until somebody asks for it; copies its data if it carries them. False
  // without memory.
  [[nodiscard]] bool keep(const avrm_arrival_t &arrival) noexcept;
  void drop(Unexpected *message) noexcept;

private:
  Memory &memory_;
  RequestList posted_;
  Unexpected *first_ = nullptr;
  Unexpected *last_ = nullptr;
};

} // namespace avrankmap::detail

#endif
