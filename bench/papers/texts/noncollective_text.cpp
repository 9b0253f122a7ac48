// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Noncollective Communicator Creation in MPI.
#include "papers/texts/texts.h"

namespace avrankmap::bench {
namespace {

constexpr const char *kNoMachine = "no Blue Gene/P here";
constexpr const char *kSize = "2,048";

Number seconds(const char *way) { return number_at("004/figure2", way, kSize); }
/// By how much less one way takes than another, in per cent.
Number saved(const char *way, const char *other) {
  return times(100, minus(constant(1), over(seconds(way), seconds(other))));
}

Text regroupings(const char *balancing) {
  return all_of({with_words("", number_at("004/table1", balancing, "Avg.")),
                 with_words("", number_at("004/table1", balancing, "St. Dev.")),
                 with_words("", number_at("004/table1", balancing, "Min")),
                 with_words("", number_at("004/table1", balancing, "Max"))});
}

} // namespace

std::vector<Statement> noncollective_text() {
  return {
      {"1, 4.2, 6", "asynchronous balancing, less than the best collective one", "30 %, over 30 %",
       with_words("to the right, less than every 16: ", saved("asynchronous, to the right", "collective, every 16"),
                  " %"),
       "simulated, 2,048 processes"},
      {"3", "agreements by merging; those of the parent", "log of the size; 1",
       all_of({range_of("004/figure1", " simulated, us", "merging step by step", " us by merging"),
               range_of("004/figure1", " simulated, us", "by the parent", " us by the parent")}),
       "simulated, 1 us for each message of a process; all sizes of the group"},
      {"4", "cores of a node, MHz, memory; nodes of a rack; racks; cores in all", "4; 850; 2 GB; 1024; 40; 163,840",
       machine_text(), kNoMachine},
      {"4",
       "racks and cores used",
       "2; 8,192",
       {},
       "simulated processes: 8,192 in 004/table1 and in full runs of the figures"},
      {"4.2", "G, T, S", "4; 100 ms; 10 R mod 32", {}, "the same here; 0, 40, ..., 280 as listed, see 004/figure2"},
      {"4.2", "without balancing", "7 s", with_words("", seconds("none"), " s"), "simulated, 2,048 processes"},
      {"4.2", "ideal", "half of it", with_words("", times(100, over(seconds("ideal"), seconds("none"))), " %"), ""},
      {"4.2", "intervals", "1, 16, 128",
       all_of({with_words("", seconds("collective, every 1"), " s"),
               with_words("", seconds("collective, every 16"), " s"),
               with_words("", seconds("collective, every 128"), " s")}),
       "simulated, 2,048 processes"},
      {"4.2", "collective balancing, less than without", "roughly 15 %",
       all_of({with_words("every 1 ", saved("collective, every 1", "none"), " %"),
               with_words("every 16 ", saved("collective, every 16", "none"), " %"),
               with_words("every 128 ", saved("collective, every 128", "none"), " %")}),
       "simulated, 2,048 processes: messages of 1 us, and no work for them"},
      {"4.2", "asynchronous balancing, less than without", "over 40 %",
       all_of({with_words("to the right ", saved("asynchronous, to the right", "none"), " %"),
               with_words("to work ", saved("asynchronous, to work", "none"), " %")}),
       "simulated, 2,048 processes"},
      {"4.2", "period of the distribution of work; overhead of polling at most",
       "8; 7 x 100 ms over the size of a group",
       with_words("to the right, more than the ideal: ", minus(seconds("asynchronous, to the right"), seconds("ideal")),
                  " s"),
       ""},
      {"4.2", "regroupings, asynchronous: mean, deviation, least, most", "14.38; 3.54; 5; 26", regroupings("Async."),
       "the text does not say how idle groups meet, see 004/table1"},
      {"4.2", "regroupings, collective, every 1 to 32", "5.38; 2.12; 2; 8", regroupings("Collect. 1"), ""},
      {"5", "time by merging; by the parent", "log^2 p; log p",
       all_of({range_of("004/figure1", " simulated, us", "merging step by step", " us by merging"),
               range_of("004/figure1", " simulated, us", "by the parent", " us by the parent")}),
       "simulated, 1 us for each message of a process; all sizes of the group"},
      {"5.2", "agreements of a multicommunicator", "3 steps",
       range_of("004/figure1", " simulated, us", "multicommunicator of singles", " us"),
       "simulated, 1 us for each message of a process; all sizes of the group"},
  };
}

} // namespace avrankmap::bench
