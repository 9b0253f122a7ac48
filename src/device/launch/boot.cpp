// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/boot.h"

#include <chrono>
#include <memory>
#include <new>
#include <utility>

#include "base/open_error.h"
#include "base/standard_streams.h"
#include "launch/embedded_launch.h"
#include "launch/fork_run.h"
#include "launch/key_value_boot.h"
#include "launch/key_value_store.h"
#include "launch/launcher_choice.h"
#include "launch/open_client.h"
#include "launch/spawned.h"

namespace avrankmap::detail {

#if !AVRM_HAVE_PMIX
avrm_status_t open_pmix(std::chrono::seconds /*limit*/, std::unique_ptr<avrm_boot> * /*boot_p*/) noexcept {
  return AVRM_ERR_BOOT;
}
#endif
#if !AVRM_HAVE_PMI2
avrm_status_t open_pmi2(std::chrono::seconds /*limit*/, std::unique_ptr<avrm_boot> * /*boot_p*/) noexcept {
  return AVRM_ERR_BOOT;
}
#endif

namespace {

avrm_status_t open_alone(std::unique_ptr<avrm_boot> *boot_p) noexcept {
  KeyValueStore store;
  const avrm_status_t status = KeyValueStore::create(1, &store);
  if (status != AVRM_OK) {
    return status;
  }
  boot_p->reset(new (std::nothrow) SingletonBoot(std::move(store)));
  return *boot_p != nullptr ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

// A spawned program also inherits the PMIx variables of its parents' job, so check for its own job
// first.
avrm_status_t open_job(std::unique_ptr<avrm_boot> *boot_p) noexcept {
  SpawnedJob job;
  if (job.find()) {
    return open_spawned(job, boot_p);
  }
  Launcher launcher = Launcher::kNone;
  std::chrono::seconds limit{0};
  avrm_status_t status = find_launcher({AVRM_HAVE_PMIX != 0, AVRM_HAVE_PMI2 != 0}, &launcher);
  status = status != AVRM_OK ? status : find_open_limit(&limit);
  if (status != AVRM_OK) {
    return status;
  }
  switch (launcher) {
  case Launcher::kPmix: return open_pmix(limit, boot_p);
  case Launcher::kPmi2: return open_pmi2(limit, boot_p);
  default: return open_alone(boot_p);
  }
}

bool is_slot(std::int32_t slot) noexcept { return slot >= 0 && slot < AVRM_BOOT_SLOTS; }

} // namespace

} // namespace avrankmap::detail

using namespace avrankmap::detail;

std::unique_ptr<Launch> avrm_boot::new_launch(bool /*someone_died*/) const noexcept {
  return std::unique_ptr<Launch>(new (std::nothrow) EmbeddedLaunch);
}

avrm_status_t avrm_boot_open(avrm_boot_t **boot_p) noexcept {
  if (boot_p == nullptr) {
    return AVRM_ERR_NULL;
  }
  clear_open_error();
  std::unique_ptr<avrm_boot> boot;
  avrm_status_t status = fill_standard_streams(); // before anything else opens descriptors
  status = status != AVRM_OK ? status : open_job(&boot);
  if (status == AVRM_OK) {
    *boot_p = boot.release();
  }
  return status;
}

void avrm_boot_close(avrm_boot_t *boot) noexcept {
  if (boot != nullptr && boot->is_opened()) {
    delete boot;
  }
}

int32_t avrm_boot_rank(const avrm_boot_t *boot) noexcept { return boot->place().rank; }

int32_t avrm_boot_size(const avrm_boot_t *boot) noexcept { return boot->place().size; }

uint32_t avrm_boot_node(const avrm_boot_t *boot) noexcept { return boot->place().node; }

int32_t avrm_boot_local_rank(const avrm_boot_t *boot) noexcept { return boot->place().local_rank; }

int32_t avrm_boot_local_size(const avrm_boot_t *boot) noexcept { return boot->place().local_size; }

const char *avrm_boot_kind(const avrm_boot_t *boot) noexcept { return boot->kind(); }

avrm_status_t avrm_boot_publish(avrm_boot_t *boot, int32_t slot, const void *card, size_t bytes) noexcept {
  if (boot == nullptr || (card == nullptr && bytes != 0)) {
    return AVRM_ERR_NULL;
  }
  if (!is_slot(slot)) {
    return AVRM_ERR_OPTION;
  }
  if (bytes > AVRM_BOOT_CARD_MAX) {
    return AVRM_ERR_SIZE;
  }
  return boot->publish(slot, card, bytes);
}

avrm_status_t avrm_boot_fetch(avrm_boot_t *boot, int32_t rank, int32_t slot, void *card, size_t *bytes_p) noexcept {
  if (boot == nullptr || bytes_p == nullptr || (card == nullptr && *bytes_p != 0)) {
    return AVRM_ERR_NULL;
  }
  if (rank < 0 || rank >= boot->place().size) {
    return AVRM_ERR_RANK;
  }
  if (!is_slot(slot)) {
    return AVRM_ERR_OPTION;
  }
  if (boot->failures().has(rank)) {
    return AVRM_ERR_PEER;
  }
  return boot->fetch(rank, slot, card, bytes_p);
}

avrm_status_t avrm_boot_fence(avrm_boot_t *boot) noexcept {
  if (boot == nullptr) {
    return AVRM_ERR_NULL;
  }
  const avrm_status_t status = boot->fence_start();
  return status == AVRM_OK ? boot->fence_wait({}) : status;
}

avrm_status_t avrm_boot_fence_start(avrm_boot_t *boot) noexcept {
  return boot != nullptr ? boot->fence_start() : AVRM_ERR_NULL;
}

avrm_status_t avrm_boot_fence_test(avrm_boot_t *boot, bool *done_p) noexcept {
  return boot != nullptr && done_p != nullptr ? boot->fence_test(done_p) : AVRM_ERR_NULL;
}

uint32_t avrm_boot_failures(const avrm_boot_t *boot) noexcept { return boot->failures().count(); }

bool avrm_boot_has_failed(const avrm_boot_t *boot, int32_t rank) noexcept { return boot->failures().has(rank); }

avrm_status_t avrm_boot_fork_run(const avrm_fork_options_t *options, int (*body)(avrm_boot_t *boot, void *user),
                                 void *user, int32_t *exit_codes) noexcept {
  if (options == nullptr || body == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (options->size < 1 || options->per_node < 0 || options->timeout_ms < 0) {
    return AVRM_ERR_SIZE;
  }
  clear_open_error();
  const avrm_status_t status = fill_standard_streams();
  return status != AVRM_OK ? status : fork_run(*options, body, user, exit_codes);
}
