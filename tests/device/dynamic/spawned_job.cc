// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program to be spawned: spawned_job DEED TRANSPORT [WORD...].
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "avrankmap/device/dynamic.h"
#include "tests/device/dynamic/spawned.h"

namespace avrankmap::test {
namespace {

// Name of the launcher. A test sets it where there are two.
const char *expected_kind() {
  const char *const kind = getenv("AVRM_TEST_LAUNCHER");
  return kind == nullptr ? "spawn" : kind;
}

struct Child {
  std::string deed;
  Process process;
  avrm_comm_t *parents;
  [[nodiscard]] WorldMember world_member() const { return {process.world, id_of(kChildWorld, process.rank)}; }
};

// Parents come first in the merged communicator.
void talk(Child &child) {
  const int count = avrm_comm_remote_size(child.parents);
  check_intercomm(child.world_member(), child.parents, ids_of(kParentWorld, count));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(child.parents, true, &merged) == AVRM_OK);
  check_merged(child.world_member(), merged, family(count, child.process.size));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK);
}

// Rank 1 dies once all processes are connected and have told it so. The others go on, and
// learn of its death.
void die(Child &child) {
  const int parents = avrm_comm_remote_size(child.parents);
  check_intercomm(child.world_member(), child.parents, ids_of(kParentWorld, parents));
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
  const avrm_device_options_t options = options_over(transport_named(argv[2]), boot);
  avrm_device_t *device = nullptr;
  AVRM_MUST(avrm_device_open(&options, &device) == AVRM_OK);
  return device;
}

// Checks that two words follow the transport, that the environment has the spawner's additions
// once, and that no descriptor was inherited.
void check_environment(int argc, char **argv) {
  AVRM_MUST(argc == 5 && std::string(argv[3]) == "a word" && *argv[4] == '\0' && argv[5] == nullptr);
  int added = 0;
  int replaced = 0;
  for (char **entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    added += text == "AVRM_TEST_ADDED=1 2=3" ? 1 : 0;
    replaced += text.rfind("PATH=", 0) == 0 ? 1 : 0;
  }
  AVRM_MUST(added == 1 && replaced == 1 && std::string(getenv("PATH")) == "/nowhere");
  AVRM_MUST(std::string(getenv("AVRM_TEST_KEPT")) == "kept");
  for (int descriptor = 4; descriptor < 1000; ++descriptor) { // the store is 3
    AVRM_MUST(fcntl(descriptor, F_GETFD) < 0);
  }
}

// As above, for what PMI-2 can say.
void check_words(int argc, char **argv) {
  AVRM_MUST(argc == 5 && std::string(argv[3]) == " a  word, 'so' \\" && std::string(argv[4]) == "--x=\"1\"");
  AVRM_MUST(std::string(getenv("AVRM_TEST_ADDED")) == "1 2=3");
}

// Checks that standard input and output are /dev/null.
void check_streams() {
  struct stat null = {};
  AVRM_MUST(stat("/dev/null", &null) == 0);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) {
    struct stat about = {};
    AVRM_MUST(fstat(stream, &about) == 0 && S_ISCHR(about.st_mode) && about.st_rdev == null.st_rdev);
  }
}

const char *parents_kind(char **argv) { return argv[4] == nullptr ? "pmix" : argv[4]; }

// The next spawn of a job of an external launcher.
struct Family {
  Family(char **argv, const char *deed, int time = 60000)
      : arguments{deed, argv[2], nullptr}, kind(std::string("AVRM_TEST_LAUNCHER=") + parents_kind(argv)),
        command(argv[0]) {
    environment[0] = kind.c_str();
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
  std::string kind;
  const char *environment[3] = {};
  const char *command;
  avrm_spawn_options_t options{};
  avrm_status_t errors[2] = {AVRM_ERR_BUSY, AVRM_ERR_BUSY};
};

// A launcher's server that stops answering has done so by then, see
// src/device/launch/pmix/connection.h.
constexpr int kSpawnsInTurn = 30;

// Children that mpirun or the embedded launcher has started. Each checks which one.
void expect_talk(avrm_comm_t *world, Family &family) {
  avrm_comm_t *inter = nullptr;
  AVRM_MUST(family.spawn(world, &inter) == AVRM_OK);
  const WorldMember self{world, id_of(kParentWorld, avrm_comm_rank(world))};
  check_intercomm(self, inter, ids_of(kChildWorld, 2));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(inter, false, &merged) == AVRM_OK);
  check_merged(self, merged, avrankmap::test::family(avrm_comm_size(world), 2));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK && avrm_comm_disconnect(&inter) == AVRM_OK);
}

