// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program to be spawned: spawned_job DEED NETMOD PROVIDER SHMMOD [WORD...].
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "avrankmap/dynamic.h"
#include "tests/dynamic/spawned.h"

namespace avrankmap::test {
namespace {

struct Child {
  std::string deed;
  Process process;
  avrm_comm_t *parents;
  [[nodiscard]] int id() const { return child_id(process.rank); }
};

// Parents come first in the merged communicator.
void talk(Child &child) {
  const int count = avrm_comm_remote_size(child.parents);
  AVRM_MUST(avrm_comm_size(child.parents) == child.process.size && avrm_comm_rank(child.parents) == child.process.rank);
  check_messages(child.parents, child.id(), ids(parent_id, count));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(child.parents, true, &merged) == AVRM_OK);
  AVRM_MUST(avrm_comm_rank(merged) == count + child.process.rank);
  check_messages(merged, child.id(), family(count, child.process.size));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK);
}

// Rank 1 dies when everybody has heard of everybody and has told it so; the others go on, and learn of it.
void die(Child &child) {
  const int parents = avrm_comm_remote_size(child.parents);
  check_messages(child.parents, child.id(), ids(parent_id, parents));
  if (child.process.rank == 1) {
    for (int rank = 0; rank < parents; ++rank) {
      hear(child.parents, rank);
    }
    for (int rank = 0; rank < child.process.size; ++rank) {
      if (rank != 1) {
        hear(child.process.world, rank);
      }
    }
    raise(SIGKILL);
  }
  tell(child.process.world, 1);
  AVRM_MUST(avrm_comm_disconnect(&child.parents) == AVRM_ERR_PEER);
  AVRM_MUST(avrm_device_close(child.process.device) == AVRM_ERR_PEER);
  avrm_boot_close(child.process.boot);
}

int live(Child &child) {
  Process &process = child.process;
  if (child.deed == "silent") {
    AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
    avrm_boot_close(process.boot);
    return 0;
  }
  AVRM_MUST(avrm_comm_get_parent(process.device, &child.parents) == AVRM_OK && child.parents != nullptr);
  avrm_comm_t *again = nullptr;
  AVRM_MUST(avrm_comm_get_parent(process.device, &again) == AVRM_OK && again == child.parents);
  if (child.deed == "die") {
    die(child);
    return 0;
  }
  talk(child);
  AVRM_MUST(avrm_comm_disconnect(&child.parents) == AVRM_OK);
  AVRM_MUST(avrm_comm_get_parent(process.device, &again) == AVRM_OK && again == nullptr);
  AVRM_MUST(avrm_device_close(process.device) == AVRM_OK);
  avrm_boot_close(process.boot);
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) != AVRM_OK || std::strcmp(avrm_boot_kind(boot), "spawn") != 0); // once only
  return 0;
}

avrm_device_t *open_device(avrm_boot_t *boot, char **argv) {
  avrm_device_options_t options{};
  options.boot = boot;
  options.netmod = argv[2];
  options.provider = argv[3];
  options.shmmod = argv[4];
  avrm_device_t *device = nullptr;
  AVRM_MUST(avrm_device_open(&options, &device) == AVRM_OK);
  return device;
}

// Two words come after the fourth; the environment has what the spawner added, once; its descriptors stay with it.
void check_environment(int argc, char **argv) {
  AVRM_MUST(argc == 7 && std::string(argv[5]) == "a word" && *argv[6] == '\0' && argv[7] == nullptr);
  int added = 0;
  int replaced = 0;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    added += text == "AVRM_TEST_ADDED=1 2=3" ? 1 : 0;
    replaced += text.rfind("PATH=", 0) == 0 ? 1 : 0;
  }
  AVRM_MUST(added == 1 && replaced == 1 && std::string(getenv("PATH")) == "/nowhere");
  AVRM_MUST(std::string(getenv("AVRM_TEST_KEPT")) == "kept");
  for (int descriptor = 4; descriptor < 1000; ++descriptor) { // the book is 3
    AVRM_MUST(fcntl(descriptor, F_GETFD) < 0);
  }
}

// A job of a PMIx launcher spawns one of two that talk to it.
int be_parent(char **argv) {
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK && std::strcmp(avrm_boot_kind(boot), "pmix") == 0);
  avrm_device_t *const device = open_device(boot, argv);
  avrm_comm_t *const world = avrm_device_world(device);
  const char *const arguments[] = {"talk", argv[2], argv[3], argv[4], nullptr};
  avrm_spawn_options_t options{};
  options.arguments = arguments;
  options.timeout_ms = 60000;
  avrm_comm_t *inter = nullptr;
  AVRM_MUST(avrm_comm_spawn(world, 1, argv[0], 2, &options, &inter, nullptr) == AVRM_OK);
  const int id = parent_id(avrm_comm_rank(world));
  check_messages(inter, id, ids(child_id, 2));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(inter, false, &merged) == AVRM_OK);
  check_messages(merged, id, family(avrm_comm_size(world), 2));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK && avrm_comm_disconnect(&inter) == AVRM_OK);
  AVRM_MUST(avrm_device_close(device) == AVRM_OK);
  avrm_boot_close(boot);
  return 0;
}

int run(int argc, char **argv) {
  Child child{argv[1], {}, nullptr};
  if (child.deed == "spawn") {
    return be_parent(argv);
  }
  if (child.deed == "exit") {
    std::_Exit(0); // a leak check that is killed leaves a process behind
  }
  if (child.deed == "hang") {
    pause();
  }
  if (child.deed == "environment") {
    check_environment(argc, argv);
  }
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK && std::strcmp(avrm_boot_kind(boot), "spawn") == 0);
  child.process = {boot, nullptr, nullptr, avrm_boot_rank(boot), avrm_boot_size(boot)};
  if (child.deed == "killed") {
    (void)(child.process.rank == 1 ? raise(SIGKILL) : pause());
  }
  child.process.device = open_device(boot, argv);
  child.process.world = avrm_device_world(child.process.device);
  return live(child);
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  alarm(100); // whatever hangs, no process stays behind
  return argc < 5 ? 2 : avrankmap::test::run(argc, argv);
}
