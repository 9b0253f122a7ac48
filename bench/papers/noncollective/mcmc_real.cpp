// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel between real processes. The leader of a group tells its members what comes next: an
// item, a merge with another group, or the end. A leader without work asks the group to its right.
// To work: whoever is asked and has none either says whom to ask instead, and who is sent back to
// itself knows that there is none left. To the right: whoever leads lets the group in, and asks on;
// the end is one group of all. Groups that merge know one another by their leaders only.
#include "papers/noncollective/mcmc_row.h"

#include "avrankmap/device/comm.h"
#include "support/job.h"
#include "support/require.h"
#include "support/shared_pages.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <vector>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kMost = 64;

/// In memory that the processes share.
struct Results {
  double seconds[kMost];
  std::int32_t regroupings[kMost];
};

enum Tag { kRequest = 1, kReply, kOrder, kStanding, kTable, kDone, kStop };

enum class Word : std::int32_t { kItem, kJoin, kAsk, kEnd };
struct Order {
  Word word;               ///< to members: kItem, kJoin, kEnd. As an answer: kJoin, kAsk, kEnd.
  std::int32_t whom = 0;   ///< kAsk: whom instead
  bool own_is_last = true; ///< kJoin: the own group is the one that helps
};

void sleep_for(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  const timespec time{whole, static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
  nanosleep(&time, nullptr);
}

class Process {
public:
  Process(avrm_comm_t *world, const McmcOptions &options)
      : world_(world), options_(options), rank_(avrm_comm_rank(world)), regroupings_(mcmc_first_grouping(options)) {
    const std::int32_t first = rank_ / options.group * options.group;
    remaining_ = mcmc_items(first);
    target_ = (first + options.group) % options.processes;
    require(avrm_comm_split(world, first, 0, &comm_));
  }
  ~Process() { (void)avrm_comm_free(comm_); }
  Process(const Process &) = delete;
  Process &operator=(const Process &) = delete;

  [[nodiscard]] std::int32_t regroupings() const { return regroupings_; }

  void run() {
    switch (options_.balancing) {
    case Balancing::kNone:
      for (; remaining_ > 0; --remaining_) {
        item();
      }
      break;
    case Balancing::kToTheRight: run_to_the_right(); break;
    case Balancing::kAsynchronous: run_alone(); break;
    case Balancing::kCollective: run_in_rounds(); break;
    }
    require(avrm_barrier(world_));
  }

private:
  [[nodiscard]] std::int32_t group_size() const { return avrm_comm_size(comm_); }
  [[nodiscard]] bool leads() const { return avrm_comm_rank(comm_) == 0; }
  /// Rank in the world of the first process of the group.
  [[nodiscard]] std::int32_t leader() const { return avrm_rankmap_gpid(avrm_comm_map(comm_), 0).lpid; }
  [[nodiscard]] bool is_member(std::int32_t rank) const {
    std::int32_t place = AVRM_UNDEFINED;
    require(avrm_rankmap_rank(avrm_comm_map(comm_), {0, rank}, &place));
    return place != AVRM_UNDEFINED;
  }
  void item() const { sleep_for(options_.item_seconds / group_size()); }

  void send(avrm_comm_t *comm, const void *data, std::size_t bytes, std::int32_t dest, Tag tag) {
    avrm_request_t *request = nullptr;
    require(avrm_isend(comm, data, bytes, dest, tag, &request));
    wait(&request);
  }
  /// Answers others meanwhile, and leaves them the processor.
  void wait(avrm_request_t **request) {
    bool done = false;
    avrm_outcome_t outcome{};
    for (require(avrm_test(request, &done, &outcome)); !done; require(avrm_test(request, &done, &outcome))) {
      answer_others();
      sleep_for(20e-6);
    }
    require(outcome.status);
  }
  void receive(avrm_comm_t *comm, void *data, std::size_t bytes, std::int32_t source, Tag tag) {
    avrm_request_t *request = nullptr;
    require(avrm_irecv(comm, data, bytes, source, tag, &request));
    wait(&request);
  }

  void listen() { require(avrm_irecv(world_, &request_, sizeof request_, AVRM_ANY_SOURCE, kRequest, &listening_)); }
  /// The leader of a group that wants to join, if there is one.
  std::optional<std::int32_t> asked_by() {
    bool done = false;
    avrm_outcome_t outcome{};
    if (listening_ == nullptr) {
      return {};
    }
    require(avrm_test(&listening_, &done, &outcome));
    return done ? std::optional(outcome.source) : std::nullopt;
  }
  /// While this process has nothing to give.
  void answer_others() {
    if (lets_in_) {
      return;
    }
    if (const std::optional<std::int32_t> who = asked_by()) {
      const Order order{ended_ ? Word::kEnd : Word::kAsk, leads() ? target_ : leader()};
      listen();
      avrm_request_t *sent = nullptr;
      require(avrm_isend(world_, &order, sizeof order, *who, kReply, &sent));
      answers_.push_back(sent);
    }
  }

  void tell_members(const Order &order) {
    for (std::int32_t member = 1; member < group_size(); ++member) {
      send(comm_, &order, sizeof order, member, kOrder);
    }
  }
  /// All of both groups make a new one, and nobody else. `partner`: the other leader; known to the
  /// own one only.
  void join(std::int32_t partner, bool own_is_last) {
    avrm_comm_t *comm = nullptr;
    require(avrm_comm_merge(comm_, 0, world_, partner, 0, own_is_last, &comm));
    require(avrm_comm_free(comm_));
    comm_ = comm;
    ++regroupings_;
  }
  /// In the leader: the same, members included.
  void lead_into(std::int32_t partner, bool own_is_last) {
    tell_members({Word::kJoin, 0, own_is_last});
    join(partner, own_is_last);
  }

  void run_alone() {
    listen();
    lets_in_ = leads() && remaining_ > 0;
    while (!ended_) {
      if (!leads()) {
        follow();
      } else if (remaining_ > 0) {
        lead();
      } else {
        lets_in_ = false;
        ask();
      }
    }
    wait_for_all();
    stop_listening();
  }

  void run_to_the_right() {
    listen();
    lets_in_ = leads();
    while (!ended_) {
      if (!leads()) {
        lets_in_ = false;
        follow();
      } else if (let_in()) {
        continue;
      } else if (remaining_ > 0) {
        work();
      } else if (group_size() == options_.processes) {
        ended_ = true;
        tell_members({Word::kEnd});
      } else {
        if (target_ != 0) { // the last group has nobody to its right
          ask_meanwhile();
        }
        sleep_for(20e-6);
      }
    }
    stop_listening();
  }

  void stop_listening() {
    require(avrm_cancel(listening_));
    avrm_outcome_t outcome{};
    (void)avrm_wait(&listening_, &outcome); // cancelled
    for (avrm_request_t *&answer : answers_) {
      require(avrm_wait(&answer, nullptr));
    }
  }

  void follow() {
    Order order{};
    receive(comm_, &order, sizeof order, 0, kOrder);
    switch (order.word) {
    case Word::kItem: item(); break;
    case Word::kJoin: join(AVRM_UNDEFINED, order.own_is_last); break;
    case Word::kAsk:
    case Word::kEnd: ended_ = true; break;
    }
  }

  /// Lets a group in that wants to help. Whether there is one.
  bool let_in() {
    const std::optional<std::int32_t> who = asked_by();
    if (who) {
      listen();
      const Order order{Word::kJoin};
      send(world_, &order, sizeof order, *who, kReply);
      lead_into(*who, false);
    }
    return who.has_value();
  }
  void work() {
    tell_members({Word::kItem});
    item();
    --remaining_;
  }
  /// One item, and a look at who wants to help.
  void lead() {
    (void)let_in();
    work();
  }

  void ask() {
    send(world_, &request_, sizeof request_, target_, kRequest);
    Order answer{};
    receive(world_, &answer, sizeof answer, target_, kReply);
    switch (answer.word) {
    case Word::kJoin: lead_into(target_, true); break;
    case Word::kAsk:
      target_ = answer.whom;
      ended_ = is_member(target_);
      break;
    case Word::kItem:
    case Word::kEnd: ended_ = true; break;
    }
    if (ended_) {
      tell_members({Word::kEnd});
    }
  }

  /// The same without waiting for the answer: the group may grow until it comes.
  void ask_meanwhile() {
    if (asking_ == nullptr) {
      require(avrm_irecv(world_, &answer_, sizeof answer_, target_, kReply, &asking_));
      send(world_, &request_, sizeof request_, target_, kRequest);
    }
    bool done = false;
    require(avrm_test(&asking_, &done, nullptr));
    if (done && answer_.word == Word::kJoin) {
      lead_into(target_, true);
    } else if (done) {
      target_ = answer_.whom;
    }
  }

  /// Until the last one knows that there is no work left: it may ask anybody.
  void wait_for_all() {
    const char nothing = 0;
    char none = 0;
    if (rank_ != 0) {
      send(world_, &nothing, 1, 0, kDone);
      receive(world_, &none, 1, 0, kStop);
      return;
    }
    for (std::int32_t peer = 1; peer < options_.processes; ++peer) {
      receive(world_, &none, 1, peer, kDone);
    }
    for (std::int32_t peer = 1; peer < options_.processes; ++peer) {
      send(world_, &nothing, 1, peer, kStop);
    }
  }

  void run_in_rounds() {
    for (;;) {
      for (std::int32_t i = 0; i < options_.interval && remaining_ > 0; ++i, --remaining_) {
        item();
      }
      const std::vector<McmcGroup> all = exchange_standing();
      std::vector<McmcGroup> groups;
      for (const McmcGroup &standing : all) {
        const bool known = std::any_of(groups.begin(), groups.end(),
                                       [&](const McmcGroup &group) { return group.leader == standing.leader; });
        if (!known) {
          groups.push_back(standing);
        }
      }
      std::sort(groups.begin(), groups.end(),
                [](const McmcGroup &a, const McmcGroup &b) { return a.leader < b.leader; });
      if (std::all_of(groups.begin(), groups.end(), [](const McmcGroup &group) { return group.remaining == 0; })) {
        return;
      }
      regroup(all, groups);
    }
  }

  /// Where each process is, by rank.
  std::vector<McmcGroup> exchange_standing() {
    std::vector<McmcGroup> all(static_cast<std::size_t>(options_.processes));
    const std::size_t bytes = all.size() * sizeof(McmcGroup);
    McmcGroup own{leader(), remaining_};
    if (rank_ != 0) {
      send(world_, &own, sizeof own, 0, kStanding);
      receive(world_, all.data(), bytes, 0, kTable);
      return all;
    }
    all[0] = own;
    for (std::int32_t peer = 1; peer < options_.processes; ++peer) {
      receive(world_, &all[static_cast<std::size_t>(peer)], sizeof own, peer, kStanding);
    }
    for (std::int32_t peer = 1; peer < options_.processes; ++peer) {
      send(world_, all.data(), bytes, peer, kTable);
    }
    return all;
  }

  void regroup(const std::vector<McmcGroup> &all, const std::vector<McmcGroup> &groups) {
    const std::vector<std::size_t> partners = mcmc_partners(groups);
    const auto goes_to = [&](std::int32_t leader) -> const McmcGroup & {
      const auto at =
          std::find_if(groups.begin(), groups.end(), [&](const McmcGroup &g) { return g.leader == leader; });
      return groups[partners[static_cast<std::size_t>(at - groups.begin())]];
    };
    const McmcGroup &own = goes_to(leader());
    std::vector<std::int32_t> whole;
    bool any = false;
    for (const bool joins : {false, true}) { // who has walked the chain so far comes first
      for (std::int32_t rank = 0; rank < options_.processes; ++rank) {
        const std::int32_t leader = all[static_cast<std::size_t>(rank)].leader;
        const std::int32_t to = goes_to(leader).leader;
        any = any || to != leader;
        if (to == own.leader && (leader != to) == joins) {
          whole.push_back(rank);
        }
      }
    }
    if (!any) {
      return;
    }
    const auto first = std::find(whole.begin(), whole.end(), own.leader);
    std::rotate(whole.begin(), first, first + 1);
    const bool changes = static_cast<std::int32_t>(whole.size()) != group_size();
    const auto key = static_cast<std::int32_t>(std::find(whole.begin(), whole.end(), rank_) - whole.begin());
    avrm_comm_t *comm = nullptr;
    require(avrm_comm_split(world_, changes ? own.leader : AVRM_UNDEFINED, key, &comm));
    if (changes) {
      require(avrm_comm_free(comm_));
      comm_ = comm;
      remaining_ = own.remaining;
      ++regroupings_;
    }
  }

  avrm_comm_t *world_;
  const McmcOptions &options_;
  std::int32_t rank_;
  avrm_comm_t *comm_ = nullptr; ///< of the group
  std::int64_t remaining_ = 0;
  std::int32_t target_ = 0; ///< whom the leader asks for work
  bool lets_in_ = false;    ///< who asks waits until it looks
  bool ended_ = false;
  char request_ = 0; ///< says nothing but who asks
  avrm_request_t *listening_ = nullptr;
  Order answer_{};
  avrm_request_t *asking_ = nullptr;
  std::vector<avrm_request_t *> answers_;
  std::int32_t regroupings_;
};

void run_process(avrm_comm_t *world, const McmcOptions &options, Results *results) {
  Process process(world, options);
  require(avrm_barrier(world));
  const auto start = std::chrono::steady_clock::now();
  process.run();
  const auto rank = static_cast<std::size_t>(avrm_comm_rank(world));
  results->seconds[rank] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  results->regroupings[rank] = process.regroupings();
}

} // namespace

McmcRow measure_mcmc(const McmcOptions &options) {
  if (options.processes < 1 || options.processes > kMost || options.group < 1 ||
      options.processes % options.group != 0 || options.interval < 1) {
    throw std::runtime_error("Markov chains: no such job");
  }
  const SharedPages<Results> results;
  run_job_over_shared_memory("Markov chains", options.processes, 300000, [&](avrm_device_t *device) {
    run_process(avrm_device_world(device), options, results.get());
  });
  const auto count = static_cast<std::size_t>(options.processes);
  const Results &all = *results.get();
  McmcRow row = mcmc_row(options, std::vector<std::int32_t>(all.regroupings, all.regroupings + count));
  row.seconds = *std::max_element(all.seconds, all.seconds + count);
  return row;
}

} // namespace avrankmap::bench
