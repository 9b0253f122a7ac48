// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/patterns/peers.h"

#include "baseline/translation_caches.h"
#include "support/require.h"

#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>

namespace avrankmap::bench {
namespace {

template <class Cache> class RanksOf final : public Ranks {
public:
  /// @param table  null: compressed
  RanksOf(const CartesianVcrt &vcrt, const std::int32_t *table) : vcrt_(vcrt, table) {}
  std::int32_t world_rank(std::int32_t rank) override { return vcrt_.translate(rank); }

private:
  CachedVcrt<Cache> vcrt_;
};

/// @param table  has to outlive it
std::unique_ptr<Ranks> make_ranks(Lookup lookup, const Extents &rectangle, const std::vector<std::int32_t> &table) {
  if (lookup == Lookup::kOurs) {
    return nullptr;
  }
  const std::optional<CartesianVcrt> vcrt = CartesianVcrt::compress(rectangle, table);
  if (!vcrt) {
    throw std::runtime_error("a communicator is no part of its rectangle");
  }
  switch (lookup) {
  case Lookup::kTable: return std::make_unique<RanksOf<NoCache>>(*vcrt, table.data());
  case Lookup::kFunction: return std::make_unique<RanksOf<NoCache>>(*vcrt, nullptr);
  case Lookup::kLinear16: return std::make_unique<RanksOf<LinearCache<16>>>(*vcrt, nullptr);
  case Lookup::kPaperCache: return std::make_unique<RanksOf<PaperCache>>(*vcrt, nullptr);
  case Lookup::kOurs: break;
  }
  return nullptr;
}

} // namespace

const char *name_of(Lookup lookup) {
  constexpr const char *kNames[] = {"plain table", "mapping function", "linear 16", "128 x 8", "ours"};
  return kNames[static_cast<std::size_t>(lookup)];
}

Peers::Peers(avrm_comm_t *world, avrm_comm_t *comm, const Extents &rectangle, std::vector<std::int32_t> world_ranks,
             Lookup lookup, std::int32_t tag)
    : world_(world), comm_(comm), world_ranks_(std::move(world_ranks)),
      theirs_(make_ranks(lookup, rectangle, world_ranks_)), tag_(tag), rank_(avrm_comm_rank(comm)) {
  if (avrm_comm_size(comm) != size()) {
    throw std::runtime_error("a communicator is of another size");
  }
  for (std::int32_t rank = 0; rank < size(); ++rank) {
    const std::int32_t wanted = world_ranks_[static_cast<std::size_t>(rank)];
    if (avrm_rankmap_gpid(avrm_comm_map(comm), rank).lpid != wanted ||
        (theirs_ != nullptr && theirs_->world_rank(rank) != wanted)) {
      throw std::runtime_error("a rank is another process");
    }
  }
}

void Peers::isend(const void *data, std::size_t bytes, std::int32_t rank) {
  avrm_request_t *&request = requests_.emplace_back(nullptr);
  if (theirs_ == nullptr) {
    require(avrm_isend(comm_, data, bytes, rank, tag_, &request));
  } else {
    require(avrm_isend(world_, data, bytes, theirs_->world_rank(rank), tag_, &request));
  }
}

void Peers::irecv(void *data, std::size_t bytes, std::int32_t rank) {
  avrm_request_t *&request = requests_.emplace_back(nullptr);
  if (theirs_ == nullptr) {
    require(avrm_irecv(comm_, data, bytes, rank, tag_, &request));
  } else {
    require(avrm_irecv(world_, data, bytes, world_ranks_[static_cast<std::size_t>(rank)], tag_, &request));
  }
}

void Peers::wait_all() {
  for (avrm_request_t *&request : requests_) {
    require(avrm_wait(&request, nullptr));
  }
  requests_.clear();
}

double Peers::sum(double own) {
  if (!std::has_single_bit(static_cast<std::uint32_t>(size()))) {
    throw std::logic_error("sums are over powers of two");
  }
  for (std::int32_t bit = 1; bit < size(); bit *= 2) {
    double other = 0;
    irecv(&other, sizeof other, rank_ ^ bit);
    isend(&own, sizeof own, rank_ ^ bit);
    wait_all();
    own += other;
  }
  return own;
}

} // namespace avrankmap::bench
