// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A doubly linked list through the members `previous` and `next` of its elements.
#ifndef AVRANKMAP_SHMMOD_POSIX_LIST_H
#define AVRANKMAP_SHMMOD_POSIX_LIST_H

#include <cstddef>

namespace avrankmap::detail::posix {

template <typename T> class List {
public:
  [[nodiscard]] bool empty() const noexcept { return first_ == nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] T *first() const noexcept { return first_; }

  void push_front(T *element) noexcept {
    element->previous = nullptr;
    element->next = first_;
    (first_ == nullptr ? last_ : first_->previous) = element;
    first_ = element;
    ++size_;
  }
  void append(T *element) noexcept {
    element->previous = last_;
    element->next = nullptr;
    (last_ == nullptr ? first_ : last_->next) = element;
    last_ = element;
    ++size_;
  }
  void remove(T *element) noexcept {
    (element->previous == nullptr ? first_ : element->previous->next) = element->next;
    (element->next == nullptr ? last_ : element->next->previous) = element->previous;
    --size_;
  }
  // Returns the element at an address that was received from a peer; null if the list has no such
  // element.
  [[nodiscard]] T *find(const void *address) const noexcept {
    T *element = first_;
    while (element != nullptr && element != address) {
      element = element->next;
    }
    return element;
  }
  T *pop_front() noexcept {
    T *const element = first_;
    remove(element);
    return element;
  }

private:
  T *first_ = nullptr;
  T *last_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace avrankmap::detail::posix

#endif
