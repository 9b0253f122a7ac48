// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "device/job_memory/structures.h"

#include "baseline/baselines.h"
#include "baseline/per_rank.h"

#include <stdexcept>
#include <type_traits>
#include <vector>

namespace avrankmap::bench {
namespace {

std::vector<std::int32_t> every(std::int32_t count, std::int32_t stride) {
  std::vector<std::int32_t> ranks(static_cast<std::size_t>(count));
  for (std::int32_t i = 0; i < count; ++i) {
    ranks[static_cast<std::size_t>(i)] = i * stride;
  }
  return ranks;
}

template <Scheme S> class Builder {
public:
  explicit Builder(const LargeJob &job) : job_(job) {}

  StructureUse build() {
    StructureUse use;
    scheme_.add_world(job_.processes);
    PerRankTables tables;
    // A VC has one address, and an entry of MPICH 4 room for eight.
    if constexpr (std::is_same_v<S, Mpich5>) {
      tables.add_addresses(job_.processes, job_.addresses);
    }
    use.addresses = scheme_.bytes() + tables.bytes();
    const std::uint64_t before = scheme_.bytes();
    PerRankTables nodes;
    comms_.reserve(3 * (static_cast<std::size_t>(job_.communicators) + 1));
    comms_.push_back(scheme_.make_world(0));
    add_beside(0, job_.processes, 1, &nodes);
    const std::vector<std::int32_t> half = every(job_.processes / 2, 2);
    for (int i = 0; i < job_.communicators; ++i) {
      comms_.push_back(job_.is_half(i) ? scheme_.make_child(comms_.front(), half) : scheme_.dup(comms_.front()));
      add_beside(comms_.size() - 1, job_.is_half(i) ? job_.processes / 2 : job_.processes, job_.is_half(i) ? 2 : 1,
                 &nodes);
    }
    use.communicators = scheme_.bytes() - before;
    use.hierarchies = nodes.bytes();
    PerRankTables windows;
    for (int i = 0; !kIsOpenMpi<S> && i < job_.windows; ++i) {
      windows.add_window<std::conditional_t<std::is_same_v<S, VcVcrt>, Mpich3Part, MpichPart>>(job_.processes);
    }
    use.windows = windows.bytes();
    if constexpr (kIsOpenMpi<S>) {
      const std::uint64_t before_contact = scheme_.bytes();
      for (std::int32_t i = 0; i < job_.contacted_peers(); ++i) {
        scheme_.contact(comms_.front(), job_.peer(i));
      }
      use.addresses += scheme_.bytes() - before_contact;
    }
    return use;
  }

private:
  /// A library's further state for a communicator of every stride-th process.
  void add_beside(std::size_t comm, std::int32_t size, std::int32_t stride, PerRankTables *nodes) {
    if constexpr (kIsOpenMpi<S>) {
      return;
    }
    // Node roots are ranks on_node / stride apart; the ranks are the communicator's.
    const std::int32_t on_node = (job_.on_node() - 1) / stride + 1;
    comms_.push_back(scheme_.make_child(comms_[comm], every(on_node, 1)));
    comms_.push_back(scheme_.make_child(comms_[comm], every((size - 1) / on_node + 1, on_node)));
    nodes->add_nodes(size, stride, job_.per_node, std::is_same_v<S, Mpich5>);
  }

  const LargeJob &job_;
  S scheme_;
  std::vector<typename S::Comm> comms_; // destroyed before the scheme
};

} // namespace

StructureUse build_structures(const LargeJob &job, const std::string &scheme) {
  if (scheme == VcVcrt::kName) {
    return Builder<VcVcrt>(job).build();
  }
  if (scheme == Mpich4::kName) {
    return Builder<Mpich4>(job).build();
  }
  if (scheme == Mpich41OfiEntry::kName) {
    StructureUse use = Builder<Mpich4>(job).build();
    use.addresses = mpich41_bytes(use.addresses, job.processes);
    return use;
  }
  if (scheme == Mpich5::kName) {
    return Builder<Mpich5>(job).build();
  }
  if (scheme == OmpiAtStart::kName) {
    return Builder<OmpiAtStart>(job).build();
  }
  if (scheme == OmpiSparse::kName) {
    return Builder<OmpiSparseAtStart>(job).build();
  }
  throw std::invalid_argument("no such scheme: " + scheme);
}

} // namespace avrankmap::bench
