// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Launchers that use a key-value store: a process of a forked job uses the store of its parent, and
// a job of one process has its own.
#ifndef AVRANKMAP_SRC_LAUNCH_KEY_VALUE_BOOT_H
#define AVRANKMAP_SRC_LAUNCH_KEY_VALUE_BOOT_H

#include <utility>

#include "launch/boot.h"
#include "launch/key_value_store.h"

namespace avrankmap::detail {

class KeyValueBoot : public avrm_boot {
public:
  [[nodiscard]] avrm_status_t publish(std::int32_t slot, const void *card, std::size_t bytes) noexcept final {
    return store_.publish(place_.rank, slot, card, bytes);
  }
  [[nodiscard]] avrm_status_t fetch(std::int32_t rank, std::int32_t slot, void *card,
                                    std::size_t *bytes_p) noexcept final {
    return store_.fetch(rank, slot, card, bytes_p);
  }
  [[nodiscard]] avrm_status_t fence_start() noexcept final {
    return store_.fence().arrive(store_.size(), &round_) ? AVRM_OK : AVRM_ERR_PEER;
  }
  [[nodiscard]] avrm_status_t fence_test(bool *done_p) noexcept final {
    const Fence::State state = store_.fence().look(round_);
    *done_p = state != Fence::State::kOpen;
    return state == Fence::State::kBroken ? AVRM_ERR_PEER : AVRM_OK;
  }
  [[nodiscard]] avrm_status_t fence_wait(const Deadline & /*end*/) noexcept final {
    return store_.fence().wait(round_) ? AVRM_OK : AVRM_ERR_PEER;
  }

protected:
  KeyValueBoot(const KeyValueStore &store, const Place &place) noexcept : store_(store) {
    place_ = place;
    failures_ = store.failures();
  }

private:
  const KeyValueStore &store_;
  std::uint64_t round_ = 0; // of the fence in progress
};

class ForkBoot final : public KeyValueBoot {
public:
  ForkBoot(const KeyValueStore &store, const Place &place) noexcept : KeyValueBoot(store, place) {}
  [[nodiscard]] const char *kind() const noexcept override { return "fork"; }
  [[nodiscard]] bool is_opened() const noexcept override { return false; }
};

// A base class, so that the store is constructed before KeyValueBoot refers to it.
struct OwnStore {
  KeyValueStore own_store;
};

class SingletonBoot final : private OwnStore, public KeyValueBoot {
public:
  explicit SingletonBoot(KeyValueStore &&store) noexcept
      : OwnStore{std::move(store)}, KeyValueBoot(own_store, Place{.block = 1}) {}
  [[nodiscard]] const char *kind() const noexcept override { return "singleton"; }
  [[nodiscard]] bool is_opened() const noexcept override { return true; }
};

} // namespace avrankmap::detail

#endif
