// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/driver/sources.h"

#include "base/fnv.h"
#include "counters/subprocess.h"
#include "papers/driver/store.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>

namespace avrankmap::bench {
namespace {

namespace fs = std::filesystem;

/// The source in bench/papers/experiments that runs an experiment: the first row whose beginning
/// its name has.
constexpr std::pair<std::string_view, const char *> kRunBy[] = {
    {"bytes-per-process", "bytes_per_process.cpp"},
    {"whole-device", "whole_device.cpp"},
    {"000/table5", "rankmap_rates.cpp"},
    {"000/table", "rankmap_tables.cpp"},
    {"000/figure15", "creation_times.cpp"},
    {"000/figure16", "creation_times.cpp"},
    {"000/figure17", "rankmap_memory.cpp"},
    {"000/figure18", "rankmap_memory.cpp"},
    {"000/figure19", "rankmap_rates.cpp"},
    {"000/figure10", "rankmap_memory.cpp"},
    {"000/figure11", "rankmap_memory.cpp"},
    {"000/figure12", "rankmap_memory.cpp"},
    {"000/figure13", "rankmap_memory.cpp"},
    {"000/figure14", "rankmap_memory.cpp"},
    {"000/figure9", "rankmap_memory.cpp"},
    {"000/figure1", "rankmap_tables.cpp"},
    {"000/figure", "rankmap_listings.cpp"},
    {"001/table", "rankmap_rates.cpp"},
    {"001/figure17", "rankmap_memory.cpp"},
    {"001/figure", "rankmap_listings.cpp"},
    {"002/figure4", "ping_pong.cpp"},
    {"002/", "cartesian.cpp"},
    {"003/figure7", "applications.cpp"},
    {"003/figure8", "applications.cpp"},
    {"003/", "slow_mpi.cpp"},
    {"004/figure1", "noncollective.cpp"},
    {"004/", "markov_chains.cpp"},
};

/// Folders of bench/ that measure the device.
constexpr std::string_view kOfDevice[] = {"bench/device/", "bench/synthetic/", "bench/papers/applications/",
                                          "bench/papers/noncollective/", "bench/papers/patterns/"};
constexpr const char *kCore[] = {"include", "src/component"};
constexpr const char *kAll[] = {"include", "src", "netmod", "shmmod"};

bool is_source(const fs::path &file) {
  const std::string extension = file.extension().string();
  return extension == ".h" || extension == ".c" || extension == ".cpp" || extension == ".cc";
}

/// Sentences and verdicts on results: they change no number.
bool is_conclusion(const fs::path &file) {
  return file.parent_path() == "bench/papers/conclusions" && file.extension() != ".h";
}

/// Follows includes within bench/.
class Closure {
public:
  explicit Closure(const fs::path &root) : root_(root) {}

  void add(const fs::path &file) {
    if (is_conclusion(file) || !fs::is_regular_file(root_ / file) || !files_.insert(file).second) {
      return;
    }
    if (file.extension() == ".h") { // what implements it
      for (const char *const extension : {".cpp", ".c"}) {
        add(fs::path(file).replace_extension(extension));
      }
    }
    const std::string text = counters::read_file(root_ / file).value_or("");
    static const std::regex include(R"re(#include "([^"]+)")re");
    for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
      const std::string name = (*match)[1];
      add(name.rfind("bench/", 0) == 0 ? fs::path(name) : fs::path("bench") / name);
    }
  }
  void add_folder(const char *folder) {
    std::error_code error;
    for (const auto &entry : fs::recursive_directory_iterator(root_ / folder, error)) {
      if (entry.is_regular_file() && is_source(entry.path())) {
        files_.insert(fs::relative(entry.path(), root_));
      }
    }
  }
  [[nodiscard]] bool measures_device() const {
    return std::any_of(files_.begin(), files_.end(), [](const fs::path &file) {
      return std::any_of(std::begin(kOfDevice), std::end(kOfDevice),
                         [&](std::string_view folder) { return file.string().rfind(folder, 0) == 0; });
    });
  }
  std::set<fs::path> take() { return std::move(files_); }

private:
  const fs::path &root_;
  std::set<fs::path> files_;
};

/// Code without its comments, which gcc removes. As it is if gcc cannot be run: then results are
/// called stale rather than current.
std::string without_comments(const std::string &code) {
  const auto gcc = counters::find_program("gcc");
  const auto scratch = counters::ScratchFolder::create();
  if (!gcc || !scratch.ok()) {
    return code;
  }
  const fs::path before = scratch->path() / "before";
  const fs::path after = scratch->path() / "after";
  write_file(before, code);
  const auto end = counters::run_process(
      {*gcc, "-fpreprocessed", "-dD", "-E", "-P", "-w", "-x", "c++", before.string(), "-o", after.string()}, *scratch);
  return end.ok() && end->succeeded() ? counters::read_file(after).value_or(code) : code;
}

/// Lines without blanks around them, and no empty ones: a comment may leave some behind.
std::string without_blanks(const std::string &text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first != std::string::npos) {
      kept += line.substr(first, line.find_last_not_of(" \t") + 1 - first) + '\n';
    }
  }
  return kept;
}

constexpr std::string_view kSection = "### ";
constexpr std::string_view kRecorded = "<!-- sources of ";

std::string ids_text(const std::vector<PublishedResult> &results, Freshness freshness) {
  std::vector<std::string> ids;
  for (const PublishedResult &result : results) {
    if (result.freshness == freshness) {
      ids.push_back(result.id);
    }
  }
  return fmt::format("{}", fmt::join(ids, ", "));
}

} // namespace

