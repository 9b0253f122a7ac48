// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tools/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <stdexcept>

namespace avrankmap::planner {
namespace {

using Ranks = std::vector<std::int32_t>;

constexpr std::int32_t kMostProcesses = std::numeric_limits<std::int32_t>::max() - 1;
constexpr std::int32_t kMostCopies = 1'000'000;

struct KindName {
  const char *name;
  Kind kind;
  int parameters; ///< extents for a cart
};
constexpr std::array<KindName, 12> kKinds{{{"world", Kind::kWorld, 0},
                                           {"dup", Kind::kDup, 0},
                                           {"split-rows", Kind::kRows, 1},
                                           {"split-columns", Kind::kColumns, 1},
                                           {"split-colours", Kind::kColours, 1},
                                           {"cart2", Kind::kCart, 2},
                                           {"cart3", Kind::kCart, 3},
                                           {"random", Kind::kRandom, 0},
                                           {"merged", Kind::kMerged, 1},
                                           {"failed", Kind::kFailed, 1},
                                           {"node", Kind::kNode, 0},
                                           {"node-roots", Kind::kNodeRoots, 0}}};

template <class... A> [[noreturn]] void refuse(fmt::format_string<A...> format, A &&...arguments) {
  throw std::invalid_argument(fmt::format(format, std::forward<A>(arguments)...));
}

std::vector<std::string_view> divide(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(by, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return parts;
    }
    begin = end + 1;
  }
}

/// A number from 1 to most, or none.
std::optional<std::int32_t> number(std::string_view text, std::int32_t most) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > most) {
    return {};
  }
  return value;
}

Request parse_one(std::string_view text, const Job &job) {
  const std::vector<std::string_view> parts = divide(text, ':');
  const auto *const named =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const KindName &kind) { return kind.name == parts[0]; });
  if (named == kKinds.end()) {
    std::string names;
    for (const KindName &kind : kKinds) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", kind.name);
    }
    refuse("\"{}\" is no kind of communicator; there are {}", parts[0], names);
  }
  Request request{std::string(text), named->kind, {}, 1};
  std::size_t next = 1;
  if (named->parameters > 0) {
    if (parts.size() < 2) {
      refuse("\"{}\" needs a parameter, as in {}:{}", text, named->name,
             named->parameters == 1   ? "4"
             : named->parameters == 2 ? "4x4"
                                      : "4x4x4");
    }
    for (const std::string_view part : divide(parts[next++], 'x')) {
      const std::optional<std::int32_t> value = number(part, kMostProcesses);
      if (!value) {
        refuse("\"{}\": \"{}\" is not a number from 1 to {}", text, part, kMostProcesses);
      }
      request.parameters.push_back(*value);
    }
    if (request.parameters.size() != static_cast<std::size_t>(named->parameters)) {
      refuse("\"{}\": {} takes {} number{}, not {}", text, named->name, named->parameters,
             named->parameters == 1 ? "" : "s joined by x", request.parameters.size());
    }
  }
  if (next < parts.size()) {
    const std::optional<std::int32_t> count = number(parts[next], kMostCopies);
    if (!count) {
      refuse("\"{}\": \"{}\" is not a count from 1 to {}", text, parts[next], kMostCopies);
    }
    request.count = *count;
    ++next;
  }
  if (next < parts.size()) {
    refuse("\"{}\": nothing can follow the count", text);
  }

  const std::int32_t first = request.parameters.empty() ? 0 : request.parameters[0];
  switch (request.kind) {
  case Kind::kRows:
  case Kind::kColumns:
  case Kind::kColours:
    if (first > job.processes) {
      refuse("\"{}\": {} processes cannot be split into {} parts", text, job.processes, first);
    }
    break;
  case Kind::kFailed:
    if (first >= job.processes) {
      refuse("\"{}\": of {} processes at most {} can fail", text, job.processes, job.processes - 1);
    }
    break;
  case Kind::kMerged:
    if (first > kMostProcesses - job.processes) {
      refuse("\"{}\": a communicator has at most {} processes", text, kMostProcesses);
    }
    break;
  case Kind::kCart: {
    std::int64_t product = 1;
    for (const std::int32_t extent : request.parameters) {
      product *= extent;
      if (product > job.processes) {
        refuse("\"{}\": the grid has more than the {} processes there are", text, job.processes);
      }
    }
    break;
  }
  default: break;
  }
  return request;
}

