// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Matches messages that no netmod matches: those from the same node and from the process itself.
// The order is that of MPI: a message matches the first receive that fits, in the order of posting;
// a receive matches the first message that fits, in the order of arrival. Both searches take
// constant time, for any number of receives and messages.
#ifndef AVRANKMAP_SRC_P2P_MATCHER_H
#define AVRANKMAP_SRC_P2P_MATCHER_H

#include "avrankmap/device/shmmod.h"
#include "base/match_queue.h"
#include "core/progress/request.h"

namespace avrankmap::detail {

// An unexpected message. It either contains its data, or the sender keeps them until they are
// taken.
struct Unexpected {
  Unexpected *next = nullptr;
  Unexpected *previous = nullptr;
  std::uint64_t match = 0;
  std::uint64_t bytes = 0;
  std::int32_t local_rank = 0;
  bool has_data = false;
  bool is_synchronous = false; // AVRM_MATCH_SYNC was set; `match` does not contain it
  std::uint64_t ticket = 0;
  MatchLink<Unexpected> links[kWildcardSets];

  // The data follow the header.
  [[nodiscard]] void *data() noexcept { return this + 1; }
  [[nodiscard]] std::size_t size() const noexcept { return sizeof(Unexpected) + (has_data ? bytes : 0); }
};

struct UnexpectedTraits {
  static constexpr std::uint64_t kSource = AVRM_MATCH_SOURCE_MASK;
  static constexpr std::uint64_t kTag = AVRM_MATCH_TAG_MASK;
  static constexpr bool kInAllTables = true;
  [[nodiscard]] static std::uint64_t ignore_of(const Unexpected & /*message*/) noexcept { return 0; }
  [[nodiscard]] static MatchLink<Unexpected> &link_of(Unexpected &message, int set) noexcept {
    return message.links[set];
  }
};

struct PostedTraits {
  static constexpr std::uint64_t kSource = AVRM_MATCH_SOURCE_MASK;
  static constexpr std::uint64_t kTag = AVRM_MATCH_TAG_MASK;
  static constexpr bool kInAllTables = false;
  [[nodiscard]] static std::uint64_t ignore_of(const Request &receive) noexcept { return receive.ignore; }
  // A posted receive has not been given to a transport yet, so the core may use the scratch.
  [[nodiscard]] static MatchLink<Request> &link_of(Request &receive, int /*set*/) noexcept {
    static_assert(sizeof(MatchLink<Request>) <= sizeof receive.scratch);
    return *static_cast<MatchLink<Request> *>(static_cast<void *>(receive.scratch));
  }
};

class Matcher {
public:
  explicit Matcher(Memory &memory) noexcept : memory_(memory), posted_(memory), unexpected_(memory) {}
  ~Matcher();
  Matcher(const Matcher &) = delete;
  Matcher &operator=(const Matcher &) = delete;

  // Returns the first posted receive that fits a message, which stays posted; null if there is
  // none.
  [[nodiscard]] Request *posted_for(std::uint64_t match) const noexcept { return posted_.find(match, 0); }
  void post(Request *receive) noexcept {
    receive->posted = true;
    posted_.append(receive);
  }
  void withdraw(Request *receive) noexcept {
    receive->posted = false;
    posted_.remove(receive);
  }
  [[nodiscard]] Request *first_posted() const noexcept { return posted_.first(); }

  // Returns the first message that fits, which stays in the queue; null if there is none.
  [[nodiscard]] Unexpected *find(std::uint64_t match, std::uint64_t ignore) const noexcept {
    return unexpected_.find(match, ignore);
  }
  // Takes out a message that was found; the caller releases it with `drop`.
  void take(Unexpected *message) noexcept { unexpected_.remove(message); }
  // Keeps a message until a receive matches it; copies its data if it contains them. Returns false
  // if out of memory.
  [[nodiscard]] bool keep(const avrm_arrival_t &arrival) noexcept;
  void drop(Unexpected *message) noexcept;

private:
  Memory &memory_;
  MatchQueue<Request, PostedTraits> posted_;
  MatchQueue<Unexpected, UnexpectedTraits> unexpected_;
};

} // namespace avrankmap::detail

#endif
