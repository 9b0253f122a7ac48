# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the scripts of tests and bench: installs the packages that they need.

# avrm_need <package>[=<command>]...
# Installs Debian or Ubuntu packages that are missing. With =<command>, a command of that name in
# PATH replaces the package, wherever it comes from.
avrm_need() {
  local entry missing=()
  for entry in "$@"; do
    if [[ $entry == *=* ]] && command -v "${entry#*=}" >/dev/null; then
      continue
    fi
    if [[ $(dpkg-query -W -f='${db:Status-Status}' "${entry%%=*}" 2>/dev/null) != installed ]]; then
      missing+=("${entry%%=*}")
    fi
  done
  ((${#missing[@]})) || return 0

  if ! command -v apt-get >/dev/null; then
    echo "This is neither Debian nor Ubuntu. Please install the equivalents of: ${missing[*]}" >&2
    return 1
  fi
  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      echo "Neither root nor sudo. Please have an administrator run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "Installing ${missing[*]}"
  # Tries twice: a mirror may fail for a moment, or another apt may hold the lock.
  avrm_apt || { sleep 10 && avrm_apt; } || {
    echo "Could not install: ${missing[*]}" >&2
    return 1
  }
}

# Uses as_root and missing of avrm_need. Shows apt's output only when it fails.
avrm_apt() {
  local log status=0
  log=$(mktemp)
  {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
  } </dev/null >"$log" 2>&1 || status=$?
  ((status == 0)) || cat "$log" >&2
  rm -f "$log"
  return "$status"
}

# PSM, a library below libfabric, has signal handlers that turn a death by a signal into an exit,
# write files NAME.btr into the current folder, and are not safe in signals. UCX's hooks of mmap run
# before the thread sanitizer knows a new thread.
export IPATH_NO_BACKTRACE=1 HFI_NO_BACKTRACE=1 UCX_MEM_MMAP_HOOK_MODE=none
