// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The survey when memory runs out: whichever allocation fails, earlier entries stay correct.
#include "tools/survey/rebuilt_comms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

namespace avrankmap::survey {
namespace {

/// Allocator hooks that refuse the n-th block and all later ones.
class Failing {
public:
  explicit Failing(std::int64_t allowed) : allowed_(allowed) {}

  [[nodiscard]] avrm_allocator_t hooks() {
    return {[](void *user, std::size_t size, std::size_t alignment, avrm_mem_kind_t) -> void * {
              auto *const self = static_cast<Failing *>(user);
              if (self->allowed_ == 0) {
                return nullptr;
              }
              --self->allowed_;
              void *const block = ::operator new(size, std::align_val_t(alignment));
              std::fill_n(static_cast<unsigned char *>(block), size, static_cast<unsigned char>(0));
              ++self->blocks_;
              return block;
            },
            [](void *user, void *block, std::size_t, std::size_t alignment, avrm_mem_kind_t) {
              --static_cast<Failing *>(user)->blocks_;
              ::operator delete(block, std::align_val_t(alignment));
            },
            this};
  }

  [[nodiscard]] std::int64_t blocks() const { return blocks_; }

private:
  std::int64_t allowed_;
  std::int64_t blocks_ = 0;
};

TEST(SurveyExhaustion, EveryFailedAllocationIsBadAllocAndLeaksNothing) {
  std::vector<avrm_gpid_t> all;
  for (std::int32_t lpid = 0; lpid < 64; ++lpid) {
    all.push_back({0, lpid * 37 % 64});
  }
  std::vector<avrm_gpid_t> order(all.begin(), all.begin() + 40);
  std::swap(order[3], order[17]);
  bool failed = true;
  for (std::int64_t allowed = 0; failed; ++allowed) {
    Failing failing(allowed);
    const avrm_allocator_t hooks = failing.hooks();
    failed = false;
    std::int64_t entered = 0;
    try {
      RebuiltComms comms(64, 0, &hooks);
      try {
        comms.add({1, 0, Made::kPredefined, "world", all, {}});
        ++entered;
        comms.add({2, 1, Made::kSplit, "split", order, {}});
        ++entered;
        comms.add({3, 2, Made::kDup, "dup", order, {}});
        ++entered;
      } catch (const std::bad_alloc &) {
        failed = true;
      }
      EXPECT_EQ(comms.summary().live, entered);
      EXPECT_EQ(comms.summary().mismatched, 0U);
      comms.remove(2);
    } catch (const std::bad_alloc &) {
      failed = true;
    }
    EXPECT_EQ(failing.blocks(), 0) << "after " << allowed;
    ASSERT_LT(allowed, 1000);
  }
}

} // namespace
} // namespace avrankmap::survey
