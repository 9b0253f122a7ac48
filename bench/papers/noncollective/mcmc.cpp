// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel in virtual time.
#include "papers/noncollective/mcmc_row.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <queue>
#include <random>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr double kMessageSeconds = 1e-6;

double tree_seconds(std::size_t processes) {
  return kMessageSeconds * std::ceil(std::log2(static_cast<double>(std::max<std::size_t>(processes, 2))));
}

struct Group {
  std::vector<std::int32_t> members; ///< the leader first; empty once it has joined another one
  std::int64_t remaining = 0;
  std::size_t target = 0; ///< whom it asks
  std::vector<std::size_t> requests;
  std::size_t joined = 0; ///< the group that it is part of now
  bool waits = false;     ///< for an answer to its request
  double busy_until = 0;  ///< with merging
};

class Virtual {
public:
  explicit Virtual(const McmcOptions &options)
      : options_(options), regroupings_(static_cast<std::size_t>(options.processes), mcmc_first_grouping(options)) {
    for (std::int32_t leader = 0; leader < options.processes; leader += options.group) {
      Group group;
      group.members.resize(static_cast<std::size_t>(options.group));
      std::iota(group.members.begin(), group.members.end(), leader);
      group.remaining = mcmc_items(leader);
      group.joined = groups_.size();
      groups_.push_back(std::move(group));
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      groups_[i].target = (i + 1) % groups_.size();
    }
  }

  double run() { return options_.balancing == Balancing::kCollective ? run_in_rounds() : run_by_events(); }
  [[nodiscard]] const std::vector<std::int32_t> &regroupings() const { return regroupings_; }

private:
  [[nodiscard]] double item_seconds(const Group &group) const {
    return options_.item_seconds / static_cast<double>(group.members.size());
  }

  // The helper's members become the last ones of the group.
  void join(std::size_t group, std::size_t helper) {
    std::vector<std::int32_t> &members = groups_[group].members;
    std::vector<std::int32_t> &more = groups_[helper].members;
    members.insert(members.end(), more.begin(), more.end());
    more.clear();
    groups_[helper].joined = group;
  }
  void count(const Group &group) {
    for (const std::int32_t member : group.members) {
      ++regroupings_[static_cast<std::size_t>(member)];
    }
  }
  [[nodiscard]] std::size_t whole_of(std::size_t group) const {
    while (groups_[group].joined != group) {
      group = groups_[group].joined;
    }
    return group;
  }

  using Event = std::pair<double, std::size_t>; // a group that has done an item, or begins

