// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random sequences of creations. Every process follows all of them in plain lists, and takes part
// in its own through a library: ours, or an installed MPI library. With the same seed all libraries
// make the same communicators, and must get the same lists.
//
// A library has a type Comm, of which Comm{} is the null communicator, and
//   world(), dup(comm), split(comm, colour, key), create(comm, members),
//   create_group(comm, members, tag), cart(comm, extents, periods), cart_sub(comm, remain),
//   intercomm(local, peer, partner, tag), merge(inter, high), free(comm),
//   unite(local, peer, partner, tag, high)
//   check(comm, members)  comm is null if this process is no member, and has these members
//   check_inter(comm, own, other)
// where split takes kNoColour for a process that gets no communicator.
#ifndef AVRANKMAP_TESTS_COMM_SEQUENCE_H
#define AVRANKMAP_TESTS_COMM_SEQUENCE_H

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace avrankmap::test {

using Members = std::vector<int>; // processes of the world by rank

inline bool has(const Members &members, int process) {
  return std::find(members.begin(), members.end(), process) != members.end();
}
inline int rank_in(const Members &members, int process) {
  return static_cast<int>(std::find(members.begin(), members.end(), process) - members.begin());
}

constexpr int kNoColour = -1;

template <typename Library> class Sequence {
  using Comm = typename Library::Comm;

public:
  Sequence(Library &library, int self, int size, std::uint64_t seed) : library_(library), self_(self), random_(seed) {
    Members everyone(static_cast<std::size_t>(size));
    for (int process = 0; process < size; ++process) {
      everyone[static_cast<std::size_t>(process)] = process;
    }
    nodes_.push_back({library.world(), everyone});
  }

  void step() {
    const Node parent = nodes_[below(nodes_.size())];
    switch (below(6)) {
    case 0: dup(parent); break;
    case 1: split(parent); break;
    case 2: part(parent, true); break;
    case 3: part(parent, false); break;
    case 4: grid(parent); break;
    default: join(parent); break;
    }
    while (nodes_.size() > 12) {
      const std::size_t victim = 1 + below(nodes_.size() - 1);
      library_.free(nodes_[victim].comm);
      nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(victim));
    }
  }

  void end() {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      library_.free(nodes_[i].comm);
    }
  }

private:
  struct Node {
    Comm comm; // null in processes that are not members
    Members members;
  };

  std::size_t below(std::size_t limit) { return random_() % limit; }
  int small(int limit) { return static_cast<int>(below(static_cast<std::size_t>(limit))); }

  // The new communicator must match the expected lists.
  void add(Comm comm, const Members &members) {
    library_.check(comm, members);
    nodes_.push_back({comm, members});
  }

  void dup(const Node &parent) { add(has(parent.members, self_) ? library_.dup(parent.comm) : Comm{}, parent.members); }

  void split(const Node &parent) {
    const int count = 1 + small(3);
    std::vector<int> colours(parent.members.size());
    std::vector<int> keys(parent.members.size());
    for (std::size_t rank = 0; rank < colours.size(); ++rank) {
      colours[rank] = small(8) == 0 ? kNoColour : small(count);
      keys[rank] = small(4);
    }
    Comm comm{};
    int mine = kNoColour;
    if (has(parent.members, self_)) {
      const auto rank = static_cast<std::size_t>(rank_in(parent.members, self_));
      mine = colours[rank];
      comm = library_.split(parent.comm, mine, keys[rank]);
      if (mine == kNoColour) {
        library_.check(comm, {});
      }
    }
    for (int colour = 0; colour < count; ++colour) {
      std::vector<std::size_t> ranks;
      for (std::size_t rank = 0; rank < colours.size(); ++rank) {
        if (colours[rank] == colour) {
          ranks.push_back(rank);
        }
      }
      std::stable_sort(ranks.begin(), ranks.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
      Members members;
      for (const std::size_t rank : ranks) {
        members.push_back(parent.members[rank]);
      }
      if (!members.empty()) {
        add(colour == mine ? comm : Comm{}, members);
      }
    }
  }

  // A random part in random order, created by all of the parent or by its members alone.
  void part(const Node &parent, bool by_all) {
    Members members = parent.members;
    std::shuffle(members.begin(), members.end(), random_);
    members.resize(1 + below(members.size()));
    const int tag = small(1000);
    Comm comm{};
    if (by_all && has(parent.members, self_)) {
      comm = library_.create(parent.comm, members);
    } else if (!by_all && has(members, self_)) {
      comm = library_.create_group(parent.comm, members, tag);
    }
    add(comm, members);
  }

  // A grid of two dimensions, and a part of it.
  void grid(const Node &parent) {
    const auto size = static_cast<int>(parent.members.size());
    const int rows = 1 + small(std::min(3, size));
    const int extents[] = {rows, size / rows};
    const int remain[] = {small(2), small(2)};
    Members places = parent.members;
    places.resize(static_cast<std::size_t>(extents[0] * extents[1]));
    if (!has(parent.members, self_)) {
      return;
    }
    const int periods[] = {0, 1};
    const Comm grid = library_.cart(parent.comm, extents, periods);
    library_.check(grid, places);
    if (!has(places, self_)) {
      return;
    }
    const int own = rank_in(places, self_);
    Members members;
    for (int rank = 0; rank < extents[0] * extents[1]; ++rank) {
      const bool same_row = rank / extents[1] == own / extents[1];
      const bool same_column = rank % extents[1] == own % extents[1];
      if ((remain[0] != 0 || same_row) && (remain[1] != 0 || same_column)) {
        members.push_back(places[static_cast<std::size_t>(rank)]);
      }
    }
    const Comm sub = library_.cart_sub(grid, remain);
    library_.check(sub, members);
    library_.free(sub);
    library_.free(grid);
  }

  // Two parts of a communicator as an intercommunicator, then merged; or merged at once.
  void join(const Node &parent) {
    if (parent.members.size() < 2) {
      return;
    }
    const auto cut = static_cast<std::ptrdiff_t>(1 + below(parent.members.size() - 1));
    const Members low(parent.members.begin(), parent.members.begin() + cut);
    const Members high(parent.members.begin() + cut, parent.members.end());
    const bool swapped = small(2) == 0;
    const bool at_once = small(2) == 0;
    const int tag = small(1000);
    Members merged = swapped ? high : low;
    const Members &rest = swapped ? low : high;
    merged.insert(merged.end(), rest.begin(), rest.end());
    Comm comm{};
    if (has(parent.members, self_)) {
      const bool is_low = has(low, self_);
      const Comm half = library_.split(parent.comm, is_low ? 0 : 1, 0);
      const int partner = is_low ? static_cast<int>(cut) : 0;
      if (at_once) {
        comm = library_.unite(half, parent.comm, partner, tag, is_low == swapped);
        library_.free(half);
      } else {
        const Comm inter = library_.intercomm(half, parent.comm, partner, tag);
        library_.free(half);
        library_.check_inter(inter, is_low ? low : high, is_low ? high : low);
        comm = library_.merge(inter, is_low == swapped);
        library_.free(inter);
      }
    }
    add(comm, merged);
  }

  Library &library_;
  int self_;
  std::mt19937_64 random_;
  std::vector<Node> nodes_;
};

} // namespace avrankmap::test

#endif
