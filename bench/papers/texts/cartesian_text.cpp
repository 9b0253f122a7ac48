// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Space Performance Tradeoffs in Compressing MPI Group Data Structures.
#include "papers/texts/texts.h"

#include "papers/conclusions/names.h"

namespace avrankmap::bench {
namespace {

constexpr const char *kNoBlueGene = "no Blue Gene/Q here";
constexpr const char *kExample = "the paper's example, one dimension of 4 processes";
constexpr const char *kExtrapolated = "64 x 64 x 64 x 64 processes";
constexpr const char *kNear = "10 neighbours, real processes: over the plain table";
constexpr const char *kHop = "26 neighbours, real processes: over the plain table";
constexpr const char *k512 = "512, X and Y of one row, real processes: over the plain table";
constexpr const char *k1024 = "1024, X and Y of one row, real processes: over the plain table";
constexpr const char *kPlain = "plain tables, MB";
constexpr const char *kSaved = "maps alone; the paper's MB are all of the MPI library's";

/// Bytes of a map that has no table, whatever its size.
Number bytes_of_direct() { return number_at("002/figure2", "0, 1, 2, 3, 4", "our bytes"); }

/// Tables and our maps on so many nodes.
Text tables_and_maps(const char *nodes) {
  return all_of({with_words("tables ", number_at("002/figure3", nodes, kPlain), " MB"),
                 with_words("that paper's scheme ", times(1e6, number_at("002/figure3", nodes, kRectangles)), " bytes"),
                 with_words("ours ", number_at("002/figure3", nodes, "ours, bytes"), " bytes")});
}

/// By how much a way is above the plain table between real processes, and what chance is.
Text above_table(const char *id, const char *row, const char *column, const char *again) {
  return all_of({with_words("", percent_above_one(id, row, column), " %"),
                 with_words("the plain table a second time ", percent_above_one(id, row, again), " %")});
}

std::vector<Statement> machine_and_design() {
  return {
      {"1", "memory of a node, processes of a node, memory of a process", "16 GB; 32; 512 MB", machine_text(),
       kNoBlueGene},
      {"1", "cores and threads of a node, memory of a thread", "16; 64; 256 MB", machine_text(), kNoBlueGene},
      {"1", "processes of Sequoia at most; cores of an Exascale machine", "6.3 million; 16 million",
       with_words("", number_at("002/figure3", kExtrapolated, "ours, bytes"), " bytes of ours with 16,777,216"),
       "no machine here runs them all; the structures of one process"},
      {"1", "overhead in most cases", "within 1 %",
       all_of({above_table("002/figure5", kNear, "linear 16", "plain table, again"),
               with_words("Run of the FFT, N = 512: ", percent_above_one("002/table1", k512, "2D Caching Run"), " %")}),
       "exchanges of real processes; chance is as large"},
      {"3", "a table for 16 million ranks, 32 bits each", "64 MB",
       with_words("ours, all ranks in order: ", bytes_of_direct(), " bytes"), ""},
      {"4",
       "dimensions of virtual world rectangles",
       "2, 3, 4",
       {},
       "the paper's algorithm here has them, 002/figure2"},
      {"4.1", "ranks and dimensions of the example; compressed communicators of it", "80; 5 x 4 x 4; 6",
       with_words("", rows_of("002/figure2", "", "compressed by that paper's algorithm"), " examples"), "002/figure2"},
      {"4.2", "sets, bits of the hash, entries of a row, translations of the cache", "128; 7; 8; 1024",
       all_of({with_words("mean of all processes, 342 neighbours: ",
                          number_at("002/figure6", "342 neighbours, ranks by nodes of 2 x 2 x 2: mean of all processes",
                                    "hits of 128 x 8, %"),
                          " % hits")}),
       "written afresh with these numbers; ours has no cache"},
      {"4.2",
       "bits of a rank that the hash uses; ranks that they tell apart",
       "14; 16K",
       {},
       "as written afresh; ours has no hash"},
      {"4.2", "ranks below which the cache is not worth it", "1K", {}, "ours has no cache, whatever the size"},
  };
}

std::vector<Statement> micro_benchmarks() {
  return {
      {"5", "dimension A of 4: communicators; of one rank", "6; 3",
       with_words("of one rank: ", number_at("002/figure3", kExample, "communicators")),
       "each rank is in half of them"},
      {"5", "nodes, processes of a node, processes", "8192; 32; 262,144",
       with_words("structures of one process, ", number_at("002/figure3", "8,192", "communicators"), " communicators"),
       kNoBlueGene},
      {"5", "communicators of a process, 8192 nodes", "68",
       with_words("", number_at("002/figure3", "8,192", "communicators")), ""},
      {"5", "8192 nodes: without and with compression", "60 and 20 MB", tables_and_maps("8,192"), kSaved},
      {"5", "128 nodes: without and with compression", "15 and 12 MB", tables_and_maps("128"), kSaved},
      {"5", "16 million ranks in 4 dimensions of 64: communicators", "252",
       with_words("", number_at("002/figure3", kExtrapolated, "communicators")), ""},
      {"5", "the same: tables", "about 2 GB",
       with_words("", times(1e-3, number_at("002/figure3", kExtrapolated, kPlain)), " GB"),
       "the paper extrapolates; its own 64 MB of a table do not give its 2 GB, see 002/figure3"},
      {"5", "the same, compressed: of a communicator; of all", "a few KB; a few MB",
       all_of({with_words("",
                          over(number_at("002/figure3", kExtrapolated, "ours, bytes"),
                               number_at("002/figure3", kExtrapolated, "communicators")),
                          " bytes"),
               with_words("", number_at("002/figure3", kExtrapolated, "ours, bytes"), " bytes")}),
       ""},
      {"5", "ping-pong, neighbour nodes, 1 byte: without a cache the highest", "the highest",
       range_of("002/figure4", ", 1 byte, over the plain table", "mapping function", " of the plain table's"),
       "two processes of this machine"},
      {"5", "the same: linear cache of 8", "little over the table",
       range_of("002/figure4", ", 1 byte, over the plain table", "linear 8", " of the plain table's"),
       "two processes of this machine"},
      {"5", "neighbour exchange: nodes, neighbours, bytes", "512; 6, 8, 10; 128",
       with_words("translations of one process: ", rows_of("002/figure5", "neighbours, same order each time", "ours"),
                  " sizes"),
       "real processes: 64 at most on this machine"},
      {"5", "linear cache of 16, 10 neighbours, above the table", "within 0.8 %",
       above_table("002/figure5", kNear, "linear 16", "plain table, again"), ""},
      {"5", "multi-hop exchange: nodes, processes of a node, processes", "512; 8; 4K",
       with_words("hits of all 4,096, 342 neighbours: ",
                  number_at("002/figure6", "342 neighbours, ranks by nodes of 2 x 2 x 2: mean of all processes",
                            "hits of 128 x 8, %"),
                  " %"),
       "simulated; real processes: 64 of this machine"},
      {"5", "neighbours for d = 1, 2, 3, 4; bytes", "26, 124, 342, 728; 128",
       with_words("", rows_of("002/figure6", "neighbours, same order each time", "ours"), " sizes of translations"),
       "between real processes 26, on 64 of this machine"},
      {"5", "hits of the cache, d = 4", "about 60 %",
       all_of({with_words("ranks by nodes ",
                          number_at("002/figure6", "728 neighbours, ranks by nodes of 2 x 2 x 2: mean of all processes",
                                    "hits of 128 x 8, %"),
                          " %"),
               with_words("row by row ",
                          number_at("002/figure6", "728 neighbours, ranks row by row: mean of all processes",
                                    "hits of 128 x 8, %"),
                          " %")}),
       "the paper does not say how ranks are numbered"},
      {"5", "overhead of the cache for all d", "none",
       above_table("002/figure6", kHop, "128 x 8", "plain table, again"), "26 neighbours, real processes"},
  };
}

std::vector<Statement> applications() {
  return {
      {"5.1", "FFT: nodes, ranks, neighbours of a rank", "512; 4096; 64",
       with_words("real processes of one row, comm, ",
                  times(1, number_at("002/table1", "512, X and Y of one row, 64 real processes, ms", "V1R2M0 Comm")),
                  " ms"),
       "64 processes of this machine; no Blue Gene/Q here"},
      {"5.1", "FFT, N = 512: cache above the table", "about 1 %",
       above_table("002/table1", k512, "2D Caching Run", "again Run"), "64 processes of this machine"},
      {"5.1", "FFT, N = 1024: cache above the table", "none",
       above_table("002/table1", k1024, "2D Caching Run", "again Run"), "64 processes of this machine"},
      {"5.2",
       "AMG: solver, refinement, ranks at most, processes of a node",
       "4; 8 x 8 x 8; 16384; 32",
       {},
       "our own solver with 8 x 8 x 8 points per process, on 64 processes of this machine: 002/table2"},
      {"5.2", "figure of merit with the cache: 512 nodes; 256 nodes", "within 0.3 %; better",
       above_table("002/table2", "figure of merit, real processes: over the plain table", "2D Caching", "again"),
       "64 processes of this machine; its table has it the other way round, see 002/table2"},
      {"6", "reduction of space, 8K nodes, 256K processes, 68 communicators", "about 3 times",
       all_of(
           {with_words("that paper's scheme ",
                       over(number_at("002/figure3", "8,192", kPlain), number_at("002/figure3", "8,192", kRectangles)),
                       " times"),
            with_words("ours ",
                       over(times(1e6, number_at("002/figure3", "8,192", kPlain)),
                            number_at("002/figure3", "8,192", "ours, bytes")),
                       " times")}),
       kSaved},
  };
}

} // namespace

std::vector<Statement> cartesian_text() {
  std::vector<Statement> all;
  for (auto part : {machine_and_design(), micro_benchmarks(), applications()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

} // namespace avrankmap::bench
