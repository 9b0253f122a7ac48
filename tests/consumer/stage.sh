#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The avrankmap authors
# SPDX-License-Identifier: BSD-3-Clause
# Usage: stage.sh CMAKE BUILD_DIR CONFIG STAGE_DIR
# Installs a build below STAGE_DIR with prefix /opt/avrankmap, as a package builder does.
set -euo pipefail
cmake=$1 build=$2 config=$3 stage=$4

rm -rf "$stage"
DESTDIR=$stage "$cmake" --install "$build" --config "$config" --prefix /opt/avrankmap
