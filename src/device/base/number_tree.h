// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A tree of objects that are found by number. The links are in the objects, so adding one needs no
// memory and cannot fail. Adding, finding and removing take at most one step per bit of the
// numbers; consecutive numbers make a balanced tree. Not thread-safe.
//
// The bits of an object's number, lowest first, select the path from the root to it.
#ifndef AVRANKMAP_SRC_DEVICE_BASE_NUMBER_TREE_H
#define AVRANKMAP_SRC_DEVICE_BASE_NUMBER_TREE_H

#include <cstddef>
#include <cstdint>

namespace avrankmap::detail {

template <typename T> struct NumberLinks {
  T *child[2] = {nullptr, nullptr};
};

// T has a member NumberLinks<T> links, and a function number(), which is unique in the tree.
template <typename T> class NumberTree {
public:
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

  // Returns any object; null if the tree is empty.
  [[nodiscard]] T *first() const noexcept { return root_; }
  // Returns null if no object has the number.
  [[nodiscard]] T *find(std::uint64_t number) const noexcept {
    T *at = root_;
    for (std::uint64_t bits = number; at != nullptr && at->number() != number; bits >>= 1) {
      at = at->links.child[bits & 1];
    }
    return at;
  }

  void add(T *object) noexcept {
    *place_of(object) = object;
    object->links = {};
    ++count_;
  }

  // The object must be in the tree.
  void remove(T *object) noexcept {
    T **const place = place_of(object);
    T **leaf = place;
    while ((*leaf)->links.child[0] != nullptr || (*leaf)->links.child[1] != nullptr) {
      leaf = &(*leaf)->links.child[(*leaf)->links.child[0] == nullptr ? 1 : 0];
    }
    T *const heir = *leaf; // its path leads through the object
    *leaf = nullptr;
    if (heir != object) {
      heir->links = object->links;
      *place = heir;
    }
    --count_;
  }

  // Calls visit(object) for each object, in no particular order. `visit` must not change the tree.
  template <typename Visit> void for_each(Visit visit) const noexcept { for_each_below(root_, visit); }

private:
  // Returns the link to the object, or the link at which it would be added.
  [[nodiscard]] T **place_of(const T *object) noexcept {
    T **place = &root_;
    for (std::uint64_t bits = object->number(); *place != nullptr && *place != object; bits >>= 1) {
      place = &(*place)->links.child[bits & 1];
    }
    return place;
  }
  // The recursion is at most as deep as a number has bits.
  template <typename Visit> static void for_each_below(T *top, Visit &visit) noexcept {
    if (top != nullptr) {
      for_each_below(top->links.child[0], visit);
      for_each_below(top->links.child[1], visit);
      visit(top);
    }
  }

  T *root_ = nullptr;
  std::size_t count_ = 0;
};

} // namespace avrankmap::detail

#endif
