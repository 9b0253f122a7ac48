// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace avrankmap::test {
namespace {

namespace env = detail::env;

// Sets a variable, or unsets it if `value` is null, until the end of its scope.
class Setting {
public:
  Setting(env::Variable variable, const char *value) : name_(env::row(variable).name) {
    const char *const old = std::getenv(name_);
    was_set_ = old != nullptr;
    old_ = was_set_ ? old : "";
    value != nullptr ? setenv(name_, value, 1) : unsetenv(name_);
  }
  ~Setting() { was_set_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }
  Setting(const Setting &) = delete;
  Setting &operator=(const Setting &) = delete;

private:
  const char *name_;
  bool was_set_ = false;
  std::string old_;
};

TEST(Environment, EveryRowIsCompleteAndItsNameIsUnique) {
  std::size_t count = 0;
  const avrm_variable_t *const rows = avrm_environment_list(&count);
  ASSERT_GT(count, 0U);
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < count; ++i) {
    const avrm_variable_t &row = rows[i];
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    for (const std::string_view text : {row.values, row.default_value, row.meaning}) {
      EXPECT_FALSE(text.empty()) << row.name;
      EXPECT_EQ(text.find('|'), std::string_view::npos) << row.name << ": it ends a cell of the page's table";
    }
  }
}

TEST(Environment, OurVariablesAreThoseWithOurPrefix) {
  std::size_t count = 0;
  const avrm_variable_t *const rows = avrm_environment_list(&count);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_EQ(std::string_view(rows[i].name).starts_with("AVRM_"), rows[i].kind != AVRM_VARIABLE_FOREIGN)
        << rows[i].name;
  }
}

TEST(Environment, RowsAreFoundByTheirIdentifiers) {
  EXPECT_STREQ(env::row(env::kNetmod).name, "AVRM_NETMOD");
  EXPECT_STREQ(env::row(env::kPmixParentPort).name, "AVRM_PMIX_PARENT_PORT");
  std::size_t count = 0;
  EXPECT_EQ(&env::row(env::kNetmod), avrm_environment_list(&count));
  EXPECT_EQ(count, std::size_t{env::kPmixParentPort} + 1);
}

TEST(Environment, TextKeepsAnEmptyValueAndWordDoesNot) {
  {
    const Setting setting(env::kNetmod, "ofi");
    EXPECT_STREQ(env::text(env::kNetmod), "ofi");
    EXPECT_STREQ(env::word(env::kNetmod), "ofi");
  }
  {
    const Setting setting(env::kNetmod, "");
    EXPECT_STREQ(env::text(env::kNetmod), "");
    EXPECT_EQ(env::word(env::kNetmod), nullptr);
  }
  const Setting setting(env::kNetmod, nullptr);
  EXPECT_EQ(env::text(env::kNetmod), nullptr);
  EXPECT_EQ(env::word(env::kNetmod), nullptr);
}

TEST(Environment, FlagIsSetByAnythingButZero) {
  for (const char *const value : {"1", "y", "00", "no"}) {
    const Setting setting(env::kPosixNoCma, value);
    EXPECT_TRUE(env::flag(env::kPosixNoCma)) << value;
  }
  for (const char *const value : {"0", "", static_cast<const char *>(nullptr)}) {
    const Setting setting(env::kPosixNoCma, value);
    EXPECT_FALSE(env::flag(env::kPosixNoCma)) << (value == nullptr ? "not set" : value);
  }
}

TEST(Environment, ChoiceIsThePlaceAmongTheValuesOfTheRow) {
  ASSERT_STREQ(env::row(env::kAv).values, "table, implicit");
  int choice = -1;
  {
    const Setting setting(env::kAv, "table");
    EXPECT_EQ(env::choice(env::kAv, &choice), AVRM_OK);
    EXPECT_EQ(choice, 1);
  }
  {
    const Setting setting(env::kAv, "implicit");
    EXPECT_EQ(env::choice(env::kAv, &choice), AVRM_OK);
    EXPECT_EQ(choice, 2);
  }
  for (const char *const value : {"", static_cast<const char *>(nullptr)}) {
    const Setting setting(env::kAv, value);
    choice = -1;
    EXPECT_EQ(env::choice(env::kAv, &choice), AVRM_OK);
    EXPECT_EQ(choice, 0);
  }
}

TEST(Environment, ValueThatTheRowDoesNotListIsAnError) {
  for (const char *const value : {"tabl", "tables", "Table", ",", "table, implicit", " implicit"}) {
    const Setting setting(env::kAv, value);
    int choice = -1;
    EXPECT_EQ(env::choice(env::kAv, &choice), AVRM_ERR_OPTION) << value;
    EXPECT_EQ(choice, -1) << value;
  }
}

TEST(Environment, NumbersAreReadWhole) {
  for (const auto &[text, read] : {std::pair{"0", 0}, {"-1", -1}, {"2147483647", 2147483647}}) {
    const Setting setting(env::kSpinUs, text);
    std::int32_t number = 7;
    EXPECT_EQ(env::number(env::kSpinUs, -1, &number), AVRM_OK);
    EXPECT_EQ(number, read);
  }
}

TEST(Environment, NumbersThatAreNoneAreRefused) {
  for (const char *const text : {"-2", "1x", "x", "1.5", " 1", "2147483648", "0x10", "+1"}) {
    const Setting setting(env::kSpinUs, text);
    std::int32_t number = 7;
    EXPECT_EQ(env::number(env::kSpinUs, -1, &number), AVRM_ERR_OPTION) << text;
    EXPECT_EQ(number, 7) << text;
  }
}

TEST(Environment, NumbersThatAreNotSetAreLeftAlone) {
  for (const char *const text : {static_cast<const char *>(nullptr), ""}) {
    const Setting setting(env::kSpinUs, text);
    std::int32_t number = 7;
    EXPECT_EQ(env::number(env::kSpinUs, -1, &number), AVRM_OK);
    EXPECT_EQ(number, 7);
  }
}

} // namespace
} // namespace avrankmap::test
