// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A program that starts two more processes of itself and greets them.
#include <avrankmap/device/dynamic.h>

#include "processes.h"

static const char *program;

static void be_parent(avrm_comm_t *world, int32_t rank) {
  const char *arguments[] = {"a word", NULL};
  avrm_spawn_options_t options = {0};
  avrm_comm_t *children;
  options.arguments = arguments;
  options.timeout_ms = 60000; // some launchers do not report a child that fails
  must(avrm_comm_spawn(world, 0, program, 2, &options, &children, NULL));

  int32_t word = 100 + rank, answers[2] = {0, 0};
  avrm_request_t *requests[4];
  for (int32_t child = 0; child < 2; ++child) {
    must(avrm_isend(children, &word, sizeof word, child, 0, &requests[child]));
    must(avrm_irecv(children, &answers[child], sizeof word, child, 0, &requests[2 + child]));
  }
  must(avrm_waitall(4, requests, NULL));
  EXPECT(answers[0] == word && answers[1] == word + 1);
  must(avrm_comm_disconnect(&children));
}

static void be_child(avrm_comm_t *parents, int32_t rank) {
  for (int32_t parent = 0; parent < avrm_comm_remote_size(parents); ++parent) {
    int32_t word;
    avrm_request_t *request;
    must(avrm_irecv(parents, &word, sizeof word, parent, 0, &request));
    must(avrm_wait(&request, NULL));
    EXPECT(word == 100 + parent);
    word += rank;
    must(avrm_isend(parents, &word, sizeof word, parent, 0, &request));
    must(avrm_wait(&request, NULL));
  }
}

static void example(avrm_device_t *device, avrm_comm_t *world, int32_t rank) {
  avrm_comm_t *parents;
  must(avrm_comm_get_parent(device, &parents)); // null: this process was not spawned
  if (parents == NULL)
    be_parent(world, rank);
  else {
    be_child(parents, rank);
    must(avrm_comm_disconnect(&parents));
  }
}

int main(int argc, char **argv) {
  (void)argc;
  program = argv[0];
  return tour(2, example);
}
