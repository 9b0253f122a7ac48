// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launches a job through the PMI-2 launcher that started this one (PMI2_Job_Spawn). The new job's
// key-value space contains the name of the parents' port, as a CardText under the key kParentKey.
//
// PMI-2 neither reports that a process has ended nor kills processes: children that never connect
// are detected only by a time limit, and remain until they fail to find their parents.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_LAUNCH_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_LAUNCH_H

#include <chrono>
#include <memory>
#include <string>

#include "launch/external_launch.h"

namespace avrankmap::detail {

inline constexpr const char *kParentKey = "avrm.parent";

class Pmi2Launch final : public ExternalLaunch {
public:
  explicit Pmi2Launch(std::chrono::seconds limit) noexcept : ExternalLaunch(limit) {}
  ~Pmi2Launch() override { end(); }

  void end() noexcept override {
    end_embedded();
    forget();
  }

private:
  struct Told; // the launcher's answer

  [[nodiscard]] bool request(const Program &program, const std::string &path) override;
  [[nodiscard]] Answer answer() noexcept override;
  void forget() noexcept override { told_.reset(); }

  std::shared_ptr<Told> told_;
};

} // namespace avrankmap::detail

#endif
