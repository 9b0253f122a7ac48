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

// The groups in status.h, of 20 values each.
enum Cause { kArguments, kAddresses, kState, kSystem, kCommunication, kMpiArguments, kNone };

// The compiler reports a status that is not listed here.
Cause cause_of(avrm_status_t status) {
  switch (status) {
  case AVRM_OK: return kNone;
  case AVRM_ERR_NULL:
  case AVRM_ERR_SIZE:
  case AVRM_ERR_RANK:
  case AVRM_ERR_STRIDE:
  case AVRM_ERR_BLOCK:
  case AVRM_ERR_OVERFLOW:
  case AVRM_ERR_DUPLICATE:
  case AVRM_ERR_OPTION:
  case AVRM_ERR_INSTANCE:
  case AVRM_ERR_RANGE:
  case AVRM_ERR_DIMENSIONS:
  case AVRM_ERR_PORT: return kArguments;
  case AVRM_ERR_LPID:
  case AVRM_ERR_PGID_UNKNOWN:
  case AVRM_ERR_PGID_RELEASED:
  case AVRM_ERR_ADDRESS_BIT:
  case AVRM_ERR_ADDRESS_SENTINEL:
  case AVRM_ERR_NOT_NETWORK: return kAddresses;
  case AVRM_ERR_NOT_BOUND:
  case AVRM_ERR_ALREADY_BOUND:
  case AVRM_ERR_BUSY:
  case AVRM_ERR_MISMATCH: return kState;
  case AVRM_ERR_NO_MEMORY:
  case AVRM_ERR_LIMIT:
  case AVRM_ERR_UNSUPPORTED:
  case AVRM_ERR_SYSTEM:
  case AVRM_ERR_TIMEOUT:
  case AVRM_ERR_VERSION: return kSystem;
  case AVRM_ERR_BOOT:
  case AVRM_ERR_PEER:
  case AVRM_ERR_TRANSPORT:
  case AVRM_ERR_AGAIN:
  case AVRM_ERR_TRUNCATED:
  case AVRM_ERR_CANCELLED:
  case AVRM_ERR_PEER_PENDING:
  case AVRM_ERR_REVOKED: return kCommunication;
  case AVRM_ERR_BUFFER:
  case AVRM_ERR_COUNT:
  case AVRM_ERR_DATATYPE:
  case AVRM_ERR_TAG:
  case AVRM_ERR_COMM:
  case AVRM_ERR_WINDOW:
  case AVRM_ERR_OUTSIDE:
  case AVRM_ERR_REQUEST: return kMpiArguments;
  }
  return kNone;
}

// Numbers that are no status, within the range of values that the enum can hold.
std::vector<int> values_that_are_none() {
  std::vector<int> values;
  for (int value = -128; value < 128; ++value) {
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

TEST(Status, ErrorsAreInTheGroupOfTheirCause) {
  for (const Row &row : rows()) {
    if (row.status != AVRM_OK) {
      EXPECT_EQ(-row.value / 20, cause_of(row.status)) << row.name;
    }
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
