// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A job of virtual processes that die, and what they do about it: revoke a communicator, agree, and
// shrink it, by the code that a device runs for it, one call after the other.
#ifndef AVRANKMAP_TESTS_DEVICE_COMM_FT_FAILING_JOB_H
#define AVRANKMAP_TESTS_DEVICE_COMM_FT_FAILING_JOB_H

#include <optional>

#include "comm_algorithms/create/from_group.h"
#include "comm_algorithms/create/shrink.h"
#include "liveness/spreading.h"
#include "tests/device/comm/ft/failing_job_net.h"

namespace avrankmap::test {

enum class Call { kAgree, kShrink };

// The calls of all processes, in order.
struct Plan {
  std::vector<Call> calls;
  // Revokes the communicator first. All others receive a message of it, which never comes, until
  // they hear of the revocation, or of its death and revoke, too.
  std::int32_t revoker = detail::kNobody;
  // Of the communicator. A job that only agrees needs no map.
  const avrm_rankmap_t *map = nullptr;
  std::uint32_t context = 0;
};

struct Verdict {
  std::uint64_t value;
  bool acknowledged;
  std::vector<std::int32_t> dead;
  friend bool operator==(const Verdict &, const Verdict &) = default;
};

// The communicator that a process got, if the status is AVRM_OK.
struct Shrunk {
  avrm_status_t status;
  detail::CreationResult made;
};

class FailingJob final : public FailingJobNet {
public:
  // Process r comes to each agreement with every bit but r.
  FailingJob(std::int32_t size, const std::vector<Death> &deaths, std::uint64_t seed, Plan plan)
      : FailingJobNet(size, deaths, seed), acknowledged(static_cast<std::size_t>(size)), plan_(std::move(plan)) {
    for (std::int32_t rank = 0; rank < size; ++rank) {
      processes_.push_back(std::make_unique<Process>(*this, rank));
    }
  }

  // Of all agreements and shrinks that a process returned from.
  [[nodiscard]] const std::vector<Verdict> &verdicts(std::int32_t rank) const { return at(rank).verdicts; }
  [[nodiscard]] const std::vector<Shrunk> &shrunk(std::int32_t rank) const { return at(rank).shrunk; }
  // Number of calls that a process has begun, and returned from.
  [[nodiscard]] std::size_t begun(std::int32_t rank) const { return at(rank).begun; }
  [[nodiscard]] std::size_t ended(std::int32_t rank) const { return verdicts(rank).size() + shrunk(rank).size(); }
  [[nodiscard]] bool is_revoked(std::int32_t rank) const { return at(rank).is_revoked; }
  // The context ids that a process has in use.
  [[nodiscard]] detail::Contexts &contexts(std::int32_t rank) { return at(rank).contexts; }

  // Ranks whose deaths a process has acknowledged from the start.
  std::vector<std::vector<std::int32_t>> acknowledged;

private:
  struct Creation final : detail::CreationHost {
    Creation(FailingJobNet &net, std::int32_t rank, std::uint32_t tag, detail::Contexts &contexts)
        : CreationHost(contexts), port(net, rank, 1, tag) {}
    avrm_status_t prepare(detail::CreationResult & /*made*/) noexcept override { return AVRM_OK; }

    Port port;
    detail::CreationResult made;
    std::optional<detail::Task> task;
  };
  struct Process {
    Process(FailingJob &job, std::int32_t rank)
        : port(job, rank, 0, 0), consensus(job.memory(), rank, job.size()), spreading(rank, job.size()),
          contexts(job.memory()) {}

    Port port;
    detail::Consensus consensus;
    detail::Spreading spreading;
    detail::Contexts contexts;
    detail::Shrinking shrinking{consensus};
    std::optional<detail::Task> attending;
    std::optional<Creation> creation;
    std::size_t begun = 0;
    bool is_revoked = false;
    std::vector<Verdict> verdicts;
    std::vector<Shrunk> shrunk;
  };

  [[nodiscard]] Process &at(std::int32_t rank) { return *processes_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] const Process &at(std::int32_t rank) const { return *processes_[static_cast<std::size_t>(rank)]; }

