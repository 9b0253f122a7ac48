// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a page says of two experiments that measure the same.
#include "papers/driver/presentation.h"

#include "papers/driver/store.h"
#include "papers/experiments/catalogue.h"
#include "sentences.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace avrankmap::bench {
namespace {

/// The page of figures 15 and 16, whose duplicates of 16 real processes take these times.
std::string page_of_creations(double figure15, double figure16) {
  const auto find = [&](const std::string &id) -> std::optional<Stored> {
    if (id != "000/figure15" && id != "000/figure16") {
      return std::nullopt;
    }
    Stored stored;
    stored.id = id;
    stored.result = numbers({"whole creation"}, {{"dup, 16 real processes", {id.ends_with("15") ? figure15 : figure16}},
                                                 {id + " alone", {1}}});
    return stored;
  };
  return document(catalogue(), find, [](const auto & /*id*/, const auto & /*plot*/) { return std::nullopt; });
}

TEST(Page, TellsByHowMuchTheSameCreationDiffersInFigures15And16) {
  const std::string page = page_of_creations(55, 308);
  EXPECT_NE(page.find(" The same whole creation differs by a factor of up to 5.6 in 000/figure16."), std::string::npos);
  EXPECT_NE(page.find(" The same whole creation differs by a factor of up to 5.6 in 000/figure15."), std::string::npos);
}

TEST(Page, SaysNothingOfCreationsThatTakeTheSameTime) {
  EXPECT_EQ(page_of_creations(55, 55).find("The same whole creation"), std::string::npos);
}

} // namespace
} // namespace avrankmap::bench
