#!/bin/sh
# SPDX-License-Identifier: LGPL-3.0-or-later
# dump.sh LIBRARY FOLDER: prints, in libabigail's XML, the functions and types of mpgpu.h that
# LIBRARY exports.  FOLDER contains mpgpu.h.  LIBRARY needs debugging information.
set -eu
exec abidw --suppressions "$(dirname "$0")/mpgpu.suppr" --headers-dir "$2" --drop-private-types \
    --drop-undefined-syms --no-architecture --no-corpus-path --no-comp-dir-path --no-show-locs \
    --no-elf-needed --no-parameter-names --type-id-style hash "$1"
