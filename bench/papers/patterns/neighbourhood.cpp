// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/patterns/neighbourhood.h"

#include "papers/patterns/owned_comm.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

constexpr std::int32_t kTag = 1;

class Neighbourhood final : public Workload {
public:
  Neighbourhood(avrm_comm_t *world, const NeighbourhoodOptions &options, std::shared_ptr<avrm_comm_t> comm,
                Lookup lookup)
      : comm_(std::move(comm)), bytes_(options.bytes), exchanges_(options.exchanges),
        peers_(world, comm_.get(), Extents(options.torus.extents.rbegin(), options.torus.extents.rend()),
               options.torus.reversed(), lookup, kTag),
        sent_(bytes_ * options.steps.size()), received_(bytes_ * options.steps.size()) {
    for (const Extents &steps : options.steps) {
      Extents back = steps;
      std::transform(back.begin(), back.end(), back.begin(), std::negate<>());
      to_.push_back(options.torus.beside(peers_.rank(), steps));
      from_.push_back(options.torus.beside(peers_.rank(), back));
    }
  }

  double verify() override {
    for (std::size_t i = 0; i < to_.size(); ++i) {
      const std::int64_t mark = mark_of(peers_.rank(), i);
      std::memcpy(&sent_[i * bytes_], &mark, sizeof mark);
    }
    exchange();
    for (std::size_t i = 0; i < from_.size(); ++i) {
      std::int64_t mark = -1;
      std::memcpy(&mark, &received_[i * bytes_], sizeof mark);
      if (mark != mark_of(from_[i], i)) {
        throw std::runtime_error("a neighbour's message came from another process");
      }
    }
    return 0;
  }
  void run(int /*part*/) override {
    for (int i = 0; i < exchanges_; ++i) {
      exchange();
    }
  }

private:
  static std::int64_t mark_of(std::int32_t sender, std::size_t step) {
    return std::int64_t{sender} << 32 | static_cast<std::int64_t>(step);
  }
  void exchange() {
    for (std::size_t i = 0; i < from_.size(); ++i) {
      peers_.irecv(&received_[i * bytes_], bytes_, from_[i]);
    }
    for (std::size_t i = 0; i < to_.size(); ++i) {
      peers_.isend(&sent_[i * bytes_], bytes_, to_[i]);
    }
    peers_.wait_all();
  }

  std::shared_ptr<avrm_comm_t> comm_;
  std::size_t bytes_;
  int exchanges_;
  Peers peers_;
  std::vector<std::int32_t> to_;
  std::vector<std::int32_t> from_;
  std::vector<unsigned char> sent_;
  std::vector<unsigned char> received_;
};

} // namespace

std::vector<LookupTimes> measure_neighbourhood(const NeighbourhoodOptions &options,
                                               const std::vector<Lookup> &lookups) {
  if (options.bytes < sizeof(std::int64_t)) {
    throw std::runtime_error("neighbourhood: messages are too small");
  }
  WorkloadJob job;
  job.processes = options.torus.size();
  job.rounds = options.rounds;
  return compare_lookups(std::move(job), lookups,
                         [&, shared = std::weak_ptr<avrm_comm_t>()](avrm_comm_t *world, Lookup lookup) mutable {
                           std::shared_ptr<avrm_comm_t> comm = shared.lock();
                           if (comm == nullptr) {
                             const std::vector<std::int32_t> ranks = options.torus.reversed();
                             const auto own = std::find(ranks.begin(), ranks.end(), avrm_comm_rank(world));
                             comm = split_comm(world, 0, static_cast<std::int32_t>(own - ranks.begin()));
                             shared = comm;
                           }
                           return std::make_unique<Neighbourhood>(world, options, std::move(comm), lookup);
                         });
}

} // namespace avrankmap::bench
