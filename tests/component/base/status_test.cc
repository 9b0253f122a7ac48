// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "avrankmap/status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/support/print.h"

namespace {

struct Row {
  avrm_status_t status;
  int value;
  const char *name;
  const char *text;
};

// The published list of statuses, in order.
const std::vector<Row> &rows() {
  static const std::vector<Row> list = {
#define AVRM_ROW(name, value, text) {name, value, #name, text},
      AVRM_STATUS_LIST(AVRM_ROW)
#undef AVRM_ROW
  };
  return list;
}

// Numbers that are no status, within the range of values that the enum can hold.
std::vector<int> values_that_are_none() {
  std::vector<int> values;
  for (int value = -64; value < 64; ++value) {
    if (std::none_of(rows().begin(), rows().end(), [value](const Row &row) { return row.value == value; })) {
      values.push_back(value);
    }
  }
  return values;
}

TEST(Status, OkIsZero) { EXPECT_EQ(AVRM_OK, 0); }

TEST(Status, OkComesFirst) { EXPECT_EQ(rows().front().status, AVRM_OK); }

TEST(Status, ErrorsAreNegative) {
  for (const Row &row : rows()) {
    EXPECT_TRUE(row.status == AVRM_OK || row.value < 0) << row.name;
  }
}

TEST(Status, ListIsInStrictlyDescendingOrder) {
  for (std::size_t i = 1; i < rows().size(); ++i) {
    EXPECT_LT(rows()[i].value, rows()[i - 1].value) << rows()[i].name;
  }
}

TEST(Status, EnumeratorsHaveTheListedValues) {
  for (const Row &row : rows()) {
    EXPECT_EQ(row.status, row.value) << row.name;
  }
}

TEST(Status, ErrorsOfArgumentsAreAboveMinusTwenty) {
  for (const avrm_status_t status :
       {AVRM_ERR_NULL, AVRM_ERR_SIZE, AVRM_ERR_RANK, AVRM_ERR_STRIDE, AVRM_ERR_BLOCK, AVRM_ERR_OVERFLOW,
        AVRM_ERR_DUPLICATE, AVRM_ERR_OPTION, AVRM_ERR_INSTANCE, AVRM_ERR_RANGE, AVRM_ERR_DIMENSIONS}) {
    EXPECT_TRUE(status < 0 && status > -20) << avrm_status_name(status);
  }
}

TEST(Status, ErrorsOfAddressVectorsAreInTheTwenties) {
  for (const avrm_status_t status : {AVRM_ERR_LPID, AVRM_ERR_PGID_UNKNOWN, AVRM_ERR_PGID_RELEASED, AVRM_ERR_ADDRESS_BIT,
                                     AVRM_ERR_ADDRESS_SENTINEL, AVRM_ERR_NOT_NETWORK}) {
    EXPECT_TRUE(status <= -20 && status > -40) << avrm_status_name(status);
  }
}

TEST(Status, ErrorsOfStateAreInTheForties) {
  for (const avrm_status_t status : {AVRM_ERR_NOT_BOUND, AVRM_ERR_ALREADY_BOUND, AVRM_ERR_BUSY}) {
    EXPECT_TRUE(status <= -40 && status > -60) << avrm_status_name(status);
  }
}

TEST(Status, ErrorsOfTheSystemAreInTheSixties) {
  for (const avrm_status_t status : {AVRM_ERR_NO_MEMORY, AVRM_ERR_LIMIT, AVRM_ERR_UNSUPPORTED}) {
    EXPECT_TRUE(status <= -60 && status > -80) << avrm_status_name(status);
  }
}

TEST(Status, NameIsTheEnumerator) {
  for (const Row &row : rows()) {
    EXPECT_STREQ(avrm_status_name(row.status), row.name);
  }
}

TEST(Status, NamesAreUnique) {
  std::set<std::string> names;
  for (const Row &row : rows()) {
    EXPECT_TRUE(names.insert(avrm_status_name(row.status)).second) << row.name;
  }
}

TEST(Status, TextIsTheListedOne) {
  for (const Row &row : rows()) {
    EXPECT_STREQ(avrm_status_text(row.status), row.text);
  }
}

TEST(Status, TextsAreUnique) {
  std::set<std::string> texts;
  for (const Row &row : rows()) {
    EXPECT_TRUE(texts.insert(avrm_status_text(row.status)).second) << row.name;
  }
}

TEST(Status, TextIsOneLineWithoutFullStop) {
  for (const Row &row : rows()) {
    const std::string text = avrm_status_text(row.status);
    ASSERT_FALSE(text.empty()) << row.name;
    EXPECT_EQ(text.find('\n'), std::string::npos) << row.name;
    EXPECT_NE(text.back(), '.') << row.name;
  }
}

TEST(Status, NameIsAConstant) {
  for (const Row &row : rows()) {
    EXPECT_EQ(avrm_status_name(row.status), avrm_status_name(row.status)) << row.name;
  }
}

TEST(Status, NameOfAnUnknownValueIsAQuestionMark) {
  for (const int value : values_that_are_none()) {
    EXPECT_STREQ(avrm_status_name(static_cast<avrm_status_t>(value)), "AVRM_ERR_?") << value;
  }
}

TEST(Status, TextOfAnUnknownValueSaysSo) {
  for (const int value : values_that_are_none()) {
    EXPECT_STREQ(avrm_status_text(static_cast<avrm_status_t>(value)), "unknown status") << value;
  }
}

} // namespace
