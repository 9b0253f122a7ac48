#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: environment.sh PAGE_PROGRAM
# The page of environment variables is what the table yields.
set -euo pipefail
program=$1
cd "$(dirname "$0")/../../.."

diff -u include/ENVIRONMENT.md <("$program") || {
  echo "include/ENVIRONMENT.md differs from the table. To rewrite it: $program >include/ENVIRONMENT.md"
  exit 1
}
