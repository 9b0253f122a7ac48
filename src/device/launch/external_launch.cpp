// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/external_launch.h"

#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <new>
#include <string_view>

#include "base/environment.h"

namespace avrankmap::detail {

namespace {

bool is_program(const std::string &path) noexcept {
  struct stat about = {};
  return stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) && access(path.c_str(), X_OK) == 0;
}

} // namespace

std::string find_program(const char *command) {
  const std::string name = command;
  if (name.find('/') != std::string::npos) {
    return is_program(name) ? name : std::string();
  }
  const char *const folders = env::text(env::kPath);
  for (std::string_view left = folders == nullptr ? env::row(env::kPath).default_value : folders; !name.empty();) {
    const std::size_t end = left.find(':');
    const std::string_view folder = left.substr(0, end);
    std::string path = std::string(folder.empty() ? "." : folder) + "/" + name;
    if (is_program(path)) {
      return path;
    }
    if (end == std::string_view::npos) {
      break;
    }
    left.remove_prefix(end + 1);
  }
  return {};
}

std::string current_folder() {
  char folder[PATH_MAX];
  return getcwd(folder, sizeof folder) == nullptr ? std::string() : std::string(folder);
}

avrm_status_t ExternalLaunch::start(const Program &program) noexcept {
  program_ = program;
  try {
    const std::string path = find_program(program.command);
    if (path.empty()) {
      take_down(0, AVRM_ERR_BOOT);
      return AVRM_OK;
    }
    if (request(program, path)) {
      return AVRM_OK;
    }
  } catch (const std::bad_alloc &) {
    return AVRM_ERR_NO_MEMORY;
  }
  return start_embedded();
}

avrm_status_t ExternalLaunch::start_embedded() noexcept {
  forget();
  is_embedded_ = true;
  return embedded_.start(program_);
}

avrm_status_t ExternalLaunch::look_embedded() noexcept {
  const avrm_status_t status = embedded_.look();
  if (status != AVRM_OK) {
    take_down(embedded_.failed_rank(), status);
  }
  return failure();
}

avrm_status_t ExternalLaunch::look() noexcept {
  if (failure() != AVRM_OK) {
    return failure();
  }
  if (is_embedded_) {
    return look_embedded();
  }
  switch (answer()) {
  case Answer::kNone: break;
  case Answer::kRefused:
    if (const avrm_status_t status = start_embedded(); status != AVRM_OK) {
      take_down(-1, status);
    }
    break;
  case Answer::kStarted: look_at_processes(); break;
  }
  return failure();
}

void ExternalLaunch::let_go() noexcept {
  forget();
  if (is_embedded_) {
    embedded_.let_go();
  }
}

} // namespace avrankmap::detail
