// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job through the launcher that started this one. The launcher decides where the
// processes run; if it refuses, the embedded launcher starts them.
#ifndef AVRANKMAP_SRC_LAUNCH_EXTERNAL_LAUNCH_H
#define AVRANKMAP_SRC_LAUNCH_EXTERNAL_LAUNCH_H

#include <chrono>
#include <cstdint>
#include <string>

#include "launch/embedded_launch.h"

namespace avrankmap::detail {

// Looks up a program as a shell on this machine would. Returns an empty string if there is none; a
// launcher might not report that error. May throw std::bad_alloc.
[[nodiscard]] std::string find_program(const char *command);

// The working directory of this process; empty if it is unknown. May throw std::bad_alloc.
[[nodiscard]] std::string current_folder();

class ExternalLaunch : public Launch {
public:
  [[nodiscard]] avrm_status_t start(const Program &program) noexcept final;
  [[nodiscard]] avrm_status_t look() noexcept final;
  void let_go() noexcept final;
  [[nodiscard]] std::chrono::seconds limit() const noexcept final { return limit_; }
  [[nodiscard]] bool is_over() noexcept final { return !is_embedded_ || embedded_.is_over(); }

protected:
  enum class Answer : std::uint8_t { kNone, kRefused, kStarted };

  // `limit` is the value that limit() returns.
  explicit ExternalLaunch(std::chrono::seconds limit) noexcept : limit_(limit) {}

  // Requests the processes from the launcher; `path` is the path of the program. Returns false if
  // that fails. May throw std::bad_alloc.
  [[nodiscard]] virtual bool request(const Program &program, const std::string &path) = 0;
  // The launcher's answer to the request.
  [[nodiscard]] virtual Answer answer() noexcept = 0;
  // Calls take_down if a process is known to have failed.
  virtual void look_at_processes() noexcept {}
  // Forgets the request.
  virtual void forget() noexcept = 0;

  [[nodiscard]] std::int32_t size() const noexcept { return program_.size; }
  void end_embedded() noexcept {
    if (is_embedded_) {
      embedded_.end();
    }
  }

private:
  [[nodiscard]] avrm_status_t start_embedded() noexcept;
  [[nodiscard]] avrm_status_t look_embedded() noexcept;

  std::chrono::seconds limit_;
  Program program_ = {};
  EmbeddedLaunch embedded_;
  bool is_embedded_ = false;
};

} // namespace avrankmap::detail

#endif
