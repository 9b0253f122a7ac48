// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

namespace avrankmap::detail::env {

const char *text(Variable variable) noexcept { return std::getenv(row(variable).name); }

const char *word(Variable variable) noexcept {
  const char *const value = text(variable);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool flag(Variable variable) noexcept {
  const char *const value = word(variable);
  return value != nullptr && std::string_view(value) != "0";
}

avrm_status_t number(Variable variable, std::int32_t least, std::int32_t *number_p) noexcept {
  const char *const value = word(variable);
  if (value == nullptr) {
    return AVRM_OK;
  }
  const char *const end = value + std::strlen(value);
  std::int32_t read = 0;
  const std::from_chars_result result = std::from_chars(value, end, read);
  if (result.ec != std::errc() || result.ptr != end || read < least) {
    return AVRM_ERR_OPTION;
  }
  *number_p = read;
  return AVRM_OK;
}

avrm_status_t choice(Variable variable, int *choice_p) noexcept {
  constexpr std::string_view kBetween = ", ";
  const char *const value = word(variable);
  if (value == nullptr) {
    *choice_p = 0;
    return AVRM_OK;
  }
  std::string_view left = row(variable).values;
  for (int place = 1; !left.empty(); ++place) {
    const std::size_t end = std::min(left.find(kBetween), left.size());
    if (left.substr(0, end) == value) {
      *choice_p = place;
      return AVRM_OK;
    }
    left.remove_prefix(std::min(end + kBetween.size(), left.size()));
  }
  return AVRM_ERR_OPTION;
}

} // namespace avrankmap::detail::env

const avrm_variable_t *avrm_environment_list(size_t *count_p) noexcept {
  *count_p = std::size(avrankmap::detail::env::kVariables);
  return avrankmap::detail::env::kVariables;
}
