// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The AV-Rankmap paper, and the numbers in which its earlier text differs from it.
#include "papers/conclusions/names.h"
#include "papers/texts/texts.h"

#include <utility>

namespace avrankmap::bench {
namespace {

constexpr const char *kVc = "VC-VCRT";
constexpr const char *kWithNodes = "VC-VCRT, with its tables of nodes";
constexpr const char *kOfFourBytes = "VC-VCRT, tables of 4 bytes (computed)";
constexpr const char *kStrict = "AV-Rankmap (strict)";
constexpr const char *kMira = "no Blue Gene/Q here";
constexpr const char *k10 = "10 communicators, MiB";
constexpr const char *kOurs = "ours, implicit AV";
constexpr const char *k100 = "100 communicators, MiB";
constexpr const char *kMaps = "maps of 100, bytes";
constexpr double kProcessMiB = 1024; // of a node of Mira: 16 GB for 16 processes

Number instructions(const char *way, const char *model) { return number_at("000/table3", way, model); }
Number more_than_direct(const char *model) {
  return minus(instructions("switch", model), instructions("switch", "direct"));
}

/// What one of 100 communicators adds, bytes.
Number bytes_of_dup(const char *scheme, double copies) {
  return times(copies / 100, number_at("000/figure10", scheme, kMaps));
}
Text dups(double copies) {
  return all_of({with_words("VC-VCRT ", bytes_of_dup(kVc, copies), " bytes"),
                 with_words("strict ", bytes_of_dup(kStrict, copies), " bytes"),
                 with_words("ours ", bytes_of_dup(kOurs, copies), " bytes")});
}

/// Bytes of an address.
Number address_bytes(const char *scheme) {
  return times((1 << 20) / 786432.0, number_at("000/figure9", scheme, "addresses, MiB"));
}

/// Communicators that an application makes, without the world and those of the library.
Number own_communicators(const char *id, const char *application) {
  return minus(times(1.0 / 3, number_at(id, application, "communicators")), constant(1));
}

Number share_of_memory(const char *id, const char *row, const char *column) {
  return times(100 / kProcessMiB, number_at(id, row, column));
}

/// Of VC-VCRT's memory with 100 duplicates, per cent.
Number share_of_addresses(const char *scheme) {
  return times(100, over(number_at("000/figure10", scheme, "addresses, MiB"), number_at("000/figure10", scheme, k100)));
}

/// The bytes of strict maps of 100 communicators over those of VC-VCRT's tables.
Number maps_over_theirs(const char *id, const char *theirs) {
  return over(number_at(id, kStrict, kMaps), number_at(id, theirs, kMaps));
}

/// Of Nekbone's VCRTs, the bytes above those of each other application.
Text nekbone_above_others() {
  constexpr const char *kTheirMaps = "VC-VCRT, maps, bytes";
  const auto above = [](const char *words, const char *other) {
    return with_words(
        words,
        percent_above(number_at("000/figure18", "Nekbone", kTheirMaps), number_at("000/figure18", other, kTheirMaps)),
        " %");
  };
  return all_of({above("above BT's ", "BT"), above("FT's ", "FT"), above("SP's ", "SP"), above("AMG2013's ", "AMG2013"),
                 above("AMR's ", "AMR")});
}

/// Of VC-VCRT with its tables of nodes, and without.
Text with_nodes_and_without(Number with, Number without, const char *unit) {
  return all_of({with_words("with its tables of nodes ", std::move(with), unit),
                 with_words("without ", std::move(without), unit)});
}

/// Bytes that the VCRTs of so many split communicators of 128K processes take.
Number vcrts_on_128k(double communicators) {
  return times(131072 * communicators, number_at("000/figure9", kVc, "bytes per map and process"));
}

/// L1D misses of VC-VCRT over those of a stride map, with 65,536 ranks.
Text misses_over_a_stride() {
  const auto over_stride = [](const char *scheme) {
    return over(number_at("000/table4", "L1D (65,536 ranks)", scheme),
                number_at("000/table4", "L1D (65,536 ranks)", "stride"));
  };
  return all_of({with_words("L1D with 65,536 ranks: called ", over_stride("Baseline (VC-VCRT)")),
                 with_words("inlined ", over_stride("VC-VCRT, inlined"), " over a stride map")});
}

Text memory_of_miniapps(const char *column) { return range_of("000/figure18", "", column, " MiB"); }

Text vcrts_of_nekbone() {
  return with_words("direct maps: ",
                    over(number_at("001/figure17", "Nekbone, 524,288 processes", "VCRTs, direct, bytes"),
                         number_at("001/figure17", "AMG2013, 524,288 processes", "VCRTs, direct, bytes")),
                    " times the bytes of AMG2013's");
}

std::vector<Statement> survey_of_applications() {
  return {
      {"I", "instructions of a put in a finely tuned MPI, to the network", "about 50",
       all_of({with_words("default ", number_at("003/figure2", "ours (default)", "MPI_PUT")),
               with_words("leanest build ", number_at("003/figure2", "ours (no-err-single-ipo)", "MPI_PUT"))}),
       "ours over libfabric, 003/figure2"},
      {"I", "one instruction more, of such a path", "2 %",
       with_words("", over(constant(100), number_at("003/figure2", "ours (default)", "MPI_PUT")),
                  " % of the default build"),
       ""},
      {"I, V",
       "processes of the largest run",
       "786,432 (768K)",
       {},
       "figures 9 to 13 have the structures of one process of as many; no machine here runs them all"},
      {"I", "memory of VC-VCRT over AV-Rankmap's", "several orders of magnitude in many cases",
       all_of({with_words("100 split communicators: ",
                          over(number_at("000/figure9", kVc, k100), number_at("000/figure9", kStrict, k100)),
                          " times strict"),
               with_words("", over(number_at("000/figure9", kWithNodes, k100), number_at("000/figure9", kStrict, k100)),
                          " times with VC-VCRT's tables of nodes"),
               with_words("", over(number_at("000/figure9", kVc, k100), number_at("000/figure9", kOurs, k100)),
                          " times ours, implicit, without them")}),
       ""},
      {"II", "communicators for each that the user sees", "3",
       with_words("Nek5000, large: ", number_at("000/figure17", "Nek5000, large", "communicators"),
                  " for 86 duplicates and the world"),
       ""},
      {"III", "applications in its survey", "62",
       all_of({with_words("rows of its table I: ",
                          minus(rows_of("000/table1", "", ""), rows_of("000/table1", ", recorded", ""))),
               with_words("runs recorded here: ", rows_of("000/table1", ", recorded", ""))}),
       "the paper does not name the others"},
      {"III", "communicators of Nek5000, medium", "24",
       with_words("", own_communicators("000/figure17", "Nek5000, medium")), "the shape is from the text"},
      {"III", "communicators of Nek5000, large", "86",
       with_words("", own_communicators("000/figure17", "Nek5000, large")), "the shape is from the text"},
      {"III",
       "processes of a medium problem",
       "16K to 32K",
       {},
       "how far users scale it; 000/figure17 has both problems with 512K, as the paper's"},
      {"III", "windows of NWChem by itself", "3 to 4", dups(4), "bytes of as many duplicates, from 000/figure10"},
      {"III", "windows with Casper, Blue Gene/Q, 16 processes per node", "64", dups(64),
       "bytes of as many duplicates, from 000/figure10; NWChem in 000/table1 has them"},
      {"III", "windows with Casper, Knights Landing, 60 to 70 processes per node", "about 300", dups(300),
       "bytes of as many duplicates, from 000/figure10; no Knights Landing here"},
      {"III", "applications with irregular splits", "1 (LSMS)",
       with_words("strict, of the rows of its table I: ", minus(rows_of("000/table1", "", "split: Irreg."),
                                                                rows_of("000/table1", ", recorded", "split: Irreg."))),
       ""},
      {"III", "applications with topologies", "2 (HACC, SNAP)",
       with_words("of the rows of its table I: ",
                  minus(rows_of("000/table1", "", "Topo"), rows_of("000/table1", ", recorded", "Topo"))),
       "the shapes are from the text"},
      {"III", "applications with intercommunicators", "1 (NWChem)",
       with_words("of the rows of its table I: ",
                  minus(rows_of("000/table1", "", "Intercomm"), rows_of("000/table1", ", recorded", "Intercomm"))),
       "the shape is from the text; recorded runs stand in 000/table1"},
      {"III", "processes of walker 0, its nodes, its node roots", "12; 4; 1, 4, 8, 12",
       all_of({text_at("000/figure1", "its node roots", "strict"),
               with_words("", number_at("000/figure1", "its node roots, bytes", "strict"), " bytes strict")}),
       "the ranks stand at 000/figure1"},
  };
}

std::vector<Statement> design() {
  return {
      {"IV-B",
       "bits of an address of libfabric; unused bits of a pointer of UCX",
       "63; 2 or 3",
       {},
       "properties of the interfaces; the transport of ours is in such a bit (include/avrankmap/ave.h)"},
      {"IV-B, V-A1", "bytes of a VC", "480", with_words("", address_bytes(kVc)), ""},
      {"IV-B, V-A1", "bytes of an AVE", "12",
       all_of({with_words("strict ", address_bytes(kStrict)), with_words("ours, implicit ", address_bytes(kOurs))}),
       "per process, structures for all included"},
      {"IV-B, V-A1", "compression", "40-fold",
       with_words("strict ", over(address_bytes(kVc), address_bytes(kStrict)), "-fold"), ""},
      {"IV-C1", "time of a creation above VC-VCRT's", "3 to 7 %",
       all_of({range_of("000/figure15", "", kStrictWhole, " % strict"),
               range_of("000/figure15", "", kOursWhole, " % ours, table AV")}),
       "section V-C1: 3 to 6 and 3 to 8, at 000/figure15 and 000/figure16"},
      {"IV-C2", "instructions of direct more than VC-VCRT's", "2",
       all_of({with_words("switch ", minus(instructions("switch", "direct"), instructions(kVc, "direct"))),
               with_words("ours ", minus(instructions("ours", "direct"), instructions(kVc, "direct")))}),
       "in position-independent code, without loads of the table's address"},
      {"IV-C2", "instructions that the switch adds; that are saved", "4; 2",
       with_words("in all ", minus(instructions("switch", "direct"), instructions(kVc, "direct"))),
       "listings at 000/figure3 and 000/figure4"},
      {"IV-C2", "instructions of stride more than those of direct", "4",
       all_of({with_words("switch ", more_than_direct("stride")),
               with_words("ours ", minus(instructions("ours", "stride"), instructions("ours", "direct")))}),
       "an offset is part of the base here"},
      {"IV-C2", "instructions of direct, hybrid", "8", with_words("", instructions("hybrid", "direct")), ""},
      {"IV-C2", "hybrid, instructions more for each if of the cascade; for stride, 3 ifs", "2; 8",
       with_words("stride more than direct: ",
                  minus(instructions("hybrid", "stride"), instructions("hybrid", "direct"))),
       "the cascade is the paper's"},
      {"IV-C2", "instructions of goto's translation", "5",
       with_words("direct ", instructions("goto, without its call", "direct")), "7 in its figure 8"},
      {"IV-C2, V-C2", "instructions of goto's call", "17",
       with_words("direct ", minus(instructions("goto", "direct"), instructions("goto, without its call", "direct"))),
       "of what the caller saves"},
  };
}

std::vector<Statement> evaluation() {
  return {
      {"V", "Mira: nodes, cores and memory of a node, processes", "49,152; 16; 16 GB; 768K", machine_text(), kMira},
      {"V", "Blues: processors of a node, cores, memory, nodes, processes", "2 E5-2670; 8 each; 64 GB; 256; 4K",
       machine_text(), "no such cluster here"},
      {"V", "MPI, compiler, options", "MPICH 3.2; GCC 4.7.2; -O2", machine_text(),
       "VC-VCRT has the structures of MPICH 3.2, written afresh (bench/baseline); -O2 as well"},
      {"V-A1", "100 communicators, AV-Rankmap", "9 MB",
       with_words("strict ", number_at("000/figure9", kStrict, k100), " MiB"), ""},
      {"V-A1", "10 communicators, VC-VCRT, of the memory of a process", "more than 40 %",
       with_nodes_and_without(share_of_memory("000/figure9", kWithNodes, k10), share_of_memory("000/figure9", kVc, k10),
                              " %"),
       "of 1,024 MiB, Mira's"},
      {"V-A1", "100 communicators, VC-VCRT, of the memory of a process", "exceeds the total system memory",
       with_nodes_and_without(share_of_memory("000/figure9", kWithNodes, k100),
                              share_of_memory("000/figure9", kVc, k100), " %"),
       "of 1,024 MiB, Mira's"},
      {"V-A2", "100 duplicates: share of VCs", "nearly 95 %",
       all_of({with_nodes_and_without(share_of_addresses(kWithNodes), share_of_addresses(kVc), " %"),
               with_words("without, with tables of 4 bytes ", share_of_addresses(kOfFourBytes), " %")}),
       "000/figure10"},
      {"V-A3", "100 split intercommunicators, VC-VCRT", "about 1.4 GB",
       with_nodes_and_without(number_at("000/figure11", kWithNodes, k100), number_at("000/figure11", kVc, k100),
                              " MiB"),
       "000/figure11 also has groups that are not halved"},
      {"V-A3", "100 split communicators, VC-VCRT", "about 1 GB",
       with_nodes_and_without(number_at("000/figure9", kWithNodes, k100), number_at("000/figure9", kVc, k100), " MiB"),
       ""},
      {"V-B2", "bytes of a table of AV-Rankmap with dynamic processes over VC-VCRT's; processes", "about twice; 4096",
       all_of({with_words("with VC-VCRT's tables of pointers ", maps_over_theirs("000/figure14", kVc), " times"),
               with_words("of 4 bytes ", maps_over_theirs("000/figure14", kOfFourBytes), " times")}),
       "MPICH 3.2 has tables of pointers, the paper's listing one of 4 bytes"},
      {"V-C1", "creation on Mira, above VC-VCRT's", "3 to 6 %", range_of("000/figure15", "", kStrictWhole, " % strict"),
       kMira},
      {"V-C1", "creation on Blues, above VC-VCRT's", "3 to 8 %",
       range_of("000/figure16", "", kStrictWhole, " % strict"), "real processes of this machine"},
      {"V-C2",
       "puts to each rank, bytes, share of the world's ranks",
       "1 million; 8; half",
       {},
       "000/table5 has puts of 8 bytes in a half of the ranks, as many as take the time of a round"},
      {"V-C2", "instructions of VC-VCRT", "7", with_words("", instructions(kVc, "direct")), "listing at 000/figure3"},
      {"V-C2", "instructions of direct, hybrid fewer than switch", "1",
       with_words("", minus(instructions("switch", "direct"), instructions("hybrid", "direct"))),
       "a jump table takes more in position-independent code"},
      {"V-C2", "puts of a process to each other rank", "8 million", {}, "000/table4 is per 8 million puts"},
      {"V-C2", "bytes of a line of the cache; lines of a VC", "64; 8",
       with_words("480 bytes are ", times(1.0 / 64, address_bytes(kVc)), " lines"), "lines have 64 bytes here"},
      {"V-C2", "2 processes: misses of VC-VCRT over AV-Rankmap's, L1D; L2", "about 40; 2 to 4", misses_over_a_stride(),
       "with 2 ranks nothing is missed here: the loop has its data in the caches"},
      {"V-C2", "8 processes per node: the same", "nearly 1,000; about 5", misses_over_a_stride(),
       "with 16 ranks nothing is missed here; 000/table4"},
      {"V-C2", "rate without a network, above VC-VCRT's", "up to 50 %",
       all_of({range_of("000/table5", "over VC-VCRT (8 procs, theoretical)", "", " times the rate, 8 procs"),
               range_of("000/table5", "over VC-VCRT (2 procs, theoretical)", "", " times, 2 procs")}),
       "VC-VCRT is called per operation; 000/table5 also has it inlined"},
      {"V-C2", "GHz and integer units of a core, Mira; Blues", "1.6, 1; 2.7, 4", machine_text(),
       "processors of the time"},
  };
}

std::vector<Statement> applications() {
  return {
      {"V-D", "processes of the applications", "512K", {}, "structures of one process of as many; no Blue Gene/Q here"},
      {"V-D", "duplicates of Nek5000, XXT; AMG", "24; 86",
       all_of({with_words("", own_communicators("000/figure17", "Nek5000, medium")),
               with_words("", own_communicators("000/figure17", "Nek5000, large"))}),
       ""},
      {"V-D", "Nek5000, VC-VCRT", "around 250 MB", range_of("000/figure17", "", "VC-VCRT, MiB", " MiB"), ""},
      {"V-D", "the same, of the memory of a process", "nearly 25 %",
       all_of({with_words("medium ", share_of_memory("000/figure17", "Nek5000, medium", "VC-VCRT, MiB"), " %"),
               with_words("large ", share_of_memory("000/figure17", "Nek5000, large", "VC-VCRT, MiB"), " %")}),
       "of 1,024 MiB, Mira's"},
      {"V-D", "communicators of most miniapps", "2 to 7",
       all_of({with_words("BT ", own_communicators("000/figure18", "BT")),
               with_words("FT ", own_communicators("000/figure18", "FT")),
               with_words("SP ", own_communicators("000/figure18", "SP")),
               with_words("AMG2013 ", own_communicators("000/figure18", "AMG2013")),
               with_words("Nekbone ", own_communicators("000/figure18", "Nekbone")),
               with_words("AMR ", own_communicators("000/figure18", "AMR"))}),
       "as its texts describe them"},
      {"V-D", "miniapps, VC-VCRT", "244 MB, about 25 %", memory_of_miniapps("VC-VCRT, MiB"), "of 1,024 MiB, Mira's"},
      {"V-D", "miniapps, AV-Rankmap", "4 MB", memory_of_miniapps("AV-Rankmap (all forms, table AV), MiB"),
       "4 MB are 8 bytes per process, not 12"},
      {"V-D", "Nekbone's VCRTs above the others'", "about 50 %", nekbone_above_others(), "000/figure18"},
      {"V-D", "Nekbone's duplicates; communicators in all", "7; 24",
       all_of({with_words("", own_communicators("000/figure18", "Nekbone")),
               with_words("", number_at("000/figure18", "Nekbone", "communicators"))}),
       ""},
      {"V-D", "Nekbone's rankmaps", "about 1.3 KB",
       all_of(
           {with_words("AV-Rankmap ",
                       number_at("000/figure18", "Nekbone", "AV-Rankmap (all forms, table AV), maps, bytes"), " bytes"),
            with_words("ours ", number_at("000/figure18", "Nekbone", "ours, implicit AV, maps, bytes"), " bytes")}),
       ""},
      {"VI", "communicators that Blue Gene/P has memory for, 128K processes", "264",
       all_of({with_words("264 take ", vcrts_on_128k(264), " bytes of VCRTs"),
               with_words("the same memory is enough for ",
                          over(vcrts_on_128k(264), times(0.01, number_at("000/figure9", kOurs, kMaps))), " of ours")}),
       "no Blue Gene/P here; computed from 000/figure9"},
      {"VI", "rate of sparse groups, loss per generation", "around 10 %",
       with_words("first: ", times(100, minus(constant(1), number_at("000/figure19", "Open MPI, sparse groups", "1"))),
                  " %"),
       "without the rest of Open MPI in the loop"},
      {"VI", "the same, four communicators", "nearly 40 %",
       with_words("", times(100, minus(constant(1), number_at("000/figure19", "Open MPI, sparse groups", "4"))), " %"),
       "without the rest of Open MPI in the loop"},
  };
}

} // namespace

std::vector<Statement> rankmap_text() {
  std::vector<Statement> all;
  for (auto part : {survey_of_applications(), design(), evaluation(), applications()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::vector<Statement> earlier_text() {
  return {
      {"III", "processes of a medium problem of Nek5000", "16 to 32K", {}, "how far users scale it"},
      {"V",
       "size of Mira and Blues, MPI, compiler; applications in the survey; bytes of a VC and an AVE",
       "as in the published text",
       {},
       "above, at 000"},
      {"IV-C1", "time of a creation above VC-VCRT's", "3 to 7 %",
       all_of({range_of("000/figure15", "", kStrictWhole, " % strict, 000/figure15"),
               range_of("000/figure16", "", kStrictWhole, " % strict, 000/figure16")}),
       "processes share this machine's processors"},
      {"V-C", "creation on Mira by dup, split and intercommunicator; intercommunicator on Blues",
       "less than 5 %; 6 to 8 %",
       all_of({range_of("000/figure15", "", kStrictWhole, " % strict, all of 000/figure15"),
               range_of("000/figure16", "", kStrictWhole, " % strict, all of 000/figure16")}),
       "at their rows in 000/figure15 and 000/figure16"},
      {"V-C",
       "processes merged for mlut",
       "4 local and 4 spawned",
       {},
       "half of the ranks here, 000/table5: 8 of the 16"},
      {"V-C", "networks", "5-D torus; QLogic InfiniBand QDR", {}, "neither is here: loopback, 001/table7"},
      {"V-C", "instructions more than VC-VCRT's: direct; offset", "2; 4",
       all_of({with_words("", minus(instructions("switch", "direct"), instructions(kVc, "direct"))),
               with_words("", minus(instructions("switch", "offset"), instructions(kVc, "offset")))}),
       "its text says offset in both sentences"},
      {"V-C", "instructions of offset more than direct's; of stride more than offset's", "2; 2",
       all_of({with_words("", more_than_direct("offset")),
               with_words("", minus(instructions("switch", "stride"), instructions("switch", "offset")))}),
       "an offset is part of the base here"},
      {"V-C", "instructions of lut more than direct's; of mlut more than lut's", "2; 3",
       all_of({with_words("", more_than_direct("lut")),
               with_words("", minus(instructions("switch", "mlut"), instructions("switch", "lut")))}),
       ""},
      {"V-C", "instructions of offset more than direct's, hybrid; 2 of them for the if", "4",
       with_words("", minus(instructions("hybrid", "offset"), instructions("hybrid", "direct"))), ""},
      {"V-C", "instructions of goto's call", "15",
       with_words("", minus(instructions("goto", "direct"), instructions("goto, without its call", "direct"))),
       "17 in the published text"},
      {"V-C", "cores of the node of the cache analysis", "16", machine_text(), "simulated: 000/table4"},
      {"V-C", "rate without a network, above VC-VCRT's", "up to 50 %",
       all_of({range_of("001/table6", "switch, over VC-VCRT", "", " times the rate, switch"),
               range_of("001/table6", "hybrid, over VC-VCRT", "", " times, hybrid")}),
       ""},
      {"V-D", "miniapps with 16K processes: VC-VCRT; AV-Rankmap", "around 15 MB; 128 KB",
       all_of({range_of("001/figure17", ", 16,384 processes", "VC-VCRT, MiB", " MiB"),
               range_of("001/figure17", ", 16,384 processes", "AV-Rankmap (all forms, table AV), MiB", " MiB")}),
       "does not fit the linear growth that it states; 001/figure17"},
      {"V-D", "miniapps with 512K processes: VC-VCRT; AV-Rankmap", "244 MB, 25 %; 4 MB",
       all_of({range_of("001/figure17", ", 524,288 processes", "VC-VCRT, MiB", " MiB"),
               range_of("001/figure17", ", 524,288 processes", "AV-Rankmap (all forms, table AV), MiB", " MiB")}),
       ""},
      {"V-D", "duplicates of Nekbone and of AMG2013, which take almost the same memory", "7; 1", vcrts_of_nekbone(),
       ""},
      {"V-D", "processes that are no square", "128K, 512K",
       with_words("BT with 524,288: ", number_at("001/figure17", "BT, 524,288 processes", "VCRTs, direct, bytes"),
                  " bytes of VCRTs, its largest square included"),
       ""},
      {"V-D", "Nekbone's rankmaps", "1.3 KB",
       with_words("", number_at("001/figure17", "Nekbone, 524,288 processes", "strict maps, bytes"), " bytes"), ""},
      {"V-D",
       "processes and nodes of Nek5000",
       "512K on 32,768 nodes",
       {},
       "structures of one process of as many; no Blue Gene/Q here"},
      {"VI", "communicators on Blue Gene/P with few processes; with 128K", "8,189; 264",
       with_words("8,189 take ", vcrts_on_128k(8189), " bytes of VCRTs with 128K"),
       "no Blue Gene/P here; ours has 1,015,808 contexts (avrm_device_contexts)"},
  };
}

} // namespace avrankmap::bench
