// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Names of rows and columns that sentences are about, where no paper prints them.
#ifndef AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_NAMES_H
#define AVRANKMAP_BENCH_PAPERS_CONCLUSIONS_NAMES_H

namespace avrankmap::bench {

/// Ends the label of a row of ratios over VC-VCRT's rates on a network.
inline constexpr const char *kOverVcVcrtOnNetwork = ", over VC-VCRT";
/// Ends the label of a row of processor times of issuing on a network, over VC-VCRT's.
inline constexpr const char *kIssuingOnNetwork = ", processor time of issuing, over that with VC-VCRT";
/// Ends the label of a row of ratios over rates with addresses known beforehand, on a network.
inline constexpr const char *kOfKnownAddresses = ", of the rate with known addresses";
/// Column of the n-D Cartesian paper's compression.
inline constexpr const char *kRectangles = "that paper's scheme, MB";
/// Begins the labels of rows of duplicates of the world, in the table of intercommunicators.
inline constexpr const char *kOfTheWorld = "duplicates of the world: ";
inline constexpr const char *kSplitOfTheWorld = "split of the world: ";
// Columns of times of whole creations, and those of two of them compared with that with VC-VCRT's
// maps; then of maps alone, over VC-VCRT's.
inline constexpr const char *kWholeCreation = "whole creation";
inline constexpr const char *kStrictWhole = "whole, strict, % above VC-VCRT";
inline constexpr const char *kOursWhole = "whole, ours with a table AV, % above VC-VCRT";
inline constexpr const char *kStrictMapsOver = "strict over VC-VCRT";
inline constexpr const char *kTableMapsOver = "ours with a table AV over VC-VCRT";
inline constexpr const char *kImplicitMapsOver = "ours with an implicit AV over VC-VCRT";
/// Ends the label of a row of an application that was recorded as it ran.
inline constexpr const char *kRecorded = ", recorded";
// Labels of rows of Open MPI as it is configured by default, and with --enable-sparse-groups.
inline constexpr const char *kOpenMpiAsShipped = "Open MPI, as shipped";
inline constexpr const char *kOpenMpiSparse = "Open MPI, sparse groups";
// What notes say of measurements that earlier results lack: Open MPI has met the processes of the
// other job; misses in functions of the library are counted.
inline constexpr const char *kConnectedInOpenMpi = "with the objects of the other job's processes";
inline constexpr const char *kWithLibrary = "with the functions of the library";
/// Column of bytes of strict maps.
inline constexpr const char *kStrictMapsColumn = "strict maps, bytes";
/// Column of ratios of times, in the same rounds.
inline constexpr const char *kOverPaperCache = "ours over 128 x 8";
/// Ends the label of a row of ratios of real processes' times, in the same rounds.
inline constexpr const char *kRealOverTable = ", real processes: over the plain table";
/// End the labels of rows of means over all processes, whose ranks are numbered so.
inline constexpr const char *kByNodes = ", ranks by nodes of 2 x 2 x 2: mean of all processes";
inline constexpr const char *kByRows = ", ranks row by row: mean of all processes";
/// End the names of columns of rates over those of the build in the row above, in the same rounds:
/// the median, and what half of the rounds lie between.
inline constexpr const char *kOverBuildAbove = ", over the build above";
inline constexpr const char *kLowerQuartile = ", lower quartile";
inline constexpr const char *kUpperQuartile = ", upper quartile";

// Of the mini-applications.
inline constexpr const char *kPointsPerProcess = "n/P";
inline constexpr const char *kDefaultBuild = "default";
inline constexpr const char *kAllProposals = "all proposals";
inline constexpr const char *kGain = "all over default";
inline constexpr const char *kTheirGain = "CH4 over Original";
inline constexpr const char *kMessagesSent = "messages";
inline constexpr const char *kEfficiency = "efficiency, %";
inline constexpr const char *kToOneProcess = "differs from one process by";
inline constexpr const char *kDrift = "drift";
inline constexpr const char *kInstructionsOfMessage = "instructions per message of 8 doubles";

} // namespace avrankmap::bench

#endif
