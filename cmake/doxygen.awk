# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Filter for Doxygen. The number of lines stays.
# - The comment that begins a header becomes the description of the file, drawn as it is written.
# - A comment between two rules of dashes is what the functions up to the next one have in common; they become a group. Its
#   first sentence is the title, if it is short.
# - "Cost:" begins a paragraph of its own. The star of *name_p is no emphasis, and the
#   dots of a range end no sentence.
function plain(text) { gsub(/\*[a-z_]+_p/, "\\\\&", text); gsub(/ \.\. | \.\.$/, " ..\\&nbsp;", text); return text }
NR == 1 && /^\/\/ SPDX/ { print "/** @file"; opening = 1; next }
opening && /^\/\/ SPDX/ { print "@verbatim"; next }
opening && /^\/\// { sub(/^\/\/ ?/, ""); print; next }
opening { print "@endverbatim */ " $0; opening = 0; next }
/^\/\/ -----/ && !common {
  common = 1
  printf "%s", grouped ? "/**@}*/ " : ""
  grouped = 1
  getline
  sub(/^\/\/ ?/, "")
  title = match($0, /\. |\.$/) ? substr($0, 1, RSTART - 1) : length($0) < 50 ? $0 : ""
  if (length(title) > 60) title = ""
  print "/** @name " (title == "" ? "Functions" : title)
  print plain(title == "" ? $0 : substr($0, length(title) + 3))
  next
}
/^\/\/ -----/ { common = 0; print "@{ */"; next }
common { sub(/^\/\/ ?/, ""); sub(/^  /, "      "); print plain($0); next }
/^AVRM_END_DECLS/ && grouped { $0 = "/**@}*/ " $0; grouped = 0 }
/^ *\/\/\// { sub(/^\/\/\/ Cost: /, "/// @cost "); $0 = plain($0) }
{ print }
