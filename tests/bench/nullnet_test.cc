// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "communicators/shapes.h"
#include "schemes/issue_path.h"

#include "baseline/baselines.h"
#include "null/null_net.h"
#include "schemes/avrankmap_scheme.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace avrankmap::bench {
namespace {

std::uint64_t bits(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// A work queue whose descriptors hold rubbish, so that a field that is not written is noticed.
class NullNet : public testing::Test {
protected:
  NullNet() : net_(std::make_unique<avrm_null_net_t>()) {
    avrm_null_init(net_.get());
    for (avrm_null_descriptor_t &descriptor : net_->ring) {
      descriptor.opcode = 0xdead;
      descriptor.flags = 0xdead;
      descriptor.index = 0xdeadbeef;
      descriptor.address = kRubbish;
      descriptor.u.put = {kRubbish, kRubbish, kRubbish, kRubbish, kRubbish, kRubbish};
    }
  }

  static constexpr std::uint64_t kRubbish = 0xdeadbeefdeadbeef;
  std::unique_ptr<avrm_null_net_t> net_;
  int here_ = 0;
  int there_ = 0;
};

TEST_F(NullNet, PutWritesEveryFieldOfOneDescriptor) {
  avrm_null_put(net_.get(), 11, 22, 33, 8, 0x0102030405060708, &here_, &there_);

  const avrm_null_descriptor_t *const d = avrm_null_at(net_.get(), 0);
  EXPECT_EQ(d->opcode, AVRM_NULL_PUT);
  EXPECT_EQ(d->flags, AVRM_NULL_INLINE);
  EXPECT_EQ(d->index, 0u);
  EXPECT_EQ(d->address, 11u);
  EXPECT_EQ(d->u.put.remote, 22u);
  EXPECT_EQ(d->u.put.rkey, 33u);
  EXPECT_EQ(d->u.put.length, 8u);
  EXPECT_EQ(d->u.put.payload, 0x0102030405060708u);
  EXPECT_EQ(d->u.put.local, bits(&here_));
  EXPECT_EQ(d->u.put.context, bits(&there_));
}

TEST_F(NullNet, IsendWritesEveryFieldOfOneDescriptor) {
  avrm_null_isend(net_.get(), 11, 0xfedcba9876543210, 22, &here_, 33, 4096, &there_);

  const avrm_null_descriptor_t *const d = avrm_null_at(net_.get(), 0);
  EXPECT_EQ(d->opcode, AVRM_NULL_ISEND);
  EXPECT_EQ(d->flags, AVRM_NULL_COMPLETION);
  EXPECT_EQ(d->index, 0u);
  EXPECT_EQ(d->address, 11u);
  EXPECT_EQ(d->u.isend.match, 0xfedcba9876543210u);
  EXPECT_EQ(d->u.isend.immediate, 22u);
  EXPECT_EQ(d->u.isend.buffer, bits(&here_));
  EXPECT_EQ(d->u.isend.key, 33u);
  EXPECT_EQ(d->u.isend.length, 4096u);
  EXPECT_EQ(d->u.isend.request, bits(&there_));
}

TEST_F(NullNet, OneOperationTouchesOneDescriptor) {
  avrm_null_put(net_.get(), 11, 22, 33, 8, 44, &here_, &there_);
  EXPECT_EQ(net_->produced, 1u);
  for (std::uint64_t index = 1; index < AVRM_NULL_ENTRIES; ++index) {
    EXPECT_EQ(avrm_null_at(net_.get(), index)->address, kRubbish) << index;
  }
}

TEST_F(NullNet, RingIsReusedFromItsStart) {
  const std::uint64_t count = 2 * AVRM_NULL_ENTRIES + 3;
  for (std::uint64_t i = 0; i < count; ++i) {
    avrm_null_put(net_.get(), 1000 + i, 0, 0, 8, i, nullptr, nullptr);
  }
  EXPECT_EQ(net_->produced, count);
  for (std::uint64_t i = count - AVRM_NULL_ENTRIES; i < count; ++i) {
    EXPECT_EQ(avrm_null_at(net_.get(), i), &net_->ring[i % AVRM_NULL_ENTRIES]);
    EXPECT_EQ(avrm_null_at(net_.get(), i)->index, i);
    EXPECT_EQ(avrm_null_at(net_.get(), i)->address, 1000 + i);
  }
}

TEST_F(NullNet, IndexOfADescriptorIsTheLowHalfOfTheProducers) {
  net_->produced = 0x1fffffffe;
  for (int i = 0; i < 4; ++i) {
    avrm_null_put(net_.get(), 0, 0, 0, 8, 0, nullptr, nullptr);
  }
  EXPECT_EQ(net_->produced, 0x200000002u);
  EXPECT_EQ(avrm_null_at(net_.get(), 0x1ffffffff)->index, 0xffffffffu);
  EXPECT_EQ(avrm_null_at(net_.get(), 0x200000001)->index, 1u);
}

TEST_F(NullNet, FarSideIsCountedByOperation) {
  avrm_null_far(net_.get(), AVRM_NULL_PUT);
  avrm_null_far(net_.get(), AVRM_NULL_ISEND);
  avrm_null_far(net_.get(), AVRM_NULL_ISEND);
  EXPECT_EQ(net_->far_puts, 1u);
  EXPECT_EQ(net_->far_isends, 2u);
  EXPECT_EQ(net_->produced, 0u);
}

TEST_F(NullNet, InitEmptiesTheQueue) {
  avrm_null_put(net_.get(), 1, 0, 0, 8, 0, nullptr, nullptr);
  avrm_null_far(net_.get(), AVRM_NULL_PUT);
  avrm_null_init(net_.get());
  EXPECT_EQ(net_->produced, 0u);
  EXPECT_EQ(net_->far_puts, 0u);
}

TEST(MatchBits, KeepContextSourceAndTagApart) {
  EXPECT_EQ(match_bits(0xffff, 0, 0), 0xffff000000000000u);
  EXPECT_EQ(match_bits(0, 0xffffff, 0), 0x0000ffffff000000u);
  EXPECT_EQ(match_bits(0, 0, 0xffffff), 0x0000000000ffffffu);
}

/// What issuing leaves in the ring, by scheme.
template <class S> class IssuePath : public testing::Test {
protected:
  static constexpr std::int32_t kPeers = 24;

  IssuePath() {
    for (const std::int32_t size : world_sizes(kPeers)) {
      scheme_.add_world(size);
    }
    if constexpr (ByFunctions<S>) {
      scheme_.set_functions(null_functions<S>());
    }
    shape_ = make_shape(AVRM_MODE_MLUT, kPeers);
    comms_.push_back(scheme_.make_merged(shape_.processes));
    ranks_ = make_orders(kPeers).random;
    ranks_.resize(AVRM_NULL_ENTRIES);
  }

  S scheme_;
  Shape shape_;
  std::vector<typename S::Comm> comms_; // one
  std::vector<std::int32_t> ranks_;
  std::unique_ptr<IssueContext> context_ = std::make_unique<IssueContext>();
};

using Ways = testing::Types<AvrankmapScheme, VcVcrt, VcLean, Raw>;
TYPED_TEST_SUITE(IssuePath, Ways);

TYPED_TEST(IssuePath, PutsGoToTheAddressesOfTheirRanks) {
  issue_all<TypeParam, Op::kPut>(*this->context_, this->comms_.front(), this->ranks_);
  const IssueContext &c = *this->context_;
  for (std::size_t i = 0; i < this->ranks_.size(); ++i) {
    const avrm_null_descriptor_t *const d = avrm_null_at(&c.net, i);
    const auto rank = static_cast<std::size_t>(this->ranks_[i]);
    ASSERT_EQ(d->opcode, AVRM_NULL_PUT);
    ASSERT_EQ(d->address, address_of(this->shape_.processes[rank])) << i;
    ASSERT_EQ(d->u.put.remote, c.window.base + c.arguments.displacement * c.window.displacement_unit);
    ASSERT_EQ(d->u.put.rkey, c.window.rkey);
    ASSERT_EQ(d->u.put.length, 8u);
    ASSERT_EQ(d->u.put.payload, c.arguments.value);
  }
}

TYPED_TEST(IssuePath, IsendsCarryTheirMatchBits) {
  issue_all<TypeParam, Op::kIsend>(*this->context_, this->comms_.front(), this->ranks_);
  const IssueContext &c = *this->context_;
  for (std::size_t i = 0; i < this->ranks_.size(); ++i) {
    const avrm_null_descriptor_t *const d = avrm_null_at(&c.net, i);
    const auto rank = static_cast<std::size_t>(this->ranks_[i]);
    ASSERT_EQ(d->opcode, AVRM_NULL_ISEND);
    ASSERT_EQ(d->address, address_of(this->shape_.processes[rank])) << i;
    ASSERT_EQ(d->u.isend.match, match_bits(c.matching.context_id, c.matching.rank, c.arguments.tag));
    ASSERT_EQ(d->u.isend.buffer, bits(&c.arguments.value));
    ASSERT_EQ(d->u.isend.request, bits(&c.arguments.request));
  }
}

TEST(IssuePathFarSide, PeersWithoutAnAddressAreNotForTheNetwork) {
  avrm_instance_t *instance = nullptr;
  ASSERT_EQ(avrm_instance_create(nullptr, &instance), AVRM_OK);
  avrm_av_t *av = nullptr;
  ASSERT_EQ(avrm_av_create(instance, 4, nullptr, &av), AVRM_OK); // nobody is connected
  OwnedMap map = make_map(avrm_rankmap_create_direct, instance, av->pgid, 4);
  ASSERT_EQ(avrm_rankmap_bind(map.get()), AVRM_OK);
  {
    const AvrankmapScheme::Comm comm(std::move(map));
    const std::vector<std::int32_t> ranks{0, 1, 2, 3, 2};
    const auto context = std::make_unique<IssueContext>();
    issue_all<AvrankmapScheme, Op::kPut>(*context, comm, ranks);
    issue_all<AvrankmapScheme, Op::kIsend>(*context, comm, std::span(ranks).first(2));
    EXPECT_EQ(context->net.far_puts, 5u);
    EXPECT_EQ(context->net.far_isends, 2u);
    EXPECT_EQ(context->net.produced, 0u);
  }
  avrm_av_release(av);
  EXPECT_EQ(avrm_instance_destroy(instance), AVRM_OK);
}

TEST(IssuePathFarSide, LocalConnectionsAreNotForTheNetwork) {
  VcVcrt scheme;
  scheme.add_world(4);
  scheme.set_functions(null_functions<VcVcrt>());
  scheme.set_local({0, 2});
  const VcVcrt::Comm comm = scheme.make_world(0);
  const std::vector<std::int32_t> ranks{0, 1, 2, 3, 2};
  for (const auto issue : {&issue_all<VcVcrt, Op::kPut>, &issue_all<VcLean, Op::kPut>}) {
    const auto context = std::make_unique<IssueContext>();
    issue(*context, comm, ranks);
    EXPECT_EQ(context->net.far_puts, 2u);
    EXPECT_EQ(context->net.produced, 3u);
  }
}

} // namespace
} // namespace avrankmap::bench
