// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmi2/launch.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "launch/pmi2/call_thread.h"
#include "launch/pmi2/card_text.h"
#include "launch/pmi2/client.h"

namespace avrankmap::detail {

// Reference-counted, because the launcher may still answer an abandoned launch.
struct Pmi2Launch::Told {
  std::atomic<Answer> answer{Answer::kNone};
};

namespace {

// Limits of a request that hydra reads.
constexpr std::size_t kMostWords = 500;
constexpr std::size_t kMostBytes = 32768;

void append(std::vector<std::string> *words, const char *const *more) {
  for (; more != nullptr && *more != nullptr; ++more) {
    words->emplace_back(*more);
  }
}

// hydra splits a request at semicolons, whether they are doubled or not.
bool can_be_told(const Pmi2Client::Job &job) {
  std::size_t bytes = job.command.size() + job.folder.size();
  const auto is_plain = [](const std::string &word) {
    return !word.empty() && word.find_first_of(";\n") == std::string::npos;
  };
  for (const std::string &word : job.arguments) {
    bytes += word.size();
  }
  return is_plain(job.command) && is_plain(job.folder) &&
         std::all_of(job.arguments.begin(), job.arguments.end(), is_plain) && job.arguments.size() <= kMostWords &&
         bytes <= kMostBytes;
}

} // namespace

// A request cannot set environment variables, so the program `env` sets them.
bool Pmi2Launch::request(const Program &program, const std::string &path) {
  Pmi2Client::Job job;
  job.command = path;
  job.folder = current_folder();
  job.size = program.size;
  append(&job.arguments, program.environment);
  if (!job.arguments.empty()) {
    job.command = find_program("env");
    if (path.find('=') != std::string::npos) {
      return false; // `env` would take it for a variable
    }
    job.arguments.push_back(path);
  }
  append(&job.arguments, program.arguments);
  if (!can_be_told(job)) {
    return false;
  }
  job.preput.emplace_back(kParentKey, CardText::piece_of(program.port, 0));
  told_ = std::make_shared<Told>();
  try {
    start_call_thread([told = told_, job = std::move(job)] {
      told->answer = Pmi2Client::instance().spawn(job) ? Answer::kStarted : Answer::kRefused;
    }).detach();
  } catch (const std::system_error &) {
    return false;
  }
  return true;
}

ExternalLaunch::Answer Pmi2Launch::answer() noexcept { return told_->answer; }

} // namespace avrankmap::detail
