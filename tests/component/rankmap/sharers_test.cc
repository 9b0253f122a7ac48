// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What maps build or write on demand, asked through every map that shares it: inverses, and the
// address vectors of process groups.
#include "tests/component/rankmap/sharers.h"

#include <algorithm>
#include <memory>

#include "avrankmap/inverse.h"

namespace avrankmap::test {
namespace {

// The lowest rank of each process in the table.
Ranks ranks_in(const Table &table, const Table &processes) {
  Ranks ranks;
  for (const avrm_gpid_t &process : processes) {
    const auto found = std::find(table.begin(), table.end(), process);
    ranks.push_back(found == table.end() ? AVRM_UNDEFINED : static_cast<std::int32_t>(found - table.begin()));
  }
  return ranks;
}

class RankmapSharers : public testing::TestWithParam<ContentInClass> {
protected:
  Instance instance{false, std::get<avrm_cost_t>(GetParam())};
  Family family{instance, std::get<Content>(GetParam())};
  std::vector<Sharer> &sharers = family.sharers();

  // Some lpids of the content and their neighbours, in each process group and in one that no map
  // uses.
  Table processes;
  std::vector<Ranks> expected; // of each sharer

  void SetUp() override {
    const Ranks &lpids = std::get<Content>(GetParam()).lpids;
    for (std::int32_t pgid = 0; pgid <= kPgids; ++pgid) {
      for (std::size_t i = 0; i < lpids.size(); i += lpids.size() / 30) {
        processes.push_back({pgid, lpids[i]});
        processes.push_back({pgid, lpids[i] + 1});
      }
    }
    for (const Sharer &sharer : sharers) {
      expected.push_back(ranks_in(sharer.table, processes));
    }
  }

  void expect_ranks(const Sharer &sharer) const {
    Ranks ranks(processes.size());
    require(avrm_rankmap_ranks(sharer.map.get(), processes.size(), processes.data(), ranks.data()));
    if (ranks != expected[static_cast<std::size_t>(&sharer - sharers.data())]) {
      ADD_FAILURE() << sharer.name;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, RankmapSharers, in_both_classes(contents()), content_name);

TEST_P(RankmapSharers, HaveTheirOwnProcesses) {
  for (const Sharer &sharer : sharers) {
    EXPECT_TRUE(agrees(sharer.map.get(), sharer.table)) << sharer.name;
  }
  const avrm_rankmap_info_t info = info_of(sharers[0].map.get());
  EXPECT_TRUE(info.table_bytes == 0 || info.table_sharers >= 2) << "nothing is shared";
}

TEST_P(RankmapSharers, FindRanksWhicheverAsksFirst) {
  in_all_orders(
      sharers, [this] { require(avrm_instance_drop_caches(instance)); },
      [this](const Sharer &sharer) { expect_ranks(sharer); });
}

TEST_P(RankmapSharers, DescribeTheInverseThatIsBuilt) {
  const auto counted = [this] { return instance.usage(AVRM_MEM_CACHE).live_bytes; };
  for (const Sharer &sharer : sharers) {
    require(avrm_instance_drop_caches(instance));
    ASSERT_EQ(info_of(sharer.map.get()).inverse_bytes, 0U) << sharer.name;
    ASSERT_EQ(counted(), 0U) << sharer.name;
    expect_ranks(sharer);
    ASSERT_EQ(info_of(sharer.map.get()).inverse_bytes, counted()) << sharer.name;
  }
}

// Parts outlive the map whose table they use, and the inverse that it has built.
TEST_P(RankmapSharers, FindRanksAfterOthersAreDestroyed) {
  for (Sharer &sharer : sharers) {
    expect_ranks(sharer);
    sharer.map.reset();
    for (const Sharer &other : sharers) {
      if (other.map != nullptr) {
        expect_ranks(other);
      }
    }
  }
  EXPECT_EQ(instance.usage(AVRM_MEM_CACHE).live_bytes, 0U);
}

// The address vectors of all process groups, every other one implicit.
class Worlds {
public:
  Worlds(const Instance &instance, std::int32_t size) {
    for (std::int32_t pgid = 0; pgid < kPgids; ++pgid) {
      avrm_av_options_t options{};
      options.kind = pgid % 2 == 0 ? AVRM_AV_TABLE : AVRM_AV_IMPLICIT;
      avrm_av_t *av = nullptr;
      require(avrm_av_create(instance, size, &options, &av));
      avs_.emplace_back(av);
      fill(av);
    }
  }
  void make_tables() const {
    for (const AvPtr &av : avs_) {
      require(avrm_av_make_table(av.get()));
    }
  }

private:
  std::vector<AvPtr> avs_;
};

class BoundSharers : public RankmapSharers {
protected:
  std::unique_ptr<Worlds> worlds;

  void SetUp() override {
    RankmapSharers::SetUp();
    const Ranks &lpids = std::get<Content>(GetParam()).lpids;
    worlds = std::make_unique<Worlds>(instance, *std::max_element(lpids.begin(), lpids.end()) + 1);
  }
  void TearDown() override { unbind_all(); }

  static void bind(const Sharer &sharer) {
    if (!info_of(sharer.map.get()).bound) {
      require(avrm_rankmap_bind(sharer.map.get()));
    }
  }
  void unbind_all() const {
    for (const Sharer &sharer : sharers) {
      if (info_of(sharer.map.get()).bound) {
        require(avrm_rankmap_unbind(sharer.map.get()));
      }
    }
  }
  static void expect_words(const Sharer &sharer) {
    const std::size_t step = sharer.table.size() / 40 + 1;
    for (std::size_t rank = 0; rank < sharer.table.size(); rank += step) {
      ASSERT_EQ(avrm_rankmap_word(sharer.map.get(), static_cast<std::int32_t>(rank)), word_of(sharer.table[rank]))
          << sharer.name << " rank " << rank;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, BoundSharers, in_both_classes(contents(4000)), content_name);

TEST_P(BoundSharers, ReachTheirAddressesAndFindRanksWhicheverIsBoundFirst) {
  in_all_orders(
      sharers,
      [this] {
        unbind_all();
        require(avrm_instance_drop_caches(instance));
      },
      [this](const Sharer &sharer) {
        bind(sharer);
        expect_words(sharer);
        expect_ranks(sharer);
      });
}

// A map that is bound later writes the table's address where the others read the implicit address
// vector's line.
TEST_P(BoundSharers, ReachTheirAddressesWhenAnAddressVectorBecomesATable) {
  for (std::size_t i = 0; i < sharers.size(); i += 2) {
    bind(sharers[i]);
  }
  worlds->make_tables();
  for (std::size_t i = 0; i < sharers.size(); i += 2) {
    expect_words(sharers[i]);
  }
  for (const Sharer &sharer : sharers) {
    bind(sharer);
    std::for_each(sharers.begin(), sharers.end(), [](const Sharer &other) {
      if (info_of(other.map.get()).bound) {
        expect_words(other);
      }
    });
  }
}

} // namespace
} // namespace avrankmap::test
