// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Results on disk: one JSON file per experiment in a folder. What is there already, from the same machine, compiler, commit
// and effort, need not be run again.
#ifndef AVRANKMAP_BENCH_EXPERIMENTS_STORE_H
#define AVRANKMAP_BENCH_EXPERIMENTS_STORE_H

#include "experiments/experiment.h"
#include "harness/machine.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace avrankmap::bench {

/// Under which conditions a result came about.
struct Conditions {
  Machine machine;
  std::string commit; ///< with "-dirty" and a digest of the program if files were changed; empty: not known
  Effort effort = Effort::kFull;
};

/// A result with all that a reader needs to judge it.
struct Stored {
  std::string id;
  std::string title;
  Conditions conditions;
  std::string command;             ///< as given
  double load = 0;                 ///< average over the minute before the start: processes that wanted a CPU
  double seconds = 0;              ///< that it took
  std::uint64_t peak_resident = 0; ///< bytes; 0 if the system does not say
  Result result;
};

/// "tiny", "quick" or "full".
const char *label(Effort effort);

/// "000-table3": the name of an experiment's files, without the extension.
std::string file_stem(const std::string &id);
/// "000-figure9a.svg", for example.
std::string plot_file(const std::string &id, const Plot &plot, const std::string &extension);

nlohmann::ordered_json to_json(const Stored &stored);
/// Throws std::exception on anything that to_json does not write.
Stored stored_from_json(const nlohmann::ordered_json &json);

class Store {
public:
  /// Makes the folder if need be. Throws std::runtime_error, with the folder's name and the reason, if it cannot be made or
  /// written to.
  explicit Store(std::filesystem::path folder);

  [[nodiscard]] const std::filesystem::path &folder() const { return folder_; }

  /// The result of an experiment, whatever its conditions; nothing if there is none or the file is no result.
  [[nodiscard]] std::optional<Stored> find(const std::string &id) const;
  /// The same if it holds under these conditions. A commit that is not known is not the same as itself.
  [[nodiscard]] std::optional<Stored> find(const std::string &id, const Conditions &conditions) const;
  /// Throws std::runtime_error if the file cannot be written. A file is there as a whole or not at all.
  void save(const Stored &stored) const;

private:
  std::filesystem::path folder_;
};

/// Writes a file as a whole. Throws std::runtime_error with its name.
void write_file(const std::filesystem::path &file, const std::string &text);

} // namespace avrankmap::bench

#endif
