// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Why Is MPI So Slow?
#include "papers/texts/texts.h"

#include <algorithm>

namespace avrankmap::bench {
namespace {

constexpr const char *kIsend = "MPI_ISEND";
constexpr const char *kPut = "MPI_PUT";
constexpr const char *kDefault = "ours (default)";
constexpr const char *kLeanest = "ours (no-err-single-ipo)";
constexpr const char *kOriginal = "MPICH/Original is not measured here";
constexpr const char *kPlatform = "neither these machines nor their networks are here";
constexpr const char *kAll = "all, constant count";

Text isend_and_put(const char *id, const char *row, const char *behind = "") {
  return all_of(
      {with_words("isend ", number_at(id, row, kIsend), behind), with_words("put ", number_at(id, row, kPut), behind)});
}

Text saved(const char *proposal) {
  return all_of({with_words("isend ", number_at("003/figure6", proposal, "isend, saved")),
                 with_words("put ", number_at("003/figure6", proposal, "put, saved"))});
}

/// Rates of the leanest build over those of the default one, of both operations on all networks.
Text gains(const char *id, const char *behind) {
  return range_of(id, "ours (no-err-single-ipo) over ours (default)", "", behind);
}

/// How many proposals save instructions of an operation.
Number proposals_that_save(const char *column) {
  return [part = Part{"003/figure6", "", column}](const Results &results) -> std::optional<double> {
    const std::vector<double> saved = results.numbers(part);
    return saved.empty() ? std::nullopt
                         : std::optional<double>(static_cast<double>(
                               std::count_if(saved.begin(), saved.end(), [](double count) { return count > 0; })));
  };
}

Number gain_without_network(const char *operation) {
  return over(number_at("003/figure5", kLeanest, operation), number_at("003/figure5", kDefault, operation));
}

std::vector<Statement> analysis() {
  return {
      {"2.1", "instructions of the default build: isend; put", "221; 215", isend_and_put("003/figure2", kDefault), ""},
      {"2.1", "instructions of MPICH/Original: isend; put", "253; 1,342", {}, kOriginal},
      {"2.1", "less than MPICH/Original's, default build", "13 %; 84 %",
       isend_and_put("003/figure2", "ours (default) less than MPICH/Original, %", " %"),
       "than the paper's numbers of it"},
      {"2.1", "instructions to load stack and registers", "16 to 18", isend_and_put("003/table1", "MPI function call"),
       "of the whole function call; not told apart here"},
      {"2.2",
       "applications in its survey of datatypes; with derived ones",
       "62; 2 (HACC, MCB)",
       {},
       "the survey is not repeated; bench/tools/survey/RESULTS.md has communicators"},
      {"2.3", "instructions of the leanest build: isend; put", "59; 44", isend_and_put("003/figure2", kLeanest), ""},
      {"2.3", "less than MPICH/Original's, leanest build", "77 %; 97 %",
       isend_and_put("003/figure2", "ours (no-err-single-ipo) less than MPICH/Original, %", " %"),
       "than the paper's numbers of it"},
      {"2.3", "overheads that the standard demands", "6",
       all_of({with_words("isend: ", proposals_that_save("isend, saved"), " save instructions"),
               range_of("003/figure6", "", "isend, saved", " each"),
               with_words("put: ", proposals_that_save("put, saved"), " save instructions"),
               range_of("003/figure6", "", "put, saved", " each")}),
       "one is of a put alone, two of an isend alone"},
      {"3.1", "instructions from rank to address, with an array", "2",
       with_words("", number_at("003/table1", "rank to address: an array per communicator", kIsend)), ""},
      {"3.1", "the same, compressed", "around 11",
       with_words("", number_at("003/table1", "rank to address: compressed", kIsend)), "a stride"},
      {"3.1", "saved by ranks of the world", "around 10", saved("global rank"), ""},
      {"3.2", "loads and arithmetic of an offset in a window", "1; 2", saved("virtual address"),
       "what virtual addresses save"},
      {"3.2", "saved by virtual addresses", "3 to 4", saved("virtual address"), ""},
      {"3.3",
       "predefined handles of its example",
       "4",
       {},
       "AVRM_COMM_1 and so on, include/avrankmap/device/fastpath.h"},
      {"3.3", "saved by predefined handles", "8", saved("predefined handle"), ""},
      {"3.4", "saved without MPI_PROC_NULL", "3", saved("no PROC_NULL"), ""},
      {"3.5", "saved without requests; added to count", "about 10; about 3", saved("no request"),
       "ours counts none that is injected"},
      {"3.6", "saved without matching; added by an info hint", "5; 2", saved("no match"), "the info hint is not built"},
      {"3.7", "instructions with all proposals", "16",
       with_words("constant count ", number_at("003/figure6", kAll, "isend, instructions")),
       "003/figure6 also has a variable count"},
      {"3.7", "less than MPICH/Original; than the leanest build", "94 %; 73 %",
       all_of({with_words("", number_at("003/figure6", kAll, "isend, less than MPICH/Original, %"), " %"),
               with_words("", number_at("003/figure6", kAll, "isend, less than no-err-single-ipo, %"), " %")}),
       "the former of the paper's number"},
  };
}

std::vector<Statement> microbenchmarks() {
  return {
      {"4.1", "nodes of Cetus and Mira; cores and memory of a node", "4,096; 49,152; 16; 16 GB", machine_text(),
       kPlatform},
      {"4.1", "IT: processors, cores, GHz", "2 E5-2699 v4; 22 each; 2.20", machine_text(), kPlatform},
      {"4.1", "Gomez: processors, cores, GHz", "4 E7-8867 v3; 16 each; 2.5", machine_text(), kPlatform},
      {"4.2", "bytes of a message", "1", {}, "1 as well: 003/figures 3 to 6"},
      {"4.2", "gain over MPICH/Original on networks: isend; put", "nearly 50 %; close to fourfold",
       all_of({gains("003/figure3", " times the default build's over libfabric"), gains("003/figure4", " over UCX")}),
       kOriginal},
      {"4.2", "gain over MPICH/Original without a network", "several orders of magnitude",
       all_of({with_words("isend ", gain_without_network("isend"), " times the default build's"),
               with_words("put ", gain_without_network("put"))}),
       kOriginal},
      {"4.2", "messages per second of future networks", "hundreds of millions",
       with_words("leanest build, isend, null network: ", number_at("003/figure5", kLeanest, "isend"), " million"),
       "an outlook"},
      {"4.2", "highest rate of isend, all proposals", "132.8 million per second",
       with_words("", number_at("003/figure6", kAll, "isend, million/s"), " million per second"),
       "processor of another time"},
  };
}

/// The gain of all proposals in Nek5000, or a word where rounds do not agree.
Text nek5000_gain(const char *words, const char *row) {
  return [words, at = text_at("003/figure7", row, "all over default")](const Results &results) {
    const std::string gain = at(results);
    return gain.empty() ? gain : words + gain;
  };
}

std::vector<Statement> nek5000() {
  return {
      {"4.3",
       "ranks, core hours and points of simulations of Nek5000",
       "over 1 million; 10^5 to 10^7; 10^7 to 10^10",
       {},
       "an introduction; nothing is measured"},
      {"4.3", "nodes and ranks", "512; 16384",
       with_words("eight elements on one process: ", number_at("003/figure7", "8 elements, N = 7, posix: P = 1", "n/P"),
                  " points"),
       "no Blue Gene/Q here; as many processes as this machine has, with the paper's n/P"},
      {"4.3", "elements; orders; points per process", "2^14 to 2^21; 3, 5, 7; 27 to 43,904",
       all_of({with_words("n/P from ", number_at("003/figure7", "N = 3, E/P = 1", "n/P")),
               with_words("to ", number_at("003/figure7", "N = 7, E/P = 128", "n/P"))}),
       "1 to 128 elements per process, as there"},
      {"4.3", "points per process for order-unity efficiency", "more than 1,000 to 2,000",
       all_of({with_words("N = 7, 343 points: ", number_at("003/figure7", "N = 7, E/P = 1", "efficiency, %"), " %"),
               with_words("2,744 points: ", number_at("003/figure7", "N = 7, E/P = 8", "efficiency, %"), " %")}),
       "shared memory of one machine"},
      {"4.3", "gain at 100 to 1,000 points per process", "1.2 to 1.25",
       nek5000_gain("N = 5, 125 points, all proposals over the default build: ", "N = 5, E/P = 1"),
       "over MPICH/Original there; a number is shown where rounds agree"},
      {"4.3", "ratio from two elements per process to one", "is reduced",
       all_of({nek5000_gain("N = 7: ", "N = 7, E/P = 2"), nek5000_gain("", "N = 7, E/P = 1")}),
       "a number is shown where rounds agree"},
      {"4.3", "gain near 1,000 points", "20 %", nek5000_gain("N = 5, 1,000 points: ", "N = 5, E/P = 8"),
       "over MPICH/Original there; a number is shown where rounds agree"},
      {"4.3",
       "time at a fixed cost with half of the overhead",
       "one half",
       {},
       "follows from T = O + W/P; 003/figure7 has the model"},
      {"4.4", "atoms; time steps", "3 million; 10,000",
       with_words("most messages of a process and step: ",
                  number_at("003/figure8", "256 atoms, posix: P = 8", "messages")),
       "16,384 atoms at most here: the paper's atoms per process at its scaling limit"},
      {"4.4", "ranks of a node, threads of a rank, nodes at which MPICH/Original stops scaling", "16; 4; 8,192",
       with_words("fewest atoms per process: ",
                  number_at("003/figure8", "256 atoms, posix: P = 8", "atoms per process")),
       "no Blue Gene/Q here; no threads"},
  };
}

} // namespace

std::vector<Statement> slow_mpi_text() {
  std::vector<Statement> all;
  for (auto part : {analysis(), microbenchmarks(), nek5000()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

} // namespace avrankmap::bench
