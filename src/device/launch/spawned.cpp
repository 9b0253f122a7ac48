// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/spawned.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <new>
#include <string_view>
#include <utility>

#include "avrankmap/device/dynamic.h"
#include "base/environment.h"
#include "launch/key_value_boot.h"
#include "launch/key_value_store.h"

namespace avrankmap::detail {

namespace {

class SpawnedBoot final : private OwnStore, public KeyValueBoot {
public:
  SpawnedBoot(KeyValueStore &&store, const SpawnedJob &job, const char *port) noexcept
      : OwnStore{std::move(store)}, KeyValueBoot(own_store, place_of(job)), local_(job.local != 0) {
    (void)std::snprintf(port_, sizeof port_, "%s", port);
  }
  ~SpawnedBoot() override { own_store.mark_left(place_.rank); }
  [[nodiscard]] const char *kind() const noexcept override { return "spawn"; }
  [[nodiscard]] bool is_opened() const noexcept override { return true; }
  [[nodiscard]] bool is_local() const noexcept override { return local_; }
  [[nodiscard]] const char *parent_port() const noexcept override { return port_; }

private:
  static Place place_of(const SpawnedJob &job) noexcept {
    return Place{.rank = job.rank,
                 .size = job.size,
                 .node = 0,
                 .local_rank = job.rank,
                 .local_size = job.size,
                 .block = job.size};
  }

  bool local_;
  char port_[AVRM_PORT_MAX];
};

// Parses a number and the character that follows it; '\0' means the end of the text.
template <typename Number> bool take_number(std::string_view *text, char behind, Number *number) noexcept {
  const char *const end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, *number);
  if (error != std::errc() || (stop == end ? '\0' : *stop) != behind) {
    return false;
  }
  *text = {std::min(stop + 1, end), end};
  return true;
}

} // namespace

bool SpawnedJob::find() noexcept {
  const char *const text = env::text(env::kSpawned);
  if (text == nullptr) {
    return false;
  }
  std::string_view rest = text;
  if (!(take_number(&rest, ':', &descriptor) && take_number(&rest, ':', &inode) && take_number(&rest, ':', &size) &&
        take_number(&rest, ':', &local) && take_number(&rest, '\0', &rank))) {
    return false;
  }
  if (size < 1 || rank < 0 || rank >= size) {
    return false;
  }
  struct stat file = {};
  if (fstat(descriptor, &file) != 0) {
    return errno != EBADF; // may be the store: opening it decides
  }
  return file.st_ino == inode && static_cast<std::uint64_t>(file.st_size) == KeyValueStore::bytes(size);
}

avrm_status_t open_spawned(const SpawnedJob &job, std::unique_ptr<avrm_boot> *boot_p) noexcept {
  KeyValueStore store;
  const avrm_status_t status = KeyValueStore::open(job.size, job.descriptor, &store);
  if (status != AVRM_OK) {
    return status;
  }
  if (store.has_left(job.rank)) {
    return AVRM_ERR_BOOT;
  }
  (void)fcntl(job.descriptor, F_SETFD, FD_CLOEXEC);
  const char *const port = env::text(env::kParentPort);
  boot_p->reset(new (std::nothrow) SpawnedBoot(std::move(store), job, port == nullptr ? "" : port));
  return *boot_p != nullptr ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}

} // namespace avrankmap::detail
