// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Translation while process groups are created and released. Meant for ThreadSanitizer: the readers
// share nothing but the library with the thread that makes the changes.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "avrankmap/avrankmap.h"
#include "tests/support/instance.h"

namespace avrankmap::test {

namespace {

constexpr std::int32_t kWorldSize = 400;
// Of world 0: is connected, moved and disconnected all the time.
constexpr std::int32_t kMovingLpid = 7;
// Process groups that stay: the directory doubles several times.
constexpr int kKept = 1200;
constexpr int kComing = 16; // process groups that are replaced all the time

class Worlds : public testing::Test {
protected:
  Worlds() {
    for (int i = 0; i < 2; ++i) {
      worlds_.push_back(make_av(instance_, kWorldSize));
      fill(worlds_.back().get());
    }
    for (int i = 0; i < kComing; ++i) {
      coming_.push_back(make_av(instance_, 50));
    }
    direct_ =
        make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_create_direct(instance_, 0, kWorldSize, map_p); });
    require(avrm_rankmap_bind(direct_.get()));
    for (std::int32_t rank = 0; rank < kWorldSize; ++rank) {
      mixed_gpids_.push_back({rank % 3 == 0 ? 1 : 0, kWorldSize - 1 - rank});
    }
    mixed_ = mlut_of(mixed_gpids_);
    require(avrm_rankmap_bind(mixed_.get()));
  }

  MapPtr mlut_of(const std::vector<avrm_gpid_t> &gpids) {
    return make_map([&](avrm_rankmap_t *map_p) {
      return avrm_rankmap_create_gpids(instance_, static_cast<std::int32_t>(gpids.size()), gpids.data(),
                                       AVRM_RANKMAP_DEFAULT, map_p);
    });
  }

  // True if a word is what a reader may see of a process.
  static bool is_right(avrm_gpid_t gpid, std::uint64_t word) {
    if (gpid.pgid == 0 && gpid.lpid == kMovingLpid) {
      return word == 0 || word == word_of(gpid) || word == word_of({0, kMovingLpid + kWorldSize});
    }
    return word == word_of(gpid);
  }

  // Number of words that are wrong, of all ranks of both maps.
  int wrong_words() const {
    int wrong = 0;
    for (std::int32_t rank = 0; rank < kWorldSize; ++rank) {
      wrong += is_right({0, rank}, avrm_rankmap_word(direct_.get(), rank)) ? 0 : 1;
      const avrm_gpid_t gpid = mixed_gpids_[static_cast<std::size_t>(rank)];
      wrong += is_right(gpid, avrm_rankmap_word(mixed_.get(), rank)) ? 0 : 1;
      wrong += avrm_rankmap_node(mixed_.get(), rank) == node_of(gpid) ? 0 : 1;
    }
    return wrong;
  }

  // A map over an old world and a new process group lives through bind, translation, release of the
  // group, unbind.
  void one_life_of_a_mixed_map(AvPtr *av) {
    const std::int32_t pgid = (*av)->pgid;
    const std::vector<avrm_gpid_t> gpids = {{pgid, 4}, {0, 9}, {pgid, 49}, {1, 3}};
    const MapPtr map = mlut_of(gpids);
    require(avrm_rankmap_bind(map.get()));
    av->reset();
    for (std::size_t rank = 0; rank < gpids.size(); ++rank) {
      EXPECT_EQ(avrm_rankmap_word(map.get(), static_cast<std::int32_t>(rank)), word_of(gpids[rank]));
    }
    require(avrm_rankmap_unbind(map.get()));
  }

  // Replaces a process group, so that the place of the old one goes to the new one.
  void replace(std::size_t i) {
    fill(coming_[i].get());
    one_life_of_a_mixed_map(&coming_[i]);
    coming_[i] = make_av(instance_, 50);
    come_.store(coming_[i]->pgid, std::memory_order_release);
  }

  void move_a_peer(int step) {
    const avrm_gpid_t where = {0, step % 3 == 0 ? kMovingLpid : kMovingLpid + kWorldSize};
    avrm_ave_t ave = step % 3 == 2 ? avrm_ave_t{} : ave_of(where);
    ave.w[2] = node_of({0, kMovingLpid});
    require(avrm_av_set(worlds_[0].get(), kMovingLpid, &ave));
  }

  // Everything that may change while others read. It waits every few steps until each reader has
  // passed once more.
  void change_everything(const std::vector<std::atomic<int>> &rounds_of_others) {
    for (int step = 0; step < kKept; ++step) {
      if (step % 20 == 0) {
        for (const std::atomic<int> &rounds : rounds_of_others) {
          const int before = rounds.load(std::memory_order_relaxed);
          while (rounds.load(std::memory_order_relaxed) == before) {
            std::this_thread::yield();
          }
        }
      }
      AvPtr av = make_av(instance_, 1 + step % 5);
      kept_pgids_[static_cast<std::size_t>(step)].store(av->pgid, std::memory_order_relaxed);
      kept_count_.store(step + 1, std::memory_order_release);
      kept_.push_back(std::move(av));
      replace(static_cast<std::size_t>(step % kComing));
      move_a_peer(step);
    }
  }

