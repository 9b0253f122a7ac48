// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Jobs on several simulated hosts (tests/hosts.sh, whose path is AVRM_HOSTS).
#ifndef AVRANKMAP_TESTS_SUPPORT_HOSTS_H
#define AVRANKMAP_TESTS_SUPPORT_HOSTS_H

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/launch.h"

namespace avrankmap::test {

using Words = std::vector<std::string>;

inline bool has_hosts() {
  static const bool has = launch({"bash", AVRM_HOSTS, "check"}, {}).front() == 0;
  return has;
}

// Why a test that needs them is skipped.
inline constexpr const char *kNoHosts = "hosts cannot be simulated here: that needs root, namespaces and iproute2";

// Precedes a launcher's words: it runs on the first of the hosts, h1, for at most that time.
inline Words on_hosts(int count, const Words &options = {}, int limit_s = 150) {
  Words words = {"bash", AVRM_HOSTS, "run", std::to_string(count), "--limit", std::to_string(limit_s)};
  words.insert(words.end(), options.begin(), options.end());
  return words;
}

// Open MPI's mpirun, with two processes on each of two hosts.
inline Words two_hosts_words(const Words &options = {}) {
  Words words = on_hosts(2, options);
  const Words mpirun = mpirun_words(4);
  words.insert(words.end(), mpirun.begin(), mpirun.end());
  words.insert(words.end(), {"-H", "h1:2,h2:2"});
  return words;
}

// A file in memory that processes on all hosts can open by its path while this object lives.
class SharedFile {
public:
  explicit SharedFile(const std::string &content = {}) : file_(memfd_create("shared", 0)) {
    if (file_ < 0 || write(file_, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
      throw std::runtime_error("a file in memory cannot be made");
    }
  }
  SharedFile(const SharedFile &) = delete;
  SharedFile &operator=(const SharedFile &) = delete;
  ~SharedFile() { close(file_); }
  [[nodiscard]] std::string path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  }
  [[nodiscard]] int descriptor() const { return file_; }

private:
  int file_;
};

} // namespace avrankmap::test

#endif
