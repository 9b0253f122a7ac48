// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// A published result is current until a source of its experiment changes. For the tree's own
// document the last test prints which results are stale: that is no failure, an ordinary commit
// makes some so.
#include "papers/driver/sources.h"

#include "counters/subprocess.h"
#include "papers/experiments/catalogue.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace avrankmap::bench {
namespace {

namespace fs = std::filesystem;

/// A tree of a few files.
class Provenance : public testing::Test {
protected:
  void SetUp() override {
    auto made = counters::ScratchFolder::create();
    ASSERT_TRUE(made.ok()) << made.message();
    scratch_.emplace(std::move(*made));
    write("bench/papers/experiments/cartesian.cpp", "#include \"component/memory/torus.h\"\n");
    write("bench/component/memory/torus.h", "");
    write("bench/component/memory/torus.cpp", "#include \"support/log.h\"\n");
    write("bench/support/log.h", "");
    write("bench/component/memory/other.cpp", "");
    write("include/avrankmap/rankmap.h", "");
    write("src/component/rankmap/map.cpp", "");
    write("src/device/p2p/send.cpp", "");
    write("bench/papers/experiments/markov_chains.cpp", "#include \"papers/noncollective/mcmc.h\"\n");
    write("bench/papers/noncollective/mcmc.h", "");
  }
  void write(const char *file, const std::string &text) const {
    const fs::path path = root() / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] fs::path root() const { return scratch_->path(); }
  [[nodiscard]] std::string digest(const char *id) const { return digest_of(root(), sources_of(root(), id)); }
  [[nodiscard]] std::string published(const char *id) const {
    return fmt::format("### {}: A title\n\ntext\n{}\n", id, recorded_line(id, digest(id)));
  }

private:
  std::optional<counters::ScratchFolder> scratch_;
};

TEST_F(Provenance, SourcesAreThoseIncludedAndTheLibrarysCore) {
  const std::set<fs::path> expected{"bench/papers/experiments/cartesian.cpp",
                                    "bench/component/memory/torus.cpp",
                                    "bench/component/memory/torus.h",
                                    "bench/support/log.h",
                                    "include/avrankmap/rankmap.h",
                                    "src/component/rankmap/map.cpp"};
  EXPECT_EQ(sources_of(root(), "002/table1"), expected);
}
TEST_F(Provenance, SourcesOfTheDeviceAreTheWholeLibrary) {
  EXPECT_EQ(sources_of(root(), "004/table1").count("src/device/p2p/send.cpp"), 1U);
}
TEST_F(Provenance, OfAnUnknownExperimentThereAreNoSources) {
  EXPECT_TRUE(sources_of(root(), "nothing").empty());
  EXPECT_EQ(digest("nothing"), "");
  EXPECT_EQ(recorded_line("nothing", ""), "");
}
TEST_F(Provenance, AResultIsCurrentUntilASourceChanges) {
  const std::string document = published("002/table1");
  EXPECT_EQ(freshness_text(check_document(document, root())), "1 of 1 results are of these sources.");
  write("bench/component/memory/other.cpp", "changed");
  write("src/device/p2p/send.cpp", "changed");
  EXPECT_EQ(freshness_text(check_document(document, root())), "1 of 1 results are of these sources.");
  write("src/component/rankmap/map.cpp", "changed");
  EXPECT_EQ(freshness_text(check_document(document, root())),
            "0 of 1 results are of these sources. Stale: 002/table1.");
}
TEST_F(Provenance, AResultStaysCurrentIfACommentChanges) {
  const char *const file = "src/component/rankmap/map.cpp";
  write(file, "// A comment.\nint size = 1;\nconst char *address = \"http://here\";\n");
  const std::string document = published("002/table1");
  write(file, "/* Another one,\n\n   longer. */\n  int size = 1; // here\nconst char *address = \"http://here\";\n");
  EXPECT_EQ(check_document(document, root()).at(0).freshness, Freshness::kCurrent);
  write(file, "int size = 1;\nconst char *address = \"http://there\";\n");
  EXPECT_EQ(check_document(document, root()).at(0).freshness, Freshness::kStale);
}
TEST_F(Provenance, AResultStaysCurrentIfAConclusionChanges) {
  write("bench/papers/experiments/cartesian.cpp", "#include \"papers/conclusions/names.h\"\n");
  write("bench/papers/conclusions/names.h", "");
  write("bench/papers/conclusions/names.cpp", "#include \"papers/conclusions/more.h\"\n");
  write("bench/papers/conclusions/more.h", "");
  const std::string document = published("002/table1");
  write("bench/papers/conclusions/names.cpp", "changed");
  write("bench/papers/conclusions/more.h", "changed");
  EXPECT_EQ(check_document(document, root()).at(0).freshness, Freshness::kCurrent);
  write("bench/papers/conclusions/names.h", "changed"); // names of rows and columns
  EXPECT_EQ(check_document(document, root()).at(0).freshness, Freshness::kStale);
}
TEST_F(Provenance, AResultIsStaleIfASourceIsAdded) {
  const std::string document = published("002/table1");
  write("src/component/rankmap/more.cpp", "");
  EXPECT_EQ(check_document(document, root()).at(0).freshness, Freshness::kStale);
}
TEST_F(Provenance, AResultWithoutARecordIsNamed) {
  EXPECT_EQ(freshness_text(check_document("### 002/table1: A title\n\ntext\n", root())),
            "0 of 1 results are of these sources. Of sources that are not recorded: 002/table1.");
}

TEST(ProvenanceOfTheTree, EveryExperimentHasSources) {
  for (const Experiment &experiment : catalogue()) {
    if (experiment.run != nullptr) {
      const auto sources = sources_of(AVRM_TEST_SOURCE, experiment.id);
      EXPECT_GT(sources.size(), 20U) << experiment.id;
    }
  }
}
TEST(ProvenanceOfTheTree, ThePublishedResultsAreToldApart) {
  const auto text = counters::read_file(fs::path(AVRM_TEST_SOURCE) / "bench/papers/RESULTS.md");
  ASSERT_TRUE(text);
  const std::vector<PublishedResult> results = check_document(*text, AVRM_TEST_SOURCE);
  EXPECT_GT(results.size(), 40U);
  for (const PublishedResult &result : results) {
    EXPECT_NE(find_experiment(result.id), nullptr) << result.id;
  }
  std::printf("bench/papers/RESULTS.md: %s\n", freshness_text(results).c_str());
}

} // namespace
} // namespace avrankmap::bench
