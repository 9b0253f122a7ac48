// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "launch/pmi2/nodes.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "base/environment.h"
#include "base/fnv.h"
#include "base/open_error.h"
#include "launch/launcher_choice.h"
#include "launch/pmi2/card_text.h"
#include "launch/pmi2/fence_call.h"
#include "launch/rank_list.h"

namespace avrankmap::detail {

namespace {

constexpr std::size_t kPiece = CardText::kPieceMax;

std::string host_key(std::int32_t rank) { return "avrm.host." + std::to_string(rank); }
std::string piece_key(std::size_t piece) { return "avrm.nodes." + std::to_string(piece); }

// Returns a text that is equal for all processes of a host. The text is a hash of name and boot id,
// since hosts may have the same name, and containers have the same boot id.
std::string host_id() {
  char text[512] = {};
  (void)gethostname(text, 255);
  if (std::FILE *const file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    (void)std::fread(text + 256, 1, 255, file);
    (void)std::fclose(file);
  }
  return std::to_string(fnv_64({text, sizeof text}));
}

// Collects the entries that process 0 puts; none if a process has put no host id.
Pmi2Client::KeyValues collect(Pmi2Client &client) {
  std::vector<std::int32_t> nodes;
  std::unordered_map<std::string, std::int32_t> number_of;
  for (std::int32_t rank = 0; rank < client.size(); ++rank) {
    char id[32] = "";
    if (client.get(rank, host_key(rank).c_str(), id, sizeof id) != Pmi2Client::Found::kYes) {
      return {};
    }
    nodes.push_back(number_of.emplace(id, static_cast<std::int32_t>(number_of.size())).first->second);
  }
  const std::string text = mapping_text(nodes);
  Pmi2Client::KeyValues puts;
  for (std::size_t at = 0; at < text.size(); at += kPiece) {
    puts.emplace_back(piece_key(puts.size()), text.substr(at, kPiece));
  }
  return puts;
}

// Takes part in both fences. Returns AVRM_OK, AVRM_ERR_BOOT or AVRM_ERR_TIMEOUT, and in process 0
// the entries that it has put.
avrm_status_t meet(Pmi2Client &client, const Deadline &end, Pmi2Client::KeyValues *puts_p) {
  Pmi2FenceCall fence(client);
  Pmi2FenceCall::Outcome outcome = Pmi2FenceCall::Outcome::kComplete;
  const auto join = [&](Pmi2Client::KeyValues puts) {
    fence.start(std::move(puts));
    outcome = fence.wait(end);
    return outcome == Pmi2FenceCall::Outcome::kComplete;
  };
  if (join({{host_key(client.rank()), host_id()}})) {
    *puts_p = client.rank() == 0 ? collect(client) : Pmi2Client::KeyValues();
    (void)join(*puts_p);
  }
  switch (outcome) {
  case Pmi2FenceCall::Outcome::kComplete: return AVRM_OK;
  case Pmi2FenceCall::Outcome::kPending: return AVRM_ERR_TIMEOUT;
  default: return AVRM_ERR_BOOT;
  }
}

// Writes the mapping's text; empty if there is none.
avrm_status_t exchange(Pmi2Client &client, std::chrono::seconds limit, std::string *text_p) {
  Pmi2Client::KeyValues puts;
  if (const avrm_status_t status = meet(client, deadline_after(limit), &puts); status != AVRM_OK) {
    return status;
  }
  std::string text;
  for (const auto &[key, piece] : puts) {
    text += piece;
  }
  for (std::size_t piece = 0; client.rank() != 0 && text.size() == piece * kPiece; ++piece) {
    char value[kPiece + 1] = "";
    if (client.get(0, piece_key(piece).c_str(), value, sizeof value) != Pmi2Client::Found::kYes) {
      break;
    }
    text += value;
  }
  *text_p = text;
  return AVRM_OK;
}

} // namespace

std::string mapping_text(const std::vector<std::int32_t> &nodes) {
  std::string text = "(vector";
  for (std::size_t first = 0, end = 0; first < nodes.size(); first = end) {
    while (end < nodes.size() && nodes[end] == nodes[first]) {
      ++end;
    }
    text += ",(" + std::to_string(nodes[first]) + ",1," + std::to_string(end - first) + ")";
  }
  return text + ")";
}

bool Nodes::take_mapping(const std::string &text, std::int32_t rank, std::int32_t size) {
  if (!mapping.parse(text, size)) {
    return false;
  }
  own = mapping.node_of(rank);
  local_ranks = mapping.ranks_of(own);
  return true;
}

// hydra's processes may inherit these variables from the step that started hydra.
bool Nodes::take_slurms(std::int32_t rank, std::int32_t size) {
  std::int32_t task = -1;
  std::int32_t tasks = 0;
  std::int32_t nodes = 0;
  std::int32_t node = -1;
  const char *const ids = env::text(env::kSlurmGtids);
  if (env::word(env::kPmiJobid) == nullptr || ids == nullptr || env::number(env::kSlurmProcid, 0, &task) != AVRM_OK ||
      env::number(env::kSlurmStepTasks, 0, &tasks) != AVRM_OK ||
      env::number(env::kSlurmStepNodes, 1, &nodes) != AVRM_OK || env::number(env::kSlurmNodeid, 0, &node) != AVRM_OK ||
      task != rank || tasks != size || nodes == 0 || node < 0) {
    return false;
  }
  std::vector<std::int32_t> ranks = parse_ranks(ids);
  if (!std::binary_search(ranks.begin(), ranks.end(), rank) || ranks.back() >= size ||
      (!mapping.runs().empty() && mapping.nodes() == nodes)) {
    return false;
  }
  mapping = {};
  own = static_cast<std::uint32_t>(node);
  local_ranks = std::move(ranks);
  return true;
}

avrm_status_t Nodes::find(Pmi2Client &client, std::chrono::seconds limit) {
  const std::int32_t rank = client.rank();
  const std::int32_t size = client.size();
  const std::string told = size == 1 ? "(vector,(0,1,1))" : client.job_attribute("PMI_process_mapping");
  const bool is_told = take_mapping(told, rank, size);
  if (take_slurms(rank, size) || is_told) {
    return AVRM_OK;
  }
  std::string exchanged;
  const avrm_status_t status = exchange(client, limit, &exchanged);
  if (status == AVRM_OK && take_mapping(exchanged, rank, size)) {
    return AVRM_OK;
  }
  if (status == AVRM_ERR_TIMEOUT) {
    set_open_error(kLateText);
    return status;
  }
  set_open_error("the launcher does not report through PMI-2 which node each process is on (PMI_process_mapping), and "
                 "the processes cannot exchange this through its key-value space");
  return AVRM_ERR_BOOT;
}

} // namespace avrankmap::detail