void expect_absence(avrm_comm_t *world, Family &family) {
  avrm_comm_t *inter = nullptr;
  family.command = "avrm-there-is-no-such-program";
  AVRM_MUST(family.spawn(world, &inter) == AVRM_ERR_BOOT);
  AVRM_MUST(avrm_comm_rank(world) != 1 || family.errors[0] == AVRM_ERR_BOOT);
}

// The parents survive.
void expect_failure(avrm_comm_t *world, Family &family, avrm_status_t failure) {
  avrm_comm_t *inter = nullptr;
  AVRM_MUST(family.spawn(world, &inter) == failure && inter == nullptr);
  if (std::strcmp(family.arguments[0], "killed") == 0 && avrm_comm_rank(world) == 1) {
    AVRM_MUST(family.errors[0] == AVRM_OK && family.errors[1] == AVRM_ERR_PEER);
  }
}

void expect_death(avrm_comm_t *world, Family &family) {
  avrm_comm_t *inter = nullptr;
  AVRM_MUST(family.spawn(world, &inter) == AVRM_OK);
  check_intercomm({world, id_of(kParentWorld, avrm_comm_rank(world))}, inter, ids_of(kChildWorld, 2));
  tell(inter, 1);
  int word = 0;
  avrm_request_t *request = nullptr;
  avrm_status_t status = avrm_irecv(inter, &word, sizeof word, 1, 9, &request);
  status = status == AVRM_OK ? avrm_wait(&request, nullptr) : status;
  AVRM_MUST(status == AVRM_ERR_PEER);
  AVRM_MUST(avrm_comm_disconnect(&inter) == AVRM_ERR_PEER);
}

// They have words and a variable.
void expect_words(avrm_comm_t *world, Family &family) {
  family.arguments[2] = " a  word, 'so' \\";
  family.arguments[3] = "--x=\"1\"";
  family.environment[1] = "AVRM_TEST_ADDED=1 2=3";
  expect_talk(world, family);
}

// A job of an external launcher spawns children, which do what the third word says. If they fail,
// it then spawns others that talk, under PMIx by the embedded launcher.
int be_parent(char **argv) {
  avrm_boot_t *boot = nullptr;
  AVRM_MUST(avrm_boot_open(&boot) == AVRM_OK && std::strcmp(avrm_boot_kind(boot), parents_kind(argv)) == 0);
  avrm_device_t *const device = open_device(boot, argv);
  avrm_comm_t *const world = avrm_device_world(device);
  const std::string deed = argv[3];
  const bool is_pmix = std::strcmp(parents_kind(argv), "pmix") == 0;
  const bool is_unlimited = deed == "exit" && !is_pmix; // but by AVRM_OPEN_TIMEOUT
  const bool waits_in_vain = deed == "hang" || is_unlimited || (deed == "silent" && !is_pmix);
  Family family(argv, argv[3], is_unlimited ? 0 : waits_in_vain ? 500 : 60000);
  Family after(argv, "talk");
  if (deed == "talk") {
    for (int i = 0; i < kSpawnsInTurn; ++i) {
      expect_talk(world, family);
    }
  } else if (deed == "absent") {
    expect_absence(world, family);
  } else if (deed == "words") {
    expect_words(world, family);
  } else {
    deed == "die" ? expect_death(world, family)
                  : expect_failure(world, family, waits_in_vain ? AVRM_ERR_TIMEOUT : AVRM_ERR_PEER);
    after.environment[0] = is_pmix ? "AVRM_TEST_LAUNCHER=spawn" : after.environment[0];
  }
  expect_talk(world, after);
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
    std::_Exit(0); // a leak check that is killed would leave a process
  }
  if (child.deed == "hang") {
    pause();
  }
  if (child.deed == "environment") {
    check_environment(argc, argv);
  }
  if (child.deed == "words") {
    check_words(argc, argv);
  }
  if (child.deed == "streams") {
    check_streams();
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
  alarm(avrankmap::test::kHangsAfterS); // ends a process that hangs
  return argc < 3 ? 2 : avrankmap::test::run(argc, argv);
}
