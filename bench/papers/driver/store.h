// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results on disk: one JSON file per experiment in a folder. A result from the same machine,
// compiler and effort, and of the same commit or of the same sources, is used again instead of
// running the experiment.
#ifndef AVRANKMAP_BENCH_PAPERS_DRIVER_STORE_H
#define AVRANKMAP_BENCH_PAPERS_DRIVER_STORE_H

#include "papers/experiment/experiment.h"
#include "support/machine.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace avrankmap::bench {

/// The conditions of a run.
struct Conditions {
  Machine machine;
  /// with "-dirty" and a digest of the program if files were changed; empty if not known
  std::string commit;
  Effort effort = Effort::kFull;
};

/// A result, and the circumstances that a reader needs to judge it.
struct Stored {
  std::string id;
  std::string title;
  Conditions conditions;
  std::string sources; ///< their digest (driver/sources.h); empty if not known
  std::string command; ///< as given
  /// average over the minute before the start: processes that wanted a CPU
  double load = 0;
  /// By how much nine of ten numbers differ at most between this run and the one before, of 1;
  /// below 0 if there was no other run.
  double spread = -1;
  double seconds = 0;              ///< duration of the experiment
  double processor_seconds = 0;    ///< of the program and the processes that it waited for
  std::uint64_t peak_resident = 0; ///< bytes; 0 if the system does not report it
  Result result;
  /// Processors that other processes used during the experiment, on average; below 0 if it is
  /// not known, as in results of earlier versions.
  double foreign = -1;
};

/// "tiny", "quick" or "full".
const char *label(Effort effort);

/// "000-table3": the name of an experiment's files, without the extension.
std::string file_stem(const std::string &id);
/// "000-figure9a.svg", for example.
std::string plot_file(const std::string &id, const Plot &plot, const std::string &extension);

nlohmann::ordered_json to_json(const Stored &stored);
/// Throws std::exception if the value was not written by to_json.
Stored stored_from_json(const nlohmann::ordered_json &json);

class Store {
public:
  /// Creates the folder if it does not exist. Throws std::runtime_error with its name and the
  /// reason on failure.
  explicit Store(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path &folder() const { return folder_; }

  /// The stored result of an experiment under any conditions; nothing if there is none or the file
  /// cannot be read as one.
  [[nodiscard]] std::optional<Stored> find(const std::string &id) const;
  /// The same if it was measured under these conditions; a result of these sources may be of
  /// another commit. Unknown commits and sources are never equal.
  [[nodiscard]] std::optional<Stored> find(const std::string &id, const Conditions &conditions,
                                           const std::string &sources) const;
  /// Writes the file atomically. Throws std::runtime_error on failure.
  void save(const Stored &stored) const;

private:
  std::filesystem::path folder_;
};

/// Writes a file atomically. Throws std::runtime_error with its name on failure.
void write_file(const std::filesystem::path &file, const std::string &text);

} // namespace avrankmap::bench

#endif