/// The same for a request whenever it is asked, and another for each copy.
std::mt19937_64 random_for(const Request &request, std::int32_t copy) {
  std::seed_seq seed{static_cast<std::int32_t>(request.kind), request.parameters.empty() ? 0 : request.parameters[0],
                     copy};
  return std::mt19937_64(seed);
}

/// Ranks offset, offset + stride, ...
struct Progression {
  std::int64_t size;
  std::int64_t offset;
  std::int64_t stride;

  [[nodiscard]] Ranks ranks() const {
    Ranks all(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<std::int32_t>(offset + static_cast<std::int64_t>(i) * stride);
    }
    return all;
  }
};

Progression all(const Job &job) { return {job.processes, 0, 1}; }

/// Process i belongs to part i * parts / processes: sizes differ by one at most.
Progression rows(const Job &job, std::int32_t parts) {
  const std::int64_t part = std::int64_t{job.rank} * parts / job.processes;
  const auto begin = [&](std::int64_t p) { return (p * job.processes + parts - 1) / parts; };
  return {begin(part + 1) - begin(part), begin(part), 1};
}

Progression columns(const Job &job, std::int32_t parts) {
  const std::int32_t column = job.rank % parts;
  return {(std::int64_t{job.processes} - column + parts - 1) / parts, column, parts};
}

Progression node(const Job &job) {
  const std::int64_t first = std::int64_t{job.rank} / job.per_node * job.per_node;
  return {std::min<std::int64_t>(job.per_node, job.processes - first), first, 1};
}

Progression node_roots(const Job &job) {
  return {(std::int64_t{job.processes} + job.per_node - 1) / job.per_node, 0, job.per_node};
}

bool is_node_root(const Job &job) { return job.rank % job.per_node == 0; }