std::set<fs::path> sources_of(const fs::path &root, const std::string &id) {
  const auto run_by =
      std::find_if(std::begin(kRunBy), std::end(kRunBy), [&](const auto &row) { return id.rfind(row.first, 0) == 0; });
  if (run_by == std::end(kRunBy)) {
    return {};
  }
  Closure closure(root);
  closure.add(fs::path("bench/papers/experiments") / run_by->second);
  if (closure.measures_device()) {
    for (const char *const folder : kAll) {
      closure.add_folder(folder);
    }
  } else {
    for (const char *const folder : kCore) {
      closure.add_folder(folder);
    }
  }
  return closure.take();
}

std::string digest_of(const fs::path &root, const std::set<fs::path> &sources) {
  if (sources.empty()) {
    return {};
  }
  std::string text;
  for (const fs::path &file : sources) {
    text += fmt::format("\n{}\n{}\n", file.generic_string(), counters::read_file(root / file).value_or(""));
  }
  return fmt::format("{:016x}", detail::fnv_64(without_blanks(without_comments(text))));
}

std::string recorded_line(const std::string &id, const std::string &digest) {
  return digest.empty() ? "" : fmt::format("{}{}: {} -->\n", kRecorded, id, digest);
}

std::vector<PublishedResult> check_document(const std::string &document, const fs::path &root) {
  std::vector<PublishedResult> results;
  std::map<std::set<fs::path>, std::string> digests; // many experiments have the same sources
  for (std::size_t start = 0; start < document.size();) {
    const std::size_t end = std::min(document.find('\n', start), document.size());
    const std::string line = document.substr(start, end - start);
    start = end + 1;
    const std::size_t colon = line.find(": ");
    if (line.rfind(kSection, 0) == 0 && colon != std::string::npos) {
      results.push_back({line.substr(kSection.size(), colon - kSection.size()), Freshness::kNotRecorded});
    } else if (line.rfind(kRecorded, 0) == 0 && colon != std::string::npos && !results.empty()) {
      const std::string id = line.substr(kRecorded.size(), colon - kRecorded.size());
      const std::string digest = line.substr(colon + 2, 16);
      PublishedResult &result = results.back();
      if (id == result.id) {
        const auto [known, is_new] = digests.try_emplace(sources_of(root, id));
        if (is_new) {
          known->second = digest_of(root, known->first);
        }
        result.freshness = digest == known->second ? Freshness::kCurrent : Freshness::kStale;
      }
    }
  }
  return results;
}

std::string freshness_text(const std::vector<PublishedResult> &results) {
  const auto current = std::count_if(results.begin(), results.end(), [](const PublishedResult &result) {
    return result.freshness == Freshness::kCurrent;
  });
  std::string text = fmt::format("{} of {} results are of these sources.", current, results.size());
  const std::string stale = ids_text(results, Freshness::kStale);
  const std::string unknown = ids_text(results, Freshness::kNotRecorded);
  text += stale.empty() ? "" : fmt::format(" Stale: {}.", stale);
  text += unknown.empty() ? "" : fmt::format(" Of sources that are not recorded: {}.", unknown);
  return text;
}

} // namespace avrankmap::bench
