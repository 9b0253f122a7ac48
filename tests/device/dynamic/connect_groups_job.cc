// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program for PMIx launchers: two jobs connect. Usage: connect_groups_job accept|connect
// PORT_FILE TRANSPORT. The accepting job writes its port's name to the file.
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "avrankmap/device/dynamic.h"
#include "tests/device/core/launched.h"
#include "tests/device/dynamic/multi_world_comms.h"

namespace avrankmap::test {
namespace {

void publish(avrm_device_t *device, const std::string &file, char *port) {
  AVRM_MUST(avrm_port_open(device, port) == AVRM_OK);
  std::ofstream(file + ".new") << port << '\n';
  AVRM_MUST(std::rename((file + ".new").c_str(), file.c_str()) == 0);
}

void look_up(const std::string &file, char *port) {
  std::string name;
  while (!std::getline(std::ifstream(file), name)) {
    sched_yield();
  }
  AVRM_MUST(name.size() < AVRM_PORT_MAX);
  std::memcpy(port, name.c_str(), name.size() + 1);
}

int run(bool accepts, const std::string &file, const Transport &transport) {
  const std::optional<Process> process = open_launched(transport);
  if (!process) {
    return kSkipped;
  }
  avrm_comm_t *const world = process->world;
  char port[AVRM_PORT_MAX] = "";
  avrm_comm_t *inter = nullptr;
  if (accepts) {
    if (avrm_comm_rank(world) == 0) {
      publish(process->device, file, port);
    }
    AVRM_MUST(avrm_comm_accept(world, 0, port, nullptr, &inter) == AVRM_OK);
  } else {
    if (avrm_comm_rank(world) == 0) {
      look_up(file, port);
    }
    AVRM_MUST(avrm_comm_connect(world, 0, port, nullptr, &inter) == AVRM_OK);
  }
  const int own = accepts ? 0 : 1;
  const WorldMember self{world, id_of(own, avrm_comm_rank(world))};
  const int others = avrm_comm_remote_size(inter);
  check_intercomm(self, inter, ids_of(1 - own, others));
  avrm_comm_t *merged = nullptr;
  AVRM_MUST(avrm_intercomm_merge(inter, !accepts, &merged) == AVRM_OK);
  AVRM_MUST(avrm_comm_disconnect(&inter) == AVRM_OK);
  const int accepting = accepts ? avrm_comm_size(world) : others;
  const int connecting = accepts ? others : avrm_comm_size(world);
  check_merged(self, merged, joined(ids_of(0, accepting), ids_of(1, connecting)));
  AVRM_MUST(avrm_comm_disconnect(&merged) == AVRM_OK);
  close_launched(*process);
  return 0;
}

} // namespace
} // namespace avrankmap::test

int main(int argc, char **argv) {
  alarm(avrankmap::test::kHangsAfterS); // ends a process that hangs
  using namespace avrankmap::test;
  return argc < 4 ? 2 : run(std::strcmp(argv[1], "accept") == 0, argv[2], transport_named(argv[3]));
}