  void on_start(std::int32_t rank) override {
    if (rank == plan_.revoker) {
      revoke(rank);
    } else if (plan_.revoker == detail::kNobody) {
      begin(rank);
    }
  }
  void on_note(std::int32_t rank) override { revoke(rank); }
  void on_death(std::int32_t rank, std::int32_t dead) override {
    Process &self = at(rank);
    if (self.creation && counts_on(self, dead)) {
      self.creation->port.break_off();
    }
    if (self.is_revoked) {
      spread(rank);
    } else if (dead == plan_.revoker) {
      revoke(rank);
    }
  }
  void go_on(std::int32_t rank) override {
    while (!is_dead(rank) && ended(rank) < begun(rank) && advance(rank)) {
    }
  }

  void revoke(std::int32_t rank) {
    Process &self = at(rank);
    if (self.is_revoked) {
      return;
    }
    self.is_revoked = true;
    self.spreading.begin();
    spread(rank);
    if (!is_dead(rank)) {
      begin(rank);
    }
  }
  void spread(std::int32_t rank) {
    at(rank).spreading.spread([&](std::int32_t other) { return knows_death(rank, other); },
                              [&](std::int32_t other) { return !is_dead(rank) && send_note(rank, other); });
  }

  // Begins the next call.
  void begin(std::int32_t rank) {
    Process &self = at(rank);
    if (self.begun == plan_.calls.size()) {
      return;
    }
    if (plan_.calls[self.begun++] == Call::kAgree) {
      const std::vector<std::int32_t> &known = acknowledged[static_cast<std::size_t>(rank)];
      self.consensus.begin(
          {~(std::uint64_t{1} << rank % 64), AVRM_OK, known.data(), static_cast<std::int32_t>(known.size())});
    } else {
      self.shrinking.begin({plan_.map, rank, 0, plan_.map, nullptr, plan_.context}, 0);
    }
    if (!self.attending) {
      self.attending.emplace(attend(self.port, self.consensus));
      self.attending->start();
    }
    self.port.interrupt();
  }

  // Whether it did something.
  bool advance(std::int32_t rank) {
    Process &self = at(rank);
    return plan_.calls[self.begun - 1] == Call::kAgree ? end_agreement(rank) : shrink(rank);
  }
  bool end_agreement(std::int32_t rank) {
    Process &self = at(rank);
    if (!self.consensus.is_over()) {
      return false;
    }
    Verdict verdict{self.consensus.value(), self.consensus.is_acknowledged(), {}};
    for (const detail::Mark &mark : self.consensus.dead()) {
      verdict.dead.push_back(mark.rank);
    }
    self.verdicts.push_back(std::move(verdict));
    begin(rank);
    return true;
  }
  // Makes the creations of a shrink, as Survivors::shrink does in a device.
  bool shrink(std::int32_t rank) {
    Process &self = at(rank);
    if (self.shrinking.is_creating()) {
      if (!self.creation->task->is_done()) {
        return false;
      }
      self.shrinking.settle(self.creation->task->status());
      self.port.interrupt();
      return true;
    }
    switch (self.shrinking.next()) {
    case detail::Shrinking::Step::kWait: return false;
    case detail::Shrinking::Step::kCreate: create(rank); return true;
    case detail::Shrinking::Step::kEnd: break;
    }
    const avrm_status_t status = self.shrinking.status();
    self.shrunk.push_back({status, status == AVRM_OK ? std::move(self.creation->made) : detail::CreationResult()});
    self.shrinking.drop();
    self.creation.reset();
    begin(rank);
    return true;
  }
  void create(std::int32_t rank) {
    Process &self = at(rank);
    self.creation.reset(); // its port is free then
    Creation &creation = self.creation.emplace(*this, rank, self.consensus.number(), self.contexts);
    for (const std::int32_t dead : known_deaths(rank)) {
      if (counts_on(self, dead)) {
        creation.port.break_off();
      }
    }
    creation.task.emplace(self.shrinking.create(creation.port, creation, &creation.made));
    creation.task->start();
  }
  [[nodiscard]] bool counts_on(const Process &self, std::int32_t rank) const {
    return self.shrinking.members() != nullptr &&
           detail::rank_in(self.shrinking.members(), avrm_rankmap_gpid(plan_.map, rank)) != detail::kNobody;
  }

  Plan plan_;
  std::vector<std::unique_ptr<Process>> processes_;
};

} // namespace avrankmap::test

#endif