  // Makes changes while `threads` threads call look() repeatedly. Returns the sum of what
  // look() returned.
  template <typename Look> int change_everything_while(int threads, Look look) {
    std::atomic<bool> stop{false};
    std::atomic<int> sum{0};
    std::vector<std::atomic<int>> rounds(static_cast<std::size_t>(threads));
    std::vector<std::thread> others;
    for (std::atomic<int> &mine : rounds) {
      others.emplace_back([&stop, &sum, &mine, &look] {
        while (!stop.load(std::memory_order_relaxed)) {
          sum.fetch_add(look(), std::memory_order_relaxed);
          mine.fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
    change_everything(rounds);
    stop.store(true, std::memory_order_relaxed);
    for (std::thread &other : others) {
      other.join();
    }
    return sum.load();
  }

  avrm_instance_t *instance() { return instance_; }
  // Process groups that stay, in order of creation.
  int kept() const { return kept_count_.load(std::memory_order_acquire); }
  std::int32_t kept_pgid(int i) const { return kept_pgids_[static_cast<std::size_t>(i)].load(); }
  static std::int32_t kept_size(int i) { return 1 + i % 5; }
  // The pgid of a group that came a moment ago and goes soon.
  std::int32_t coming_pgid() const { return come_.load(std::memory_order_acquire); }

private:
  Instance instance_;
  std::vector<AvPtr> worlds_;
  std::vector<AvPtr> coming_;
  std::vector<AvPtr> kept_;
  std::array<std::atomic<std::int32_t>, kKept> kept_pgids_{};
  std::atomic<int> kept_count_{0};
  std::atomic<std::int32_t> come_{0};
  std::vector<avrm_gpid_t> mixed_gpids_;
  MapPtr direct_;
  MapPtr mixed_;
};

TEST_F(Worlds, TranslateWhileProcessGroupsComeAndGo) {
  EXPECT_EQ(change_everything_while(2, [this] { return wrong_words(); }), 0);
}

TEST_F(Worlds, NewProcessGroupsAreFoundCompleteWhileTheDirectoryGrows) {
  int seen = 0;
  const auto look = [this, &seen] {
    int wrong = 0;
    for (const int kept_now = kept(); seen < kept_now; ++seen) {
      avrm_av_t *av = nullptr;
      const std::int32_t pgid = kept_pgid(seen);
      const bool complete = avrm_av_find(instance(), pgid, &av) == AVRM_OK && av->pgid == pgid &&
                            av->size == kept_size(seen) && avrm_ave_word(avrm_av_ave(av, av->size - 1)) == 0;
      wrong += complete ? 0 : 1;
    }
    return wrong;
  };
  EXPECT_EQ(change_everything_while(1, look), 0);
  EXPECT_GT(seen, 0);
}

TEST_F(Worlds, ProcessGroupThatComesAndGoesIsFoundOrReleased) {
  const auto look = [this] {
    avrm_av_t *av = nullptr;
    const avrm_status_t status = avrm_av_find(instance(), coming_pgid(), &av);
    return (status == AVRM_OK ? av != nullptr : status == AVRM_ERR_PGID_RELEASED) ? 0 : 1;
  };
  EXPECT_EQ(change_everything_while(1, look), 0);
}

TEST_F(Worlds, ProcessGroupThatComesAndGoesIsHeldWholeOrReleased) {
  const auto look = [this] {
    const std::int32_t pgid = coming_pgid();
    avrm_av_t *av = nullptr;
    const avrm_status_t status = avrm_av_hold(instance(), pgid, &av);
    if (status != AVRM_OK) {
      return status == AVRM_ERR_PGID_RELEASED ? 0 : 1;
    }
    const bool right = av->pgid == pgid && (pgid == 0 || av->size == 50);
    avrm_av_drop(av);
    return right ? 0 : 1;
  };
  EXPECT_EQ(change_everything_while(2, look), 0);
}

TEST_F(Worlds, IterationMeetsAllThatStayOnce) {
  const auto look = [this] {
    const int there = kept();
    std::set<std::int32_t> met;
    bool twice = false;
    std::int32_t pgid = -1;
    while (avrm_av_next(instance(), pgid, &pgid) == AVRM_OK && pgid >= 0) {
      twice = twice || !met.insert(pgid).second;
    }
    bool all = met.count(0) == 1 && met.count(1) == 1;
    for (int i = 0; i < there; ++i) {
      all = all && met.count(kept_pgid(i)) == 1;
    }
    return all && !twice ? 0 : 1;
  };
  EXPECT_EQ(change_everything_while(1, look), 0);
}

TEST_F(Worlds, UsageIsReadWhileEverythingChanges) {
  const auto look = [this] {
    int wrong = 0;
    for (int kind = 0; kind <= AVRM_MEM_TOTAL; ++kind) {
      avrm_mem_usage_t usage{};
      require(avrm_instance_mem_usage(instance(), static_cast<avrm_mem_kind_t>(kind), &usage));
      wrong += usage.live_bytes > std::uint64_t{1} << 40 ? 1 : 0; // below zero
    }
    return wrong;
  };
  EXPECT_EQ(change_everything_while(1, look), 0);
}

TEST_F(Worlds, SeveralThreadsBindAndReleaseAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([this] {
      for (int i = 0; i < 300; ++i) {
        AvPtr av = make_av(instance(), 50);
        fill(av.get());
        one_life_of_a_mixed_map(&av);
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong_words(), 0);
}

TEST_F(Worlds, MapsThatShareATableBindInSeveralThreadsAtOnce) {
  const MapPtr original = mlut_of({{0, 3}, {1, 5}, {0, 390}});
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&original] {
      for (int i = 0; i < 500; ++i) {
        const MapPtr map = make_map([&](avrm_rankmap_t *map_p) { return avrm_rankmap_dup(original.get(), map_p); });
        require(avrm_rankmap_bind(map.get()));
        EXPECT_EQ(avrm_rankmap_word(map.get(), 2), word_of({0, 390}));
        require(avrm_rankmap_unbind(map.get()));
      }
    });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
}

} // namespace

} // namespace avrankmap::test