Ranks colours(const Request &request, const Job &job, std::int32_t copy) {
  std::mt19937_64 random = random_for(request, copy);
  const auto parts = static_cast<std::uint64_t>(request.parameters[0]);
  std::vector<std::uint32_t> colour(static_cast<std::size_t>(job.processes));
  for (std::uint32_t &value : colour) {
    value = static_cast<std::uint32_t>(random() % parts);
  }
  Ranks ranks;
  for (std::int32_t rank = 0; rank < job.processes; ++rank) {
    if (colour[static_cast<std::size_t>(rank)] == colour[static_cast<std::size_t>(job.rank)]) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

Ranks shuffled(const Request &request, const Job &job, std::int32_t copy) {
  std::mt19937_64 random = random_for(request, copy);
  Ranks ranks = all(job).ranks();
  std::shuffle(ranks.begin(), ranks.end(), random);
  return ranks;
}

Ranks survivors(const Request &request, const Job &job) {
  // The process that is asked is not among the failed.
  std::mt19937_64 random = random_for(request, 0);
  std::vector<bool> failed(static_cast<std::size_t>(job.processes));
  for (std::int32_t left = request.parameters[0]; left > 0;) {
    const auto victim = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(job.processes));
    if (!failed[victim] && victim != static_cast<std::size_t>(job.rank)) {
      failed[victim] = true;
      --left;
    }
  }
  Ranks ranks;
  for (std::int32_t rank = 0; rank < job.processes; ++rank) {
    if (!failed[static_cast<std::size_t>(rank)]) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

/// The grid, and its parts where some of the dimensions are free: each one alone, and
/// in 3-D each two.
std::vector<Communicator> cart(const Request &request, const Job &job) {
  const std::vector<std::int32_t> &extents = request.parameters;
  const std::size_t dimensions = extents.size();
  std::vector<std::int64_t> strides(dimensions, 1); // the last dimension counts fastest, as in MPI
  for (std::size_t d = dimensions - 1; d > 0; --d) {
    strides[d - 1] = strides[d] * extents[d];
  }
  const std::int64_t size = strides[0] * extents[0];
  if (job.rank >= size) {
    return {};
  }
  std::vector<Communicator> comms{{Progression{size, 0, 1}.ranks(), 0}};
  for (unsigned free = 1; free + 1 < 1U << dimensions; ++free) {
    Ranks ranks{0};
    for (std::size_t d = 0; d < dimensions; ++d) {
      const std::int64_t own = job.rank / strides[d] % extents[d];
      const bool is_free = (free >> d & 1) != 0;
      Ranks longer;
      for (const std::int32_t base : ranks) {
        for (std::int64_t c = is_free ? 0 : own; c < (is_free ? extents[d] : own + 1); ++c) {
          longer.push_back(static_cast<std::int32_t>(base + c * strides[d]));
        }
      }
      ranks = std::move(longer);
    }
    comms.push_back({std::move(ranks), 0});
  }
  return comms;
}

/// The ranks of all communicators of `cart`.
double cart_ranks(const Request &request, const Job &job) {
  const std::vector<std::int32_t> &extents = request.parameters;
  double all = 0;
  for (unsigned free = 1; free < 1U << extents.size(); ++free) {
    double ranks = 1;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      ranks *= (free >> d & 1) != 0 ? extents[d] : 1;
    }
    // The last one is the whole grid.
    all = free + 1 == 1U << extents.size() && job.rank >= ranks ? 0 : all + ranks;
  }
  return all;
}

} // namespace

std::vector<Request> parse(std::string_view list, const Job &job) {
  if (job.processes < 1 || job.processes > kMostProcesses) {
    refuse("a job has 1 to {} processes, not {}", kMostProcesses, job.processes);
  }
  if (job.per_node < 1) {
    refuse("a node has at least 1 process, not {}", job.per_node);
  }
  if (job.rank < 0 || job.rank >= job.processes) {
    refuse("there is no process {} among {}", job.rank, job.processes);
  }
  std::vector<Request> requests;
  if (!list.empty()) {
    for (const std::string_view text : divide(list, ',')) {
      requests.push_back(parse_one(text, job));
    }
  }
  return requests;
}

std::vector<Communicator> expand(const Request &request, const Job &job, std::int32_t copy) {
  switch (request.kind) {
  case Kind::kWorld: return {{all(job).ranks(), 0}};
  case Kind::kDup: return {{{}, 0}};
  case Kind::kRows: return {{rows(job, request.parameters[0]).ranks(), 0}};
  case Kind::kColumns: return {{columns(job, request.parameters[0]).ranks(), 0}};
  case Kind::kColours: return {{colours(request, job, copy), 0}};
  case Kind::kCart: return cart(request, job);
  case Kind::kRandom: return {{shuffled(request, job, copy), 0}};
  case Kind::kMerged: return {{all(job).ranks(), request.parameters[0]}};
  case Kind::kFailed: return {{survivors(request, job), 0}};
  case Kind::kNode: return {{node(job).ranks(), 0}};
  case Kind::kNodeRoots:
    if (!is_node_root(job)) {
      return {};
    }
    return {{node_roots(job).ranks(), 0}};
  }
  return {};
}

double world_ranks_of(const Request &request, const Job &job) {
  const double processes = job.processes;
  switch (request.kind) {
  case Kind::kWorld:
  case Kind::kRandom:
  case Kind::kMerged: return processes;
  case Kind::kDup: return 0;
  case Kind::kRows: return static_cast<double>(rows(job, request.parameters[0]).size);
  case Kind::kColumns: return static_cast<double>(columns(job, request.parameters[0]).size);
  case Kind::kColours: return processes / request.parameters[0];
  case Kind::kCart: return cart_ranks(request, job);
  case Kind::kFailed: return processes - request.parameters[0];
  case Kind::kNode: return static_cast<double>(node(job).size);
  case Kind::kNodeRoots: return is_node_root(job) ? static_cast<double>(node_roots(job).size) : 0;
  }
  return 0;
}

} // namespace avrankmap::planner
