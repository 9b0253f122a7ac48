// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs of the component's functions with arguments at which arithmetic fails. Every call
// returns a status or the result that its header names; sanitizers see the rest.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "tests/component/random_arguments/world.h"
#include "tests/support/seed.h"
#include "tests/support/settings.h"

namespace avrankmap::test {
namespace {

struct Kind {
  const char *name;
  bool strict;
  avrm_cost_t cost;
};

std::vector<Call> all_calls() {
  std::vector<Call> calls;
  for (const auto *some :
       {&kAvCalls, &kCreations, &kMapCalls, &kGroupCalls, &kHierarchyCalls, &kDirectoryCalls, &kOtherCalls}) {
    calls.insert(calls.end(), some->begin(), some->end());
  }
  return calls;
}

// Printed instead of its bytes.
void PrintTo(const Kind &kind, std::ostream *out) { *out << kind.name; }

class RandomArguments : public testing::TestWithParam<Kind> {};

TEST_P(RandomArguments, AreAnswered) {
  const std::vector<Call> calls = all_calls();
  const std::uint64_t programs = is_long() ? 100000 : is_brief() ? 40 : 80;
  for (std::uint64_t i = 0; i < programs; ++i) {
    World world(seed() + i, GetParam().strict, GetParam().cost);
    for (int step = 0; step < 600; ++step) {
      const Call &call = calls[world.draw.below(calls.size())];
      SCOPED_TRACE(call.name);
      ASSERT_NO_THROW(call.make(world));
      ASSERT_FALSE(HasFailure()) << "step " << step << ", AVRM_TEST_SEED=" << seed() + i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, RandomArguments,
                         testing::Values(Kind{"Strict", true, AVRM_COST_BALANCED},
                                         Kind{"Balanced", false, AVRM_COST_BALANCED},
                                         Kind{"Bytes", false, AVRM_COST_BYTES}, Kind{"Speed", false, AVRM_COST_SPEED}),
                         [](const auto &param) { return std::string(param.param.name); });

std::string text_of(const std::filesystem::path &path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Functions that a header declares, and those of the headers that it includes.
void find_functions(const std::string &header, std::set<std::string> *seen, std::set<std::string> *functions) {
  const std::filesystem::path path = std::filesystem::path(AVRM_TEST_SOURCE) / "include" / header;
  if (!seen->insert(header).second || !exists(path)) { // version.h is made by the build
    return;
  }
  const std::string text = std::regex_replace(text_of(path), std::regex("//[^\n]*"), "");
  const auto each = [&text](const char *pattern, auto visit) {
    const std::regex regex(pattern);
    for (std::sregex_iterator i(text.begin(), text.end(), regex); i != std::sregex_iterator(); ++i) {
      visit((*i)[1].str());
    }
  };
  each("#include \"(avrankmap/[a-z_]*\\.h)\"", [&](const std::string &next) { find_functions(next, seen, functions); });
  each("\\b(avrm_(?!i_)[a-z0-9_]+)\\([^;{}]*\\)\\s*AVRM_NOEXCEPT",
       [&](const std::string &name) { functions->insert(name); });
}

TEST(RandomArgumentsCoverage, EveryFunctionOfTheComponentIsCalled) {
  std::set<std::string> seen;
  std::set<std::string> functions;
  find_functions("avrankmap/avrankmap.h", &seen, &functions);
  EXPECT_GT(functions.size(), 140U);
  std::string calls;
  for (const auto &entry : std::filesystem::directory_iterator(AVRM_TEST_SOURCE "/tests/component/random_arguments")) {
    calls += text_of(entry.path());
  }
  for (const std::string &function : functions) {
    EXPECT_NE(calls.find(function + '('), std::string::npos)
        << function << " is called nowhere in tests/component/random_arguments";
  }
}

} // namespace
} // namespace avrankmap::test
