#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the scripts of bench: builds the program that a script runs.

# avrm_build FOLDER TARGETS CMAKE_OPTION...
# Configures and builds targets, which are separated by blanks. Prints on stderr that it builds and
# its progress: on one line of a terminal, otherwise each tenth. Prints the output of a build that
# fails.
avrm_build() {
  local folder=$1 targets=$2 log lock status=0
  shift 2
  mkdir -p "$folder"
  exec {lock}>"$folder/lock" # of scripts that run at the same time
  flock "$lock"
  log=$(mktemp)
  [[ -e $folder/build.ninja ]] || echo "Configuring $folder" >&2
  # shellcheck disable=SC2086
  if ! cmake -G Ninja -S . -B "$folder" "$@" >"$log" 2>&1; then
    status=1
  elif ! cmake --build "$folder" --target $targets -- -n 2>/dev/null | grep -q 'no work to do'; then
    echo "Building $targets in $folder; the first time takes minutes" >&2
    cmake --build "$folder" --parallel "$(nproc)" --target $targets 2>&1 | avrm_show_progress "$log" || status=1
  fi
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  exec {lock}>&-
  return "$status"
}

# avrm_show_progress LOG: ninja's output is read from stdin and goes to LOG, its counts to stderr.
avrm_show_progress() {
  local line tenths shown=0
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$1"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    if [[ -t 2 ]]; then
      printf '\r\e[K%s' "${line:0:100}" >&2
    else
      tenths=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
      ((tenths == shown)) || echo "  ${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} steps" >&2
      shown=$tenths
    fi
  done
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
}

# avrm_check_options WORD...: fails, before anything is built, if a word is an option that the
# script's usage does not name.
avrm_check_options() {
  local word text
  text=$(usage)
  for word in "$@"; do
    if [[ $word == -* && $text != *$'\n  '"${word%%=*}"[\ ,]* ]]; then
      echo "${0##*/}: $word is not an option; -h prints all of them" >&2
      return 1
    fi
  done
}