  double run_by_events() {
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    std::mt19937_64 random(groups_.size()); // the same at each run
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      events.emplace(options_.spread_seconds * std::generate_canonical<double, 53>(random), i);
    }
    double end = 0;
    while (!events.empty()) {
      auto [now, at] = events.top();
      events.pop();
      Group &group = groups_[at];
      for (const std::size_t helper : std::exchange(group.requests, {})) {
        if (group.remaining == 0) {                           // came too late
          if (options_.balancing == Balancing::kToTheRight) { // the two have no work, and meet
            groups_[helper].waits = false;
            events.emplace(now, helper);
          } else {
            ask(helper, &now); // it goes on to whom this one asks
          }
          continue;
        }
        join(at, helper);
        count(group);
        group.waits = false;
        // Word to all, and their agreement.
        now += 2 * kMessageSeconds + 2 * tree_seconds(group.members.size());
      }
      if (group.remaining > 0) {
        --group.remaining;
        const double done = now + item_seconds(group);
        end = std::max(end, done);
        events.emplace(done, at);
      } else if (options_.balancing == Balancing::kAsynchronous) {
        ask(at, &now);
      } else if (options_.balancing == Balancing::kToTheRight && !group.members.empty() && !group.waits) {
        if (const std::optional<double> again = ask_right(at, now)) {
          events.emplace(*again, at);
        }
      }
    }
    return end;
  }

  /// A group without work meets the one to its right. When it tries again, if it has to.
  std::optional<double> ask_right(std::size_t at, double now) {
    Group &group = groups_[at];
    const std::size_t right = whole_of(group.target);
    if (group.target == 0 || right == at) {
      return std::nullopt; // the last one
    }
    Group &other = groups_[right];
    if (std::max(group.busy_until, other.busy_until) > now) {
      return std::max(group.busy_until, other.busy_until);
    }
    if (other.remaining > 0) {
      group.waits = true;
      other.requests.push_back(at);
    } else {
      join(right, at);
      count(other);
      other.busy_until = now + 2 * kMessageSeconds + 2 * tree_seconds(other.members.size());
    }
    return std::nullopt;
  }

  // Finds the next group with work from a group's target on, and asks it.
  void ask(std::size_t helper, double *now) {
    std::size_t other = whole_of(groups_[helper].target);
    for (std::size_t hops = 0; other != helper && hops < groups_.size(); ++hops) {
      *now += 2 * kMessageSeconds;
      groups_[helper].target = other;
      if (groups_[other].remaining > 0) {
        groups_[other].requests.push_back(helper);
        return;
      }
      other = whole_of(groups_[other].target);
    } // nobody has any work left
  }

  double run_in_rounds() {
    double now = 0;
    for (;;) {
      double longest = 0;
      std::vector<McmcGroup> standing;
      std::vector<std::size_t> indices;
      for (std::size_t i = 0; i < groups_.size(); ++i) {
        Group &group = groups_[i];
        if (group.members.empty()) {
          continue;
        }
        const std::int64_t items = std::min<std::int64_t>(options_.interval, group.remaining);
        longest = std::max(longest, static_cast<double>(items) * item_seconds(group));
        group.remaining -= items;
        standing.push_back({group.members.front(), group.remaining});
        indices.push_back(i);
      }
      now += longest;
      if (std::none_of(standing.begin(), standing.end(), [](const McmcGroup &g) { return g.remaining > 0; })) {
        return now;
      }
      const auto all = static_cast<std::size_t>(options_.processes);
      now += tree_seconds(all);
      const std::vector<std::size_t> partners = mcmc_partners(standing);
      std::vector<bool> grows(standing.size());
      for (std::size_t i = 0; i < partners.size(); ++i) {
        if (partners[i] != i) {
          join(indices[partners[i]], indices[i]);
          grows[partners[i]] = true;
        }
      }
      for (std::size_t i = 0; i < grows.size(); ++i) {
        if (grows[i]) {
          count(groups_[indices[i]]);
        }
      }
      if (std::find(grows.begin(), grows.end(), true) != grows.end()) {
        now += 3 * tree_seconds(all); // a split
      }
    }
  }

  McmcOptions options_;
  std::vector<Group> groups_;
  std::vector<std::int32_t> regroupings_;
};

} // namespace

std::vector<std::size_t> mcmc_partners(const std::vector<McmcGroup> &groups) {
  const std::size_t count = groups.size();
  std::vector<std::size_t> partners(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = i;
    while (groups[at].remaining == 0 && (at + 1) % count != i) {
      at = (at + 1) % count;
    }
    partners[i] = groups[at].remaining == 0 ? i : at;
  }
  return partners;
}

McmcRow mcmc_row(const McmcOptions &options, const std::vector<std::int32_t> &regroupings) {
  McmcRow row;
  row.balancing = options.balancing == Balancing::kNone           ? "none"
                  : options.balancing == Balancing::kAsynchronous ? "asynchronous"
                  : options.balancing == Balancing::kToTheRight   ? "to the right"
                                                                  : "collective";
  row.interval = options.balancing == Balancing::kCollective ? options.interval : 0;
  row.processes = options.processes;
  double items = 0;
  for (std::int32_t leader = 0; leader < options.processes; leader += options.group) {
    items += static_cast<double>(mcmc_items(leader));
  }
  row.ideal_seconds = items * options.item_seconds / options.processes;
  const auto count = static_cast<double>(regroupings.size());
  row.regroupings_mean = std::accumulate(regroupings.begin(), regroupings.end(), 0.0) / count;
  double squares = 0;
  for (const std::int32_t n : regroupings) {
    squares += (n - row.regroupings_mean) * (n - row.regroupings_mean);
  }
  row.regroupings_deviation = std::sqrt(squares / count);
  row.regroupings_min = *std::min_element(regroupings.begin(), regroupings.end());
  row.regroupings_max = *std::max_element(regroupings.begin(), regroupings.end());
  return row;
}

McmcRow simulate_mcmc(const McmcOptions &options) {
  Virtual job(options);
  const double seconds = job.run();
  McmcRow row = mcmc_row(options, job.regroupings());
  row.simulated = true;
  row.seconds = seconds;
  return row;
}

} // namespace avrankmap::bench
