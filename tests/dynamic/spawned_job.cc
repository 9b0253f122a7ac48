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

// By what launched it. A test says which where there are two.
const char *expected_kind() {
  const char *const kind = getenv("AVRM_TEST_LAUNCHER");
  return kind == nullptr ? "spawn" : kind;
}

struct Child {
  std::string deed;
  Process process;
  avrm_comm_t *parents;
  [[nodiscard]] Citizen citizen() const { return {process.world, id_of(kChildWorld, process.rank)}; }
};

// Parents come first in the merged communicator.
void talk(Child &child) {
  const int count = avrm_comm_remote_size(child.parents);
  check_meeting(child.citizen(), child.parents, ids_of(kParentWorld, count));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(child.parents, true, &merged) == AVRM_OK);
  check_merged(child.citizen(), merged, family(count, child.process.size));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK);
}

// Rank 1 dies when everybody has heard of everybody and has told it so; the others go on, and learn of it.
void die(Child &child) {
  const int parents = avrm_comm_remote_size(child.parents);
  check_meeting(child.citizen(), child.parents, ids_of(kParentWorld, parents));
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
  if (std::strcmp(expected_kind(), "spawn") == 0) { // once only
    AVRM_MUST(avrm_boot_open(&boot) != AVRM_OK || std::strcmp(avrm_boot_kind(boot), "spawn") != 0);
  }
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

// The next spawn of a job of a PMIx launcher.
struct Family {
  Family(char **argv, const char *deed, int time = 60000)
      : arguments{deed, argv[2], argv[3], argv[4], nullptr}, command(argv[0]) {
    options.arguments = arguments;
    options.environment = environment;
    options.timeout_ms = time;
  }
  avrm_status_t spawn(avrm_comm_t *world, avrm_comm_t **inter_p) {
    const avrm_status_t status = avrm_comm_spawn(world, 1, command, 2, &options, inter_p, errors);
    if (status != AVRM_OK) {
      std::fprintf(stderr, "spawn to %s: %s\n", arguments[0], avrm_status_name(status));
    }
    return status;
  }
  const char *arguments[5];
  const char *environment[2] = {"AVRM_TEST_LAUNCHER=pmix", nullptr};
  const char *command;
  avrm_spawn_options_t options{};
  avrm_status_t errors[2] = {AVRM_ERR_BUSY, AVRM_ERR_BUSY};
};

// Children that the launcher started, or the embedded one: each says by which it was booted.
void expect_talk(avrm_comm_t *world, Family &family) {
  avrm_comm_t *inter = nullptr;
  AVRM_MUST(family.spawn(world, &inter) == AVRM_OK);
  const Citizen self{world, id_of(kParentWorld, avrm_comm_rank(world))};
  check_meeting(self, inter, ids_of(kChildWorld, 2));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(inter, false, &merged) == AVRM_OK);
  check_merged(self, merged, avrankmap::test::family(avrm_comm_size(world), 2));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK && avrm_comm_disconnect(&inter) == AVRM_OK);
}

// Everything that children can do wrong, one after the other; the launcher lets the parents live.
void expect_failures(avrm_comm_t *world, char **argv) {
  const bool is_root = avrm_comm_rank(world) == 1;
  avrm_comm_t *inter = nullptr;
  Family absent(argv, "talk");
  absent.command = "avrm-there-is-no-such-program";
  AVRM_MUST(absent.spawn(world, &inter) == AVRM_ERR_BOOT && (!is_root || absent.errors[0] == AVRM_ERR_BOOT));
  for (const char *deed : {"exit", "silent"}) {
    Family family(argv, deed);
    AVRM_MUST(family.spawn(world, &inter) == AVRM_ERR_PEER);
  }
  Family killed(argv, "killed");
  AVRM_MUST(killed.spawn(world, &inter) == AVRM_ERR_PEER);
  AVRM_MUST(!is_root || (killed.errors[0] == AVRM_OK && killed.errors[1] == AVRM_ERR_PEER));
  Family hanging(argv, "hang", 1500);
  AVRM_MUST(hanging.spawn(world, &inter) == AVRM_ERR_TIMEOUT && inter == nullptr);

  Family dying(argv, "die");
  AVRM_MUST(dying.spawn(world, &inter) == AVRM_OK);
  check_meeting({world, id_of(kParentWorld, avrm_comm_rank(world))}, inter, ids_of(kChildWorld, 2));
  tell(inter, 1);
  int word = 0;
  avrm_request_t *request = nullptr;
  avrm_status_t status = avrm_irecv(inter, &word, sizeof word, 1, 9, &request);
  status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
  AVRM_MUST(status == AVRM_ERR_PEER);
  AVRM_MUST(avrm_comm_disconnect(&inter) == AVRM_ERR_PEER);
}

// A job of a PMIx launcher spawns others: "spawn" that talk to it, "suffer" that fail.
int be_parent(char **argv) {
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK && std::strcmp(avrm_boot_kind(boot), "pmix") == 0);
  avrm_device_t *const device = open_device(boot, argv);
  avrm_comm_t *const world = avrm_device_world(device);
  if (std::strcmp(argv[1], "spawn") == 0) {
    Family family(argv, "talk");
    expect_talk(world, family);
  } else {
    expect_failures(world, argv);
  }
  AVRM_MUST(avrm_device_close(device) == AVRM_OK);
  avrm_boot_close(boot);
  return 0;
}

int run(int argc, char **argv) {
  Child child{argv[1], {}, nullptr};
  if (child.deed == "spawn" || child.deed == "suffer") {
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
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK && std::strcmp(avrm_boot_kind(boot), expected_kind()) == 0);
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
