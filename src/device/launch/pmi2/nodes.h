// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of a PMI-2 job's processes, from the first of these sources that has them:
//
//   1. PMI_process_mapping, unless it names more nodes than Slurm says the step has: Slurm 22.05
//      puts each process on a separate node if hosts are listed (--distribution=arbitrary)
//   2. Slurm's environment, which names only the processes of this node
//   3. the processes themselves, if the launcher provides no mapping, or one of more than the 1,024
//      characters that libpmi2 reads (hydra 4.0.2 itself then crashes with a segmentation fault)
//
// In the last case, each process puts a number that identifies its host. Process 0 reads all of
// them and puts a mapping, which the others read in pieces. This takes two fences, one read per
// process in process 0, and one per 1,000 characters in the others. A process cannot detect that
// another one has ended, so all wait up to a time limit.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_NODES_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_NODES_H

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "avrankmap/status.h"
#include "launch/pmi2/client.h"
#include "launch/pmi2/process_mapping.h"

namespace avrankmap::detail {

struct Nodes {
  ProcessMapping mapping; // without runs if only this process's node is known
  std::uint32_t own = 0;
  std::vector<std::int32_t> local_ranks; // ascending

  // Returns AVRM_OK, or AVRM_ERR_BOOT or AVRM_ERR_TIMEOUT with a text (open_error.h). If the
  // processes have to exchange their nodes, blocks until all have called this, up to the limit. May
  // throw std::bad_alloc or std::system_error.
  [[nodiscard]] avrm_status_t find(Pmi2Client &client, std::chrono::seconds limit);

private:
  [[nodiscard]] bool take_mapping(const std::string &text, std::int32_t rank, std::int32_t size);
  [[nodiscard]] bool take_slurms(std::int32_t rank, std::int32_t size);
};

// Returns the text of a mapping in which process i is on node nodes[i]. May throw std::bad_alloc.
[[nodiscard]] std::string mapping_text(const std::vector<std::int32_t> &nodes);

} // namespace avrankmap::detail

#endif
