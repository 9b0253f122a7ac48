// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A count, or the reason why there is none. "Unavailable" means that this machine or build cannot
// count this way, so that a test skips; "failed" means that it should have worked and did not, so
// that a test fails.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace avrankmap::counters {

struct Failure {
  enum class Kind { unavailable, failed };
  Kind kind;
  std::string reason;
};

inline Failure unavailable(std::string reason) { return {Failure::Kind::unavailable, std::move(reason)}; }

inline Failure failed(std::string reason) { return {Failure::Kind::failed, std::move(reason)}; }

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Failure failure) : held_(std::in_place_index<1>, std::move(failure)) {}

  [[nodiscard]] bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Precondition of the four: ok().
  T &operator*() { return std::get<0>(held_); }
  const T &operator*() const { return std::get<0>(held_); }
  T *operator->() { return &std::get<0>(held_); }
  const T *operator->() const { return &std::get<0>(held_); }

  // Precondition: !ok().
  [[nodiscard]] const Failure &failure() const { return std::get<1>(held_); }

  [[nodiscard]] bool is_unavailable() const { return !ok() && failure().kind == Failure::Kind::unavailable; }

  // "unavailable: REASON" or "failed: REASON"; empty when there is a value.
  [[nodiscard]] std::string message() const {
    if (ok())
      return {};
    return (is_unavailable() ? "unavailable: " : "failed: ") + failure().reason;
  }

private:
  std::variant<T, Failure> held_;
};

} // namespace avrankmap::counters
