// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// avrm-netmod-test finds nothing wrong with our netmods, and notices each breach of others.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "core/peers/card.h"
#include "core/transports.h"
#include "tests/support/before_forking.h"
#include "tests/support/transports.h"
#include "tests/tools/netmod/broken.h"
#include "tests/tour/datagram/datagram.h"
#include "tools/netmod/run.h"

namespace avrankmap::test {
namespace {

using namespace netmod_test;

std::string broken_of(const Report &report) {
  std::string text;
  for (std::size_t i = 0; i < kSentenceCount; ++i) {
    if (report.findings[i].verdict == netmod_test::Verdict::kBroken) {
      text += std::string(kSentences[i]) + ": " + report.findings[i].observation + "\n";
    }
  }
  return text;
}

// Without the marks of comments, and with single spaces.
std::string prose_of(const char *path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string out;
  for (const char c : text) {
    const bool is_space = c == ' ' || c == '\n' || c == '/' || c == '<';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

TEST(NetmodTest, QuotesTheHeader) {
  const std::string header = prose_of(AVRM_NETMOD_HEADER);
  for (const char *const sentence : kSentences) {
    EXPECT_NE(header.find(sentence), std::string::npos) << sentence;
  }
}

struct Ours {
  const char *name;
  const char *netmod;
  const char *provider;
};

class OurNetmods : public testing::TestWithParam<Ours> {};

TEST_P(OurNetmods, KeepTheContract) {
  Settings settings;
  settings.ops =
      std::string(GetParam().netmod) == "datagram" ? datagram_netmod() : detail::find_netmod(GetParam().netmod);
  settings.provider = GetParam().provider;
  settings.seconds = 60;
  if (settings.ops == nullptr) {
    GTEST_SKIP() << "this build lacks " << GetParam().netmod;
  }
  const Report report = run_checks(settings);
  if (!report.unavailable.empty()) {
    GTEST_SKIP() << "this machine lacks " << GetParam().name << ": " << report.unavailable;
  }
  EXPECT_EQ(broken_of(report), "");
}

INSTANTIATE_TEST_SUITE_P(Each, OurNetmods,
                         testing::Values(Ours{"datagram", "datagram", ""}, Ours{"null", "null", ""},
                                         Ours{"ofi_tcp", "ofi", "tcp;ofi_rxm"}, Ours{"ucx_tcp", "ucx", "tcp,self"}),
                         [](const auto &info) { return std::string(info.param.name); });

class BrokenNetmods : public testing::TestWithParam<Broken> {};

TEST_P(BrokenNetmods, AreNoticed) {
  const avrm_netmod_ops_t ops = operations_of(GetParam());
  Settings settings;
  settings.ops = &ops;
  settings.seconds = 1.5; // most of which it sleeps
  settings.check = GetParam().check;
  const Report report = run_checks(settings);
  const Finding &finding = report.findings[static_cast<std::size_t>(GetParam().sentence)];
  EXPECT_EQ(finding.verdict, netmod_test::Verdict::kBroken) << "instead:\n" << broken_of(report);
  EXPECT_EQ(report.broken(), 1) << broken_of(report);
}

INSTANTIATE_TEST_SUITE_P(Each, BrokenNetmods, testing::ValuesIn(broken_netmods().begin(), broken_netmods().end()),
                         [](const auto &info) { return std::string(info.param.name); });

// The table of the datagram netmod with a function that differs.
Report report_of(void (*change)(avrm_netmod_ops_t *ops), const char *check) {
  avrm_netmod_ops_t ops = *datagram_netmod();
  change(&ops);
  Settings settings;
  settings.ops = &ops;
  settings.seconds = 1.5;
  settings.check = check;
  return run_checks(settings);
}

TEST(NetmodTest, TakesALackOfResourcesForNoBreach) {
  const Report report = report_of(
      [](avrm_netmod_ops_t *ops) {
        ops->tinject = [](avrm_netmod_t *, const void *, std::size_t, std::uint64_t, std::uint64_t) {
          return AVRM_ERR_SYSTEM;
        };
      },
      "messages of every size");
  EXPECT_EQ(broken_of(report), "");
  EXPECT_TRUE(report.lacks_resources);
  const Finding &finding = report.findings[static_cast<std::size_t>(Sentence::kInject)];
  EXPECT_EQ(finding.verdict, netmod_test::Verdict::kUntried);
  EXPECT_NE(finding.observation.find("AVRM_ERR_SYSTEM"), std::string::npos);
}

TEST(NetmodTest, SaysWhyANetmodDoesNotOpen) {
  const Report report = report_of(
      [](avrm_netmod_ops_t *ops) {
        ops->open = [](const avrm_netmod_config_t *, avrm_netmod_t **) { return AVRM_ERR_UNSUPPORTED; };
        ops->last_error = [](const avrm_netmod_t *) { return "no cable"; };
      },
      "");
  EXPECT_NE(report.unavailable.find("no cable"), std::string::npos);
}

TEST(NetmodTest, NamesTheStatusOfAMessageToAFailedPeer) {
  const Report report = report_of(
      [](avrm_netmod_ops_t *ops) {
        static std::uint64_t failed = UINT64_MAX;
        ops->peer_failed = [](avrm_netmod_t *net, std::uint64_t handle) {
          failed = handle;
          datagram_netmod()->peer_failed(net, handle);
        };
        ops->tinject = [](avrm_netmod_t *net, const void *buffer, std::size_t bytes, std::uint64_t handle,
                          std::uint64_t match) {
          return handle == failed ? AVRM_ERR_AGAIN : datagram_netmod()->tinject(net, buffer, bytes, handle, match);
        };
      },
      "a failed peer");
  EXPECT_NE(broken_of(report).find("tinject to a failed peer returned AVRM_ERR_AGAIN"), std::string::npos)
      << broken_of(report);
}

TEST(NetmodTest, OffersTheRoomOfADeviceForAddresses) {
  const Report report = report_of(
      [](avrm_netmod_ops_t *ops) {
        ops->address = [](avrm_netmod_t *, void *, std::size_t *bytes_p) {
          *bytes_p = detail::Card::kRoom + 1;
          return AVRM_OK;
        };
      },
      "messages of every size");
  EXPECT_EQ(report.findings[static_cast<std::size_t>(Sentence::kAddress)].verdict, netmod_test::Verdict::kBroken);
}

} // namespace
} // namespace avrankmap::test
