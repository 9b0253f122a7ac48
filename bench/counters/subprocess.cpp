// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause

#include "counters/subprocess.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

// POSIX leaves its declaration to the program; glibc may have made it.
extern "C" char **environ; // NOLINT(readability-redundant-declaration)

namespace avrankmap::counters {

namespace {

class SpawnActions {
public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  SpawnActions(const SpawnActions &) = delete;
  SpawnActions &operator=(const SpawnActions &) = delete;
  SpawnActions(SpawnActions &&) = delete;
  SpawnActions &operator=(SpawnActions &&) = delete;
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }

  posix_spawn_file_actions_t *get() { return &actions_; }

private:
  posix_spawn_file_actions_t actions_{};
};

} // namespace

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    return failed("no folder for temporary files: " + error.message());
  std::string pattern = (parent / "avrm-counters-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    return failed("cannot make " + pattern + ": " + std::strerror(errno));
  return ScratchFolder(std::filesystem::path(pattern));
}

ScratchFolder::ScratchFolder(ScratchFolder &&other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }

ScratchFolder &ScratchFolder::operator=(ScratchFolder &&other) noexcept {
  if (this != &other) {
    remove();
    path_ = std::move(other.path_);
    other.path_.clear();
  }
  return *this;
}

ScratchFolder::~ScratchFolder() { remove(); }

void ScratchFolder::remove() noexcept {
  std::error_code ignored;
  if (!path_.empty())
    std::filesystem::remove_all(path_, ignored);
}

std::optional<std::string> find_program(std::string_view name) {
  const auto runs = [](const std::string &path) {
    struct stat info {};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
  };
  if (name.empty())
    return std::nullopt;
  if (name.find('/') != std::string_view::npos) {
    std::string path(name);
    return runs(path) ? std::optional(std::move(path)) : std::nullopt;
  }
  const char *variable = std::getenv("PATH");
  std::string_view rest = variable != nullptr ? variable : "/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view folder = rest.substr(0, colon);
    std::string path = (folder.empty() ? std::string(".") : std::string(folder)) + "/" + std::string(name);
    if (runs(path))
      return path;
    if (colon == std::string_view::npos)
      return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

std::optional<std::string> read_file(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

std::string ProcessEnd::describe() const {
  std::string text = WIFSIGNALED(wait_status) ? std::string("signal ") + strsignal(WTERMSIG(wait_status))
                                              : "exit status " + std::to_string(WEXITSTATUS(wait_status));
  if (output.empty())
    return text;
  constexpr std::size_t most = 1000;
  return text + "; its output ends: " + (output.size() > most ? output.substr(output.size() - most) : output);
}

Result<ProcessEnd> run_process(const std::vector<std::string> &command, const ScratchFolder &scratch) {
  if (command.empty())
    return failed("empty command");
  std::vector<char *> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string &word : command)
    arguments.push_back(const_cast<char *>(word.c_str())); // posix_spawn does not write to them
  arguments.push_back(nullptr);

  const std::string log = (scratch.path() / "output").string();
  SpawnActions actions;
  posix_spawn_file_actions_addopen(actions.get(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(actions.get(), STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND,
                                   0600);
  posix_spawn_file_actions_adddup2(actions.get(), STDOUT_FILENO, STDERR_FILENO);

  ProcessEnd end;
  if (const int rc = posix_spawn(&end.pid, arguments[0], actions.get(), nullptr, arguments.data(), environ); rc != 0)
    return failed("cannot run " + command[0] + ": " + std::strerror(rc));
  while (waitpid(end.pid, &end.wait_status, 0) < 0) {
    if (errno != EINTR)
      return failed("lost " + command[0] + ": " + std::strerror(errno));
  }
  end.output = read_file(log).value_or(std::string());
  return end;
}

} // namespace avrankmap::counters
