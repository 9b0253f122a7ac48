// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Memory of the baseline schemes: blocks laid out as C programs do it (a header, then an array),
// and a count of the bytes that are held. What is counted is what was asked for, as in the
// component's own accounting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace avrankmap::bench {

/// Bytes held by the structures of one scheme.
class MemoryCount {
public:
  MemoryCount() = default;
  MemoryCount(const MemoryCount &) = delete;
  MemoryCount &operator=(const MemoryCount &) = delete;
  ~MemoryCount() = default;

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  /// For what is held without a block of its own.
  void charge(std::uint64_t bytes) noexcept { bytes_ += bytes; }
  void discharge(std::uint64_t bytes) noexcept { bytes_ -= bytes; }

  /// Frees a block unless it was released from its holder meanwhile.
  struct Return {
    MemoryCount *memory;
    std::size_t bytes;
    void operator()(void *block) const noexcept { memory->give_back(block, bytes); }
  };
  template <class T> using Held = std::unique_ptr<T, Return>;

  /// Block of `bytes` bytes that begins with a T, aligned to a cache line. The rest is left as it
  /// comes from the allocator: whoever creates a table writes each entry once, and a second pass
  /// would be charged to the scheme.
  template <class T> Held<T> take(std::size_t bytes) {
    static_assert(std::is_trivially_destructible_v<T>);
    void *const block = ::operator new(bytes, kAlignment);
    charge(bytes);
    return Held<T>(::new (block) T{}, Return{this, bytes});
  }

  /// The same for an array.
  template <class T> Held<T> take_array(std::size_t count) { return take<T>(sizeof(T) * count); }
  template <class T> void give_back_array(T *array, std::size_t count) noexcept { give_back(array, sizeof(T) * count); }

  void give_back(void *block, std::size_t bytes) noexcept {
    ::operator delete(block, kAlignment);
    discharge(bytes);
  }

private:
  static constexpr std::align_val_t kAlignment{64};
  std::uint64_t bytes_ = 0;
};

/// Layout of a header that an array follows in the same block.
template <class Header, class Entry> struct Trailing {
  static_assert(sizeof(Header) % alignof(Entry) == 0 && std::is_trivially_copyable_v<Entry>);

  static constexpr std::size_t bytes(std::size_t count) { return sizeof(Header) + count * sizeof(Entry); }
  static Entry *of(Header *header) { return reinterpret_cast<Entry *>(header + 1); }
  static const Entry *of(const Header *header) { return reinterpret_cast<const Entry *>(header + 1); }
};

/// A communicator's counted reference to an object that duplicates share. `Object` has a member
/// `references`, and `Owner` is the scheme: it has `kCommBytes`, a `memory_`, and destroy(object)
/// for when the last reference is gone.
template <class Owner, class Object> class Shared {
public:
  /// Takes over the reference that a new object is born with.
  Shared(Owner &owner, Object *object) noexcept : object_(object), owner_(&owner) {
    owner.memory_.charge(Owner::kCommBytes);
  }
  Shared(Shared &&other) noexcept : object_(std::exchange(other.object_, nullptr)), owner_(other.owner_) {}
  Shared &operator=(Shared &&other) noexcept {
    std::swap(object_, other.object_);
    std::swap(owner_, other.owner_);
    return *this;
  }
  ~Shared() {
    if (object_ == nullptr) {
      return;
    }
    owner_->memory_.discharge(Owner::kCommBytes);
    if (--object_->references == 0) {
      owner_->destroy(object_);
    }
  }

  [[nodiscard]] Shared share() const noexcept {
    ++object_->references;
    return Shared(*owner_, object_);
  }

  Object *operator->() const noexcept { return object_; }
  [[nodiscard]] Object *get() const noexcept { return object_; }

private:
  Object *object_;
  Owner *owner_;
};

} // namespace avrankmap::bench
