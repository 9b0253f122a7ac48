// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of a job's processes, as PMI launchers report them (PMI_process_mapping):
//
//   (vector,(node,nodes,count),...)   `count` processes each on `nodes` nodes, starting at `node`
//
// The blocks follow one another in order of rank, and are repeated until every process has a node.
// They are converted to runs of an AV's nodes (av.h), as few as possible.
#ifndef AVRANKMAP_SRC_LAUNCH_PMI2_PROCESS_MAPPING_H
#define AVRANKMAP_SRC_LAUNCH_PMI2_PROCESS_MAPPING_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "avrankmap/av.h"

namespace avrankmap::detail {

class ProcessMapping {
public:
  // Parses the mapping of `size` processes. Returns false, and changes nothing, if the text is not
  // a mapping. May throw std::bad_alloc.
  [[nodiscard]] bool parse(std::string_view text, std::int32_t size);

  [[nodiscard]] const std::vector<avrm_node_run_t> &runs() const noexcept { return runs_; }
  // The number of nodes that have processes. May throw std::bad_alloc.
  [[nodiscard]] std::int64_t nodes() const;
  // The node of a process, 0 .. size-1.
  [[nodiscard]] std::uint32_t node_of(std::int32_t rank) const noexcept;
  // The processes of a node, in ascending order. May throw std::bad_alloc.
  [[nodiscard]] std::vector<std::int32_t> ranks_of(std::uint32_t node) const;

private:
  [[nodiscard]] std::int32_t end_of(std::size_t run) const noexcept {
    return run + 1 < runs_.size() ? runs_[run + 1].first : size_;
  }

  std::vector<avrm_node_run_t> runs_; // of all processes, in order of rank
  std::int32_t size_ = 0;
};

} // namespace avrankmap::detail

#endif
