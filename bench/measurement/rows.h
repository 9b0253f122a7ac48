// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results as JSON. A measurement gives rows: an array of objects whose fields are those of a
// struct.
#ifndef AVRANKMAP_BENCH_MEASUREMENT_ROWS_H
#define AVRANKMAP_BENCH_MEASUREMENT_ROWS_H

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

namespace nlohmann {

/// A value that may be missing is null.
template <class T> struct adl_serializer<std::optional<T>> {
  template <class BasicJson> static void to_json(BasicJson &json, const std::optional<T> &value) {
    json = value ? BasicJson(*value) : BasicJson(nullptr);
  }
  template <class BasicJson> static void from_json(const BasicJson &json, std::optional<T> &value) {
    value = json.is_null() ? std::nullopt : std::optional<T>(json.template get<T>());
  }
};

} // namespace nlohmann

namespace avrankmap::bench {

/// Fields in the order in which they were written.
using Json = nlohmann::ordered_json;

/// Rows of a struct that AVRM_BENCH_ROW knows. Throws nlohmann::json::exception if a field is
/// missing.
template <class T> std::vector<T> rows_of(const Json &json) { return json.get<std::vector<T>>(); }

} // namespace avrankmap::bench

/// Makes a struct of namespace avrankmap::bench a row of these fields. (The library's own macro of
/// this kind loses their order: until version 3.11.3 it knows nlohmann::json alone.)
#define AVRM_BENCH_ROW(Type, ...)                                                                                      \
  inline void to_json(::avrankmap::bench::Json &nlohmann_json_j, const Type &nlohmann_json_t) {                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                                           \
  }                                                                                                                    \
  inline void from_json(const ::avrankmap::bench::Json &nlohmann_json_j, Type &nlohmann_json_t) {                      \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__))                                         \
  }                                                                                                                    \
  static_assert(true, "a semicolon follows")

#endif
