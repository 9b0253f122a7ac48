// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Address vectors, their elements and further addresses.
#include "tests/component/random_arguments/world.h"

namespace avrankmap::test {

namespace {

avrm_ave_t any_ave(World &w) {
  avrm_ave_t ave{};
  const std::uint32_t node = w.draw.any<std::uint32_t>();
  switch (w.draw.below(3)) {
  case 0: (void)avrm_ofi_pack(w.draw.any<std::uint64_t>(), node, &ave); break;
  case 1: (void)avrm_ofi_pack_far({AVRM_FAR_LOCAL, w.draw.any<std::uint32_t>()}, node, &ave); break;
  default: (void)avrm_ofi_pack(w.draw.below(1000), static_cast<std::uint32_t>(w.draw.below(9)), &ave);
  }
  return ave;
}

std::int32_t any_lpid(World &w, const avrm_av_t *av) {
  return w.draw.near(0, av == nullptr ? 0 : std::int64_t{av->size} - 1);
}

// An implicit AV may have to make its table, all of it.
std::int32_t any_size(World &w, avrm_av_kind_t kind) {
  return w.draw.near(1, kind == AVRM_AV_IMPLICIT && w.memory.spares_tables() ? 10000 : INT32_MAX);
}

void create(World &w) {
  avrm_av_options_t options{};
  options.codec = w.draw.one_in(8) ? static_cast<avrm_codec_t>(2 + w.draw.below(3)) : AVRM_CODEC_OFI;
  options.pages = w.draw.one_in(8) ? w.draw.any<avrm_av_pages_t>() : AVRM_AV_PAGES_DEFAULT;
  options.kind = w.draw.one_in(8) ? w.draw.any<avrm_av_kind_t>() : static_cast<avrm_av_kind_t>(w.draw.below(2));
  options.bind_numa = w.draw.one_in(8);
  options.numa_node = w.draw.any<std::uint32_t>();
  const std::int32_t size = any_size(w, options.kind);
  Out<avrm_av_t *> av;
  if (w.ok(avrm_av_create(w.any_instance(), size, w.or_null(&options), &av), av)) {
    EXPECT_EQ((*av)->size, size);
    w.keep(*av);
  }
}

// Pages and NUMA nodes are for instances without hooks.
void create_in_pages(World &w) {
  const Instance instance;
  avrm_av_options_t options{};
  options.pages = static_cast<avrm_av_pages_t>(w.draw.below(3));
  options.bind_numa = w.draw.one_in(2);
  options.numa_node = w.draw.any<std::uint32_t>();
  options.kind = static_cast<avrm_av_kind_t>(w.draw.below(2));
  Out<avrm_av_t *> av;
  if (w.ok(avrm_av_create(instance, w.draw.near(1, INT32_MAX), &options, &av), av)) {
    const avrm_ave_t ave = any_ave(w);
    const std::int32_t lpid = options.kind == AVRM_AV_IMPLICIT ? 0 : any_lpid(w, *av);
    (void)w.ok(avrm_av_set(*av, lpid, &ave));
    avrm_av_release(*av);
  }
}

// Elements, as they come in large jobs: a stretch of lpids, whose words and nodes have a pattern.
void set_pattern(World &w) {
  avrm_av_t *const av = w.any_av();
  avrm_av_info_t info{};
  if (avrm_av_describe(av, &info) != AVRM_OK) {
    return;
  }
  const std::int32_t first = info.kind == AVRM_AV_IMPLICIT && !w.draw.one_in(4) ? info.filled : any_lpid(w, av);
  auto word = w.draw.any<std::uint64_t>() >> 1;
  auto node = w.draw.any<std::uint32_t>();
  const auto step = w.draw.one_in(2) ? w.draw.below(3) : w.draw.any<std::uint64_t>();
  const auto node_step = w.draw.one_in(2) ? static_cast<std::uint32_t>(w.draw.below(2)) : w.draw.any<std::uint32_t>();
  const auto aves = w.array<avrm_ave_t>(w.small(), [&] {
    avrm_ave_t ave{};
    if (w.draw.one_in(20) || avrm_ofi_pack(word, node, &ave) != AVRM_OK) {
      ave = any_ave(w);
    }
    word += step;
    node += w.draw.one_in(4) ? node_step : 0;
    return ave;
  });
  (void)w.ok(avrm_av_set_range(av, first, static_cast<std::int32_t>(aves.size()), aves.data()));
}

void declare_nodes(World &w) {
  avrm_av_t *const av = w.any_av();
  std::int32_t first = 0;
  const auto runs = w.array<avrm_node_run_t>(w.count(), [&] {
    const avrm_node_run_t run{first, w.draw.near(0, 1000), w.draw.near(1, INT32_MAX), w.draw.near(1, 100)};
    first = w.draw.near(std::int64_t{first} + 1, std::min<std::int64_t>(INT32_MAX, std::int64_t{first} + 1000));
    return run;
  });
  (void)w.ok(avrm_av_declare_nodes(av, w.draw.one_in(16) ? -1 : static_cast<std::int32_t>(runs.size()), runs.data()));
}

void next(World &w) {
  Out<std::int32_t> pgid;
  (void)w.ok(avrm_av_next(w.any_instance(), w.draw.any<std::int32_t>(), &pgid), pgid);
}

void find(World &w) {
  const std::int32_t pgid = w.pgid();
  Out<avrm_av_t *> found;
  if (w.ok(avrm_av_find(w.any_instance(), pgid, &found), found)) {
    EXPECT_EQ((*found)->pgid, pgid);
  }
  Out<avrm_av_t *> held;
  if (w.ok(avrm_av_hold(w.any_instance(), pgid, &held), held)) {
    EXPECT_EQ((*held)->pgid, pgid);
    avrm_av_drop(*held);
  }
}

void release(World &w) {
  HeldAv &held = w.one_of(w.avs);
  if (held.av == nullptr || held.released || !w.draw.one_in(4)) {
    return;
  }
  if (w.draw.one_in(2)) {
    avrm_av_release_when_unbound(held.av);
  } else {
    w.release(&held);
  }
}

void ask(World &w) {
  avrm_av_t *const av = w.any_av();
  const std::int32_t lpid = any_lpid(w, av);
  Out<avrm_ave_t> ave;
  if (w.ok(avrm_av_get(av, lpid, &ave), ave) && av->elements != nullptr) {
    EXPECT_EQ(std::memcmp(avrm_av_ave(av, lpid), &ave, sizeof(avrm_ave_t)), 0);
  }
  Out<avrm_av_info_t> info;
  if (w.ok(avrm_av_describe(av, &info), info)) {
    EXPECT_EQ((*info).bytes, avrm_av_bytes(av));
  }
  EXPECT_EQ(avrm_av_user(av), nullptr);
}

void set_user(World &w) { (void)w.ok(avrm_av_set_user(w.any_av(), nullptr, nullptr)); }

void far_address(World &w) {
  avrm_av_t *const av = w.any_av();
  const auto local_rank = static_cast<std::uint32_t>(any_lpid(w, av));
  const auto address = w.draw.any<std::uint64_t>();
  const bool is_set = w.ok(avrm_av_set_far_address(av, local_rank, address));
  Out<std::uint64_t> found;
  if (w.ok(avrm_av_far_address(av, local_rank, &found), found) && is_set) {
    EXPECT_EQ(*found, address);
  }
  Out<std::uint64_t> network;
  (void)w.ok(avrm_av_network_address(av, w.draw.any<std::uint64_t>(), &network), network);
}

void further_declare(World &w) {
  const avrm_addresses_rule_t rule{w.draw.one_in(8) ? w.draw.any<avrm_addresses_kind_t>()
                                                    : static_cast<avrm_addresses_kind_t>(w.draw.below(2)),
                                   w.draw.any<std::int64_t>(), w.draw.any<std::int64_t>(), w.draw.any<std::uint64_t>()};
  (void)w.ok(avrm_addresses_declare(w.any_av(), w.draw.near(2, w.draw.one_in(20) ? AVRM_ADDRESSES_MOST : 9),
                                    w.or_null(&rule)));
}

void further_set(World &w) {
  avrm_av_t *const av = w.any_av();
  auto address = w.draw.any<std::uint64_t>() >> 1;
  const auto step = w.draw.one_in(2) ? w.draw.below(3) : w.draw.any<std::uint64_t>();
  const auto addresses = w.array<std::uint64_t>(w.small(), [&] { return address += step; });
  const std::int32_t k = w.draw.near(1, w.draw.one_in(4) ? AVRM_ADDRESSES_MOST - 1 : 4);
  const std::int32_t first = any_lpid(w, av);
  const auto count = static_cast<std::int32_t>(addresses.size());
  if (w.ok(avrm_addresses_set(av, k, first, count, addresses.data())) && count != 0) {
    Out<std::uint64_t> last;
    EXPECT_TRUE(w.ok(avrm_addresses_get(av, first + count - 1, k, &last), last) && *last == addresses.back());
  }
}

void further_ask(World &w) {
  avrm_av_t *const av = w.any_av();
  const std::int32_t lpid = any_lpid(w, av);
  const std::int32_t k = w.draw.near(0, AVRM_ADDRESSES_MOST - 1);
  Out<std::uint64_t> address;
  const bool has_address = w.ok(avrm_addresses_get(av, lpid, k, &address), address);
  Out<avrm_addresses_info_t> info;
  (void)w.ok(avrm_addresses_describe(av, &info), info);
  avrm_ave_t ave{};
  if (avrm_av_get(av, lpid, &ave) == AVRM_OK && avrm_ofi_is_network(avrm_ave_word(&ave))) {
    const std::uint64_t word = avrm_addresses_word(av, lpid, avrm_ave_word(&ave), static_cast<std::size_t>(k));
    if (has_address) {
      EXPECT_EQ(avrm_ofi_address(word), *address);
    }
    (void)avrm_addresses_word(av, lpid, avrm_ave_word(&ave), w.draw.any<std::size_t>());
  }
}

} // namespace

const std::vector<Call> kAvCalls = {
    {"avrm_av_create", create},
    {"avrm_av_create in pages", create_in_pages},
    {"avrm_av_release", release},
    {"avrm_av_find", find},
    {"avrm_av_next", next},
    {"avrm_av_set_user", set_user},
    {"avrm_av_set",
     [](World &w) {
       avrm_av_t *const av = w.any_av();
       const avrm_ave_t ave = any_ave(w);
       (void)w.ok(avrm_av_set(av, any_lpid(w, av), w.or_null(&ave)));
     }},
    {"avrm_av_set_range", set_pattern},
    {"avrm_av_set_if",
     [](World &w) {
       avrm_av_t *const av = w.any_av();
       const avrm_ave_t ave = any_ave(w);
       Out<std::uint64_t> found;
       (void)w.ok(avrm_av_set_if(av, any_lpid(w, av), w.draw.any<std::uint64_t>(), &ave, &found), found);
     }},
    {"avrm_av_declare_nodes", declare_nodes},
    {"avrm_av_make_table", [](World &w) { (void)w.ok(avrm_av_make_table(w.any_av())); }},
    {"avrm_av_set_far_address", far_address},
    {"avrm_av_get", ask},
    {"avrm_addresses_declare", further_declare},
    {"avrm_addresses_set", further_set},
    {"avrm_addresses_clear",
     [](World &w) {
       avrm_av_t *const av = w.any_av();
       (void)w.ok(avrm_addresses_clear(av, any_lpid(w, av)));
     }},
    {"avrm_addresses_get", further_ask},
};

} // namespace avrankmap::test
