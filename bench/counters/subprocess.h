// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

// Programs run to their end, without a shell, and a folder for what they write.
#pragma once

#include "counters/result.h"

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace avrankmap::counters {

// A fresh folder under the system's temporary one, removed with all that is in it when
// this object goes.
class ScratchFolder {
public:
  static Result<ScratchFolder> create();

  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  ScratchFolder(ScratchFolder &&other) noexcept;
  ScratchFolder &operator=(ScratchFolder &&other) noexcept;
  ~ScratchFolder();

  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  void remove() noexcept;

  std::filesystem::path path_;
};

// Full path of a program: as given if it has a slash, else the first in PATH that may be executed.
std::optional<std::string> find_program(std::string_view name);

std::optional<std::string> read_file(const std::filesystem::path &path);

struct ProcessEnd {
  pid_t pid = 0;       // what it had; programs put it into the names of their files
  int wait_status = 0; // as from waitpid
  std::string output;  // standard output and standard error together, in order

  [[nodiscard]] bool succeeded() const { return wait_status == 0; }
  // "exit status 3" or "signal Segmentation fault", and the last lines of the output.
  [[nodiscard]] std::string describe() const;
};

// Runs command[0] (a path) with these arguments and an empty standard input, and waits. Failed if
// it cannot be started; a program that fails is a result. `scratch` takes its output meanwhile.
Result<ProcessEnd> run_process(const std::vector<std::string> &command, const ScratchFolder &scratch);

} // namespace avrankmap::counters
