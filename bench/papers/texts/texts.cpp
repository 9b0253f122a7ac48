// SPDX-FileCopyrightText: 2026 The avrankmap authors
// SPDX-License-Identifier: BSD-3-Clause
#include "papers/texts/texts.h"

#include <fmt/format.h>

namespace avrankmap::bench {

std::vector<Statement> statements_of(const std::string &paper) {
  return paper == "000"   ? rankmap_text()
         : paper == "001" ? earlier_text()
         : paper == "002" ? cartesian_text()
         : paper == "003" ? slow_mpi_text()
         : paper == "004" ? noncollective_text()
                          : std::vector<Statement>();
}

Table table_of(const std::vector<Statement> &statements, const Results &results) {
  Table table{"section, and what the number is of", {"the paper", "here", "why not, or what differs"}, {}};
  for (const Statement &statement : statements) {
    const std::string here = statement.here ? statement.here(results) : "";
    const bool is_missing = statement.here && here.empty();
    table.rows.push_back({fmt::format("{}: {}", statement.section, statement.says),
                          {{std::string(statement.paper)},
                           {is_missing ? std::string(kNotInResults) : here},
                           {std::string(statement.remark)}}});
  }
  return table;
}

} // namespace avrankmap::bench
