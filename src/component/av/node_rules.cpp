// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "av/node_rules.h"

#include <limits>
#include <new>

#include "av/address_vector.h"
#include "av/instance.h"

namespace avrankmap::detail {

namespace {

constexpr std::int32_t kMostRuns = 65536;

[[nodiscard]] avrm_status_t check(const avrm_av_t &av, std::int32_t count, const avrm_node_run_t *runs) noexcept {
  if (count < 1 || count > kMostRuns) {
    return AVRM_ERR_SIZE;
  }
  std::int64_t last = -1;
  for (const avrm_node_run_t *run = runs; run != runs + count; ++run) {
    if (run == runs ? run->first != 0 : run->first <= last || run->first >= av.size) {
      return AVRM_ERR_LPID;
    }
    if (run->block < 1) {
      return AVRM_ERR_BLOCK;
    }
    if (run->nodes < 1) {
      return AVRM_ERR_SIZE;
    }
    if (run->node < 0 || run->nodes - 1 > std::numeric_limits<std::int32_t>::max() - run->node) {
      return AVRM_ERR_RANGE;
    }
    last = run->first;
  }
  return AVRM_OK;
}

[[nodiscard]] NodeRules *new_rules(Memory &memory, std::int32_t size, std::int32_t count,
                                   const avrm_node_run_t *runs) noexcept {
  const NodeRules of_count{static_cast<std::uint64_t>(count)};
  void *const block = memory.allocate(of_count.bytes(), alignof(NodeRules), AVRM_MEM_AV);
  if (block == nullptr) {
    return nullptr;
  }
  auto *const rules = new (block) NodeRules(of_count);
  for (std::int32_t i = 0; i < count; ++i) {
    const avrm_node_run_t &run = runs[i];
    const std::int32_t end = i + 1 == count ? size : runs[i + 1].first;
    rules->begin()[i] = {static_cast<std::uint32_t>(run.first), static_cast<std::uint32_t>(end),
                         static_cast<std::uint32_t>(run.node),  0,
                         static_cast<std::uint32_t>(run.block), static_cast<std::uint32_t>(run.nodes)};
  }
  return rules;
}

} // namespace

std::optional<NodeIdRule> AddressVector::node_rule(std::int32_t lpid) const noexcept {
  const RareState *const those = __atomic_load_n(&rare_state, __ATOMIC_ACQUIRE);
  const NodeRules *const rules = those == nullptr ? nullptr : __atomic_load_n(&those->node_rules, __ATOMIC_ACQUIRE);
  if (rules != nullptr) {
    return rules->at(lpid);
  }
  return table() == nullptr ? implicit->node_rule(lpid) : std::nullopt;
}

} // namespace avrankmap::detail

using namespace avrankmap::detail;

avrm_status_t avrm_av_declare_nodes(avrm_av_t *av, int32_t count, const avrm_node_run_t *runs) noexcept {
  if (av == nullptr || runs == nullptr) {
    return AVRM_ERR_NULL;
  }
  if (const avrm_status_t status = check(*av, count, runs); status != AVRM_OK) {
    return status;
  }
  AddressVector *const self = AddressVector::from_handle(av);
  const std::scoped_lock guard(self->instance->lock);
  if (self->rare_state != nullptr && self->rare_state->node_rules != nullptr) {
    return AVRM_ERR_BUSY;
  }
  const bool done = self->change_rare_state([&](RareState &rare_state) {
    NodeRules *const rules = new_rules(self->instance->memory, av->size, count, runs);
    __atomic_store_n(&rare_state.node_rules, rules, __ATOMIC_RELEASE);
    return rules != nullptr;
  });
  return done ? AVRM_OK : AVRM_ERR_NO_MEMORY;
}
