# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# To be sourced by bash: installs what a script needs from the distribution. Used by tests/run.sh and bench/run.sh.

# avrm_need <package>[=<command>]...
# Makes sure that Debian or Ubuntu packages are installed, and does nothing, quickly, when they are. With =<command> a
# command of that name on the PATH will do, wherever it comes from.
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
    echo "This is neither Debian nor Ubuntu. Please install what these packages contain: ${missing[*]}" >&2
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
  # Once more after a while: mirrors hiccup, and another apt may hold the lock.
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

# Libraries of libfabric's (PSM) have signal handlers that turn a death by a signal into an exit, leave files NAME.btr in the
# current folder, and are not safe in signals; UCX's hooks into mmap are called before a thread is known to the thread sanitizer.
export IPATH_NO_BACKTRACE=1 HFI_NO_BACKTRACE=1 UCX_MEM_MMAP_HOOK_MODE=none
